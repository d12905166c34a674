//! The law *Clock*: a limit counts the device's time. What comes at a time T passes a limit L if and only if T is no later
//! than L, to within one look, whichever driver looks and whether the device's time is virtual or real.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Project, needs};

/// Times from the click until the element appears, in milliseconds.
const TIMES: [u64; 5] = [4000, 8500, 12_000, 17_500, 25_000];
/// Limits of the waiting steps, in milliseconds.
const LIMITS: [u64; 2] = [6000, 14_000];
/// Times and limits for real time, which each cell takes in full.
const REAL_TIMES: [u64; 2] = [1500, 6500];
const REAL_LIMITS: [u64; 1] = [4000];
/// Milliseconds that a step, or a flow up to its wait, may take beside the limit.
const LOOK: u64 = 1500;
const BEGINNING: u64 = 3000;

/// Steps of ours that wait for `Arrived` to come, or for `Leaving` to go, for `LIMIT` milliseconds.
const STEPS: [(&str, &str); 11] = [
    ("wait_for", "  - wait_for: Arrived\n    timeout: LIMITms\n"),
    (
        "gone",
        "  - wait_for: { text: Leaving, gone: true }\n    timeout: LIMITms\n",
    ),
    (
        "visible",
        "  - assert visible: Arrived\n    timeout: LIMITms\n",
    ),
    (
        "not_visible",
        "  - assert not visible: Leaving\n    timeout: LIMITms\n",
    ),
    ("find", "  - find: Arrived\n    timeout: LIMITms\n"),
    ("click", "  - click: Arrived\n    timeout: LIMITms\n"),
    (
        "when",
        "  - set: { came: 'yes' }\n    when: { visible: Arrived, timeout: LIMITms }\n  - assert: { that: \"${came == 'yes'}\" }\n",
    ),
    (
        "group",
        "  - group:\n      - wait_for: Arrived\n        timeout: 60s\n    timeout: LIMITms\n",
    ),
    (
        "retry",
        "  - retry:\n      times: 100\n      steps:\n        - wait_for: Arrived\n          timeout: 1s\n    timeout: LIMITms\n",
    ),
    (
        "repeat",
        "  - repeat:\n      while: { not_visible: Arrived }\n      max: 1000\n      steps:\n        - mobile_agent.wait: 0.3\n    timeout: LIMITms\n",
    ),
    ("step_timeout", "  - wait_for: Arrived\n"),
];

/// Commands of Maestro's that wait in the same way.
const COMMANDS: [(&str, &str); 2] = [
    (
        "extended",
        "- extendedWaitUntil:\n    visible: Arrived\n    timeout: LIMIT\n",
    ),
    (
        "extended_gone",
        "- extendedWaitUntil:\n    notVisible: Leaving\n    timeout: LIMIT\n",
    ),
];

/// Maestro's own limits in milliseconds, for an assertion and for an optional element, each with a step.
const ASSERTED: (u64, &str) = (17_000, "- assertVisible: Arrived\n");
const OPTIONAL: (u64, &str) = (
    7000,
    "- evalScript: ${output.came = 'no'}\n- runFlow:\n    when: { visible: Arrived }\n    commands: [ evalScript: \"${output.came = 'yes'}\" ]\n- assertTrue: ${output.came == 'yes'}\n",
);

/// Blocks with a limit for several steps: the steps inside, and whether they fit.
const BLOCKS: [(&str, &str, bool); 7] = [
    (
        "group-slow",
        "steps:\n  - group: [ mobile_agent.wait: 2 ]\n    timeout: 1s\n",
        false,
    ),
    (
        "group-quick",
        "steps:\n  - group: [ mobile_agent.wait: 0.3 ]\n    timeout: 1s\n",
        true,
    ),
    (
        "group-keys",
        "steps:\n  - group:\n      - repeat: { times: 40, steps: [ press: VOLUME_UP ] }\n    timeout: 1s\n",
        false,
    ),
    (
        "flow-slow",
        "timeout: 3s\nsteps: [ mobile_agent.wait: 2, mobile_agent.wait: 2 ]\n",
        false,
    ),
    (
        "flow-quick",
        "timeout: 6s\nsteps: [ mobile_agent.wait: 2, mobile_agent.wait: 2 ]\n",
        true,
    ),
    (
        "teardown-slow",
        "teardown_timeout: 3s\nsteps: [ mobile_agent.wait: 1 ]\nteardown: [ mobile_agent.wait: 2, mobile_agent.wait: 2 ]\n",
        false,
    ),
    (
        "teardown-quick",
        "teardown_timeout: 6s\nsteps: [ mobile_agent.wait: 1 ]\nteardown: [ mobile_agent.wait: 2, mobile_agent.wait: 2 ]\n",
        true,
    ),
];

