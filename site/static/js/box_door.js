// The box in the top bar: an invitation in the address is taken and leaves no trace there; the state is a button.
// The rest of the box's scripts comes when it is needed.

import { invitation, parse } from "./box_address.js";

const config = () => JSON.parse(document.getElementById("book-config").textContent);

/** Take the token out of the address bar, before anything else reads it. `before` is the fragment to go back to. */
function take(before = "") {
  const invited = invitation(location.hash);
  if (!invited) return null;
  history.replaceState(history.state, "", location.pathname + location.search + before);
  const address = invited.address ? parse(invited.address).address ?? "" : "";
  return { address, token: invited.token };
}

async function accept(invited) {
  const { accept: connect } = await import("./box_visit.js");
  await connect(invited);
}

async function open(opener) {
  const { open: show } = await import("./box_dialog.js");
  show(config(), opener);
}

function button(span) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = span.className;
  made.dataset.readings = "";
  made.textContent = made.dataset.recorded = span.textContent;
  made.setAttribute("aria-haspopup", "dialog");
  made.addEventListener("click", () => open(made));
  span.replaceWith(made);
}

async function show() {
  const [{ box, gpu }, { fill }] = await Promise.all([import("./box_visit.js"), import("./dom.js")]);
  const words = config().box;
  const tell = () => {
    const live = gpu() ? fill(words.barLive, { gpu: gpu() }) : words.barNoGpu;
    const told = { connecting: words.barConnecting, connected: live, lost: words.barLost }[box.state];
    for (const made of document.querySelectorAll("[data-readings]")) {
      made.textContent = told ?? made.dataset.recorded;
      made.dataset.box = box.state;
    }
  };
  box.addEventListener("change", tell);
  tell();
}

export function start() {
  const invited = take();
  const bar = document.querySelectorAll("[data-readings]");
  bar.forEach(button);
  addEventListener("hashchange", (event) => { // an invitation pasted into an open page; registered before the figures' own
    const later = take(new URL(event.oldURL).hash);
    if (!later) return;
    event.stopImmediatePropagation();
    accept(later);
  });
  const idle = globalThis.requestIdleCallback ?? ((work) => setTimeout(work, 200));
  const begin = async () => {
    if (bar.length) await show();
    if (invited) return accept(invited);
    const { resume } = await import("./box_visit.js");
    await resume();
  };
  const soon = () => idle(begin, { timeout: 1000 });
  if (invited) begin();
  else if (document.readyState === "complete") soon();
  else addEventListener("load", soon, { once: true });
}
