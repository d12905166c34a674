//! Reads flow files: the header, and the sub-flows that a flow runs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use serde_json::Value;

use super::ast::{Argument, Dialect, Flow, Spanned, Step};
use super::cases::Matrix;
use super::check::{Checker, literal};
use super::check_advice::is_list;
use super::error_hints;
use super::expression;
use super::files::{ContainmentError, below, inside, load, near_path, normalise};
use super::foreign::{self, suggestion};
use super::goldens;
use super::header_advice::{missing_value, outputs_with, variable, wraps_flow};
use super::interpolate::{check_name, plain_name};
use super::key_owner;
use super::keys;
use super::maestro;
use super::missing_apps;
use super::names::Names;
use super::needs::{self, Needs, NumberRange};
use super::quarantine::{self, Quarantine};
use super::report::{Place, error, nearest, suggest};
use super::vocabulary::{self, Vocabulary};
use super::yaml::{self, Key, Kind, Node};
use runner_base::files::normal_parts;
use runner_text::diagnostic::{self, Code, Diagnostic, Severity, Source};
use runner_text::secret::Scrubber;
use runner_text::units::HumanDuration;
use runner_tools::package::{is_app_file, is_app_package};

/// Maximum nesting of sub-flows. Chosen: far above real projects, and reading recurses.
pub(super) const MAX_CHAIN: usize = 16;
/// Maximum number of `run` steps in one flow with all its sub-flows. Chosen: files that each run the next one
/// twice would grow exponentially.
pub(super) const MAX_RUNS: usize = 500;

/// Settings of the project that affect reading.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Absolute path of the project's root. Sub-flows must lie below it, and keys of flows are relative to
    /// it.
    pub root: Utf8PathBuf,
    /// Names of variables from `runner.yaml`, `--env-file` and `--env`.
    pub env: BTreeSet<String>,
    /// Names whose values are secret in all flows.
    pub secrets: Vec<String>,
    /// Values that diagnostics must not quote.
    pub hidden: Scrubber,
    /// True if flows may use `shell:`.
    pub allow_shell: bool,
    /// Matrix for flows without one of their own.
    pub matrix: Option<Arc<Matrix>>,
}

/// Reads a flow file. `path` is absolute or relative to the root. Returns all errors of the file and its
/// sub-flows; with warnings only, also the flow.
pub fn read_flow(path: &Utf8Path, options: &ReadOptions) -> (Option<Flow>, Vec<Diagnostic>) {
    read_with(path, options, vocabulary::standard())
}

/// Reads the text of a flow that is not saved, as if it were the file `path` (below the root). Sub-flows and
/// tables are read from the disk. Otherwise like [`read_flow`].
pub fn read_text(
    path: &Utf8Path,
    text: String,
    options: &ReadOptions,
) -> (Option<Flow>, Vec<Diagnostic>) {
    let path = Utf8PathBuf::from(path.as_str().replace('\\', "/"));
    let source = Arc::new(Source { path, text });
    read_source(source, options, vocabulary::standard())
}

/// Reads a flow file like [`read_flow`], with another vocabulary. `path` may be outside of the root, but a
/// link in the root must not lead out of it. `runner.yaml` is an error. Returns no flow if there is an error,
/// and all diagnostics by their places.
pub(crate) fn read_with(
    path: &Utf8Path,
    options: &ReadOptions,
    vocabulary: &Vocabulary,
) -> (Option<Flow>, Vec<Diagnostic>) {
    let absolute = options.root.join(path);
    let displayed = below(&absolute, &options.root).unwrap_or_else(|| path.to_owned());
    // A person may name a file outside of the root, but a link must not lead there. The error quotes none of its text.
    let by_link = absolute.starts_with(&options.root);
    if matches!(displayed.file_name(), Some("runner.yaml" | "runner.yml")) {
        let unread = Source::unread(&displayed);
        let place = Place::new(&unread, 0..0);
        let message = "this file has the settings of the project, and is no flow";
        let mut diagnostic = error(&place, Code::NotAFlow, message);
        let help = "`runner lint` without a path reads it with all flows; `runner config` prints the settings";
        diagnostic.help = Some(help.to_owned());
        return (None, vec![diagnostic]);
    }
    if matches!(displayed.file_name(), Some("app.yaml" | "app.yml")) && is_app(&absolute) {
        let unread = Source::unread(&displayed);
        let place = Place::new(&unread, 0..0);
        let message = "this file is an app of the virtual device, and no flow";
        let folder = displayed.parent().map_or(".", Utf8Path::as_str);
        let folder = if folder.is_empty() { "." } else { folder };
        let mut diagnostic = error(&place, Code::NotAFlow, message);
        diagnostic.help = Some(format!(
            "`apps: [{folder}]` in runner.yaml, or `--app {folder}`, gives it to the device; `runner lint` without a path checks it"
        ));
        return (None, vec![diagnostic]);
    }
    let source = match inside(&absolute, &options.root) {
        Err(ContainmentError::Outside) if by_link => Err(Box::new(error(
            &Place::new(&Source::unread(&displayed), 0..0),
            Code::Unreadable,
            ContainmentError::Outside.to_string(),
        ))),
        _ => load(&absolute, &displayed),
    };
    match source {
        Ok(source) => read_source(source, options, vocabulary),
        Err(diagnostic) => (None, vec![*diagnostic]),
    }
}

