//! Index from files to the flows that they affect.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use runner_config::Config;
use runner_text::input_file::read_text;
use runner_text::source_file::normalise;

/// Chosen: bytes of a flow that are searched, far above one that is written by hand.
const MAX_FLOW_BYTES: u64 = 1024 * 1024;
/// Chosen: files beside the flows that are watched; polling more takes too long.
const MAX_SHARED_FILES: usize = 5000;

/// Flows of a project with the files that they name, and the files that affect all flows.
#[derive(Debug, Default)]
pub struct Index {
    /// Absolute path of each flow, with itself, its sub-flows and other files that it names.
    flows: BTreeMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>,
    /// `runner.yaml`, the file of `--env-file`, and the files of the virtual device's apps.
    shared: BTreeSet<Utf8PathBuf>,
    /// Deleted flows that were reported.
    gone: BTreeSet<Utf8PathBuf>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct AffectedFlows {
    /// Absolute paths of the files that were saved.
    pub saved: BTreeSet<Utf8PathBuf>,
    /// Absolute paths of the affected flows that exist.
    pub flows: BTreeSet<Utf8PathBuf>,
    /// Flows that were deleted.
    pub gone: BTreeSet<Utf8PathBuf>,
    /// Settings or an app changed: all flows are affected, and the device must be opened again.
    pub everything: bool,
}

impl Index {
    /// Reads the project again. Returns the new flows; everything is affected if files of the apps were added or
    /// removed, except on the first call. At most [`MAX_SHARED_FILES`] of those are watched, and `runner.yaml` and the
    /// file of variables always. Files that a flow named and that are gone stay watched, as they may come back; flows
    /// that were reported as gone are forgotten if they still do not exist.
    pub fn refresh(&mut self, config: &Config, env_file: Option<&Utf8Path>) -> AffectedFlows {
        let found: BTreeSet<Utf8PathBuf> =
            runner_flow::discover(&config.flow_paths(), &config.root)
                .unwrap_or_default()
                .into_iter()
                .collect();
        let mut affected = AffectedFlows::default();
        for path in &found {
            if !self.flows.contains_key(path) {
                affected.flows.insert(path.clone());
                affected.saved.insert(path.clone());
                self.flows
                    .insert(path.clone(), named_by(path, &config.root));
            }
        }
        // A deleted file is reported by its stamp, after a pause in which an editor may replace it.
        for path in std::mem::take(&mut self.gone) {
            if !found.contains(&path) {
                self.flows.remove(&path);
            }
        }
        let mut shared: BTreeSet<Utf8PathBuf> = config
            .app_paths()
            .files()
            .flat_map(|folder| walkdir::WalkDir::new(folder).into_iter().flatten())
            .filter(|entry| entry.file_type().is_file())
            .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
            .take(MAX_SHARED_FILES)
            .collect();
        shared.insert(config.root.join("runner.yaml"));
        shared.extend(env_file.map(ToOwned::to_owned));
        // A new file of an app changes the app.
        affected.everything = !self.shared.is_empty() && shared != self.shared;
        self.shared = shared;
        affected
    }

    /// Returns the effect of changed files: flows that name them or are them, saved or gone, and everything
    /// for a shared file. Searches changed flows for file names again, and adds them to those known before.
    pub fn affected_by(&mut self, changed: &[Utf8PathBuf], root: &Utf8Path) -> AffectedFlows {
        let mut affected = AffectedFlows {
            everything: changed.iter().any(|path| self.shared.contains(path)),
            ..AffectedFlows::default()
        };
        for (flow, named) in &mut self.flows {
            if !changed.iter().any(|path| named.contains(path)) {
                continue;
            }
            if flow.is_file() {
                self.gone.remove(flow);
                let of_flow = changed.iter().filter(|path| named.contains(*path));
                affected.saved.extend(of_flow.cloned());
                affected.flows.insert(flow.clone());
                // A half-saved sub-flow may name fewer files than before.
                named.extend(named_by(flow, root));
            } else {
                self.gone.insert(flow.clone());
                affected.gone.insert(flow.clone());
            }
        }
        affected
    }

