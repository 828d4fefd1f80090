// The page: forms, a worker that answers them, and the address, which holds what was asked. The root element says in
// `data-state` what goes on: starting, ready, running, done, failed, stopped.
"use strict";
(() => {
const root = document.documentElement;
const by = (id) => document.getElementById(id);
const DEMOS = ["logger", "log", "modules", "experiment"];
const sheets = Object.fromEntries(DEMOS.map((demo) => [demo, by(demo)]));
let demo = "logger";
let worker;
let module;
let waiting;
let log;
// The last answer: its experiment, its result as JSON, and its report as HTML.
let answer;

const state = (now) => { root.dataset.state = now; };
state("starting");

// Bytes that stand in the page as gzip in base64.
async function unpacked(id) {
  const packed = Uint8Array.from(atob(by(id).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// Text as base64 that an address can hold, deflated, and back.
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
async function shortened(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
async function lengthened(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

// Starts a worker with the module; resolves with what forms offer.
function start() {
  const source = new Blob([by("worker").textContent], { type: "text/javascript" });
  const address = URL.createObjectURL(source);
  worker = new Worker(address);
  URL.revokeObjectURL(address);
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => {
    event.preventDefault();
    hear({ broken: event.message || "the worker could not start" });
  };
  return ask({ module });
}

function ask(message) {
  return new Promise((resolve, reject) => {
    waiting = { resolve, reject };
    worker.postMessage(message);
  });
}

function hear({ progress, answer: said, note, broken }) {
  if (progress) {
    show(progress);
    return;
  }
  const { resolve, reject } = waiting;
  waiting = undefined;
  if (said) {
    resolve(said);
  } else {
    reject({ note, broken });
  }
}

function show({ step, done, total }) {
  by("progress").max = total;
  by("progress").value = done;
  by("step").textContent = `${Math.floor((100 * done) / total)} %: ${step}`;
}

// What is wrong, at its field where it is one's.
function complain(message, place) {
  const field = place && sheets[demo].elements[place === "file" ? "log" : place];
  const label = field && field.closest("label")?.querySelector("span")?.textContent;
  by("problem").textContent = label ? `${label}: ${message.replace(`${place}: `, "")}` : message;
  by("problem").hidden = false;
  if (field) {
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }
}

function clear() {
  by("problem").hidden = true;
  document.querySelectorAll("[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
}

function fields() {
  const texts = [...new FormData(sheets[demo])].filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts);
}

async function asked() {
  const texts = fields();
  if (demo === "experiment") {
    return { experiment: texts.text, given: [...sheets.experiment.elements.files.files] };
  }
  if (demo === "log") {
    return { form: { demo, ...texts, file: log ? log.name : "" }, given: log ? [log] : [] };
  }
  return { form: { demo, ...texts }, given: [] };
}

// Writes what is asked into the address.
async function remember() {
  const texts = fields();
  const known = demo === "experiment" ? { json: await shortened(texts.text) } : texts;
  if (demo === "log" && log) {
    known.file = log.name;
  }
  history.replaceState(null, "", `#${new URLSearchParams({ demo, ...known })}`);
  by("link").value = location.href;
}

async function run() {
  if (root.dataset.state === "running" || !module) {
    return;
  }
  clear();
  const question = await asked();
  await remember();
  by("answer").hidden = true;
  by("running").hidden = false;
  by("progress").removeAttribute("value");
  by("step").textContent = "Starting";
  state("running");
  try {
    answer = await ask(question);
    window.playground = answer;
    await present();
    state("done");
  } catch (failure) {
    answer = window.playground = undefined;
    if (failure.stopped) {
      complain("Stopped. Nothing was kept.");
      state("stopped");
    } else if (failure.broken) {
      worker.terminate();
      complain(`The laboratory failed and was started again: ${failure.broken}. Please report this with the link to it.`);
      await start().catch(() => {});
      state("failed");
    } else {
      complain(failure.note.message, failure.note.place);
      state("failed");
    }
  }
  by("running").hidden = true;
}

// Shows the report as high as it is.
function present() {
  return new Promise((resolve) => {
    const frame = by("report");
    frame.onload = () => {
      const page = frame.contentDocument;
      const fit = () => { frame.style.height = `${page.body.scrollHeight + 8}px`; };
      new ResizeObserver(fit).observe(page.body);
      fit();
      resolve();
    };
    by("answer").hidden = false;
    by("experiment-json").textContent = answer.experiment;
    frame.srcdoc = answer.html;
  });
}

async function stop() {
  if (!waiting) {
    return;
  }
  worker.terminate();
  const { reject } = waiting;
  const started = start();
  reject({ stopped: true });
  await started;
}

function save(text, name, type) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

function take(file) {
  log = file;
  by("chosen").textContent = `${file.name}, ${file.size.toLocaleString("en")} bytes`;
  clear();
}

// Shows a form, with what the address says; runs it where the address says more than its name.
async function follow() {
  const said = new URLSearchParams(location.hash.slice(1));
  demo = DEMOS.includes(said.get("demo")) ? said.get("demo") : "logger";
  for (const name of DEMOS) {
    sheets[name].hidden = name !== demo;
  }
  for (const link of document.querySelectorAll("nav a")) {
    link.toggleAttribute("aria-current", link.hash === `#demo=${demo}`);
  }
  clear();
  by("answer").hidden = true;
  let full = false;
  for (const [name, value] of said) {
    const field = sheets[demo].elements[name];
    if (name === "json" && demo === "experiment") {
      try {
        sheets.experiment.elements.text.value = await lengthened(value);
        full = true;
      } catch {
        complain("The link is cut off or changed: its experiment cannot be read. Allowed: the whole link.");
      }
    } else if (field && field.type !== "file") {
      field.value = value;
      full = true;
    }
  }
  const named = said.get("file");
  if (demo === "log" && named && named !== log?.name) {
    complain(`This link is about the log ${named}, which stays with its owner: drop it here to see the answer.`);
    return;
  }
  if (full) {
    await run();
  }
}

async function begin() {
  module = await WebAssembly.compile(await unpacked("module"));
  const { choices } = await start();
  by("version").textContent = choices.version;
  by("named").textContent = `Modules: ${choices.modules.join(", ")}. Systems: ${choices.systems.join(", ")}.`;
  const all = choices.systems.flatMap((system) => choices.modules.map((one) => `${one}@${system}`));
  by("targets").append(...all.map((value) => Object.assign(document.createElement("option"), { value })));
  state("ready");
  await follow();
}

for (const sheet of Object.values(sheets)) {
  sheet.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
}
by("stop").addEventListener("click", stop);
by("link").addEventListener("focus", () => by("link").select());
by("save-json").addEventListener("click", () => save(answer.json, "result.json", "application/json"));
by("save-html").addEventListener("click", () => save(answer.html, "report.html", "text/html"));
by("sample").addEventListener("click", async () => take(new File([await unpacked("sample-log")], "fio_lat.1.log")));
sheets.log.elements.log.addEventListener("change", ({ target }) => target.files[0] && take(target.files[0]));
const drop = by("drop");
for (const name of ["dragenter", "dragover"]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  if (event.dataTransfer.files[0]) {
    take(event.dataTransfer.files[0]);
  }
});
addEventListener("hashchange", follow);

begin().catch((failure) => {
  complain(`This browser cannot start the laboratory: ${failure.broken || failure.note?.message || failure.message || failure}. It needs WebAssembly, workers and DecompressionStream, which browsers have since 2023.`);
  state("failed");
});
})();
