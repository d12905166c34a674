//! Converts Maestro flows to the own language if all of a flow can be expressed in it. Copies every other
//! file unchanged: it runs as a Maestro flow, and nothing of it is lost.

mod comments;
mod copy;
mod sources;
mod steps;
mod texts;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

pub use self::copy::CopiedFile;
pub use self::sources::ImportPlan;

use self::copy::{NamedFiles, named_files};
use self::sources::{Import, SourceFile};
use self::steps::{ImportContext, ParsedFlow, Reason};
use super::super::files::load;
use super::super::reader::{ReadOptions, read_flow, read_text};
use super::workspace::{Workspace, all_files, pattern_of};
use super::{MaestroCommand, WorkspaceError};
use crate::{Flow, Step, StepAction};
use runner_text::diagnostic::{Code, Diagnostic, Severity};

#[derive(Debug, Clone)]
pub struct ImportedFlow {
    /// Path of the source below the root.
    pub from: Utf8PathBuf,
    /// Path below the new folder of flows.
    pub path: Utf8PathBuf,
    /// Text, without the comment that holds its hash.
    pub text: String,
}

#[derive(Debug, Clone)]
pub struct UnconvertedFlow {
    /// Path below the root.
    pub from: Utf8PathBuf,
    /// Line of the first thing that cannot be expressed, from 1; 1 if the reason is about the whole flow.
    pub line: usize,
    pub why: String,
}

#[derive(Debug, Clone, Default)]
pub struct MaestroImport {
    /// Converted flows, sorted.
    pub flows: Vec<ImportedFlow>,
    /// Flows that cannot be converted, sorted.
    pub unconverted: Vec<UnconvertedFlow>,
    /// Unconverted flows, the files that they name, and the workspace's own configuration, sorted.
    pub copied: Vec<CopiedFile>,
    /// Text of a `config.yaml` that says which files are tests, if the default rules would not.
    pub config: Option<String>,
    /// Messages about files that copied flows would not find, and about files that would get the same path.
    pub lost: Vec<String>,
}

/// Converts all flows below a folder, and returns the texts without writing them. Flows that cannot be converted or
/// read, flows that run one of them, and tests that one of them runs are in `unconverted` with reasons; these and the
/// files that they name are in `copied`. A sub-flow may stay in both languages if flows of both run it. Files of an
/// earlier import below the target are left out. Two results of one path are only reported, in `lost`.
///
/// # Errors
/// [`WorkspaceError`] if the folder cannot be walked through. Nothing else: a workspace that cannot be opened counts
/// as none.
pub fn import(
    plan: &ImportPlan<'_>,
    options: &ReadOptions,
) -> Result<MaestroImport, WorkspaceError> {
    let mut files = all_files(&[plan.from.to_owned()])?;
    // Results of an earlier import are not sources.
    files.retain(|file| plan.from.starts_with(plan.to) || !file.starts_with(plan.to));
    let workspace = Workspace::open(plan.from, None).ok().flatten();
    let mut import = Import {
        plan,
        options,
        workspace,
        files: BTreeMap::new(),
    };
    for file in files {
        import.read(&file);
    }
    Ok(import.result())
}

/// Converts one flow that runs no other flow, and returns the text. Also checks that the text can be read. Its path
/// stays the same, and screenshots count as pictures, not as goldens.
///
/// # Errors
/// Line, from 1, and reason of the first thing that cannot be expressed, such as the run of a file. A flow of our own
/// language is an error too.
pub fn import_one(flow: &Flow) -> Result<String, (usize, String)> {
    let header = flow.maestro().ok_or((1, "it is ours".to_owned()))?;
    let context = ImportContext {
        parsed: &BTreeMap::new(),
        is_run: false,
        keeps_goldens: false,
    };
    let converted = steps::convert_flow(flow, header, flow.source.path.clone(), &context);
    let converted = converted.map_err(|reason| (reason.line, reason.why))?;
    match unreadable(&converted.text, &ReadOptions::default()) {
        Some(why) => Err((1, why)),
        None => Ok(converted.text),
    }
}

/// Flows, each with the flows that run it.
type Runners = BTreeMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>;

