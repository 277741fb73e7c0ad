// What a reader typed for a box's address: its obvious meaning, or why it has none.

import { invitation } from "./box_keep.js";

export const PORT = 8787; // `gpubook-box serve` without --port
const LONGEST = 200;

/** Whether a host's name is that of the machine it is asked on. */
export function isLoopback(hostname) {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname);
}

function refuse(problem, value = "") {
  return { problem, value: String(value).slice(0, LONGEST) };
}

/** Return {address, token} with an origin such as http://127.0.0.1:8787, or {problem, value}; problems are words' names. */
export function parse(typed) {
  // full-width letters, digits, colons and slashes of a Chinese keyboard are those of an address
  let text = typed.normalize("NFKC").replaceAll("。", ".").trim();
  if (!text) return refuse("empty");
  if (text.length > 2 * LONGEST) return refuse("long", text);
  if (/\s/.test(text)) return refuse("spaces", text);
  const hash = text.indexOf("#");
  const invited = hash < 0 ? null : invitation(text.slice(hash));
  if (invited) text = text.slice(0, hash);
  const [, scheme, rest] = text.match(/^(?:([a-z][a-z0-9+.-]*):(?=\/\/|(?!\d)[^:]+$))?(.*)$/is);
  if (scheme && !/^https?$/i.test(scheme)) return refuse("scheme", scheme.toLowerCase());
  const body = rest.replace(/^\/\//, "");
  const place = body.replace(/\/+$/, "");
  if (!place) return refuse("host", text);
  if (place.includes("@")) return refuse("user", place.match(/^[^:@]*/)[0]);
  if (/[/\\?#]/.test(place)) return refuse("path", place.slice(place.search(/[/\\?#]/)));
  const result = origin(scheme?.toLowerCase(), place);
  return result.problem ? result : { address: result.address, token: invited?.token ?? "" };
}

function origin(scheme, place) {
  const bare = /^(\[[0-9a-f:.]+\]|[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*)$/i.test(place); // IPv6 without a port
  const only = place.match(/^:?(\d+)$/); // nothing but a port
  const split = bare ? null : place.match(/^(.*?)(?::([^:]*))?$/s);
  let host = only ? "127.0.0.1" : bare ? `[${place.replace(/^\[|\]$/g, "")}]` : split[1];
  const port = only ? only[1] : split?.[2];
  if (port !== undefined && (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65535)) return refuse("port", port);
  if (!host) return refuse("host", place);
  if (host === "0.0.0.0" || host === "[::]") host = "127.0.0.1"; // listens everywhere: this machine, for a browser
  const shown = port ?? (scheme ? "" : PORT);
  try {
    const url = new URL(`${scheme ?? "http"}://${host}${shown === "" ? "" : `:${shown}`}`);
    return url.hostname ? { address: url.origin } : refuse("host", place);
  } catch {
    return refuse("host", place);
  }
}
