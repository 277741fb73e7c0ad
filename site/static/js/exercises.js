// Exercises: the reader's answer goes to Python's lab check; nothing is judged here.

export function exercises(engine, config) {
  for (const form of document.querySelectorAll("form.ex-form")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      check(form, engine, config);
    });
  }
}

function answer(form) {
  const chosen = form.querySelectorAll("input[type=radio]");
  if (chosen.length) return form.querySelector("input[type=radio]:checked")?.value ?? "";
  return form.querySelector("input.ans").value;
}

async function check(form, engine, config) {
  const say = form.parentElement.querySelector(".say");
  const text = answer(form);
  form.waiting = text;
  if (engine.state !== "live") {
    tell(say, "", config.words.answerKept);
    try {
      await ready(engine);
    } catch (reason) {
      return tell(say, "", reason.message);
    }
    if (form.waiting !== text) return; // a later answer replaced it
  }
  try {
    const verdict = await engine.send({ verb: "check", exercise: form.dataset.exercise, answer: text });
    tell(say, verdict.kind, verdict.message, verdict.read);
  } catch (reason) {
    if (reason.dropped) return check(form, engine, config); // Python is starting again
    tell(say, "", reason.message);
  }
}

function ready(engine) {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (engine.state !== "live" && engine.state !== "failed") return;
      engine.removeEventListener("state", look);
      if (engine.state === "live") resolve();
      else reject(new Error(engine.detail.reason));
    };
    engine.addEventListener("state", look);
    look();
  });
}

function tell(say, kind, message, read = "") {
  say.className = `say ${kind === "right" ? "right" : ""}`;
  const [first, ...rest] = message.split(/(?<=^\S[^.。]*[.。])/);
  const bold = document.createElement("b");
  bold.textContent = kind ? first : "";
  say.replaceChildren(bold, kind ? rest.join("") : message, read ? `${document.documentElement.lang.startsWith("zh") ? "" : " "}${read}` : "");
  say.hidden = false;
}
