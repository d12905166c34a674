//! Finds which flows of a project use which goldens, for pruning and for the review.
//!
//! It reads the flows without running them. The goldens of a flow that cannot be read count as used.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::PlanError;
use super::changed_flows::flow_files;
use super::settings::{golden_folder, possible_golden_folders};
use runner_config::{Config, only_flow_folder};
use runner_flow::GoldenUse;
use runner_snapshot::{GoldenKey, SnapshotError};
use runner_text::diagnostic::{Diagnostic, Source, line_column};

#[derive(Debug, Clone, Default)]
pub struct GoldenUses {
    /// Steps by path below the folder of goldens, in lower case: `login/home`.
    places: BTreeMap<String, GoldenPlace>,
    /// Files that the readable flows consist of, with their sub-flows and tables, relative to the root. A change of any
    /// may name another golden.
    pub files: BTreeSet<Utf8PathBuf>,
    /// Flows that cannot be read. All goldens in their folders count as used.
    pub unreadable: Vec<UnreadableFlow>,
}

#[derive(Debug, Clone)]
pub struct GoldenPlace {
    /// File of the step: the flow's, or a sub-flow's.
    pub source: Arc<Source>,
    /// Byte range of the step in the file.
    pub span: Range<usize>,
    /// Flow to run to take the golden, relative to the root.
    pub flow: Utf8PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The step takes a new golden each time it runs.
    pub each: bool,
}

#[derive(Debug, Clone)]
pub struct UnreadableFlow {
    /// File, relative to the root.
    pub file: Utf8PathBuf,
    /// Folders below the folder of goldens, of which one has its goldens.
    pub folders: [Utf8PathBuf; 3],
    pub diagnostics: Vec<Diagnostic>,
}

impl GoldenUses {
    /// Returns the unreadable flow in whose folder this golden is stored, in this letter case; `None` for a golden in a
    /// folder below, which [`Self::keeps`] counts.
    pub fn unreadable(&self, key: &GoldenKey) -> Option<&UnreadableFlow> {
        let is_its = |flow: &&UnreadableFlow| flow.folders.iter().any(|it| it == key.flow());
        self.unreadable.iter().find(is_its)
    }

    /// Returns the step that takes this golden, in any letter case. A name with turns (`home.1.2`) belongs to
    /// the step of the name without them, if that step is in a loop; the longest such name wins. `None` if no
    /// flow that could be read takes it.
    pub fn place(&self, key: &GoldenKey) -> Option<&GoldenPlace> {
        let path = key.flow().join(key.name().as_str());
        let mut path = path.as_str().to_lowercase();
        if let Some(place) = self.places.get(&path) {
            return Some(place);
        }
        // `home.1.2` is the second turn of a loop in the first turn of another.
        while let Some((stem, turn)) = path.rsplit_once('.') {
            if turn.is_empty() || !turn.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            if let Some(place) = self.places.get(stem).filter(|place| place.each) {
                return Some(place);
            }
            path.truncate(stem.len());
        }
        None
    }

    /// Returns true if a flow uses this golden, or may use it, as a flow that cannot be read has goldens in its folder
    /// or below.
    pub fn keeps(&self, key: &GoldenKey) -> bool {
        let flow = lower(key.flow());
        let mut folders = self.unreadable.iter().flat_map(|flow| &flow.folders);
        self.place(key).is_some() || folders.any(|folder| flow.starts_with(lower(folder)))
    }

    /// Adds a golden's step, unless the golden is known already, in any letter case: the first flow stays.
    fn add(&mut self, flow: &Utf8Path, folder: &Utf8Path, golden: &GoldenUse) {
        let Some((source, span)) = golden.snapshot() else {
            return;
        };
        let (line, column) = line_column(&source.text, span.start);
        let place = GoldenPlace {
            source: Arc::clone(source),
            span,
            flow: flow.to_owned(),
            line,
            column,
            each: golden.each,
        };
        self.places
            .entry(lower(&folder.join(&golden.path)).into_string())
            .or_insert(place);
    }
}

