// The one box of this page, and how a visit comes back to it: another chapter in the same tab keeps what was given once.

import { Box } from "./box.js";
import { parse } from "./box_address.js";
import { kept, served } from "./box_keep.js";
import { fill } from "./dom.js";

export const box = new Box();

let resumed = null;

/** Connect as the tab remembers, once for this page; a page that a box serves needs no address. */
export function resume() {
  resumed ??= again();
  return resumed;
}

async function again() {
  const { address, token } = kept();
  const known = address || (served() ? location.origin : "");
  if (!known || !token) return;
  const finding = await box.connect(known, token);
  if (["silent", "nothing", "nothingThere"].includes(finding.code)) box.away(known, token);
}

/** Connect as an invitation in the address bar says: to the box that it names, or to the one that this page comes from. */
export async function accept(invited) {
  const address = invited.address ? parse(invited.address).address : location.origin;
  if (!address) return;
  resumed = box.connect(address, invited.token);
  await resumed;
}

/** The name of the GPU that is connected; "" where kernels are interpreted. */
export function gpu() {
  const name = box.machine?.gpu;
  return typeof name === "string" && !name.startsWith("none") ? name.slice(0, 60) : "";
}

/** Say in the top bar how the readings are; without a box, as the page was built. */
export function bar(words) {
  const live = gpu() ? fill(words?.barLive ?? "", { gpu: gpu() }) : words?.barNoGpu;
  const told = { connecting: words?.barConnecting, connected: live, lost: words?.barLost }[box.state];
  for (const made of document.querySelectorAll("[data-readings]")) {
    made.textContent = told ?? made.dataset.recorded;
    made.dataset.box = box.state;
  }
}
