//! Assigns changed files to flows.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::flow_files;
use super::git_names::GitNames;
use super::mentions::MentionScanner;
use crate::Plan;
use crate::settings::golden_folder;
use runner_config::{Config, ImpactRule, flow_folders};

/// Folder of the program's own state, such as leases and pending patches.
const OWN_FOLDER: &str = ".runner";

/// Flows that a changed file belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Placement {
    /// These flows. If all three sets are empty, the file concerns no flow.
    Flows {
        /// Flows that the file is a part of.
        parts: BTreeSet<Utf8PathBuf>,
        /// Flows that mention the file. A mention alone does not place it.
        mentions: BTreeSet<Utf8PathBuf>,
        /// Flows that the impact map names for it.
        mapped: BTreeSet<Utf8PathBuf>,
    },
    /// All flows: `runner.yaml`, files that it names, and the configuration of a Maestro workspace.
    Shared,
    /// Unknown: no flow consists of it and no rule names it, or one of its rules names only flows that do not exist.
    Unplaced,
}

struct KnownFlow {
    path: Utf8PathBuf,
    tags: Vec<String>,
    /// Names of the folder of goldens.
    goldens: BTreeSet<Utf8PathBuf>,
}

/// Returns a configured path without a leading `./`, which no path of git has. The root becomes empty.
fn without_dot(path: &Utf8Path) -> &Utf8Path {
    path.strip_prefix(".").unwrap_or(path)
}

type FlowsByFile = BTreeMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>;

/// Adds the flow to each of these files.
fn add(to: &mut FlowsByFile, files: impl IntoIterator<Item = Utf8PathBuf>, flow: &Utf8Path) {
    for file in files {
        to.entry(file).or_default().insert(flow.to_owned());
    }
}

/// Lookup from changed files to flows.
pub(super) struct Places<'a> {
    config: &'a Config,
    flows: Vec<KnownFlow>,
    /// Flows that each file is a part of.
    parts: FlowsByFile,
    /// Flows that mention each changed file.
    mentions: FlowsByFile,
    /// Names of `runner.yaml`.
    settings: BTreeSet<Utf8PathBuf>,
    /// Folders of flows without a leading `./`, except the root: most files there are no flows.
    folders: Vec<Utf8PathBuf>,
    /// Changed files that `runner.yaml` mentions.
    shared: BTreeSet<Utf8PathBuf>,
}

impl<'a> Places<'a> {
    /// Builds the lookup from the flows of all these plans, unreadable ones included. A flow in several plans counts
    /// once. Reads the flows' files and those that they mention; what cannot be read mentions nothing. Rules and
    /// goldens know only flows that can be read. A file that is reached by a link has the link's name too.
    pub fn new(config: &'a Config, plans: &[&Plan], changed: &BTreeSet<Utf8PathBuf>) -> Self {
        let mut naming = MentionScanner::new(&config.root, changed);
        let mut names = GitNames::new(&config.root);
        let (mut parts, mut mentions) = (FlowsByFile::new(), FlowsByFile::new());
        let mut known = BTreeMap::new();
        for flow in plans.iter().flat_map(|plan| plan.flows()) {
            let path = &flow.source.path;
            if known.contains_key(path) {
                continue;
            }
            add(&mut parts, names.find_all(flow_files::files(flow)), path);
            add(&mut mentions, naming.find_in_flow(path), path);
            let goldens = golden_folder(&config.flows.value, &flow.key);
            known.insert(
                path.clone(),
                KnownFlow {
                    path: path.clone(),
                    tags: flow.tags.clone(),
                    goldens: names.find(&without_dot(&config.snapshots.value).join(goldens)),
                },
            );
        }
        for (path, wrong) in plans.iter().flat_map(|plan| &plan.unreadable) {
            // An error in a sub-flow makes all flows that run it unreadable.
            let read = wrong.iter().map(|it| it.source.path.clone());
            let read = names.find_all(read.chain([path.clone()]));
            add(&mut parts, read, path);
            add(&mut mentions, naming.find_in_flow(path), path);
        }
        let shared = config.project_source.as_ref();
        let shared = shared.map(|source| naming.find_in_project(source));
        let folders = flow_folders(&config.flows.value).into_iter();
        Self {
            config,
            flows: known.into_values().collect(),
            parts,
            mentions,
            settings: names.find(Utf8Path::new("runner.yaml")),
            folders: folders.filter(|it| !it.as_str().is_empty()).collect(),
            shared: shared.unwrap_or_default(),
        }
    }

