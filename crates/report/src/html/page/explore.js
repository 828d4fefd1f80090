// The question, moved by sliders: verdicts, the plot, the short table and the rules of the curves follow at once.

const WORDS = {
  pass: "pass", depends: "depends on a figure", FAIL: "fail", unknown: "unknown", run: "needs a run",
};
const counted = (count, word) => `${count} ${
  { pass: count === 1 ? "passes" : "pass", depends: count === 1 ? "depends on a figure" : "depend on a figure",
    FAIL: count === 1 ? "fails" : "fail", unknown: "unknown", run: count === 1 ? "needs a run" : "need a run" }[word]}`;

// Which word of several columns stands for a candidate: the first of these.
const WORST = ["FAIL", "unknown", "run", "depends", "pass"];

// A comparison that is being explored: the question as it stands, the verdicts on it, and what follows them.
class Exploring {
  constructor(model) {
    this.model = model;
    this.base = { rate: model.question.rate, keep: model.question.keep, ram: model.allowed.ram, life: model.allowed.life };
    this.asked = { ...this.base };
    this.followers = [];
    this.judged = [];
  }

  follow(follower) {
    this.followers.push(follower);
  }

  update() {
    const { model, asked } = this;
    this.judged = model.candidates.map((one) => {
      const verdicts = one.timings.map((timing) => judge(model, one, timing, asked));
      const words = verdicts.map((verdict) => verdict.word);
      return { one, verdicts, word: WORST.find((word) => words.includes(word)) || "unknown" };
    });
    this.followers.forEach((follower) => follower());
  }

  // The rules of the curves, where they now stand.
  rules(all) {
    return all.map((one) => {
      const [key, name] = one.axis === "x" ? ["rate", "asked"] : ["ram", "allowed"];
      const value = this.asked[key];
      const label = value === null ? "no limit" : `${name}: ${saidBy(key, value, this.model)}`;
      return { ...one, at: value ?? one.at, label };
    });
  }
}

// What limits a figure of the plot, if anything does.
function limitOf({ model, asked }, figure) {
  const rule = model.rules.find((rule) => rule.figure === figure.key);
  const at = rule && !rule.is_default ? allowedOf(model, rule, asked) : null;
  return at ? { at, label: `${figure.more_is_better ? "at least" : "at most"} ${told(at, figure.unit)}` } : undefined;
}

function chooser(name, values, current, said, take) {
  const select = element("select", {}, ...values.map((value, index) => element("option", { value: index, text: said(value) })));
  select.value = String(values.indexOf(current));
  select.addEventListener("change", () => take(values[Number(select.value)]));
  return element("label", {}, `${name} `, select);
}

// The plot of candidates by two figures of the reader's choice; none where no figure is known of any.
function plotCandidates(exploring, place) {
  const { model } = exploring;
  const isKnown = (figure) => model.candidates.some((one) => one.timings.some((timing) => isNumber(timing[figure.key])));
  const known = model.figures.filter(isKnown);
  if (known.length === 0) {
    return;
  }
  const columns = model.candidates.reduce((longest, one) => (one.timings.length > longest.length ? one.timings : longest), []);
  const pick = (keys) => known.find((figure) => keys.includes(figure.key)) || known[0];
  const choice = { x: pick(["cost", "energy"]), y: pick(["ram"]), at: columns.length - 1 };
  if (choice.x === choice.y) {
    choice.y = known.find((figure) => figure !== choice.x) || choice.x;
  }
  const legend = Object.entries(WORDS).map(([word, name]) => ({
    name, word, swatch: () => [svg("circle", { cx: 13, cy: 6, r: 5, class: `mark ${word}` })],
  }));
  const missing = element("p", { class: "missing" });
  const plot = {
    id: "plot-candidates", heading: "Candidates", caption: "",
    description: "Plot: candidates by two figures. The short table holds the same values.",
  };
  const pointOf = ({ one, verdicts, word }) => {
    const verdict = verdicts[Math.min(choice.at, verdicts.length - 1)];
    const figures = verdict ? verdict.figures : {};
    const said = (figure) => `${figure.name}: ${figureSaid(figures, figure)}`;
    const at = (figure) => (isRange(figures[figure.key]) ? endOf(figures[figure.key]) : figures[figure.key]);
    return {
      name: one.target, word, x: at(choice.x), y: at(choice.y),
      lines: [one.target, WORDS[word], said(choice.x), said(choice.y)],
    };
  };
  const scatter = figure(place, plot, legend, (drawing, width, shown) => {
    const words = legend.filter((_, index) => shown.has(index)).map((one) => one.word);
    const points = exploring.judged.filter(({ word }) => words.includes(word)).map(pointOf);
    const limits = { x: limitOf(exploring, choice.x), y: limitOf(exploring, choice.y) };
    const height = width < 480 ? 280 : Math.min(400, width * 0.55);
    const result = drawScatter(drawing, width, points, [choice.x, choice.y], limits, height);
    missing.textContent = result.missing > 0 ? `${result.missing} not drawn: not simulated, or a figure is unknown.` : "";
    return result;
  });
  const choose = (key) => (value) => {
    choice[key] = value;
    scatter.redraw();
  };
  const name = (figure) => figure.name;
  const axes = element("div", { class: "axes" },
    chooser("Across", known, choice.x, name, choose("x")), chooser("Up", known, choice.y, name, choose("y")));
  if (columns.length > 1) {
    const indices = columns.map((_, index) => index);
    axes.append(chooser("Timing", indices, choice.at, (index) => columns[index].timing, choose("at")));
  }
  scatter.caption.replaceChildren(axes);
  scatter.keys.after(missing);
  exploring.follow(() => {
    const present = new Set(exploring.judged.map(({ word }) => word));
    [...scatter.keys.children].forEach((key, index) => { key.hidden = !present.has(legend[index].word); });
    scatter.redraw();
  });
}

