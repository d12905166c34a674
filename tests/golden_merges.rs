//! Measures how goldens merge: two people change an app, git merges the goldens, and the golden of the app
//! with both changes is the truth.

mod app_edits;
mod apps;
mod recorded;

use crate::common::git::git_in;
use crate::common::{Project, needs};
use std::fmt::Write as _;
use std::path::PathBuf;

/// A golden: its two headers, its rows without numbers, and a digest of its picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// Headers and rows of the shared file and of a class's file.
    files: [(String, Vec<String>); 2],
    picture: Vec<u8>,
}

/// Two changes of a screen and their union; `None` if people have to decide.
#[derive(Debug)]
pub struct Case {
    base: Golden,
    ours: Golden,
    theirs: Golden,
    /// Merged rows of each file; `None` if an edit leaves their places open, though not their texts.
    both: [Option<Vec<String>>; 2],
}

const SHARED: &str = "class\ttext\tdesc\tres_id\thint\tflags";
const OF_CLASS: &str = "class\ttext\tdesc\tres_id\thint\tbounds\tflags";

impl Golden {
    /// Reads the golden `home` of a folder.
    fn read(project: &Project, folder: &str) -> Option<Self> {
        let mut found = Self {
            files: Default::default(),
            picture: Vec::new(),
        };
        for name in project.files(folder) {
            let path = format!("{folder}/{name}");
            if name.ends_with(".png") && !name.contains("annotated") {
                found.picture = std::fs::read(project.path(&path)).ok()?;
            } else if name.ends_with(".tsv") {
                let text = project.read(&path);
                let mut lines = text.lines();
                let header = lines.next()?.to_owned();
                let is_numbered = lines.next()?.starts_with("id\t");
                let row = |line: &str| {
                    if is_numbered {
                        line.split_once('\t').map(|it| it.1.to_owned())
                    } else {
                        Some(line.to_owned())
                    }
                };
                let rows = lines.map(row).collect::<Option<_>>()?;
                found.files[usize::from(name.contains('~'))] = (header, rows);
            }
        }
        found
            .files
            .iter()
            .all(|it| !it.1.is_empty())
            .then_some(found)
    }
}

/// Format of a golden's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Numbered,
    Plain,
    /// Separates rows by an empty line.
    Separated,
    /// Writes each cell on a line.
    Cells,
}

impl Form {
    fn write(self, header: &str, rows: &[String], file: usize) -> String {
        let columns = [SHARED, OF_CLASS][file];
        let mut out = format!("{header}\n");
        if self == Self::Numbered {
            out = out.replace(" schema=2", " schema=1");
            out.push_str("id\t");
        }
        let _ = writeln!(out, "{columns}");
        for (at, row) in rows.iter().enumerate() {
            let _ = match self {
                Self::Numbered => writeln!(out, "n{}\t{row}", at + 1),
                Self::Plain => writeln!(out, "{row}"),
                Self::Separated => writeln!(out, "{row}\n"),
                Self::Cells => writeln!(out, "{}\n", row.replace('\t', "\n")),
            };
        }
        out
    }
}

/// Result of merging a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MergeResult {
    /// One side left the file unchanged, so that there is nothing to merge.
    OneSided,
    Right,
    Wrong,
    Conflict,
}

/// Merges both files of all cases with git, with a merge driver if one is named.
fn merged(cases: &[Case], form: Form, driver: Option<&str>) -> Vec<[MergeResult; 2]> {
    let project = Project::empty();
    project.git(&["init", "--quiet", "--initial-branch", "main"]);
    project.git(&["config", "user.name", "A"]);
    project.git(&["config", "user.email", "a@example.com"]);
    if let Some(driver) = driver {
        project.git(&["config", "merge.golden.driver", driver]);
        project.write(".gitattributes", "*.tsv merge=golden\n");
    }
    let name =
        |number: usize, file: usize| format!("c{number}/{}", ["home.tsv", "home~class.tsv"][file]);
    let commit = |version: fn(&Case) -> &Golden| {
        for (number, case) in cases.iter().enumerate() {
            for file in [0, 1] {
                let (header, rows) = &version(case).files[file];
                project.write(&name(number, file), &form.write(header, rows, file));
            }
        }
        project.commit();
    };
    commit(|case| &case.base);
    project.git(&["switch", "--quiet", "--create", "theirs"]);
    commit(|case| &case.theirs);
    project.git(&["switch", "--quiet", "main"]);
    commit(|case| &case.ours);
    git_in(
        &project.path("."),
        &["merge", "--quiet", "--no-edit", "theirs"],
    );
    let unmerged = project.unmerged();
    let came = |number: usize, file: usize, case: &Case| {
        let [base, ours, theirs] = [&case.base, &case.ours, &case.theirs].map(|it| &it.files[file]);
        if base == ours || base == theirs || ours == theirs {
            return MergeResult::OneSided;
        }
        if unmerged.contains(&name(number, file)) {
            return MergeResult::Conflict;
        }
        let now = project
            .read(&name(number, file))
            .replacen(" merged=yes", "", 1);
        let truth = case.both[file]
            .as_ref()
            .map(|rows| form.write(&case.ours.files[file].0, rows, file));
        if Some(now) == truth {
            MergeResult::Right
        } else {
            MergeResult::Wrong
        }
    };
    cases
        .iter()
        .enumerate()
        .map(|(number, case)| [0, 1].map(|file| came(number, file, case)))
        .collect()
}

