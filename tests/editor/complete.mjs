// Asks yaml-language-server what completion inserts at places of flows, and inserts it as an editor does.
//
//   node complete.mjs SERVER SCHEMA < PLACES
//
// PLACES are texts as JSON, each with ‸ at the cursor. It prints for each of them what was offered: the label, and the text of
// the flow with it. Where a value is still to be written, each value that is offered there makes a text of its own.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const CURSOR = "‸";
const [server, schema] = process.argv.slice(2);
const places = JSON.parse(readFileSync(0, "utf8"));
const child = spawn(process.execPath, [server, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
const settings = { yaml: { schemaStore: { enable: false }, validate: false, completion: true } };
const waiting = new Map();
let received = Buffer.alloc(0);
let requests = 0;

const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
const ask = (method, params) =>
  new Promise((done) => {
    requests += 1;
    waiting.set(requests, done);
    send({ id: requests, method, params });
  });

const receive = (message) => {
  if (message.method === "workspace/configuration") {
    send({ id: message.id, result: message.params.items.map(({ section }) => settings[section] ?? {}) });
  } else if (message.method) {
    if (message.id !== undefined) send({ id: message.id, result: null });
  } else {
    waiting.get(message.id)(message.result);
  }
};
child.stdout.on("data", (data) => {
  received = Buffer.concat([received, data]);
  for (let end; (end = received.indexOf("\r\n\r\n")) >= 0; ) {
    const [, length] = /Content-Length: (\d+)/i.exec(received.subarray(0, end));
    const next = end + 4 + Number(length);
    if (received.length < next) return;
    const body = received.subarray(end + 4, next);
    received = received.subarray(next);
    receive(JSON.parse(body));
  }
});

// What is offered at the cursor, each with the text that it makes. Places to fill stay in it as they are.
let documents = 0;
const offered = async (place) => {
  const at = place.indexOf(CURSOR);
  const text = place.replace(CURSOR, "");
  const before = text.slice(0, at).split("\n");
  documents += 1;
  const uri = `file:///flows/${documents}.yaml`;
  const document = { uri, languageId: "yaml", version: 1, text: `# yaml-language-server: $schema=${schema}\n${text}` };
  send({ method: "textDocument/didOpen", params: { textDocument: document } });
  // The comment with the schema is one more line.
  const position = { line: before.length, character: before.at(-1).length };
  const { items } = await ask("textDocument/completion", { textDocument: { uri }, position });
  send({ method: "textDocument/didClose", params: { textDocument: { uri } } });
  const indent = /^ */.exec(before.at(-1))[0];
  const line = at - before.at(-1).length;
  return items.map(({ label, insertText, textEdit }) => {
    // Without a range the word before the cursor is replaced.
    const start = { character: position.character - /\w*$/.exec(before.at(-1))[0].length };
    const { newText, range } = textEdit ?? { newText: insertText, range: { start, end: position } };
    const inserted = newText.replaceAll("\n", `\n${indent}`);
    return { label, before: text.slice(0, line + range.start.character), inserted, after: text.slice(line + range.end.character) };
  });
};

// Fills the places of a snippet with what they hold; the first that holds nothing becomes the cursor.
const filled = (snippet) => {
  const text = snippet.replace(/\\([$}\\])|\$\{\d+:((?:\\.|[^}\\])*)\}|\$\d+/g, (_, escape, held) =>
    escape ?? held?.replace(/\\([$}\\])/g, "$1") ?? CURSOR,
  );
  const open = /(: |- )$/.test(text) ? text + CURSOR : text;
  const [first, ...rest] = open.split(CURSOR);
  return rest.length ? first + CURSOR + rest.join("x") : first;
};

const texts = async (place) => {
  const made = [];
  for (const { label, before, inserted, after } of await offered(place)) {
    const text = before + filled(inserted) + after;
    if (!text.includes(CURSOR)) {
      made.push({ label, text });
    } else if (/- ‸/.test(text)) {
      made.push({ label, text: text.replace(CURSOR, "back") });
    } else {
      const values = await offered(text);
      for (const value of values) {
        made.push({ label: `${label}: ${value.label}`, text: value.before + filled(value.inserted) + value.after });
      }
      if (!values.length) made.push({ label, text: text.replace(CURSOR, "x") });
    }
  }
  return made;
};

const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } } }, workspace: { configuration: true } };
await ask("initialize", { processId: process.pid, rootUri: "file:///flows", capabilities });
send({ method: "initialized", params: {} });
const answers = [];
for (const place of places) answers.push(await texts(place));
process.stdout.write(JSON.stringify(answers));
child.kill();
