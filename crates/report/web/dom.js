"use strict";
// Words and parts of the report; elements are made in ../walk/elements.js.

function cost(trips, dumps) {
  return count(trips, "round trip") + ", " + count(dumps, "dump");
}

function place(at) {
  return at.file + ":" + at.line + ":" + at.column;
}

/** The name of the project's folder. */
function projectName() {
  return summary.root.split(/[/\\]/).filter(Boolean).pop();
}

/** A command or a place to copy. */
function copyable(text) {
  const code = el("code", {}, text);
  const button = el("button", { type: "button", class: "copy", "aria-label": "Copy " + text, onclick: copy }, "Copy");
  function copy() {
    getSelection().selectAllChildren(code);
    const done = () => {
      button.textContent = "Copied";
      say("Copied");
      setTimeout(() => (button.textContent = "Copy"), 1500);
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
  }
  return el("span", { class: "copyable" }, code, button);
}

/** Tells those who listen instead of look. */
function say(text) {
  document.getElementById("said").textContent = text;
}

/** A section with its heading. */
function section(id, title, ...children) {
  return el("section", { id, "aria-labelledby": id + "-title" }, el("h2", { id: id + "-title" }, title), children);
}

/** Moves the focus to the first element that a selector of styles finds. */
function focusOn(selector) {
  /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus();
}
