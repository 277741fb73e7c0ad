// The dialog that connects a box, and the doctor's findings in words with the command that mends them.

import { parse, PORT } from "./box_address.js";
import { serve, tunnel } from "./box_doctor.js";
import { kept, served } from "./box_keep.js";
import { box, gpu } from "./box_visit.js";
import { fill, make } from "./dom.js";

const OWN = "http://127.0.0.1:"; // where the box listens if nothing else is said
let dialog = null;

/** A command or an address to copy. */
export function command(text, words) {
  const copy = make("button", { type: "button", className: "quietly" }, words.copy);
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = words.copied;
    } catch {
      copy.textContent = words.notCopied;
    }
    setTimeout(() => { copy.textContent = words.copy; }, 2000);
  });
  return make("div", { className: "command" }, make("code", { lang: "en" }, text), copy);
}

/** A finding as elements: what is wrong, what to do, what to type, and the box's own sentence. */
export function told(finding, words) {
  const { says, fix } = words.doctor[finding.code] ?? words.doctor.odd;
  const own = finding.values.why ? make("p", { className: "its-words" }, words.itsWords, make("q", { lang: "en" }, finding.values.why)) : null;
  return [
    make("p", {}, make("b", {}, fill(says, finding.values)), fix ? words.space : "", fill(fix, finding.values)), own,
    ...finding.commands.map((text) => command(text, words)),
  ];
}

class Dialog {
  constructor(config) {
    this.words = config.box;
    const { words } = this;
    const close = (label, kind) => make("button", { type: "button", className: kind, onclick: () => this.element.close() }, label);
    this.address = make("input", { className: "text", id: "box-address", type: "text", inputMode: "url", autocomplete: "off", spellcheck: false, autocapitalize: "off" });
    this.token = make("input", { className: "text masked", id: "box-token", type: "text", autocomplete: "off", spellcheck: false, autocapitalize: "off" });
    this.wrong = make("p", { className: "wrong", id: "box-wrong", role: "alert" });
    this.address.setAttribute("aria-describedby", "box-wrong");
    this.token.setAttribute("aria-describedby", "box-kept");
    this.place = make("div", { className: "measure-ctl" }, make("label", { htmlFor: "box-address" }, words.address), this.address, this.wrong);
    this.other = make("button", { type: "button", className: "quietly", onclick: () => this.#elsewhere() }, words.other);
    this.go = make("button", { className: "btn main" }, words.connectNow);
    this.form = make("form", { noValidate: true, onsubmit: (event) => { event.preventDefault(); this.#connect(); } },
      this.place,
      make("div", { className: "measure-ctl" }, make("label", { htmlFor: "box-token" }, words.token), this.token,
        make("span", { className: "hint", id: "box-kept" }, words.keptHere)),
      make("div", { className: "row" }, this.go, close(words.cancel, "btn"), this.other));
    this.lead = make("p", { className: "lead" });
    this.say = make("div", { className: "finding", role: "status" });
    this.facts = make("dl", { className: "machine" });
    this.leave = make("button", { type: "button", className: "btn", onclick: () => this.#leave() }, words.disconnect);
    this.there = make("div", { className: "row" }, close(words.close, "btn main"), this.leave);
    this.how = make("div", { className: "how" },
      make("p", {}, words.howServe), command(serve(), words), make("p", {}, words.howTunnel), command(tunnel(), words));
    this.element = make("dialog", { className: "box-dialog", "aria-labelledby": "box-title" },
      make("h2", { id: "box-title", tabIndex: -1 }, words.dialogTitle), this.lead, this.say, this.facts, this.form, this.there, this.how);
    this.element.addEventListener("click", (event) => { if (event.target === this.element) this.element.close(); }); // beside it
    this.element.addEventListener("close", () => (typeof this.opener === "function" ? this.opener() : this.opener)?.focus());
    box.addEventListener("change", () => this.#show());
    document.body.append(this.element);
  }

  open(opener, finding = null) {
    this.opener = opener;
    const { address, token } = kept();
    this.own = served() && (!address || address === location.origin);
    this.address.value = address || (served() ? location.origin : `${OWN}${PORT}`);
    this.token.value = token;
    this.#tell(finding ?? (box.state === "connected" ? null : box.finding));
    this.#show();
    if (!this.element.open) this.element.showModal();
    if (box.state === "connected") this.there.firstChild.focus();
    else (this.own || this.address.value !== `${OWN}${PORT}` ? this.token : this.address).focus();
  }

  #elsewhere() {
    this.own = false;
    this.#show();
    this.address.select();
  }

  #show() {
    const { words } = this;
    const connected = box.state === "connected";
    this.place.hidden = this.own;
    this.other.hidden = !this.own;
    this.form.hidden = connected;
    this.how.hidden = connected || this.own;
    this.there.hidden = this.facts.hidden = !connected;
    this.go.disabled = box.state === "connecting";
    this.lead.textContent = connected
      ? fill(gpu() ? words.connectedTo : words.connectedNoGpu, { gpu: gpu(), address: box.address })
      : this.own ? words.ownLead : words.lead;
    if (!connected) return;
    const parts = ["driver", "cuda", "torch", "triton"].filter((name) => typeof box.machine?.[name] === "string");
    this.facts.replaceChildren(...parts.flatMap((name) => [make("dt", {}, words[name]), make("dd", {}, box.machine[name].slice(0, 60))]));
  }

  #tell(finding) {
    this.say.replaceChildren(...(finding && finding.code !== "fine" ? told(finding, this.words) : []).filter(Boolean));
    if (finding?.commands.length) this.how.hidden = true;
  }

  #wrong(sentence) {
    this.wrong.textContent = sentence;
    if (sentence) this.address.setAttribute("aria-invalid", "true");
    else this.address.removeAttribute("aria-invalid");
  }

  async #connect() {
    const { words } = this;
    const { address, token, problem, value } = parse(this.address.value);
    this.#wrong(problem ? fill(words.problems[problem], { value }) : "");
    if (problem) return this.address.focus();
    this.address.value = address;
    if (token) this.token.value = token;
    const note = (text) => this.say.replaceChildren(make("p", {}, text));
    note(fill(words.trying, { address }));
    const finding = await box.connect(address, this.token.value.trim(), () => note(words.asking));
    this.#tell(finding);
    if (finding.connected) this.there.firstChild.focus();
    else (["token", "noToken"].includes(finding.code) ? this.token : this.go).focus();
  }

  #leave() {
    box.leave();
    this.token.value = "";
    this.say.replaceChildren();
    this.token.focus();
  }
}

/** Show the dialog; the focus comes back to `opener`, an element or a function that finds one. `finding` is what the doctor has to say already. */
export function open(config, opener, finding) {
  dialog ??= new Dialog(config);
  dialog.open(opener, finding);
}
