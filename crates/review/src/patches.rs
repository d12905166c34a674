//! Patches of selectors as a kind of pending change. They are computed here from evidence and the current
//! flows; a patch in an archive would not be trusted.

mod case;
mod decide;
mod write;

pub(super) use write::{accept, invert, write};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{FlowPlace, Item, ReviewError};
use runner_base::files::{hash, normal_parts};
use runner_config::Config;
use runner_mend::{
    Evidence, EvidenceError, FileEdit, FlowSelectors, GroupedStep, PendingFolder, Project,
    StepKind, groups, patch, rejection,
};
use runner_snapshot::{Cause, ChangeKind, Digest, GoldenKey, Sides};

/// First part of the key of a patch group. No flow has goldens in a folder of this name.
pub const SELECTORS: &str = ".selectors";
/// Chosen: characters of a value in a key, which is part of a file name and of an address.
const MAX_NAMED: usize = 40;

/// Source of evidence.
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

/// Patches of one cause, which are accepted or rejected together.
#[derive(Debug)]
pub struct PatchGroup {
    /// Key that identifies the group, as a golden's does.
    pub key: GoldenKey,
    /// Edits of the group.
    pub group: runner_mend::Group,
    /// Digests of the files as they are, and as they would be.
    pub sides: Sides,
}

/// Returns true if a key is that of a patch group and not of a golden.
pub fn is_patch_key(key: &GoldenKey) -> bool {
    key.flow() == SELECTORS
}

/// Returns the pending patches of the project.
pub fn patches(config: &Config) -> Patches {
    EvidenceSource::Project(PendingFolder::new(&config.root)).patches(config)
}

impl EvidenceSource {
    /// Computes the patches from the current flows. The project's own evidence leaves out patches that were
    /// rejected; that of an archive does not. Evidence that cannot be used is listed as refused.
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

    pub fn group(&self, key: &GoldenKey) -> Option<&PatchGroup> {
        self.groups.iter().find(|group| group.key == *key)
    }

    /// Returns the files that the groups edit.
    pub(super) fn files(&self) -> BTreeSet<&Utf8Path> {
        let steps = self.groups.iter().flat_map(|group| &group.group.steps);
        steps.map(|step| step.source.path.as_path()).collect()
    }
}

/// Reads the project's flows, and flows that evidence names though `flows` does not. Flows that cannot be
/// read are left out.
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

impl PatchGroup {
    fn new(group: runner_mend::Group) -> Option<Self> {
        let cause = [&group.property, &group.from, &group.to].map(|part| hash(part.as_bytes()));
        let id = hash(cause.join(" ").as_bytes());
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '-'
            }
        };
        let from: String = group.from.chars().map(plain).collect();
        let from = from.get(..MAX_NAMED).unwrap_or(&from);
        let name = format!("{}-{from}-{}", group.property_name(), id.get(..6)?);
        let key = format!("{SELECTORS}/{name}").parse().ok()?;
        Some(Self {
            sides: sides(&group),
            key,
            group,
        })
    }

    /// Converts the group to an item of the review. Its place is the first step that it edits. If it cannot
    /// be written, the item has the reason as its error.
    pub(super) fn item(&self) -> Item {
        let first = self.group.steps.first();
        let place = first.map(|step| FlowPlace {
            file: step.source.path.clone(),
            line: step.line,
            column: step.column,
        });
        Item {
            key: self.key.clone(),
            kind: ChangeKind::Selector,
            place,
            error: self.group.edit().err().map(|error| error.to_string()),
            version: self.version(),
        }
    }

    /// Returns a text that changes if the group would write something else: the digests of both sides.
    pub(super) fn version(&self) -> String {
        let golden = self.sides.golden.as_ref();
        format!(
            "{}{}",
            golden.map_or("", Digest::as_str),
            self.sides.actual.as_str()
        )
    }

    /// Returns the keys under which its rejection is remembered.
    pub(super) fn rejections(&self) -> Vec<String> {
        let patches = self.group.patches.iter();
        patches
            .map(|patch| rejection(&patch.evidence, &patch.change))
            .collect()
    }

    /// Returns the cause, with all edits as its changes: the title again, the element that it most likely is
    /// now with the reasons, and then each edited step. The id depends only on the group's key.
    pub fn cause(&self) -> Cause {
        let title = plain(&self.group.to_string());
        let mut changes = vec![title.clone()];
        if let Some(patch) = self.group.patches.first() {
            let change = &patch.change;
            let why = change.reasons.join("; ");
            changes.push(plain(&format!(
                "most likely it is {} now: {why}",
                change.element
            )));
        }
        changes.extend(self.group.steps.iter().map(|step| plain(&in_words(step))));
        Cause {
            kind: ChangeKind::Selector,
            id: hash(self.key.to_string().as_bytes()),
            title,
            changes,
            more: 0,
        }
    }
}

fn in_words(step: &GroupedStep) -> String {
    let place = format!(
        "{}:{}:{}: {}",
        step.source.path, step.line, step.column, step.title
    );
    match step.kind {
        StepKind::Failed => format!("failed: {place}"),
        StepKind::NotReached => format!("not reached: {place}"),
        StepKind::Silent => format!("would never fail with the old value: {place}"),
    }
}

/// Replaces control characters. An app chooses the names of its elements, which must not move a terminal's
/// cursor.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Returns the digests of the files as they are and as they would be. If the group cannot be written, both
/// are digests of no files.
fn sides(group: &runner_mend::Group) -> Sides {
    let files = group.edit().unwrap_or_default();
    let digest = |text: fn(&FileEdit) -> &str| {
        let files = files.iter();
        Digest::from_parts(files.map(|file| (file.source.path.as_str(), text(file).as_bytes())))
    };
    Sides {
        golden: Some(digest(|file| &file.source.text)),
        actual: digest(|file| &file.text),
    }
}

impl From<runner_mend::EditError> for ReviewError {
    fn from(error: runner_mend::EditError) -> Self {
        Self::Usage(error.to_string())
    }
}

#[cfg(test)]
mod tests;
