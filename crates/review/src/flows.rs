//! Knows which goldens the project's flows take, and at which steps. Flows are read again only if one
//! changed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::FlowPlace;
use super::stamp::Stamp;
use camino::Utf8PathBuf;
use runner_config::Config;
use runner_run::{GoldenPlace, GoldenUses, UnreadableFlow, golden_flow_files, golden_uses};
use runner_snapshot::GoldenKey;
use runner_text::shell::operands_to_copy;

/// Reads of all flows in a row while their files go on changing. Chosen: a second one finds the sub-flows unchanged
/// that the first one named, and a third one bears with one save.
const MAX_READS: usize = 3;

/// Flows of a project, with the result of the last read.
#[derive(Debug)]
pub(super) struct Flows {
    config: Config,
    last: Mutex<Option<(u64, Arc<FlowIndex>)>>,
}

/// Goldens that the flows take.
#[derive(Debug, Default)]
pub(super) struct FlowIndex {
    /// `None` if there are no flows or they cannot be listed: then no golden is obsolete.
    uses: Option<GoldenUses>,
}

impl FlowIndex {
    /// Returns the step that takes a golden.
    pub fn step(&self, key: &GoldenKey) -> Option<&GoldenPlace> {
        self.uses.as_ref()?.place(key)
    }

    /// Returns the reason why no step is known for a golden, as a message: its flow cannot be read, with the command
    /// that says why, or no flow names it. Call it only for a golden without a step, as it does not look for one.
    pub fn why_no_step(&self, key: &GoldenKey) -> String {
        let unreadable = self.uses.as_ref().and_then(|uses| uses.unreadable(key));
        match unreadable {
            Some(UnreadableFlow { file, .. }) => {
                let word = operands_to_copy([file.as_str()]);
                format!("{file} does not read; `runner lint {word}` says why")
            }
            None => format!("no flow names {key}, so there is no step to mask in"),
        }
    }

    /// Returns the file, line and column of the step that takes a golden, in any letter case; the goldens of a loop's
    /// turns belong to the step in it. `None` if no flow that can be read takes it.
    pub fn place(&self, key: &GoldenKey) -> Option<FlowPlace> {
        let step = self.step(key)?;
        Some(FlowPlace {
            file: step.source.path.clone(),
            line: step.line,
            column: step.column,
        })
    }

    /// Returns true if it is certain that no flow names a golden. False if there are no flows or they cannot be
    /// listed, and for a golden in the folder of a flow that cannot be read.
    pub fn is_obsolete(&self, key: &GoldenKey) -> bool {
        self.uses.as_ref().is_some_and(|uses| !uses.keeps(key))
    }
}

impl Flows {
    /// Creates the index without reading a flow.
    pub fn new(config: &Config) -> Self {
        Self {
            config: config.clone(),
            last: Mutex::default(),
        }
    }

    /// Returns the present index. Looks at the size and time of each flow and its files, and reads all flows again if
    /// one of them changed.
    pub fn known(&self) -> Arc<FlowIndex> {
        self.current().1
    }

    /// Returns a hash that changes with the size or time of any flow, of its tables and sub-flows, and with the first
    /// golden of a flow outside `flows`. Reads all flows again if it changed.
    pub fn stamp(&self) -> u64 {
        self.current().0
    }