/// Returns true if the text has a line that begins as those of an app of the virtual device. A file that cannot be
/// read is none.
fn is_app(path: &Utf8Path) -> bool {
    let source = load(path, path);
    source.is_ok_and(|source| {
        let mut lines = source.text.lines();
        lines.any(|line| line.starts_with("package:") || line.starts_with("activities:"))
    })
}

fn read_source(
    source: Arc<Source>,
    options: &ReadOptions,
    vocabulary: &Vocabulary,
) -> (Option<Flow>, Vec<Diagnostic>) {
    let project = Project::new(options, vocabulary);
    let mut found = Vec::new();
    let documents = yaml::read_documents(&source, &mut found);
    let (flow, read) = match documents {
        None => (None, Vec::new()),
        Some(documents) if maestro::is_maestro(&documents) => {
            let mut reader = maestro::Reader::new(&project, source, &[]);
            (reader.flow(&documents), reader.diagnostics)
        }
        Some(documents) => {
            let names = Names::new(options.env.iter().cloned());
            let mut reader = Reader::new(&project, source, names, &[]);
            let node = yaml::only(documents, &reader.source, &mut reader.diagnostics);
            let flow = node.and_then(|node| reader.flow(&node));
            if let Some(flow) = &flow {
                let repeated = goldens::repeated(flow);
                add(&mut reader.diagnostics, repeated);
                reader.diagnostics.extend(missing_apps::missing_apps(flow));
            }
            (flow, reader.diagnostics)
        }
    };
    found.extend(read);
    error_hints::explain(&mut found, vocabulary);
    let diagnostics = diagnostic::without_secrets(found, &options.secrets, &options.hidden);
    finish(flow, diagnostics)
}

/// Steps of `runner.yaml` that run around each flow.
#[derive(Debug, Clone, Default)]
pub struct SurroundingSteps {
    /// Steps before the flow's own setup.
    pub setup: Vec<Step>,
    /// Steps after a failure, after the flow's own.
    pub on_failure: Vec<Step>,
    /// Steps after the flow's own teardown.
    pub teardown: Vec<Step>,
    /// Steps before the first flow of a device, as a flow; `None` if there are none.
    pub device_setup: Option<Arc<Flow>>,
    /// Steps after the last flow of a device, as a flow.
    pub device_teardown: Option<Arc<Flow>>,
}

/// Builds a flow from setup and teardown steps of `on_device`, without retries; `None` if both are empty.
/// `name` is its name in reports.
fn device_flow(source: &Arc<Source>, name: &str, steps: [Vec<Step>; 2]) -> Option<Arc<Flow>> {
    if steps.iter().all(Vec::is_empty) {
        return None;
    }
    let [setup, teardown] = steps;
    Some(Arc::new(Flow {
        source: Arc::clone(source),
        key: source.path.with_extension(""),
        name: name.to_owned(),
        dialect: Dialect::Own,
        app: None,
        app_value: None,
        tags: Vec::new(),
        env: IndexMap::new(),
        secrets: Vec::new(),
        timeout: None,
        step_timeout: None,
        teardown_timeout: None,
        retries: Some(0),
        quarantine: None,
        needs: None,
        skip: None,
        cases: Vec::new(),
        table: None,
        outputs: Vec::new(),
        setup,
        steps: Vec::new(),
        on_failure: Vec::new(),
        teardown,
    }))
}

/// Reads `setup`, `teardown`, `on_failure` and `on_device` of `runner.yaml`. Ignores all other keys, and a
/// file that is no map has no steps.
///
/// # Errors
/// All problems in these steps, if one of them is an error; snapshots are errors here, and so are steps of
/// `on_device` that need an app and name none. Warnings alone are dropped.
pub fn read_surrounding(
    source: Arc<Source>,
    options: &ReadOptions,
) -> Result<SurroundingSteps, Vec<Diagnostic>> {
    let project = Project::new(options, vocabulary::standard());
    // Paths of sub-flows are relative to the root, whatever path the messages show.
    let source = Arc::new(Source {
        path: Utf8PathBuf::from("runner.yaml"),
        text: source.text.clone(),
    });
    let env = Names::new(options.env.iter().cloned());
    let mut reader = Reader::new(&project, source, env, &[]);
    let mut steps = SurroundingSteps::default();
    if let Some(node) = yaml::read(&reader.source, &mut reader.diagnostics)
        && let Kind::Map(entries) = &node.kind
    {
        steps.setup = reader.section(entries, "setup");
        // A flow between both may give the names other values.
        reader.names.forget_constants();
        let before = reader.names.clone();
        steps.on_failure = reader.section(entries, "on_failure");
        reader.names = before;
        steps.teardown = reader.section(entries, "teardown");
        if let Some((_, node)) = find(entries, "on_device")
            && let Kind::Map(entries) = &node.kind
        {
            // Names that the steps around flows keep are unknown here: no flow runs at that time.
            reader.names = reader.env.clone();
            let setup = reader.section(entries, "setup");
            reader.names = reader.env.clone();
            let teardown = reader.section(entries, "teardown");
            let source = Arc::clone(&reader.source);
            let without = [&setup, &teardown].into_iter();
            for mut wrong in without.flat_map(|steps| missing_apps::steps_without(steps)) {
                let help = "these steps belong to no flow: name the app at the step, as `launch: com.example.app`";
                wrong.help = Some(help.to_owned());
                reader.diagnostics.push(wrong);
            }
            steps.device_setup = device_flow(&source, "setup of the device", [setup, Vec::new()]);
            steps.device_teardown =
                device_flow(&source, "teardown of the device", [Vec::new(), teardown]);
        }
    }
    let snapshots: Vec<_> = reader.snapshots.values().cloned().collect();
    for snapshot in snapshots {
        let message = "steps around all flows take no snapshots: a golden belongs to one flow";
        let help = Some("put it into a flow".to_owned());
        reader.fail_at(snapshot, Code::Step, message, help);
    }
    let found = diagnostic::without_secrets(reader.diagnostics, &options.secrets, &options.hidden);
    if found.iter().any(|it| it.severity == Severity::Error) {
        Err(found)
    } else {
        Ok(steps)
    }
}

