//! Checks of `runner lint` for Maestro flows beyond parsing: it compiles scripts, checks conditions and looks
//! for pictures. Nothing runs.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexSet;

use super::picture::{places_of_baseline, unnamed_golden};
use runner_config::{Config, ScreenshotUse};
use runner_flow::maestro::{Condition, MaestroCommand, Platform, RawText, file_name};
use runner_flow::yaml::{self, Node};
use runner_flow::{Control, Flow, Step, StepAction};
use runner_script::{ScriptCheck, ScriptError, ScriptTexts, is_one_script};
use runner_text::diagnostic::{Code, Diagnostic, Severity, Source};

/// Linter of Maestro flows, each file once.
#[derive(Debug)]
pub struct MaestroLint<'a> {
    root: &'a Utf8Path,
    http_hosts: &'a [String],
    /// True if `takeScreenshot` compares with goldens.
    has_goldens: bool,
    visited: HashSet<Utf8PathBuf>,
    found: IndexSet<Diagnostic>,
}

/// Parts of a flow and its sub-flows that are checked.
#[derive(Default)]
struct LintInputs {
    scripts: ScriptTexts,
    /// Place of each script. None is a whole file.
    places: Vec<(Arc<Source>, Option<Range<usize>>)>,
    baselines: Vec<RawText>,
    /// Names of the pictures that `takeScreenshot` makes.
    screenshots: HashSet<String>,
}

impl<'a> MaestroLint<'a> {
    /// Creates a linter for the flows of a project, with nothing found yet.
    pub fn new(config: &'a Config) -> Self {
        Self {
            root: &config.root,
            http_hosts: &config.http_hosts.value,
            has_goldens: config.maestro_screenshots.value == ScreenshotUse::Goldens,
            visited: HashSet::new(),
            found: IndexSet::new(),
        }
    }

