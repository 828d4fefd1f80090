// Makes one plot of a page a picture of its own: the answer, the legend and the drawing, with the styles that they use, for
// light and dark. `scripts/plot` puts `PLOT` in front and reads the picture back.
addEventListener("load", async () => {
  const root = document.documentElement;
  while (!root.dataset.ready) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const drawn = () => document.querySelector(`#${PLOT} .plot svg[role=img]`);
  for (const tab of document.querySelectorAll("[role=tab]")) {
    if (!drawn()) {
      tab.click();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const drawing = drawn();
  const width = Number(drawing.getAttribute("width"));
  const MARGIN = 12;
  const space = "http://www.w3.org/2000/svg";
  const made = (name, attributes, ...children) => {
    const one = document.createElementNS(space, name);
    Object.entries(attributes).forEach(([key, value]) => one.setAttribute(key, value));
    one.append(...children);
    return one;
  };
  const measuring = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  // A picture of a page's plot may be shown with other fonts than were measured.
  const ROOM = 0.92;
  function lines(text, font) {
    measuring.font = `${font} ${family}`;
    return text.trim().split(/\s+/).reduce((all, word) => {
      const longer = `${all[all.length - 1]} ${word}`;
      return measuring.measureText(longer).width <= width * ROOM ? [...all.slice(0, -1), longer] : [...all, word];
    }, [""]).map((line) => line.trim()).filter(Boolean);
  }
  const picture = made("svg", { xmlns: space, class: "plot", role: "img" });
  let y = 0;
  function words(selector, kind, font, high) {
    for (const line of lines(document.querySelector(selector)?.textContent || "", font)) {
      y += high;
      picture.append(made("text", { x: 0, y, class: kind }, line));
    }
  }
  words(".question", "asked", "13px", 18);
  words("h1", "answer", "600 16px", 22);
  y += 12;
  // The legend as it flows on the page.
  const keys = [...document.querySelectorAll(`#${PLOT} .key`)].filter((key) => key.getBoundingClientRect().width > 0);
  const left = drawing.getBoundingClientRect().left;
  const top = Math.min(...keys.map((key) => key.getBoundingClientRect().top));
  let end = y;
  for (const key of keys) {
    const [box, swatch] = [key.getBoundingClientRect(), key.querySelector("svg").getBoundingClientRect()];
    const sign = made("g", { transform: `translate(${swatch.left - left} ${y + swatch.top - top})` });
    sign.append(...[...key.querySelector("svg").childNodes].map((one) => one.cloneNode(true)));
    picture.append(sign, made("text", { x: swatch.right - left + 6, y: y + box.top - top + box.height / 2 + 4 }, key.textContent));
    end = y + box.bottom - top;
  }
  y = end + 8;
  const body = made("g", { transform: `translate(0 ${y})` });
  body.append(...[...drawing.childNodes].map((one) => one.cloneNode(true)));
  picture.append(body);
  y += Number(drawing.getAttribute("height"));
  words(`#${PLOT} .missing`, "missing", "12px", 16);
  const [wide, high] = [width + 2 * MARGIN, Math.ceil(y) + 2 * MARGIN];
  picture.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${wide} ${high}`);
  picture.setAttribute("width", wide);
  picture.setAttribute("height", high);

  // Colours by name for both schemes, and the rules of what is drawn.
  const [light, dark, rules] = [[], [], []];
  for (const rule of document.styleSheets[0].cssRules) {
    if (rule.selectorText === ":root") {
      for (const name of rule.style) {
        const both = rule.style.getPropertyValue(name).trim().match(/^light-dark\((.*), (.*)\)$/);
        if (both && picture.outerHTML.includes(name) || /^--(paper|ink|soft|rule|pass|open|fail)$/.test(name)) {
          light.push(`${name}:${both[1]}`);
          dark.push(`${name}:${both[2]}`);
        }
      }
    } else if (/^\.(plot \.|plot text|mark)/.test(rule.selectorText || "")) {
      rules.push(rule.cssText.replaceAll(".plot ", ""));
    }
  }
  const style = `svg{${light.join(";")};background:var(--paper);font-family:${family.replaceAll('"', "'")}}
@media(prefers-color-scheme:dark){svg{${dark.join(";")}}}
${rules.join("\n")}
.asked{font-size:13px}
.answer{font-size:16px;font-weight:600;fill:var(--ink)}`;
  picture.prepend(made("style", {}, style));
  picture.prepend(made("title", {}, document.title));
  document.body.replaceChildren(Object.assign(document.createElement("pre"), {
    id: "picture", textContent: new XMLSerializer().serializeToString(picture),
  }));
});