/// Reads all flows of the project, whatever their tags, and flows outside `flows` that goldens were taken of. Runs
/// nothing. A flow that cannot be read is noted, with its diagnostics, and is no error.
///
/// # Errors
/// [`GoldenUsesError`] also if there is no flow at all: then nothing is known of any golden.
pub fn golden_uses(config: &Config) -> Result<GoldenUses, GoldenUsesError> {
    let mut paths: BTreeSet<Utf8PathBuf> = runner_flow::discover(&config.flows.value, &config.root)
        .map_err(PlanError::from)?
        .into_iter()
        .collect();
    paths.extend(golden_flow_files(config)?);
    let options = config.read_options();
    let mut uses = GoldenUses::default();
    for path in &paths {
        match runner_flow::read_flow(path, &options) {
            (Some(flow), _) => {
                let folder = golden_folder(&config.flows.value, &flow.key);
                let goldens = runner_flow::goldens(&flow);
                for folder in flow.golden_folders(&folder) {
                    for golden in &goldens {
                        uses.add(&flow.source.path, &folder, golden);
                    }
                }
                uses.files.extend(flow_files::files(&flow));
            }
            (None, diagnostics) => {
                let file = path.strip_prefix(&config.root).unwrap_or(path);
                let file = Utf8PathBuf::from(file.as_str().replace('\\', "/"));
                uses.unreadable.push(UnreadableFlow {
                    folders: possible_golden_folders(&config.flows.value, &file),
                    file,
                    diagnostics,
                });
            }
        }
    }
    Ok(uses)
}

