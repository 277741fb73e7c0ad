// The figures of a page: draw what was built, queue what the reader does, replay it when Python is there.

import { panels } from "./box_door.js";
import { Drawing } from "./drawing.js";
import { Engine } from "./engine.js";
import { exercises } from "./exercises.js";

const sentence = (text) => (/[.。!?！？]$/.test(text) ? text : `${text}.`);
const NARROW = matchMedia("(max-width: 640px)");
const PLAY = 250; // ms a step: four a second

class Card {
  constructor(element, engine, config, drawn) {
    this.element = element;
    this.engine = engine;
    this.config = config;
    this.key = element.dataset.figure;
    this.queue = [];
    this.busy = false;
    this.opened = false;
    this.mine = false; // whether the address bar speaks of this figure
    const json = element.querySelector("script.doc").textContent;
    this.drawing = new Drawing(element.querySelector(".plot"), this.part("inspect"), json, config.palette, drawn);
    element.dataset.seq = "0";
    element.addEventListener("input", (event) => this.#input(event));
    element.addEventListener("change", (event) => this.#change(event));
    element.addEventListener("submit", (event) => this.#submit(event));
    element.addEventListener("click", (event) => this.#click(event));
    engine.addEventListener("state", ({ detail }) => this.#status(detail));
    engine.addEventListener("restarted", () => this.#reopen());
    NARROW.addEventListener("change", () => this.#order());
    this.#order();
    this.#status(engine.detail);
  }

  // On a phone the controls come after the readouts: for Tab and for who listens as for the eye.
  #order() {
    const focused = document.activeElement;
    const moved = [this.element.querySelector(".controls"), this.part("problem")];
    if (NARROW.matches) this.element.querySelector(".reads").after(...moved);
    else this.element.querySelector(".draw").before(...moved);
    if (moved.some((part) => part.contains(focused))) focused.focus();
  }

  part(name) { return this.element.querySelector(`[data-part="${name}"]`); }

  // ------------------------------------------------------------ what the reader does

  act(action) {
    const last = this.queue.at(-1);
    const [name, ...more] = Object.keys(action.set ?? {});
    const same = last?.set && name in last.set && Object.keys(last.set).length === 1 && !more.length;
    if ("preset" in action) {
      // a whole state, which is never refused: earlier ones that were not sent yet need not be seen
      this.queue = this.queue.filter((waiting) => this.sending(waiting) || !("set" in waiting || "preset" in waiting || "restore" in waiting));
    }
    // of live records the last will do
    if ("live" in action) this.queue = this.queue.filter((waiting) => this.sending(waiting) || !("live" in waiting));
    if (name && same && !last.alone && !this.sending(last)) { // one slider on its way
      (last.before ??= []).push(last.set);
      last.set = action.set;
    } else this.queue.push(action);
    this.mine ||= !action.quiet;
    this.#changes();
    this.pump();
  }

  sending(action) { return this.busy && this.queue[0] === action; }

  #input({ target }) {
    const control = target.closest(".ctl");
    if (!control || target.type !== "range") return;
    this.#echo(control, target.value);
    this.act({ set: { [control.dataset.param]: Number(target.value) } });
  }

  #change({ target }) {
    const control = target.closest(".ctl");
    if (control && (target.type === "radio" || target.tagName === "SELECT")) {
      this.act({ set: { [control.dataset.param]: target.value } });
    }
  }

  #submit(event) {
    event.preventDefault();
    const form = event.target;
    if (form.dataset.do === "commit") this.act({ commit: form.elements.guess.value });
    else this.act({ set: { [form.dataset.param]: form.querySelector(".text").value } });
  }

  #click({ target }) {
    const button = target.closest("button");
    if (!button) return;
    if (button.dataset.preset) return this.#preset(button);
    const step = button.closest("[data-stepper]");
    switch (button.dataset.do) {
      case "back": this.#step(step, -1); break;
      case "next": this.#step(step, +1); break;
      case "play": this.#play(step, button); break;
      case "skip": this.act({ skip: true }); break;
      case "ask": this.act({ ask: true }); break;
      case "retry": this.engine.retry(); break;
      case "copy": this.#copy(button); break;
    }
  }

  #preset(button) {
    for (const chip of this.element.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(chip === button));
    for (const [name, value] of Object.entries(JSON.parse(button.dataset.state ?? "{}"))) {
      const control = this.#control(name);
      if (control) this.#put(control, value);
    }
    this.act({ preset: button.dataset.preset });
  }

  #step(control, by) {
    const range = control.querySelector(".range");
    const next = Math.min(Math.max(Number(range.value) + by, 1), Number(range.max));
    if (next === Number(range.value)) return false;
    range.value = next;
    this.#echo(control, next);
    this.act({ set: { [control.dataset.param]: next } });
    return true;
  }

