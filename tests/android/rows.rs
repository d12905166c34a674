//! Rows of `rows/*.yaml`: questions to Android and to the virtual device.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

/// A row: acts on a screen, and observations to make then.
#[derive(Debug, Clone)]
pub struct Row {
    pub name: String,
    /// Name of its file: touch, scroll, text.
    pub behaviour: String,
    /// Name of the activity.
    pub screen: String,
    pub density: u32,
    pub acts: Vec<String>,
    pub see: Vec<String>,
    /// Reason why no described app can express the row.
    pub apart: Option<String>,
    /// True for a row made at random.
    pub is_random: bool,
    /// True if the virtual device's answer is known to differ: the row is in `open.txt`.
    pub is_open: bool,
    pub source: Source,
}

/// Source of a row's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Android's own code.
    Framework,
    /// A stand-in for Android that runs its code here. The row judges nothing.
    Host,
    /// A document, such as a file of AOSP.
    Document {
        name: String,
        left: BTreeMap<String, String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowFile {
    screen: String,
    rows: Vec<RowTemplate>,
}

/// A row in a file; it stands for one row per combination of its values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowTemplate {
    row: String,
    #[serde(default, rename = "for")]
    each: BTreeMap<String, Vec<serde_json::Value>>,
    screen: Option<String>,
    density: Option<u32>,
    #[serde(default)]
    acts: Vec<String>,
    see: Vec<String>,
    apart: Option<String>,
    source: Option<String>,
    #[serde(default)]
    left: BTreeMap<String, serde_json::Value>,
}

fn text(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// Returns all rows, in the order of files and rows.
pub fn all() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/android/rows");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the rows")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    let mut rows = Vec::new();
    for path in files {
        let written = std::fs::read_to_string(&path).expect("rows");
        let file: RowFile = serde_yaml::from_str(&written)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let behaviour = path.file_stem().and_then(|stem| stem.to_str());
        for row in &file.rows {
            for values in combinations(&row.each) {
                rows.push(row.with(&values, &file.screen, behaviour.expect("a name")));
            }
        }
    }
    // Lines with `#` say why the rows below them are open.
    let open: BTreeSet<&str> = include_str!("open.txt").lines().collect();
    for row in &mut rows {
        row.is_open = open.contains(row.name.as_str());
    }
    rows
}

type Values<'a> = Vec<(&'a str, String)>;

fn combinations(each: &BTreeMap<String, Vec<serde_json::Value>>) -> Vec<Values<'_>> {
    let mut all: Vec<Values<'_>> = vec![Vec::new()];
    for (name, values) in each {
        all = all
            .iter()
            .flat_map(|known| {
                values.iter().map(move |value| {
                    let mut more = known.clone();
                    more.push((name.as_str(), text(value)));
                    more
                })
            })
            .collect();
    }
    all
}

impl RowTemplate {
    fn with(&self, values: &Values<'_>, screen: &str, behaviour: &str) -> Row {
        let fill = |written: &String| {
            values.iter().fold(written.clone(), |text, (name, value)| {
                text.replace(&format!("{{{name}}}"), value)
            })
        };
        let left = self.left.iter();
        let left = left.map(|(see, value)| (fill(see), fill(&text(value))));
        Row {
            name: fill(&self.row),
            behaviour: behaviour.to_owned(),
            screen: self.screen.clone().unwrap_or_else(|| screen.to_owned()),
            density: self.density.unwrap_or(480),
            acts: self.acts.iter().map(fill).collect(),
            see: self.see.iter().map(fill).collect(),
            apart: self.apart.clone(),
            is_random: false,
            is_open: false,
            source: match self.source.as_deref() {
                None | Some("framework") => Source::Framework,
                Some("host") => Source::Host,
                Some(name) => Source::Document {
                    name: name.to_owned(),
                    left: left.collect(),
                },
            },
        }
    }
}
