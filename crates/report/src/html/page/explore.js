// The question, moved by sliders: verdicts, the plot, the short table and the rules of the curves follow at once.

const WORDS = {
  pass: "pass", depends: "depends on a figure", FAIL: "fail", unknown: "unknown", run: "needs a run",
};
const counted = (count, word) => `${count} ${
  { pass: count === 1 ? "passes" : "pass", depends: count === 1 ? "depends on a figure" : "depend on a figure",
    FAIL: count === 1 ? "fails" : "fail", unknown: "unknown", run: count === 1 ? "needs a run" : "need a run" }[word]}`;
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

// Everything together: `{asked, verdicts}` as it now stands, and what follows it.
function explorer(model, place, panel, table) {
  const base = { rate: model.question.rate, keep: model.question.keep, ram: model.allowed.ram, life: model.allowed.life };
  const asked = { ...base };
  const followers = [];
  let judged = [];
  const columns = model.candidates.reduce((longest, one) => (one.timings.length > longest.length ? one.timings : longest), []);

  const wordOf = (verdicts) => {
    const words = verdicts.map((verdict) => verdict.word);
    return ["FAIL", "unknown", "run", "depends", "pass"].find((word) => words.includes(word)) || "unknown";
  };

  function update() {
    judged = model.candidates.map((one) => {
      const verdicts = one.timings.map((timing) => judge(model, one, timing, asked));
      // A candidate that depends at one column and fails at no other is open, as the document says.
      return { one, verdicts, word: wordOf(verdicts) };
    });
    followers.forEach((follow) => follow());
  }

  // --- The plot.
  const known = model.figures.filter((figure) => model.candidates.some((one) => one.timings.some((timing) => isNumber(timing[figure.key]))));
  const pick = (keys) => known.find((figure) => keys.includes(figure.key)) || known[0];
  const choice = { x: pick(["cost", "energy"]), y: pick(["ram"]), at: Math.max(0, columns.length - 1) };
  if (choice.x === choice.y) {
    choice.y = known.find((figure) => figure !== choice.x) || choice.x;
  }
  const chooser = (name, values, current, said, take) => {
    const select = element("select", {}, ...values.map((value, index) => element("option", { value: index, text: said(value) })));
    select.value = String(values.indexOf(current));
    select.addEventListener("change", () => {
      take(values[Number(select.value)]);
      scatter.redraw();
    });
    return element("label", {}, `${name} `, select);
  };
  const legend = Object.entries(WORDS).map(([word, name]) => ({
    name, word, swatch: () => [svg("circle", { cx: 13, cy: 6, r: 5, class: `mark ${word}` })],
  }));
  const limitOf = { ram: () => asked.ram, life: () => asked.life, latency: () => model.allowed.latency, energy: () => model.allowed.energy, cost: () => model.allowed.cost, parts: () => model.allowed.parts_stated && model.allowed.parts };
  const rule = (figure) => {
    const at = limitOf[figure.key]();
    return at ? { at, label: `${figure.more_is_better ? "at least" : "at most"} ${told(at, figure.unit)}` } : undefined;
  };
  const missing = element("p", { class: "missing" });
  const plot = {
    id: "plot-candidates", heading: "Candidates", caption: "",
    description: "Plot: candidates by two figures. The short table holds the same values.",
  };
  let scatter;
  if (known.length > 0) {
    scatter = figure(place, plot, legend, (drawing, width, shown) => {
      const words = legend.filter((_, index) => shown.has(index)).map((one) => one.word);
      const points = judged.filter(({ word }) => words.includes(word)).map(({ one, verdicts, word }) => {
        const at = Math.min(choice.at, verdicts.length - 1);
        const figures = at >= 0 ? verdicts[at].figures : {};
        const said = (axis) => `${axis.name}: ${figureSaid(figures, axis)}`;
        return { name: one.target, word, x: figures[choice.x.key], y: figures[choice.y.key],
          lines: [one.target, WORDS[word], said(choice.x), said(choice.y)] };
      });
      const result = drawScatter(drawing, width, points, [choice.x, choice.y], { x: rule(choice.x), y: rule(choice.y) }, width < 480 ? 280 : Math.min(400, width * 0.55));
      missing.textContent = result.missing > 0 ? `${result.missing} not drawn: not simulated, or a figure is unknown.` : "";
      return result;
    });
    const axes = element("div", { class: "axes" },
      chooser("Across", known, choice.x, (one) => one.name, (one) => { choice.x = one; }),
      chooser("Up", known, choice.y, (one) => one.name, (one) => { choice.y = one; }));
    if (columns.length > 1) {
      const indices = columns.map((_, index) => index);
      axes.append(chooser("Timing", indices, choice.at, (index) => columns[index].timing, (index) => { choice.at = index; }));
    }
    scatter.caption.replaceChildren(axes);
    scatter.keys.after(missing);
    followers.push(() => {
      const present = new Set(judged.map(({ word }) => word));
      [...scatter.keys.children].forEach((key, index) => { key.hidden = !present.has(legend[index].word); });
      scatter.redraw();
    });
  }

  // --- The short table.
  followers.push(() => fillTable(model, table, judged, asked));

  // --- The sliders.
  const values = stops(model);
  const names = { rate: "Input rate", ram: "RAM allowed", keep: "Kept data", life: "Life required" };
  const inputs = {};
  const state = element("p", { class: "state", role: "status" });
  const note = element("p", { class: "note" });
  const reset = element("button", { type: "button", text: "As asked" });
  const rows = Object.keys(names).map((key) => {
    const output = element("output", {});
    const input = element("input", { type: "range", min: 0, max: values[key].length - 1, step: 1, id: `slider-${key}`, "aria-label": names[key] });
    inputs[key] = () => {
      const at = values[key].indexOf(asked[key]);
      input.value = String(at);
      input.dataset.value = String(asked[key]);
      output.textContent = saidBy(key, asked[key], model);
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => {
      asked[key] = values[key][Number(input.value)];
      inputs[key]();
      update();
    });
    return element("label", { class: "slider", for: `slider-${key}` }, element("span", { text: names[key] }), input, output);
  });
  reset.addEventListener("click", () => ask(base));
  panel.append(
    element("div", { class: "what-if-head" }, element("h2", { id: "what-if-heading", text: "What if" }), reset),
    ...rows, state, note,
  );
  panel.hidden = false;
  followers.push(() => {
    const count = (word) => judged.filter((one) => one.word === word).length;
    const moved = Object.keys(base).filter((key) => asked[key] !== base[key]);
    const said = ["pass", "depends", "run", "unknown", "FAIL"].filter((word) => word === "pass" || count(word) > 0);
    state.textContent = `${judged.length} candidates: ${said.map((word) => counted(count(word), word)).join(", ")}.`;
    reset.hidden = moved.length === 0;
    // The answer in words is that of the run.
    document.documentElement.classList.toggle("moved", moved.length > 0);
    if (moved.length === 0) {
      note.textContent = "Verdicts of the run. Move a slider to ask another question.";
      return;
    }
    const options = moved.map((key) => option(key, asked[key], model)).join(" ");
    const paced = judged.some(({ one, word }) => one.is_paced && word !== "FAIL" && isMoved(model, asked));
    note.replaceChildren(
      "Nominal: figures at their stated values. What depends on a figure was examined at the run's own question alone. ",
      count("run") > 0 ? "What needs a run was excluded without one, or its figures say nothing of this. " : "",
      paced ? "Memories with firmware, marked ≈, were run at one rate. " : "",
      "To simulate it: ", element("code", { text: options }),
    );
  });

  function ask(question) {
    Object.assign(asked, question);
    for (const key of Object.keys(names)) {
      if (!values[key].includes(asked[key])) {
        const open = values[key].filter((value) => value === null);
        const numbers = ascending([...values[key].filter((value) => value !== null), asked[key]]);
        values[key] = key === "life" ? [...open, ...numbers] : [...numbers, ...open];
        document.getElementById(`slider-${key}`).max = String(values[key].length - 1);
      }
      inputs[key]();
    }
    update();
  }
  ask(base);
  return {
    ask: (question) => ask({ ...asked, ...question }),
    // The rules of the curves follow.
    rules: (all) => all.map((one) => {
      const [key, name] = one.axis === "x" ? ["rate", "asked"] : ["ram", "allowed"];
      return { ...one, at: asked[key] ?? one.at, label: asked[key] === null ? "no limit" : `${name}: ${saidBy(key, asked[key], model)}` };
    }),
    follow: (follower) => followers.push(follower),
  };
}

