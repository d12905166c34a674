// Elements and words. What devices and flows say is put into the page as text, never as markup.

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child != null));
  return element;
}

const few = (texts, most = 3) => (texts.length > most ? `${texts.slice(0, most).join(", ")}, and ${texts.length - most} more` : texts.join(", "));

/** A key as a part of an address. */
const pathOf = (key) => key.split("/").map(encodeURIComponent).join("/");

/** The key in the address; what a person typed there may be anything. */
function keyOf(hash) {
  try { return decodeURIComponent(hash.slice(1)); } catch { return ""; }
}

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** How long a refusal stays beside what is told next, in milliseconds: it was not asked for, and may come just before. */
const BESIDE = 3000;
let telling = 0;
let refusal = { text: "", at: -BESIDE };

/** Says something, until something else is to be said. */
function tell(text, isBad = false) {
  clearTimeout(telling);
  const before = performance.now() - refusal.at < BESIDE && refusal.text !== text ? refusal.text : "";
  $("toast").className = isBad || before ? "bad" : "";
  $("toast").replaceChildren(...[before, text].filter(Boolean).map((line) => make("p", {}, line)));
  telling = setTimeout(() => $("toast").replaceChildren(), isBad || before ? 15000 : 6000);
}

/** Says what was not done. */
function refuse(text) {
  refusal = { text, at: performance.now() };
  tell(text, true);
}

/** Where a server of cases has a small picture of one. */
const servedThumbnail = (item) => `api/thumbnail/${pathOf(item.key)}?${encodeURIComponent(item.version)}`;

/** Where a server of cases has a picture. */
const servedPicture = (found, name) => `api/picture/${name}/${pathOf(found.key)}?${found.pictures[name].tag}`;
