// Run Python in Pyodide under Node. The job is JSON on standard input:
//   core      folder of pyodide.mjs, pyodide.asm.mjs and pyodide.asm.wasm
//   stdlib    path of the standard library's archive
//   lock      Pyodide's list of packages, as JSON text; package_base: folder that its names count from
//   packages  names of that list to load; unpack: archives to unpack beside them
//   mounts    {path in Python: folder of this machine, or file, which is copied}
//   env       environment variables
//   code      the Python to run
// Its output goes to standard output. An error's message, and nothing else, goes to standard error: what Node
// prints of an uncaught one is a line of source, and Pyodide's source is one line of a megabyte.
import { readFileSync, statSync, writeSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";

try {
  const job = JSON.parse(readFileSync(0, "utf8"));
  const { loadPyodide } = await import(pathToFileURL(join(job.core, "pyodide.mjs")));
  const python = await loadPyodide({
    indexURL: job.core + sep,
    stdLibURL: job.stdlib,
    lockFileContents: job.lock,
    packageBaseUrl: job.package_base + sep,
    packages: job.packages,
    env: job.env,
  });
  python.setStdout({ write: (bytes) => writeSync(1, bytes) });
  python.setStderr({ write: (bytes) => writeSync(2, bytes) });
  for (const archive of job.unpack) {
    python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip");
  }
  for (const [inside, path] of Object.entries(job.mounts)) {
    if (statSync(path).isDirectory()) {
      python.FS.mkdirTree(inside);
      python.mountNodeFS(inside, path);
    } else {
      python.FS.mkdirTree(dirname(inside));
      python.FS.writeFile(inside, readFileSync(path));
    }
  }
  python.runPython(job.code);
  process.exit(0);
} catch (error) {
  writeSync(2, String(error?.message ?? error) + "\n");
  process.exit(1);
}