#[derive(Debug, thiserror::Error)]
pub enum GoldenUsesError {
    /// The project's flows cannot be searched, or there is none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The folder of goldens cannot be read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// Returns the flow files that stored goldens belong to, wherever they are: a flow that was run by its path took
/// goldens too. Looks below the root and below the only folder of flows for `.yaml` and `.yml` of the golden's folder
/// and of each folder above it, also where one part of the path begins with a dot. Only existing files are returned. An
/// error if the stored goldens cannot be listed.
pub fn golden_flow_files(config: &Config) -> Result<BTreeSet<Utf8PathBuf>, SnapshotError> {
    let flows: BTreeSet<Utf8PathBuf> = config
        .store()
        .files()?
        .into_iter()
        .map(|(key, ..)| key.flow().to_owned())
        .collect();
    let mut folders = vec![config.root.clone()];
    if let Some(only) = only_flow_folder(&config.flows.value) {
        folders.push(config.root.join(only));
    }
    let mut found = BTreeSet::new();
    // A golden of `shop/pay/card` may be of `shop/pay.yaml`, or of `shop.yaml`, whose sub-flow lies in a folder.
    let filed: BTreeSet<&Utf8Path> = flows.iter().flat_map(|flow| flow.ancestors()).collect();
    for file in filed.into_iter().flat_map(possible_files) {
        let paths = folders.iter().map(|folder| folder.join(&file));
        found.extend(paths.filter(|path| path.is_file()));
    }
    Ok(found)
}

/// Returns the files that may have the goldens of a folder: `.yaml` and `.yml` of its path, also with a dot before one
/// part, as those of Maestro are filed without dots, and the path itself, as one of them may have kept its extension.
/// None for the folder of all goldens.
fn possible_files(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let parts: Vec<&str> = folder.components().map(|part| part.as_str()).collect();
    let dotted = (0..parts.len()).map(|at| {
        let mut parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        parts[at].insert(0, '.');
        Utf8PathBuf::from_iter(parts)
    });
    let plain = std::iter::once(folder.to_owned()).filter(|it| !it.as_str().is_empty());
    plain
        .chain(dotted)
        .flat_map(|path| {
            let with = |ending: &str| Utf8PathBuf::from(format!("{path}.{ending}"));
            let files = [with("yaml"), with("yml")];
            let kept = Some(path).filter(|path| runner_flow::is_flow(path));
            files.into_iter().chain(kept)
        })
        .collect()
}

/// Converts to lower case. Some file systems ignore case, so names that differ in case only count as equal.
fn lower(path: &Utf8Path) -> Utf8PathBuf {
    path.as_str().to_lowercase().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_project::project;
    use runner_config::Overrides;

    fn uses(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<GoldenUses, GoldenUsesError>) {
        let (folder, config) = project(files, &Overrides::default());
        let uses = golden_uses(&config);
        (folder, uses)
    }

    fn keeps(uses: &GoldenUses, key: &str) -> bool {
        uses.keeps(&key.parse().unwrap())
    }

    #[test]
    fn what_flows_name_is_kept_and_has_a_place() {
        let (_folder, uses) = uses(&[
            (
                "flows/login.yaml",
                "tags: [slow]\nsteps:\n  - launch: a.b\n  - snapshot: home\n  - label: First login\n    run: _sub.yaml\n  - repeat:\n      times: 2\n      steps:\n        - snapshot: { name: row, each: true }\n",
            ),
            ("flows/_sub.yaml", "steps:\n  - snapshot: inner\n"),
            ("flows/deep/broken.yaml", "steps: 7\n"),
            ("other/once.yaml", "steps:\n  - snapshot: seen\n"),
            ("snapshots/other/once/seen.tsv", ""),
            ("snapshots/gone/once/seen.tsv", ""),
        ]);
        let uses = uses.unwrap();
        for (key, stored) in [
            ("login/home", true),
            ("login/home~lab", true),
            ("login/home@tablet~lab", true),
            ("login/Home", true),
            ("login/home.1", false),
            ("login/row", true),
            ("login/row.1", true),
            ("login/row.2.13", true),
            ("login/row.a", false),
            ("login/rows.1", false),
            ("login/First-login/inner", true),
            ("_sub/inner", false),
            ("login/deep/home", false),
            ("deep/broken/any", true),
            ("deep/broken/below/any", true),
            ("deep/brokenly/any", false),
            ("other/once/seen", true),
            ("other/once/unseen", false),
            ("gone/once/seen", false),
        ] {
            assert_eq!(keeps(&uses, key), stored, "{key}");
        }
        let place = uses.place(&"login/home~lab".parse().unwrap()).unwrap();
        assert_eq!(
            (place.source.path.as_str(), place.line, place.column),
            ("flows/login.yaml", 4, 5)
        );
        let place = uses
            .place(&"login/First-login/inner".parse().unwrap())
            .unwrap();
        assert_eq!(
            (place.source.path.as_str(), place.line, place.column),
            ("flows/_sub.yaml", 2, 5)
        );
        let files: Vec<_> = uses.files.iter().map(|file| file.as_str()).collect();
        assert_eq!(
            files,
            ["flows/_sub.yaml", "flows/login.yaml", "other/once.yaml"]
        );
        let broken: Vec<_> = uses
            .unreadable
            .iter()
            .map(|flow| flow.file.as_str())
            .collect();
        assert_eq!(broken, ["flows/deep/broken.yaml"]);
    }

    /// A flow of Maestro's is filed without dots, whether it reads or not and wherever it lies.
    #[test]
    fn goldens_of_maestro_are_kept() {
        let reads = "appId: a.b\n---\n- takeScreenshot: home\n";
        for (path, key) in [
            (".maestro/a.yaml", "maestro/a/home"),
            ("e2e/.maestro/a.yml", "e2e/maestro/a/home"),
            (".maestro/deep/a.yaml", "maestro/deep/a/home"),
            ("maestro/.a.yaml", "maestro/a/home"),
        ] {
            for text in [reads, "appId: a.b\n---\n- takeScrenshot: [\n"] {
                let golden = format!("snapshots/{key}.tsv");
                let (_folder, uses) = uses(&[
                    (path, text),
                    ("flows/b.yaml", "steps: [ home ]\n"),
                    (golden.as_str(), ""),
                ]);
                let uses = uses.unwrap();
                assert!(keeps(&uses, key), "{path}: {text}");
                assert!(!keeps(&uses, "gone/home"), "{path}: {text}");
            }
        }
        // The second of two flows of one name keeps its extension.
        let (_folder, uses) = uses(&[
            (".maestro/a.yaml", reads),
            (".maestro/a.yml", "appId: a.b\n---\n- [\n"),
            ("flows/b.yaml", "steps: [ home ]\n"),
            ("snapshots/maestro/a.yml/home.tsv", ""),
        ]);
        assert!(keeps(&uses.unwrap(), "maestro/a.yml/home"));
    }

    #[test]
    fn without_any_flow_nothing_is_known() {
        for files in [
            &[("snapshots/a/home.tsv", "")][..],
            &[("snapshots/a/home.tsv", ""), ("flows/notes.txt", "")],
        ] {
            let (_folder, uses) = uses(files);
            assert!(matches!(uses, Err(GoldenUsesError::Plan(_))), "{files:?}");
        }
    }
}
