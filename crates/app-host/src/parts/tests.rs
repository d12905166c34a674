//! Tests that install synthetic parts with a script in Maven's place.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};

use super::*;
use crate::places::Places;

/// A computer with a Maven that copies from the folder `remote`.
struct Machine {
    _guard: tempfile::TempDir,
    root: Utf8PathBuf,
    parts: Parts,
    places: Places,
}

/// Returns two jars and an archive, one of them as Android's framework.
fn list() -> &'static [Part] {
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let part = |artifact, kind, bytes: &[u8]| Part {
        group: "org.example",
        artifact,
        version: "1.2",
        kind,
        file: leaked(format!("{artifact}-1.2.jar")),
        size: bytes.len() as u64,
        sha256: leaked(hex(&Sha256::digest(bytes))),
    };
    Box::leak(Box::new([
        part("android-all-instrumented", "jar", &framework()),
        part("monitor", "aar", b"classes of monitor"),
        part("robolectric", "jar", b"robolectric"),
    ]))
}

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write as _;

    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn framework() -> Vec<u8> {
    let names = [
        "android/app/Application.class",
        "android/os/Build.class",
        "resources.arsc",
    ];
    zip_of(&names.map(|name| (name, name.as_bytes())))
}

impl Machine {
    fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap().to_owned();
        for folder in ["remote", "bin", "home"] {
            fs_err::create_dir(root.join(folder)).unwrap();
        }
        let remote = root.join("remote");
        fs_err::write(remote.join("android-all-instrumented-1.2.jar"), framework()).unwrap();
        let archive = zip_of(&[
            ("AndroidManifest.xml", b"x"),
            ("classes.jar", b"classes of monitor"),
        ]);
        fs_err::write(remote.join("monitor-1.2.aar"), archive).unwrap();
        fs_err::write(remote.join("robolectric-1.2.jar"), "robolectric").unwrap();
        let machine = Self {
            parts: Parts::listed(&root.join("parts"), list()),
            places: Places {
                path: vec![root.join("bin")],
                home: Some(root.join("home")),
                ..Places::default()
            },
            _guard: guard,
            root,
        };
        machine.maven(
            "sed -n 's|.*<artifactId>\\(.*\\)</artifactId><version>\\(.*\\)</version><type>\\(.*\\)</type>.*|\\1-\\2.\\3|p' pom.xml |\n\
             while read -r file; do echo \"$file\" >> \"$remote/asked\"; cp \"$remote/$file\" . || exit 1; done\n",
        );
        machine
    }

    fn maven(&self, script: &str) {
        let file = self.root.join("bin/mvn");
        let path = "PATH=/usr/bin:/bin";
        let text = format!("#!/bin/sh\n{path}\nremote='{}/remote'\n{script}", self.root);
        fs_err::write(&file, text).unwrap();
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn install(&self) -> Result<InstallResult, PartsError> {
        install(&self.parts, &Source::BuildTool, &self.places, &mut |_| ())
    }

    fn file(&self, name: &str) -> Utf8PathBuf {
        self.parts.jars().join(name)
    }

    /// Returns the files requested from Maven since the last call.
    fn requested(&self) -> Vec<String> {
        let path = self.root.join("remote/asked");
        let asked = fs_err::read_to_string(&path).unwrap_or_default();
        let _ = fs_err::remove_file(&path);
        asked.lines().map(str::to_owned).collect()
    }
}

#[test]
fn from_nothing_all_are_there_and_maven_is_not_asked_again() {
    let machine = Machine::new();
    assert_eq!(machine.parts.state(), PartsState::Missing);
    assert!(machine.parts.require().is_err());
    let mut told = Vec::new();
    let parts = &machine.parts;
    let came = install(
        parts,
        &Source::BuildTool,
        &machine.places,
        &mut |progress| told.push(progress),
    );
    assert_eq!(
        came.unwrap(),
        InstallResult {
            fetched: 3,
            mended: 0
        }
    );
    let begins = told.iter().any(|progress| {
        matches!(progress, Progress::Begins { files: 3, bytes, from }
            if *bytes == parts.total() && from.starts_with("Maven"))
    });
    assert!(begins, "{told:?}");
    assert_eq!(machine.parts.state(), PartsState::Complete);
    assert_eq!(machine.requested().len(), 3);
    assert_eq!(
        fs_err::read(machine.file("monitor-1.2.jar")).unwrap(),
        b"classes of monitor"
    );
    // Of the framework the few classes that are named.
    let outer = std::fs::File::open(&machine.parts.class_path()[0]).unwrap();
    let archive = zip::ZipArchive::new(outer).unwrap();
    let names: Vec<_> = archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    assert_eq!(names, ["android/app/Application.class"]);
    assert_eq!(
        machine.install().unwrap(),
        InstallResult {
            fetched: 0,
            mended: 0
        }
    );
    assert!(machine.requested().is_empty() && !machine.parts.folder().join("incoming").exists());
}

