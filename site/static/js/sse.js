// Server-sent events out of bytes as they come, cut anywhere. Source: WHATWG HTML, 9.2.6 "Interpreting an event stream".

const LINE = /\r\n|\n|\r/;

/** A stream that is not what it should be: an event without end, or one that is no JSON. */
export class Unreadable extends Error {}

export class Parser {
  /** `limit`: characters that one event may have at most; `Unreadable` beyond. */
  constructor(limit = 1 << 20) {
    this.limit = limit;
    this.decoder = new TextDecoder();
    this.rest = ""; // the line that has no end yet
    this.afterReturn = false; // a line feed that comes now belongs to the line end before
    this.#next();
  }

  /** Take the next bytes; return the events that they complete, as {event, data, id}. */
  push(bytes) {
    let text = this.decoder.decode(bytes, { stream: true });
    if (!text) return [];
    if (this.afterReturn && text.startsWith("\n")) text = text.slice(1);
    this.afterReturn = text ? text.endsWith("\r") : false;
    const lines = (this.rest + text).split(LINE);
    this.rest = lines.pop();
    const events = [];
    for (const line of lines) {
      this.size += line.length;
      if (this.size > this.limit) break;
      if (line) this.#field(line);
      else this.#dispatch(events);
    }
    if (this.size + this.rest.length > this.limit) throw new Unreadable(`an event of more than ${this.limit} characters`);
    return events;
  }

  #field(line) {
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment: a sign of life
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.event = value;
    else if (name === "data") this.data.push(value);
    else if (name === "id" && !value.includes("\0")) this.id = value;
  }

  #dispatch(events) {
    if (this.data.length) events.push({ event: this.event || "message", data: this.data.join("\n"), id: this.id ?? "" });
    this.#next();
  }

  #next() {
    this.event = "";
    this.data = [];
    this.size = 0;
  }
}
