//! Tests of the library that an app runs against: missing and damaged parts are reported.

#![allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]

use std::path::{Path, PathBuf};

use runner_dex::{DexError, Hierarchy, Options, translate};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/torture.dex")
}

#[test]
fn a_library_that_is_none_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut hierarchy = Hierarchy::new();
    let absent = hierarchy.add_jar(&folder.path().join("absent.jar"));
    assert!(matches!(absent, Err(DexError::Io { .. })));
    let jar = folder.path().join("damaged.jar");
    std::fs::write(&jar, "no archive").unwrap();
    let damaged = hierarchy.add_jar(&jar);
    assert!(matches!(damaged, Err(DexError::Archive { .. })));
    assert!(matches!(
        hierarchy.add_jdk(folder.path()),
        Err(DexError::Io { .. })
    ));
    std::fs::create_dir(folder.path().join("lib")).unwrap();
    for bytes in [[0; 64], [0xff; 64]] {
        std::fs::write(folder.path().join("lib/modules"), bytes).unwrap();
        let told = hierarchy.add_jdk(folder.path()).unwrap_err();
        assert!(told.to_string().contains("no image of modules"), "{told}");
    }
}

#[test]
fn a_jar_that_was_written_is_a_library() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("app.jar");
    let first = translate(&fixture(), &Hierarchy::new(), &Options::default()).unwrap();
    first.write_jar(&jar).unwrap();
    assert!(!folder.path().join("app.jar.partial").exists());
    let mut hierarchy = Hierarchy::new();
    hierarchy.add_jar(&jar).unwrap();
    let second = translate(&fixture(), &hierarchy, &Options::default()).unwrap();
    assert_eq!(first.report.classes, second.report.classes);
    let missing = &second.report.missing_classes;
    assert!(
        missing.iter().any(|name| name == "java/lang/String"),
        "{missing:?}"
    );
    let nowhere = first.write_jar(&folder.path().join("no/such/folder.jar"));
    assert!(matches!(nowhere, Err(DexError::Io { .. })));
}