pub(super) fn finish(
    flow: Option<Flow>,
    mut diagnostics: Vec<Diagnostic>,
) -> (Option<Flow>, Vec<Diagnostic>) {
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    let bad = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    (flow.filter(|_| !bad), diagnostics)
}

/// Adds diagnostics without duplicates: a sub-flow is read once for each flow that runs it. Files of one path
/// count as equal; to compare their texts, for each pair of diagnostics, would take minutes.
pub(crate) fn add(all: &mut Vec<Diagnostic>, found: Vec<Diagnostic>) {
    let place = |it: &Diagnostic| (it.source.path.clone(), it.span.start);
    let is_same = |one: &Diagnostic, other: &Diagnostic| {
        (&one.span, one.code, &one.message, &one.help)
            == (&other.span, other.code, &other.message, &other.help)
    };
    let mut known: HashMap<(Utf8PathBuf, usize), Vec<usize>> = HashMap::new();
    for (index, diagnostic) in all.iter().enumerate() {
        known.entry(place(diagnostic)).or_default().push(index);
    }
    for diagnostic in found {
        let there = known.entry(place(&diagnostic)).or_default();
        if !there.iter().any(|index| is_same(&all[*index], &diagnostic)) {
            there.push(all.len());
            all.push(diagnostic);
        }
    }
}

/// Maestro flows by path and whether they run on Android.
type MaestroFlows = HashMap<(Utf8PathBuf, bool), Option<Arc<Flow>>>;

/// State that all files of one reading share.
pub(crate) struct Project<'a> {
    pub(crate) options: &'a ReadOptions,
    pub(crate) vocabulary: &'a Vocabulary,
    runs: std::cell::Cell<usize>,
    /// Maestro sub-flows that were already read, by path and whether they run on Android. `None`: unreadable,
    /// and reported already.
    pub(super) maestro_flows: RefCell<MaestroFlows>,
}

impl<'a> Project<'a> {
    fn new(options: &'a ReadOptions, vocabulary: &'a Vocabulary) -> Self {
        Self {
            options,
            vocabulary,
            runs: std::cell::Cell::new(0),
            maestro_flows: RefCell::default(),
        }
    }

    /// Counts a use of a sub-flow. Returns the number of uses so far.
    pub(super) fn count_run(&self) -> usize {
        let runs = self.runs.get() + 1;
        self.runs.set(runs);
        runs
    }
}

/// Reader of one file.
pub(crate) struct Reader<'a> {
    pub(crate) project: &'a Project<'a>,
    pub(crate) source: Arc<Source>,
    /// Names of variables, which a sub-flow inherits.
    pub(crate) env: Names,
    /// Names of variables and of the results kept so far.
    pub(crate) names: Names,
    /// Names of results kept in this file.
    pub(crate) stored_names: BTreeSet<String>,
    /// Names of snapshots in lower case, with their places.
    pub(crate) snapshots: BTreeMap<String, std::ops::Range<usize>>,
    /// Those of them with `each: true`, whose goldens are `name.1`, `name.2`, ….
    pub(crate) numbered: BTreeSet<String>,
    /// Nesting of `repeat`, with those of the callers.
    pub(crate) repeats: usize,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Files that are being read, outermost first, this one last.
    pub(crate) chain: Vec<Utf8PathBuf>,
}

impl<'a> Reader<'a> {
    fn new(
        project: &'a Project<'a>,
        source: Arc<Source>,
        env: Names,
        chain: &[Utf8PathBuf],
    ) -> Self {
        let mut chain = chain.to_vec();
        chain.push(source.path.clone());
        Self {
            project,
            source,
            names: env.clone(),
            env,
            stored_names: BTreeSet::new(),
            snapshots: BTreeMap::new(),
            numbered: BTreeSet::new(),
            repeats: 0,
            diagnostics: Vec::new(),
            chain,
        }
    }

