// Runs experiments beside the page. It is given the compiled module once, and then one experiment at a time. The page
// terminates it to stop a run. A request has a number, and every message about it says that number. After a failure of the
// module itself (`broken`) the worker is of no more use.
"use strict";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
let engine;
let panic = "";
let files = new Map();
let shown = 0;
// The number of the request under way.
let number;

const text = (at, length) => decoder.decode(new Uint8Array(engine.memory.buffer, at, length));

// Progress is shown ten times a second at most; what is not shown is not even read.
function report(step, done, total) {
  const now = performance.now();
  if (now - shown > 100) {
    shown = now;
    postMessage({ number, progress: { step: step(), done, total } });
  }
}

const imports = {
  wordline: {
    progress(step, length, done, total) {
      if (total > 0) {
        report(() => text(step, length), done, total);
      }
    },
    file_bytes: (name, length) => files.get(text(name, length))?.size ?? -1,
    file_read(name, length, at, out, most) {
      const file = files.get(text(name, length));
      try {
        const part = new FileReaderSync().readAsArrayBuffer(file.slice(at, at + most));
        new Uint8Array(engine.memory.buffer, out, part.byteLength).set(new Uint8Array(part));
        report(() => `reading ${file.name}`, at, file.size);
        return part.byteLength;
      } catch {
        return -1;
      }
    },
    panicked(at, length) {
      panic = text(at, length);
    },
  },
};

// Calls a verb of the module with a text; its output, or a thrown note of what is wrong.
function call(verb, input) {
  const bytes = encoder.encode(input);
  // Room first: to make it the memory may grow, and then has another buffer.
  const room = engine.wordline_input(bytes.length);
  new Uint8Array(engine.memory.buffer, room, bytes.length).set(bytes);
  const status = engine[`wordline_${verb}`]();
  const output = text(engine.wordline_output(), engine.wordline_output_bytes());
  if (status !== 0) {
    throw { note: JSON.parse(output) };
  }
  return output;
}

async function answer({ module, form, experiment, given }) {
  if (module) {
    engine = (await WebAssembly.instantiate(module, imports)).exports;
    return { choices: JSON.parse(call("begin", "")) };
  }
  files = new Map(given.map((file) => [file.name, file]));
  const asked = form ? call("form", JSON.stringify(form)) : experiment;
  const begun = performance.now();
  const whole = call("run", asked);
  const seconds = (performance.now() - begun) / 1000;
  return { experiment: whole, json: call("result", "json"), html: call("result", "html"), seconds };
}

onmessage = async ({ data }) => {
  number = data.number;
  try {
    postMessage({ number, answer: await answer(data) });
  } catch (error) {
    if (error.note) {
      postMessage({ number, note: error.note });
      return;
    }
    const memory = engine ? Math.round(engine.memory.buffer.byteLength / 2 ** 20) : 0;
    const said = panic || `${error.message || error}, with ${memory} MiB of memory in use; a page has 4096 MiB at most`;
    postMessage({ number, broken: said });
  }
};
