// Elements and words. All text of flows and devices becomes text nodes here, never markup.

/**
 * An element: attributes, `on…` listeners, and children (texts, elements, lists, or nothing).
 * @returns {any}
 */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : visible(String(value)));
  }
  fill(element, children);
  return element;
}

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    element.append(child instanceof Node ? child : visible(String(child)));
  }
}

/** Control characters and those that turn the reading direction, made visible. */
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) =>
    c === "\r" ? "" : "\\u{" + c.codePointAt(0).toString(16) + "}");
}

/** `120ms`, `3.4s`, `2m 05s`. */
function duration(ms) {
  if (ms < 1000) return ms + "ms";
  if (ms < 59950) return (ms / 1000).toFixed(1) + "s";
  const seconds = Math.round(ms / 1000);
  return Math.floor(seconds / 60) + "m " + String(seconds % 60).padStart(2, "0") + "s";
}

/** `1 dump`, `2 dumps`. */
function count(number, noun) {
  return number + " " + noun + (number === 1 ? "" : "s");
}

/** Statuses of flows, worst first: the word for people, the sign beside the colour. */
const STATUS = {
  error: ["error", "!"],
  failed: ["failed", "✕"],
  interrupted: ["stopped", "■"],
  quarantined: ["quarantined", "⊘"],
  unfinished: ["not finished", "…"],
  not_run: ["not run", "○"],
  flaky: ["flaky", "≈"],
  skipped: ["skipped", "–"],
  passed: ["passed", "✓"],
  warned: ["failed, optional", "△"],
};

/** The sign of a status; its word is read out. */
function sign(status) {
  const [word, mark] = STATUS[status] || [status || "not finished", "…"];
  return el("span", { class: "sign " + (status || "unfinished"), title: word },
    el("span", { "aria-hidden": "true" }, mark), el("span", { class: "unseen" }, word));
}
