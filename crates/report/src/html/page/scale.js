// Scales of axes with round ticks, and axes whose labels are never cut and never overlap.

const decade = (value) => 10 ** Math.floor(Math.log10(value) + 1e-12);

// Seconds read in the unit that people count such times in.
function baseOf(unit, low, high) {
  const count = unit === "s" ? [YEAR_S, 86400, 3600, 60].find((base) => high >= 2 * base && low >= base / 100) : 1;
  return count || 1;
}

function linearTicks(low, high, unit) {
  if (unit === "B") {
    const step = 2 ** Math.ceil(Math.log2(Math.max(high, 1) / 4));
    return Array.from({ length: Math.max(1, Math.ceil(high / step)) + 1 }, (_, index) => index * step);
  }
  const base = baseOf(unit, high, high);
  const rough = (high - low) / base / 4 || 1;
  const step = [1, 2, 5, 10].map((digit) => digit * decade(rough)).find((step) => step >= rough * 0.999);
  const ticks = [];
  for (let index = Math.floor(low / base / step + 1e-9); ; index += 1) {
    ticks.push(Number((index * step).toPrecision(12)) * base);
    if (index * step * base >= high * (1 - 1e-9)) {
      return ticks;
    }
  }
}

function logarithmicTicks(low, high, unit) {
  if (unit === "B") {
    const first = Math.floor(Math.log2(low));
    const last = Math.max(Math.ceil(Math.log2(high)), first + 1);
    const step = Math.ceil((last - first) / 10);
    return Array.from({ length: Math.ceil((last - first) / step) + 1 }, (_, index) => 2 ** (first + index * step));
  }
  const base = baseOf(unit, low, high);
  const digits = high / low > 1e3 ? [1] : [1, 2, 5];
  const all = [];
  for (let power = Math.floor(Math.log10(low / base)) - 1; power <= Math.ceil(Math.log10(high / base)) + 1; power += 1) {
    all.push(...digits.map((digit) => Number(`${digit}e${power}`) * base));
  }
  const from = Math.max(0, all.findLastIndex((tick) => tick <= low * (1 + 1e-9)));
  const to = Math.max(from + 1, all.findIndex((tick) => tick >= high * (1 - 1e-9)));
  return all.slice(from, to + 1);
}

// A scale of an axis `{unit, logarithmic, ends}` for some values.
function scaleOf(axis, values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (Number.isFinite(value) && (!axis.logarithmic || value > 0)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) {
    [low, high] = [1, 2];
  }
  let ticks;
  if (axis.ends) {
    [low, high] = axis.ends;
    ticks = axis.logarithmic ? logarithmicTicks(low, high, axis.unit) : [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low));
  } else if (axis.logarithmic) {
    ticks = logarithmicTicks(low, high, axis.unit);
  } else {
    ticks = linearTicks(Math.min(0, low), high > 0 ? high : 1, axis.unit);
  }
  [low, high] = [ticks[0], ticks[ticks.length - 1]];
  const way = axis.logarithmic ? Math.log : (value) => value;
  const [start, length] = [way(low), way(high) - way(low)];
  return {
    ticks, low, high,
    // Where a value lies from 0 to 1, clamped.
    share: (value) => {
      const share = (way(value) - start) / length;
      return Number.isNaN(share) ? 0 : Math.max(0, Math.min(1, share));
    },
  };
}

// Draws the horizontal axis below an area `{left, right, top, bottom}`: labels that would overlap are left out, those
// at the ends are moved inside of the drawing.
function axisBelow(drawing, area, width, scale, axis, grid) {
  let taken = -Infinity;
  for (const tick of scale.ticks) {
    const x = area.left + scale.share(tick) * (area.right - area.left);
    if (grid) {
      drawing.append(line(x, area.top, x, area.bottom, { class: "grid" }));
    }
    const text = tickLabel(tick, axis.unit);
    const half = widthOf(text) / 2;
    const middle = Math.max(half, Math.min(width - half, x));
    if (middle - half >= taken + 6) {
      drawing.append(label(middle, area.bottom + 13, text, { "text-anchor": "middle" }));
      taken = middle + half;
    }
  }
  drawing.append(line(area.left, area.bottom, area.right, area.bottom, { class: "axis" }));
  const title = axis.title;
  const middle = Math.max(widthOf(title) / 2, (area.left + area.right) / 2);
  drawing.append(label(middle, area.bottom + 31, title, { "text-anchor": "middle", class: "title" }));
}

// Draws the axis on the left; its title stands above it, so that it reads without turning the head.
function axisLeft(drawing, area, scale, axis) {
  let taken = Infinity;
  for (const tick of scale.ticks) {
    const y = area.bottom - scale.share(tick) * (area.bottom - area.top);
    drawing.append(line(area.left, y, area.right, y, { class: "grid" }));
    if (y + 7 <= taken) {
      drawing.append(label(area.left - 6, y, tickLabel(tick, axis.unit), { "text-anchor": "end" }));
      taken = y - 7;
    }
  }
  drawing.append(label(0, 8, axis.title, { class: "title" }));
}

const leftOf = (scale, axis) => 8 + Math.max(...scale.ticks.map((tick) => widthOf(tickLabel(tick, axis.unit))));

// Height of the name of a rule.
const RULE = 16;

// The rows above an area in which the names of vertical rules stand: each beside its line, on the side that has room, so
// that no line crosses the name of another.
function rulesAcross(drawing, area, width, xOf, rules) {
  const middle = (area.left + area.right) / 2;
  const right = rules.filter((rule) => xOf(rule.at) > middle).sort((a, b) => b.at - a.at);
  const left = rules.filter((rule) => xOf(rule.at) <= middle).sort((a, b) => a.at - b.at);
  const labels = [];
  [...right, ...left].forEach((rule, index) => {
    const x = xOf(rule.at);
    const y = area.top - RULE * (rules.length - index) + RULE / 2 - 2;
    const wide = widthOf(rule.label);
    const start = x > middle ? Math.max(0, x - 5 - wide) : Math.min(width - wide, x + 5);
    drawing.append(line(x, y - 6, x, area.bottom, {
      stroke: paint(rule.color), "stroke-width": 1.5, "stroke-dasharray": dashes(rule.dash),
    }));
    labels.push(plate(start - 2, y - 8, wide + 4), label(start, y, rule.label, { style: `fill: ${paint(rule.color)}` }));
  });
  drawing.append(...labels);
}

const dashes = (dash) => (dash && dash[1] > 0 ? dash.join(" ") : undefined);