  #play(control, button) {
    if (this.timer) return this.#pause(button);
    const range = control.querySelector(".range");
    if (Number(range.value) === Number(range.max)) this.#step(control, 1 - Number(range.max));
    [button.textContent, button.dataset.pause] = [button.dataset.pause, button.textContent];
    this.timer = setInterval(() => { if (!this.queue.length && !this.#step(control, +1)) this.#pause(button); }, PLAY);
  }

  #pause(button) {
    clearInterval(this.timer);
    this.timer = null;
    [button.textContent, button.dataset.pause] = [button.dataset.pause, button.textContent];
  }

  async #copy(button) {
    const address = new URL(this.part("permalink").textContent, location.href).href;
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(address);
      button.textContent = this.config.words.copied;
    } catch {
      button.textContent = this.config.words.notCopied;
    }
    setTimeout(() => { button.textContent = before; }, 2000);
  }

  // -------------------------------------------------------------------- to Python and back

  async pump() {
    if (this.busy || this.engine.state !== "live") return;
    this.busy = true;
    let sent = null;
    try {
      if (!this.opened) await this.#open();
      while (this.queue.length) {
        const [action] = this.queue;
        sent = action;
        const answer = await this.engine.send({ verb: "do", figure: this.key, action });
        sent = null;
        this.queue.shift();
        if (action.before && answer.card.problem) this.#oneByOne(action);
        else this.#show(answer, action);
      }
      this.#state("live");
    } catch (reason) {
      if (!reason.dropped) { this.queue.shift(); this.#failed(reason.message); }
      else if (sent) this.#again(sent);
    } finally {
      this.busy = false;
    }
  }

  // The end of a way was refused: go it again in single steps, since the last that works is somewhere on it.
  #oneByOne({ before, set }) {
    const steps = [...before, set].map((value) => ({ set: value, alone: true, passing: value !== set }));
    this.queue.unshift(...steps);
  }

  // Python was lost while it worked on this action. Once may be chance; an action that does it twice is given up.
  #again(action) {
    action.tries = (action.tries ?? 0) + 1;
    if (action.tries < 2) return;
    this.queue = this.queue.filter((waiting) => waiting !== action);
    this.part("problem").textContent = this.config.words.silent;
  }

  async #open() {
    const { ids, digest, preset } = this.element.dataset;
    await this.drawing.ready;
    const answer = await this.engine.send({ verb: "open", figure: this.key, preset, ids: Number(ids), digest });
    if (answer.document) await this.drawing.show(answer.document); // another build's drawing: not a stranger's patch
    this.opened = true;
  }

  #show({ patch, card }, action) {
    if (patch) this.drawing.patch(patch);
    for (const name of ["predict", "reads", "hw", "table", "problem"]) this.#fill(name, card[name]);
    const summary = this.part("summary");
    if (summary.textContent !== card.summary) { summary.textContent = card.summary; this.drawing.describe(card.summary); }
    this.state = card.state;
    this.answered = { open: card.open, guess: card.guess };
    const fragment = card.state ? `#${this.key}?${card.state}` : `#${this.key}`;
    this.part("permalink").textContent = fragment;
    if (this.mine && !this.queue.length) history.replaceState(history.state, "", fragment);
    if (this.queue.length === 0) this.#sync(card, Boolean(action.set) && Boolean(card.problem));
    if (!action.passing) this.element.dataset.seq = String(Number(this.element.dataset.seq) + 1);
    this.element.dispatchEvent(new Event("shown"));
  }

  #fill(name, html) {
    const part = this.part(name);
    if (!part || part.dataset.html === html) return;
    const typed = part.querySelector("input")?.value;
    const focused = part.contains(document.activeElement) ? document.activeElement.tagName : "";
    part.dataset.html = html;
    part.innerHTML = html;
    const field = part.querySelector("input");
    if (field && typed && !field.value) field.value = typed;
    if (focused) (part.querySelector(focused.toLowerCase()) ?? part.querySelector("input, button"))?.focus();
  }

  #control(name) { return this.element.querySelector(`.ctl[data-param="${CSS.escape(name)}"]`); }

  #sync(card, keepText) {
    for (const [name, { value, active }] of Object.entries(card.controls)) {
      const control = this.#control(name);
      control.classList.toggle("inactive", !active);
      const stepper = control.matches("[data-stepper]");
      for (const field of control.querySelectorAll("input, select, textarea, .field .btn")) {
        field.disabled = !active || (stepper && card.steps < 2);
      }
      if (stepper) this.#steps(control, value, card.steps);
      else if (!(keepText && control.matches(".typed"))) this.#put(control, value);
    }
    for (const chip of this.element.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(chip.dataset.preset === card.pressed));
  }

  #steps(control, value, steps) {
    const range = control.querySelector(".range");
    range.max = Math.max(steps, 1);
    range.value = value ?? steps;
    control.querySelector(".last").textContent = steps;
    this.#echo(control, range.value);
    if (!steps) control.querySelector("output").textContent = "0"; // nothing to step through
    control.querySelector('[data-do="play"]').disabled = range.disabled;
  }

  #put(control, value) {
    const field = control.querySelector("input, select, textarea");
    if (field.type === "radio") {
      for (const radio of control.querySelectorAll("input")) radio.checked = radio.value === String(value);
    } else if (field.value !== String(value ?? "")) {
      field.value = value;
    }
    if (field.type === "range") this.#echo(control, field.value);
  }

  // The number beside a slider follows the thumb at once; Python confirms it.
  #echo(control, value) {
    const range = control.querySelector(".range");
    const low = Number(range.min), high = Number(range.max);
    const digits = range.dataset.digits;
    const shown = Number(value).toLocaleString("en", digits ? { minimumFractionDigits: Number(digits), maximumFractionDigits: Number(digits) } : { maximumFractionDigits: 12 }).replace("-", "\u2212");
    range.style.setProperty("--v", `${high > low ? (100 * (value - low)) / (high - low) : 100}%`);
    const unit = (Number(value) === 1 ? range.dataset.one : range.dataset.unit) ?? "";
    range.setAttribute("aria-valuetext", `${shown} ${unit}`.trim());
    control.querySelector("output").textContent = shown;
    if (!control.matches("[data-stepper]")) {
      control.querySelector(".of").textContent = unit;
      return;
    }
    control.querySelector('[data-do="back"]').disabled = Number(value) <= 1;
    control.querySelector('[data-do="next"]').disabled = Number(value) >= high;
  }

  // -------------------------------------------------------------------------------- status

  #reopen() {
    this.opened = false;
    const again = [];
    if (this.state) again.push({ restore: this.state, quiet: true });
    if (this.answered && !this.answered.open) again.push(this.answered.guess === null ? { skip: true } : { commit: this.answered.guess });
    this.queue.unshift(...again);
  }

  #status({ state, part, of, reason }) {
    const words = this.config.words;
    if (state === "failed") return this.#failed(reason);
    this.element.querySelector('[data-do="retry"]').hidden = true;
    if (state === "live") {
      this.#state("live");
      if (this.queue.length) this.pump(); // the others open when it is their turn
      return;
    }
    this.#state("starting");
    clearTimeout(this.slow);
    this.slow = setTimeout(() => this.element.classList.add("slow"), 1000);
    this.element.style.setProperty("--part", `${(100 * part) / of}%`);
    this.phase = part ? words.part.replace("{part}", part).replace("{of}", of) : words.starting;
    this.#changes();
  }

  #changes() {
    if (this.element.dataset.state !== "starting") return;
    const kept = this.queue.filter((action) => !action.quiet).length;
    const words = this.config.words;
    this.part("status").textContent = kept ? `${this.phase} ${(kept === 1 ? words.oneKept : words.kept).replace("{n}", kept)}` : `${this.phase} ${words.keeps}`;
  }

  #state(state) {
    this.element.dataset.state = state;
    const dot = this.element.querySelector(".status .dot");
    dot.className = `dot ${{ live: "live", failed: "fail" }[state] ?? ""}`;
    if (state === "live") { clearTimeout(this.slow); this.element.classList.remove("slow"); this.part("status").textContent = this.config.words.live; }
  }

  #failed(reason) {
    clearTimeout(this.slow);
    this.element.classList.remove("slow");
    this.#state("failed");
    this.part("status").textContent = `${sentence(reason)} ${this.config.words.built}`;
    this.element.querySelector('[data-do="retry"]').hidden = false;
  }
}

