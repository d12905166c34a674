//! Generates the table of the host's Java sources, which are embedded in the program.

use std::fmt::Write as _;
use std::path::Path;

/// Writes `host_sources.rs`: the name and text of each Java file of the host, by name. Panics if it cannot.
#[expect(clippy::disallowed_methods, reason = "cargo tells a build script so")]
fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo names the crate's folder");
    let out = std::env::var("OUT_DIR").expect("cargo names a folder");
    let folder = Path::new(&root).join("java/runner/host");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "java"))
        .collect();
    files.sort();
    let mut table =
        String::from("/// The host's sources.\npub const SOURCES: &[SourceFile] = &[\n");
    for file in files {
        let name = file
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name of ASCII");
        writeln!(
            table,
            "    (\"runner/host/{name}\", include_str!({:?})),",
            file.display().to_string()
        )
        .expect("a string takes all");
    }
    table.push_str("];\n");
    std::fs::write(Path::new(&out).join("host_sources.rs"), table).expect("a folder to write to");
}
