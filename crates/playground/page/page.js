// The page: forms, a worker that answers them, and the address, which holds what was asked. The root element says in
// `data-state` what goes on: starting, ready, running, done, failed, stopped.
//
// The last question wins: a run, a link or a stop gives up whatever goes on. Each of them takes a turn, whose number it
// compares after every wait. A worker that is given up is terminated. Requests have numbers through all workers, every message
// says of which it is, and messages of another than the one that is waited for are dropped.
"use strict";
(() => {
const root = document.documentElement;
const by = (id) => document.getElementById(id);
const DEMOS = ["logger", "log", "modules", "experiment"];
const sheets = Object.fromEntries(DEMOS.map((demo) => [demo, by(demo)]));
let demo = "logger";
let worker;
let module;
// Resolves with what forms offer when the worker has the module; undefined where no worker is of use.
let ready;
// Number and promise of the request that the worker has.
let waiting;
let requests = 0;
// The request with which the worker was started.
let starting;
let turn = 0;
let begun = false;
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
// No experiment is longer; a few letters of a link may stand for gigabytes.
const LONGEST = 1 << 20;
async function lengthened(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let long = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    long += decoder.decode(part.value, { stream: true });
    if (long.length > LONGEST) {
      await reader.cancel();
      throw new Error("too long");
    }
  }
  return long + decoder.decode();
}

// Starts a worker with the module; resolves with what forms offer.
function start() {
  const source = new Blob([by("worker").textContent], { type: "text/javascript" });
  const address = URL.createObjectURL(source);
  const made = new Worker(address);
  URL.revokeObjectURL(address);
  worker = made;
  made.onmessage = ({ data }) => hear(data);
  made.onerror = (event) => {
    event.preventDefault();
    if (made === worker) {
      hear({ number: waiting?.number, broken: event.message || "the worker could not start" });
    }
  };
  ready = ask({ module });
  starting = waiting.number;
  // A failure that no run waits for is shown by the next run.
  ready.catch(() => {});
  return ready;
}

function ask(message) {
  requests += 1;
  const number = requests;
  return new Promise((resolve, reject) => {
    waiting = { number, resolve, reject };
    worker.postMessage({ ...message, number });
  });
}

function hear({ number, progress, answer: said, note, broken }) {
  if (number === undefined || number !== waiting?.number) {
    return;
  }
  if (progress) {
    show(progress);
    return;
  }
  const { resolve, reject } = waiting;
  waiting = undefined;
  if (broken) {
    worker.terminate();
    ready = undefined;
  }
  if (said) {
    resolve(said);
  } else {
    reject({ note, broken });
  }
}

// Begins another turn. A run that goes on is given up with its worker; one that rests, or is still starting, is kept.
function take_turn() {
  turn += 1;
  if (waiting && waiting.number !== starting) {
    worker.terminate();
    start();
  }
  answer = window.playground = undefined;
  by("answer").hidden = true;
  by("running").hidden = true;
  clear();
  return turn;
}

function show({ step, done, total }) {
  by("progress").max = total;
  by("progress").value = done;
  by("step").textContent = `${Math.floor((100 * done) / total)} %: ${step}`;
}

// What is wrong, at its field where it is one's.
function complain(message, place) {
  const field = place && sheets[demo].elements.namedItem(place === "file" ? "log" : place);
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

// What the form asks now, for the worker, and what an address says of it.
function asked() {
  const texts = fields();
  if (demo === "experiment") {
    return {
      question: { experiment: texts.text, given: [...sheets.experiment.elements.files.files] },
      known: async () => ({ json: await shortened(texts.text) }),
    };
  }
  if (demo === "log") {
    return {
      question: { form: { demo, ...texts, file: log ? log.name : "" }, given: log ? [log] : [] },
      known: async () => (log ? { ...texts, file: log.name } : texts),
    };
  }
  return { question: { form: { demo, ...texts }, given: [] }, known: async () => texts };
}

async function run() {
  if (!begun) {
    return;
  }
  const mine = take_turn();
  const of = demo;
  const { question, known } = asked();
  by("running").hidden = false;
  by("progress").removeAttribute("value");
  by("step").textContent = "Starting";
  state("running");
  try {
    const address = new URLSearchParams({ demo: of, ...(await known()) });
    if (mine !== turn) {
      return;
    }
    history.replaceState(null, "", `#${address}`);
    by("link").value = location.href;
    await (ready ?? start());
    if (mine !== turn) {
      return;
    }
    const said = await ask(question);
    if (mine !== turn) {
      return;
    }
    answer = window.playground = said;
    await present();
    if (mine !== turn) {
      return;
    }
    state("done");
  } catch (failure) {
    if (mine !== turn) {
      return;
    }
    if (failure.note) {
      complain(failure.note.message, failure.note.place);
    } else {
      const said = failure.broken || failure.message || failure;
      complain(`The laboratory failed and is started again: ${said}. Please report this with the link to it.`);
    }
    state("failed");
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

function stop() {
  if (root.dataset.state !== "running") {
    return;
  }
  take_turn();
  complain("Stopped. Nothing was kept.");
  state("stopped");
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
  const mine = take_turn();
  state("starting");
  const said = new URLSearchParams(location.hash.slice(1));
  demo = DEMOS.includes(said.get("demo")) ? said.get("demo") : "logger";
  for (const name of DEMOS) {
    sheets[name].hidden = name !== demo;
  }
  for (const link of document.querySelectorAll("nav a")) {
    link.toggleAttribute("aria-current", link.hash === `#demo=${demo}`);
  }
  let full = false;
  for (const [name, value] of said) {
    const field = sheets[demo].elements.namedItem(name);
    if (name === "json" && demo === "experiment") {
      const text = await lengthened(value).catch(() => undefined);
      if (mine !== turn) {
        return;
      }
      if (text !== undefined) {
        sheets.experiment.elements.text.value = text;
        full = true;
      } else {
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
    full = false;
  }
  state("ready");
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
  begun = true;
  addEventListener("hashchange", follow);
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

begin().catch((failure) => {
  complain(`This browser cannot start the laboratory: ${failure.broken || failure.note?.message || failure.message || failure}. It needs WebAssembly, workers and DecompressionStream, which browsers have since 2023.`);
  state("failed");
});
})();
