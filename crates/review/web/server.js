// What is asked of the server, and what else is this page's own: the studio shows cases too.

/** The page's name in the title. */
const PAGE = "Review · runner";
const TAKE_BACK = "u takes it back.";
const MASK_TITLE = "Mask this element in the flow (m)";
const HOW_TO_MASK = "Click an element in the picture, or go to its row with Tab, then press m.";

const pictureOf = servedPicture;
const thumbnailOf = servedThumbnail;

/** What is there when nothing waits. */
const EMPTY = { done: "What a run brings next appears here.", none: ["Nothing waits for review.", "What a run brings appears here."] };

/** Whether an item belongs on this page. */
const isWanted = (_item) => true;

/** A mask was written, or is not any more. */
const masked = (_keys) => {};

/** How many wait was told. */
const counted = () => {};

async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer: `runner review --web` has ended. Start it again and open its address.");
  }
  const text = await response.text();
  let answer = null;
  try { answer = JSON.parse(text); } catch { /* told below */ }
  if (!response.ok || answer === null) throw Object.assign(new Error((answer && answer.error) || text.trim() || response.statusText), { status: response.status });
  return answer;
}
