// Moves a slider through some of its places and says the verdict of every candidate at each: `SLIDER` and `STEPS` are put
// in front.
addEventListener("load", async () => {
  while (!document.documentElement.dataset.ready) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const all = document.querySelector("#short button.more");
  if (!all.hidden) {
    all.click();
  }
  const slider = document.getElementById(`slider-${SLIDER}`);
  const last = Number(slider.max);
  const asked = [];
  for (let step = 0; step < STEPS; step += 1) {
    slider.value = String(Math.round((last * step) / Math.max(1, STEPS - 1)));
    slider.dispatchEvent(new Event("input"));
    const verdicts = {};
    for (const line of document.querySelectorAll("#short tbody tr")) {
      const cells = [...line.querySelectorAll("[data-verdict]")];
      verdicts[line.dataset.target] = cells.map((cell) => ({ pass: cell.dataset.pass, text: cell.textContent }));
    }
    asked.push({ value: slider.dataset.value, said: slider.getAttribute("aria-valuetext"), verdicts });
  }
  parent.postMessage(JSON.stringify(asked), "*");
});
