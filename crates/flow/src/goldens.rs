//! Lists the goldens that a flow names, without running it. Those of a sub-flow belong to the started flow,
//! in a folder named after the label of the `run` step.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use camino::Utf8PathBuf;

use super::ast::{Control, Flow, Step, StepAction};
use super::report::{SourceRange, error};
use super::steps::is_number_of;
use runner_text::diagnostic::{Code, Diagnostic, Label, Source, line_column};

/// Place in a source.
type SourcePosition = (Arc<Source>, Range<usize>);

/// Golden that a flow names.
#[derive(Debug, Clone)]
pub struct GoldenUse {
    /// Folders of the callers and the name: `first-login/home`.
    pub path: Utf8PathBuf,
    /// True inside of `repeat`: each round has its own golden, `home.1`, `home.2`, and in nested ones
    /// `home.1.2`. False for Maestro's screenshots.
    pub each: bool,
    /// `run` steps that lead to the snapshot, outermost first, then the snapshot itself.
    chain: Vec<SourcePosition>,
}

impl GoldenUse {
    /// Returns the place of the step of the started flow that leads to the snapshot, or is it. Never `None`.
    pub fn step(&self) -> Option<(&Arc<Source>, Range<usize>)> {
        self.chain
            .first()
            .map(|(source, span)| (source, span.clone()))
    }

    /// Returns the place of the snapshot, perhaps in a sub-flow. Never `None`.
    pub fn snapshot(&self) -> Option<(&Arc<Source>, Range<usize>)> {
        self.chain
            .last()
            .map(|(source, span)| (source, span.clone()))
    }
}

/// Returns the goldens of a flow and its sub-flows, in the order of the steps: snapshots, and Maestro's screenshots,
/// whether or not the project compares them. All branches count, but not setup and teardown of a native sub-flow. A
/// sub-flow that several steps run is listed for each; a snapshot inside of `repeat` once, with `each`. Does not look
/// at files.
pub fn goldens(flow: &Flow) -> Vec<GoldenUse> {
    let mut walk = Walk::default();
    for steps in flow.step_lists() {
        walk.steps(steps);
    }
    walk.found
}

/// Returns the folder for a sub-flow's goldens: the label of the step that runs it, or else the name of the
/// sub-flow's file without extension, as [`file_part`] writes them. Steps without labels that run one file share it.
pub fn folder_of_run(step: &Step, flow: &Flow) -> String {
    let label = step.modifiers.label.as_deref();
    file_part(label.unwrap_or_else(|| flow.key.file_name().unwrap_or("run")))
}

/// Converts a label to a folder name: its first 64 characters. All but ASCII letters, digits, `.`, `_` and `-` become
/// `-`; an empty name and one of dots alone become `run`. Different labels may get the same name.
fn file_part(label: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = label.chars().map(plain).take(64).collect();
    // `..` would be the folder above.
    if name.chars().all(|c| c == '.') {
        "run".to_owned()
    } else {
        name
    }
}

#[derive(Default)]
struct Walk {
    folders: Vec<String>,
    chain: Vec<SourcePosition>,
    found: Vec<GoldenUse>,
}

impl Walk {
    /// Adds the goldens of steps in their order, as [`Self::step`] does.
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    /// Adds the goldens of a step to `found`: its own if it is a snapshot or a screenshot of Maestro's, and those of all
    /// its lists of steps and of its sub-flow, at any depth. A sub-flow's are put in its folder. A native sub-flow's setup
    /// and teardown are left out, Maestro's hooks are not. Equal paths are added again.
    fn step(&mut self, step: &Step) {
        match &step.action {
            StepAction::Snapshot(snapshot) => self.golden(step, &snapshot.name, snapshot.each),
            // The project's settings, unknown here, decide whether screenshots are compared. So goldens for them
            // count as named.
            StepAction::Maestro(command) => {
                if let Some(name) = command.golden() {
                    self.golden(step, &name, false);
                }
                self.steps(command.steps());
                if let Some(flow) = command.flow() {
                    self.folders.push(folder_of_run(step, flow));
                    self.chain
                        .push((Arc::clone(&step.source), step.span.clone()));
                    for steps in flow.step_lists() {
                        self.steps(steps);
                    }
                    self.chain.pop();
                    self.folders.pop();
                }
            }
            StepAction::Control(control) => {
                if let Control::Run { flow, .. } = control.as_ref() {
                    self.folders.push(folder_of_run(step, flow));
                    self.chain
                        .push((Arc::clone(&step.source), step.span.clone()));
                    self.steps(&flow.steps);
                    self.chain.pop();
                    self.folders.pop();
                }
                for steps in control.lists() {
                    self.steps(steps);
                }
            }
            StepAction::Call { .. } | StepAction::Assert(_) => {}
        }
    }

    /// Adds a golden named `name`, in the folders of the runs around it. Does not check whether it is there already.
    fn golden(&mut self, step: &Step, name: &str, each: bool) {
        let mut path: Utf8PathBuf = self.folders.iter().collect();
        path.push(name);
        let mut chain = self.chain.clone();
        chain.push((Arc::clone(&step.source), step.span.clone()));
        self.found.push(GoldenUse { path, each, chain });
    }
}

