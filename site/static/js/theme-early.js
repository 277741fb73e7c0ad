// Runs before the first paint, as a plain script: an explicit choice of colours must not flash,
// and what only works with scripts must know that they run, or that one of them did not come.
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  if (location.protocol === "file:") root.classList.add("from-file");
  // page.js, or a module without which it does not begin: what it fetches itself, it tells of itself
  addEventListener("error", ({ target }) => { if (target.type === "module") root.classList.replace("js", "in-part"); }, true);
  try {
    const choice = localStorage.getItem("gpubook-theme");
    if (choice === "light" || choice === "dark") root.dataset.theme = choice;
  } catch {
    // Storage is refused: the page follows the system.
  }
})();
