// The panel "Measure it on a GPU" of a figure: a run on the box, its rows as they come, and what the figure makes of them.

import { Lost, Refused } from "./box.js";
import { box, gpu, resume } from "./box_visit.js";
import { fill, make } from "./dom.js";
import { Form } from "./measure_form.js";
import { Rows } from "./measure_rows.js";
import { missing } from "./missing.js";

const OFTEN = 250; // ms between partial records for Python
const SPOKEN = 5000; // ms between rows that a screen reader is told of

export class Panel {
  /** `element` holds the fold with its summary already; `card` is the figure's. */
  constructor(element, card, engine, config) {
    Object.assign(this, { element, card, config, words: config.box, name: element.dataset.experiment });
    this.run = { phase: "idle" };
    this.absent = ""; // what is said of a script that did not come
    this.rows = new Rows(this.name, this.words);
    this.#build();
    card.element.addEventListener("shown", () => this.#strip());
    box.addEventListener("change", ({ detail }) => this.#boxChanged(detail));
    engine.addEventListener("restarted", () => { if (this.record) this.card.act({ live: this.record, quiet: true }); });
    addEventListener("pagehide", () => this.#stop());
    if (this.fold.open) this.#open();
    else this.#show();
  }

  #build() {
    const { words } = this;
    const button = (name, kind, act) => make("button", { type: "button", className: kind, "data-measure": name, onclick: act }, words[name]);
    this.brief = make("span", { className: "brief" });
    this.connect = button("connect", "btn", () => this.#dialog());
    this.start = button("start", "btn main", () => this.#start());
    this.stop = button("stop", "btn", () => this.#stop());
    this.again = button("tryAgain", "btn", () => this.#retry());
    this.why = button("whatIsWrong", "quietly", () => this.#dialog());
    this.export = button("export", "btn", () => this.#export());
    this.remove = button("remove", "quietly", () => this.#remove());
    this.controls = make("div");
    this.sign = make("span", { className: "dia", "aria-hidden": "true" });
    this.say = make("span");
    this.aloud = make("span", { className: "sr", role: "status" });
    this.fold = this.element.querySelector("details");
    this.fold.querySelector("summary").append(this.brief);
    this.fold.append(make("div", { className: "in" },
      this.controls,
      make("div", { className: "row" }, this.start, this.stop, this.again, this.connect, make("p", { className: "measure-say" }, this.sign, this.say), this.why, this.aloud),
      this.rows.element,
      make("div", { className: "row after" }, this.export, this.remove)));
    this.fold.addEventListener("toggle", () => { if (this.fold.open) this.#open(); });
  }

  // ------------------------------------------------------------------------------------------ what it shows

  get busy() { return ["waiting", "asked", "queued", "started", "running"].includes(this.run.phase); }

  #phase(phase, told = {}) {
    this.run = { ...this.run, phase, ...told };
    this.#show();
  }

  // Whoever pressed a button that goes is on the one that takes its place.
  #show() {
    const buttons = [this.stop, this.start, this.again, this.connect];
    const usable = (button) => !button.hidden && !button.disabled;
    const focused = buttons.includes(document.activeElement);
    this.#draw();
    if (focused && !buttons.some((button) => usable(button) && button === document.activeElement)) buttons.find(usable)?.focus();
  }

  #draw() {
    const { busy } = this;
    const { phase } = this.run;
    const there = box.state === "connected";
    const usable = there && Boolean(this.form);
    this.start.hidden = busy || !there || ["lost", "full"].includes(phase);
    this.start.disabled = !usable;
    this.start.textContent = this.rows.rows.length ? this.words.runAgain : this.words.start;
    this.stop.hidden = !busy;
    this.again.hidden = busy || !(box.state === "lost" || (there && ["lost", "full"].includes(phase)));
    this.connect.hidden = busy || there || box.state === "lost";
    this.connect.disabled = box.state === "connecting";
    this.why.hidden = box.state !== "lost" && !(box.state === "none" && box.finding);
    this.controls.hidden = !there;
    this.form?.disable(busy);
    this.export.hidden = !this.final;
    this.remove.hidden = busy || !this.rows.rows.length;
    this.element.dataset.phase = busy || there ? phase : box.state;
    this.#say();
    this.#strip();
  }

  #sentence() {
    const { words, run } = this;
    const name = gpu() || words.noGpu;
    const n = this.rows.rows.length;
    const of = run.points ?? null;
    switch (run.phase) {
      case "waiting": return words.waiting;
      case "asked": return words.asked;
      case "queued": return run.place === 0 ? words.next : fill(run.place === 1 ? words.oneBefore : words.before, { n: run.place });
      case "started": return fill(run.fresh ? words.compiling : words.started, { gpu: name });
      case "running": return fill(of ? words.running : words.runningOpen, { gpu: name, n, of });
      case "done": return fill(n === 1 ? words.doneOne : words.done, { gpu: name, n, date: run.date ?? "" });
      case "stopped": return fill(n === 1 ? words.stoppedOne : words.stopped, { n });
      case "failed": return run.say;
      case "full": return run.say;
      default: return "";
    }
  }

  #status() {
    const { words, run } = this;
    if (this.busy) return ["live", this.#sentence()];
    if (box.state === "lost") return ["recorded", this.absent || words.lost];
    if (box.state === "connecting") return ["recorded", words.barConnecting];
    if (box.state === "none") {
      if (this.absent) return ["recorded", this.absent];
      const code = box.finding?.code;
      if (code === "token" && this.was) return ["recorded", words.otherToken];
      return ["recorded", [words.none, this.#recording()].filter(Boolean).join(words.space)];
    }
    if (run.phase === "lost") return ["recorded", words.back];
    if (this.trouble) return ["recorded", this.trouble];
    if (run.phase !== "idle") return [["done", "stopped"].includes(run.phase) ? "live" : "recorded", this.#sentence()];
    if (!this.form) return ["recorded", words.describing];
    const { code } = box.finding ?? {};
    return ["recorded", ["starting", "restarting", "failed", "busy"].includes(code) ? words.doctor[code].short : words.ready];
  }

  // What is recorded, in the words of the strip, unless the strip waits for a guess.
  #recording() {
    const asks = this.card.part("predict")?.querySelector('[data-do="commit"]');
    return asks ? "" : this.card.part("hw")?.querySelector(".prov")?.textContent ?? "";
  }

  #say() {
    const [sign, told] = this.#status();
    this.sign.dataset.sign = sign;
    const its = this.run.phase === "failed" || this.run.phase === "full" ? this.run.its : "";
    this.say.replaceChildren(told, ...(its && !this.busy ? [this.words.space, make("q", { lang: "en" }, its)] : []));
    this.brief.textContent = this.busy ? told : "";
    const now = performance.now();
    const row = this.run.phase === "running";
    if (told === this.spoken || (row && now - (this.spokenAt ?? 0) < SPOKEN)) return;
    [this.spoken, this.spokenAt] = [told, now];
    if (this.fold.open) this.aloud.textContent = told;
  }

  // Where the strip has no live number it says why.
  #strip() {
    const { words, run } = this;
    const n = this.rows.rows.length;
    let text = { none: words.liveNone, connecting: words.liveNone, lost: words.liveNone, connected: words.liveIdle }[box.state];
    if (this.busy) {
      const going = run.phase === "running" || run.phase === "started";
      text = !going ? words.liveWaits : fill(run.points ? words.liveRun : words.liveRunOpen, { n: Math.min(n + 1, run.points ?? Infinity), of: run.points });
    }
    for (const place of this.card.part("hw").querySelectorAll('[data-live="none"]')) {
      if (place.textContent !== text) place.textContent = text;
    }
  }

  // ---------------------------------------------------------------------------------------- the experiment

  #boxChanged({ before, state }) {
    if (state === "connected") this.was = true;
    if (state === "connected" && before === "connecting") this.form = null; // perhaps another box
    if (state === "connected" && this.run.phase === "lost" && before === "connecting") this.run = { phase: "idle" };
    if (state === "lost" && !this.busy && this.record) this.#back();
    this.#show();
    if (state === "connected" && this.fold.open) this.#open();
  }

  async #open() {
    this.#show();
    await resume();
    if (box.state !== "connected" || this.form || this.asking) return;
    this.asking = true;
    this.trouble = "";
    try {
      const entry = await box.experiment(this.name);
      if (!entry) this.trouble = fill(this.words.noExperiment, { name: this.name });
      else if (!entry.available) this.trouble = this.words.unavailable;
      else {
        this.entry = entry;
        this.form = new Form(`measure-${this.card.key}`, entry.schema, this.words);
        this.controls.replaceChildren(this.form.element);
      }
    } catch (reason) {
      if (reason instanceof Refused) this.trouble = reason.message || this.words.doctor.odd.says;
      else if (!(reason instanceof Lost)) throw reason;
    } finally {
      this.asking = false;
      this.#show();
    }
  }

  async #dialog(finding = null) {
    let open;
    try {
      ({ open } = await import("./box_dialog.js"));
      this.absent = "";
    } catch (reason) {
      this.absent = missing(this.config.words, reason);
      return this.#show();
    }
    const there = (button) => !button.hidden && !button.disabled;
    const back = () => [this.connect, this.again, this.start, this.why].find(there) ?? this.fold.querySelector("summary");
    open(this.config, back, finding);
  }

  async #retry() {
    if (box.state === "connected") return this.#start();
    const finding = await box.connect(box.address, box.token);
    if (!finding.connected) return this.#dialog(finding);
    await this.#open();
    await this.#start();
  }

  // -------------------------------------------------------------------------------------------------- a run

  async #start() {
    if (!this.form) await this.#open();
    const inputs = this.form?.inputs();
    if (!inputs || this.busy) return;
    this.rows.clear();
    this.rows.element.hidden = false;
    this.final = null;
    if (this.record) this.#live(null);
    this.run = { phase: "asked", inputs };
    this.#phase("asked");
    this.control = new AbortController();
    try {
      for await (const event of box.run(this.name, inputs, this.control.signal, () => this.#phase("waiting"))) this.#take(event);
    } catch (reason) {
      if (this.control.signal.aborted) this.#phase("stopped");
      else if (reason instanceof Refused) this.#refused(reason);
      else if (reason instanceof Lost) { this.#back(); this.#phase("lost"); }
      else throw reason;
    } finally {
      clearTimeout(this.later);
      this.later = null;
      this.rows.element.hidden = !this.rows.rows.length;
      if (this.run.phase === "stopped" || this.run.phase === "failed") this.#partial();
    }
  }

  #take({ event, data }) {
    if (event === "queued") this.#phase("queued", { place: Math.max(0, Number(data.place) || 0) });
    else if (event === "started") {
      if (data.machine) box.machine = data.machine;
      this.#phase("started", { points: Number.isInteger(data.points) ? data.points : this.entry.points, fresh: Boolean(data.fresh) });
    } else if (event === "row") {
      if (!data.row || typeof data.row !== "object" || !this.rows.add(data.row, data.read_at)) throw new Refused({ status: 0, code: "unreadable" });
      this.#phase("running");
      this.#soon();
    } else if (event === "done") {
      clearTimeout(this.later);
      this.later = null;
      this.final = data.record;
      this.#live(data.record);
      this.#phase("done", { date: String(data.record?.date ?? "").slice(0, 20) });
    } else if (event === "failed") this.#failed(String(data.code ?? ""), data.why);
  }

  #failed(code, why) {
    const say = this.words.failed[code] ?? this.words.failed.kernel;
    this.#phase("failed", { say, its: typeof why === "string" ? why.slice(0, 400) : "" });
  }

  #refused({ code, message, after, field, status }) {
    if (code === "inputs" && this.form.refuse(field || message.split(" ")[0], message, "en")) return this.#phase("idle");
    if (code === "queue_full") {
      const say = after ? `${this.words.full}${this.words.space}${fill(this.words.inSeconds, { n: after })}` : this.words.full;
      return this.#phase("full", { say, its: message });
    }
    if (status === 401 || status === 403) {
      this.#phase("idle");
      return this.#again();
    }
    this.#phase("failed", { say: this.words.failed[code] ?? this.words.failed.refused, its: message });
  }

  // The token or the origin counts no more: let the doctor say so.
  async #again() {
    const finding = await box.connect(box.address, box.token);
    if (!finding.connected) this.#dialog(finding);
  }

  #stop() {
    this.control?.abort();
  }

