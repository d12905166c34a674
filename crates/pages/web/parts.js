// Long lists in parts. Plain script without modules, as compare.js.
//
// Parts.of(items)   lists of 20 items each; the parent is the list (role="list"), or a listbox
//
// A browser lays out only the parts in sight. Told so of each item instead, it looks at all of them in every frame that is
// scrolled: with 2,000 items that took longer than a frame has.
(() => {
  "use strict";
  const SIZE = 20;

  function of(items) {
    const parts = [];
    for (let at = 0; at < items.length; at += SIZE) {
      const part = document.createElement("ul");
      const own = items.slice(at, at + SIZE);
      part.className = "part";
      part.setAttribute("role", "presentation");
      part.style.setProperty("--items", String(own.length));
      for (const item of own) if (!item.hasAttribute("role")) item.setAttribute("role", "listitem");
      part.append(...own);
      parts.push(part);
    }
    return parts;
  }

  window.Parts = { of };
})();
