// Elements made by hand: text is always text, so that nothing which comes from elsewhere is ever read as HTML.

/** Make an element: properties, `data-…` and `aria-…` attributes, then children, which are elements or text. */
export function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name in element && !name.includes("-")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Fill a sentence's {names}. */
export function fill(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A sentence whose {names} may be elements. */
export function pieces(text, values) {
  return text.split(/(\{\w+\})/).filter(Boolean).map((part) => values[part.slice(1, -1)] ?? part);
}
