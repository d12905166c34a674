//! Plan of a run: the flows to run, and those that cannot be read.

mod error;
mod flow_files;
mod secret_names;
#[cfg(test)]
mod spellings;
mod warnings;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexSet;

use self::flow_files::find_flows;
use self::secret_names::{unnamed_secrets, unread_secrets};
use self::warnings::{not_allowed, short_secrets, unknown_impact};
use super::filter::Filter;
use super::quarantine::{QuarantineCount, today};
use super::workspaces::{Sequence, Workspaces};
use super::{golden_owners, project_steps};
use runner_config::{Config, ImpactRule};
use runner_event::{CaseId, ChangedSince, Shard};
use runner_flow::{Case, Flow, TagExpression};
use runner_text::diagnostic::{self, Code, Diagnostic};

pub use error::PlanError;

/// Unit that runs once on each device: a flow, one of its cases, or one turn of it.
#[derive(Debug, Clone)]
pub struct PlannedCase {
    pub flow: Arc<Flow>,
    /// Case of the flow, if it has several.
    pub case: Option<Arc<Case>>,
    /// Turn, from 1, if each flow runs several times.
    pub repeat: Option<u32>,
}

impl PlannedCase {
    /// Returns all cases of a flow, in order; for a flow without cases, the flow itself as the only one. No
    /// repetition is set.
    pub fn all_of(flow: &Arc<Flow>) -> Vec<Self> {
        let case = |case: Option<Arc<Case>>| Self {
            flow: Arc::clone(flow),
            case,
            repeat: None,
        };
        if flow.cases.is_empty() {
            return vec![case(None)];
        }
        flow.cases
            .iter()
            .cloned()
            .map(|it| case(Some(it)))
            .collect()
    }

    /// Returns the identity of its result: the flow's file, the case's name and the turn.
    pub fn id(&self) -> CaseId {
        CaseId {
            flow: self.flow.source.path.clone(),
            case: self.case.as_ref().map(|case| case.name.clone()),
            repeat: self.repeat,
        }
    }
}

/// Cases of a run, and what its reports say about flows that do not run. A flow with several cases is in it
/// once for each.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Cases to run, sorted by the flow's path and then in the order of the flow.
    pub cases: Vec<PlannedCase>,
    /// Part of a larger plan, if this is one.
    pub shard: Option<Shard>,
    /// Files that do not run, each with its errors or those of its sub-flows: flows that cannot be read or share a
    /// history or goldens, and `runner.yaml`. Each counts as an error.
    pub unreadable: Vec<(Utf8PathBuf, Vec<Diagnostic>)>,
    /// Warnings about the project, and about flows that run all the same.
    pub warnings: Vec<Diagnostic>,
    /// Steps before the first flow of each device, as a flow.
    pub device_setup: Option<Arc<Flow>>,
    /// Steps after the last flow of each device.
    pub device_teardown: Option<Arc<Flow>>,
    /// Sequences of Maestro's workspaces: a failed flow ends those after it.
    pub sequences: Vec<Sequence>,
    /// Options that have no effect, one sentence each.
    pub without_effect: Vec<String>,
    /// Numbers of flows that `--changed-since` left out.
    pub changed_since: Option<ChangedSince>,
    /// Number of the project's flows in quarantine, independent of the selection. None if the person named
    /// flows, as the others are not read then.
    pub in_quarantine: Option<QuarantineCount>,
}