/// Flows, and the expected result of each.
struct Table {
    project: Project,
    cells: Vec<(String, bool)>,
}

impl Table {
    fn new(times: &[u64]) -> Self {
        let project = Project::empty();
        let mut actions = String::new();
        let (mut children, mut components) = (String::new(), String::new());
        for ms in times {
            let _ = write!(
                actions,
                "  in_{ms}:\n    - set: {{ path: /leaving, value: Leaving }}\n    - after:\n        ms: {ms}\n        do:\n          - set: {{ path: /late, value: Arrived }}\n          - set: {{ path: /leaving, value: \"\" }}\n"
            );
            let _ = write!(children, ", b{ms}");
            let _ = write!(
                components,
                "      - {{ id: b{ms}, component: Button, child: t{ms}, action: {{ event: {{ name: in_{ms} }} }} }}\n      - {{ id: t{ms}, component: Text, text: in {ms} }}\n"
            );
        }
        project.write(
            "apps/late/app.yaml",
            &format!(
                "package: com.example.late\nlabel: Late\nversion: \"1\"\nactivities:\n  .Main: {{ surface: main.yaml, launchable: true }}\nactions:\n{actions}"
            ),
        );
        project.write(
            "apps/late/main.yaml",
            &format!(
                "- version: v0.9\n  createSurface: {{ surfaceId: main, catalogId: \"https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json\" }}\n\
                 - version: v0.9\n  updateComponents:\n    surfaceId: main\n    components:\n\
                 \x20     - {{ id: root, component: Column, children: [late, leaving{children}] }}\n\
                 \x20     - {{ id: late, component: Text, text: {{ path: /late }} }}\n\
                 \x20     - {{ id: leaving, component: Text, text: {{ path: /leaving }} }}\n{components}\
                 - version: v0.9\n  updateDataModel:\n    surfaceId: main\n    value: {{ late: \"\", leaving: Here }}\n"
            ),
        );
        Self {
            project,
            cells: Vec::new(),
        }
    }

    /// Adds a cell, unless the time is too near to the limit to tell.
    fn cell(&mut self, name: &str, (time, limit): (u64, u64), near: u64, text: &str) {
        if time.abs_diff(limit) <= near {
            return;
        }
        self.flow(&format!("{name}-{time}-{limit}"), time <= limit, text);
    }

    fn flow(&mut self, name: &str, passes: bool, text: &str) {
        let path = format!("flows/{name}.yaml");
        self.project.write(&path, text);
        self.cells.push((path, passes));
    }

    /// Adds cells of the first `steps` steps with each time and each limit.
    fn fill(&mut self, times: &[u64], limits: &[u64], steps: usize) {
        for (time, limit) in times
            .iter()
            .flat_map(|time| limits.iter().map(|limit| (*time, *limit)))
        {
            let launch = format!(
                "steps:\n  - launch: {{ clear: true }}\n  - click: in {time}\n    timeout: 10s\n"
            );
            for (name, step) in STEPS.into_iter().take(steps) {
                let header = if name == "step_timeout" {
                    format!("step_timeout: {limit}ms\n")
                } else {
                    String::new()
                };
                let step = step.replace("LIMIT", &limit.to_string());
                let text = format!("app: com.example.late\n{header}{launch}{step}");
                self.cell(name, (time, limit), LOOK, &text);
            }
            if steps < STEPS.len() {
                continue;
            }
            let (whole, wait) = (
                limit + BEGINNING,
                "  - wait_for: Arrived\n    timeout: 60s\n",
            );
            let text = format!("app: com.example.late\ntimeout: {whole}ms\n{launch}{wait}");
            self.cell("flow", (time, limit), BEGINNING, &text);
            for (name, command) in COMMANDS {
                let command = command.replace("LIMIT", &limit.to_string());
                self.cell(name, (time, limit), LOOK, &maestro(time, &command));
            }
        }
    }

