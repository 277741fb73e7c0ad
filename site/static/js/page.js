// The page's own script: colours, contents, progress, language, print. Figures come only where there are some.

import * as contents from "./contents.js";
import * as place from "./place.js";
import * as print from "./print.js";
import * as reading from "./reading.js";
import * as theme from "./theme.js";

for (const part of [theme, contents, reading, place, print]) part.start();

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
  drawn.catch(() => {}); // told on the cards
  const { start } = await import("./figures.js");
  start(config, drawn);
}

if (document.querySelector(".fig, .ex")) figures();
