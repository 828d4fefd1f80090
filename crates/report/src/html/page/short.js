// The short table: verdicts and figures of the question as it stands.

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
