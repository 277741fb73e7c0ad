// What a tab keeps of its box, and how it is told of one: in the address, or by the box itself.

const KEY = "gpubook-box";

/** `#box?token=…&address=…`, as `gpubook-box serve` prints it; null where it is something else. */
export function invitation(hash) {
  const found = hash.match(/^#box(?:\?(.*))?$/s);
  if (!found) return null;
  const told = new URLSearchParams((found[1] ?? "").replaceAll("+", "%2B")); // a token may hold a plus
  return { token: (told.get("token") ?? "").trim(), address: (told.get("address") ?? "").trim() };
}

/** What this tab keeps; "" and "" where it keeps nothing. */
export function kept() {
  try {
    const { address = "", token = "" } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return { address: String(address), token: String(token) };
  } catch (error) {
    if (!(error instanceof DOMException || error instanceof SyntaxError)) throw error;
    return { address: "", token: "" };
  }
}

export function keep(address, token) {
  try {
    if (address || token) sessionStorage.setItem(KEY, JSON.stringify({ address, token }));
    else sessionStorage.removeItem(KEY);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // storage refused: for this page only
  }
}

/** Whether this page came from a box: it says so beside its answer, which costs no question. */
export function served() {
  const [entry] = performance.getEntriesByType("navigation");
  return Boolean(entry?.serverTiming?.some(({ name }) => name === "gpubook-box"));
}
