//! Fuzzer for a stable compiler: `lite SECONDS [TARGET…]` damages seeds and feeds them to each target.
//!
//! Unlike cargo-fuzz it does not see coverage. An input that panics, or takes longer than two seconds, is
//! written to `fuzz/artifacts/TARGET/` and ends the program with 1.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use runner_fuzz::{TARGETS, Target};

/// Time after which an input counts as slow. Chosen: far above what readers need, even on a busy machine.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Limit for a seed file and for an input. Chosen: larger ones would leave too few tries a second.
const MAX_SEED_BYTES: usize = 1 << 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok());
    let wanted: Vec<String> = arguments.collect();
    let Some(seconds) = seconds else {
        eprintln!("usage: lite SECONDS [TARGET…]");
        return ExitCode::from(2);
    };
    let is_wanted = |(name, _): &&Target| wanted.is_empty() || wanted.iter().any(|it| it == name);
    let mut good = true;
    for target in TARGETS.iter().filter(is_wanted) {
        good &= fuzz(target, Duration::from_secs(seconds));
    }
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Feeds one target for `time`. Returns false at the first input that panics or is slow, after saving it.
fn fuzz((name, run): &Target, time: Duration) -> bool {
    let seeds = seeds(name);
    let begun = Instant::now();
    let mut tries = 0_u64;
    while begun.elapsed() < time {
        let input = damaged(&seeds);
        tries += 1;
        let started = Instant::now();
        let panicked = catch_unwind(AssertUnwindSafe(|| run(&input))).is_err();
        let mut took = started.elapsed();
        // A busy machine is not a fault of the target: what is slow is slow again.
        for _ in 0..2 {
            if !panicked && took > MAX_TIME {
                let again = Instant::now();
                run(&input);
                took = took.min(again.elapsed());
            }
        }
        if panicked || took > MAX_TIME {
            let folder = root().join("fuzz/artifacts").join(name);
            let file = folder.join(format!("{:016x}", fastrand::u64(..)));
            let written =
                std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, input));
            println!(
                "{name}: {} after {tries} tries, {took:?}, {written:?}",
                file.display()
            );
            return false;
        }
    }
    println!(
        "{name}: {tries} tries from {} seeds in {:?}",
        seeds.len(),
        begun.elapsed()
    );
    true
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the seeds of a target: files of the project, and of the recordings beside it where they are at
/// hand.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let (folders, endings): (&[&str], &[&str]) = match name {
        "yaml" | "flow" => (&["flows", "examples", "docs", "tests"], &["yaml", "md"]),
        "maestro" => (&["../shared/corpus/maestro", "examples/maestro"], &["yaml"]),
        "expression" => (&["crates/flow/src/expression"], &["rs"]),
        "dump" | "uia2_source" => (
            &["../shared/corpus/screens", "tests", "crates/screen"],
            &["xml"],
        ),
        "png" => (&["snapshots", "docs"], &["png"]),
        "shell_script" => (
            &["crates/virtual-device/src/shell", "crates/device/src"],
            &["rs", "snap"],
        ),
        // What `.ci/run` installs has packages.
        "apk_manifest" => (&["target/clients/appium/node_modules"], &["apk"]),
        "locator" => (&["crates/virtual-device/src"], &["rs"]),
        "dex" => (&["crates/dex/tests/fixtures"], &["dex"]),
        "mapping" => (&["crates/dex/src"], &["rs"]),
        "events" | "history" => (
            &[".runner", "tests", "crates/report/src"],
            &["ndjson", "snap"],
        ),
        "selector" | "message" => (&["docs", "tests"], &["json", "md"]),
        _ => (&["snapshots"], &["tsv"]),
    };
    let mut found = Vec::new();
    for folder in folders {
        collect(&root().join(folder), endings, &mut found);
    }
    if matches!(
        name,
        "expression" | "shell_script" | "selector" | "message" | "locator"
    ) {
        // Lines of these files are what is read, not the files.
        let text: Vec<String> = found
            .iter()
            .map(|seed| String::from_utf8_lossy(seed).into_owned())
            .collect();
        found = text
            .iter()
            .flat_map(|text| text.split(['"', '`', '\n']))
            .map(|part| part.as_bytes().to_vec())
            .collect();
    }
    if name == "key" {
        let made = runner_adb::auth::PrivateKey::generate();
        found = made
            .map(|key| key.public().line("ada@desk").into_bytes())
            .into_iter()
            .collect();
    }
    if name == "host_answer" {
        found = vec![LOOK.as_bytes().to_vec()];
    }
    if name == "evidence" {
        found = vec![EVIDENCE.as_bytes().to_vec()];
    }
    if name == "archive" {
        found = archives(&found);
    }
    if name == "apk_manifest" {
        found = found.iter().filter_map(|apk| manifest(apk)).collect();
    }
    found.push(Vec::new());
    found
}

