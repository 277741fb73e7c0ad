// Where the GPU box comes in: an invitation in the address, its state in the top bar, a folded line in each figure that it
// can measure. All this is small; the rest of the box's scripts comes when somebody opens something or a tab knows a box.

import { invitation, keep, kept, served } from "./box_keep.js";
import { missing } from "./missing.js";

const waiting = []; // what to do once the rest is there: panels to fill
let rest = null;

const config = () => JSON.parse(document.getElementById("book-config").textContent);

/** Take the token out of the address bar, before anything else reads it. `before` is the fragment to go back to. */
function take(before = "") {
  const invited = invitation(location.hash);
  if (!invited) return null;
  history.replaceState(history.state, "", location.pathname + location.search + before);
  keep("", invited.token); // at once: the reader may go on to a chapter before anything has come
  return invited;
}

/** The rest: it tells the top bar of every change, and fills the panels once there is a box. */
function load() {
  rest ??= import("./box_visit.js").then(({ box, bar }) => {
    const tell = () => {
      bar(config().box);
      if (box.state !== "none") for (const fill of waiting.splice(0)) fill();
    };
    box.addEventListener("change", tell);
    tell();
  }, (reason) => {
    rest = null; // asked for again by whatever is opened next
    throw reason;
  });
  return rest;
}

async function accept(invited) {
  await load();
  await (await import("./box_visit.js")).accept(invited);
}

async function dialog(opener) {
  let visit, script;
  try {
    await load();
    [visit, script] = [await import("./box_visit.js"), await import("./box_dialog.js")];
  } catch (reason) {
    opener.textContent = missing(config().words, reason);
    return;
  }
  visit.bar(config().box); // in place of what was said of a script
  script.open(config(), opener);
}

function button(span) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = span.className;
  made.dataset.readings = "";
  made.textContent = made.dataset.recorded = span.textContent;
  made.setAttribute("aria-haspopup", "dialog");
  made.addEventListener("click", () => dialog(made));
  span.replaceWith(made);
}

/** A folded line for each figure that a box can measure; what it holds comes when it is opened, or with a box. */
export function panels(cards, engine, config) {
  for (const card of cards) {
    const element = card.element.querySelector(".measure[data-experiment]");
    if (!element) continue;
    const fold = document.createElement("details"), summary = document.createElement("summary");
    const said = document.createElement("p");
    fold.className = "fold";
    said.className = "in";
    said.setAttribute("role", "status");
    summary.textContent = config.box.title;
    fold.append(summary);
    element.replaceChildren(fold);
    const none = () => {
      for (const place of card.part("hw").querySelectorAll('[data-live="none"]')) place.textContent = config.box.liveNone;
    };
    none();
    card.element.addEventListener("shown", none);
    let filled = false;
    const fill = async () => {
      if (filled) return;
      filled = true;
      let script;
      try {
        await load();
        script = await import("./measure.js");
      } catch (reason) {
        filled = false; // opened again, it is asked for again
        said.textContent = missing(config.words, reason);
        fold.append(said);
        return;
      }
      said.remove();
      card.element.removeEventListener("shown", none);
      new script.Panel(element, card, engine, config);
    };
    fold.addEventListener("toggle", () => { if (fold.open) fill(); });
    waiting.push(fill);
  }
}

export function start() {
  const invited = take();
  document.querySelectorAll("[data-readings]").forEach(button);
  addEventListener("hashchange", (event) => { // an invitation pasted into an open page; registered before the figures' own
    const later = take(new URL(event.oldURL).hash);
    if (!later) return;
    event.stopImmediatePropagation();
    accept(later);
  });
  if (invited) accept(invited);
  else if (kept().token && (kept().address || served())) {
    const begin = async () => { await load(); await (await import("./box_visit.js")).resume(); };
    if (document.readyState === "complete") begin();
    else addEventListener("load", begin, { once: true });
  }
}
