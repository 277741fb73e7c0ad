// Python for the whole visit, in a SharedWorker (or a plain worker): starts Pyodide once from this
// site's own files and hands every page's messages, one at a time, to widgets.session.
// Its address names the manifest by content hash, so old and new builds never share a worker.

const UNHEARD = 60_000; // ms until a worker that failed ends, whoever has not heard of it: pages give it up before

const ports = new Set();
const state = { part: 0, failed: null };
let handle = null; // (text) => text, once Python is up

const tell = (port, message) => port.postMessage(message);
const tellAll = (message) => ports.forEach((port) => tell(port, message));

// A file that does not come ends the start at once, whatever Pyodide makes of it.
function fail(reason) {
  if (state.failed) return;
  state.failed = reason;
  tellAll({ failed: reason });
  // The next page, or a retry, begins anew. Not before all have heard it: what a busy page has not read goes with the worker.
  setTimeout(() => self.close(), UNHEARD);
}

function heard(port) {
  ports.delete(port);
  if (!ports.size) self.close();
}

const fileOf = (address) => String(address).split("?")[0].split("/").pop();

function watchFetch() {
  const plain = self.fetch.bind(self);
  self.fetch = async (input, init) => {
    const file = fileOf(input.url ?? input);
    try {
      const response = await plain(input, init);
      if (!response.ok && !file.endsWith(".gz")) fail({ file, status: String(response.status) });
      return response;
    } catch (reason) {
      fail({ file, status: String(reason?.message ?? reason) });
      throw reason;
    }
  };
}

function progress(part) {
  state.part = part;
  tellAll({ progress: part, of: 4 });
}

// A host that compresses nothing gets the .gz sibling, opened here.
function openSiblings(base) {
  const plain = self.fetch.bind(self);
  self.fetch = async (input, init) => {
    const url = new URL(input.url ?? input, self.location.href);
    if (!url.href.startsWith(base)) return plain(input, init);
    const { integrity, ...rest } = init ?? {}; // the hash is of the opened bytes
    const packed = await plain(url.href + ".gz", rest);
    if (!packed.ok) return plain(input, init);
    if (packed.headers.get("content-encoding")) return packed;
    const type = url.pathname.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    const body = packed.body.pipeThrough(new DecompressionStream("gzip"));
    return new Response(body, { headers: { "content-type": type } });
  };
}

async function bytes(url, sha256) {
  const integrity = sha256 && `sha256-${btoa(String.fromCharCode(...sha256.match(/../g).map((byte) => parseInt(byte, 16))))}`;
  return (await fetch(url, integrity ? { integrity } : {})).arrayBuffer();
}

// Importing makes what lasts: looking for garbage in it takes a twentieth of the time, now and at every later round.
const BEGIN = `
import gc, sys
from pathlib import Path
gc.disable()
sys.path.insert(0, "/book")
from widgets.session import Session
session = Session(Path("/book/book"))
gc.freeze()
gc.enable()
`;

async function start() {
  const address = new URL(new URL(self.location.href).searchParams.get("manifest"), self.location.href);
  watchFetch();
  const answer = await fetch(address);
  const manifest = await answer.json();
  const at = (name) => new URL(name, address);
  if (!answer.headers.get("content-encoding")) openSiblings(at(".").href);
  progress(1);
  // NumPy too: Pyodide would ask for it only once it runs itself
  const wheels = Object.values(manifest.lock.packages).map(({ file_name: name, sha256 }) => bytes(at(manifest.packages + name), sha256));
  const archives = Promise.all([bytes(at(manifest.libs)), bytes(at(manifest.book)), ...wheels]);
  archives.catch(() => {}); // reported below, after Pyodide
  const { loadPyodide } = await import(at(manifest.pyodide + "pyodide.mjs").href);
  const python = await loadPyodide({
    indexURL: at(manifest.pyodide).href,
    stdLibURL: at(manifest.stdlib).href,
    lockFileContents: JSON.stringify(manifest.lock),
    packageBaseUrl: at(manifest.packages).href,
  });
  progress(2);
  const [libs, book, ...packages] = await archives;
  const site = python.runPython("import site; site.getsitepackages()[0]");
  for (const archive of [libs, ...packages]) python.unpackArchive(archive, "zip", { extractDir: site });
  python.unpackArchive(book, "zip", { extractDir: "/book" });
  progress(3);
  // synchronous on purpose: see "Crash with JSPI and heavy imports", pyodide issue 6106
  python.runPython(BEGIN);
  const call = python.globals.get("session").handle;
  handle = (text) => call(text);
  self.heap = () => python._module.HEAPU8.length;
  progress(4);
}

const starting = start().catch((reason) => {
  const text = String(reason?.message ?? reason).trim();
  const module = text.match(/imported module: (\S+)/)?.[1];
  fail(module ? { file: fileOf(module), status: "" } : { text: text.split("\n").pop() });
});

let line = starting; // one message at a time, in the order they came
function receive(port, { data }) {
  if (data.verb === "ping") return tell(port, { pong: data.n });
  if (data.verb === "hello") return welcome(port, data.page);
  if (data.verb === "heard") return heard(port);
  line = line.then(() => {
    if (!handle || state.failed) return tell(port, { seq: data.seq, answer: JSON.stringify({ failed: state.failed }) });
    if (data.verb === "heap") return tell(port, { seq: data.seq, answer: JSON.stringify({ heap: self.heap() }) });
    tell(port, { seq: data.seq, answer: handle(JSON.stringify(data.message)) });
  }).catch((reason) => {
    tell(port, { seq: data.seq, answer: JSON.stringify({ failed: String(reason?.message ?? reason) }) });
  });
}

function welcome(port, page) {
  tell(port, { progress: state.part, of: 4 });
  if (state.failed) tell(port, { failed: state.failed });
  // The page holds a lock of its name while it lives; getting it means that the page is gone.
  navigator.locks?.request(page, () => {
    ports.delete(port);
    line = line.then(() => handle?.(JSON.stringify({ verb: "close", page })));
  });
}

function join(port) {
  ports.add(port);
  port.onmessage = (event) => receive(port, event);
  port.start?.();
}

if ("onconnect" in self) self.onconnect = (event) => join(event.ports[0]);
else join(self);
