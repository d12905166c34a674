// pixelmatch with pngjs, in the protocol of `odiff --server`: node pictures_pixelmatch.mjs FOLDER_WITH_NODE_MODULES
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.argv[2]}/`);
const { PNG } = require("pngjs");
const { default: pixelmatch } = await import(pathToFileURL(require.resolve("pixelmatch")));

console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  const { requestId, base, compare, options = {} } = JSON.parse(line);
  const [one, other] = [base, compare].map((path) => PNG.sync.read(readFileSync(path)));
  const { width, height } = one;
  const count = pixelmatch(one.data, other.data, undefined, width, height, options);
  console.log(JSON.stringify({ requestId, match: count === 0 }));
}
