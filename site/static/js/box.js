// The visit's GPU box: its address and token (kept in this tab alone), whether it answers, and its runs.
// Event "change" whenever `state` is another: "none", "connecting", "connected" or "lost".

import { diagnose } from "./box_doctor.js";
import { ask, gather, health, sentence } from "./box_facts.js";
import { keep } from "./box_keep.js";
import { Parser, Unreadable } from "./sse.js";

const SILENCE = 3500; // ms without a byte of a run: the box beats every second
const LOOK = 250; // ms between looks at the clock
const WAITING = 3000; // ms between looks at the box while another tab has the line
const BACK = 2000; // ms between looks for a box that was lost

/** The box does not answer any more. */
export class Lost extends Error {}

/** The box refused a run: `status`, `code`, `after` (seconds to wait, or null) and its sentence. */
export class Refused extends Error {
  constructor({ status, code = "", why = "", after = null, field = "" }) {
    super(why);
    Object.assign(this, { status, code, after, field });
  }
}

export class Box extends EventTarget {
  constructor() {
    super();
    this.state = "none";
    this.address = "";
    this.token = "";
    this.machine = null;
    this.finding = null;
    this.turn = 0;
    document.addEventListener("visibilitychange", () => { if (!document.hidden && this.state === "lost") this.#look(); });
  }

  /** Try a box; return the doctor's finding. Where it connects, the tab keeps it. */
  async connect(address, token, asking) {
    const turn = ++this.turn;
    clearTimeout(this.timer);
    this.#set("connecting");
    const finding = diagnose(await this.#facts(address, token, asking));
    if (turn !== this.turn) return finding;
    this.finding = finding;
    if (finding.connected) {
      Object.assign(this, { address, token, machine: this.facts.health.body.machine ?? null, entries: null });
      keep(address, token);
    }
    this.#set(finding.connected ? "connected" : "none");
    return finding;
  }

  async #facts(address, token, asking) {
    this.facts = await gather(address, token, asking);
    return this.facts;
  }

  /** Forget the box, here and in this tab. */
  leave() {
    this.turn++;
    clearTimeout(this.timer);
    keep("", "");
    Object.assign(this, { token: "", machine: null, finding: null, entries: null });
    this.#set("none");
  }

  /** A box that this tab knows does not answer now: wait for it. */
  away(address, token) {
    Object.assign(this, { address, token });
    this.#set("connecting"); // so that whoever looks sees it go
    this.lost();
  }

  /** The experiment of that name as the box describes it, or undefined. `Lost` if it does not answer. */
  async experiment(name) {
    this.entries ??= this.#entries();
    try {
      return (await this.entries).find((entry) => entry?.name === name);
    } catch (reason) {
      this.entries = null;
      throw reason;
    }
  }

  async #entries() {
    try {
      const response = await ask(this.address, "/experiments", { token: this.token, signal: AbortSignal.timeout(SILENCE) });
      if (!response.ok) throw await refusal(response);
      const { experiments } = await response.json();
      return Array.isArray(experiments) ? experiments : [];
    } catch (reason) {
      if (reason instanceof Refused) throw reason;
      this.lost();
      throw new Lost();
    }
  }

  /**
   * Run an experiment: yields {event, data} up to "done" or "failed". One run a browser at a time, so that runs never
   * take all the connections that a browser has for a host (six with HTTP/1.1); `waits` is called if another tab has it.
   * `Refused`, `Lost`, or an AbortError if `signal` says so.
   */
  async *run(experiment, inputs, signal, waits = () => {}) {
    const free = await this.#line(signal, waits);
    const silence = new AbortController();
    let heard = performance.now(), looked = heard, over = false, ended = false;
    const timer = setInterval(() => {
      const now = performance.now();
      if (now - looked > 5 * LOOK + 1000) heard = now; // the page slept, not the box
      looked = now;
      if (now - heard > SILENCE) silence.abort();
    }, LOOK);
    try {
      const response = await ask(this.address, "/runs", {
        token: this.token, method: "POST", body: JSON.stringify({ experiment, inputs }),
        headers: { "Content-Type": "application/json" }, signal: AbortSignal.any([signal, silence.signal]),
      });
      if (!response.ok) throw await refusal(response);
      const reader = response.body.getReader(), parser = new Parser();
      for (;;) {
        const { value, done } = await reader.read();
        ended = done;
        if (done && over) return; // the box ends the stream itself: the line is clean for the next question
        if (done) throw new Lost();
        heard = performance.now();
        for (const { event, data } of parser.push(value)) {
          yield { event, data: JSON.parse(data) };
          over ||= event === "done" || event === "failed";
        }
      }
    } catch (reason) {
      if (signal.aborted || reason instanceof Refused) throw reason;
      if (reason instanceof Unreadable || reason instanceof SyntaxError) throw new Refused({ status: 0, code: "unreadable" });
      this.lost();
      throw new Lost();
    } finally {
      clearInterval(timer);
      if (!ended) silence.abort(); // whoever stops reading ends the run
      free();
    }
  }

  // Wait for this browser's other tabs; a box that stops meanwhile is noticed here too.
  async #line(signal, waits) {
    if (!navigator.locks) return () => {};
    const name = `gpubook-box ${this.address}`, gone = new AbortController();
    const take = (options) => new Promise((resolve, reject) => {
      navigator.locks.request(name, options, (lock) => (lock ? new Promise((free) => resolve(free)) : resolve(null))).catch(reject);
    });
    const free = await take({ ifAvailable: true });
    if (free) return free;
    waits();
    const timer = setInterval(async () => {
      if (typeof (await health(this.address, this.token, WAITING - 1000)) === "string") gone.abort();
    }, WAITING);
    try {
      return await take({ signal: AbortSignal.any([signal, gone.signal]) });
    } catch (reason) {
      if (signal.aborted) throw reason;
      this.lost();
      throw new Lost();
    } finally {
      clearInterval(timer);
    }
  }

  /** The box stopped answering: look for it now and then. */
  lost() {
    if (this.state === "lost" || this.state === "none") return;
    this.entries = null;
    this.#set("lost");
    this.#look();
  }

  #look() {
    clearTimeout(this.timer);
    const turn = this.turn;
    this.timer = setTimeout(async () => {
      if (document.hidden) return; // looked for again when somebody looks
      const told = await health(this.address, this.token, BACK);
      if (turn !== this.turn || this.state !== "lost") return;
      if (typeof told === "string") return this.#look();
      this.facts = { ...this.facts, ping: "box", health: told };
      this.finding = diagnose(this.facts);
      if (this.finding.connected) this.machine = told.body.machine ?? this.machine;
      this.#set(this.finding.connected ? "connected" : "none");
    }, BACK);
  }

  #set(state) {
    const before = this.state;
    this.state = state;
    if (before !== state) this.dispatchEvent(new CustomEvent("change", { detail: { before, state } }));
  }
}

async function refusal(response) {
  const told = await response.json().catch(() => ({}));
  const after = Number(response.headers.get("Retry-After"));
  return new Refused({
    status: response.status, code: String(told?.code ?? ""), why: sentence(told?.why), field: String(told?.field ?? ""),
    after: Number.isFinite(after) && after > 0 ? after : null,
  });
}