// The sliders, what the verdicts come to, and how certain they are. Returns how to ask a question.
function placeSliders(exploring, panel) {
  const { model, base, asked } = exploring;
  const values = stops(model);
  const names = { rate: "Input rate", ram: "RAM allowed", keep: "Kept data", life: "Life required" };
  const shows = {};
  const state = element("p", { class: "state", role: "status" });
  const note = element("p", { class: "note" });
  const reset = element("button", { type: "button", text: "As asked" });
  const rows = Object.keys(names).map((key) => {
    const output = element("output", {});
    const input = element("input", { type: "range", min: 0, step: 1, id: `slider-${key}`, "aria-label": names[key] });
    shows[key] = () => {
      input.max = String(values[key].length - 1);
      input.value = String(values[key].indexOf(asked[key]));
      input.dataset.value = String(asked[key]);
      output.textContent = saidBy(key, asked[key], model);
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => {
      asked[key] = values[key][Number(input.value)];
      shows[key]();
      exploring.update();
    });
    return element("label", { class: "slider", for: input.id }, element("span", { text: names[key] }), input, output);
  });

  function ask(question) {
    Object.assign(asked, question);
    for (const key of Object.keys(names)) {
      if (!values[key].includes(asked[key])) {
        const open = values[key].filter((value) => value === null);
        const numbers = ascending([...values[key].filter((value) => value !== null), asked[key]]);
        values[key] = key === "life" ? [...open, ...numbers] : [...numbers, ...open];
      }
      shows[key]();
    }
    exploring.update();
  }

  reset.addEventListener("click", () => ask(base));
  panel.append(
    element("div", { class: "what-if-head" }, element("h2", { id: "what-if-heading", text: "What if" }), reset),
    ...rows, state, note,
  );
  panel.hidden = false;
  exploring.follow(() => {
    const { judged } = exploring;
    const count = (word) => judged.filter((one) => one.word === word).length;
    const moved = Object.keys(base).filter((key) => asked[key] !== base[key]);
    const said = [...WORST].reverse().filter((word) => word === "pass" || count(word) > 0);
    state.textContent = `${judged.length} candidates: ${said.map((word) => counted(count(word), word)).join(", ")}.`;
    reset.hidden = moved.length === 0;
    // The answer in words is that of the run.
    document.documentElement.classList.toggle("moved", moved.length > 0);
    if (moved.length === 0) {
      note.textContent = "Verdicts of the run. Move a slider to ask another question.";
      return;
    }
    const options = moved.map((key) => option(key, asked[key], model)).join(" ");
    const isNominal = judged.some(({ verdicts }) => verdicts.some((verdict) => verdict.nominal));
    note.replaceChildren(
      "The answer in grey is that of the run. ",
      isNominal ? "Nominal: with figures at their stated values; elsewhere in their ranges the verdict may turn. " : "",
      count("run") > 0 ? "Needs a run: excluded without one at the run's own question, or its figures say nothing of this one. " : "",
      "To simulate it: ", element("code", { text: options }),
    );
  });
  return ask;
}

// Puts a comparison that can be explored into the page.
function explorer(model, place, panel, table) {
  const exploring = new Exploring(model);
  plotCandidates(exploring, place);
  exploring.follow(() => fillTable(model, table, exploring.judged, exploring.asked));
  const ask = placeSliders(exploring, panel);
  ask(exploring.base);
  return {
    ask: (question) => ask({ ...exploring.asked, ...question }),
    rules: (all) => exploring.rules(all),
    follow: (follower) => exploring.follow(follower),
  };
}
