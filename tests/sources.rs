//! Rules for the sources that the compiler cannot check.

use std::path::{Path, PathBuf};

/// Iterates over the sources of the program, with their paths from the root.
fn sources() -> impl Iterator<Item = (String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["src", "crates"]
        .into_iter()
        .flat_map(move |folder| walkdir::WalkDir::new(root.join(folder)))
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|ending| ending == "rs"))
        .map(move |file| {
            let path = file.path().strip_prefix(root).unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(file.path()).unwrap();
            (path.replace('\\', "/"), text)
        })
}

/// Returns the crates in the table of `docs/developers/architecture.md`, lowest first.
fn crates_in_order() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/developers/architecture.md");
    let page = std::fs::read_to_string(page).unwrap();
    let row = regex::Regex::new(r"(?m)^\| \[`runner-([\w-]+)`\]").unwrap();
    row.captures_iter(&page)
        .map(|row| row[1].to_owned())
        .collect()
}

/// Returns the folders of all crates.
fn folders() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let folders = std::fs::read_dir(crates).unwrap().flatten();
    folders.map(|folder| folder.path()).collect()
}

/// Cargo forbids circles only. A reader of the table goes one way.
#[test]
fn a_crate_uses_only_crates_above_it_in_the_table() {
    let order = crates_in_order();
    let used = regex::Regex::new(r"(?m)^runner-([\w-]+)").unwrap();
    for folder in folders() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let place = order.iter().position(|known| known == name);
        let place = place.unwrap_or_else(|| {
            panic!("docs/developers/architecture.md has no row of runner-{name}")
        });
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest = manifest.split("[dev-dependencies]").next().unwrap();
        for used in used.captures_iter(manifest) {
            assert!(
                order[..place].contains(&used[1].to_owned()),
                "runner-{name} uses runner-{}, which stands below it in docs/developers/architecture.md",
                &used[1]
            );
        }
    }
}

/// Packages have the features that are on by default.
#[test]
fn packages_have_no_servers_for_other_clients() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let manifest = read("Cargo.toml");
    let default = manifest
        .lines()
        .find(|line| line.starts_with("default = ["));
    assert!(!default.unwrap().contains("other-clients"));
    for name in [".github/workflows/release.yml", ".ci/run-long", "justfile"] {
        for line in read(name)
            .lines()
            .filter(|line| line.contains("--profile dist"))
        {
            assert!(!line.contains("features"), "{name}: {line}");
        }
    }
}

#[test]
fn what_the_readme_of_a_crate_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    let path = regex::Regex::new(r"`((?:\.\./)?[a-z_\d/-]+(?:\.rs|\.js|/))`").unwrap();
    for folder in folders() {
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        for named in path.captures_iter(&readme) {
            let named = &named[1];
            let (other, rest) = named.split_once('/').unwrap_or((named, ""));
            let there = [
                folder.join("src").join(named),
                folder.join(named),
                root.join("crates").join(other).join("src").join(rest),
                root.join("crates").join(other).join(rest),
                root.join("src").join(named),
                root.join(named),
            ];
            if !there.iter().any(|path| path.exists()) {
                missing.push(format!("{}: {named}", folder.display()));
            }
        }
    }
    assert!(missing.is_empty(), "these are not there: {missing:#?}");
}

/// Share of documentation comments that may begin with one of these words. nextest's is 3 % too: schema descriptions and
/// variants such as "Not a number." need them.
const MAX_ODD_OPENINGS_PERCENT: usize = 3;

#[test]
fn documentation_begins_with_what_an_item_is_or_does() {
    let odd =
        regex::Regex::new(r"^(What|Whether|How|Where|When|Why|Which|Of|As|So many)\b").unwrap();
    let doc = regex::Regex::new(r"^//[/!](?:$|[^/])").unwrap();
    let (mut all, mut found) = (0, Vec::new());
    for (path, text) in sources() {
        let mut is_inside = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let is_doc = doc.is_match(line);
            if is_doc && !is_inside {
                all += 1;
                let opening = line[3..].trim_start();
                if odd.is_match(opening) {
                    found.push(format!("{path}:{}: {opening}", number + 1));
                }
            }
            is_inside = is_doc;
        }
    }
    assert!(
        found.len() * 100 <= all * MAX_ODD_OPENINGS_PERCENT,
        "{} of {all} comments; see docs/developers/style.md: {found:#?}",
        found.len()
    );
}

#[test]
fn constructors_and_limits_have_the_names_of_the_field() {
    let odd = regex::Regex::new(
        r"^(?:pub(?:\([a-z]+\))? )?(?:const |async )*fn of(?:_\w+)?\s*[(<]|\bconst \w*(?:LONGEST|MOST|LEAST|LARGEST|DEEPEST|SHORTEST|FEWEST)\w*:",
    )
    .unwrap();
    let mut found = Vec::new();
    for (path, text) in sources() {
        let mut before = "";
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            // A test says a sentence.
            let is_test = before == "#[test]" || before == "#[tokio::test]";
            if odd.is_match(line) && !is_test && !line.starts_with("//") {
                found.push(format!("{path}:{}: {line}", number + 1));
            }
            before = line;
        }
    }
    assert!(
        found.is_empty(),
        "write `from_…`, `MAX_…` or `MIN_…`; see docs/developers/style.md: {found:#?}"
    );
}
