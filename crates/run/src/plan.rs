//! Plan of a run: the flows to run, and those that cannot be read.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexSet;

use super::filter::Filter;
use super::project_files::project_files;
use super::quarantine::{QuarantineCount, today};
use super::workspaces::{Sequence, Workspaces};
use super::{golden_owners, project_steps, secrets};
use runner_config::{Config, ImpactRule, Origin};
use runner_event::{CaseId, ChangedSince, Shard};
use runner_flow::maestro::WorkspaceError;
use runner_flow::{
    Argument, Case, DiscoverError, Discovery, Flow, Step, StepAction, TagExpression,
};
use runner_text::diagnostic::{self, Code, Diagnostic};
use runner_text::input_file::{MAX_TEXT, read_regular};
use runner_text::secret::{MIN_MASKED_CHARS, Scrubber};
use runner_text::suggest::{Place, error};
use runner_tools::everyday::unlisted_host;
use serde_json::Value;

/// Chosen: short secrets of a flow that are reported. More would bury other warnings.
const MAX_SHORT: usize = 20;

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

    /// Returns the identity of its result.
    pub fn id(&self) -> CaseId {
        CaseId {
            flow: self.flow.source.path.clone(),
            case: self.case.as_ref().map(|case| case.name.clone()),
            repeat: self.repeat,
        }
    }
}

/// Flows of a run.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Cases to run, sorted by the flow's path and then in the order of the flow.
    pub cases: Vec<PlannedCase>,
    /// Part of a larger plan that this is.
    pub shard: Option<Shard>,
    /// Flows that cannot be read, each with the errors in it or in a sub-flow that it runs. Each counts as an
    /// error.
    pub unreadable: Vec<(Utf8PathBuf, Vec<Diagnostic>)>,
    /// Warnings about flows that run all the same.
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

/// Reason why there is no flow to run.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// No flow file was found.
    #[error("{0}{advice}", advice = first_flow(.0))]
    Discover(DiscoverError),
    /// A Maestro workspace cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Patterns leave no flow.
    #[error(
        "none of the {found} flows found matches what is looked for in `PATH › NAME › CASE`: a word that is no path, --grep, --grep-invert; `runner test --list` lists all"
    )]
    NoMatch {
        /// Number of flows before.
        found: usize,
    },
    /// Tags leave no flow.
    #[error("no flow matches the tags ({found} found){meant}")]
    NoTag {
        /// Number of flows before.
        found: usize,
        /// Suggestion of tags, as the end of the message; may be empty.
        meant: String,
    },
    /// The history knows nothing of the selected flows.
    #[error(
        "--last-failed: the history in {history} says nothing of {unknown} of the {found} flows, and nothing of what failed is among the others; run all once, or write --last-failed=or-all"
    )]
    NoHistory {
        /// Folder of the history.
        history: Utf8PathBuf,
        /// Number of flows that never ran.
        unknown: usize,
        /// Number of selected flows.
        found: usize,
    },
}

/// Returns the end of an error's message: the advice of `runner init`. Empty where a similar path exists, or where
/// the error has advice of its own.
fn first_flow(error: &DiscoverError) -> &'static str {
    match error {
        DiscoverError::Missing(missing) if !missing.near.is_empty() => "",
        DiscoverError::None(none) if none.is_elsewhere => "",
        DiscoverError::TakenAway(_) | DiscoverError::Joined { .. } => "",
        _ => ". `runner init` writes a first flow",
    }
}

/// Finds the files of the flows. An error about a path that `runner.yaml` has names its line there.
fn find_flows(config: &Config) -> Result<Discovery, DiscoverError> {
    let maestro_config = config.maestro_config.as_deref();
    runner_flow::discover_with(&config.flow_paths(), &config.root, maestro_config)
        .map_err(|error| name_origin(error, config))
}

/// Names the line of `runner.yaml` that has a path without flows; other errors, and those about paths of the
/// command line, stay as they are.
fn name_origin(error: DiscoverError, config: &Config) -> DiscoverError {
    let origin = &config.flows.origin;
    if !config.paths.is_empty() || !matches!(origin, Origin::File { .. }) {
        return error;
    }
    match error {
        DiscoverError::Missing(mut missing) => {
            missing.near.push_str(&format!("; {origin} names it"));
            DiscoverError::Missing(missing)
        }
        DiscoverError::TakenAway(path) => {
            DiscoverError::TakenAway(format!("{path}, which {origin} names"))
        }
        DiscoverError::Joined { parts, .. } => DiscoverError::Joined {
            advice: format!("a list at {origin}: `flows: [{}]`", listed(&parts)),
            parts,
        },
        DiscoverError::None(mut none) => {
            none.paths.push_str(&format!(", which {origin} names"));
            DiscoverError::None(none)
        }
        DiscoverError::NoneIn(paths) => {
            DiscoverError::NoneIn(format!("{paths}, which {origin} names"))
        }
        error => error,
    }
}

