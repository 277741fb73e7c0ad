// The one box of this page, and how a visit comes back to it: another chapter in the same tab keeps what was given once.

import { Box, keep, kept, served } from "./box.js";

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
export async function accept({ address, token }) {
  const place = address || location.origin;
  keep(address, token); // for the dialog, should it not connect
  resumed = box.connect(place, token);
  await resumed;
}

/** The name of the GPU that is connected; "" where kernels are interpreted. */
export function gpu() {
  const name = box.machine?.gpu;
  return typeof name === "string" && !name.startsWith("none") ? name.slice(0, 60) : "";
}
