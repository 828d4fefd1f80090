// Draws the plots. Each is drawn by itself, so that one that fails leaves the others standing; the
// root element says how many were drawn and how many failed, for whoever tests the page.
"use strict";
(() => {
  const root = document.documentElement;
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    // Expressions are interpreted: the page's policy forbids making code from text.
    ast: true,
    actions: { export: true, source: false, compiled: false, editor: false },
  };

  async function draw({ id, spec }) {
    const place = document.getElementById(id);
    try {
      await vegaEmbed(place, spec, { ...options, downloadFileName: id });
      return true;
    } catch (error) {
      place.textContent = `This plot could not be drawn: ${error.message || error}`;
      place.classList.add("failed");
      return false;
    }
  }

  root.classList.add("scripted");
  Promise.all(plots.map(draw)).then((results) => {
    const drawn = results.filter(Boolean).length;
    if (drawn < plots.length) {
      root.dataset.plotsFailed = String(plots.length - drawn);
    }
    root.dataset.plots = String(drawn);
  });

  // Paper cannot be unfolded.
  const folded = () => [...document.querySelectorAll("main details")];
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = folded().filter((one) => !one.open);
    opened.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => {
    opened.forEach((one) => { one.open = false; });
  });
})();
