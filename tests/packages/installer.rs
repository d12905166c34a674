//! `packaging/install.sh`: installs and refusals.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::made::{package, packages, shown};
use super::{ROOT, TARGET, alone, here, only, ran, works};
use crate::common::{Ran, leash::Leash, needs};

const TOOLS: [&str; 21] = [
    "sh",
    "basename",
    "cat",
    "chmod",
    "cp",
    "cut",
    "dirname",
    "find",
    "grep",
    "gzip",
    "head",
    "id",
    "ldd",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sha256sum",
    "tar",
    "uname",
    "wc",
];

/// Runs the installer with only the tools that every system has.
fn install(folder: &Path, from: &str, more: &[(&str, &str)]) -> Ran {
    let path = folder.join("only");
    if !path.exists() {
        only(folder, &TOOLS);
    }
    let mut command = Command::new(path.join("sh"));
    command
        .env_clear()
        .env("PATH", &path)
        .envs(more.iter().copied())
        .arg(Path::new(ROOT).join("packaging/install.sh"))
        .args(["--from", from]);
    ran(command.current_dir(folder))
}

/// Makes a release of one archive: a file with this content, and its checksum or another one.
fn release(folder: &Path, program: &str, sum: Option<&str>) -> String {
    let release = folder.join("release");
    let name = format!("some-1.0.0-{TARGET}");
    let bin = release.join(&name).join("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    std::fs::create_dir_all(release.join(&name).join("share")).expect("a folder");
    std::fs::write(bin.join("runner"), program).expect("written");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(bin.join("runner"), runs).expect("permissions");
    let archive = format!("{name}.tar.gz");
    let mut tar = Command::new("tar");
    ran(tar.current_dir(&release).args(["-czf", &archive, &name])).expect(0);
    let made = ran(Command::new("sha256sum")
        .current_dir(&release)
        .arg(&archive))
    .expect(0);
    let sum = sum.map_or(made.stdout, |sum| format!("{sum}  {archive}\n"));
    std::fs::write(release.join("SHA256SUMS"), sum).expect("written");
    release.to_str().expect("a plain path").to_owned()
}

#[test]
fn it_installs_from_a_folder_into_the_home() {
    let Some(packages) = packages() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let variables = [("HOME", home.to_str().unwrap())];
    let from = packages.to_str().unwrap();
    let installed = install(folder.path(), from, &variables).expect(0);
    let version = shown("version");
    installed
        .says(&format!("installed runner {version}: "))
        .says("/.local/bin to PATH");
    let prefix = home.join(".local");
    works(alone(&prefix.join("bin/runner"), ""));
    assert!(prefix.join("share/man/man1/runner.1").is_file());
    // Again, over itself; nothing else is left.
    install(folder.path(), from, &variables).expect(0);
    let mut left: Vec<_> = std::fs::read_dir(&prefix)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["bin", "share"]);
    assert_eq!(std::fs::read_dir(prefix.join("bin")).unwrap().count(), 1);
}

#[test]
fn it_installs_from_an_address() {
    if !needs::program("python3") || !needs::program("curl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let from = release(folder.path(), "#!/bin/sh\necho runner 1.0.0\n", None);
    let log = folder.path().join("log");
    let mut server = here("python3");
    server.args([
        "-u",
        "-m",
        "http.server",
        "--bind",
        "127.0.0.1",
        "--directory",
        &from,
        "0",
    ]);
    let server = Leash::start(&server, &log);
    let port = server.until("the port", || {
        let text = std::fs::read_to_string(&log).ok()?;
        let rest = text.split_once("port ")?.1;
        Some(rest.split_once(' ')?.0.to_owned())
    });
    only(folder.path(), &TOOLS);
    std::os::unix::fs::symlink(found("curl"), folder.path().join("only/curl")).unwrap();
    let prefix = folder.path().join("prefix");
    let prefix = [("PREFIX", prefix.to_str().unwrap())];
    install(folder.path(), &format!("http://127.0.0.1:{port}/"), &prefix)
        .expect(0)
        .says("installed runner 1.0.0");
    install(
        folder.path(),
        &format!("http://127.0.0.1:{port}/none"),
        &prefix,
    )
    .expect(1)
    .says("cannot be fetched");
    install(folder.path(), "http://example.invalid/", &prefix)
        .expect(1)
        .says("only https://");
}

fn found(program: &str) -> String {
    let found = ran(Command::new("sh").args(["-c", &format!("command -v {program}")])).expect(0);
    found.stdout.trim().to_owned()
}

#[test]
fn what_is_not_the_releases_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("prefix");
    let installed = prefix.join("bin/runner");
    std::fs::create_dir_all(prefix.join("bin")).unwrap();
    std::fs::write(&installed, "the old one").unwrap();
    let variables = [("PREFIX", prefix.to_str().unwrap())];
    let hurts = "#!/bin/sh\ntouch \"$PREFIX/hurt\"\n";
    let refused = |program: &str, sum: Option<&str>, why: &str| {
        let from = release(folder.path(), program, sum);
        install(folder.path(), &from, &variables)
            .expect(1)
            .says(why);
        assert_eq!(std::fs::read_to_string(&installed).unwrap(), "the old one");
        assert!(
            !prefix.join("hurt").exists(),
            "what was not checked has run"
        );
        assert_eq!(
            std::fs::read_dir(&prefix).unwrap().count(),
            1,
            "something is left"
        );
    };
    refused(hurts, Some(&"0".repeat(64)), "does not have the sum");
    refused(hurts, Some("not a sum"), "no program for x86_64");
    refused(
        "#!/bin/sh\necho too old >&2\nexit 1\n",
        None,
        "does not start here",
    );
}

#[test]
fn other_systems_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let from = release(folder.path(), "#!/bin/sh\n", None);
    only(folder.path(), &TOOLS);
    let prefix = [("PREFIX", folder.path().to_str().unwrap())];
    for (system, machine, why) in [
        (
            "Linux",
            "riscv64",
            "no program for riscv64-unknown-linux-gnu",
        ),
        ("Darwin", "arm64", "no program for aarch64-apple-darwin"),
        ("SunOS", "i86pc", "no program for SunOS"),
    ] {
        let uname = folder.path().join("only/uname");
        std::fs::remove_file(&uname).unwrap();
        let script = format!("#!/bin/sh\n[ \"$1\" = -s ] && echo {system} || echo {machine}\n");
        std::fs::write(&uname, script).unwrap();
        std::fs::set_permissions(&uname, std::fs::Permissions::from_mode(0o755)).unwrap();
        install(folder.path(), &from, &prefix).expect(1).says(why);
    }
}

#[test]
fn sums_name_every_package() {
    let (Some(folder), Some(_)) = (packages(), package(".deb")) else {
        return;
    };
    let mut check = Command::new("sha256sum");
    let checked = ran(check
        .current_dir(folder)
        .args(["--check", "--strict", "SHA256SUMS"]))
    .expect(0);
    assert_eq!(checked.stdout.lines().count(), 5, "{}", checked.stdout);
}
