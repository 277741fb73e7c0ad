// The contents of a chapter: which section is being read, in the rail and in the drawer; and the drawer's manners.

/** The last section whose beginning has passed the upper third of the window; at the page's end, the last one. */
function reading(targets) {
  const root = document.documentElement;
  if (scrollY > 0 && scrollY + innerHeight >= root.scrollHeight - 2) return targets.at(-1) ?? null;
  const line = innerHeight / 3;
  let found = null;
  for (const target of targets) {
    if (target.getBoundingClientRect().top > line) break;
    found = target;
  }
  return found;
}

function follow() {
  const links = [...document.querySelectorAll("a.go[href^='#']")];
  const ids = new Set(links.map((link) => decodeURIComponent(link.hash.slice(1))));
  const targets = [...ids].map((id) => document.getElementById(id)).filter(Boolean);
  let current = null;
  let waiting = false;
  const mark = () => {
    waiting = false;
    const next = reading(targets);
    if (next === current) return;
    current = next;
    for (const link of links) {
      if (current && decodeURIComponent(link.hash.slice(1)) === current.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    const rail = document.querySelector(".rail");
    const here = rail?.querySelector("[aria-current]");
    if (here && rail.scrollHeight > rail.clientHeight) rail.scrollTop = here.offsetTop - rail.clientHeight / 2;
  };
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(mark);
  };
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later, { passive: true });
  mark();
}

function drawer(box) {
  const opener = box.querySelector("summary");
  const close = (focus) => {
    if (!box.open) return;
    box.open = false;
    if (focus) opener.focus();
  };
  box.addEventListener("keydown", (event) => { if (event.key === "Escape") close(true); });
  box.addEventListener("click", (event) => { if (event.target.closest("nav a[href]")) close(false); });
  box.addEventListener("focusout", (event) => { if (event.relatedTarget && !box.contains(event.relatedTarget)) close(false); });
  document.addEventListener("pointerdown", (event) => {
    // The shade behind the drawer is a part of the box, but not of what lies in it.
    if (!opener.contains(event.target) && !event.target.closest?.(".drawer nav")) close(false);
  });
  // Wide enough for the rail: the drawer is gone, and must not be open when it comes back.
  matchMedia("(min-width: 1240px)").addEventListener("change", () => close(false));
}

export function start() {
  follow();
  for (const box of document.querySelectorAll("details.drawer")) drawer(box);
}
