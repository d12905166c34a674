//! Compares the cost of a look with mobile-mcp's element list, and the cost of what changed with that of a
//! look.
//!
//! `cargo bench --bench look [-- FOLDER_OF_MOBILE_MCP]`. With the folder of an installed mobile-mcp (and
//! `node`) its own code makes the lists; without it the port in `peers/mobile_mcp.rs`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

#[path = "peers/mobile_mcp.rs"]
mod mobile_mcp;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use runner::agent::look::sizes::Sizes;

/// Node script that lists the elements of the dump in the file that its second argument names.
const PEER: &str = r#"
const [folder, dump] = process.argv.slice(1);
const { AndroidRobot } = require(folder + "/lib/android.js");
const { formatElements } = require(folder + "/lib/format-elements.js");
const robot = new AndroidRobot("none");
robot.adb = () => require("fs").readFileSync(dump);
robot.getElementsOnScreen().then(elements => process.stdout.write(formatElements(elements, "text")));
"#;

fn main() {
    let peer = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"))
        .map(PathBuf::from);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus/screens");
    let mut dumps: Vec<PathBuf> = walkdir::WalkDir::new(root)
        .into_iter()
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|kind| kind == "xml"))
        .collect();
    dumps.sort();
    if dumps.is_empty() {
        println!("no recordings in {root}: nothing was measured");
        return;
    }
    let mut rows = Vec::new();
    println!("elements\tlook\tmobile-mcp\tratio\tlargest change\tpart of look\tscreen");
    for path in &dumps {
        let name = path
            .strip_prefix(root)
            .unwrap_or(path)
            .display()
            .to_string();
        rows.extend(measure(path, &name, peer.as_deref()));
    }
    summary(&rows);
}

struct Measured {
    elements: usize,
    ratio: f64,
    part: f64,
    part_of_list: f64,
}

fn measure(path: &Path, name: &str, peer: Option<&Path>) -> Option<Measured> {
    let dump = fs_err::read_to_string(path).ok()?;
    let ported = mobile_mcp::list(&dump);
    let list = match peer.map(|folder| real_list(folder, path)) {
        None => ported,
        Some(Some(real)) => {
            if sorted(&real) != sorted(&ported) {
                println!("the port of mobile-mcp's list differs from the real one: {name}");
            }
            real
        }
        Some(None) => {
            println!("mobile-mcp could not be asked about {name}");
            return None;
        }
    };
    let sizes = Sizes::measure(&dump)?;
    let theirs = list.chars().count();
    let measured = Measured {
        elements: list.lines().count() - 1,
        ratio: sizes.look as f64 / theirs as f64,
        part: sizes.largest_change as f64 / sizes.look as f64,
        part_of_list: sizes.largest_change as f64 / theirs as f64,
    };
    println!(
        "{}\t{}\t{theirs}\t{:.2}\t{}\t{:.2}\t{name}",
        measured.elements, sizes.look, measured.ratio, sizes.largest_change, measured.part
    );
    Some(measured)
}

fn real_list(folder: &Path, dump: &Path) -> Option<String> {
    let output = Command::new("node")
        .args(["-e", PEER])
        .args([folder, dump])
        .stderr(Stdio::inherit())
        .output()
        .ok()?;
    String::from_utf8(output.stdout)
        .ok()
        .filter(|_| output.status.success())
}

fn sorted(list: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = list.lines().collect();
    lines.sort_unstable();
    lines
}

fn summary(rows: &[Measured]) {
    for least in [1, 10, 15] {
        let of = |value: fn(&Measured) -> f64| {
            let mut values: Vec<f64> = rows
                .iter()
                .filter(|row| row.elements >= least)
                .map(value)
                .collect();
            values.sort_by(f64::total_cmp);
            (
                values.get(values.len() / 2).copied().unwrap_or_default(),
                values.last().copied().unwrap_or_default(),
            )
        };
        let (ratio, worst_ratio) = of(|row| row.ratio);
        let (part, worst_part) = of(|row| row.part);
        let (of_list, worst_of_list) = of(|row| row.part_of_list);
        println!(
            "screens of {least} or more elements: look / mobile-mcp median {ratio:.2}, max {worst_ratio:.2}; \
             largest change / look median {part:.2}, max {worst_part:.2}; \
             largest change / mobile-mcp median {of_list:.2}, max {worst_of_list:.2}"
        );
    }
}
