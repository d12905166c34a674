// What is asked of the server.

const pathOf = (key) => key.split("/").map(encodeURIComponent).join("/");

/** The key in the address; what a person typed there may be anything. */
function keyOf(hash) {
  try { return decodeURIComponent(hash.slice(1)); } catch { return ""; }
}

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