/// Flows by whether they can be converted.
#[derive(Default)]
struct Conversion {
    parsed: BTreeMap<Utf8PathBuf, ParsedFlow>,
    unconverted: BTreeMap<Utf8PathBuf, Reason>,
}

/// Returns the first error of a converted flow as a part of a sentence; `None` if it is valid. Ignores warnings, and
/// errors about its sub-flows, which are not written yet.
fn unreadable(text: &str, options: &ReadOptions) -> Option<String> {
    let (_, found) = read_text(Utf8Path::new("imported.yaml"), text.to_owned(), options);
    let is_fault = |it: &&Diagnostic| it.severity == Severity::Error && it.code != Code::SubFlow;
    let fault = found.iter().find(is_fault)?;
    Some(format!(
        "in our language it does not read: {}",
        fault.message
    ))
}

impl Import<'_> {
    /// Reads a flow, lists the files that it names, and adds both to `files`. A flow that cannot be read is kept with
    /// the first error as the reason; warnings are dropped.
    fn read(&mut self, file: &Utf8Path) {
        let path = file.strip_prefix(&self.options.root).unwrap_or(file);
        let named = load(file, path)
            .map(|source| named_files(&source, path, &self.options.root))
            .unwrap_or_default();
        let (flow, diagnostics) = read_flow(file, self.options);
        let wrong = diagnostics.iter().find(|it| it.severity == Severity::Error);
        let flow = flow.map(Box::new).ok_or_else(|| Reason {
            line: wrong.map_or(1, |it| it.line_column().0),
            why: wrong.map_or_else(String::new, |it| {
                if it.source.path == path {
                    it.message.clone()
                } else {
                    format!("{}: {}", it.source.path, it.message)
                }
            }),
        });
        self.files
            .insert(path.to_owned(), SourceFile { flow, named });
    }

    /// Converts as many of the flows that were read as possible, and puts the result together. A test that an
    /// unconverted flow names stays Maestro's too, which may keep others from being converted.
    fn result(&self) -> MaestroImport {
        let run_by = self.run_by();
        let mut forced: BTreeMap<Utf8PathBuf, Reason> = BTreeMap::new();
        // Ends, because each round forces at least one more file.
        let (conversion, closed) = loop {
            let conversion = self.convert_all(&forced, &run_by);
            let closed = self.closure(conversion.unconverted.keys());
            let before = forced.len();
            for (file, runner) in &closed.runners {
                // A test must not exist in both languages.
                if conversion.parsed.contains_key(file) && self.is_test(file, &run_by) {
                    let why = format!("{runner} runs it, which stays a flow of Maestro's");
                    forced.insert(file.clone(), Reason { line: 1, why });
                }
            }
            if forced.len() == before {
                break (conversion, closed);
            }
        };
        self.assemble(conversion, closed, &run_by)
    }

    /// Puts all together, sorted by path. Drops converted sub-flows that no converted flow runs, if their Maestro
    /// file is copied. The workspace's own configuration is always copied. Files that cannot be copied and paths that
    /// collide are only told in `lost`.
    fn assemble(
        &self,
        mut conversion: Conversion,
        closed: NamedFiles,
        run_by: &Runners,
    ) -> MaestroImport {
        // A sub-flow is written in both languages if flows of both run it.
        let is_wanted = |file: &Utf8PathBuf, parsed_flow: &BTreeMap<Utf8PathBuf, ParsedFlow>| {
            let runners = run_by.get(file);
            !closed.files.contains(file)
                || runners.is_some_and(|by| by.iter().any(|one| parsed_flow.contains_key(one)))
        };
        while let Some(file) = {
            let converted = &conversion.parsed;
            converted
                .keys()
                .find(|file| !is_wanted(file, converted))
                .cloned()
        } {
            conversion.parsed.remove(&file);
        }
        let mut imported = MaestroImport {
            unconverted: conversion
                .unconverted
                .into_iter()
                .map(|(from, Reason { line, why })| UnconvertedFlow { from, line, why })
                .collect(),
            ..MaestroImport::default()
        };
        for file in &closed.files {
            match self.copy_of(file, &closed) {
                Ok(copy) => imported.copied.extend(copy),
                Err(error) => imported.lost.push(error.to_string()),
            }
        }
        for (from, converted) in conversion.parsed {
            imported.flows.push(ImportedFlow {
                from,
                path: converted.path,
                text: converted.text,
            });
        }
        imported.flows.sort_by(|a, b| a.path.cmp(&b.path));
        imported.config = self.config(&imported, run_by);
        if let Some(config) = self.workspace.as_ref().and_then(|it| it.config.as_ref()) {
            let path = Utf8PathBuf::from(config.path.file_name().unwrap_or("config.yaml"));
            let from = config.path.strip_prefix(&self.options.root);
            let from = from.unwrap_or(&config.path).to_owned();
            imported.copied.push(CopiedFile { from, path });
        }
        imported.copied.sort();
        imported.copied.dedup();
        imported.report_collisions();
        imported
    }

    /// Returns for each flow that others name the flows that name it, in any value. Flows that none names and files
    /// that were not read are left out.
    fn run_by(&self) -> Runners {
        let mut run_by = Runners::new();
        for (path, file) in &self.files {
            for named in file.named.iter().filter(|it| self.files.contains_key(*it)) {
                let runners = run_by.entry(named.clone()).or_default();
                runners.insert(path.clone());
            }
        }
        run_by
    }

    /// Returns true if a file is a test: it has tags or the workspace lists it. Without a workspace it is one if no
    /// other flow names it, also if it could not be read.
    fn is_test(&self, file: &Utf8Path, run_by: &Runners) -> bool {
        let has_tags = self
            .files
            .get(file)
            .and_then(|file| file.flow.as_ref().ok())
            .is_some_and(|flow| !flow.tags.is_empty());
        has_tags
            || match &self.workspace {
                Some(workspace) => workspace.files.contains(&self.options.root.join(file)),
                None => !run_by.contains_key(file),
            }
    }

    /// Converts all flows, except the `forced` ones, which stay Maestro flows for the given reason. Each flow
    /// is either in `parsed` or, with a reason, in `unconverted`.
    fn convert_all(&self, forced: &BTreeMap<Utf8PathBuf, Reason>, run_by: &Runners) -> Conversion {
        let mut conversion = Conversion::default();
        for path in self.files.keys() {
            self.visit(path, forced, run_by, &mut conversion);
        }
        conversion
    }

    /// Converts a flow after the flows that it runs, and adds it to `conversion`, as converted or with the reason why
    /// not. One that is `forced` or could not be read does not touch the flows that it runs. Does nothing if it is
    /// there already or is not among the files.
    fn visit(
        &self,
        path: &Utf8Path,
        forced: &BTreeMap<Utf8PathBuf, Reason>,
        run_by: &Runners,
        conversion: &mut Conversion,
    ) {
        if conversion.parsed.contains_key(path) || conversion.unconverted.contains_key(path) {
            return;
        }
        let Some(file) = self.files.get(path) else {
            return;
        };
        let parsed_flow = match (&file.flow, forced.get(path)) {
            (Err(reason), _) | (_, Some(reason)) => Err(reason.clone()),
            (Ok(flow), None) => {
                // Cannot recurse forever: a valid flow runs in no circle.
                for inner in sub_flows(flow) {
                    self.visit(&inner, forced, run_by, conversion);
                }
                let is_test = self.is_test(path, run_by);
                self.convert(flow, is_test, run_by.contains_key(path), &conversion.parsed)
            }
        };
        match parsed_flow {
            Ok(converted) => conversion
                .parsed
                .insert(path.to_owned(), converted)
                .is_some(),
            Err(reason) => conversion
                .unconverted
                .insert(path.to_owned(), reason)
                .is_some(),
        };
    }

    /// Converts one flow, whose sub-flows were converted before and are in `parsed_flow`. A file that is no test gets
    /// a name with `_`. `is_run` is true if other flows name it. Returns the reason if it has to stay Maestro's:
    /// something cannot be expressed, the result would not read, or the workspace would take the new name as a test.
    fn convert(
        &self,
        flow: &Flow,
        is_test: bool,
        is_run: bool,
        parsed_flow: &BTreeMap<Utf8PathBuf, ParsedFlow>,
    ) -> Result<ParsedFlow, Reason> {
        let reason = |why: String| Reason { line: 1, why };
        let Some(header) = flow.maestro() else {
            return Err(reason("it is not a flow of Maestro's".to_owned()));
        };
        let Some(below) = self.below(&flow.source.path) else {
            return Err(reason("it is not below the folder".to_owned()));
        };
        let mut path = below.clone();
        if !is_test {
            let name = below.file_name().unwrap_or("flow.yaml");
            path.set_file_name(format!("_{}", name.trim_start_matches(['_', '.'])));
            let is_taken = self.workspace.as_ref().is_some_and(|it| it.takes(&path));
            if is_taken {
                let why = format!("`flows` of the workspace would take {path} as a test");
                return Err(reason(why));
            }
        }
        let context = ImportContext {
            parsed: parsed_flow,
            is_run,
            keeps_goldens: self.plan.keeps_goldens,
        };
        let converted = steps::convert_flow(flow, header, path, &context)?;
        match unreadable(&converted.text, self.options) {
            Some(why) => Err(reason(why)),
            None => Ok(converted),
        }
    }

    /// Returns the text of a `config.yaml`, if one is needed. It takes all flows and excludes each that is no test,
    /// converted or copied. Returns `None` if the workspace has a `config.yaml` already, if nothing was converted, or
    /// if the default rule is right: all files are tests, except those with `_` or `.` at the start of a part of
    /// their path.
    fn config(&self, imported: &MaestroImport, run_by: &Runners) -> Option<String> {
        let has_config = self
            .workspace
            .as_ref()
            .is_some_and(|it| it.config.is_some());
        let own = |flow: &ImportedFlow| (flow.path.clone(), self.is_test(&flow.from, run_by));
        let copied = imported.copied.iter();
        let copied = copied.filter(|file| self.files.contains_key(&file.from));
        let copied = copied.map(|file| (file.path.clone(), self.is_test(&file.from, run_by)));
        let all: Vec<(Utf8PathBuf, bool)> = imported.flows.iter().map(own).chain(copied).collect();
        let is_hidden = |path: &Utf8Path| {
            let mut parts = path.components();
            parts.any(|part| part.as_str().starts_with(['_', '.']))
        };
        if has_config
            || imported.flows.is_empty()
            || all
                .iter()
                .all(|(path, is_test)| *is_test != is_hidden(path))
        {
            return None;
        }
        let mut lines = vec!["flows:".to_owned(), "  - \"**\"".to_owned()];
        for (path, is_test) in &all {
            if !is_test {
                let pattern = format!("!{}", pattern_of(path));
                lines.push(format!(
                    "  - {}",
                    runner_text::flow_text::literal(&pattern.into())
                ));
            }
        }
        lines.push(String::new());
        Some(lines.join("\n"))
    }
}

