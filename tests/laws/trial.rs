//! A run of the program on faulty flows: its project, its devices, and its reports.

use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;
use runner::virtual_automation::SERVERS;
use runner::virtual_device::{VirtualDevice, VirtualDeviceOptions};
use serde_json::{Value, json};

use super::cells::apks;
use super::ends::{End, Flow, end, good};
use super::reports::Reports;
use super::runs::{After, Devices, Options, Settings};
use super::wrong::Wrong;
use crate::common::{Project, Ran, copy_tree};

/// Path of the good flow beside the others.
const GOOD: &str = "flows/good.yaml";

/// A run of the program.
pub struct Run {
    pub options: &'static Options,
    pub settings: &'static Settings,
    pub devices: Devices,
    pub after: After,
    pub flows: Vec<Flow>,
    pub seed: u64,
}

impl Run {
    pub fn told(&self) -> String {
        let flows: Vec<String> = (self.flows.iter())
            .map(|flow| format!("{:?} {:?} {}", flow.wrong, flow.stand, flow.header.keys))
            .collect();
        let Options {
            arguments,
            variables,
            shards,
            ..
        } = self.options;
        let lines = self.settings.lines.trim();
        format!(
            "seed {}: {arguments:?} {variables:?} {shards} parts, {lines:?}, {:?}, {:?}: {}",
            self.seed,
            self.devices,
            self.after,
            flows.join("; ")
        )
    }

    fn spreads(&self) -> bool {
        self.settings.spreads || self.devices == Devices::SpreadOverTwo
    }

    /// Returns the ends of the flows by their paths, and the number of results of each.
    pub fn ends(&self) -> Vec<(String, End, usize)> {
        let devices = if self.spreads() {
            1
        } else {
            self.devices.count()
        };
        let turns = devices * self.options.turns;
        let flows = self.flows.iter().enumerate().map(|(place, flow)| {
            let end = end(*flow, self.options, self.settings);
            let results = match end.statuses[..] {
                ["unreadable"] => self.options.shards,
                _ => turns * flow.header.cases,
            };
            (format!("flows/c{place}.yaml"), end, results)
        });
        let good = (GOOD.to_owned(), good(self.settings), turns);
        flows.chain([good]).collect()
    }

    /// Returns true if a flow needs what no device has, so that nothing runs.
    pub fn is_refused(&self) -> bool {
        let mut unfit = self.flows.iter();
        let unfit = unfit.any(|flow| flow.header.unfit && !flow.wrong.is_unreadable());
        unfit && !self.options.passes_over_unfit && self.options.chooses_none.is_none()
    }

    /// Returns the exit codes that each cause beside the flows may give.
    pub fn reasons(&self) -> Vec<Vec<i32>> {
        let mut reasons = Vec::new();
        let limits = self.options.limits_quarantine || self.settings.limits_quarantine;
        let mut flows = self.flows.iter();
        if limits && flows.any(|flow| flow.header.quarantined) {
            let is_named = self.options.arguments == ["flows"];
            let counts = flows_count(self) && !is_named;
            reasons.push(if counts { vec![1] } else { vec![0, 1] });
        }
        if self.settings.device_teardown_fails {
            reasons.push(vec![1]);
        }
        if self.devices == Devices::OneMissing {
            // Whether a device that was never there fails a run whose flows others ran is not said.
            reasons.push(if self.spreads() { vec![0, 3] } else { vec![3] });
        }
        reasons
    }
}

/// Returns true if a quarantined flow reads, so that it surely counts.
fn flows_count(run: &Run) -> bool {
    let mut flows = run.flows.iter();
    flows.any(|flow| flow.header.quarantined && !flow.wrong.is_unreadable())
}

/// Returns the goldens of flows `c0` to `c3`, from which the screens of the law differ.
pub fn goldens() -> &'static Path {
    static GOLDENS: std::sync::OnceLock<(Project, PathBuf)> = std::sync::OnceLock::new();
    let (_, folder) = GOLDENS.get_or_init(|| {
        let project = Project::with_demo_app();
        for place in 0..4 {
            let steps = "steps: [ { launch: { clear: true } }, { snapshot: home } ]\n";
            project.flow(&format!("c{place}"), steps);
        }
        project.run(&["test", "--update=new"]).expect(0);
        let folder = project.path("snapshots");
        (project, folder)
    });
    folder
}