    fn flow(&mut self, node: &Node) -> Option<Flow> {
        let Kind::Map(entries) = &node.kind else {
            let message = if node.is_missing() {
                "this file is empty; a flow needs `steps`"
            } else {
                "a flow is a map with `steps`"
            };
            let space = node.scalar().and_then(|it| yaml::missing_space(&it.text));
            let list = matches!(node.kind, Kind::Sequence(_)).then(|| {
                "put the list under `steps:`; in a flow of Maestro's it stands after `appId: …` and a line `---`"
                    .to_owned()
            });
            let step = node.scalar().and_then(|it| foreign::chain(&it.text));
            let step = step.map(|step| format!("{step} as an item below `steps:`; a flow is YAML"));
            let usual = || {
                "write `app: …`, and `steps:` with a list below it; `runner init` makes a first flow"
                    .to_owned()
            };
            let help = list.or(step).or(space).unwrap_or_else(usual);
            self.fail(node, Code::NotAFlow, message, Some(help));
            return None;
        };
        let header = self.header(entries);
        self.warn_of_keys_without_effect(entries);
        let secrets = strings(&header, "secrets");
        // Before `env`, because its values may use the columns.
        let rows = self.each(entries, &secrets);
        let matrix = self.matrix(entries);
        let cases = self.cases(entries, rows.as_ref(), matrix.as_ref());
        let env = self.env(entries);
        // After `env`, which it may use.
        let app_value = find(entries, "app").and_then(|(_, node)| self.app_value(node));
        let needs = find(entries, "needs").and_then(|(_, node)| self.needs(node));
        let quarantine = find(entries, "quarantine").and_then(|(_, node)| self.quarantine(node));
        let skip = find(entries, "skip").and_then(|(_, node)| self.skip(node));
        // In the order of execution: each list may use the names kept before it.
        let setup = self.section(entries, "setup");
        let steps = self.section(entries, "steps");
        let is_wrapped = entries.iter().any(|(_, node)| wraps_flow(node));
        if find(entries, "steps").is_none() && !is_wrapped {
            let help = Some("add `steps:` with a list".to_owned());
            let start = node.span.start;
            let first = entries
                .first()
                .map_or(start..start, |(key, _)| key.span.clone());
            self.fail_at(first, Code::MissingKey, "this flow has no `steps`", help);
        }
        // Its names are unknown in teardown, because it runs only after a failure.
        let before = self.names.clone();
        let on_failure = self.section(entries, "on_failure");
        self.names = before;
        let teardown = self.section(entries, "teardown");
        self.check_outputs(entries);
        let list = |name: &str| strings(&header, name);
        let text = |name: &str| header.get(name).and_then(Value::as_str).map(str::to_owned);
        let key = normal_parts(&self.source.path.with_extension(""));
        let flow = Flow {
            source: Arc::clone(&self.source),
            dialect: Dialect::Own,
            name: text("name").unwrap_or_else(|| key.file_name().unwrap_or("flow").to_owned()),
            key,
            app: text("app"),
            app_value,
            tags: list("tags"),
            env,
            secrets,
            timeout: text("timeout").and_then(|text| text.parse::<HumanDuration>().ok()),
            step_timeout: text("step_timeout").and_then(|text| text.parse::<HumanDuration>().ok()),
            teardown_timeout: text("teardown_timeout")
                .and_then(|text| text.parse::<HumanDuration>().ok()),
            retries: header
                .get("retries")
                .and_then(Value::as_u64)
                .and_then(|count| u32::try_from(count).ok()),
            quarantine,
            needs,
            skip,
            cases,
            table: rows.and_then(|rows| rows.file),
            outputs: list("outputs"),
            setup,
            steps,
            on_failure,
            teardown,
        };
        self.check_secrets(entries, &flow);
        Some(flow)
    }

    /// Reports each of the flow's `secrets` that neither the flow nor a sub-flow gives a value or reads: a
    /// misspelt name would leave the real value unmasked. Does nothing if the flow has other errors, because
    /// an unreadable part may give the value.
    fn check_secrets(&mut self, entries: &[(Key, Node)], flow: &Flow) {
        let Some((_, list)) = find(entries, "secrets") else {
            return;
        };
        let Kind::Sequence(items) = &list.kind else {
            return;
        };
        // An unreadable part may be what gives the name its value.
        let is_wrong = |it: &Diagnostic| it.severity == Severity::Error;
        if self.diagnostics.iter().any(is_wrong) {
            return;
        }
        for item in items {
            let Some(name) = item.scalar().map(|scalar| scalar.text.as_str()) else {
                continue;
            };
            if self.names.has_value(name) || super::secret_names::mentions(flow, name) {
                continue;
            }
            let bare = super::secret_names::bare_name(name);
            let help = match (bare, self.names.nearest(name)) {
                (Some(bare), _) => format!("write the name alone: `{bare}`"),
                (None, Some(known)) => format!("did you mean `{known}`?"),
                (None, None) if name.contains(['=', ' ']) => {
                    "write the name of a value alone, never the value".to_owned()
                }
                (None, None) => format!(
                    "give it a value in `env`, read it as `${{os.{name}}}`, or take it out of `secrets`"
                ),
            };
            let shown = super::secret_names::declared_name(name);
            let message = format!("the secret `{shown}` names no value");
            self.fail(item, Code::UndefinedName, message, Some(help));
        }
    }

    /// Reads the file as a flow of our own language. A Maestro flow, several documents and text that is no
    /// YAML are reported, and return `None`.
    fn own_flow(&mut self) -> Option<Flow> {
        let documents = yaml::read_documents(&self.source, &mut self.diagnostics)?;
        if maestro::is_maestro(&documents) {
            let help =
                Some("run it on its own, or take it over: `runner import maestro`".to_owned());
            let message =
                "this is a flow of Maestro's, which only another one of Maestro's can run";
            self.fail_at(0..0, Code::SubFlow, message, help);
            return None;
        }
        let node = yaml::only(documents, &self.source, &mut self.diagnostics)?;
        self.flow(&node)
    }

    /// Returns the app's package as an argument if it is a text with expressions, checked; else `None`.
    fn app_value(&mut self, node: &Node) -> Option<Spanned<Argument>> {
        let mentions = |scalar: &yaml::Scalar| expression::mentions_expression(&scalar.text);
        if !node.scalar().is_some_and(mentions) {
            return None;
        }
        let text = serde_json::json!({ "type": "string", "minLength": 1 });
        Some(self.checked(node, &text))
    }

