// The rows of a run as a table that grows while they stream.

import { columns, unit } from "./measure_columns.js";
import { fill, make } from "./dom.js";

const MOST = 2500; // rows of one run, as widgets.live takes them
const LONGEST = 60; // characters of a cell
const DIGITS = 4; // of what was measured, as its spread deserves

function number(value) {
  if (Number.isInteger(value)) return value.toLocaleString("en").replace("-", "\u2212");
  const whole = Math.trunc(Math.abs(value)).toString().length; // digits before the point are never rounded away
  const digits = Math.min(Math.max(DIGITS, whole), 21);
  return value.toLocaleString("en", { minimumSignificantDigits: digits, maximumSignificantDigits: digits }).replace("-", "\u2212");
}

// Names and words come from the box: "constructor" is one of its words, not of ours.
const wordFor = (words, name) => (Object.hasOwn(words, name) ? words[name] : undefined);

/** A value as a cell shows it. */
export function cell(value, words) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? words.yes : words.no;
  return (typeof value === "string" ? wordFor(words.values, value) ?? value : JSON.stringify(value)).slice(0, LONGEST);
}

export class Rows {
  constructor(experiment, words) {
    this.experiment = experiment;
    this.words = words;
    this.rows = [];
    this.body = make("tbody");
    this.head = make("thead");
    this.table = make("table", {}, make("caption", { className: "sr" }, words.tableCaption), this.head, this.body);
    this.element = make("div", { className: "scroll measure-rows", tabIndex: 0, role: "region", "aria-label": words.tableCaption, hidden: true }, this.table);
  }

  clear() {
    this.rows = [];
    this.columns = null;
    this.body.replaceChildren();
    this.head.replaceChildren();
    this.element.hidden = true;
  }

  /** Add a row; false where there are more than any experiment has. */
  add(row, readAt) {
    if (this.rows.length >= MOST) return false;
    this.rows.push(row);
    if (!this.columns) {
      this.columns = columns(this.experiment, row);
      this.head.append(make("tr", {}, ...this.columns.map((column) => make("th", { scope: "col" }, ...this.#label(column)))));
    }
    const line = make("tr", {}, ...this.columns.map((column, i) => make(i ? "td" : "th", { scope: i ? null : "row" }, this.#cell(column, row))));
    const box = this.element;
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40; // whoever scrolls up is left there
    box.hidden = false;
    this.body.append(line);
    if (atEnd) box.scrollTop = box.scrollHeight;
    if (Number.isFinite(readAt)) {
      line.dataset.read = String(readAt); // when the child had it and when it stood here, in s of one clock: for tests
      line.dataset.shown = String((performance.timeOrigin + performance.now()) / 1000);
    }
    return true;
  }

  #label({ kind, name, of }) {
    const { words } = this;
    const model = of && wordFor(words.columns, of) ? fill(words.modelOf, { what: words.columns[of] }) : words.model;
    const told = { model, measured: words.measured, spread: words.spread, span: words.span }[kind];
    const own = wordFor(words.columns, name);
    const what = kind === "set" ? own : kind === "measured" && own ? own : told;
    if (!what) return [make("code", {}, name.slice(0, LONGEST))];
    return [unit(name) ? fill(words.withUnit, { what, unit: unit(name) }) : what];
  }

  #cell({ kind, name, high }, row) {
    if (!high) return cell(row[name], this.words);
    if (row[name] === undefined || row[name] === null) return "–";
    return fill(this.words.fromTo, { low: cell(row[name], this.words), high: cell(row[high], this.words) });
  }
}
