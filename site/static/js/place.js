// Changing the language keeps the place. The two languages of a chapter have the same blocks in the same order,
// so the place is the block at the top of the window and how much of it has passed; a figure keeps its state.

const KEY = "gpubook-place";
const root = document.documentElement;

function blocks() {
  return [...document.querySelectorAll(".head, .text > *, .part, .chapter, .glossary > *")];
}

function barHeight() {
  return document.querySelector(".bar")?.getBoundingClientRect().height ?? 0;
}

/** Index of the block under the top bar and the share of it that has passed, or null at the very top. */
function place() {
  if (scrollY < 1) return null;
  const top = barHeight();
  const all = blocks();
  const index = all.findLastIndex((block) => block.getBoundingClientRect().top <= top);
  if (index < 0) return null;
  const box = all[index].getBoundingClientRect();
  return { index, share: box.height ? Math.min(1, (top - box.top) / box.height) : 0 };
}

/** The state of the figure in the middle of the window, as its permalink says it; "" without one. */
function figureInView() {
  const middle = innerHeight / 2;
  for (const figure of document.querySelectorAll(".fig")) {
    const box = figure.getBoundingClientRect();
    if (box.top <= middle && box.bottom >= middle) {
      const link = figure.querySelector(".perm code")?.textContent.trim() ?? "";
      return link.includes("?") ? link.slice(link.indexOf("#")) : "";
    }
  }
  return "";
}

function leave(event) {
  const link = event.currentTarget;
  link.hash = figureInView() || location.hash;
  const here = place();
  if (!here) return;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ path: new URL(link.href).pathname, ...here }));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // storage refused: the other page opens at its anchor
  }
}

function arrive() {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    sessionStorage.removeItem(KEY);
  } catch (error) {
    if (!(error instanceof DOMException || error instanceof SyntaxError)) throw error;
  }
  if (!kept || kept.path !== location.pathname) return;
  // Who restores a figure from the address must not scroll to it now.
  root.dataset.place = "kept";
  const go = () => {
    const block = blocks()[kept.index];
    if (!block) return;
    const box = block.getBoundingClientRect();
    scrollTo({ top: scrollY + box.top + kept.share * box.height - barHeight(), behavior: "instant" });
  };
  go();
  if (document.readyState !== "complete") addEventListener("load", go, { once: true });
}

export function start() {
  for (const link of document.querySelectorAll("a[data-language]")) link.addEventListener("click", leave);
  arrive();
}