/// Answer of an app's process to `look`.
const LOOK: &str = r#"{"id":1,"ok":{"windows":[{"id":1,"kind":"activity","title":"Shop","component":"a.b/.Main","frame":[0,0,1080,2400],"focusable":true,"touchable":true,"touch_modal":true,"focused":true,"nodes":[{"id":1,"class":"android.widget.FrameLayout","enabled":true,"bounds":[0,0,1080,2400]},{"id":2,"depth":1,"class":"android.widget.EditText","text":"Go","editable":true,"focused":true,"enabled":true,"bounds":[0,500,500,600],"index":3,"order":7,"selection":[0,2],"range":{"min":0,"max":1,"now":0.5}}]}]},"state":{"now":100,"front":"a.b/.Main","ime":{"shown":true,"input_type":1}},"events":[{"event":"toast","text":"Hello","ms":2000},{"event":"crash","exception":"a.B","trace":"at a.b(C.java:1)"}]}"#;

/// Evidence with a small screen.
const EVIDENCE: &str = r#"{"runner-mend":1,"flow":"flows/a.yaml","file":"flows/a.yaml","line":3,"column":12,"selector":"{\"id\":\"a\"}","green":{"commit":"abc"},"before":{"size":[400,800],"rotation":0,"dump":"<hierarchy rotation=\"0\"><node class=\"android.widget.Button\" resource-id=\"a.b:id/a\" text=\"Go\" package=\"a.b\" enabled=\"true\" bounds=\"[0,0][400,100]\"/></hierarchy>"},"element":0,"after":{"size":[400,800],"rotation":0,"dump":"<hierarchy rotation=\"0\"><node class=\"android.widget.Button\" resource-id=\"a.b:id/b\" text=\"Go\" package=\"a.b\" enabled=\"true\" bounds=\"[0,0][400,100]\"/></hierarchy>"}}"#;

/// Returns the binary manifest in an APK.
fn manifest(apk: &[u8]) -> Option<Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(apk)).ok()?;
    let mut entry = archive.by_name("AndroidManifest.xml").ok()?;
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut entry, &mut bytes).ok()?;
    Some(bytes)
}

/// Returns archives of proposed goldens: a table alone, and one with a picture beside it.
fn archives(tables: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let packed = |table: &Vec<u8>| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        for name in [
            "proposed-goldens/snapshots/a/home.new.tsv",
            "out/proposed-goldens/snapshots/a/b~virtual-1.new.png",
        ] {
            zip.start_file(name, options)?;
            std::io::Write::write_all(&mut zip, table)?;
        }
        zip.finish()
    };
    tables
        .iter()
        .filter_map(|table| packed(table).ok())
        .map(std::io::Cursor::into_inner)
        .collect()
}

fn collect(folder: &Path, endings: &[&str], found: &mut Vec<Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, endings, found);
        } else if path
            .extension()
            .is_some_and(|it| endings.iter().any(|ending| it == *ending))
            && found.len() < 2000
            && let Ok(bytes) = std::fs::read(&path)
            && bytes.len() <= MAX_SEED_BYTES
        {
            found.push(bytes);
        }
    }
}

/// Returns a seed with parts changed, doubled, cut out, or put in from another seed.
fn damaged(seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut input = fastrand::choice(seeds).cloned().unwrap_or_default();
    for _ in 0..fastrand::usize(0..6) {
        let at = fastrand::usize(0..=input.len());
        let end = (at + fastrand::usize(0..40)).min(input.len());
        match fastrand::u8(0..7) {
            0 => input.truncate(at),
            1 => drop(input.drain(at..end)),
            2 => input.insert(at, fastrand::u8(..)),
            3 if at < input.len() => input[at] ^= 1 << fastrand::u8(0..8),
            4 => {
                let part = input[at..end].to_vec();
                let times = fastrand::usize(1..200);
                let many = part.repeat(times);
                input.splice(at..at, many);
            }
            5 => {
                let other = fastrand::choice(seeds).cloned().unwrap_or_default();
                let from = fastrand::usize(0..=other.len());
                let to = (from + fastrand::usize(0..200)).min(other.len());
                input.splice(at..at, other[from..to].to_vec());
            }
            _ => {
                let word = fastrand::choice(WORDS).unwrap_or("");
                input.splice(at..at, word.bytes());
            }
        }
    }
    input.truncate(MAX_SEED_BYTES);
    input
}

/// Words that parsers look for, to put into inputs.
const WORDS: [&str; 32] = [
    "${",
    "}",
    "{{",
    "\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "&a",
    "*a",
    "<<:",
    "- ",
    ": ",
    "|",
    ">",
    "[[[[",
    "}}}}",
    "-1",
    "0",
    "9223372036854775807",
    "1e309",
    "0x",
    "\u{feff}",
    "\u{202e}",
    "\u{fdd0}",
    "\u{fdd1}",
    "é",
    "steps:",
    "<node",
    "range(1)",
];
