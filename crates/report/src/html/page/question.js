// Questions that the sliders can ask: their stops, their words, and the options of the command that ask the same.

const DIGITS = [1, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7, 8, 9];
const LIVES = [0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100];
const KEPT_S = [60, 300, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800, 345600, 604800, 1209600, 2592000];

const ascending = (values) => [...new Set(values)].sort((a, b) => a - b);

// The values that each slider goes through; null is no limit.
function stops(model) {
  const { question, allowed } = model;
  const rates = [];
  for (let power = Math.floor(Math.log10(question.rate)) - 1; power <= Math.ceil(Math.log10(question.rate)) + 1; power += 1) {
    rates.push(...DIGITS.map((digit) => Number(`${digit}e${power}`)));
  }
  const near = rates.filter((rate) => rate >= question.rate / 30 && rate <= question.rate * 30);
  const sizes = model.candidates.flatMap((one) => one.timings.flatMap((timing) => timing.staircase.map((step) => step[0])));
  const most = Math.max(16 * question.record, ...sizes);
  const rams = [];
  for (let records = 2; records * question.record <= most; records *= 2) {
    rams.push(records * question.record, 1.5 * records * question.record);
  }
  const kept = question.keeps_time ? KEPT_S : [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5].map((power) => question.keep * 2 ** power);
  const given = (value) => (value === null ? [] : [value]);
  return {
    rate: ascending([...near, question.rate]),
    ram: [...ascending([...rams, ...given(allowed.ram)]), null],
    keep: ascending([...kept, question.keep]),
    life: [null, ...ascending([...LIVES.map((years) => years * YEAR_S), ...given(allowed.life)])],
  };
}

function saidBy(key, value, model) {
  if (value === null) {
    return "no limit";
  }
  switch (key) {
    case "rate": return human(value, "B/s");
    case "ram": return ram(value);
    case "life": return exactly(value, "s", " ");
    default: return exactly(value, model.question.keeps_time ? "s" : "B", " ");
  }
}

const UNITS = {
  s: [[YEAR_S, "y"], [86400, "d"], [3600, "h"], [60, "min"], [1, "s"]],
  B: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]],
  "B/s": [[1e6, "MB/s"], [1e3, "KB/s"], [1, "B/s"]],
};

// A value in the largest unit in which it is short.
function exactly(value, unit, between) {
  const short = (scale) => value >= scale && Number.isInteger(Number((value / scale * 100).toPrecision(12)));
  const [scale, name] = UNITS[unit].find(([scale]) => short(scale)) || [1, unit];
  return `${Number((value / scale).toPrecision(12))}${between}${name}`;
}

// A value as an option of the command takes it: exact.
function option(key, value, model) {
  const flags = { rate: "--rate", ram: "--max-ram", keep: "--keep", life: "--min-life" };
  const units = { rate: "B/s", ram: "B", life: "s", keep: model.question.keeps_time ? "s" : "B" };
  if (value === null) {
    return `without ${flags[key]}`;
  }
  return `${flags[key]} ${exactly(value, units[key], "")}`;
}
