// The sentence about a script that did not come.

/** `words` of the page's configuration; `reason` as import() gave it, with the address of what it asked for. */
export function missing(words, reason) {
  const text = String(reason?.message ?? reason);
  return words.noFile.replace("{file}", text.match(/([\w.-]+\.js)/)?.[1] ?? text).replace("{status}", "");
}
