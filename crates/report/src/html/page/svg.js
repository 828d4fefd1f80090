// Drawing: elements of SVG, measured texts, the frame of a figure with its legend and its tip.

const INK = "var(--ink)";
const FONT = 12;
const measuring = document.createElement("canvas").getContext("2d");

// Width of a text in a plot, in pixels.
function widthOf(text, bold = false) {
  const family = getComputedStyle(document.body).fontFamily;
  measuring.font = `${bold ? "600 " : ""}${FONT}px ${family}`;
  return Math.ceil(measuring.measureText(text).width) + 1;
}

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") {
      made.textContent = value;
    } else if (value !== undefined) {
      made.setAttribute(key, value);
    }
  }
  made.append(...children);
  return made;
}

// A colour of the palette; the style sheet knows its tone on a dark screen.
const paint = (hex) => `var(--c${hex.slice(1).toLowerCase()}, ${hex})`;

function label(x, y, text, attributes = {}) {
  return svg("text", { x, y, "dominant-baseline": "middle", ...attributes, text });
}

// What keeps lines from running through a text.
const plate = (x, y, width, height = 16) => svg("rect", { x, y, width, height, class: "behind" });

function line(x1, y1, x2, y2, attributes = {}) {
  return svg("line", { x1, y1, x2, y2, ...attributes });
}

// Makes the figure of a plot. `draw(drawing, width)` fills an SVG for a width and returns its height and the points
// that a pointer finds: `{x, y, lines}`.
function figure(place, plot, legend, draw) {
  const shown = new Set(legend.map((_, index) => index));
  const keys = element("div", { class: "keys" });
  const box = element("div", { class: "plot" });
  const tip = element("div", { class: "tip", hidden: true });
  const caption = element("figcaption", {}, element("strong", { text: plot.heading }), ` ${plot.caption}`);
  const made = element("figure", { id: plot.id }, caption, keys, box);
  place.append(made);
  let points = [];
  let width = 0;

  function redraw() {
    width = Math.floor(box.clientWidth);
    if (width === 0) {
      return;
    }
    const drawing = svg("svg", { width, role: "img", "aria-label": plot.description });
    const result = draw(drawing, width, shown);
    drawing.setAttribute("height", result.height);
    drawing.setAttribute("viewBox", `0 0 ${width} ${result.height}`);
    points = result.points;
    box.replaceChildren(drawing, tip);
    tip.hidden = true;
  }

  legend.forEach((one, index) => {
    const swatch = svg("svg", { width: 26, height: 12, "aria-hidden": "true" }, ...one.swatch());
    const key = element("button", { type: "button", class: "key", "aria-pressed": "true" }, swatch, one.name);
    key.addEventListener("click", () => {
      const on = !shown.delete(index);
      if (on) {
        shown.add(index);
      }
      key.setAttribute("aria-pressed", String(on));
      redraw();
    });
    keys.append(key);
  });

  function point(event) {
    const frame = box.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    let nearest;
    let least = 40 ** 2;
    for (const one of points) {
      const distance = (one.x - x) ** 2 + (one.y - y) ** 2;
      if (distance < least) {
        [nearest, least] = [one, distance];
      }
    }
    if (!nearest) {
      tip.hidden = true;
      return;
    }
    tip.replaceChildren(...nearest.lines.map((text) => element("div", { text })));
    tip.hidden = false;
    const [wide, high] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = `${Math.max(0, Math.min(nearest.x + 10, width - wide))}px`;
    tip.style.top = `${nearest.y - high - 10 < 0 ? nearest.y + 14 : nearest.y - high - 10}px`;
  }
  box.addEventListener("pointermove", point);
  box.addEventListener("pointerdown", point);
  box.addEventListener("pointerleave", () => { tip.hidden = true; });

  new ResizeObserver(() => {
    if (Math.floor(box.clientWidth) !== width) {
      redraw();
    }
  }).observe(box);
  redraw();
  return { redraw, keys, caption };
}

const stroke = (color, dash) => [line(1, 6, 25, 6, {
  stroke: paint(color), "stroke-width": 2.5, "stroke-dasharray": dash && dash[1] > 0 ? dash.join(" ") : undefined,
})];
const filled = (color) => [svg("rect", { x: 7, y: 0, width: 12, height: 12, rx: 2, fill: color })];
// A bar with an outline alone.
const outline = (color) => ({ fill: "var(--paper)", stroke: paint(color), "stroke-width": 2, "stroke-dasharray": "4 2" });
const outlined = (color) => [svg("rect", { x: 8, y: 1, width: 10, height: 10, rx: 2, ...outline(color) })];
const dot = (color) => [svg("circle", { cx: 13, cy: 6, r: 5, fill: paint(color) })];
