// A figure's drawing: a Bokeh document put in place from JSON, its theme, its widths and its inspector.

// Cards fill the column here, so that labels which need the width of the page give way to shorter ones.
const PHONE = matchMedia("(max-width: 960px)");

function unfocus(root) {
  for (const element of root.querySelectorAll("*")) {
    element.removeAttribute("tabindex");
    if (element.shadowRoot) unfocus(element.shadowRoot);
  }
}

// Bokeh recolours in its own time; a page that is being printed cannot wait.
function paintNow(view) {
  for (const renderer of view.computed_renderer_views ?? []) {
    renderer.glyph?.set_visuals?.(renderer.model.data_source, renderer.all_indices);
  }
  view.invalidate_painters?.();
  view.repaint?.();
}

export class Drawing {
  /** `drawn` is settled when BokehJS is there; `ready` when the drawing is. */
  constructor(plot, inspect, json, palette, drawn) {
    this.plot = plot;
    this.inspect = inspect;
    this.rest = inspect.textContent;
    this.palette = palette;
    this.current = -1;
    this.ready = drawn.then(() => this.show(json));
    this.ready.catch(() => {}); // the page says on every card that BokehJS is missing
    PHONE.addEventListener("change", () => this.#fit());
    document.addEventListener("themechange", ({ detail }) => this.paint(detail ?? {}));
    plot.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") this.#point(event); });
    plot.addEventListener("pointerleave", () => { if (!plot.matches(":focus")) this.#read(-1); });
    plot.addEventListener("click", (event) => this.#point(event));
    plot.addEventListener("keydown", (event) => this.#key(event));
    plot.addEventListener("blur", () => this.#read(-1));
  }

  async show(json) {
    this.document = Bokeh.require("document").Document.from_json(typeof json === "string" ? JSON.parse(json) : json);
    this.#fit();
    this.#colour();
    const canvas = this.plot.querySelector(".canvas");
    canvas.replaceChildren();
    this.views = await Bokeh.embed.add_document_standalone(this.document, canvas);
    unfocus(canvas); // the frame around it is the one tab stop
    this.plot.dataset.drawn = "";
  }

  patch(json) {
    this.document.apply_json_patch(JSON.parse(json));
    if (this.current >= 0) this.#read(Math.min(this.current, this.#marks().x.length - 1));
  }

  paint({ print = false } = {}) {
    this.#colour();
    if (print) for (const view of this.views ?? []) paintNow(view);
    const repaint = (view) => { view.request_repaint?.(); for (const child of view.child_views ?? []) repaint(child); };
    for (const view of this.views ?? []) repaint(view);
  }

  describe(summary) { this.plot.querySelector(".canvas").setAttribute("aria-label", summary); }

  #models() { return this.document?._all_models.values() ?? []; }

  #colour() {
    const theme = document.documentElement.dataset.theme
      || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    for (const model of this.#models()) {
      if (model.type === "CategoricalColorMapper" && model.name?.startsWith("role-")) {
        model.palette = this.palette[theme][model.name.slice("role-".length)];
      }
    }
  }

  #fit() {
    for (const model of this.#models()) {
      if (model.tags?.includes("phone")) model.visible = PHONE.matches;
      if (model.tags?.includes("wide")) model.visible = !PHONE.matches;
    }
  }

  // ------------------------------------------------------------- inspector

  #marks() { return this.document?.get_model_by_name("marks")?.data ?? { x: [], y: [], say: [] }; }

  #places() {
    const [view] = this.views ?? [];
    if (!view?.frame) return [];
    const { x, y } = this.#marks();
    const { x_scale, y_scale } = view.frame;
    return Array.from(x, (value, i) => ({ i, x: x_scale.compute(value), y: y_scale.compute(y[i]) }));
  }

  #point(event) {
    const box = this.plot.querySelector(".canvas").getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    const near = this.#places().map((p) => ({ ...p, d: Math.hypot(p.x - at.x, p.y - at.y) }));
    const best = near.reduce((a, b) => (b.d < a.d ? b : a), { i: -1, d: 48 });
    if (best.i >= 0 || event.type === "click") this.#read(best.i);
  }

  #key(event) {
    const count = this.#marks().x.length;
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    let next = this.current;
    if (event.key === "Escape") next = -1;
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = count - 1;
    else if (move) next = this.current < 0 ? (move > 0 ? 0 : count - 1) : Math.min(Math.max(this.current + move, 0), count - 1);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") next = this.#vertical(event.key === "ArrowDown" ? 1 : -1);
    else return;
    event.preventDefault();
    this.#read(next);
  }

  #vertical(sign) {
    if (this.current < 0) return 0;
    const places = this.#places();
    const here = places[this.current];
    const ahead = places.filter((p) => sign * (p.y - here.y) > 2);
    const cost = (p) => sign * (p.y - here.y) + 2 * Math.abs(p.x - here.x);
    return ahead.length ? ahead.reduce((a, b) => (cost(b) < cost(a) ? b : a)).i : this.current;
  }

  #read(index) {
    const marks = this.#marks();
    this.current = index < marks.x.length ? index : -1;
    this.inspect.textContent = this.current >= 0 ? marks.say[this.current] : this.rest;
    const cursor = this.document?.get_model_by_name("cursor");
    if (cursor) cursor.data = this.current >= 0 ? { x: [marks.x[this.current]], y: [marks.y[this.current]], role: ["ink"] } : { x: [], y: [], role: [] };
  }
}
