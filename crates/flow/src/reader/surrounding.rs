//! Reads the steps of `runner.yaml` that run around flows.

use std::sync::Arc;

use camino::Utf8PathBuf;
use indexmap::IndexMap;

use super::file::{Reader, find};
use super::project::{Project, ReadOptions};
use crate::ast::{Dialect, Flow, Step};
use crate::names::Names;
use crate::yaml::{self, NodeKind};
use crate::{missing_apps, vocabulary};
use runner_text::diagnostic::{self, Code, Diagnostic, Severity, Source};

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

/// Builds a flow from the setup and teardown steps of `on_device`, in this order, without retries, app and steps of
/// its own; `None` if both are empty. `name` is its name in reports.
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

/// Reads `setup`, `teardown`, `on_failure` and `on_device` of `runner.yaml`, with their sub-flows, whose paths are
/// relative to the root. Ignores all other keys, and a file that is no map has no steps.
///
/// # Errors
/// All problems in these steps, warnings too, if one of them is an error; snapshots, and steps of `on_device` that need
/// an app and name none, are errors here. Warnings alone are dropped. Secrets are masked.
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
        && let NodeKind::Map(entries) = &node.kind
    {
        steps.setup = reader.section(entries, "setup");
        // A flow between both may give the names other values.
        reader.names.forget_constants();
        let before = reader.names.clone();
        steps.on_failure = reader.section(entries, "on_failure");
        reader.names = before;
        steps.teardown = reader.section(entries, "teardown");
        if let Some((_, node)) = find(entries, "on_device")
            && let NodeKind::Map(entries) = &node.kind
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