    /// Files to watch; some may occur more than once.
    pub fn files(&self) -> impl Iterator<Item = Utf8PathBuf> {
        let named = self.flows.values().flatten();
        named.chain(&self.shared).cloned()
    }

    /// Number of flows.
    pub fn count(&self) -> usize {
        self.flows.len()
    }
}

impl AffectedFlows {
    /// Returns true if nothing is affected.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the effect of further changes. A flow that was gone and is there again counts as changed only.
    pub fn and(&mut self, other: Self) {
        self.saved.extend(other.saved);
        self.flows.extend(other.flows);
        self.gone.extend(other.gone);
        self.gone.retain(|path| !self.flows.contains(path));
        self.everything |= other.everything;
    }
}

/// Returns a flow, and the files that it and its sub-flows name, at most about 5000: each word of the text that is the
/// path of a file, relative to the flow's folder or to the root, and inside the root. A path of a flow counts even if
/// there is no such file yet.
///
/// It searches the text and does not parse it: a flow that cannot be parsed names its files all the same.
fn named_by(flow: &Utf8Path, root: &Utf8Path) -> BTreeSet<Utf8PathBuf> {
    let mut named = BTreeSet::new();
    let mut open = vec![flow.to_owned()];
    while let Some(path) = open.pop() {
        if !named.insert(path.clone()) || !is_flow(&path) || named.len() > MAX_SHARED_FILES {
            continue;
        }
        let Ok(text) = read_text(&path, MAX_FLOW_BYTES) else {
            continue;
        };
        let folder = path
            .parent()
            .and_then(|folder| folder.strip_prefix(root).ok());
        let folder = folder.unwrap_or(Utf8Path::new(""));
        for word in words(&text) {
            for base in [folder, Utf8Path::new("")] {
                let Some(candidate) = normalise(&base.join(word)) else {
                    continue;
                };
                let candidate = root.join(candidate);
                // A missing sub-flow may be created later.
                if candidate.is_file() || is_flow(&candidate) {
                    open.push(candidate);
                }
            }
        }
    }
    named
}

/// Returns true for the extensions of YAML, in any letter case. Whether the file exists does not matter.
fn is_flow(path: &Utf8Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ["yaml", "yml"]
        .iter()
        .any(|flow| ending.eq_ignore_ascii_case(flow))
}

/// Returns the parts of a flow's text that may be paths: words with a dot, and whole values, which may
/// contain blanks. Addresses, patterns, expressions and parts of more than 300 bytes are left out. Some may
/// occur twice.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| c.is_whitespace() || "\"',[]{}#".contains(c);
    let values = text.lines().filter_map(|line| line.split_once(": "));
    let values = values.map(|(_, value)| value.trim().trim_matches(['"', '\'']));
    text.split(is_edge)
        .chain(values)
        .filter(|word| word.len() <= 300 && word.contains('.') && !word.contains("://"))
        .filter(|word| !word.contains(['*', '$', '\0']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_names_its_sub_flows_and_what_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for (path, text) in [
            (
                "flows/a.yaml",
                "steps:\n  - run: { file: _sub.yaml, env: { A: 1.5 } }\n  - pushFile: 'data/my notes.csv'\n  - click: v1.2\n",
            ),
            (
                "flows/_sub.yaml",
                "steps: [ { run: ../flows/_deep.yml }, { run: _missing.yaml } ]\n",
            ),
            (
                "flows/_deep.yml",
                "steps: [ { run: a.yaml } ]\nx: ../../../etc/passwd.yaml\n",
            ),
            ("data/my notes.csv", "a,b\n"),
        ] {
            fs_err::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs_err::write(root.join(path), text).unwrap();
        }
        let named: Vec<String> = named_by(&root.join("flows/a.yaml"), root)
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().to_string())
            .collect();
        assert!(named.contains(&"data/my notes.csv".to_owned()), "{named:?}");
        for path in [
            "flows/a.yaml",
            "flows/_sub.yaml",
            "flows/_deep.yml",
            "flows/_missing.yaml",
        ] {
            assert!(named.contains(&path.to_owned()), "{path}: {named:?}");
        }
        assert!(!named.iter().any(|path| path.contains("passwd")));
    }
}
