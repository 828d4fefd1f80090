// Quantities as people read them: what `human` and `text::ram` of the program print, and the way back.

const YEAR_S = 365.25 * 86400;

function plain(value, digits) {
  if (value === 0) {
    return "0";
  }
  const rounded = Number(value.toExponential(digits - 1));
  const magnitude = Math.floor(Math.log10(Math.abs(rounded)) + 1e-12);
  if (magnitude < -4 || magnitude > 6) {
    return rounded.toExponential(digits - 1).replace("e+", "e");
  }
  return rounded.toFixed(Math.max(0, digits - 1 - magnitude));
}

function prefixed(value, unit, digits) {
  if (value === 0 || !Number.isFinite(value)) {
    return `${value} ${unit}`;
  }
  const whole = unit.startsWith("B") || unit === "1/s";
  const kilo = unit.startsWith("B") ? "K" : "k";
  const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, kilo], [1, ""]];
  if (!whole) {
    steps.push([1e-3, "m"], [1e-6, "u"], [1e-9, "n"], [1e-12, "p"]);
  }
  const rounded = Number(Math.abs(value).toExponential(digits - 1));
  const [scale, prefix] = steps.find(([scale]) => rounded >= scale) || steps[steps.length - 1];
  const text = plain(value / scale, digits);
  return unit === "1/s" ? `${text} ${prefix}/s` : `${text} ${prefix}${unit}`;
}

// A whole size prints exactly, in binary units where they divide it.
function wholeBytes(value) {
  for (const [scale, unit] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (value >= scale && value % scale === 0) {
      return `${value / scale} ${unit}`;
    }
  }
  for (const [scale, unit] of [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"]]) {
    if (value >= scale) {
      return `${value / scale} ${unit}`;
    }
  }
  return `${value} B`;
}

function human(value, unit, digits = 3) {
  switch (unit) {
    case "1": return plain(value, digits);
    case "B":
      if (Number.isInteger(value) && value >= 0 && value < 9e15) {
        return wholeBytes(value);
      }
      break;
    case "s":
      if (value >= YEAR_S) return `${plain(value / YEAR_S, digits)} years`;
      if (value >= 2 * 86400) return `${plain(value / 86400, digits)} days`;
      if (value >= 7200) return `${plain(value / 3600, digits)} h`;
      if (value >= 120) return `${plain(value / 60, digits)} min`;
      break;
    case "m^2": return `${plain(value * 1e6, digits)} mm^2`;
    case "EUR": case "cycles": case "accesses": return `${plain(value, digits)} ${unit}`;
  }
  return prefixed(value, unit, digits);
}

// Bytes of RAM, rounded up, so that what is read is enough.
function ram(bytes, digits = 3) {
  const whole = Math.ceil(bytes);
  if (whole < 1024) {
    return `${whole} B`;
  }
  const steps = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];
  const [scale, unit] = steps.find(([scale]) => whole >= scale);
  const scaled = whole / scale;
  const decimals = Math.max(0, digits - Math.floor(Math.log10(scaled)) - 1);
  const rounded = Math.ceil(scaled * 10 ** decimals) / 10 ** decimals;
  return `${Number.isInteger(scaled) ? rounded : rounded.toFixed(decimals)} ${unit}`;
}

function percent(share, signed = false) {
  const text = `${plain(share * 100, 2)} %`;
  return signed && share > 0 ? `+${text}` : text;
}

// A value of a plot.
function told(value, unit) {
  switch (unit) {
    case "": return percent(value);
    case "%": return percent(value, true);
    case "B": return ram(value);
    case "1": return String(Number(value.toPrecision(4)));
    case "accesses": return value.toFixed(0);
    default: return human(value, unit, 4);
  }
}

// The same as short as an axis wants it.
function tickLabel(value, unit) {
  if (value === 0) {
    return unit === "" || unit === "%" ? "0 %" : "0";
  }
  if (unit === "1") {
    return String(Number(value.toPrecision(4)));
  }
  if (unit === "accesses" || unit === "cycles") {
    return value.toLocaleString("en", { maximumFractionDigits: 0 });
  }
  const text = told(value, unit);
  const [number, ...rest] = text.split(" ");
  const short = number.includes(".") && !number.includes("e") ? number.replace(/\.?0+$/, "") : number;
  return [short, ...rest].join(" ");
}

const SCALES = {
  B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40,
  min: 60, h: 3600, days: 86400, years: YEAR_S, "%": 0.01, "": 1,
};
const PREFIXES = { T: 1e12, G: 1e9, M: 1e6, K: 1e3, k: 1e3, m: 1e-3, u: 1e-6, n: 1e-9, p: 1e-12 };

// The number that a cell of a table begins with, in base units; NaN where it has none.
function magnitude(text) {
  const found = /^[<>]?\s*([+-]?[\d.]+(?:e[+-]?\d+)?)\s*([^\s/]*)/.exec(text);
  if (!found) {
    return NaN;
  }
  const [, number, unit] = found;
  const scale = SCALES[unit] ?? (unit.length > 1 ? PREFIXES[unit[0]] : 1) ?? 1;
  return Number(number) * scale;
}