/// Returns paths as items of a list of YAML, patterns in quotes.
fn listed(paths: &[String]) -> String {
    let item = |path: &String| {
        if path.contains(['*', '?', '\'', ' ']) {
            format!("'{}'", path.replace('\'', "''"))
        } else {
            path.clone()
        }
    };
    let items: Vec<String> = paths.iter().map(item).collect();
    items.join(", ")
}

impl From<DiscoverError> for PlanError {
    /// Keeps an error of a Maestro workspace as one of its own.
    fn from(error: DiscoverError) -> Self {
        match error {
            DiscoverError::Workspace(error) => Self::Workspace(error),
            error => Self::Discover(error),
        }
    }
}

impl Plan {
    /// Finds and reads the flows, and keeps those that the filter and their workspaces take. Flows that
    /// cannot be read are kept apart, unless their tags leave them out; so are flows that share a history or
    /// goldens with another, also with one that does not run. If the project's own steps cannot be read, or one
    /// of its secrets names no value, only that error is left and nothing runs.
    ///
    /// # Errors
    /// [`PlanError`] if there is nothing to run, or the flows cannot be found or put into their sequence.
    /// Flows that cannot be read are no error here.
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
                // As in Maestro, a flow that its tags leave out may be unreadable.
                let tags = runner_flow::maestro::written_tags(path);
                if let Some(tags) = tags.filter(|tags| !filter.takes(tags)) {
                    known_tags.extend(tags);
                    found += 1;
                    continue;
                }
                let displayed = path.strip_prefix(&config.root).unwrap_or(path);
                plan.unreadable.push((
                    Utf8PathBuf::from(displayed.as_str().replace('\\', "/")),
                    diagnostics,
                ));
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

    /// Reports tags of the filter that no flow has, also excluded ones and those of an expression. They are
    /// no error: a list of tags may serve several projects.
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

