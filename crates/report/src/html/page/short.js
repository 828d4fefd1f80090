// The short table: verdicts and figures of the question as it stands.

function figureSaid(figures, figure) {
  const value = figures[figure.key];
  if (isNumber(value) || isRange(value)) {
    const number = isRange(value) ? endOf(value) : value;
    const sign = isNumber(value) ? "" : number === value.most ? "≤ " : "≥ ";
    if (figure.key === "parts") {
      return value.toFixed(0);
    }
    return sign + (figure.unit === "B" ? ram(number) : human(number, figure.unit));
  }
  return value === "unbounded" ? value : value === undefined ? "run" : "–";
}

// What decides a verdict, in words.
function decidedBy(model, verdict) {
  if (verdict.above !== undefined) {
    return `excluded above ${human(verdict.above, "B/s")}`;
  }
  return verdict.limit ? model.limits[verdict.limit] || verdict.limit : "–";
}

const NOMINAL = "Judged with figures at their stated values. Elsewhere in their ranges the verdict may turn.";

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
        line.node.cells[column].dataset.nominal = String(verdict.nominal === true);
      }
      if (!own) {
        if (verdict) {
          text = verdict.nominal ? `${verdict.word} nominal` : verdict.word;
        } else if (key === "decides") {
          text = decides ? decidedBy(model, decides) : "–";
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
        const small = verdict && verdict.nominal ? [element("small", { text: "nominal", title: NOMINAL })] : [];
        line.node.cells[column].replaceChildren(...(small.length > 0 ? [verdict.word, " ", ...small] : [text]));
      }
    });
  });
  const order = ["pass", "depends", "run", "unknown", "FAIL"];
  table.ranking = own ? undefined : (index) => order.indexOf(judged[index].word);
  table.refresh();
}
