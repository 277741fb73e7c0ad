// The page's own script: colours, contents, progress, language, print, GPU box. Figures come only where there are some.

import * as door from "./box_door.js";
import * as contents from "./contents.js";
import { missing } from "./missing.js";
import * as place from "./place.js";
import * as print from "./print.js";
import * as reading from "./reading.js";
import * as theme from "./theme.js";

for (const part of [door, theme, contents, reading, place, print]) part.start(); // the door first: it reads the address

/** Load a plain script; BokehJS is one. */
function script(address) {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = address;
    element.onload = resolve;
    element.onerror = () => reject(new Error(`${address} did not load`));
    document.head.append(element);
  });
}

async function figures() {
  const config = JSON.parse(document.getElementById("book-config").textContent);
  const drawn = script(config.bokeh);
  drawn.catch(() => {}); // told below
  try {
    if (!globalThis.bookPython) throw new Error("python.js did not load");
    const { start } = await import("./figures.js");
    await start(config, drawn);
  } catch (reason) {
    broken(config.words, reason);
  }
}

/** A script is missing: say so on every card, and let the reader load the page again. */
function broken(words, reason) {
  for (const card of document.querySelectorAll(".fig")) {
    card.dataset.state = "failed";
    card.querySelector(".status .dot").className = "dot fail";
    card.querySelector('[data-part="status"]').textContent = `${missing(words, reason)} ${words.built}`;
    const retry = card.querySelector('[data-do="retry"]');
    retry.hidden = false;
    retry.addEventListener("click", () => location.reload());
  }
}

if (document.querySelector(".fig, .ex")) figures();
