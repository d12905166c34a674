#!/usr/bin/env node
// Starts the program, which the package of this platform brings, as if it had been started itself.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { name, version, optionalDependencies } = require("../package.json");

// No exit code of the program: those say what its flows came to.
const NOT_FOUND = 127;
const NOT_STARTED = 126;

function fail(code, ...lines) {
  console.error(["error: the program was not started", ...lines].join("\n  "));
  process.exit(code);
}

function program() {
  const platform = `${process.platform}-${process.arch}`;
  const wanted = `${name}-${platform}`;
  try {
    return require.resolve(`${wanted}/bin/${process.platform === "win32" ? "runner.exe" : "runner"}`);
  } catch {
    if (!(wanted in optionalDependencies)) {
      const known = Object.keys(optionalDependencies).map((other) => other.slice(name.length + 1));
      return fail(NOT_FOUND, `there is none for ${platform}, only for ${known.join(", ")}`, "next: build it from its sources");
    }
    if (process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime) {
      return fail(NOT_FOUND, "it needs glibc, which this system does not have", "next: use a system with glibc, such as Debian");
    }
    return fail(
      NOT_FOUND,
      `the package ${wanted} is not installed`,
      "npm leaves it out with --omit=optional, and where node_modules was made on another platform",
      `next: npm install --include=optional ${name}@${version}`,
    );
  }
}

const path = program();
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });

// A terminal sends its signals to both processes. A second one would end the run without its teardown.
const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) {
  process.on(signal, () => {
    if (!terminal || signal === "SIGTERM") child.kill(signal);
  });
}

child.on("error", (error) => fail(NOT_STARTED, `${path}: ${error.message}`));
child.on("exit", (code, signal) => {
  // As a shell tells the end by a signal.
  process.exit(code ?? 128 + constants.signals[signal]);
});
