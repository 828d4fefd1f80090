// A table of numbers: the greater a number, the darker its cell. Where columns are narrower than their numbers, the numbers
// stand upright in higher cells.

const CELL = 26;

// A line of upright digits takes so much of a column's width.
const DIGITS_HIGH = 9;

function drawHeat(place, plot) {
  const { spec } = plot;
  return figure(place, plot, [], (drawing, width) => {
    const widest = Math.max(...spec.rows.map((name) => widthOf(name)), 0);
    const left = Math.max(widest + 8, 24);
    const top = 40;
    const wide = Math.min(90, Math.max(4, (width - left - 4) / spec.columns.length));
    const longest = Math.max(...spec.cells.map((cell) => widthOf(cell[3])), 0);
    const turned = longest + 4 > wide && wide >= DIGITS_HIGH;
    const high = turned ? longest + 8 : Math.max(16, Math.min(CELL, wide));
    const values = spec.cells.map((cell) => cell[2]);
    const [low, most] = [Math.min(...values), Math.max(...values)];
    const points = [];
    drawing.append(
      label(0, 8, `${spec.rows_title} ↓`, { class: "title" }),
      label(Math.max(left, widthOf(`${spec.rows_title} ↓`) + 14), 8, `${spec.columns_title} →`, { class: "title" }),
    );
    // Names that would overlap are left out.
    let taken = -Infinity;
    spec.columns.forEach((name, column) => {
      const middle = left + wide * (column + 0.5);
      const half = widthOf(name) / 2;
      if (middle - half >= taken + 4 && middle + half <= width) {
        drawing.append(label(middle, top - 9, name, { "text-anchor": "middle" }));
        taken = middle + half;
      }
    });
    spec.rows.forEach((name, row) => {
      drawing.append(label(left - 6, top + high * (row + 0.5), name, { "text-anchor": "end" }));
    });
    for (const [row, column, value, number, text] of spec.cells) {
      const share = most > low ? (value - low) / (most - low) : 0;
      const [x, y] = [left + wide * column, top + high * row];
      drawing.append(svg("rect", {
        x, y, width: wide, height: high, fill: paint("#0072B2"), "fill-opacity": 0.06 + 0.5 * share, stroke: "var(--paper)",
      }));
      const [across, down] = [x + wide / 2, y + high / 2];
      if (turned) {
        const turn = `rotate(-90 ${across} ${down})`;
        drawing.append(label(across, down, number, { "text-anchor": "middle", class: "title", transform: turn }));
      } else if (widthOf(number) + 4 <= wide) {
        drawing.append(label(across, down, number, { "text-anchor": "middle", class: "title" }));
      }
      points.push({ x: x + wide / 2, y: y + high / 2, lines: [`${spec.rows_title} ${spec.rows[row]}, ${spec.columns_title} ${spec.columns[column]}`, text] });
    }
    return { height: top + high * spec.rows.length + 6, points };
  });
}