    /// Moves Maestro flows whose key, in any letter case, another flow has to the unreadable ones:
    /// `.maestro/a.yaml` and `maestro/a.yaml` would share their history. The first one stays, and so do two
    /// flows that are both not Maestro's.
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

/// Returns warnings for a flow that uses what `runner.yaml` does not have: tags of devices, and hosts of
/// requests, also in its sub-flows.
fn not_allowed(flow: &Flow, config: &Config) -> Vec<Diagnostic> {
    let mut found = Vec::from_iter(unknown_needs(flow, config));
    for steps in flow.step_lists() {
        unlisted_hosts(steps, config, &mut found);
    }
    found
}

/// Returns a warning for the first tag in `needs` that no device of `runner.yaml` has, with a suggestion.
/// Where the flow runs it is an error; where unfit flows are skipped, a mistyped tag would skip it for ever.
fn unknown_needs(flow: &Flow, config: &Config) -> Option<Diagnostic> {
    let needs = flow.needs.as_ref()?;
    let is_known = |tag: &String| {
        let mut devices = config.listed_devices.iter();
        devices.any(|device| device.tags.contains(tag))
    };
    let unknown = needs.tags.iter().find(|tag| !is_known(tag))?;
    let tags = config.listed_devices.iter().flat_map(|device| &device.tags);
    Some(Diagnostic {
        code: Code::UnknownTag,
        severity: Code::UnknownTag.severity(),
        message: format!(
            "no device of runner.yaml has the tag `{unknown}`, so no device ever fits"
        ),
        source: Arc::clone(&flow.source),
        span: needs.span.clone(),
        labels: Vec::new(),
        help: runner_text::suggest::suggest(unknown, tags.map(String::as_str)),
    })
}

/// Warns of `http` requests to hosts that `runner.yaml` does not allow, also in nested steps and sub-flows.
/// Equal warnings are added once. A URL with an expression is not checked.
fn unlisted_hosts(steps: &[Step], config: &Config, found: &mut Vec<Diagnostic>) {
    for step in steps {
        let inner = step.action.sub_flow().map(|flow| flow.step_lists());
        let inner = inner.into_iter().flatten().chain(step.action.lists());
        inner.for_each(|steps| unlisted_hosts(steps, config, found));
        let StepAction::Call { entry, arguments } = &step.action else {
            continue;
        };
        let url = match &arguments.value {
            Argument::Map(given) if entry.name == "http" => given.get("url"),
            _ => None,
        };
        let Some(Argument::Literal(Value::String(url))) = url.map(|url| &url.value) else {
            continue;
        };
        let Some(host) = unlisted_host(&config.http_hosts.value, url) else {
            continue;
        };
        let warning = Diagnostic {
            help: Some(format!(
                "write `http: {{ hosts: [{host}] }}` in runner.yaml"
            )),
            ..error(
                &Place::new(&step.source, step.span.clone()),
                Code::Doubtful,
                format!("the host `{host}` is not allowed"),
            )
        };
        if !found.contains(&warning) {
            found.push(warning);
        }
    }
}

/// Returns warnings for entries of the impact map that name no existing flow, unless they say that the files
/// concern none. Empty without a `runner.yaml`.
fn unknown_impact(config: &Config, is_known: impl Fn(&ImpactRule) -> bool) -> Vec<Diagnostic> {
    let Some(source) = &config.project_source else {
        return Vec::new();
    };
    let rules = config.impact.rules.iter();
    let unknown = rules.filter(|rule| !rule.concerns_nothing() && !is_known(rule));
    let warning = |rule: &ImpactRule| Diagnostic {
        code: Code::UnknownTag,
        severity: Code::UnknownTag.severity(),
        message: format!(
            "no flow has a tag or a path that `impact` names for `{}`",
            rule.files.as_str()
        ),
        source: Arc::clone(source),
        span: rule.span.clone(),
        labels: Vec::new(),
        help: Some("correct it; until then these files count as not placed".to_owned()),
    };
    unknown.map(warning).collect()
}

/// Returns the secrets of `runner.yaml` that have no value in its `env` or on the command line, and that its
/// own text does not read. The process environment does not count.
fn unread_secrets(config: &Config) -> Vec<String> {
    let project = config.project_source.as_ref();
    let is_unread = |name: &&String| {
        !config.file_env.contains_key(*name)
            && !config.command_env.contains_key(*name)
            && !project.is_some_and(|source| runner_flow::reads_name(&source.text, name))
    };
    config.secrets.iter().filter(is_unread).cloned().collect()
}

fn no_tag(filter: &Filter, found: usize, known: &HashSet<String>) -> PlanError {
    let meant = filter.nearest_tag(known);
    PlanError::NoTag { found, meant }
}

/// Removes names that occur anywhere in the text of a file of the project's folders of flows. For runs of
/// which a person named the flows, so that the others were not read. If the folders cannot be searched,
/// removes all names; files that cannot be read are skipped.
fn retain_unmentioned(names: &mut Vec<String>, config: &Config) {
    if names.is_empty() {
        return;
    }
    let Ok(files) = project_files(config) else {
        // The names that other flows use are not known.
        names.clear();
        return;
    };
    for path in files {
        if let Ok(bytes) = read_regular(&path, MAX_TEXT) {
            let text = String::from_utf8_lossy(&bytes);
            names.retain(|name| !text.contains(name.as_str()));
        }
    }
}

/// Returns an error for each of the secrets of `runner.yaml` that name no value: a mistyped name would leave
/// the real secret unmasked. `unread` are those that no flow that was read mentions. Values in the quoted
/// lines are masked. Empty without a `runner.yaml`.
fn unnamed_secrets(config: &Config, mut unread: Vec<String>, hidden: &Scrubber) -> Vec<Diagnostic> {
    let Some(source) = &config.project_source else {
        return Vec::new();
    };
    if !config.paths.is_empty() {
        retain_unmentioned(&mut unread, config);
    }
    let error = |name: &String| {
        let shown = runner_flow::declared_name(name);
        Diagnostic {
            code: Code::UndefinedName,
            severity: Code::UndefinedName.severity(),
            message: format!("the secret `{shown}` names no value"),
            source: Arc::clone(source),
            span: word_in(&source.text, name),
            labels: Vec::new(),
            help: Some(match runner_flow::bare_name(name) {
                Some(bare) => format!("write the name alone: `{bare}`"),
                None => format!(
                    "`env` does not have it, and no flow gives or reads it; correct the name, read it as `${{os.{shown}}}`, or take it out of `secrets`"
                ),
            }),
        }
    };
    let errors = unread.iter().map(error).collect();
    diagnostic::without_secrets(errors, &config.secrets, hidden)
}

/// Returns the position of a name in the text after `secrets`.
fn word_in(text: &str, name: &str) -> Range<usize> {
    let begin = text.find("secrets").unwrap_or(0);
    let at = text[begin..].find(name).map(|at| begin + at);
    at.map_or(begin..begin, |at| at..at + name.len())
}

/// Returns warnings for secrets written in the flow that are not empty and so short that they occur in other
/// texts by chance. Each place gets one, at most 20 together.
fn short_secrets(flow: &Flow, of_project: &[String]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for written in secrets::written(flow, of_project) {
        let is_short = (1..MIN_MASKED_CHARS).contains(&written.value.trim().chars().count());
        let warning = Diagnostic {
            code: Code::ShortSecret,
            severity: Code::ShortSecret.severity(),
            message: format!(
                "the secret has fewer than {MIN_MASKED_CHARS} characters, so that it is masked only where it is a whole value"
            ),
            source: Arc::clone(written.source),
            span: written.span.clone(),
            labels: Vec::new(),
            help: Some("take a longer one".to_owned()),
        };
        if is_short && !found.contains(&warning) {
            found.push(warning);
        }
        // Each row of a table may add a warning.
        if found.len() == MAX_SHORT {
            break;
        }
    }
    found
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
