// Bars made of pieces, and rows of bars or points: one row for each thing.

// Names of rows stand beside them where there is room, else above them.
function namesBeside(names, width) {
  const widest = Math.max(...names.map((name) => widthOf(name)));
  return widest <= width * 0.45 ? widest + 8 : 0;
}

function nameOf(drawing, name, beside, y, high) {
  if (beside > 0) {
    drawing.append(label(beside - 8, y + high / 2, name, { "text-anchor": "end" }));
    return y;
  }
  const lines = wrapped(name, Number(drawing.getAttribute("width")));
  // Neither grid nor rules run through a name.
  lines.forEach((text, index) => drawing.append(
    plate(0, y + 15 * index, widthOf(text), 15),
    label(0, y + 8 + 15 * index, text),
  ));
  return y + 2 + 15 * lines.length;
}

// A text in lines that fit a width, broken between words, and within a word that is longer.
function wrapped(text, room) {
  const lines = [""];
  for (const word of text.split(" ")) {
    let rest = word;
    const last = lines[lines.length - 1];
    if (widthOf(last ? `${last} ${rest}` : rest) <= room) {
      lines[lines.length - 1] = last ? `${last} ${rest}` : rest;
      continue;
    }
    while (widthOf(rest) > room) {
      let fits = rest.length - 1;
      while (fits > 1 && widthOf(rest.slice(0, fits)) > room) {
        fits -= 1;
      }
      lines.push(rest.slice(0, fits));
      rest = rest.slice(fits);
    }
    lines.push(rest);
  }
  return lines.filter(Boolean);
}

function drawStack(place, plot) {
  const { spec } = plot;
  // Causes keep their colour on a dark screen: white text is read on them.
  const legend = spec.series.map(([name, color]) => ({ name, swatch: () => filled(color) }));
  return figure(place, plot, legend, (drawing, width, shown) => {
    const beside = namesBeside(spec.bars, width);
    const under = svg("g");
    drawing.append(under);
    const totals = spec.bars.map(() => 0);
    const pieces = spec.pieces.filter(([, cause]) => shown.has(cause));
    for (const [bar, , value] of pieces) {
      totals[bar] += value;
    }
    const shares = spec.unit === "";
    const axis = { unit: spec.unit, title: spec.title, logarithmic: false, ends: shares ? [0, 1] : undefined };
    const scale = scaleOf(axis, totals);
    const area = { left: beside, right: width - 10, top: 4, bottom: 0 };
    const long = area.right - area.left;
    const points = [];
    const starts = spec.bars.map(() => 0);
    const rows = [];
    let y = area.top;
    spec.bars.forEach((name) => {
      const top = nameOf(drawing, name, beside, y, 18);
      rows.push(top);
      y = top + 18 + 7;
    });
    area.bottom = y;
    axisBelow(under, area, width, scale, axis, true);
    for (const [bar, cause, value, text] of pieces) {
      const part = shares ? value / (totals[bar] || 1) : value;
      const x = area.left + scale.share(starts[bar]) * long;
      starts[bar] += part;
      const wide = area.left + scale.share(starts[bar]) * long - x;
      const [name, color] = spec.series[cause];
      drawing.append(svg("rect", { x, y: rows[bar], width: Math.max(0, wide), height: 18, fill: color, class: "piece" }));
      // Only pieces that are wide enough for their label get one.
      if (shares && widthOf(text) + 6 <= wide) {
        drawing.append(label(x + wide / 2, rows[bar] + 9, text, { "text-anchor": "middle", class: "inside" }));
      }
      points.push({ x: x + wide / 2, y: rows[bar] + 9, lines: [spec.bars[bar], `${name}: ${text}`] });
    }
    // A bar that is too short to be seen has its length in words.
    totals.forEach((total, bar) => {
      const text = human(total, spec.unit);
      const end = area.left + scale.share(total) * long + 5;
      if (!shares && total > 0 && end + widthOf(text) <= width) {
        drawing.append(plate(end - 2, rows[bar] + 1, widthOf(text) + 4), label(end, rows[bar] + 9, text));
      }
    });
    return { height: area.bottom + 40, points };
  });
}

