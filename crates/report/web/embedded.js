// The files of a report of one file: each stands in an element of its own, as base64. In a report of a folder they are
// beside the page.

/** Addresses of files that were asked for. */
const addresses = new Map();

/** Where a file is; undefined where it was left out. `#name` is an element. */
function addressOf(href) {
  if (!href?.startsWith("#")) return href;
  if (!addresses.has(href)) {
    const holder = document.getElementById(href.slice(1));
    // The name stays in the address, which tells what kind of file it is.
    addresses.set(href, holder ? URL.createObjectURL(new Blob([bytesOf(holder)], { type: holder.dataset.type })) + href : undefined);
  }
  return addresses.get(href);
}

function bytesOf(holder) {
  return Uint8Array.from(atob(holder.textContent), (letter) => letter.charCodeAt(0));
}

/** What is known of a flow, from the element of this name. */
async function unpacked(href) {
  const packed = new Blob([bytesOf(document.getElementById(href.slice(1)))]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return withAddresses(JSON.parse(await new Response(stream).text()));
}

const LEFT_OUT = "it is not in this file; a report in a folder has it";

function withAddresses(detail) {
  for (const attempt of detail.attempts) {
    for (const file of [...(attempt.files || []), ...(attempt.video || []).map((piece) => piece.file)]) {
      if (file.href) {
        file.href = addressOf(file.href);
        if (!file.href) file.missing = LEFT_OUT;
      } else if (file.text !== undefined) {
        file.href = URL.createObjectURL(new Blob([file.text], { type: "text/plain;charset=utf-8" })) + "#.txt";
      }
    }
    for (const frame of attempt.trace?.frames || []) {
      if (!frame.picture) continue;
      frame.picture = addressOf(frame.picture);
      if (!frame.picture) frame.missing ||= LEFT_OUT;
    }
    for (const piece of attempt.video || []) {
      if (!piece.frames) continue;
      piece.frames = piece.frames.map(([at, href]) => [at, addressOf(href)]).filter(([, href]) => href);
      if (!piece.frames.length) piece.file.missing = LEFT_OUT;
    }
  }
  return detail;
}

/** What is not here, or not as it was, and where it is. */
function leftOutWords({ limit, passed, smaller, others, flows }) {
  const parts = [
    passed && "the " + count(passed, "file") + " of flows that passed",
    others && count(others, "other file"),
    flows && "the steps of " + count(flows, "flow"),
  ].filter(Boolean);
  const words = [
    parts.length > 0 && "leaves out " + parts.join(" and "),
    smaller && "shows " + count(smaller, "picture") + " smaller",
  ].filter(Boolean).join(" and ");
  return el("p", { class: "left-out quiet" }, "To stay below " + Math.round(limit / 1e6) + " MB, this file " + words + ". A report in a folder has all: ",
    copyable("runner report --html DIR"), ".");
}