impl Plan {
    /// Finds and reads the flows, and keeps those that the filter and their workspaces take. Flows that cannot be read
    /// go to `unreadable`, unless their tags leave them out. Flows that share a history or goldens with another flow go
    /// there too. If the project's own steps cannot be read, or one of its secrets names no value, only that error is
    /// left and nothing runs.
    ///
    /// # Errors
    /// [`PlanError`] if there is nothing to run, or the flows cannot be found or put into their sequence; not for flows
    /// that cannot be read.
    pub fn read(config: &Config, filter: &Filter) -> Result<Self, PlanError> {
        let discovery = find_flows(config)?;
        let workspaces = Workspaces::new(&discovery);
        let paths = &discovery.files;
        let options = config.read_options();
        let mut plan = Self {
            warnings: config.project_warnings.clone(),
            ..Self::default()
        };
        let mut flows = Vec::new();
        let surrounding = match project_steps::read(config, &options) {
            Ok(steps) => steps,
            // Without the project's setup and teardown no flow would do what its author wants.
            Err(wrong) => {
                plan.unreadable.push(("runner.yaml".into(), wrong));
                return Ok(plan);
            }
        };
        plan.device_setup.clone_from(&surrounding.device_setup);
        plan.device_teardown
            .clone_from(&surrounding.device_teardown);
        let mut found = 0;
        let (mut in_quarantine, today) = (QuarantineCount::default(), today());
        let mut known_paths = Vec::new();
        let mut known_tags = HashSet::new();
        let mut unnamed = unread_secrets(config);
        for path in paths {
            let (flow, diagnostics) = runner_flow::read_flow(path, &options);
            let filter = workspaces.filter(path, filter);
            let Some(flow) = flow else {
                let displayed = path.strip_prefix(&config.root).unwrap_or(path);
                let displayed = Utf8PathBuf::from(displayed.as_str().replace('\\', "/"));
                // As in Maestro, a flow that its tags leave out may be unreadable.
                let tags = runner_flow::maestro::written_tags(path);
                if let Some(tags) = tags.filter(|tags| !filter.takes(tags)) {
                    known_tags.extend(tags);
                    known_paths.push(displayed);
                    // It may be the one that uses any of them.
                    unnamed.clear();
                    found += 1;
                    continue;
                }
                plan.unreadable.push((displayed, diagnostics));
                continue;
            };
            found += 1;
            unnamed.retain(|name| !runner_flow::mentions_name(&flow, name));
            in_quarantine.count(&flow, today);
            known_paths.push(flow.source.path.clone());
            known_tags.extend(flow.tags.iter().cloned());
            if !filter.takes(&flow.tags) {
                continue;
            }
            plan.warnings.extend(diagnostics);
            plan.warnings.extend(not_allowed(&flow, config));
            let short = short_secrets(&flow, &config.secrets);
            plan.warnings.extend(diagnostic::without_secrets(
                short,
                &config.secrets,
                &options.hidden,
            ));
            flows.push(Arc::new(project_steps::wrap_flow(flow, &surrounding)));
        }
        let flows = plan.keep_keys_apart(flows);
        // Maestro's configuration may leave out flows of the project.
        let has_all = config.paths.is_empty() && config.maestro_config.is_none();
        let project = has_all.then_some(paths.as_slice());
        let (mut flows, sharing) = golden_owners::keep_apart(flows, project, config, &surrounding);
        plan.unreadable.extend(sharing);
        plan.warnings.extend(workspaces.warnings().cloned());
        plan.sequences = workspaces.order(&mut flows, &config.root, &mut plan.warnings)?;
        plan.cases = flows.iter().flat_map(PlannedCase::all_of).collect();
        if plan.cases.is_empty() && plan.unreadable.is_empty() {
            return Err(no_tag(filter, found, &known_tags));
        }
        // A person who names flows does not ask about all flows of the project.
        if config.paths.is_empty() {
            plan.in_quarantine = Some(in_quarantine);
        }
        if config.paths.is_empty() && plan.unreadable.is_empty() {
            let known = |rule: &ImpactRule| {
                let tags: Vec<String> = known_tags.iter().cloned().collect();
                rule.concerns("", &tags)
                    || known_paths
                        .iter()
                        .any(|path| rule.concerns(path.as_str(), &[]))
            };
            plan.warnings.extend(unknown_impact(config, known));
        }
        // An unreadable flow may be the one that uses the name.
        if plan.unreadable.is_empty() {
            let wrong = unnamed_secrets(config, unnamed, &options.hidden);
            if !wrong.is_empty() {
                // Nothing runs, as the secret that the name was meant for would be shown.
                return Ok(Self {
                    warnings: plan.warnings,
                    unreadable: vec![(Utf8PathBuf::from("runner.yaml"), wrong)],
                    ..Self::default()
                });
            }
        }
        // The tags of flows that do not read are not known.
        if plan.unreadable.is_empty() {
            plan.report_unknown_tags(filter, &known_tags);
            plan.warnings.extend(workspaces.unknown_tags(&known_tags));
        }
        Ok(plan)
    }

