// What a candidate does at another question, and whether it passes. The limits are data of the page (`model.rules`), the
// same table that the lab judges by; this script moves figures to the question and holds them against it.
//
// A figure is a number, a range `{least, most}` where the document says no more, "unbounded", null where no sheet states it,
// or undefined where only a run can tell. What moves with what:
//   rate      RAM by the staircase of the document, and with it the bytes at risk and what the RAM costs; lifetime and
//             energy of the work in proportion; the data to keep where they are a time; chips by the data to keep
//   kept data chips, and with them lifetime, standby energy and cost
//   RAM, life nothing but what is allowed
// Throughput and the worst access stay: they are of accesses, not of their rate. Memories with a translation layer differ:
// the more they hold, the more they clean, and some clean in the pauses that the rate leaves.

// Which slider moves what is allowed of a figure.
const SLIDER_OF = { throughput: "rate", ram: "ram", life: "life" };

// Kept data change what such a memory cleans for a log by some per cent, against the direction that more data have.
const SLACK = 0.05;

const isNumber = (value) => typeof value === "number";
const isRange = (value) => typeof value === "object" && value !== null;
const range = (least, most) => (least === most ? least : { least, most });
const keptBytes = (model, asked) => asked.keep * (model.question.keeps_time ? asked.rate : 1);
const isMoved = (model, asked) => asked.rate !== model.question.rate || asked.keep !== model.question.keep;
const isAsAsked = (model, asked) => !isMoved(model, asked) && asked.ram === model.allowed.ram && asked.life === model.allowed.life;

function chipsFor(model, one, timing, asked) {
  const bytes = keptBytes(model, asked) / model.question.utilization;
  return Math.max(1, Math.ceil(bytes / timing.chip / one.chips)) * one.chips;
}

// A figure times a factor and plus another one; unknown where either is.
function scaled(value, by, plus = 0) {
  if (isNumber(value)) {
    return Number.isNaN(value * by + plus) ? undefined : value * by + plus;
  }
  return isRange(value) ? range(value.least * by + plus, value.most * by + plus) : value;
}

// The RAM of whole records that a rate needs, from the steps of the staircase: exact where one number of records lies
// between two of them.
function ramAt(model, timing, rate, slack) {
  const { staircase } = timing;
  const { record } = model.question;
  if (staircase.length === 0) {
    return undefined;
  }
  const short = staircase.findLast((step) => step[1] * (1 + slack) < rate);
  const enough = staircase.find((step) => step[1] * (1 - slack) >= rate);
  const least = (short ? Math.floor(short[0] / record) + 1 : 2) * record;
  return range(least, enough ? Math.max(least, Math.floor(enough[0] / record) * record) : Infinity);
}

// The hold-up of other bytes at risk: the more there are, the longer they take to be written.
function holdupOf(timing, risk) {
  if (timing.holdup === null || risk === timing.risk) {
    return timing.holdup;
  }
  const { least, most } = isRange(risk) ? risk : { least: risk, most: risk };
  if (!isNumber(timing.holdup) || !isNumber(timing.risk) || !isNumber(least)) {
    return undefined;
  }
  return range(least >= timing.risk ? timing.holdup : 0, most <= timing.risk ? timing.holdup : Infinity);
}

