// Reading progress: the selvedge under the top bar, 32 ticks, one for each 1/32 of the chapter.

const LANES = 32;

export function start() {
  const text = document.querySelector("main");
  if (!text || !document.querySelector(".selvedge")) return;
  let waiting = false;
  const measure = () => {
    waiting = false;
    const box = text.getBoundingClientRect();
    const way = box.height - innerHeight;
    const gone = way > 0 ? Math.min(1, Math.max(0, -box.top / way)) : 0;
    document.documentElement.style.setProperty("--read", String((Math.round(LANES * gone) / LANES) * 100));
  };
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(measure);
  };
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later, { passive: true });
  measure();
}
