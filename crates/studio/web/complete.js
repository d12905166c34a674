// What may stand at the cursor, as the server tells: words of the flow language, and ids and texts of the screen.

/** What is offered now, for the part before the cursor. */
let offered = null;
/** The newest question: an older answer comes too late. */
let asked = 0;

function drawOffers() {
  const list = $("offers");
  list.hidden = !offered;
  area.removeAttribute("aria-activedescendant");
  if (!offered) {
    $("offer-help").textContent = "";
    return list.replaceChildren();
  }
  list.replaceChildren(...offered.offers.map((offer, at) => {
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
  const chosen = offered.offers[offered.at];
  area.setAttribute("aria-activedescendant", `offer-${offered.at}`);
  $("offer-help").textContent = `${chosen.label}${chosen.about ? `: ${chosen.about}` : ""} (${offered.at + 1} of ${offered.offers.length})`;
  list.children[offered.at].scrollIntoView({ block: "nearest" });
  return undefined;
}

/** At the beginning of what an offer replaces. */
function placeOffers() {
  const { x, top, bottom } = spotOf(offered.end - offered.length);
  placeAt($("offers"), x, top, bottom + 2);
}

async function offer(isAsked) {
  // What was offered for less text is not to be chosen by Enter any more.
  closeOffers();
  const mine = asked;
  const end = area.selectionStart;
  let found = null;
  try {
    if (end === area.selectionEnd) found = await ask("completion", { before: area.value.slice(0, end), seq: state.look?.seq ?? null });
  } catch { /* Without the server nothing is offered. */ }
  if (mine !== asked || document.activeElement !== area || area.selectionStart !== end) return;
  // Unasked only where somebody began a word.
  offered = found && (isAsked || found.length > 0) ? { ...found, at: 0, end, isChosen: isAsked || !found.is_free } : null;
  drawOffers();
}

function take(at) {
  const { length, offers, end } = offered;
  const begin = end - length;
  replace(begin, end, offers[at].text);
  setCaret(begin + offers[at].text.length);
  changed();
}

function closeOffers() {
  asked += 1;
  if (!offered) return;
  offered = null;
  drawOffers();
}
