// What differs between two texts, word by word. Plain script without modules, as compare.js.
//
// Words.differ("Sign in to read", "Log in to read")   [["removed", "Sign"], ["added", "Log"], ["same", " in to read"]]
// Words.shown(before, after)                          the same as <del>, <ins> and text
(() => {
  "use strict";
  /** Texts with more words than this are compared as a whole. */
  const MOST = 400;
  /** Below this share of words in common (0–1) the parts would tell less than the two texts do. */
  const ALIKE = 0.3;

  const split = (text) => Time.words(text);

  function whole(before, after) {
    return [["removed", before], ["added", after]].filter(([, text]) => text);
  }

  function differ(before, after) {
    if (before === after) return before ? [["same", before]] : [];
    const [a, b] = [split(before), split(after)];
    if (!before || !after || a.length > MOST || b.length > MOST) return whole(before, after);
    // lengths[i][j]: of the longest common part of what follows a[i] and b[j].
    const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
    const parts = [];
    let [i, j, common] = [0, 0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) {
        if (a[i].trim()) common += 1;
        parts.push(["same", a[i]]);
        i += 1;
        j += 1;
      } else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) parts.push(["removed", a[i++]]);
      else parts.push(["added", b[j++]]);
    }
    const words = (list) => list.filter((one) => one.trim()).length;
    if (common < ALIKE * Math.max(words(a), words(b))) return whole(before, after);
    return gathered(parts);
  }

  /** What was removed and added between two words that stayed, in one piece each; a space alone separates nothing. */
  function gathered(parts) {
    const runs = [];
    let [removed, added] = ["", ""];
    const end = () => {
      if (removed) runs.push(["removed", removed]);
      if (added) runs.push(["added", added]);
      [removed, added] = ["", ""];
    };
    parts.forEach(([kind, text], at) => {
      const isBetween = kind === "same" && !text.trim() && removed && added && parts.slice(at + 1).find(([next]) => next !== "same") && parts[at + 1][0] !== "same";
      if (isBetween) {
        removed += text;
        added += text;
      } else if (kind === "removed") removed += text;
      else if (kind === "added") added += text;
      else {
        end();
        if (runs.at(-1)?.[0] === "same") runs.at(-1)[1] += text;
        else runs.push(["same", text]);
      }
    });
    end();
    return runs;
  }

  function shown(before, after) {
    return differ(before ?? "", after ?? "").map(([kind, text]) => {
      if (kind === "same") return text;
      const element = document.createElement(kind === "removed" ? "del" : "ins");
      element.textContent = text;
      return element;
    });
  }

  window.Words = { differ, shown };
})();