function figureSaid(figures, figure) {
  const value = figures[figure.key];
  if (isNumber(value)) {
    if (figure.key === "parts") {
      return value.toFixed(0);
    }
    const text = figure.unit === "B" ? ram(value) : human(value, figure.unit);
    return figure.key === "ram" && figures.range && !figures.range.exact && figures.range.least < value ? `≤ ${text}` : text;
  }
  return value === "unbounded" ? value : value === undefined ? "run" : "–";
}

// Writes verdicts and figures into the short table. At the run's own question it shows what the document says.
function fillTable(model, table, judged, asked) {
  const own = isAsAsked(model, asked);
  table.lines.forEach((line, index) => {
    const { one, verdicts, word } = judged[index];
    line.own ??= [...line.cells];
    line.node.dataset.word = word;
    line.node.dataset.target = one.target;
    const last = verdicts[verdicts.length - 1];
    const decides = verdicts.find((verdict) => verdict.pass === false) || verdicts.find((verdict) => verdict.pass === undefined)
      || verdicts.reduce((a, b) => ((b.margin ?? Infinity) < (a.margin ?? Infinity) ? b : a), last);
    model.columns.forEach((key, column) => {
      let text = line.own[column];
      const verdict = verdicts.find((_, at) => one.timings[at].timing === key);
      const figure = model.figures.find((figure) => figure.key === key);
      if (verdict) {
        line.node.cells[column].dataset.verdict = verdict.word;
        line.node.cells[column].dataset.pass = String(verdict.pass);
      }
      if (!own) {
        if (verdict) {
          text = one.is_paced && isMoved(model, asked) && verdict.word !== "run" ? `≈ ${verdict.word}` : verdict.word;
        } else if (key === "decides") {
          text = decides && decides.limit ? model.limits[decides.limit] || decides.limit : "–";
        } else if (key === "margin") {
          text = decides && decides.margin !== null && decides.margin !== undefined ? percent(decides.margin, true) : "–";
        } else if (key === "depends") {
          text = "–";
        } else if (figure && last) {
          text = figureSaid(last.figures, figure);
        }
      }
      if (line.cells[column] !== text) {
        line.cells[column] = text;
        line.node.cells[column].textContent = text;
      }
    });
  });
  const order = ["pass", "depends", "run", "unknown", "FAIL"];
  table.ranking = own ? undefined : (index) => order.indexOf(judged[index].word);
  table.refresh();
}