    /// Returns the findings for these flows and the Maestro flows that they run, each once. They are in the order in
    /// which they were found.
    pub fn check<'f>(
        config: &Config,
        flows: impl IntoIterator<Item = &'f Flow>,
    ) -> Vec<Diagnostic> {
        let mut lint = MaestroLint::new(config);
        for flow in flows {
            lint.add(flow);
        }
        lint.finish()
    }

    /// Checks a flow and the flows that it runs; the scripts of a file only once. A baseline that does not exist is a
    /// warning unless a `takeScreenshot` of these flows makes it, or its path has a script. Returns the number of new
    /// errors, without warnings.
    pub fn add(&mut self, flow: &Flow) -> usize {
        let mut gathered = LintInputs::default();
        let before = self.found.len();
        self.flow(flow, &mut gathered);
        let checks = gathered.scripts.checked(self.http_hosts);
        for ((source, span), check) in gathered.places.iter().zip(checks) {
            self.scripts(source, span.as_ref(), check);
        }
        for path in &gathered.baselines {
            let is_taken = gathered.screenshots.contains(&file_name(&path.text));
            let places = places_of_baseline(self.root, path, &path.text);
            if !is_taken && !places.iter().any(|place| place.exists()) {
                let message = format!(
                    "there is no picture `{}` to compare the screen with",
                    path.text
                );
                self.doubtful(path, message, None);
            }
        }
        let new = self.found.iter().skip(before);
        new.filter(|it| it.severity == Severity::Error).count()
    }

    /// Returns all findings, each once, in the order in which they were found.
    pub fn finish(self) -> Vec<Diagnostic> {
        self.found.into_iter().collect()
    }

    /// Gathers the scripts, baselines and screenshots of a flow and of those that it runs. Texts of a Maestro file
    /// are read once, even if several flows run it.
    fn flow(&mut self, flow: &Flow, gathered: &mut LintInputs) {
        // Only flows that may have scripts are parsed again. An escape may hide the `$`.
        let may_have_scripts = flow.source.text.contains("${") || flow.source.text.contains('\\');
        if flow.maestro().is_some()
            && self.visited.insert(flow.source.path.clone())
            && may_have_scripts
        {
            let documents = yaml::read_documents(&flow.source, &mut Vec::new());
            for document in documents.iter().flatten() {
                texts(&document.node, &flow.source, gathered);
            }
        }
        for steps in flow.step_lists() {
            self.steps(steps, gathered);
        }
    }

    /// Gathers from these steps and from all that they hold or run.
    fn steps(&mut self, steps: &[Step], gathered: &mut LintInputs) {
        for step in steps {
            match &step.action {
                StepAction::Maestro(command) => self.command(command, gathered),
                StepAction::Control(control) => {
                    if let Control::Run { flow, .. } = control.as_ref() {
                        self.flow(flow, gathered);
                    }
                    for steps in control.lists() {
                        self.steps(steps, gathered);
                    }
                }
                _ => {}
            }
        }
    }

    /// Gathers from a command and its nested commands, and reports constant conditions and screenshots that can be no
    /// golden. A command for another platform is left out with all that it holds. A script file is read once.
    fn command(&mut self, command: &MaestroCommand, gathered: &mut LintInputs) {
        let condition = match command {
            MaestroCommand::RunFlow { when, .. } | MaestroCommand::RunScript { when, .. } => {
                when.as_ref()
            }
            MaestroCommand::Repeat { condition, .. } => condition.as_ref(),
            _ => None,
        };
        // A condition for another platform never holds.
        if condition.is_some_and(is_elsewhere) {
            return;
        }
        if let Some(text) = condition.and_then(|condition| condition.script.as_ref()) {
            self.condition(text);
        }
        if let Some(raw) = command.unnamed_golden().filter(|_| self.has_goldens) {
            let (source, span) = (&raw.source, raw.span.clone());
            self.report(Code::SnapshotName, source, span, unnamed_golden(raw), None);
        }
        match command {
            MaestroCommand::AssertTrue(text) => self.condition(text),
            MaestroCommand::RunScript { script, .. }
                if self.visited.insert(script.path.clone()) =>
            {
                gathered.scripts.file(script.path.as_str(), &script.text);
                gathered.places.push((Arc::clone(script), None));
            }
            MaestroCommand::AssertScreenshot { path, .. } if !path.has_script() => {
                gathered.baselines.push(path.clone());
            }
            MaestroCommand::TakeScreenshot { path, .. } => {
                gathered.screenshots.insert(file_name(&path.text));
            }
            _ => {}
        }
        self.steps(command.steps(), gathered);
        if let Some(flow) = command.flow() {
            self.flow(flow, gathered);
        }
    }

    /// Reports a condition that is always true: a text other than `true`, `false` (in any case) and a single
    /// `${…}` holds whatever it says. It is a warning, with a suggestion if the text has no script.
    fn condition(&mut self, text: &RawText) {
        let plain = text.text.as_str();
        let is_constant = ["true", "false"]
            .iter()
            .any(|it| plain.eq_ignore_ascii_case(it));
        if is_constant || is_one_script(plain) {
            return;
        }
        let help = (!text.has_script()).then(|| {
            let suggestion = plain.trim().trim_start_matches(['$', '(']);
            format!("write `${{{}}}`", suggestion.trim_end_matches(')'))
        });
        let message = format!(
            "`{plain}` is not a single `${{…}}`, but a text: it holds whatever it says or its parts come to"
        );
        self.doubtful(text, message, help);
    }

    /// Reports a finding of doubt at the text.
    fn doubtful(&mut self, text: &RawText, message: String, help: Option<String>) {
        self.report(
            Code::Doubtful,
            &text.source,
            text.span.clone(),
            message,
            help,
        );
    }

    /// Reports the errors and failing calls in the scripts of a text or a file. All are at `span` if it is given,
    /// else each at its own place in the file.
    fn scripts(&mut self, source: &Arc<Source>, span: Option<&Range<usize>>, check: ScriptCheck) {
        for error in check.errors {
            let at = span.cloned().unwrap_or_else(|| place(source, &error));
            self.report(Code::Script, source, at, error.message, None);
        }
        for (at, why) in check.failing_calls {
            let at = span.cloned().unwrap_or(at);
            self.report(Code::Doubtful, source, at, why, None);
        }
    }

    /// Adds a finding unless an equal one is there: several flows may run the same file.
    fn report(
        &mut self,
        code: Code,
        source: &Arc<Source>,
        span: Range<usize>,
        message: String,
        help: Option<String>,
    ) {
        let diagnostic = Diagnostic {
            code,
            severity: code.severity(),
            message,
            source: Arc::clone(source),
            span,
            labels: Vec::new(),
            help,
        };
        // A set, as several flows may run the same file.
        self.found.insert(diagnostic);
    }
}

/// Collects all texts of a file that may hold scripts, that is, contain `${`. Each goes to the scripts and to
/// the places, in the same order.
fn texts(node: &Node, source: &Arc<Source>, gathered: &mut LintInputs) {
    for node in node.nodes() {
        if let Some(scalar) = node.scalar().filter(|scalar| scalar.text.contains("${")) {
            gathered.scripts.text(&scalar.text);
            let place = Some(node.span.clone());
            gathered.places.push((Arc::clone(source), place));
        }
    }
}

fn is_elsewhere(condition: &Condition) -> bool {
    let platform = condition.platform;
    platform.is_some_and(|platform| platform != Platform::Android)
}

/// Returns the byte position of a script's syntax error in its file, as an empty range. Columns count
/// characters, from 1, and end at the line's end. The beginning of the file if the error has no place.
fn place(source: &Source, error: &ScriptError) -> Range<usize> {
    let Some(place) = &error.place else {
        return 0..0;
    };
    let mut lines = source.text.split_inclusive('\n');
    let above = lines.by_ref().take(place.line.saturating_sub(1) as usize);
    let start = above.map(str::len).sum::<usize>();
    let line = lines.next().unwrap_or_default().trim_end();
    let column = place.column.saturating_sub(1) as usize;
    let within: usize = line.chars().map(char::len_utf8).take(column).sum();
    let at = start + within;
    at..at
}