function drawRows(place, plot) {
  const { spec } = plot;
  const hollow = new Set(spec.hollow || []);
  const swatch = (color, index) => (spec.points ? dot(color) : hollow.has(index) ? outlined(color) : filled(paint(color)));
  const legend = spec.series.map(([name, color], index) => ({ name, swatch: () => swatch(color, index) }));
  const used = new Set(spec.rows.flatMap((row) => row.marks.map((mark) => mark.series)));
  const made = figure(place, plot, legend, (drawing, width, shown) => {
    const beside = namesBeside(spec.rows.map((row) => row.name), width);
    const marks = spec.rows.flatMap((row) => row.marks);
    const values = marks.flatMap((mark) => [mark.value, ...(mark.band || [])]);
    const scale = scaleOf(spec, spec.rule ? [...values, spec.rule[0]] : values);
    const area = { left: beside + (spec.points ? 8 : 0), right: width - 10, top: spec.rule ? 22 : 4, bottom: 0 };
    const xOf = (value) => area.left + scale.share(value) * (area.right - area.left);
    const zero = spec.logarithmic ? area.left : xOf(0);
    const points = [];
    const above = [];
    const under = svg("g");
    drawing.append(under);
    let y = area.top;
    for (const row of spec.rows) {
      const own = row.marks.filter((mark) => shown.has(mark.series));
      const high = spec.points ? 18 : Math.max(1, own.length) * 16;
      let top = nameOf(drawing, row.name, beside, y, high);
      if (spec.points && own.length > 1) {
        const ends = own.map((mark) => xOf(mark.value));
        above.push(line(Math.min(...ends), top + 9, Math.max(...ends), top + 9, { class: "between" }));
      }
      own.forEach((mark, index) => {
        const color = spec.series[mark.series][1];
        const x = xOf(mark.value);
        const lines = [row.name, `${spec.series[mark.series][0]}: ${mark.text}`];
        if (spec.points) {
          // Where two coincide, both show.
          above.push(svg("circle", { cx: x, cy: top + 9, r: index === 0 && own.length > 1 ? 7 : 4, fill: paint(color) }));
          points.push({ x, y: top + 9, lines });
          return;
        }
        const text = mark.label || "";
        const [left, right] = [Math.min(zero, x), Math.max(zero, x)];
        const wide = widthOf(text);
        // Words stand where the bar leaves room, else on a line of their own.
        let at = Math.max(right, mark.band ? xOf(mark.band[1]) : 0) + 5;
        if (at + wide > width && hollow.has(mark.series) && right - left > wide + 10) {
          at = right - wide - 5;
        } else if (at + wide > width) {
          at = left - 5 - wide >= area.left ? left - 5 - wide : undefined;
        }
        if (at === undefined) {
          above.push(label(Math.max(0, Math.min(area.left, width - wide)), top + 8, text));
          top += 16;
        }
        const look = hollow.has(mark.series) ? outline(color) : { fill: paint(color) };
        const inset = hollow.has(mark.series) ? 1 : 0;
        above.push(svg("rect", {
          x: left + inset, y: top + 1 + inset, width: Math.max(1, right - left - 2 * inset), height: 14 - 2 * inset, ...look,
        }));
        if (at !== undefined) {
          above.push(label(at, top + 8, text));
        }
        if (mark.band) {
          above.push(line(xOf(mark.band[0]), top + 8, xOf(mark.band[1]), top + 8, { stroke: INK, "stroke-width": 2 }));
        }
        points.push({ x, y: top + 8, lines });
        top += 16;
      });
      if (row.words && own.length === 0) {
        above.push(label(Math.max(0, Math.min(area.left + 6, width - widthOf(row.words))), top + 9, row.words));
      }
      y = Math.max(top + (spec.points ? 18 : 0), y + high) + 6;
    }
    area.bottom = y;
    axisBelow(under, area, width, scale, spec, true);
    if (!spec.logarithmic) {
      drawing.append(line(zero, area.top, zero, area.bottom, { class: "axis" }));
    }
    drawing.append(...above);
    if (spec.rule) {
      rulesAcross(under, area, width, xOf, [{ at: spec.rule[0], label: spec.rule[1], color: "#000000", dash: [7, 4] }]);
    }
    return { height: area.bottom + 40, points };
  });
  // The legend names what is drawn.
  [...made.keys.children].forEach((key, index) => { key.hidden = !used.has(index); });
  return made;
}

function drawPlot(place, plot, move) {
  switch (plot.spec.kind) {
    case "curves": return drawCurves(place, plot, move);
    case "stack": return drawStack(place, plot);
    case "rows": return drawRows(place, plot);
    case "heat": return drawHeat(place, plot);
    default: throw new Error(`no plot is called ${plot.spec.kind}`);
  }
}
