//! Tests that `tests/oracle/Torture.java`, compiled by D8 and translated back, passes a JVM's verifier and
//! prints the same. So does `tests/fixtures/shrunk`, which has code that no compiler writes.

#![allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use runner_dex::{Hierarchy, Options, Translation, translate};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn translated(dex: &str, hierarchy: &Hierarchy) -> Translation {
    translate(&fixture(dex), hierarchy, &Options::default()).expect("a translation")
}

/// Returns the home folder of the JDK whose `java` is in the path.
fn java_home() -> Option<PathBuf> {
    let told = Command::new("java")
        .env_remove("LD_PRELOAD")
        .args(["-XshowSettings:properties", "-version"])
        .output()
        .ok()?;
    let told = String::from_utf8(told.stderr).ok()?;
    let line = told
        .lines()
        .find_map(|line| line.trim().strip_prefix("java.home = "));
    line.map(PathBuf::from)
}

#[test]
fn every_method_is_translated() {
    let translation = translated("torture.dex", &Hierarchy::new());
    assert_eq!(translation.report.failed_methods, []);
    assert_eq!(translation.report.failed_classes, []);
    assert_eq!(translation.report.classes, translation.classes.len());
    assert!(
        translation
            .classes
            .iter()
            .any(|class| class.name == "Torture$Color")
    );
}

#[test]
fn a_translation_does_not_depend_on_the_number_of_threads() {
    let bytes = |threads| -> Vec<Vec<u8>> {
        let options = Options {
            threads: Some(threads),
        };
        let translation = translate(&fixture("torture.dex"), &Hierarchy::new(), &options).unwrap();
        translation
            .classes
            .into_iter()
            .map(|class| class.bytes)
            .collect()
    };
    assert_eq!(bytes(1), bytes(3));
}

#[test]
fn what_was_dexed_prints_what_it_printed_before() {
    prints("torture", "Torture");
}

#[test]
fn what_shrinking_makes_and_the_jvm_forbids_runs() {
    prints("shrunk", "Shrunk");
}

/// Translates a dex file, and compares what its class `main` prints in a JVM.
fn prints(name: &str, main: &str) {
    let Some(home) = runner_testing::program("java").then(java_home).flatten() else {
        return;
    };
    let mut hierarchy = Hierarchy::new();
    hierarchy.add_jdk(&home).expect("a JDK");
    let translation = translated(&format!("{name}.dex"), &hierarchy);
    assert_eq!(translation.report.failed_methods, []);
    assert_eq!(translation.report.missing_classes, [] as [&str; 0]);
    let folder = tempfile::tempdir().expect("a folder");
    let jar = folder.path().join("translated.jar");
    translation.write_jar(&jar).expect("a jar");
    let ran = Command::new(home.join("bin/java"))
        .env_remove("LD_PRELOAD")
        .args([
            "-Dfile.encoding=UTF-8",
            "-Dstdout.encoding=UTF-8",
            "-Duser.language=en",
            "-cp",
        ])
        .arg(&jar)
        .arg(main)
        .output()
        .expect("a JVM");
    assert_eq!(String::from_utf8_lossy(&ran.stderr), "");
    let expected = std::fs::read_to_string(fixture(&format!("{name}.txt"))).expect("a fixture");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
}
