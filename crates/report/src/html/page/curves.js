// Curves of numbers against numbers, with rules across them.

const HEIGHT = 250;
// Straight curves with few points show them.
const MARKED = 16;
// Curves with few enough points show all of them to a pointer.
const POINTED = 400;

function pathOf(points, shape) {
  const parts = [];
  points.forEach(([x, y], index) => {
    const at = `${x.toFixed(1)} ${y.toFixed(1)}`;
    if (index === 0) {
      parts.push(`M${at}`);
    } else if (shape === "step_before") {
      parts.push(`V${y.toFixed(1)}`, `H${x.toFixed(1)}`);
    } else if (shape === "step_after" || shape === "filled") {
      parts.push(`H${x.toFixed(1)}`, `V${y.toFixed(1)}`);
    } else {
      parts.push(`L${at}`);
    }
  });
  return parts.join("");
}

// Signs of curves that coincide.
const SIGNS = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  (r) => `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `M0 ${-r}L${r} ${r}H${-r}z`,
  (r) => `M0 ${-r}L${r} 0L0 ${r}L${-r} 0z`,
  (r) => `M0 ${r}L${r} ${-r}H${-r}z`,
  (r) => `M${-r} 0L${r} ${-r}V${r}z`,
  (r) => `M${r} 0L${-r} ${-r}V${r}z`,
];

// The sign of a point: hollow ones hide the line behind them, so that they look hollow.
function signAt(x, y, symbol, radius, color, hollow) {
  return svg("path", {
    d: SIGNS[symbol % SIGNS.length](radius), transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
    fill: hollow ? "var(--paper)" : paint(color), stroke: paint(color), "stroke-width": 1.5,
  });
}

function curveSwatch(curve) {
  const { signed } = curve.shape;
  const sign = signed ? [signAt(13, 6, signed.symbol, 4, curve.color, signed.is_hollow)] : [];
  return [...stroke(curve.color, curve.dash), ...sign];
}

// `move` may change rules and say which curves fail: `(spec) => {rules}`.
function drawCurves(place, plot, move) {
  const { spec } = plot;
  const legend = spec.curves.map((curve) => ({ name: curve.name, swatch: () => curveSwatch(curve) }));
  return figure(place, plot, legend, (drawing, width, shown) => {
    const rules = move ? move(spec.rules) : spec.rules;
    const upright = rules.filter((rule) => rule.axis === "x");
    const level = rules.filter((rule) => rule.axis === "y");
    const all = spec.curves.flatMap((curve) => curve.points);
    const x = scaleOf(spec.x, [...all.map((point) => point[0]), ...upright.map((rule) => rule.at)]);
    const y = scaleOf(spec.y, [...all.map((point) => point[1]), ...level.map((rule) => rule.at)]);
    const top = 26 + RULE * upright.length;
    const area = { left: leftOf(y, spec.y), right: width - 10, top, bottom: top + HEIGHT };
    axisLeft(drawing, area, y, spec.y);
    axisBelow(drawing, area, width, x, spec.x, true);
    const xOf = (value) => area.left + x.share(value) * (area.right - area.left);
    const yOf = (value) => area.bottom - y.share(value) * (area.bottom - area.top);
    const points = [];
    spec.curves.forEach((curve, index) => {
      if (!shown.has(index)) {
        return;
      }
      const places = curve.points.map(([a, b]) => [xOf(a), yOf(b)]);
      const marked = curve.shape.marked;
      const path = pathOf(places, curve.shape);
      if (curve.shape === "filled") {
        const ends = `V${area.bottom}H${places[0][0].toFixed(1)}z`;
        drawing.append(svg("path", { d: path + ends, fill: paint(curve.color), opacity: 0.15 }));
      }
      drawing.append(svg("path", {
        d: path, class: "curve", stroke: paint(curve.color), "stroke-dasharray": dashes(curve.dash),
        "stroke-width": marked && !marked.is_later ? 4.5 : 2,
      }));
      if (curve.shape.signed) {
        const { symbol, is_hollow: hollow } = curve.shape.signed;
        drawing.append(...places.map(([a, b]) => signAt(a, b, symbol, 4, curve.color, hollow)));
      }
      const signs = marked || curve.shape === "path" || (curve.shape === "line" && places.length <= MARKED);
      if (signs) {
        const sign = SIGNS[marked ? marked.symbol % SIGNS.length : 0](marked ? (marked.is_later ? 4 : 7) : 3);
        drawing.append(...places.map(([a, b]) => svg("path", {
          d: sign, transform: `translate(${a.toFixed(1)} ${b.toFixed(1)})`,
          fill: marked ? "none" : paint(curve.color), stroke: paint(curve.color), "stroke-width": marked ? 2 : 0,
        })));
      }
      const every = Math.ceil(places.length / POINTED);
      places.forEach(([a, b], number) => {
        if (number % every === 0) {
          const [valueX, valueY] = curve.points[number];
          points.push({ x: a, y: b, lines: [
            curve.name,
            `${spec.x.title}: ${told(valueX, spec.x.unit)}`,
            `${spec.y.title}: ${told(valueY, spec.y.unit)}`,
          ] });
        }
      });
    });
    rulesAcross(drawing, area, width, xOf, upright);
    for (const rule of level) {
      const at = yOf(rule.at);
      const wide = widthOf(rule.label);
      drawing.append(
        line(area.left, at, area.right, at, { stroke: paint(rule.color), "stroke-width": 1.5, "stroke-dasharray": dashes(rule.dash) }),
        label(Math.max(area.left + 4, area.right - wide - 4), at - 8 < area.top ? at + 10 : at - 8, rule.label, { class: "halo" }),
      );
    }
    return { height: area.bottom + 40, points };
  });
}