    /// Forgets the last read, so that the next call reads all flows from the disk.
    pub fn forget(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns the stamp and the index of the flows, from memory if the stamp is the same as at the last read, else
    /// read again. If the flows cannot be listed or there are none, no uses are known, so that no golden is obsolete.
    /// Flows that cannot be read are in the index as such.
    fn current(&self) -> (u64, Arc<FlowIndex>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.as_ref().map(|(_, known)| Arc::clone(known));
        let files = self.files(&known.unwrap_or_default());
        if let Some((stamp, known)) = &*last
            && *stamp == compute_stamp(&files)
        {
            return (*stamp, Arc::clone(known));
        }
        let (stamp, known) = self.read(files, || golden_uses(&self.config).ok());
        *last = Some((stamp, Arc::clone(&known)));
        (stamp, known)
    }

    /// Reads the flows with `uses`, again if one of their files changed meanwhile, and returns the index with the stamp
    /// that its files had before it was read. `files` are those that it probably consists of; if it names others, it is
    /// read again, as these may have changed during the read. After `MAX_READS` the stamp may be one that the files do
    /// not have any more, so that the next call reads again.
    fn read(
        &self,
        mut files: BTreeSet<Utf8PathBuf>,
        mut uses: impl FnMut() -> Option<GoldenUses>,
    ) -> (u64, Arc<FlowIndex>) {
        let mut reads = 0;
        loop {
            let before = compute_stamp(&files);
            // If the flows cannot be listed, no golden may count as obsolete.
            let known = FlowIndex { uses: uses() };
            let named = self.files(&known);
            // Before the comparison, so that it covers this look too.
            let stamp = compute_stamp(&named);
            reads += 1;
            let is_unchanged = compute_stamp(&files) == before;
            if is_unchanged && named.is_subset(&files) {
                return (stamp, Arc::new(known));
            }
            if reads == MAX_READS {
                return (before, Arc::new(known));
            }
            files = named;
        }
    }

    /// Returns all flows, also those outside `flows` that stored goldens belong to, and the sub-flows, tables and
    /// unreadable files that `known` names. If the flows cannot be listed or there are none, only the others.
    fn files(&self, known: &FlowIndex) -> BTreeSet<Utf8PathBuf> {
        let root = &self.config.root;
        let listed = runner_flow::discover(&self.config.flow_paths(), root).unwrap_or_default();
        let mut files = golden_flow_files(&self.config).unwrap_or_default();
        files.extend(listed);
        let Some(uses) = &known.uses else {
            return files;
        };
        let broken = uses.unreadable.iter().flat_map(|flow| {
            let reported = flow.diagnostics.iter().map(|one| &one.source.path);
            std::iter::once(&flow.file).chain(reported)
        });
        files.extend(uses.files.iter().chain(broken).map(|file| root.join(file)));
        files
    }
}

/// Hashes paths, sizes and times of files. Contents are not read. A missing file counts by its path.
fn compute_stamp(files: &BTreeSet<Utf8PathBuf>) -> u64 {
    let mut stamp = Stamp::default();
    for file in files {
        stamp.file(file);
    }
    stamp.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use runner_base::context::Context;
    use runner_config::Overrides;

    use super::*;

    #[test]
    fn flows_are_read_again_for_any_file_that_may_name_a_golden() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        };
        write("flows/main.yaml", "steps:\n  - run: _part.yaml\n");
        write("flows/_part.yaml", "steps:\n  - home\n");
        write("other/once.yaml", "steps:\n  - snapshot: seen\n");
        let context = Context::fixed(root.clone(), BTreeMap::new());
        let flows = Flows::new(&Config::resolve(&context, &Overrides::default()).unwrap());
        let is_obsolete = |key: &str| flows.known().is_obsolete(&key.parse().unwrap());
        let first = flows.stamp();
        assert!(is_obsolete("main/_part/later") && is_obsolete("other/once/seen"));
        // A sub-flow that took no golden so far.
        write("flows/_part.yaml", "steps:\n  - snapshot: later\n");
        let second = flows.stamp();
        assert_ne!(second, first);
        assert!(!is_obsolete("main/_part/later"));
        // A flow outside `flows`, run by its path, that had no golden so far.
        write("snapshots/other/once/seen.tsv", "");
        assert_ne!(flows.stamp(), second);
        assert!(!is_obsolete("other/once/seen"));
        assert!(is_obsolete("other/once/gone"));
    }

    /// The index has the stamp of the files that it was read from, whichever of them is saved during the read.
    #[test]
    fn a_flow_saved_while_flows_are_read_is_read_again() {
        for saved in ["flows/main.yaml", "flows/_part.yaml"] {
            let folder = tempfile::tempdir().unwrap();
            let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
            fs_err::create_dir_all(root.join("flows")).unwrap();
            let write = |name: &str, text: &str| fs_err::write(root.join(name), text).unwrap();
            write("flows/main.yaml", "steps:\n  - run: _part.yaml\n");
            write("flows/_part.yaml", "steps:\n  - home\n");
            let context = Context::fixed(root.clone(), BTreeMap::new());
            let config = Config::resolve(&context, &Overrides::default()).unwrap();
            let flows = Flows::new(&config);
            let mut saves = 0..1;
            let (stamp, known) = flows.read(flows.files(&FlowIndex::default()), || {
                let uses = golden_uses(&config).ok();
                if saves.next().is_some() {
                    write(saved, "steps:\n  - snapshot: later\n");
                }
                uses
            });
            assert!(!known.is_obsolete(&"main/later".parse().unwrap()) || saved.contains('_'));
            assert!(
                !known.is_obsolete(&"main/_part/later".parse().unwrap()) || !saved.contains('_')
            );
            assert_eq!(stamp, flows.stamp(), "{saved}");
        }
        // A file that is saved during each read leaves no index that counts as current.
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        fs_err::create_dir_all(root.join("flows")).unwrap();
        let file = root.join("flows/main.yaml");
        fs_err::write(&file, "steps:\n  - home\n").unwrap();
        let context = Context::fixed(root, BTreeMap::new());
        let config = Config::resolve(&context, &Overrides::default()).unwrap();
        let flows = Flows::new(&config);
        let mut text = "steps:\n  - home\n".to_owned();
        let (stamp, known) = flows.read(flows.files(&FlowIndex::default()), || {
            let uses = golden_uses(&config).ok();
            text.push_str("  - snapshot: later\n  - home\n");
            fs_err::write(&file, &text).unwrap();
            uses
        });
        *flows.last.lock().unwrap() = Some((stamp, known));
        assert_ne!(stamp, flows.stamp());
        assert!(!flows.known().is_obsolete(&"main/later".parse().unwrap()));
    }
}
