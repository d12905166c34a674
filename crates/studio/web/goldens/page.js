// What the review's scripts ask of the page they are on: elements, the server, words. Here their ids begin with `golden-`.

/** @type {(id: string) => any} */
const $ = (id) => Studio.$(`golden-${id}`);

const { ask } = Studio;

/** The page's name in the title. */
const PAGE = "Studio";
const TAKE_BACK = "Undo takes it back.";
const MASK_TITLE = "Mask this element in the flow";
const HOW_TO_MASK = "Choose a row that is on the screen.";

const pictureOf = servedPicture;
const thumbnailOf = servedThumbnail;

const EMPTY = { done: "What a run brings next appears here.", none: ["Nothing waits for review.", "What a run brings appears here."] };

/** Nothing is skipped here. */
const move = (_by, _may) => {};

/** The snapshots of the flow, as the server lists them. */
const listing = { folder: "", reads: true, saved: false, snapshots: [], there: null };

const isOfFlow = (item) => item.flow === listing.folder || item.flow.startsWith(`${listing.folder}/`);

/** Whether an item is listed: those of this flow, or all. */
const isWanted = (item) => $("all-flows").checked || isOfFlow(item);

/** What waits of this flow. */
const waiting = () => items().filter((item) => isOfFlow(item) && item.kind !== "obsolete");

/** How many wait: the button beside the run says so. */
function counted() {
  // What is one needs no buttons for all.
  $("rest").hidden = rest().length < 2;
  const many = waiting().length;
  const button = Studio.$("accept-goldens");
  Object.assign(button, { disabled: !many, hidden: !many });
  Studio.counted(many);
  button.textContent = many > 1 ? `Accept ${many}` : "Accept";
  button.title = many ? `${few(waiting().map((item) => item.key))} ${many === 1 ? "waits" : "wait"} for review: what was seen becomes the golden` : "";
}

/** A mask was written, or taken out: the comparison again, where the screen is still the one that was compared. */
async function masked(keys) {
  await list();
  const place = placeOfKey(listing.there);
  if (!listing.there || !place || (keys.length && keys[0] !== listing.there)) return tell("The flow has the new masks. Go to that screen and choose Compare now, or run the flow.");
  return Studio.compare(place.line);
}
