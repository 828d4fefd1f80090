// What a candidate does at another question, and whether it passes: the rules of `compare/judge.rs` of the lab.
//
// A figure is a number, "unbounded", null where no sheet states it, or undefined where only a run can tell. What moves with
// what:
//   rate      RAM by the staircase of the document; lifetime and energy of the work in proportion; the data to keep where
//             they are a time; chips by the data to keep
//   kept data chips, and with them lifetime, standby energy and cost
//   RAM, life nothing but what is allowed
// Throughput and the worst access stay: they are of accesses, not of their rate.

function chipsFor(model, one, timing, asked) {
  const { question } = model;
  const bytes = (asked.keep * (question.keeps_time ? asked.rate : 1)) / question.utilization;
  return Math.max(1, Math.ceil(bytes / timing.chip / one.chips)) * one.chips;
}

const isMoved = (model, asked) => asked.rate !== model.question.rate || asked.keep !== model.question.keep;
const isNumber = (value) => typeof value === "number";

// The least and the most RAM that a rate may need, from the steps of a staircase.
function ramAt(timing, rate) {
  const { staircase } = timing;
  if (rate > timing.throughput) {
    return { least: Infinity, most: Infinity };
  }
  const step = staircase.findIndex((step) => step[1] >= rate);
  const below = step < 0 ? staircase.length - 1 : step - 1;
  return {
    least: below >= 0 ? staircase[below][0] : 0,
    most: step >= 0 ? staircase[step][0] : Infinity,
  };
}

function figuresAt(model, one, timing, asked) {
  if (!isMoved(model, asked)) {
    return { ...timing, range: isNumber(timing.ram) ? { least: timing.ram, most: timing.ram, exact: true } : undefined };
  }
  const { question } = model;
  const times = asked.rate / question.rate;
  const parts = timing.chip ? chipsFor(model, one, timing, asked) : undefined;
  const before = timing.chip ? chipsFor(model, one, timing, question) : undefined;
  const more = parts / before;
  const scaled = (value, by) => (isNumber(value) ? (Number.isNaN(by) ? undefined : value * by) : value);
  const sameRate = asked.rate === question.rate;
  let range;
  let ramNow;
  if (sameRate) {
    ramNow = timing.ram;
    range = isNumber(ramNow) ? { least: ramNow, most: ramNow, exact: true } : undefined;
  } else if (timing.staircase.length > 0) {
    range = ramAt(timing, asked.rate);
    ramNow = Number.isFinite(range.most) ? range.most : (range.least === Infinity ? "unbounded" : undefined);
  }
  const keptMoves = question.wears_kept && (asked.keep !== question.keep || (question.keeps_time && !sameRate));
  const work = isNumber(timing.energy) && isNumber(timing.standby) ? timing.energy - timing.standby : undefined;
  const cached = isNumber(timing.risk) && isNumber(timing.ram) ? timing.risk - timing.ram : undefined;
  const price = question.ram_price === null ? 0 : question.ram_price / 1024;
  const chips = isNumber(timing.cost) && (price === 0 || isNumber(timing.ram))
    ? timing.cost - price * (price === 0 ? 0 : timing.ram) : undefined;
  return {
    ...timing,
    parts,
    range,
    ram: ramNow,
    life: keptMoves && isNumber(timing.life) ? undefined : scaled(timing.life, more / times),
    energy: timing.energy === null ? null : (work === undefined || Number.isNaN(more) ? undefined : work * times + timing.standby * more),
    risk: timing.risk === 0 ? 0 : (isNumber(ramNow) && cached !== undefined ? ramNow + cached : (ramNow === "unbounded" ? ramNow : undefined)),
    holdup: sameRate || timing.holdup === null ? timing.holdup : undefined,
    cost: timing.cost === null ? null
      : (chips === undefined || Number.isNaN(more) || (price > 0 && !isNumber(ramNow)) ? undefined : chips * more + price * (price > 0 ? ramNow : 0)),
  };
}

