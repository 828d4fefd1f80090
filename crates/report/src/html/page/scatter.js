// Candidates by two figures of the reader's choice, with the front of those that no other beats in both.

const SCATTER = 300;


// `points`: {name, x, y, word, lines}; `axes`: figures of the model; `limits`: {x, y} what is allowed, if anything.
function drawScatter(drawing, width, points, axes, limits, height = SCATTER) {
  const [horizontal, vertical] = axes;
  const drawn = points.filter((one) => isNumber(one.x) && isNumber(one.y));
  const spread = (key) => {
    const values = drawn.map((one) => one[key]).filter((value) => value > 0);
    return values.length === drawn.length && Math.max(...values) > 5 * Math.min(...values);
  };
  const axis = (figure, key) => ({
    unit: figure.unit, logarithmic: spread(key),
    title: `${figure.name} (${figure.more_is_better ? "more" : "less"} is better)`,
  });
  const [xAxis, yAxis] = [axis(horizontal, "x"), axis(vertical, "y")];
  const withLimit = (key) => [...drawn.map((one) => one[key]), ...(limits[key] ? [limits[key].at] : [])];
  const x = scaleOf(xAxis, withLimit("x"));
  const y = scaleOf(yAxis, withLimit("y"));
  const top = 24 + (limits.x ? RULE : 0);
  const area = { left: leftOf(y, yAxis), right: width - 12, top, bottom: height - 40 };
  axisLeft(drawing, area, y, yAxis);
  axisBelow(drawing, area, width, x, xAxis, true);
  // Points at the end of an axis lie beside it.
  const clear = (at, low, high) => Math.max(low + 6, Math.min(high - 6, at));
  const xOf = (value) => area.left + x.share(value) * (area.right - area.left);
  const yOf = (value) => area.bottom - y.share(value) * (area.bottom - area.top);
  if (limits.x) {
    rulesAcross(drawing, area, width, xOf, [{ ...limits.x, color: "#000000", dash: [7, 4] }]);
  }
  const taken = [];
  if (limits.y) {
    const at = yOf(limits.y.at);
    const wide = widthOf(limits.y.label);
    const beside = at - 8 < area.top ? at + 10 : at - 8;
    drawing.append(
      line(area.left, at, area.right, at, { stroke: INK, "stroke-width": 1.5, "stroke-dasharray": "7 4" }),
      label(area.right - wide - 2, beside, limits.y.label, { class: "halo" }),
    );
    taken.push([area.right - wide - 4, beside - 8, area.right, beside + 8]);
  }
  const placed = drawn.map((one) => ({ ...one, px: clear(xOf(one.x), area.left, area.right), py: clear(yOf(one.y), area.top, area.bottom) }));
  const better = (a, b, figure, key) => (figure.more_is_better ? a[key] >= b[key] : a[key] <= b[key]);
  const beats = (a, b) => better(a, b, horizontal, "x") && better(a, b, vertical, "y") && (a.x !== b.x || a.y !== b.y);
  const able = placed.filter((one) => one.word === "pass" || one.word === "depends");
  const front = able.filter((one) => !able.some((other) => beats(other, one)));
  front.sort((a, b) => a.px - b.px || a.py - b.py);
  if (front.length > 1) {
    const path = front.map((one, index) => `${index ? "L" : "M"}${one.px.toFixed(1)} ${one.py.toFixed(1)}`).join("");
    drawing.append(svg("path", { d: path, class: "front-line" }));
  }
  const order = ["FAIL", "unknown", "run", "depends", "pass"];
  placed.sort((a, b) => order.indexOf(a.word) - order.indexOf(b.word));
  for (const one of placed) {
    drawing.append(svg("circle", { cx: one.px, cy: one.py, r: 5, class: `mark ${one.word}` }));
  }
  // Names of the front: where a name finds no room, its point has to do; its tip says it.
  const spots = new Set();
  for (const one of front) {
    const spot = `${one.px.toFixed(0)} ${one.py.toFixed(0)}`;
    if (spots.has(spot)) {
      continue;
    }
    spots.add(spot);
    const same = front.filter((other) => Math.abs(other.px - one.px) < 0.6 && Math.abs(other.py - one.py) < 0.6).length;
    const name = one.name.split("@")[0] + (same > 1 ? ` +${same - 1}` : "");
    const wide = widthOf(name);
    const places = [[one.px + 8, one.py - 9], [one.px + 8, one.py + 10], [one.px - wide - 8, one.py - 9],
      [one.px - wide - 8, one.py + 10], [one.px - wide / 2, one.py - 14], [one.px - wide / 2, one.py + 15]];
    const free = places.find(([left, middle]) => {
      const box = [left - 2, middle - 8, left + wide + 2, middle + 8];
      const inside = box[0] >= area.left && box[2] <= width && box[1] >= area.top && box[3] <= area.bottom;
      const meets = (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
      const covers = ({ px, py }) => meets([px - 4, py - 4, px + 4, py + 4]);
      return inside && !taken.some(meets) && !placed.some(covers);
    });
    if (free) {
      taken.push([free[0] - 2, free[1] - 8, free[0] + wide + 2, free[1] + 8]);
      drawing.append(label(free[0], free[1], name, { class: "halo" }));
    }
  }
  return {
    height,
    points: placed.map((one) => ({ x: one.px, y: one.py, lines: one.lines })),
    missing: points.length - drawn.length,
  };
}
