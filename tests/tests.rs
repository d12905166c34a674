//! The program from outside, as one test program: what it links is linked once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

mod adb_server;
mod adb_wire;
mod appium;
mod commands;
mod crashes;
mod documents;
mod drivers;
mod endings;
#[cfg(unix)]
mod farms;
mod faults;
mod goes_on;
mod harness;
mod html_report;
mod init;
mod inspect;
mod keys;
mod language;
mod licences;
mod lint;
mod log;
mod mcp;
mod pictures;
mod prune;
mod report_command;
mod reports;
mod review_model;
mod review_terminal;
mod review_web;
mod rows;
mod scripts;
mod snapshots;
mod sources;
mod steps;
mod test_command;
mod tools;
#[cfg(feature = "webdriver")]
mod webdriver;
