// Tables that sort, filter and fold. A table of the page's text is taken over; one of the data is built when it is shown,
// and only the rows that are seen.

const FOLDED = 12;

function headed(table, columns, rows, render) {
  const state = { by: -1, down: false, text: "", open: rows.length <= FOLDED };
  const body = table.tBodies[0] || table.appendChild(element("tbody"));
  const more = element("button", { type: "button", class: "more" });
  const count = element("span", { class: "count", role: "status" });
  let order = rows.map((_, index) => index);

  function show() {
    const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = order.filter((index) => {
      const text = rows[index].cells.join(" ").toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    const shown = state.open ? found : found.slice(0, FOLDED);
    body.replaceChildren(...shown.map((index) => {
      rows[index].node ??= render(rows[index]);
      return rows[index].node;
    }));
    count.textContent = wanted.length > 0 ? `${found.length} of ${rows.length} lines` : "";
    more.hidden = found.length <= FOLDED;
    more.textContent = state.open ? `Show the first ${FOLDED}` : `Show all ${found.length}`;
    more.setAttribute("aria-expanded", String(state.open));
  }

  function sort() {
    order = rows.map((_, index) => index);
    if (state.by >= 0) {
      const text = order.map((index) => rows[index].cells[state.by] || "");
      const number = text.map(magnitude);
      order.sort((a, b) => {
        // What has no value comes last, whatever the direction.
        const [none, other] = [text[a] === "–" || text[a] === "", text[b] === "–" || text[b] === ""];
        if (none || other) {
          return none - other || a - b;
        }
        const both = !Number.isNaN(number[a]) && !Number.isNaN(number[b]);
        const way = both ? number[a] - number[b] : text[a].localeCompare(text[b]);
        return (state.down ? -way : way) || a - b;
      });
    } else if (table.ranking) {
      order.sort((a, b) => table.ranking(a) - table.ranking(b) || a - b);
    }
    show();
  }

  columns.forEach((head, index) => {
    const button = element("button", { type: "button", class: "sort", title: "Sort by this column" }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      if (state.by !== index) {
        [state.by, state.down] = [index, false];
      } else if (!state.down) {
        state.down = true;
      } else {
        state.by = -1;
      }
      columns.forEach((one, other) => {
        const direction = state.down ? "descending" : "ascending";
        one.setAttribute("aria-sort", other === state.by ? direction : "none");
      });
      sort();
    });
  });
  more.addEventListener("click", () => {
    state.open = !state.open;
    show();
  });
  const tools = element("div", { class: "tools" });
  if (rows.length > FOLDED) {
    const filter = element("input", { type: "search", placeholder: "Filter lines", "aria-label": "Filter lines" });
    filter.addEventListener("input", () => {
      state.text = filter.value;
      show();
    });
    tools.append(filter, count);
  }
  const box = table.closest(".scroll");
  box.before(tools);
  box.after(more);
  // Paper shows all of them.
  addEventListener("beforeprint", () => {
    state.wasOpen = state.open;
    state.open = true;
    show();
  });
  addEventListener("afterprint", () => {
    state.open = state.wasOpen;
    show();
  });
  sort();
  table.refresh = sort;
  return table;
}

// Takes over a table that stands in the page.
function takeOver(table) {
  const rows = [...table.tBodies[0].rows].map((node) => ({
    node,
    cells: [...node.cells].map((cell) => cell.textContent),
  }));
  table.lines = rows;
  return headed(table, [...table.tHead.rows[0].cells], rows);
}

// Builds a table of the page's data.
function built({ title, columns, right, rows }) {
  const heads = columns.map((name, index) => (
    element("th", { scope: "col", class: right[index] ? "number" : undefined, text: name })
  ));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)));
  if (title) {
    table.prepend(element("caption", {}, element("span", { text: title })));
  }
  const box = element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": title || "Table" }, table);
  const place = element("div", { class: "built" }, box);
  const render = ({ cells }) => element("tr", {}, ...cells.map((text, index) => (
    index === 0
      ? element("th", { scope: "row", class: right[0] ? "number" : undefined, text })
      : element("td", { class: right[index] ? "number" : undefined, text })
  )));
  headed(table, heads, rows.map((cells) => ({ cells })), render);
  return place;
}