// Every limit that is stated or holds by default: what it is called, the figure, the allowed value, whether more is better.
function limitsOf(model, asked, figures) {
  const { allowed } = model;
  const sustained = isNumber(figures.throughput) && figures.throughput >= asked.rate;
  const most = (name, figure, value, applies = true) => (value === null || !applies ? [] : [{ name, figure, value, more: false }]);
  return [
    { name: "rate", figure: "throughput", value: asked.rate, more: true },
    ...most("ram", "ram", asked.ram, sustained),
    ...most("latency", "latency", allowed.latency),
    ...(asked.life === null ? [] : [{ name: "lifetime", figure: "life", value: asked.life, more: true }]),
    ...most("energy", "energy", allowed.energy),
    ...most("risk", "risk", allowed.risk, sustained),
    ...most("holdup", "holdup", allowed.holdup, sustained),
    ...most("cost", "cost", allowed.cost),
    ...most("capacity", "parts", allowed.parts, allowed.parts_stated || isNumber(figures.parts)),
  ];
}

function meets(limit, figures) {
  const value = figures[limit.figure];
  if (limit.figure === "ram" && figures.range && !figures.range.exact && figures.range.least !== Infinity) {
    // The staircase is exact at its steps, and says nothing between two of them.
    const { staircase } = figures;
    const rate = limit.rate;
    if (staircase.some(([size, carried]) => size <= limit.value && carried >= rate)) {
      return true;
    }
    return staircase.some(([size, carried]) => size >= limit.value && carried < rate) ? false : undefined;
  }
  if (value === undefined) {
    return undefined;
  }
  if (value === "unbounded") {
    return limit.more;
  }
  return value !== null && (limit.more ? value >= limit.value : value <= limit.value);
}

// Share of the limit that is left.
function marginOf(limit, figures) {
  const value = figures[limit.figure];
  if (!isNumber(value)) {
    return undefined;
  }
  const [used, most] = limit.more ? [limit.value, value] : [value, limit.value];
  if (most > 0) {
    return 1 - used / most;
  }
  return used > 0 ? -1 : 0;
}

const isAsAsked = (model, asked) => !isMoved(model, asked) && asked.ram === model.allowed.ram && asked.life === model.allowed.life;

// The verdict on a candidate in a column of the data sheet: `{word, pass, limit, margin, figures}`; `pass` is undefined
// where only a run can tell.
function judge(model, one, timing, asked) {
  const figures = timing.is_excluded ? { ...timing } : figuresAt(model, one, timing, asked);
  if (isAsAsked(model, asked)) {
    return { word: timing.word, pass: timing.pass, limit: timing.limit, margin: timing.margin, figures };
  }
  if (timing.is_excluded) {
    return excludedAt(model, one, timing, asked, figures);
  }
  if (timing.throughput === null) {
    // It does not fit, whatever is asked.
    return { word: "FAIL", pass: false, limit: timing.limit, margin: null, figures };
  }
  if (one.is_fixed && isMoved(model, asked)) {
    return { word: "run", limit: "", margin: null, figures };
  }
  const all = limitsOf(model, asked, figures).map((limit) => {
    const rated = { ...limit, rate: asked.rate };
    return { ...rated, met: meets(rated, figures), margin: marginOf(rated, figures), unknown: figures[limit.figure] === null };
  });
  const rank = (limit) => (limit.met === false ? (limit.unknown ? 1 : 0) : limit.met === undefined ? 2 : 3);
  const least = (limit) => limit.margin ?? (limit.met ? Infinity : -Infinity);
  all.sort((a, b) => rank(a) - rank(b) || least(a) - least(b));
  const [decides] = all;
  const word = ["FAIL", "unknown", "run", "pass"][rank(decides)];
  const pass = decides.met;
  return { word, pass, limit: decides.name, margin: decides.margin ?? null, figures };
}

// What a bound excluded fails as long as the bound does, which moves with the question; beyond that only a run can tell.
function excludedAt(model, one, timing, asked, figures) {
  const { question, allowed } = model;
  const parts = chipsFor(model, one, timing, asked);
  const fails = (limit, value, most, more) => ({
    word: "FAIL", pass: false, limit, figures: { ...figures, parts },
    margin: more ? 1 - most / value : 1 - value / most,
  });
  if (parts > allowed.parts) {
    return fails("capacity", parts, allowed.parts, false);
  }
  if (timing.limit === "rate" && timing.value < asked.rate) {
    return fails("rate", timing.value, asked.rate, true);
  }
  if (timing.limit === "lifetime" && asked.life !== null) {
    const more = parts / chipsFor(model, one, timing, question);
    const life = (timing.value * more * question.rate) / asked.rate;
    if (life < asked.life) {
      return fails("lifetime", life, asked.life, true);
    }
  }
  return { word: "run", limit: "", margin: null, figures: { ...figures, parts } };
}
