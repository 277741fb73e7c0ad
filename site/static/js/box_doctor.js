// What keeps a page from its box, told from what was observed: facts in, a finding out; nothing is asked here.
//
// Facts: `page` {origin, https, loopback, secure}, `box` {origin, https, loopback, host, port}, `safari`, `permission`
// ("granted", "denied", "prompt" or null where the browser has none), `ping` (null before it was tried; "box"; "host": a
// box that does not go by this name; "other": an answer, but no box's; "hidden": an answer that the page may not read;
// "silent": no answer in time; "none": no connection), `health` (null; "refused": not let through by the browser;
// "silent"; or {status, code, why, body}), `token` (whether one was given).
//
// A finding: `code` names its words, `values` fill them, `commands` are to be typed, `connected` says whether the box can
// be used all the same.

import { PORT } from "./box_address.js";

const finding = (code, { commands = [], values = {}, connected = false } = {}) => ({ code, commands, values, connected });

export const tunnel = (port = PORT, host = "user@gpu-machine") => `ssh -N -L ${port}:127.0.0.1:${PORT} ${host}`;
export const serve = (...more) => ["gpubook-box serve", ...more].join(" ");
const onPort = (port) => (Number(port) === PORT ? [] : [`--port ${port}`]);

/** What can be told before anything is asked: null if nothing speaks against asking. */
export function beforehand({ page, box, safari }) {
  if (!page.https || box.https) return null;
  if (!box.loopback) return finding("mixed", { values: { host: box.host }, commands: [tunnel(PORT, `user@${box.host}`)] });
  if (safari) return finding("safari", { values: { address: box.origin }, commands: [box.origin] });
  return null;
}

function unreached({ page, box, permission, ping }) {
  const values = { address: box.origin, host: box.host, port: box.port };
  if (ping === "host") return finding("host", { values, commands: [serve(`--allow-host ${box.host}`)] });
  if (permission === "denied" && !page.loopback) return finding("permission", { values: { ...values, origin: page.origin } });
  if (ping === "silent") return finding("silent", { values });
  if (ping === "other" || ping === "hidden") return finding("other", { values, commands: [serve()] });
  if (!page.secure && box.loopback && !page.loopback) return finding("insecure", { values, commands: [tunnel(box.port)] });
  if (box.loopback) return finding("nothing", { values, commands: [serve(...onPort(box.port)), tunnel(box.port)] });
  return finding("nothingThere", { values, commands: [tunnel(PORT, `user@${box.host}`)] });
}

function answered({ page, box, health, token }) {
  const values = { address: box.origin, origin: page.origin, host: box.host, why: health.why ?? "", status: health.status };
  if (health.status === 401) return finding(token ? "token" : "noToken", { values, commands: [] });
  if (health.status === 403) return finding("origin", { values, commands: [serve(`--allow-origin ${page.origin}`)] });
  if (health.status !== 200 || !health.body) return finding("odd", { values });
  const { state, why, queued, queue_limit: limit } = health.body;
  const told = { ...values, why: why ?? "", queued, limit };
  if (state === "failed") return finding("failed", { values: told, commands: ["gpubook-box doctor"], connected: true });
  if (state === "starting" || state === "restarting") return finding(state, { values: told, connected: true });
  if (limit > 0 && queued >= limit) return finding("busy", { values: told, connected: true });
  return finding("fine", { values: told, connected: true });
}

/** The finding of all facts that there are. */
export function diagnose(facts) {
  const { page, box, ping, health } = facts;
  const early = beforehand(facts);
  if (early) return early;
  if (ping !== "box") return unreached(facts);
  if (health === "refused") {
    return finding("origin", { values: { origin: page.origin, address: box.origin }, commands: [serve(`--allow-origin ${page.origin}`)] });
  }
  if (health === "silent") return finding("silent", { values: { address: box.origin, host: box.host, port: box.port } });
  return answered(facts);
}
