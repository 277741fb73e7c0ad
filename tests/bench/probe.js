// Runs in a measured page before its own scripts. Times are the page's own clock: ms since its navigation began.
globalThis.bench = (() => {
  /** Elements that match, in open shadow roots too, which is where Panel's are. */
  function* all(selector, root = document) {
    yield* root.querySelectorAll(selector);
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) yield* all(selector, element.shadowRoot);
    }
  }
  const first = (selector) => all(selector).next().value ?? null;

  // What is looked for is asked in every frame: the same for both pages, whatever made it.
  const times = {};
  const looked = {};
  function look() {
    for (const [name, there] of Object.entries(looked)) {
      if (!there()) continue;
      times[name] = performance.now();
      delete looked[name];
    }
    if (Object.keys(looked).length) requestAnimationFrame(look);
  }
  function when(conditions) {
    Object.assign(looked, conditions);
    requestAnimationFrame(look);
  }

  let pressed = 0;
  addEventListener("keydown", (event) => { pressed = event.timeStamp; }, true);

  /** From now on: how long after the key what `text` says is another, to the very change and not to a frame. */
  function answer(text) {
    const before = text();
    return new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (text() === before) return;
        observer.disconnect();
        resolve({ at: performance.now(), ms: performance.now() - pressed });
      });
      const watch = { subtree: true, childList: true, characterData: true };
      observer.observe(document, watch);
      for (const element of all("*")) if (element.shadowRoot) observer.observe(element.shadowRoot, watch);
    });
  }

  const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null;
  return { all, first, when, answer, times, paint };
})();