    /// Reads the plain values of the header, and reports unknown keys and wrong values, which are left out.
    /// Keys with a parser of their own, such as `env` and `steps`, are skipped.
    fn header(&mut self, entries: &[(Key, Node)]) -> IndexMap<String, Value> {
        let schema = keys::header();
        let empty = serde_json::Map::new();
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let mut values = IndexMap::new();
        for (key, node) in entries {
            if keys::HEADER_OTHERS.contains(&key.text.as_str()) {
                continue;
            }
            let Some(schema) = properties.get(&key.text) else {
                self.unknown_header_key(key, node, properties.keys().map(String::as_str));
                continue;
            };
            if let (Kind::Map(inside), "app") = (&node.kind, key.text.as_str()) {
                let package = inside.iter().find_map(|(_, value)| {
                    let text = value.scalar()?.text.as_str();
                    // A suffix such as `.Main` is an activity.
                    let is_whole = is_app_package(text) && !text.starts_with('.');
                    is_whole.then_some(text)
                });
                let package = package.unwrap_or("com.example.app");
                let help = Some(format!(
                    "write `app: {package}`; an activity stands at `launch: {{ activity: … }}`"
                ));
                self.fail(
                    node,
                    Code::WrongType,
                    "the package of the app is expected here",
                    help,
                );
                continue;
            }
            if let (Some(scalar), "app") = (node.scalar(), key.text.as_str()) {
                self.warn_of_app(node, &scalar.text);
            }
            if let Some(value) = self.literal(node, schema) {
                values.insert(key.text.clone(), value);
            }
        }
        values
    }

    /// Warns of an app that is not a package, such as its name for people, a file, or a package with an
    /// activity. An empty text and one with `${…}` are not checked.
    fn warn_of_app(&mut self, node: &Node, text: &str) {
        let is_package = is_app_package(text) && !is_app_file(text);
        if text.is_empty() || text.contains("${") || is_package {
            return;
        }
        let help = match text.split_once('/') {
            _ if is_app_file(text) => format!(
                "write the app's package, such as `com.example.app`; `install: {text}` as a step installs the file"
            ),
            Some((package, _)) if is_app_package(package) => {
                format!("write `app: {package}`, and `launch: {{ activity: … }}` for an activity")
            }
            _ => "write the app's package, such as `com.example.app`".to_owned(),
        };
        let message = format!("`{text}` is not the package of an app");
        self.fail(node, Code::Doubtful, message, Some(help));
    }

    /// Warns of keys without effect in a sub-flow, that is, a file that another flow runs with a part of its
    /// path that begins with `_`: the keys of the flow that runs it count.
    fn warn_of_keys_without_effect(&mut self, entries: &[(Key, Node)]) {
        let path = &self.source.path;
        let is_sub_flow = path.components().any(|part| part.as_str().starts_with('_'));
        if self.chain.len() < 2 || !is_sub_flow {
            return;
        }
        for (key, _) in entries {
            if keys::WITHOUT_EFFECT_IN_SUB_FLOWS.contains(&key.text.as_str()) {
                let message = format!(
                    "`{}` of a sub-flow has no effect where another flow runs it",
                    key.text
                );
                let help = Some("put it into the flow that runs it, or take it out".to_owned());
                self.fail_at(key.span.clone(), Code::NoEffect, message, help);
            }
        }
    }

