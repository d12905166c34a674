// A recording is run again at once, and what differs is told.

$("replay").addEventListener("click", () => {
  hearReplay({ message: "", differs: [] });
  // Behind what is still on its way into the flow.
  line.then(() => runPart("all", { replay: true }));
});

/** There is something to replay, and nothing under way. */
function drawReplay() {
  $("replay").disabled = going || !(state.moments?.steps.length);
}

/** What a replay showed otherwise than the recording. */
function hearReplay({ message, differs }) {
  $("replay-said").hidden = !message;
  $("replay-said").textContent = message;
  $("replay-differs").hidden = !differs.length;
  $("replay-differs").replaceChildren(...differs.map((text) => make("li", { textContent: text })));
}
