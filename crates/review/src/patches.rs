//! Patches of selectors as a kind of pending change. They are computed here from evidence and the current
//! flows; a patch in an archive would not be trusted.

mod case;
mod decide;
mod group;
mod write;

pub use group::{PatchGroup, SELECTORS};
pub(super) use write::{accept, invert, write};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::ReviewError;
use runner_base::files::normal_parts;
use runner_config::Config;
use runner_mend::{
    Evidence, EvidenceError, FlowSelectors, PendingFolder, Project, groups, patch, rejection,
};
use runner_snapshot::GoldenKey;

#[derive(Debug, Clone)]
pub(super) enum EvidenceSource {
    /// Folder in which runs of the project left it.
    Project(PendingFolder),
    /// Evidence in an archive.
    Archive(Arc<Vec<Evidence>>),
}

/// Patches of a project.
#[derive(Debug, Default)]
pub struct Patches {
    /// Patches by cause.
    pub groups: Vec<PatchGroup>,
    /// Evidence that yields no patch: its flow, and the reason.
    pub refused: Vec<(String, String)>,
}

/// Returns true if a key is that of a patch group and not of a golden.
pub fn is_patch_key(key: &GoldenKey) -> bool {
    key.flow() == SELECTORS
}

/// Computes the pending patches of the project, without those that were rejected. Reads the evidence of its runs and,
/// if there is any, all its flows.
pub fn patches(config: &Config) -> Patches {
    EvidenceSource::Project(PendingFolder::new(&config.root)).patches(config)
}

impl EvidenceSource {
    /// Computes the patches from the evidence and the current flows, which are all read if there is evidence. The
    /// project's own evidence leaves out patches that were rejected; that of an archive does not. Evidence that cannot
    /// be used is listed as refused. Never fails.
    pub(super) fn patches(&self, config: &Config) -> Patches {
        match self {
            Self::Archive(evidence) => {
                let named = evidence.iter().map(|one| (String::new(), Ok(one.clone())));
                Patches::new(config, named.collect(), &BTreeSet::new())
            }
            Self::Project(folder) => {
                let rejected = folder.rejected().into_iter().collect();
                Patches::new(config, folder.read(), &rejected)
            }
        }
    }
}

impl Patches {
    /// Finds patches for the evidence and groups them. A patch that was rejected before is left out without a note.
    /// Evidence that cannot be read, names an unknown flow or gives no patch is refused with its reason. Without
    /// readable evidence the project's flows are not read.
    fn new(
        config: &Config,
        read: Vec<(String, Result<Evidence, EvidenceError>)>,
        rejected: &BTreeSet<String>,
    ) -> Self {
        let mut refused = Vec::new();
        let mut evidence = Vec::new();
        for (name, one) in read {
            match one {
                Ok(one) => evidence.push(Arc::new(one)),
                Err(why) => refused.push((name, why.to_string())),
            }
        }
        if evidence.is_empty() {
            return Self {
                groups: Vec::new(),
                refused,
            };
        }
        let project = project(config, &evidence);
        let mut found = Vec::new();
        for one in evidence {
            let named = format!("{}:{}:{}", one.file, one.line, one.column);
            let Some(flow) = project.flow(&one.flow) else {
                refused.push((named, format!("the project has no flow {}", one.flow)));
                continue;
            };
            match patch(&one, flow) {
                Ok(patch) if rejected.contains(&rejection(&one, &patch.change)) => {}
                Ok(patch) => found.push(patch),
                Err(why) => refused.push((named, why.to_string())),
            }
        }
        let groups = groups(&project, found).into_iter();
        Self {
            groups: groups.filter_map(PatchGroup::new).collect(),
            refused,
        }
    }

    /// Returns the group of this key, or `None`.
    pub fn group(&self, key: &GoldenKey) -> Option<&PatchGroup> {
        self.groups.iter().find(|group| group.key == *key)
    }

    /// Returns the files that the groups edit, relative to the root.
    pub(super) fn files(&self) -> BTreeSet<&Utf8Path> {
        let steps = self.groups.iter().flat_map(|group| &group.group.steps);
        steps.map(|step| step.source.path.as_path()).collect()
    }
}

/// Reads the project's flows, and flows that evidence names though `flows` does not, if they exist below the root.
/// Flows that cannot be read are left out; if the flows cannot be listed or a folder of `flows` has none, only those
/// of evidence are there.
fn project(config: &Config, evidence: &[Arc<Evidence>]) -> Project {
    let folders = config.flow_paths();
    let mut paths: BTreeSet<Utf8PathBuf> = runner_flow::discover(&folders, &config.root)
        .unwrap_or_default()
        .into_iter()
        .collect();
    // The path may come from an archive: files outside the root are not opened.
    let named = evidence.iter().map(|one| &one.flow);
    let below = named.filter(|flow| normal_parts(flow) == **flow && flow.extension().is_some());
    paths.extend(
        below
            .map(|flow| config.root.join(flow))
            .filter(|path| path.is_file()),
    );
    let options = config.read_options();
    let flows = paths
        .iter()
        .filter_map(|path| runner_flow::read_flow(path, &options).0);
    let selectors: BTreeMap<Utf8PathBuf, FlowSelectors> = flows
        .map(|flow| (flow.source.path.clone(), FlowSelectors::new(&flow)))
        .collect();
    Project::new(selectors.into_values())
}

impl From<runner_mend::EditError> for ReviewError {
    fn from(error: runner_mend::EditError) -> Self {
        Self::Usage(error.to_string())
    }
}

#[cfg(test)]
mod tests;
