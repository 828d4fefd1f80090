// Runs one experiment in the playground's module and by the command, and says what processor time each took. The time to
// start, compile the module and read the catalogue is not counted on either side.
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const [wasm, command, file] = process.argv.slice(2);
const decoder = new TextDecoder();
let engine;
const text = (at, length) => decoder.decode(new Uint8Array(engine.memory.buffer, at, length));
const imports = { wordline: {
  progress() {},
  file_bytes: () => -1,
  file_read: () => -1,
  panicked: (at, length) => console.error(text(at, length)),
} };
function call(verb, input) {
  const bytes = Buffer.from(input);
  // Room first: to make it the memory may grow, and then has another buffer.
  const room = engine.wordline_input(bytes.length);
  new Uint8Array(engine.memory.buffer, room, bytes.length).set(bytes);
  const status = engine[`wordline_${verb}`]();
  const output = text(engine.wordline_output(), engine.wordline_output_bytes());
  if (status !== 0) {
    throw new Error(output);
  }
  return output;
}
const user = () => process.cpuUsage().user / 1e6;
// Processor seconds of a native process and its start, of which the latter is taken off.
function native(words) {
  const script = `TIMEFORMAT=%U; time "${command}" "$@" 2>/dev/null`;
  const ran = spawnSync("bash", ["-c", script, "bash", ...words], { maxBuffer: 2 ** 30 });
  return { seconds: Number(ran.stderr.toString().trim()), out: ran.stdout.toString() };
}
(async () => {
  engine = (await WebAssembly.instantiate(fs.readFileSync(wasm), imports)).instance.exports;
  call("begin", "");
  const experiment = fs.readFileSync(file, "utf8");
  // The first run compiles what it needs, as the first one in a page does; the second is what the code is worth.
  const runs = [0, 1].map(() => {
    const begun = user();
    call("run", experiment);
    return user() - begun;
  });
  const json = call("result", "json");
  const base = native(["run", file, "--print-experiment"]).seconds;
  const taken = [0, 1].map(() => native(["run", file, "--format", "json", "--quiet", "--threads", "1"]));
  const seconds = Math.min(...taken.map((one) => one.seconds)) - base;
  const name = file.replace(/.*\//, "").replace(".json", "");
  const same = taken[0].out === json ? "same bytes" : "OTHER BYTES";
  console.log(`${name}: native ${seconds.toFixed(2)} s, module ${runs[0].toFixed(2)} s and again ${runs[1].toFixed(2)} s, ` +
    `ratio ${(seconds / runs[0]).toFixed(2)} and ${(seconds / runs[1]).toFixed(2)}, ${same}`);
})();
