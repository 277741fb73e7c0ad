// Runs before the first paint, as a plain script: an explicit choice of colours must not flash,
// and what only works with scripts must know that they run.
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  if (location.protocol === "file:") root.classList.add("from-file");
  try {
    const choice = localStorage.getItem("gpubook-theme");
    if (choice === "light" || choice === "dark") root.dataset.theme = choice;
  } catch {
    // Storage is refused: the page follows the system.
  }
})();
