// The page's line to Python: finds or starts the worker, numbers messages, notices when it is dead.
// Events: "state" (detail: {state: "starting"|"live"|"failed", part, of, reason}), "restarted".

const WATCH = 2000; // ms between looks
const SILENCE = 30_000; // ms without any sign of life while starting
const FIRST = 10_000; // ms for a worker's first word, which it says before it begins: one that is on its way out says none
const STALL = 120_000; // ms without the next part of the start: a slow line still brings one file in that time
const DEADLINE = 12_000; // ms for one answer once live: the slowest action takes a tenth of a second

export class Engine extends EventTarget {
  constructor(config) {
    super();
    this.config = config;
    this.page = `page-${crypto.randomUUID?.() ?? Math.random().toString(36).slice(2)}`;
    this.waiting = new Map();
    this.seq = 0;
    this.state = "idle";
    this.part = 0;
    this.restarts = 0;
  }

  // ------------------------------------------------------------------ life

  start() {
    if (this.state === "starting" || this.state === "live") return;
    this.#set("starting", { part: 0, of: 4 });
    this.heard = this.moved = performance.now();
    // held until the page is gone: the worker asks for it to learn of that
    this.held = new Promise((held) => {
      if (!navigator.locks) return held();
      navigator.locks.request(this.page, () => { held(); return new Promise((release) => { this.release = release; }); });
    });
    this.#connect();
    this.looked = performance.now();
    this.timer ??= setInterval(() => this.#watch(), WATCH);
  }

  retry() {
    this.restarts = 0;
    this.#replace();
  }

  leave() {
    this.release?.();
    clearInterval(this.timer);
    this.timer = null;
    this.port?.close?.();
    this.plain?.terminate();
    this.port = null;
    this.state = "idle";
    this.#drop("left"); // what was not answered stays queued for when the page comes back
  }

  // -------------------------------------------------------------- messages

  send(message) {
    return new Promise((resolve, reject) => {
      const seq = ++this.seq;
      this.waiting.set(seq, { resolve, reject, since: performance.now() });
      this.#post({ verb: "message", seq, message: { page: this.page, lang: this.config.lang, ...message } });
    });
  }

  heap() {
    return new Promise((resolve, reject) => {
      const seq = ++this.seq;
      this.waiting.set(seq, { resolve, reject, since: performance.now() });
      this.#post({ verb: "heap", seq });
    });
  }

  #post(data) { this.port?.postMessage(data); }

  #connect() {
    this.generation = bookPython.generation();
    const plain = () => {
      try {
        this.plain = new Worker(...bookPython.worker());
        this.plain.onerror = (event) => this.#fail(event.message || this.config.words.noWorker);
        this.#attach(this.plain);
      } catch (reason) {
        this.#fail(String(reason?.message ?? reason));
      }
    };
    if (typeof SharedWorker === "undefined") return plain();
    try {
      const shared = bookPython.shared();
      shared.onerror = () => { if (this.port === shared.port) plain(); };
      this.#attach(shared.port);
      shared.port.start();
    } catch {
      plain(); // no module SharedWorkers here, or forbidden
    }
  }

  #attach(port) {
    this.port = port;
    this.spoke = false;
    port.onmessage = ({ data }) => { if (this.port === port) this.#receive(data); };
    // Not before the lock is held: a warm worker that asks for it first would take this page for gone.
    this.held.then(() => port.postMessage({ verb: "hello", page: this.page }));
  }

  #receive(data) {
    this.heard = performance.now();
    this.spoke = true;
    if (data.failed) {
      this.#post({ verb: "heard" });
      return this.#fail(this.#sentence(data.failed));
    }
    if (data.progress !== undefined) {
      this.moved = this.heard;
      if (data.progress === data.of) this.#set("live", {});
      else if (this.state !== "live") this.#set("starting", { part: data.progress, of: data.of });
      return;
    }
    const wait = this.waiting.get(data.seq);
    if (!wait) return;
    this.waiting.delete(data.seq);
    const answer = JSON.parse(data.answer);
    if (answer.failed) wait.reject(new Error(this.#sentence(answer.failed)));
    else {
      this.restarts = 0;
      wait.resolve(answer);
    }
  }

  #sentence(failed) {
    const { words } = this.config;
    if (!failed.file) return failed.text ? `${words.noWorker} ${failed.text}` : String(failed);
    return words.noFile.replace("{file}", failed.file).replace("{status}", failed.status ? ` (${failed.status})` : "");
  }

  #watch() {
    if (this.state !== "starting" && this.state !== "live") return;
    this.#post({ verb: "ping", n: ++this.seq });
    const now = performance.now();
    const slept = now - this.looked > 5 * WATCH; // a closed lid, a frozen tab: nobody was silent
    this.looked = now;
    if (slept) {
      this.heard = this.moved = now;
      for (const wait of this.waiting.values()) wait.since = now;
      return;
    }
    const oldest = Math.min(...[...this.waiting.values()].map((wait) => wait.since), Infinity);
    const silent = now - this.heard;
    const stuck = this.state === "live" && now - oldest > DEADLINE && silent > DEADLINE;
    const stalled = this.state === "starting" && now - this.moved > STALL;
    const mute = !this.spoke && !this.restarts && silent > FIRST;
    if (!stuck && !stalled && !mute && silent < SILENCE) return;
    if (++this.restarts > 2) this.#fail(this.config.words.silent);
    else this.#replace();
  }

  #replace() {
    this.#drop("restarted");
    this.port?.close?.();
    this.plain?.terminate();
    this.plain = null;
    this.#another();
    this.heard = this.moved = performance.now();
    this.#set("starting", { part: 0, of: 4 });
    this.dispatchEvent(new Event("restarted"));
    this.#connect();
  }

  #another() {
    if (bookPython.generation() === this.generation) bookPython.nextGeneration(); // another tab may have been first
  }

  #drop(reason) {
    const waits = [...this.waiting.values()];
    this.waiting.clear();
    for (const wait of waits) wait.reject(Object.assign(new Error(reason), { dropped: true }));
  }

  #fail(reason) {
    this.#drop(reason);
    this.port = null;
    this.#another(); // the next page must not wait for a worker that is on its way out
    this.#set("failed", { reason });
  }

  #set(state, detail) {
    this.state = state;
    this.detail = { state, ...detail };
    this.dispatchEvent(new CustomEvent("state", { detail: this.detail }));
  }
}
