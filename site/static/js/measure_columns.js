// Which columns of an experiment's rows the panel shows: what was set, then what was measured. The model's and the
// spread's columns go by the measured one's name: model_us, us_p20, us_p80.

const COLUMNS = {
  activation_chain: [["way", "rows"], ["us", "gb_per_s"]],
  autotune: [["m", "tile_m", "tile_n", "tile_k"], ["us", "compile_ms"]],
  bank_conflict_cycles: [["case", "op", "width_bytes", "wavefronts"], ["cycles"]],
  chunks: [["pieces"], ["graph_ms", "overlap_ms"]],
  compile_path: [["stage", "what"], ["bytes", "lines"]],
  cpu_bound: [["way", "kernels"], ["us", "submit_us_each"]],
  divergence_cycles: [["kernel", "lengths", "pattern"], ["cycles"]],
  double_buffer: [["slots", "fmas", "stream", "batch"], ["begin_us", "end_us"]],
  dynamic_shapes: [["way"], ["ready_ms", "group_ms"]],
  flash_measured: [["way", "length", "heads", "causal"], ["us", "tflop_per_s"]],
  fooled: [["switch", "state"], ["us"]],
  graph_inputs: [["bytes"], ["eager_us", "graph_copy_us", "graph_in_place_us"]],
  graph_modes: [["mode"], ["us", "kernels"]],
  host_paths: [["path", "bytes"], ["us", "gb_per_s"]],
  loads_in_flight: [["warps_per_sm", "loads", "width_bytes", "chain_bytes"], ["gb_per_s", "ns"]],
  matmul_tiles: [["way", "tile_m", "tile_n", "tile_k", "warps", "stages"], ["us", "tflop_per_s"]],
  blocks_per_sm: [["threads_per_block", "registers_per_thread", "dynamic_shared_bytes"], ["blocks_per_sm"]],
  online_softmax: [["way", "columns"], ["us", "gb_per_s_least"]],
  persistent: [["way", "silu_programs"], ["us"]],
  pipeline_slots: [["what", "slots", "fmas"], ["us"]],
  rmsnorm_split: [["rows", "segments"], ["us"]],
  roofline: [["fmas", "flop_per_byte"], ["tflop_per_s"]],
  strided_copy: [["stride", "offset"], ["us", "gb_per_s_used"]],
  sum_order: [["segments", "order"], ["different_results", "error_ulp_least"]],
  three_stopwatches: [["fmas", "kernel_us"], ["call_us", "events_us", "result_us"]],
  transpose_tiles: [["way", "tile", "padding", "swizzle"], ["us", "gb_per_s"]],
  vector_add: [["way", "n", "l2"], ["us", "gb_per_s"]],
};
const MOST = 7; // columns of an experiment that this page does not know

const UNITS = [
  [/(^|_)us(_|$)/, "µs"], [/(^|_)ms(_|$)/, "ms"], [/(^|_)ns(_|$)/, "ns"], [/(^|_)gb_per_s(_|$)/, "GB/s"],
  [/(^|_)tflop_per_s(_|$)/, "TFLOP/s"], [/(^|_)bytes$/, "B"],
];

/** The unit that a column's name ends in, "" for none. */
export const unit = (name) => UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? "";

// what lies between, and what it is: percentiles of samples, or all of a few runs
const spreads = (name) => [["spread", `${name}_p20`, `${name}_p80`], ["span", `${name}_least`, `${name}_most`]];

/** Columns [{kind: "set" | "model" | "measured" | "spread" | "span", name, …}] for rows like this first one. */
export function columns(experiment, row) {
  const known = COLUMNS[experiment];
  if (!known) return Object.keys(row).slice(0, MOST).map((name) => ({ kind: "set", name }));
  const [set, measured] = known;
  const made = set.map((name) => ({ kind: "set", name }));
  const models = measured.map((name) => ({ kind: "model", name: `model_${name}`, of: name })).filter(({ name }) => name in row);
  if (!models.length && measured[0].endsWith("_ms") && "model_ms" in row) models.push({ kind: "model", name: "model_ms" });
  made.push(...models.map((model) => (models.length > 1 ? model : { ...model, of: null }))); // several have to be told apart
  made.push(...measured.map((name) => ({ kind: "measured", name })));
  const [kind, low, high] = spreads(measured[0]).find(([, name]) => name in row) ?? [];
  if (low) made.push({ kind, name: low, high });
  return made;
}