function figuresAt(model, one, timing, asked) {
  if (!isMoved(model, asked)) {
    return timing;
  }
  const { question } = model;
  const times = asked.rate / question.rate;
  const sameRate = times === 1;
  const kept = keptBytes(model, asked) / keptBytes(model, question);
  // What the layer did for other data is known from one side only.
  const isOther = one.is_layered && kept !== 1;
  // Of what is written each byte is programmed once at least, so that fewer data lengthen a life by no more.
  const longest = isNumber(timing.amplification) ? Math.max(1, timing.amplification) * (1 + SLACK) : Infinity;
  const fewer = (value, gain = Infinity) => (isOther && isNumber(value) ? range(kept > 1 ? 0 : value * (1 - SLACK), value * (kept > 1 ? 1 + SLACK : gain)) : value);
  const more = (value) => (isOther && isNumber(value) ? range(kept > 1 ? value * (1 - SLACK) : 0, kept > 1 ? Infinity : value * (1 + SLACK)) : value);
  const needsRun = one.works_in_pauses || (isOther && question.wears_kept);

  const parts = timing.chip ? chipsFor(model, one, timing, asked) : undefined;
  const chips = parts / (timing.chip ? chipsFor(model, one, timing, question) : undefined);
  const throughput = fewer(timing.throughput);
  const most = isRange(throughput) ? throughput.most : throughput;
  let ram;
  if (most < asked.rate) {
    ram = "unbounded";
  } else if (!needsRun) {
    ram = sameRate && !isOther ? timing.ram : ramAt(model, timing, asked.rate, isOther ? SLACK : 0);
  }
  const isOpen = ram === undefined || ram === "unbounded";
  const cached = isNumber(timing.risk) && isNumber(timing.ram) ? timing.risk - timing.ram : undefined;
  const risk = timing.risk === 0 || timing.risk === null ? timing.risk : isOpen ? ram : cached === undefined ? undefined : scaled(ram, 1, cached);
  const work = isNumber(timing.energy) && isNumber(timing.standby) ? more((timing.energy - timing.standby) * times) : undefined;
  // Cycles of what is kept alone follow its size.
  const isWornElsewhere = question.wears_kept && kept !== 1;
  const price = question.ram_price === null ? 0 : question.ram_price / 1024;
  const ofChips = isNumber(timing.cost) && (price === 0 || isNumber(timing.ram)) ? timing.cost - (price && price * timing.ram) : undefined;
  let { cost } = timing;
  if (cost !== null) {
    const own = ofChips === undefined ? undefined : scaled(ofChips, chips);
    cost = price === 0 || own === undefined ? own : isOpen ? ram : scaled(ram, price, own);
  }
  return {
    ...timing,
    parts,
    throughput,
    ram,
    latency: needsRun ? undefined : isOther && isNumber(timing.latency) ? range(timing.latency * (1 - SLACK), timing.latency * (1 + SLACK)) : timing.latency,
    life: isWornElsewhere && isNumber(timing.life) ? undefined : fewer(scaled(timing.life, chips / times), longest),
    energy: timing.energy === null ? null : work === undefined ? undefined : scaled(work, 1, timing.standby * chips),
    risk,
    holdup: isOpen && risk !== 0 ? (timing.holdup === null ? null : ram) : one.is_layered ? (risk === 0 ? timing.holdup : undefined) : holdupOf(timing, risk),
    cost,
  };
}

// What is allowed of a figure; null where nothing is said of it.
const allowedOf = (model, rule, asked) => (SLIDER_OF[rule.figure] ? asked[SLIDER_OF[rule.figure]] : model.allowed[rule.figure]);

// The rules that apply to the figures of a candidate, each with what it allows.
function applying(model, asked, figures) {
  // Where that is open a candidate fails by the rate, or has to keep the others.
  const mayFollow = meets(model.rules.find((rule) => rule.figure === "throughput"), figures, asked.rate) !== false;
  return model.rules
    .map((rule) => ({ rule, allowed: allowedOf(model, rule, asked) }))
    .filter(({ rule, allowed }) => allowed !== null && (mayFollow || !rule.needs_rate) && (!rule.is_default || figures[rule.figure] !== null));
}

// Whether a figure meets what is allowed; undefined where only a run can tell. What is unknown meets nothing.
function meets(rule, figures, allowed) {
  const value = figures[rule.figure];
  if (value === undefined || value === null) {
    return value === null ? false : undefined;
  }
  if (value === "unbounded") {
    return rule.more;
  }
  const holds = (end) => (rule.more ? end >= allowed : end <= allowed);
  if (isNumber(value)) {
    return holds(value);
  }
  const [least, most] = [holds(value.least), holds(value.most)];
  return least === most ? least : undefined;
}

// Share of the limit that is left.
function marginOf(rule, figures, allowed) {
  const figure = figures[rule.figure];
  const value = isRange(figure) ? endOf(figure) : figure;
  if (!isNumber(value)) {
    return undefined;
  }
  const [used, most] = rule.more ? [allowed, value] : [value, allowed];
  if (most > 0) {
    return 1 - used / most;
  }
  return used > 0 ? -1 : 0;
}

// The end of a range that a reader can count on.
const endOf = ({ least, most }) => (Number.isFinite(most) ? most : least);

