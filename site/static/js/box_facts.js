// What a page can observe about a box: one question open to all, one with the token, and what the browser allows.

import { isLoopback } from "./box_address.js";
import { beforehand } from "./box_doctor.js";

const PATIENCE = 3000; // ms for an answer; a box on the same host takes a few
const ASKED = 60_000; // ms that a reader may take to answer the browser's own question
// Chrome 145 split the permission of 142 in two; whichever is known tells.
const NAMES = { true: ["loopback-network", "local-network-access"], false: ["local-network", "local-network-access"] };

const HOW = { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", redirect: "error" };

/** Fetch from a box, with its token. Rejects as fetch does. */
export function ask(address, path, { token, ...options } = {}) {
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  return fetch(address + path, { ...HOW, ...options, headers });
}

const safari = () => /^((?!chrom|android|crios|fxios|edg).)*safari/i.test(navigator.userAgent);

async function permission(loopback) {
  for (const name of NAMES[loopback]) {
    try {
      return (await navigator.permissions.query({ name })).state;
    } catch {
      continue; // this browser does not know the name, or has no permissions
    }
  }
  return null;
}

/** What is known without asking the box. */
export async function standing(address) {
  const url = new URL(address);
  const box = {
    origin: url.origin, https: url.protocol === "https:", host: url.hostname, loopback: isLoopback(url.hostname),
    port: url.port || (url.protocol === "https:" ? "443" : "80"),
  };
  const page = {
    origin: location.origin, https: location.protocol === "https:", loopback: isLoopback(location.hostname), secure: isSecureContext,
  };
  return { page, box, safari: safari(), permission: page.origin === box.origin ? null : await permission(box.loopback), ping: null, health: null };
}

async function ping(address, patience) {
  const timeout = () => AbortSignal.timeout(patience);
  try {
    const told = await (await ask(address, "/ping", { signal: timeout() })).json();
    if (told?.code === "host") return "host"; // a box that does not go by this name
    return told?.box === "gpubook" ? "box" : "other";
  } catch (reason) {
    if (reason.name === "TimeoutError") return "silent";
    if (reason instanceof SyntaxError) return "other";
  }
  try { // something may answer that does not speak to other sites' pages
    await ask(address, "/ping", { signal: timeout(), mode: "no-cors", redirect: "follow" });
    return "hidden";
  } catch (reason) {
    return reason.name === "TimeoutError" ? "silent" : "none";
  }
}

/** Ask for the box's health: {status, code, why, body}, "refused" or "silent". */
export async function health(address, token, patience = PATIENCE) {
  try {
    const response = await ask(address, "/health", { token, signal: AbortSignal.timeout(patience) });
    const body = await response.json();
    return { status: response.status, code: String(body?.code ?? ""), why: sentence(body?.why), body: response.ok ? body : null };
  } catch (reason) {
    if (reason.name === "TimeoutError") return "silent";
    return reason instanceof SyntaxError ? { status: 0, code: "", why: "", body: null } : "refused";
  }
}

/** A box's sentence, short enough to be read. */
export function sentence(text) {
  return typeof text === "string" ? text.slice(0, 400) : "";
}

/** All facts about a box; `asking` is called where the browser will first ask the reader. */
export async function gather(address, token, asking = () => {}) {
  const facts = { ...(await standing(address)), token: Boolean(token) };
  if (beforehand(facts)) return facts;
  const asks = facts.permission === "prompt" && !facts.page.loopback && facts.page.secure;
  if (asks) asking();
  facts.ping = await ping(address, asks ? ASKED : PATIENCE);
  if (asks) facts.permission = (await standing(address)).permission;
  if (facts.ping === "box") facts.health = await health(address, token);
  return facts;
}
