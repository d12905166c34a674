//! Tests with a host of one class that speaks the protocol, compiled by a JDK of this machine.

use runner_base::context::Context;

use super::*;
use crate::places::Places;

/// A host that speaks the protocol without Android.
pub(crate) const STUB: &[SourceFile] = &[("runner/host/Main.java", include_str!("Stub.java"))];

/// Finds a JDK of this machine. If there is none, tests that need it are skipped.
pub(crate) fn jdk() -> Option<Jdk> {
    let context = Context::from_process().unwrap();
    let found = Jdk::find(&Places::from_context(&context));
    if found.is_err() {
        runner_testing::untested("a JDK of 21 or newer");
    }
    found.ok()
}

/// Returns an empty set of parts, as the stub needs none.
pub(crate) fn no_parts(folder: &Utf8Path) -> Parts {
    Parts::listed(folder, &[])
}

#[test]
fn it_is_compiled_once_for_the_same_sources_parts_and_jdk() {
    let Some(jdk) = jdk() else { return };
    let folder = tempfile::tempdir().unwrap();
    let parts = no_parts(Utf8Path::from_path(folder.path()).unwrap());
    let first = compiled(STUB, &parts, &jdk).unwrap();
    let made = fs_err::metadata(&first).unwrap().modified().unwrap();
    let mut names = Vec::new();
    let archive = zip::ZipArchive::new(std::fs::File::open(&first).unwrap()).unwrap();
    names.extend(archive.file_names().map(|name| name.unwrap().into_owned()));
    assert_eq!(names, ["runner/host/Main.class"]);
    assert_eq!(compiled(STUB, &parts, &jdk).unwrap(), first);
    assert_eq!(fs_err::metadata(&first).unwrap().modified().unwrap(), made);
    let other = Jdk {
        version: "99".to_owned(),
        ..jdk.clone()
    };
    assert_ne!(compiled(STUB, &parts, &other).unwrap(), first);
    // Nothing but jars is left there.
    for entry in fs_err::read_dir(parts.cache("host")).unwrap() {
        let path = entry.unwrap().path();
        assert!(
            path.extension().is_some_and(|ending| ending == "jar"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn what_javac_says_is_told_and_nothing_is_kept() {
    let Some(jdk) = jdk() else { return };
    let folder = tempfile::tempdir().unwrap();
    let parts = no_parts(Utf8Path::from_path(folder.path()).unwrap());
    let wrong: &[SourceFile] = &[(
        "runner/host/Main.java",
        "class Main { android.app.Activity a; }",
    )];
    let error = compiled(wrong, &parts, &jdk).unwrap_err().to_string();
    assert!(
        error.contains("package android.app does not exist"),
        "{error}"
    );
    assert_eq!(fs_err::read_dir(parts.cache("host")).unwrap().count(), 0);
    let none = Jdk {
        home: "/nowhere".into(),
        ..jdk
    };
    let error = compiled(STUB, &parts, &none).unwrap_err();
    assert!(matches!(error, HostJarError::NotStarted { .. }), "{error}");
}
