//! Installation of each package in an empty prefix.

use std::path::Path;
use std::process::Command;

use super::made::{package, shown, unpacked_deb};
use super::{alone, only, ran, tool, works};
use crate::common::needs;

#[test]
fn the_npm_packages_install_and_work() {
    let Some(folder) = installed_with_npm(&[]) else {
        return;
    };
    let path = only(folder.path(), &["node"]);
    let program = folder.path().join("node_modules/.bin/runner");
    works(alone(&program, &path));
    // Exit codes pass through.
    let run = alone(&program, &path);
    run(folder.path(), &["test"]).expect(2).says("runner init");
}

/// Installs the npm packages in a prefix. It is offline: no registry is asked for names that are not taken
/// yet.
pub fn installed_with_npm(options: &[&str]) -> Option<tempfile::TempDir> {
    if !["node", "npm"].into_iter().all(needs::program) {
        return None;
    }
    let version = shown("version");
    let main = package(&format!("{}-{version}.tgz", shown("name")))?;
    let platform = package(&format!("-linux-x64-{version}.tgz"))?;
    let folder = tempfile::tempdir().expect("a folder");
    let mut npm = Command::new("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund"]);
    npm.args(["--no-update-notifier", "--prefix"])
        .arg(folder.path());
    npm.env("HOME", folder.path()).args(options).arg(main);
    if options.is_empty() {
        npm.arg(platform);
    }
    ran(npm.current_dir(folder.path())).expect(0);
    Some(folder)
}

#[test]
fn the_wheel_installs_and_works() {
    let (Some(mut pip), Some(wheel)) = (tool("pip"), package(".whl")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("prefix");
    pip.args([
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--prefix",
    ]);
    ran(pip.arg(&prefix).arg(&wheel)).expect(0);
    works(alone(&prefix.join("bin/runner"), ""));
    // What pip wrote down is what it takes away again.
    let info = walkdir::WalkDir::new(&prefix).into_iter().flatten();
    let mut info = info.filter(|entry| entry.file_name() == "METADATA");
    let metadata = std::fs::read_to_string(info.next().unwrap().path()).unwrap();
    assert!(
        metadata.contains(&format!("Name: {}\n", shown("name"))),
        "{metadata}"
    );
    assert!(
        metadata.contains("License-Expression: MIT OR Apache-2.0\n"),
        "{metadata}"
    );
}

#[test]
fn the_debian_package_installs_and_works() {
    let Some(deb) = package(".deb") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    ran(Command::new("dpkg-deb").arg("-x").arg(&deb).arg(&root)).expect(0);
    works(alone(&root.join("usr/bin/runner"), ""));
    for file in [
        "man/man1/runner.1.gz",
        "man/man1/runner-test.1.gz",
        "bash-completion/completions/runner",
        "zsh/vendor-completions/_runner",
        "fish/vendor_completions.d/runner.fish",
        &format!("doc/{}/copyright", shown("name")),
        &format!("doc/{}/LICENSE-APACHE", shown("name")),
    ] {
        assert!(root.join("usr/share").join(file).is_file(), "{file}");
    }
    let field = |name: &str| {
        let field = ran(Command::new("dpkg-deb").arg("-f").arg(&deb).arg(name)).expect(0);
        field.stdout.trim().to_owned()
    };
    assert_eq!(field("Package"), shown("name"));
    assert_eq!(field("Version"), shown("version"));
    assert_eq!(field("Architecture"), "amd64");
    assert_eq!(field("Recommends"), "adb");
}

#[test]
fn the_archive_is_a_prefix() {
    let Some(archive) = package(".tar.gz") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    ran(Command::new("tar")
        .arg("-xzf")
        .arg(&archive)
        .arg("-C")
        .arg(folder.path()))
    .expect(0);
    let name = archive.file_name().unwrap().to_str().unwrap();
    let top = folder.path().join(name.trim_end_matches(".tar.gz"));
    works(alone(&top.join("bin/runner"), ""));
    assert!(top.join("share/man/man1/runner.1").is_file());
    assert!(
        Path::new(&top)
            .join("share/doc")
            .join(shown("name"))
            .join("LICENSE-MIT")
            .is_file()
    );
}

#[test]
fn licences_of_what_is_in_the_program_come_along() {
    let Some(deb) = package(".deb") else {
        return;
    };
    let folder = unpacked_deb(&deb);
    let notices = folder
        .path()
        .join("usr/share/doc")
        .join(shown("name"))
        .join("THIRD-PARTY.txt");
    let notices = std::fs::read_to_string(notices).unwrap();
    // Of a crate, of the C sources that one brings, and of no crate that only tests use.
    assert!(notices.contains("\nserde 1."));
    assert!(notices.contains("Fabrice Bellard"));
    assert!(!notices.contains("\nproptest "));
}
