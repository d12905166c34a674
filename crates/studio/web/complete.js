// What may stand at the cursor: words of the flow language, and ids and texts of the screen.

/** @type {{ words: any }} */
const language = { words: { steps: [], header: [], modifiers: [], selector: [] } };

/** What is offered now, for the part before the cursor. */
let offered = null;

/** Offers at most. */
const MOST_OFFERS = 40;

/** Words of the screen, each once. */
const live = (property) => [...new Set((state.look?.rows || []).map((row) => row[property]).filter(Boolean))];

/** A text as YAML, in quotes where it needs them. */
const scalar = (text) => (/^[\p{L}][\p{L}\p{N} _.!?+/()&-]*$/u.test(text) && !/^(true|false|null|yes|no|on|off|y|n|~)$/i.test(text) && text === text.trim() && !text.includes(" #") ? text : JSON.stringify(text));

/**
 * What may stand behind `before`, the text up to the cursor: how many characters an offer replaces, and the offers.
 */
function offersFor(before) {
  const { words } = language;
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const named = (list, kind, end = ": ") => list.map((it) => ({ text: it.name + (it.bare ? "" : end), label: it.name, about: it.about || kind }));
  let found = line.match(/^\s*-\s+([\w.][\w. ]*)?$/);
  if (found) {
    const part = found[1] || "";
    const fit = offers(part, named(words.steps, "a step without arguments"));
    // A step that needs no arguments is whole.
    return fit && { ...fit, isFree: words.steps.some((it) => it.bare && it.name === part) };
  }
  found = line.match(/(?:^|[\s{,])id:\s+([\w.:/-]*)$/);
  if (found) return offers(found[1], live("id").map((id) => ({ text: id, label: id, about: "an id of the screen" })));
  found = line.match(/(?:^|[\s{,])(?:text|desc|into|visible|click|double_click|long_click|scroll_to|wait_for|find|assert|assert visible|assert not visible):\s+("?)([^"{[]*)$/);
  if (found) {
    const texts = [...live("text"), ...live("desc"), ...live("hint")].filter((text) => text.length < 120);
    const fit = offers(found[1] + found[2], [...new Set(texts)].map((text) => ({ text: scalar(text), label: text, about: "a text of the screen" })));
    // Any text may stand here, so Enter ends the line unless somebody chose from the list.
    return fit && { ...fit, isFree: true };
  }
  found = line.match(/[{,]\s*(\w*)$/);
  if (found) {
    const name = line.match(/^\s*-\s+([\w. ]+):/)?.[1];
    const own = words.steps.find((step) => step.name === name && step.keys)?.keys || [];
    const keys = [...own, ...words.selector.map((key) => ({ name: key, about: "a key of a selector" }))];
    const once = keys.filter((key, at) => keys.findIndex((other) => other.name === key.name) === at);
    return offers(found[1], named(once, "a key"));
  }
  found = line.match(/^\s{3,}(\w*)$/);
  if (found) return offers(found[1], named(words.modifiers, "a key of any step"));
  found = line.match(/^(\w*)$/);
  if (found) return offers(found[1], named(words.header, "a key of the flow"));
  return null;
}

function offers(part, all) {
  const wanted = part.replace(/^"/, "").toLowerCase();
  const rank = ({ label }) => {
    const text = label.toLowerCase();
    return text.startsWith(wanted) ? 0 : text.includes(wanted) ? 1 : 2;
  };
  const fit = all.filter((offer) => rank(offer) < 2 && offer.text !== part);
  fit.sort((a, b) => rank(a) - rank(b));
  return fit.length ? { length: part.length, list: fit.slice(0, MOST_OFFERS) } : null;
}

function drawOffers() {
  const list = $("offers");
  list.hidden = !offered;
  area.removeAttribute("aria-activedescendant");
  if (!offered) {
    $("offer-help").textContent = "";
    return list.replaceChildren();
  }
  list.replaceChildren(...offered.list.map((offer, at) => {
    const item = make("li", { id: `offer-${at}`, textContent: offer.label });
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(at === offered.at));
    item.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      take(at);
    });
    return item;
  }));
  placeOffers();
  const chosen = offered.list[offered.at];
  area.setAttribute("aria-activedescendant", `offer-${offered.at}`);
  $("offer-help").textContent = `${chosen.label}${chosen.about ? `: ${chosen.about}` : ""} (${offered.at + 1} of ${offered.list.length})`;
  list.children[offered.at].scrollIntoView({ block: "nearest" });
  return undefined;
}

/** At the beginning of what an offer replaces. */
function placeOffers() {
  const { x, top, bottom } = spotOf(offered.end - offered.length);
  placeAt($("offers"), x, top, bottom + 2);
}

function offer(isAsked) {
  const found = area.selectionStart === area.selectionEnd ? offersFor(area.value.slice(0, area.selectionStart)) : null;
  // Unasked only where somebody began a word.
  offered = found && (isAsked || found.length > 0) ? { ...found, at: 0, end: area.selectionStart, isChosen: isAsked || !found.isFree } : null;
  drawOffers();
}

function take(at) {
  const { length, list, end } = offered;
  const begin = end - length;
  replace(begin, end, list[at].text);
  setCaret(begin + list[at].text.length);
  changed();
}

function closeOffers() {
  if (!offered) return;
  offered = null;
  drawOffers();
}