#[test]
fn only_what_is_missing_or_damaged_is_fetched() {
    let machine = Machine::new();
    machine.install().unwrap();
    machine.requested();
    fs_err::remove_file(machine.file("monitor-1.2.jar")).unwrap();
    let state = machine.parts.state();
    assert!(
        matches!(&state, PartsState::Partial { files, bytes: 18 } if files == &["monitor-1.2.jar"]),
        "{state}"
    );
    // Of the same length.
    fs_err::write(machine.file("robolectric-1.2.jar"), "ROBOLECTRIC").unwrap();
    let state = machine.parts.state();
    assert!(
        matches!(&state, PartsState::Damaged { files } if files == &["robolectric-1.2.jar"]),
        "{state}"
    );
    assert_eq!(
        machine.install().unwrap(),
        InstallResult {
            fetched: 2,
            mended: 1
        }
    );
    assert_eq!(
        machine.requested(),
        ["monitor-1.2.aar", "robolectric-1.2.jar"]
    );
    assert_eq!(machine.parts.state(), PartsState::Complete);
}

#[test]
fn what_came_before_maven_failed_stays_and_what_it_says_is_told() {
    let machine = Machine::new();
    machine.maven("cp \"$remote/robolectric-1.2.jar\" .\necho 'Could not find artifact androidx.test:monitor'; exit 1\n");
    // As Maven does: what came lies in its own repository.
    let local = machine
        .root
        .join("home/.m2/repository/org/example/robolectric/1.2");
    fs_err::create_dir_all(&local).unwrap();
    fs_err::write(local.join("robolectric-1.2.jar"), "robolectric").unwrap();
    let error = machine.install().unwrap_err().to_string();
    assert!(
        error.contains("Could not find artifact") && error.contains("Google's"),
        "{error}"
    );
    assert!(matches!(machine.parts.state(), PartsState::Partial { files, .. } if files.len() == 2));
}

#[test]
fn another_file_of_that_name_is_not_taken() {
    let machine = Machine::new();
    fs_err::write(
        machine.root.join("remote/robolectric-1.2.jar"),
        "ROBOLECTRIC",
    )
    .unwrap();
    let error = machine.install().unwrap_err();
    assert!(matches!(error, PartsError::Checksum { .. }), "{error}");
    assert!(!machine.file("robolectric-1.2.jar").exists());
    // An archive that unpacks to more than it should.
    let bomb = zip_of(&[("classes.jar", &vec![0; 5_000_000])]);
    fs_err::write(machine.root.join("remote/monitor-1.2.aar"), bomb).unwrap();
    assert!(matches!(
        machine.install(),
        Err(PartsError::Checksum { .. })
    ));
}

#[test]
fn a_wrong_file_in_mavens_own_repository_is_no_reason_to_fail() {
    let machine = Machine::new();
    let local = machine
        .root
        .join("home/.m2/repository/org/example/robolectric/1.2");
    fs_err::create_dir_all(&local).unwrap();
    fs_err::write(local.join("robolectric-1.2.jar"), "ROBOLECTRIC").unwrap();
    machine.install().unwrap();
    assert_eq!(machine.parts.state(), PartsState::Complete);
}

#[test]
fn a_folder_does_without_maven() {
    let machine = Machine::new();
    machine.install().unwrap();
    let other = Machine::new();
    let source = Source::Folder(machine.parts.folder().to_owned());
    let nothing = Places::default();
    install(&other.parts, &source, &nothing, &mut |_| ()).unwrap();
    assert_eq!(other.parts.state(), PartsState::Complete);
    // What repositories hold does too: archives, in folders.
    let third = Machine::new();
    let source = Source::Folder(machine.root.clone());
    install(&third.parts, &source, &nothing, &mut |_| ()).unwrap();
    let fourth = Machine::new();
    let source = Source::Folder(fourth.root.join("home"));
    let error = install(&fourth.parts, &source, &nothing, &mut |_| ())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("does not hold android-all-instrumented-1.2.jar and 2 more"),
        "{error}"
    );
    let error = install(&fourth.parts, &Source::BuildTool, &nothing, &mut |_| ()).unwrap_err();
    assert!(matches!(error, PartsError::NoBuildTool));
}

#[test]
fn two_at_once_take_turns() {
    let machine = Machine::new();
    let told: Vec<Vec<Progress>> = std::thread::scope(|scope| {
        let both = [0, 1].map(|_| {
            scope.spawn(|| {
                let mut told = Vec::new();
                let (parts, places) = (&machine.parts, &machine.places);
                install(parts, &Source::BuildTool, places, &mut |progress| {
                    told.push(progress);
                })
                .unwrap();
                told
            })
        });
        both.map(|one| one.join().unwrap()).into()
    });
    let begun = told
        .iter()
        .flatten()
        .filter(|one| matches!(one, Progress::Begins { .. }))
        .count();
    assert_eq!(begun, 1, "{told:?}");
    assert_eq!(machine.requested().len(), 3);
}
