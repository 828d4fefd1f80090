// Opens every tab and says what is wrong with how the page looks: what is cut, what lies over each other, what moves the
// page sideways; and where its first screen ends.
addEventListener("load", async () => {
  const root = document.documentElement;
  while (!root.dataset.ready) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const faults = [];
  const within = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1
    && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  function look(where) {
    if (root.scrollWidth > innerWidth) {
      faults.push(`${where}: the page is ${root.scrollWidth} wide`);
    }
    for (const drawing of document.querySelectorAll(".plot > svg")) {
      const frame = drawing.getBoundingClientRect();
      if (frame.width === 0) {
        continue;
      }
      const texts = [...drawing.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
      texts.forEach(([text, box], index) => {
        if (!within(box, frame)) {
          faults.push(`${where}: "${text}" leaves its plot`);
        }
        for (const [other, its] of texts.slice(index + 1)) {
          const wide = Math.min(box.right, its.right) - Math.max(box.left, its.left);
          const high = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
          if (wide > 1 && high > 4) {
            faults.push(`${where}: "${text}" lies over "${other}"`);
          }
        }
      });
    }
    const whole = "h1, .kicker, .question, .state, .note, .key, .axes select, button, output, figcaption, li, caption span";
    for (const one of document.querySelectorAll(whole)) {
      const box = one.getBoundingClientRect();
      if (box.width > 0 && (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)) {
        faults.push(`${where}: "${one.textContent.slice(0, 60)}" is cut`);
      }
      if (box.width > 0 && !one.closest(".scroll") && (box.left < -1 || box.right > innerWidth + 1)) {
        faults.push(`${where}: "${one.textContent.slice(0, 60)}" leaves the page`);
      }
    }
  }
  const front = document.querySelector("#front-plot svg[role=img]");
  const ends = { sentence: document.querySelector("h1").getBoundingClientRect().bottom, plot: front ? front.getBoundingClientRect().bottom : 0 };
  look("first screen");
  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const tab of tabs) {
    tab.click();
    await new Promise((resolve) => setTimeout(resolve, 50));
    look(tab.textContent);
  }
  const background = getComputedStyle(document.body).backgroundColor;
  parent.postMessage(JSON.stringify({
    faults: faults.slice(0, 20), ends, tabs: tabs.map((tab) => tab.textContent), plots: Number(root.dataset.plots),
    failed: root.dataset.plotsFailed || null, ready_ms: Number(root.dataset.ready), background,
    marks: document.querySelectorAll("svg[role=img] :is(path, rect, circle)").length,
  }), "*");
});
