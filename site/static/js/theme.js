// Colours: as the system has them, or a choice that is remembered. `theme-early.js` has applied it already.
// Whenever the shown theme changes, `themechange` is sent to the document: detail.theme is "light" or "dark",
// detail.print says that paper is being prepared, so that a drawing must be painted before the handler returns.

const KEY = "gpubook-theme";
const root = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");
let chosen = known(root.dataset.theme);
let printing = false;
let shown = "";

function known(value) {
  return value === "light" || value === "dark" ? value : "system";
}

/** The reader's choice: "system", "light" or "dark". */
export function choice() {
  return chosen;
}

/** The theme that is shown, "light" or "dark"; paper is always light. */
export function theme() {
  if (printing) return "light";
  if (chosen !== "system") return chosen;
  return systemDark.matches ? "dark" : "light";
}

/** Choose, show and remember. Where storage is refused the choice lasts for this page. */
export function choose(next) {
  chosen = next;
  show();
  try {
    if (next === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

function show() {
  // While printing the attribute says light, for canvases read the tokens before the print rules apply.
  if (printing) root.dataset.theme = "light";
  else if (chosen === "system") delete root.dataset.theme;
  else root.dataset.theme = chosen;
  for (const button of document.querySelectorAll("[data-theme-switch]")) {
    button.dataset.choice = chosen;
    button.title = button.dataset[chosen];
    button.setAttribute("aria-label", button.title);
  }
  // The colour of the browser's own frame: an explicit choice overrules the media of both entries.
  const paper = getComputedStyle(root).getPropertyValue("--paper").trim();
  for (const meta of document.querySelectorAll('meta[name="theme-color"]')) {
    meta.dataset.own ??= meta.content;
    meta.content = chosen === "system" || printing ? meta.dataset.own : paper;
  }
  if (theme() === shown) return;
  shown = theme();
  document.dispatchEvent(new CustomEvent("themechange", { detail: { theme: shown, print: printing } }));
}

/** The choice after this one: first the one that changes the look, last the system again. */
function following() {
  const order = systemDark.matches ? ["system", "light", "dark"] : ["system", "dark", "light"];
  return order[(order.indexOf(chosen) + 1) % order.length];
}

function print(now) {
  printing = now;
  show();
}

export function start() {
  shown = theme();
  show();
  for (const button of document.querySelectorAll("[data-theme-switch]")) {
    button.addEventListener("click", () => choose(following()));
  }
  systemDark.addEventListener("change", show);
  addEventListener("storage", (event) => { // another tab of the book chose
    if (event.key !== KEY) return;
    chosen = known(event.newValue);
    show();
  });
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
}