/// Writes the files of a flow.
fn write(project: &Project, place: usize, flow: Flow) {
    let name = format!("flows/c{place}.yaml");
    match flow.wrong {
        Wrong::NoYaml => {
            project.write(&name, "steps: [ launch\nname: {\n");
            return;
        }
        Wrong::Maestro => {
            let text = "appId: com.example.notes\ntags: [red]\n---\n- assertTrue: ${1 > 2}\n";
            project.write(&name, text);
            return;
        }
        _ => {}
    }
    let mut header =
        json!({ "app": "com.example.notes", "tags": ["red"], "step_timeout": "500ms" });
    let keys: Value = serde_json::from_str(flow.header.keys).expect("keys");
    for (key, value) in keys.as_object().into_iter().flatten() {
        header[key] = value.clone();
    }
    if flow.wrong == Wrong::OutOfTime {
        header["timeout"] = json!("5s");
    }
    if let Some(sub) = flow.stand.put(flow.wrong, &mut header) {
        project.write("flows/_sub.yaml", &sub.to_string());
    }
    project.write(&name, &header.to_string());
}

/// Makes the project of a run.
fn project(run: &Run) -> Project {
    let project = Project::with_demo_app();
    copy_tree(goldens(), &project.path("snapshots"));
    project.replace(
        "apps/demo/sign-in.yaml",
        "Sign in to read what you wrote.",
        "Sign in to read your notes.",
    );
    project.replace(
        "apps/demo/app.yaml",
        "- toast: Ask the administrator for a new password",
        "- crash: \"java.lang.IllegalStateException: no administrator\"",
    );
    let mut settings = project.read("runner.yaml") + "allow_shell: true\n" + run.settings.lines;
    if run.flows.iter().any(|flow| flow.wrong == Wrong::NoLog) {
        settings += "quirks: [no-log]\n";
    }
    if let (true, Some(apks)) = (run.devices.needs_apks(), apks()) {
        settings += &format!("uia2: {}\n", apks.display());
    }
    project.write("runner.yaml", &settings);
    let good = json!({ "tags": ["red"], "steps": [{ "assert": { "that": "${1 < 2}" } }] });
    project.write(GOOD, &good.to_string());
    for (place, flow) in run.flows.iter().enumerate() {
        write(&project, place, *flow);
    }
    project
}

/// Runs the program in a project, on the run's devices.
pub struct Bench {
    pub project: Project,
    device: Option<VirtualDevice>,
}

impl Bench {
    pub async fn start(run: &Run) -> Self {
        let project = project(run);
        let mut device = None;
        if run.devices.is_remote() {
            let app = Utf8PathBuf::try_from(project.path("apps/demo")).expect("UTF-8");
            let options = VirtualDeviceOptions {
                apps: vec![app],
                servers: Some(SERVERS),
                ..VirtualDeviceOptions::default()
            };
            device = Some(VirtualDevice::start(options).await.expect("a device"));
        }
        Self { project, device }
    }

    pub async fn test(&self, run: &Run, more: &[&str]) -> Ran {
        let mut command = self.project.command(&["test"]);
        command.args(run.devices.arguments()).args(more);
        if let Some(device) = &self.device {
            command.args(["--device", &device.address().to_string()]);
        }
        command.args(run.options.arguments);
        command.envs(run.options.variables.iter().copied());
        Self::output(command).await
    }

    pub async fn output(command: std::process::Command) -> Ran {
        let running = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .output();
        Ran::from(running.await.expect("the program starts"))
    }

    /// Runs all parts, each with reports in its own folder.
    pub async fn parts(&self, run: &Run) -> Vec<Reports> {
        let mut parts = Vec::new();
        for part in 1..=run.options.shards {
            let folder = format!("out/{part}");
            let [events, junit, html] =
                ["events.ndjson", "junit.xml", "html"].map(|name| format!("{folder}/{name}"));
            let shard = format!("{part}/{}", run.options.shards);
            let mut arguments = vec!["--json", &events, "--junit", &junit, "--html", &html];
            if run.options.shards > 1 {
                arguments.extend(["--shard", &shard]);
            }
            let ran = self.test(run, &arguments).await;
            let history = self.project.path(".runner/history");
            parts.push(Reports::read(&ran, &self.project.path(&folder), &history));
        }
        parts
    }
}