    fn fill_usual(&mut self, times: &[u64]) {
        for (name, (limit, command)) in [("asserted", ASSERTED), ("optional", OPTIONAL)] {
            for time in times {
                self.cell(name, (*time, limit), LOOK, &maestro(*time, command));
            }
        }
        for (name, text, passes) in BLOCKS {
            self.flow(name, passes, text);
        }
    }

    /// Runs all flows, and compares their results with the expected ones.
    fn holds(&self, settings: &str, driver: &str) {
        let settings = format!("devices: [virtual]\napps: [apps/late]\n{settings}");
        self.project.write("runner.yaml", &settings);
        let arguments = ["test", "-q", "--driver", driver, "--json", "events.ndjson"];
        let ran = self.project.run(&arguments);
        let events = self.project.read("events.ndjson");
        let ended: Vec<Value> = events
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .filter(|event| event["event"] == "flow_finished")
            .collect();
        let wrong: Vec<String> = self
            .cells
            .iter()
            .filter_map(|(path, passes)| {
                let of_path = |event: &&Value| event["id"]["flow"] == **path;
                let Some(event) = ended.iter().find(of_path) else {
                    return Some(format!("{path} did not run"));
                };
                // A flow that is too late fails; it is no fault of the device.
                let expected: &[&str] = if *passes {
                    &["passed"]
                } else if path.contains("teardown") {
                    &["error"]
                } else {
                    &["failed"]
                };
                let status = event["status"].as_str().unwrap_or_default();
                (!expected.contains(&status)).then(|| {
                    format!(
                        "{path}: {status}, not {expected:?}; {}",
                        event["failure"]["message"]
                    )
                })
            })
            .collect();
        assert!(
            wrong.is_empty(),
            "{} of {} cells are wrong:\n{}\n{ran:?}",
            wrong.len(),
            self.cells.len(),
            wrong.join("\n"),
        );
        eprintln!("{} cells, driver {driver}", self.cells.len());
    }
}

fn maestro(time: u64, command: &str) -> String {
    format!(
        "appId: com.example.late\n---\n- launchApp:\n    clearState: true\n- tapOn: in {time}\n{command}"
    )
}

/// Returns the setting that names the packages of the UiAutomator2 server.
fn uia2() -> Option<String> {
    needs::client_program("appium/node_modules/.bin/appium")?;
    let folder = "target/clients/appium/node_modules/appium-uiautomator2-driver/node_modules/appium-uiautomator2-server/apks";
    let apks: PathBuf = needs::root().join(folder).canonicalize().expect("APKs");
    Some(format!("uia2: {}\n", apks.display()))
}

fn virtual_table() -> Table {
    let mut table = Table::new(&TIMES);
    table.fill(&TIMES, &LIMITS, STEPS.len());
    table.fill_usual(&TIMES);
    table
}

fn real_table() -> Table {
    let mut table = Table::new(&REAL_TIMES);
    table.fill(&REAL_TIMES, &REAL_LIMITS, needs::long(2, STEPS.len()));
    table
}

#[test]
fn virtual_time_counts_with_dumps() {
    virtual_table().holds("", "stock");
}

#[test]
fn virtual_time_counts_with_the_server() {
    let Some(settings) = uia2() else { return };
    virtual_table().holds(&settings, "uia2");
}

#[test]
fn real_time_counts_with_dumps() {
    real_table().holds("quirks: [real-time]\n", "stock");
}

#[test]
fn real_time_counts_with_the_server() {
    let Some(settings) = uia2() else { return };
    real_table().holds(&format!("{settings}quirks: [real-time]\n"), "uia2");
}
