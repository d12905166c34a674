//! Scripts of `tests/browser/`, which drive a page in Debian's chromium.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{Ran, looks, needs};

/// Prepares a script of `tests/browser/` with these arguments. `None` if node, its packages or the browser
/// are missing, which is printed and fails in CI. Its pictures go to `target/browser/`.
#[expect(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn script(name: &str, arguments: &[&str]) -> Option<Command> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for package in ["playwright-core", "axe-core"] {
        needs::client_program(&format!("node_modules/{package}/package.json"))?;
    }
    let node = needs::client_program("node_modules/node/bin/node")?;
    if !needs::program("chromium") {
        return None;
    }
    let browser = std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join("chromium"))
        .find(|path| path.is_file())?;
    let pictures = root.join("target/browser");
    std::fs::create_dir_all(&pictures).expect("a folder for pictures");
    let mut command = node;
    command
        .arg(root.join("tests/browser").join(name))
        .args(arguments)
        .env("CHROMIUM", browser)
        .env("CLIENTS", root.join("target/clients"))
        .env("PICTURES", pictures)
        .env("PAGE_SHIFT", (needs::clock_shift() * 1000).to_string())
        .stdin(Stdio::null());
    Some(command)
}

/// Runs a script to its end and returns its output. It must succeed; it ends itself after 15 minutes. `None`
/// if it cannot be run.
#[track_caller]
pub fn run(name: &str, arguments: &[&str]) -> Option<String> {
    Some(ended(&mut script(name, arguments)?))
}

/// Runs a script as [`run`] does, but delays each answer of the server by up to 200 ms: a person is quicker
/// than some connections.
#[track_caller]
pub fn run_slowly(name: &str, arguments: &[&str]) -> Option<String> {
    Some(ended(script(name, arguments)?.env("SLOW", "200")))
}

#[track_caller]
fn ended(script: &mut Command) -> String {
    let looks = tempfile::tempdir().expect("a folder");
    let output = script.env("LOOKS", looks.path()).output();
    let ran = Ran::from(output.expect("node starts")).expect(0);
    looks::compare(looks.path());
    ran.stdout
}

/// A started program or script; killed on drop.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Formats a path as a `file:` URL.
pub fn file_url(path: &Path) -> String {
    let path: PathBuf = path.canonicalize().expect("a path that is there");
    format!("file://{}", path.display())
}