/// Reports as errors goldens that two places of one flow would share, such as in a sub-flow that runs twice under one
/// label; `each: true` takes its numbers too. The error stands at the later of the two steps where the ways to the
/// goldens part. The case of paths does not count. A step is reported once, and names in one file not at all, because
/// the reader did.
pub(crate) fn repeated(flow: &Flow) -> Vec<Diagnostic> {
    let mut first: HashMap<String, GoldenUse> = HashMap::new();
    // Goldens with a number, by each name that would have them with `each: true`.
    let mut numbered: HashMap<String, GoldenUse> = HashMap::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for golden in goldens(flow) {
        // Some file systems ignore case.
        let key = golden.path.as_str().to_lowercase();
        let of_each = || bases(&key).find_map(|base| first.get(base).filter(|base| base.each));
        let of_number = || numbered.get(&key).filter(|_| golden.each);
        let Some(earlier) = first.get(&key).or_else(of_each).or_else(of_number) else {
            for base in bases(&key) {
                let known = numbered.entry(base.to_owned());
                known.or_insert_with(|| golden.clone());
            }
            first.insert(key, golden);
            continue;
        };
        // The first step in which the chains differ, usually the second `run`.
        let parted = golden
            .chain
            .iter()
            .zip(&earlier.chain)
            .find(|(now, before)| now != before);
        let Some((now, before)) = parted else {
            continue;
        };
        // The reader has already reported names in one file.
        if golden.chain.last() == Some(now)
            && earlier.chain.last() == Some(before)
            && now.0 == before.0
        {
            continue;
        }
        let diagnostic = shared((&golden, now), (earlier, before));
        // Reports a pair of steps once, not for each golden that they share.
        let reported = diagnostics
            .iter()
            .any(|report| report.span == diagnostic.span && report.source == diagnostic.source);
        if !reported {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

/// Returns the names of the snapshots that would have a golden of this path with `each: true`: `home.2` and `home` for
/// `home.2.1`, none for a path without a number.
fn bases(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(without_number(path), |&path| without_number(path))
}

/// Removes one number from the end of a path: `home.2` of `home.2.1`. Returns `None` for a path without one.
fn without_number(path: &str) -> Option<&str> {
    let (base, _) = path.rsplit_once('.')?;
    is_number_of(path, base).then_some(base)
}

/// Returns the error about a snapshot whose golden an earlier step, that of `taken`, takes too. Both steps are marked if
/// they are in one file.
fn shared(
    (golden, (source, span)): (&GoldenUse, &SourcePosition),
    (taken, (other, earlier)): (&GoldenUse, &SourcePosition),
) -> Diagnostic {
    let (line, _) = line_column(&other.text, earlier.start);
    let lower = |golden: &GoldenUse| golden.path.as_str().to_lowercase();
    let message = if lower(golden) == lower(taken) {
        format!(
            "the snapshot `{}` is already taken by the step at {}:{line}",
            golden.path, other.path
        )
    } else {
        format!(
            "the snapshot `{}` shares a golden with `{}` of the step at {}:{line}: `each: true` takes `.1`, `.2`, …",
            golden.path, taken.path, other.path
        )
    };
    let place = SourceRange::new(source, span.clone());
    let mut diagnostic = error(&place, Code::SnapshotName, message);
    if source == other {
        diagnostic.labels.push(Label {
            span: earlier.clone(),
            text: "first here".to_owned(),
        });
    }
    diagnostic.help =
        Some("give each of the two steps its own `label`; goldens are filed under it".to_owned());
    diagnostic
}

#[cfg(test)]
mod tests {
    use crate::tests::Project;
    use runner_text::diagnostic::Code;

    #[test]
    fn a_numbered_golden_is_shared_in_any_order_and_over_files() {
        let each = |name: &str| {
            format!(
                "steps:\n  - repeat: {{ times: 2, steps: [ {{ snapshot: {{ name: {name}, each: true }} }} ] }}\n"
            )
        };
        let once = |name: &str| format!("steps:\n  - snapshot: {name}\n");
        for (one, other, is_shared) in [
            (each("home"), once("home.1"), true),
            (each("Home"), once("home.2.1"), true),
            (each("home"), each("home"), true),
            (once("home"), once("HOME"), true),
            (each("home"), once("home.01"), false),
            (each("home"), once("home.x"), false),
            (each("home"), once("home2"), false),
            (once("home"), once("home.1"), false),
        ] {
            for (first, second) in [(&one, &other), (&other, &one)] {
                let project = Project::new();
                project.file("_a.yaml", first).file("_b.yaml", second);
                let run = |file: &str| format!("  - run: {file}\n    label: x\n");
                let flow = format!("steps:\n{}{}", run("_a.yaml"), run("_b.yaml"));
                let (_, found) = project.file("flow.yaml", flow).read("flow.yaml");
                let codes: Vec<Code> = found.iter().map(|it| it.code).collect();
                let wanted = if is_shared {
                    vec![Code::SnapshotName]
                } else {
                    Vec::new()
                };
                assert_eq!(codes, wanted, "{first}{second}{found:?}");
            }
        }
    }
}