  #remove() {
    this.rows.clear();
    this.final = null;
    this.#live(null);
    this.#phase("idle");
    this.start.focus();
  }

  #export() {
    const { gpu: name = "", date = "" } = this.final;
    const part = (text) => String(text ?? "").replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
    const file = [this.name, part(name) || "no-gpu", part(date)].filter(Boolean).join("-");
    const address = URL.createObjectURL(new Blob([`${JSON.stringify(this.final, null, 1)}\n`], { type: "application/json" }));
    make("a", { href: address, download: `${file}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  // ------------------------------------------------------------------------------------------ to the figure

  #live(record) {
    this.record = record;
    this.card.act({ live: record, quiet: true });
  }

  #back() {
    if (this.record) this.#live(null);
  }

  #soon() {
    this.later ??= setTimeout(() => { this.#partial(); }, OFTEN);
  }

  #partial() {
    clearTimeout(this.later);
    this.later = null;
    if (!this.rows.rows.length || this.final) return;
    const today = new Date();
    const date = [today.getFullYear(), today.getMonth() + 1, today.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
    const { gpu: name = null, driver = null, cuda = null, torch = null, triton = null } = box.machine ?? {};
    const { method = "", figure = this.card.key } = this.entry;
    this.#live({
      gpu: name, driver, cuda, torch, triton, date, method, inputs: this.run.inputs, figure, rows: [...this.rows.rows], again: null, spread: null,
    });
  }
}
