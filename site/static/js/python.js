// The one Python of a visit: under which name its worker goes, and its start. A plain script at the head of the page, not a
// module: those run once the page is read and laid out, and Python needs longest of all.
{
  const GENERATION = "gpubook-worker";
  const here = document.currentScript;
  const base = here.src;
  let early = null;

  globalThis.bookPython = {
    /** Counted up when a worker has to be left: no page can end it, so that the next one has another name. */
    generation() {
      try { return localStorage.getItem(GENERATION) ?? "0"; } catch { return "0"; }
    },

    nextGeneration() {
      try { localStorage.setItem(GENERATION, String(Number(this.generation()) + 1)); } catch { /* private mode: this tab only */ }
    },

    /** Address and options of the worker. */
    worker() {
      const url = new URL("worker.js", base);
      url.searchParams.set("manifest", new URL(here.dataset.manifest, document.baseURI).href);
      return [url, { type: "module", name: `gpubook-${here.dataset.build}-${this.generation()}`, extendedLifetime: true }];
    },

    /** Connect to the worker of all pages, and start it if there is none; throws where there cannot be one. */
    shared() {
      const [url, options] = this.worker();
      const begun = early?.name === options.name ? early.worker : null; // handed out once
      early = null;
      return begun ?? new SharedWorker(url, options);
    },
  };

  if (typeof SharedWorker !== "undefined") {
    try {
      const worker = bookPython.shared();
      early = { worker, name: bookPython.worker()[1].name };
      worker.onerror = () => { early = null; }; // the engine asks for another and hears why there is none
    } catch { /* no module workers here, or forbidden: the engine meets the same */ }
  }
}