/// Returns git's text merge where it succeeds, and the driver's result otherwise.
fn union(text: &[[MergeResult; 2]], driver: &[[MergeResult; 2]]) -> Vec<[MergeResult; 2]> {
    let one = |text: MergeResult, driver: MergeResult| {
        if text == MergeResult::Conflict {
            driver
        } else {
            text
        }
    };
    text.iter()
        .zip(driver)
        .map(|(text, driver)| [0, 1].map(|file| one(text[file], driver[file])))
        .collect()
}

/// Counts of merges, of files or goldens that both sides changed: those with one truth and how many came out
/// right, those without one, and wrong merges without a conflict.
#[derive(Debug, Default)]
struct Count {
    clean: usize,
    right: usize,
    clashing: usize,
    wrong: usize,
}

impl Count {
    fn new(came: impl Iterator<Item = (bool, MergeResult)>) -> Self {
        let mut count = Self::default();
        for (has_truth, came) in came.filter(|(_, came)| *came != MergeResult::OneSided) {
            count.clean += usize::from(has_truth);
            count.clashing += usize::from(!has_truth);
            count.right += usize::from(came == MergeResult::Right);
            count.wrong += usize::from(came == MergeResult::Wrong);
        }
        count
    }
}

/// Counts the shared files, the files of a class, whole goldens, and goldens with pictures, which never
/// merge.
fn counts(cases: &[Case], came: &[[MergeResult; 2]]) -> [Count; 4] {
    let picture = |case: &Case| {
        let [base, ours, theirs] = [&case.base, &case.ours, &case.theirs].map(|it| &it.picture);
        let is_asked = base != ours && base != theirs && ours != theirs;
        if is_asked {
            MergeResult::Conflict
        } else {
            MergeResult::OneSided
        }
    };
    let of = |choose: &dyn Fn([MergeResult; 2], MergeResult) -> MergeResult, file: usize| {
        let all = cases.iter().zip(came);
        Count::new(
            all.map(|(case, came)| (case.both[file].is_some(), choose(*came, picture(case)))),
        )
    };
    [
        of(&|came, _| came[0], 0),
        of(&|came, _| came[1], 1),
        of(&|came, _| came[0].max(came[1]), 1),
        of(&|came, picture| came[0].max(came[1]).max(picture), 1),
    ]
}

/// Formats a table of the ways to merge, for `docs/guide/team.md`. Includes an old driver if there still is one.
fn table(cases: &[Case]) -> String {
    let text = |form| merged(cases, form, None);
    let mut ways = vec![
        ("text, rows numbered", text(Form::Numbered)),
        ("text", text(Form::Plain)),
        ("text, a line between rows", text(Form::Separated)),
        ("text, a cell a line", text(Form::Cells)),
    ];
    if let Ok(driver) = std::env::var("GOLDEN_MERGE_DRIVER") {
        let driver = merged(cases, Form::Numbered, Some(&driver));
        ways.push(("text, then the driver", union(&ways[1].1, &driver)));
        ways.push(("the driver", driver));
    }
    let mut out = String::new();
    for (name, came) in ways {
        let _ = write!(out, "| {name} |");
        for count in counts(cases, &came) {
            let Count {
                clean,
                right,
                clashing,
                wrong,
            } = count;
            let _ = write!(out, " {right} of {clean}, {wrong} wrong (+{clashing}) |");
        }
        out.push('\n');
    }
    out
}

/// Returns the contents of the files in a folder with this ending, in order.
fn files(folder: Option<PathBuf>, ending: &str) -> Vec<Vec<u8>> {
    let walk = folder.into_iter().flat_map(walkdir::WalkDir::new);
    let paths = walk
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path);
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == ending))
        .collect();
    paths.sort();
    paths
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .collect()
}

fn apps_in(folder: Option<PathBuf>, ending: &str) -> Vec<apps::App> {
    let texts = files(folder, ending)
        .into_iter()
        .filter_map(|bytes| String::from_utf8(bytes).ok());
    texts.filter_map(|text| apps::App::read(&text)).collect()
}

fn examples() -> Vec<apps::App> {
    apps_in(Some(needs::root().join("examples")), "yaml")
}

/// The last two were not looked at before the choice was made.
#[test]
#[ignore = "a measurement of some minutes"]
fn the_table() {
    let count = 400;
    let recorded = |folder, seed, most| {
        recorded::cases(files(needs::recording(folder), "xml"), seed, count, most)
    };
    let gallery = || apps_in(needs::recording("a2ui/v0_9_1/catalogs"), "json");
    let generators: [(&str, &dyn Fn() -> Vec<Case>); 4] = [
        ("the examples' apps", &|| {
            apps::cases(&examples(), 1, count, 2)
        }),
        ("recorded screens", &|| recorded("screens", 2, 2)),
        ("A2UI's gallery, up to 4 changes a side", &|| {
            apps::cases(&gallery(), 3, count, 4)
        }),
        ("the framework's screens, up to 4 changes a side", &|| {
            recorded("framework", 4, 4)
        }),
    ];
    for (name, cases) in generators {
        println!("{name}\n{}", table(&cases()));
    }
}

#[test]
fn git_merges_goldens_as_they_are_written_better_than_with_numbers() {
    if !needs::program("git") {
        return;
    }
    let cases = apps::cases(&examples(), 1, needs::long(20, 400), 2);
    let [numbered, plain] =
        [Form::Numbered, Form::Plain].map(|form| counts(&cases, &merged(&cases, form, None)));
    for (numbered, plain) in numbered.iter().zip(&plain) {
        assert!(plain.right >= numbered.right, "{numbered:?}, {plain:?}");
    }
    assert!(
        plain[0].right > numbered[0].right,
        "{numbered:?}, {plain:?}"
    );
    // A whole golden is never wrong in silence here.
    assert_eq!(plain[3].wrong, 0, "{plain:?}");
}