    fn unknown_header_key<'n>(
        &mut self,
        key: &Key,
        node: &Node,
        names: impl Iterator<Item = &'n str>,
    ) {
        let is_text = node.scalar().is_some() && !node.is_missing();
        let others = keys::HEADER_OTHERS.into_iter();
        let others = others.filter(|other| !(is_text && *other == "steps"));
        let known: Vec<&str> = names.chain(others).collect();
        let is_step = keys::step_names(self.project.vocabulary).any(|name| name == key.text);
        let foreign = foreign::key(&key.text, &known);
        let help = if let Some(help) = foreign::sentences(node) {
            Some(help)
        } else if wraps_flow(node) {
            let inside = node.entries().iter();
            let inside: Vec<String> = inside.map(|(key, _)| format!("`{}`", key.text)).collect();
            Some(format!(
                "write what is in it without `{}:`, each in the first column: {}",
                key.text,
                inside.join(", ")
            ))
        } else if foreign.is_some() {
            foreign
        } else if is_step && nearest(&key.text, known.iter().copied()).is_none() {
            Some(format!(
                "`{}` is a step; it belongs in the list under `steps:`, as `- {}: …`",
                key.text, key.text
            ))
        } else {
            let help = suggestion(&key.text, known);
            let is_list = is_list(help.as_deref());
            let owner = || {
                let value = || variable(&key.text).filter(|_| is_text);
                key_owner::owner(self.project.vocabulary, &key.text).or_else(value)
            };
            is_list.then(owner).flatten().or(help)
        };
        let message = format!("a flow has no key `{}`", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
    }

    fn env(&mut self, entries: &[(Key, Node)]) -> IndexMap<String, Spanned<Argument>> {
        let Some((_, node)) = find(entries, "env") else {
            return IndexMap::new();
        };
        let before = self.diagnostics.len();
        let values = self.env_values(node);
        let reads = self.diagnostics.len() == before;
        for name in values.keys() {
            for names in [&mut self.env, &mut self.names] {
                // Errors in values are already reported.
                if reads {
                    names.add_text(name);
                } else {
                    names.add(name);
                }
            }
        }
        values
    }

    /// Reads `env` of a header or of `run`, in order. Each value may use the names before it, and functions
    /// such as `uuid()`. Invalid names and values are reported, and are in the result all the same; another
    /// kind than a map is reported and gives none.
    pub(crate) fn env_values(&mut self, node: &Node) -> IndexMap<String, Spanned<Argument>> {
        let Kind::Map(entries) = &node.kind else {
            let help = Some("write `env: { NAME: value }`".to_owned());
            let message = format!(
                "a map of names and values is expected here, not {}",
                node.what()
            );
            self.fail(node, Code::WrongType, message, help);
            return IndexMap::new();
        };
        let mut names = self.names.clone();
        names.allows_volatile = true;
        let mut values = IndexMap::new();
        for (key, value) in entries {
            self.check_name(key);
            // `checked` reads `self.names`, so each value sees the names before it.
            let outer = std::mem::replace(&mut self.names, names);
            let before = self.diagnostics.len();
            let argument = self.checked(value, &serde_json::json!({ "type": "string" }));
            if let (Kind::Map(inside), Some(wrong)) =
                (&value.kind, self.diagnostics[before..].last_mut())
            {
                wrong.help = flat_names(&key.text, inside).or_else(|| wrong.help.take());
            }
            names = std::mem::replace(&mut self.names, outer);
            if let Some(help) = missing_value(key, value, entries, &names)
                && let Some(wrong) = self.diagnostics[before..].last_mut()
            {
                wrong.help = Some(help);
            }
            names.add_text(&key.text);
            values.insert(key.text.clone(), argument);
        }
        values
    }

    /// Reads `needs`. Returns `None` if its form is wrong; a range that cannot be read is reported and left
    /// out.
    fn needs(&mut self, node: &Node) -> Option<Needs> {
        let value = self.literal(node, &needs::schema())?;
        let tags = value.get("tags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_str);
        Some(Needs {
            tags: tags.map(str::to_owned).collect(),
            sdk: self.range(node, &value, "sdk"),
            size: self.range(node, &value, "size"),
            span: node.span.clone(),
        })
    }

    fn range(&mut self, node: &Node, value: &Value, key: &str) -> Option<NumberRange> {
        let wrong = match value.get(key)?.as_str()?.parse() {
            Ok(range) => return Some(range),
            Err(wrong) => wrong,
        };
        let place = match &node.kind {
            Kind::Map(entries) => find(entries, key).map_or(node, |(_, node)| node),
            _ => node,
        };
        self.fail(place, Code::Malformed, wrong.to_string(), None);
        None
    }

    fn quarantine(&mut self, node: &Node) -> Option<Quarantine> {
        let Kind::Map(entries) = &node.kind else {
            return match self.literal(node, &quarantine::short_schema())? {
                Value::Bool(true) => Some(Quarantine::default()),
                Value::String(because) => {
                    self.check_reason(node, &because);
                    Some(Quarantine {
                        because,
                        ..Quarantine::default()
                    })
                }
                _ => None,
            };
        };
        let value = self.literal(node, &quarantine::map_schema())?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if let (Some(because), Some((_, place))) = (text("because"), find(entries, "because")) {
            self.check_reason(place, &because);
        }
        let until = text("until").map(|until| quarantine::day(&until));
        if let Some(Err(wrong)) = &until {
            let place = find(entries, "until").map_or(node, |(_, node)| node);
            self.fail(place, Code::Malformed, wrong.to_string(), None);
        }
        Some(Quarantine {
            because: text("because").unwrap_or_default(),
            until: until.and_then(Result::ok),
            issue: text("issue"),
        })
    }

    fn check_reason(&mut self, node: &Node, because: &str) {
        if let Err(wrong) = quarantine::check_reason(because) {
            self.fail(node, Code::Malformed, wrong.to_string(), None);
        }
    }

    fn skip(&mut self, node: &Node) -> Option<(Spanned<String>, Option<String>)> {
        let Kind::Map(entries) = &node.kind else {
            let before = self.diagnostics.len();
            let condition = self.boolean_expression(node);
            let is_reason = node.scalar().is_some_and(|it| !it.text.contains("${"));
            if let Some(last) = self.diagnostics[before..].last_mut().filter(|_| is_reason) {
                last.help = Some("a reason stands beside a condition: write `skip: { if: …, because: … }`, or a tag that a run leaves out".to_owned());
            }
            return Some((condition?, None));
        };
        let mut because = None;
        for (key, value) in entries {
            match key.text.as_str() {
                "if" => {}
                "because" => {
                    because = self
                        .literal(value, &serde_json::json!({ "type": "string" }))
                        .and_then(|value| value.as_str().map(str::to_owned));
                }
                _ => self.unknown_key(key, ["if", "because"]),
            }
        }
        if let Some((_, condition)) = find(entries, "if") {
            Some((self.boolean_expression(condition)?, because))
        } else {
            self.fail(
                node,
                Code::MissingKey,
                "`if` is missing",
                Some("write `skip: { if: \"${…}\", because: … }`".to_owned()),
            );
            None
        }
    }

    fn section(&mut self, entries: &[(Key, Node)], name: &str) -> Vec<Step> {
        match find(entries, name) {
            Some((_, node)) if name == "steps" => self.steps(node),
            Some((_, node)) => self.steps_or_none(node),
            None => Vec::new(),
        }
    }

    fn check_outputs(&mut self, entries: &[(Key, Node)]) {
        let Some((_, node)) = find(entries, "outputs") else {
            return;
        };
        let Kind::Sequence(items) = &node.kind else {
            return;
        };
        for item in items {
            let Some(scalar) = item.scalar() else {
                continue;
            };
            if !self.stored_names.contains(&scalar.text) {
                let help = suggest(&scalar.text, self.stored_names.iter().map(String::as_str))
                    .or_else(|| Some(format!("keep a result with `as: {}`", scalar.text)));
                let message = format!("no step of this flow keeps a result as `{}`", scalar.text);
                self.fail(item, Code::UndefinedName, message, help);
            }
        }
    }

    /// Reads the sub-flow at the path in `node`, relative to this file. Its steps may use the names in `env`.
    /// Reports errors and returns `None` for a path with an expression or out of the root, a circle, too many
    /// sub-flows, a file that is no flow, and a sub-flow with errors, which are added too.
    pub(crate) fn sub_flow(&mut self, node: &Node, env: &[String]) -> Option<Arc<Flow>> {
        let text = &node.scalar()?.text;
        if text.contains("${") {
            let help = Some("sub-flows are read before anything runs; choose with `if`".to_owned());
            self.fail(
                node,
                Code::SubFlow,
                "the path of a sub-flow holds no expression",
                help,
            );
            return None;
        }
        let folder = self.source.path.parent().unwrap_or(Utf8Path::new(""));
        let Some(path) =
            normalise(&folder.join(text)).filter(|_| !Utf8Path::new(text).is_absolute())
        else {
            let help = Some("paths are relative to this file and stay below the root".to_owned());
            self.fail(
                node,
                Code::SubFlow,
                format!("`{text}` leaves the project's root"),
                help,
            );
            return None;
        };
        if let Some(at) = self.chain.iter().position(|file| *file == path) {
            let mut chain: Vec<&str> = self.chain[at..].iter().map(|file| file.as_str()).collect();
            chain.push(path.as_str());
            let message = format!("sub-flows run in a circle: {}", chain.join(" -> "));
            self.fail(node, Code::SubFlowCycle, message, None);
            return None;
        }
        let runs = self.project.count_run();
        if self.chain.len() >= MAX_CHAIN || runs > MAX_RUNS {
            let message = format!(
                "too many sub-flows: at most {MAX_CHAIN} one inside another, {MAX_RUNS} in all"
            );
            self.fail(node, Code::TooLarge, message, None);
            return None;
        }
        let absolute = self.project.options.root.join(&path);
        // Before the file is opened: a link may lead out of the project, and errors quote lines of the file.
        if let Err(message) = inside(&absolute, &self.project.options.root) {
            let help = self.near_sub_flow(node, text, &absolute);
            self.fail(node, Code::SubFlow, format!("`{text}`: {message}"), help);
            return None;
        }
        if let Some(help) = no_sub_flow(text) {
            let message = format!("`{text}` is not a flow");
            self.fail(node, Code::SubFlow, message, Some(help));
            return None;
        }
        let source = match load(&absolute, &path) {
            Ok(source) => source,
            Err(diagnostic) => {
                self.fail(
                    node,
                    Code::SubFlow,
                    format!("`{text}`: {}", diagnostic.message),
                    None,
                );
                return None;
            }
        };
        let mut names = self.env.clone();
        for name in env {
            names.add_text(name);
        }
        let mut reader = Reader::new(self.project, source, names, &self.chain);
        reader.repeats = self.repeats;
        let flow = reader.own_flow();
        let (flow, found) = finish(flow, reader.diagnostics);
        add(&mut self.diagnostics, found);
        let flow = flow?;
        for name in reader
            .stored_names
            .difference(&flow.outputs.iter().cloned().collect())
        {
            let help = format!(
                "`{path}` keeps it for itself: write `outputs: [ {} ]` in its header",
                outputs_with(&flow, name)
            );
            self.names.add_inner(name, help);
        }
        for name in flow.env.keys() {
            let help = format!(
                "`env` of `{path}` gives it there alone: write `{name}` into `env` of this flow"
            );
            self.names.add_inner(name, help);
        }
        Some(Arc::new(flow))
    }

    /// Returns advice for the path of a sub-flow that does not exist, or `None`: a command in its place,
    /// backslashes, a file with a similar name, or a path that is right from the root.
    fn near_sub_flow(&self, node: &Node, text: &str, path: &Utf8Path) -> Option<String> {
        let written = self.source.text.get(node.span.clone()).unwrap_or_default();
        if let Some(help) = self.no_path(text) {
            return Some(help);
        }
        if text.starts_with("adb ") || text.starts_with("am ") || text.starts_with("pm ") {
            let help = "write `shell: […]` for a command; `run` takes the file of a flow";
            return Some(help.to_owned());
        }
        if written.contains('\\') {
            return Some("write a path with `/` between its parts".to_owned());
        }
        if let Some(near) = near_path(text, path) {
            return Some(format!("did you mean `{near}`?"));
        }
        let root = &self.project.options.root;
        let folder = self.source.path.parent().unwrap_or(Utf8Path::new(""));
        // As from the root, or from the folder that flows usually are in.
        let places = [Utf8PathBuf::from(text), Utf8Path::new("flows").join(text)];
        let there = places.iter().find(|it| root.join(it).is_file())?;
        let from_here = match there.strip_prefix(folder) {
            Ok(inside) => inside.to_owned(),
            Err(_) => folder
                .components()
                .map(|_| "..")
                .chain([there.as_str()])
                .collect(),
        };
        Some(format!(
            "paths are relative to this file: write `{from_here}`"
        ))
    }

    /// Returns advice for a text in place of a path that is a step, a command, or a path with values behind it;
    /// `None` for other texts.
    fn no_path(&self, text: &str) -> Option<String> {
        const COMMANDS: [&str; 14] = [
            "npm",
            "npx",
            "yarn",
            "node",
            "python",
            "python3",
            "bash",
            "sh",
            "echo",
            "curl",
            "make",
            "gradle",
            "./gradlew",
            "cd",
        ];
        if let Some((path, _)) = text.split_once(' ')
            && path.ends_with(".yaml")
        {
            return Some(format!("write `run: {{ flow: {path}, env: {{ … }} }}`"));
        }
        let line = text.lines().next()?.trim();
        let (first, rest) = line.split_once(' ')?;
        let is_step = keys::step_names(self.project.vocabulary).any(|name| name == first);
        if is_step {
            return Some(format!(
                "`run` takes the file of a flow; a step stands by itself: write `- {first}: {}`",
                rest.trim_start_matches([':', ' '])
            ));
        }
        COMMANDS.contains(&first).then(|| {
            "no step runs a command of this computer: run it before `runner test`; `http` asks a server"
                .to_owned()
        })
    }

    /// Reports a name that cannot be given to a variable or a result, with a similar valid one if there is
    /// any.
    pub(crate) fn check_name(&mut self, key: &Key) {
        if let Err(wrong) = check_name(&key.text) {
            let help = plain_name(&key.text).map(|plain| format!("write `{plain}`"));
            self.fail_at(key.span.clone(), Code::Name, wrong.to_string(), help);
        }
    }

    /// Checks a value against a schema, and converts it to an argument. Expressions are possible. Problems
    /// are added to the diagnostics, and it returns an argument all the same.
    pub(crate) fn checked(&mut self, node: &Node, schema: &Value) -> Spanned<Argument> {
        let mut checker = Checker {
            source: &self.source,
            vocabulary: self.project.vocabulary,
            names: Some(&self.names),
            diagnostics: Vec::new(),
        };
        let argument = checker.value(node, schema);
        self.diagnostics.extend(checker.diagnostics);
        argument
    }

    /// Checks a value against a schema, without expressions, and returns it. Problems are added to the
    /// diagnostics, and then it returns `None`.
    pub(crate) fn literal(&mut self, node: &Node, schema: &Value) -> Option<Value> {
        let mut checker = Checker {
            source: &self.source,
            vocabulary: self.project.vocabulary,
            names: None,
            diagnostics: Vec::new(),
        };
        let argument = checker.value(node, schema);
        let good = checker.diagnostics.is_empty();
        self.diagnostics.extend(checker.diagnostics);
        literal(&argument.value).filter(|_| good)
    }

    /// Reports a key that is not among `names`.
    pub(crate) fn unknown_key<'n>(&mut self, key: &Key, names: impl IntoIterator<Item = &'n str>) {
        let help = suggestion(&key.text, names);
        let message = format!("`{}` is not known here", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
    }

    /// Reports an error at a node.
    pub(crate) fn fail(
        &mut self,
        node: &Node,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.fail_at(node.span.clone(), code, message, help);
    }

    /// Reports an error at a range.
    pub(crate) fn fail_at(
        &mut self,
        span: std::ops::Range<usize>,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let mut diagnostic = error(&Place::new(&self.source, span), code, message);
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }
}

/// Returns advice for a map in place of a value of `env`: a name for each value in it, at most 3. It quotes no
/// value, because that may be a secret. Returns `None` if a value is missing, as in `{word}`, which is a text
/// without its quotes.
fn flat_names(outer: &str, inside: &[(Key, Node)]) -> Option<String> {
    if inside.iter().any(|(_, value)| value.is_missing()) {
        return None;
    }
    let name = |(key, _): &(Key, Node)| plain_name(&format!("{outer}_{}", key.text));
    let names = inside.iter().filter_map(name).take(3);
    let names: Vec<String> = names.map(|name| format!("`{name}: …`")).collect();
    let names = (!names.is_empty()).then(|| names.join(", "))?;
    Some(format!(
        "a name has one text: write {names}; a text that begins with `{{` or has `: ` in it must be quoted"
    ))
}

/// Returns advice for a file that is no flow by its extension, such as `.js` and `.csv`; `None` for other
/// extensions and without one.
fn no_sub_flow(path: &str) -> Option<String> {
    let help = match Utf8Path::new(path).extension()? {
        "js" | "ts" => "scripts run in flows of Maestro's alone; here `set` and `http` give values",
        "csv" | "tsv" => "`each: FILE` in the header runs a flow once for each row of a CSV file",
        "json" | "py" | "sh" | "kt" => "`run` takes the YAML file of a flow",
        _ => return None,
    };
    Some(help.to_owned())
}

/// Returns the entry with this key.
pub(crate) fn find<'n>(entries: &'n [(Key, Node)], name: &str) -> Option<&'n (Key, Node)> {
    entries.iter().find(|(key, _)| key.text == name)
}

fn strings(values: &IndexMap<String, Value>, name: &str) -> Vec<String> {
    values
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