// The verdict on a candidate in a column of the data sheet: `{word, pass, limit, margin, figures, nominal}`; `pass` is
// undefined where only a run can tell. A nominal verdict takes figures at their stated values alone.
function judge(model, one, timing, asked) {
  if (isAsAsked(model, asked)) {
    return { word: timing.word, pass: timing.pass, limit: timing.limit, margin: timing.margin, figures: timing };
  }
  if (timing.at_best) {
    return excludedAt(model, one, timing, asked);
  }
  if (timing.throughput === null) {
    // It does not fit, whatever is asked.
    return { word: "FAIL", pass: false, limit: timing.limit, margin: null, figures: timing, nominal: timing.word !== "FAIL" };
  }
  const figures = figuresAt(model, one, timing, asked);
  if (one.is_fixed && isMoved(model, asked)) {
    return { word: "run", limit: "", margin: null, figures: {} };
  }
  const all = applying(model, asked, figures).map(({ rule, allowed }) => ({
    rule, met: meets(rule, figures, allowed), margin: marginOf(rule, figures, allowed), unknown: figures[rule.figure] === null,
  }));
  const rank = ({ met, unknown }) => (met === false ? (unknown ? 1 : 0) : met === undefined ? 2 : 3);
  const least = ({ met, margin }) => margin ?? (met ? Infinity : -Infinity);
  all.sort((a, b) => rank(a) - rank(b) || least(a) - least(b));
  const [decides] = all;
  const word = ["FAIL", "unknown", "run", "pass"][rank(decides)];
  return {
    word, pass: decides.met, limit: decides.rule.name, margin: word === "run" ? null : decides.margin ?? null, figures,
    nominal: (word === "pass" || word === "FAIL") && !isCertain(model, one, timing, asked, word),
  };
}

// How a question moves what counts for a limit: [it is no worse than at the run's own, it is no better], wherever figures
// lie in their ranges.
function movedFor(model, one, timing, asked, rule) {
  const { question } = model;
  const times = asked.rate / question.rate;
  const chips = timing.chip ? chipsFor(model, one, timing, asked) / chipsFor(model, one, timing, question) : NaN;
  const life = chips / times;
  const [was, now] = [model.allowed[rule.figure], allowedOf(model, rule, asked)];
  const [from, to] = [was ?? (rule.more ? 0 : Infinity), now ?? (rule.more ? 0 : Infinity)];
  const [looser, tighter] = rule.more ? [to <= from, to >= from] : [to >= from, to <= from];
  const loads = {
    throughput: [1], latency: [1], ram: [times], risk: [times], holdup: [times], parts: [chips], energy: [times, chips],
    cost: [times, chips], life: [1 / life],
  }[rule.figure];
  return [looser && loads.every((load) => load <= 1), tighter && loads.every((load) => load >= 1)];
}

// Whether a verdict holds throughout the ranges because that of the run does, and the question is no harder than the run's
// own where it passes, or no easier for any of the limits that it failed.
function isCertain(model, one, timing, asked, word) {
  if (timing.word !== word || (one.is_layered && isMoved(model, asked)) || (model.question.wears_kept && isMoved(model, asked))) {
    return false;
  }
  const { question } = model;
  const base = { rate: question.rate, keep: question.keep, ram: model.allowed.ram, life: model.allowed.life };
  if (word === "pass") {
    return model.rules.every((rule) => movedFor(model, one, timing, asked, rule)[0]);
  }
  const failed = applying(model, base, timing).filter(({ rule, allowed }) => meets(rule, timing, allowed) === false);
  return failed.every(({ rule }) => movedFor(model, one, timing, asked, rule)[1]);
}

// The bounds of a candidate that was not simulated, at a question: those that it fails, whatever a run would show.
function boundsAt(model, one, timing, asked) {
  const parts = chipsFor(model, one, timing, asked);
  const more = parts / chipsFor(model, one, timing, model.question);
  const reach = {
    parts, throughput: timing.at_best.throughput, life: scaled(timing.at_best.life, (more * model.question.rate) / asked.rate),
  };
  const all = model.rules.filter((rule) => isNumber(reach[rule.figure])).map((rule) => ({ rule, allowed: allowedOf(model, rule, asked) }));
  const failed = all.filter(({ rule, allowed }) => allowed !== null && !meets(rule, reach, allowed));
  return { reach, failed: failed.map(({ rule, allowed }) => ({ rule, margin: marginOf(rule, reach, allowed) })) };
}

// What a bound excluded fails as long as one of its bounds does, which move with the question; beyond that only a run can
// tell. `above` is the rate from which on it is excluded.
function excludedAt(model, one, timing, asked) {
  const { reach, failed } = boundsAt(model, one, timing, asked);
  if (failed.length > 0) {
    const worst = failed.reduce((a, b) => (b.margin < a.margin ? b : a));
    return { word: "FAIL", pass: false, limit: worst.rule.name, margin: worst.margin, figures: { ...timing, parts: reach.parts } };
  }
  let [low, high] = [asked.rate, asked.rate * 1e6];
  for (let halving = 0; halving < 40; halving += 1) {
    const rate = Math.sqrt(low * high);
    [low, high] = boundsAt(model, one, timing, { ...asked, rate }).failed.length > 0 ? [low, rate] : [rate, high];
  }
  return { word: "run", limit: "", margin: null, figures: { parts: reach.parts }, above: low };
}