    /// Adds to [`Self::without_effect`] a sentence for each tag of the filter that no flow has, also for excluded ones
    /// and those of an expression. They are no error: a list of tags may serve several projects.
    fn report_unknown_tags(&mut self, filter: &Filter, known: &HashSet<String>) {
        fn plain(tags: &[String]) -> Vec<&str> {
            tags.iter().map(String::as_str).collect()
        }
        let expression = filter.expression.iter().flat_map(TagExpression::tags);
        for (option, tags, does) in [
            ("--tag", plain(&filter.tags), "selects"),
            ("--exclude-tag", plain(&filter.excluded), "leaves out"),
            ("--tags", expression.collect(), "means"),
        ] {
            let unknown = tags.into_iter().filter(|tag| !known.contains(*tag));
            let parsed =
                unknown.map(|tag| format!("{option} `{tag}` {does} nothing: no flow has it"));
            self.without_effect.extend(parsed);
        }
    }

    /// Moves Maestro flows whose key, in any letter case, another flow has to the unreadable ones: `.maestro/a.yaml`
    /// and `maestro/a.yaml` would share their history. The first one stays, and so do two flows that are both not
    /// Maestro's. Returns those that stay, in order.
    fn keep_keys_apart(&mut self, flows: Vec<Arc<Flow>>) -> Vec<Arc<Flow>> {
        let mut owners: HashMap<String, Arc<Flow>> = HashMap::new();
        let mut apart = Vec::new();
        for flow in flows {
            let key = flow.key.as_str().to_lowercase();
            match owners.get(&key) {
                Some(owner) if owner.maestro().is_some() || flow.maestro().is_some() => {
                    let shared = shared_key(&flow, &owner.source.path);
                    self.unreadable
                        .push((flow.source.path.clone(), vec![shared]));
                }
                _ => {
                    owners.insert(key, Arc::clone(&flow));
                    apart.push(flow);
                }
            }
        }
        apart
    }

    /// Groups items into units that one device runs in one piece, in the plan's order: the cases of a
    /// sequence, or one case. A sequence stands at the place of its first item.
    pub(crate) fn units<T>(
        &self,
        items: impl IntoIterator<Item = T>,
        flow_of: impl Fn(&T) -> &Utf8Path,
    ) -> Vec<Vec<T>> {
        let mut units: Vec<Vec<T>> = Vec::new();
        let mut of_sequence: HashMap<usize, usize> = HashMap::new();
        for item in items {
            let flow = flow_of(&item);
            let sequence = self.sequences.iter().position(|it| it.has(flow));
            let place = match sequence {
                Some(sequence) => *of_sequence.entry(sequence).or_insert(units.len()),
                None => units.len(),
            };
            match units.get_mut(place) {
                Some(unit) => unit.push(item),
                None => units.push(vec![item]),
            }
        }
        units
    }

    /// Returns the flows, each once however many cases it has.
    pub fn flows(&self) -> impl Iterator<Item = &Arc<Flow>> {
        let mut reported = HashSet::new();
        let flows = self.cases.iter().map(|case| &case.flow);
        flows.filter(move |flow| reported.insert(Arc::as_ptr(flow)))
    }

    /// Returns all errors of flows that cannot be read, in order and each once: several flows may run the
    /// same broken sub-flow.
    pub fn errors(&self) -> Vec<Diagnostic> {
        let all = self
            .unreadable
            .iter()
            .flat_map(|(_, diagnostics)| diagnostics);
        let each: IndexSet<&Diagnostic> = all.collect();
        each.into_iter().cloned().collect()
    }
}

fn no_tag(filter: &Filter, found: usize, known: &HashSet<String>) -> PlanError {
    let meant = filter.nearest_tag(known);
    PlanError::NoTag { found, meant }
}

/// Returns the error, at the file's beginning, that another flow has this flow's key.
fn shared_key(flow: &Flow, owner: &Utf8Path) -> Diagnostic {
    Diagnostic {
        code: Code::SnapshotName,
        severity: Code::SnapshotName.severity(),
        message: format!("the name `{}` already belongs to {owner}", flow.key),
        source: Arc::clone(&flow.source),
        span: 0..0,
        labels: Vec::new(),
        help: Some("rename one of the two files".to_owned()),
    }
}