impl MaestroImport {
    /// Adds a message to `lost` for each two files, converted or copied, that would get the same path. The case of
    /// letters does not count. Both files stay.
    fn report_collisions(&mut self) {
        let own = self.flows.iter().map(|flow| (&flow.path, &flow.from));
        let copied = self.copied.iter().map(|file| (&file.path, &file.from));
        let mut acquired: BTreeMap<String, &Utf8PathBuf> = BTreeMap::new();
        let mut lost = Vec::new();
        for (path, from) in own.chain(copied) {
            if let Some(owner) = acquired.insert(path.as_str().to_lowercase(), from) {
                lost.push(format!("{owner} and {from} would both be {path}"));
            }
        }
        self.lost.extend(lost);
    }
}

/// Returns the flow files that a Maestro flow runs, also in its hooks and nested steps, in the order of
/// [`Flow::step_lists`], with duplicates. Files that those run are not followed. A flow of our own has none.
fn sub_flows(flow: &Flow) -> Vec<Utf8PathBuf> {
    /// Adds the files that these steps and those inside of them run.
    fn add(steps: &[Step], found: &mut Vec<Utf8PathBuf>) {
        for step in steps {
            if let StepAction::Maestro(command) = &step.action {
                let command: &MaestroCommand = command;
                found.extend(command.flow().map(|flow| flow.source.path.clone()));
                add(command.steps(), found);
            }
        }
    }
    let mut found = Vec::new();
    for steps in flow.step_lists() {
        add(steps, &mut found);
    }
    found
}
