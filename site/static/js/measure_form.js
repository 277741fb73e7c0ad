// Controls for an experiment's inputs, made from the JSON schema that the box gives, and the check before anything is sent.

import { fill, make } from "./dom.js";

const MOST = 16; // controls
const LONGEST = 80; // characters of a label or a choice that a box may fill

const cut = (text) => String(text).slice(0, LONGEST);

function resolve(property, schema) {
  const name = property?.$ref?.match?.(/^#\/\$defs\/([\w-]+)$/)?.[1];
  const found = name ? schema.$defs?.[name] : property?.allOf?.[0] ?? property;
  return found && typeof found === "object" ? { ...found, ...property } : {};
}

/** What a schema asks for: [{name, kind, label, least, most, step, options, value}]. */
export function fields(schema) {
  const properties = Object.entries(schema?.properties ?? {}).slice(0, MOST);
  return properties.map(([name, given]) => {
    const property = resolve(given, schema);
    const options = Array.isArray(property.enum) ? property.enum.filter((each) => ["string", "number"].includes(typeof each)) : null;
    const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
    return {
      name, options, label: cut(property.description ?? property.title ?? name), value: property.default,
      kind: options ? "choice" : ["integer", "number", "boolean"].includes(property.type) ? property.type : "text",
      least: number(property.minimum), most: number(property.maximum), step: number(property.multipleOf),
    };
  });
}

// A number as people write it: full-width digits, spaces and thousands commas, a real minus.
function read(text) {
  const plain = text.normalize("NFKC").trim().replace("\u2212", "-").replace(/(?<=\d)[ \u00a0](?=\d{3})|,(?=\d{3}(?:\D|$))/g, "");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

const shown = (value) => Number(value).toLocaleString("en", { maximumFractionDigits: 12 }).replace("-", "\u2212");

/** The range of a field in words. */
export function range({ least, most, step }, words) {
  const bounds = least !== null && most !== null ? words.range : least !== null ? words.atLeast : most !== null ? words.atMost : "";
  const told = [fill(bounds, { least: shown(least), most: shown(most) }), step && step !== 1 ? fill(words.multiple, { step: shown(step) }) : ""];
  const [one, two] = told.filter(Boolean);
  return two ? fill(words.both, { one, two }) : one ?? "";
}

/** {value}, or {problem}: a sentence with what was given and what would be right. */
export function check(field, text, words) {
  if (field.kind === "boolean" || field.kind === "choice") return { value: text };
  if (field.kind === "text") return text.trim() ? { value: text.trim() } : { problem: fill(words.noText, { label: field.label }) };
  const value = read(text);
  const whole = field.kind === "integer";
  const right = Number.isFinite(value) && (!whole || Number.isSafeInteger(value)) && (field.least === null || value >= field.least)
    && (field.most === null || value <= field.most) && (!field.step || Number.isInteger(value / field.step));
  if (right) return { value };
  const bounds = range(field, words);
  const given = text.trim().slice(0, LONGEST);
  if (!given) return { problem: fill(whole ? words.noWhole : words.noNumber, { range: bounds }) };
  return { problem: fill(whole ? words.badWhole : words.badNumber, { given, range: bounds }) };
}

export class Form {
  /** `labels` translates descriptions that this book knows; the box speaks English. */
  constructor(id, schema, words) {
    this.words = words;
    this.fields = fields(schema);
    this.controls = new Map(this.fields.map((field) => [field.name, this.#control(`${id}-${field.name}`, field)]));
    this.element = make("div", { className: "measure-controls" }, ...[...this.controls.values()].map(({ element }) => element));
  }

  #control(id, field) {
    const label = make("label", { htmlFor: id, lang: field.label in this.words.inputs ? undefined : "en" }, this.words.inputs[field.label] ?? field.label);
    const hint = make("span", { className: "hint", id: `${id}-range` }, range(field, this.words));
    const problem = make("p", { className: "wrong", id: `${id}-wrong`, role: "alert" });
    let input;
    if (field.kind === "choice") {
      input = make("select", { className: "pick", id });
      input.append(...field.options.map((value, i) => make("option", { value: String(i), selected: value === field.value }, cut(value))));
    } else if (field.kind === "boolean") {
      input = make("input", { type: "checkbox", className: "tick", id, checked: field.value === true });
    } else {
      const mode = { integer: "numeric", number: "decimal", text: "text" }[field.kind];
      input = make("input", {
        className: "text", id, type: "text", inputMode: mode, autocomplete: "off", spellcheck: false, maxLength: LONGEST,
        value: field.value === undefined || field.value === null ? "" : typeof field.value === "number" ? shown(field.value) : String(field.value),
        "aria-describedby": `${id}-range ${id}-wrong`,
      });
    }
    const element = make("div", { className: "measure-ctl", "data-input": field.name }, label, input, hint, problem);
    return { element, input, problem, field };
  }

  /** The inputs as they are set; null, with sentences at the fields, where one is wrong. */
  inputs() {
    const values = {};
    let first = null;
    for (const [name, { input, field }] of this.controls) {
      const given = field.kind === "choice" ? field.options[Number(input.value)] : field.kind === "boolean" ? input.checked : input.value;
      const { value, problem = "" } = check(field, given, this.words);
      this.refuse(name, problem);
      if (problem) first ??= input;
      values[name] = value;
    }
    first?.focus();
    return first ? null : values;
  }

  /** Say what is wrong at a field; false if there is none of that name. */
  refuse(name, sentence, lang) {
    const control = this.controls.get(name);
    if (!control) return false;
    control.problem.textContent = sentence;
    if (lang) control.problem.lang = lang;
    else control.problem.removeAttribute("lang");
    if (sentence) control.input.setAttribute("aria-invalid", "true");
    else control.input.removeAttribute("aria-invalid");
    return true;
  }

  disable(now) {
    for (const { input } of this.controls.values()) input.disabled = now;
  }
}