// --------------------------------------------------------------------------------- the page

function fragment() {
  const [, key, query] = location.hash.match(/^#([\w-]+)\?(.*)$/) ?? [];
  return { key, query };
}

const idle = () => new Promise((resolve) => {
  if (globalThis.requestIdleCallback) requestIdleCallback(resolve, { timeout: 500 });
  else setTimeout(resolve, 50); // Safari
});

/** Open what nobody asked for yet, one figure after the other and never before what the reader did is answered. */
async function openInTurn(cards, engine) {
  for (const card of cards) {
    do await idle(); while (engine.state === "live" && cards.some((other) => other.busy));
    await card.pump(); // nothing to do where Python is gone, or someone was first
  }
}

/** `drawn` is settled when BokehJS is there; Python starts at once, beside it, and cards listen before either. */
export async function start(config, drawn) {
  const engine = new Engine(config);
  document.documentElement.bookEngine = engine; // for the bench and for those who look under the bonnet
  engine.start();
  exercises(engine, config);
  const cards = new Map();
  for (const element of document.querySelectorAll(".fig[data-figure]")) {
    cards.set(element.dataset.figure, new Card(element, engine, config, drawn));
  }
  panels(cards.values(), engine, config);
  engine.addEventListener("state", ({ detail }) => { if (detail.state === "live") openInTurn([...cards.values()], engine); });
  const restore = () => {
    const { key, query } = fragment();
    if (!key) {
      for (const card of cards.values()) if (card.state && !location.hash) card.act({ preset: card.element.dataset.preset });
      return;
    }
    const card = cards.get(key);
    if (!card) return notice(config.words.noFigure.replace("{key}", key));
    card.act({ restore: query });
    if (document.documentElement.dataset.place !== "kept") card.element.scrollIntoView({ block: "start" });
  };
  restore();
  addEventListener("hashchange", restore);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.act");
    if (link && link.hash === location.hash) { event.preventDefault(); restore(); }
  });
  addEventListener("pagehide", () => engine.leave());
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    engine.dispatchEvent(new Event("restarted"));
    engine.start();
  });
  drawn.catch(() => engine.leave()); // without drawings nothing is computed: the caller says why
  await drawn;
}

function notice(text) {
  const line = document.createElement("p");
  line.className = "say bad";
  line.setAttribute("role", "alert");
  line.textContent = text;
  document.querySelector("main").prepend(line);
}