    /// Returns the flows that `file` belongs to, by reason: parts of the flow and its goldens, mentions, and all
    /// fitting rules of the impact map. The path is relative to the root. Shared files concern all flows. A file of
    /// no flow and no rule is unplaced, even if a flow mentions it, unless it is known to concern none. A file with a
    /// rule that names only flows that do not exist is unplaced too.
    pub fn place(&self, file: &Utf8Path) -> Placement {
        if self.is_shared(file) {
            return Placement::Shared;
        }
        let mut parts = self.parts.get(file).cloned().unwrap_or_default();
        let of_goldens = self
            .flows
            .iter()
            .filter(|flow| flow.goldens.iter().any(|it| file.starts_with(it)));
        parts.extend(of_goldens.map(|flow| flow.path.clone()));
        let rules = self.config.impact.rules.iter();
        let mut rules = rules.filter(|rule| self.names(rule, file)).peekable();
        let is_of_none = parts.is_empty() && rules.peek().is_none();
        if is_of_none && !self.concerns_no_flow(file) {
            return Placement::Unplaced;
        }
        let mut mapped = BTreeSet::new();
        for rule in rules {
            let concerned = self
                .flows
                .iter()
                .filter(|flow| rule.concerns(flow.path.as_str(), &flow.tags));
            let mut concerned = concerned.peekable();
            // A mistyped tag must not leave out the flows that it should name.
            if concerned.peek().is_none() && !rule.concerns_nothing() {
                return Placement::Unplaced;
            }
            mapped.extend(concerned.map(|flow| flow.path.clone()));
        }
        let mentions = self.mentions.get(file).cloned().unwrap_or_default();
        Placement::Flows {
            parts,
            mentions,
            mapped,
        }
    }

    /// Returns true for `runner.yaml` by each of its names, for files that it mentions, and for every `config.yaml` or
    /// `config.yml` below a folder of flows other than the root, as a Maestro workspace's configuration. The file
    /// need not exist.
    fn is_shared(&self, file: &Utf8Path) -> bool {
        let is_settings = self.settings.contains(file);
        // Configuration of a Maestro workspace.
        let is_workspace = matches!(file.file_name(), Some("config.yaml" | "config.yml"))
            && self.is_in_flows(file);
        is_settings || is_workspace || self.shared.contains(file)
    }

    /// Returns true for a path below a folder of flows other than the root.
    fn is_in_flows(&self, file: &Utf8Path) -> bool {
        self.folders.iter().any(|folder| file.starts_with(folder))
    }

    /// Returns true for files that no flow can depend on: the program's own state, the whole folder of goldens, and
    /// flows below a folder of flows that no longer exist. The caller has found no flow that the file is a part of.
    fn concerns_no_flow(&self, file: &Utf8Path) -> bool {
        let is_flow_gone = runner_flow::is_flow(file)
            && self.is_in_flows(file)
            && self.config.root.join(file).symlink_metadata().is_err();
        let goldens = without_dot(&self.config.snapshots.value);
        let is_golden = !goldens.as_str().is_empty() && file.starts_with(goldens);
        file.starts_with(OWN_FOLDER) || is_golden || is_flow_gone
    }

    /// Returns true if the pattern of a rule of the impact map matches this file. A rule `FOLDER/**` also matches
    /// FOLDER itself if that is a folder, such as a submodule: git names it, not what changed in it. The flows of the
    /// rule do not count.
    fn names(&self, rule: &ImpactRule, file: &Utf8Path) -> bool {
        if rule.files.is_match(file.as_str()) {
            return true;
        }
        // A submodule, or a repository inside this one: git names its folder, not what changed in it.
        let folder = file.as_str().trim_end_matches('/');
        let all_below = rule.files.as_str().strip_suffix("/**");
        all_below == Some(folder) && self.config.root.join(file).is_dir()
    }
}
