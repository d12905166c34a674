//! Tests of the program from outside. They are one test program, so that the crates are linked only once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests write the files that the program reads"
)]

mod common;

mod acts;
mod adb_server;
mod adb_services;
mod adb_wire;
mod after_failure;
mod again;
mod against;
mod against_goldens;
mod allure;
mod android;
mod apk;
mod apk_sweep;
mod app_crashes;
mod appium;
mod assertions;
#[cfg(unix)]
mod attended;
mod cases;
mod changed_since;
mod choosing;
mod ci_examples;
mod clock;
mod commands;
mod compare;
mod crashes;
mod doctor_trial;
mod documents;
mod drivers;
mod editor;
mod endings;
#[cfg(unix)]
mod farms;
mod faults;
#[cfg(unix)]
mod files;
mod goes_on;
mod golden_merges;
#[cfg(unix)]
mod hangup;
mod harness;
mod html_report;
mod http_step;
mod impact_mutations;
mod init;
mod inspect;
mod keys;
mod language;
mod large_files;
mod laws;
mod licences;
mod limits;
mod lint;
mod log;
mod maestro;
mod maestro_files;
mod maestro_import;
mod maestro_surroundings;
mod maestro_words;
mod masking;
mod mcp;
mod mending;
mod merge_review;
mod merges;
mod near_misses;
mod on_device;
mod on_dialog;
mod order;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod packages;
mod pictures;
mod prune;
mod quarantine;
mod quirks;
mod readings;
mod recorder;
mod recordings;
mod report_command;
mod reports;
mod review_model;
mod review_static;
mod review_terminal;
mod review_web;
mod rows;
mod run_advice;
mod scripts;
mod shards;
mod snapshots;
mod sources;
mod spread;
mod step_costs;
mod steps;
mod studio;
mod studio_device;
mod studio_goldens;
mod studio_layout;
mod studio_pilot;
mod studio_replay;
mod studio_saved;
mod surroundings;
mod team_play;
mod test_command;
mod tools;
mod touches;
mod trace;
mod verdicts;
#[cfg(unix)]
mod watch;
#[cfg(feature = "webdriver")]
mod webdriver;
