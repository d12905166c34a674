// Runs named checks one after the other, and prints a line of each: RESULT, name, what came of it, why.

/** Milliseconds that a check may take. */
const LIMIT = 30_000;

/** Runs all checks, then ends the process: what a client leaves open must not keep it. */
module.exports.runAll = async function runAll(checks) {
  for (const [name, check] of Object.entries(checks)) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${LIMIT} ms`)), LIMIT);
    });
    let outcome = ["passed", ""];
    try {
      await Promise.race([check(), late]);
    } catch (error) {
      outcome = ["failed", String(error?.message ?? error).replace(/\s+/g, " ")];
    }
    clearTimeout(timer);
    process.stdout.write(["RESULT", name, ...outcome].join("\t") + "\n");
  }
  process.exit(0);
};

/** All bytes of a stream. */
module.exports.bytes = async function bytes(stream, most = Infinity) {
  const parts = [];
  let length = 0;
  for await (const part of stream) {
    parts.push(part);
    length += part.length;
    if (length >= most) {
      break;
    }
  }
  return Buffer.concat(parts);
};
