//! Warnings of `runner lint` about files that steps send to a device and that are not there yet.

use camino::Utf8Path;
use serde_json::Value;

use crate::config::Config;
use crate::diagnostic::{Code, Diagnostic};
use crate::flow::{Argument, Step, StepAction};
use crate::run::Plan;
use crate::tools::everyday::folder_advice;
use crate::tools::file_in_other_form;
use runner_text::suggest::{SourceRange, error};

/// Returns a warning for each file that `install` or `push` names and that does not exist, and for each folder that
/// `install` names and that is no app, also in sub-flows. A file may still be built before the run, so it is no
/// error. Paths are relative to the project's root. A path with an expression is not checked. Secrets are not masked
/// here.
pub(super) fn missing_files(config: &Config, plan: &Plan) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for steps in plan.flows().flat_map(|flow| flow.step_lists()) {
        collect(steps, &config.root, &mut found);
    }
    found
}

/// Adds a warning for each missing file, also in blocks and called flows. Warnings of steps in blocks come before
/// that of the block. The same place is reported once.
fn collect(steps: &[Step], root: &Utf8Path, found: &mut Vec<Diagnostic>) {
    for step in steps {
        let inner = step.action.sub_flow().map(|flow| flow.step_lists());
        let inner = inner.into_iter().flatten().chain(step.action.lists());
        inner.for_each(|steps| collect(steps, root, found));
        // A flow that several run is read once for each.
        let warning = missing_file(step, root).filter(|warning| !found.contains(warning));
        found.extend(warning);
    }
}

/// Returns a warning if the step installs or pushes a file that is not there, or installs a folder that is no app.
/// `None` for all other steps, and for paths with variables, which are known only in a run.
fn missing_file(step: &Step, root: &Utf8Path) -> Option<Diagnostic> {
    let StepAction::Call { entry, arguments } = &step.action else {
        return None;
    };
    let key = match entry.name {
        "install" => "path",
        "push" => "from",
        _ => return None,
    };
    let Argument::Map(given) = &arguments.value else {
        return None;
    };
    let path = given.get(key)?;
    let Argument::Literal(Value::String(name)) = &path.value else {
        return None;
    };
    let source = root.join(name);
    let (message, help) = if source.exists() {
        // What `push` sends may be a folder.
        let help = folder_advice(&source, name).filter(|_| entry.name == "install")?;
        let message = format!("`install` names `{name}`, a folder without an `app.yaml`");
        (message, help)
    } else {
        let message = format!(
            "`{}` names `{name}`, and there is no such file yet",
            entry.name
        );
        let help = if name.contains(['*', '?']) {
            "a path is that of one file, and no pattern: write a step for each file"
        } else {
            "build it before the run, or correct the path: it is relative to the project's root"
        };
        let in_other_form = file_in_other_form(&source);
        (message, in_other_form.unwrap_or_else(|| help.to_owned()))
    };
    Some(Diagnostic {
        help: Some(help),
        ..error(
            &SourceRange::new(&step.source, path.span.clone()),
            Code::Doubtful,
            message,
        )
    })
}
