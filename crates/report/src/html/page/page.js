// Puts the page together: the plot and the short table of the first screen, then tabs that are built when they are opened.
// The root element says how many plots were drawn and how many failed, and how long the first screen took, for
// the tests of the page.

const root = document.documentElement;
root.classList.add("scripted");
root.dataset.plots = "0";

function drawInto(place, plot, move) {
  try {
    const made = drawPlot(place, plot, move);
    root.dataset.plots = String(Number(root.dataset.plots) + 1);
    return made;
  } catch (error) {
    place.append(element("p", { class: "failed", text: `This plot could not be drawn: ${error.message || error}` }));
    root.dataset.plotsFailed = String(Number(root.dataset.plotsFailed || 0) + 1);
    return undefined;
  }
}

// Buttons for the panels: one panel is shown at a time, and its content made when it first is.
function tabs(panels, build) {
  const list = element("div", { role: "tablist", "aria-label": "More" });
  const buttons = panels.map((panel) => {
    const name = panel.id.replace("panel-", "");
    const button = element("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": panel.id, text: panel.dataset.name });
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", button.id);
    panel.setAttribute("tabindex", "0");
    return button;
  });
  const made = new Set();
  function open(index, focus) {
    panels.forEach((panel, other) => {
      panel.hidden = other !== index;
      buttons[other].setAttribute("aria-selected", String(other === index));
      buttons[other].tabIndex = other === index ? 0 : -1;
    });
    if (!made.has(index)) {
      made.add(index);
      build(panels[index]);
    }
    if (focus) {
      buttons[index].focus();
    }
  }
  buttons.forEach((button, index) => {
    button.addEventListener("click", () => open(index, false));
    button.addEventListener("keydown", (event) => {
      const moves = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: panels.length - 1 };
      if (event.key in moves) {
        event.preventDefault();
        open((moves[event.key] + panels.length) % panels.length, true);
      }
    });
  });
  list.append(...buttons);
  panels[0].before(list);
  open(0, false);
  return {
    open: (name) => {
      const index = panels.findIndex((panel) => panel.id === `panel-${name}`);
      if (index >= 0) {
        open(index, false);
      }
    },
  };
}

// `#tab=causes&rate=300000` opens a tab and asks a question.
function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const question = {};
  for (const key of ["rate", "ram", "keep", "life"]) {
    if (asked.has(key)) {
      const value = Number(asked.get(key));
      question[key] = asked.get(key) === "none" && (key === "ram" || key === "life") ? null : value;
      if (question[key] !== null && !(Number.isFinite(value) && value > 0)) {
        delete question[key];
      }
    }
  }
  return { tab: asked.get("tab"), question };
}

async function start() {
  const begun = performance.now();
  const data = JSON.parse(await inflated("data"));
  const short = document.querySelector("#short table");
  const table = short && takeOver(short);
  const front = document.getElementById("front-plot");
  let exploring;
  if (data.exploration) {
    exploring = explorer(data.exploration, front, document.getElementById("what-if"), table);
    root.dataset.plots = String(front.childElementCount > 0 ? 1 : 0);
  } else if (data.curves.length + data.causes.length > 0) {
    drawInto(front, data.curves[0] || data.causes[0]);
  } else {
    front.remove();
  }
  const follow = exploring && ((rules) => exploring.rules(rules));
  const later = { curves: data.curves.slice(exploring ? 0 : 1), causes: data.causes.slice(exploring || data.curves.length ? 0 : 1) };
  const panels = [...document.querySelectorAll(".panel")].filter((panel) => {
    const empty = panel.id === "panel-curves" && later.curves.length === 0;
    if (empty) {
      panel.remove();
    }
    return !empty;
  });
  const tabbed = tabs(panels, (panel) => {
    for (const place of panel.querySelectorAll("[data-plots]")) {
      for (const plot of later[place.dataset.plots]) {
        const moves = follow && plot.id === "plot-staircases";
        const made = drawInto(place, plot, moves ? follow : undefined);
        if (moves && made) {
          exploring.follow(made.redraw);
        }
      }
    }
    for (const place of panel.querySelectorAll("[data-tables]")) {
      place.append(...data[place.dataset.tables].map(built));
    }
  });
  const save = document.getElementById("save");
  if (save) {
    save.hidden = false;
    save.addEventListener("click", async () => {
      const text = await inflated("result");
      const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: data.file });
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }
  document.querySelectorAll("[data-tab]").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    tabbed.open(link.dataset.tab);
    document.getElementById("tabs").scrollIntoView();
  }));
  const { tab, question } = fromAddress();
  if (exploring && Object.keys(question).length > 0) {
    exploring.ask(question);
  }
  if (tab) {
    tabbed.open(tab);
  }
  root.dataset.ready = String(Math.round(performance.now() - begun));
}

start().catch((error) => {
  // Without its data a page still has its answer, its short table, its warnings and its command.
  root.classList.remove("scripted");
  const words = `This browser cannot read the data of this page: ${error.message || error}`;
  document.querySelector("header").after(element("p", { class: "banner", role: "alert", text: words }));
});
