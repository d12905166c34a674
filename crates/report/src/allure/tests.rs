//! Tests that results are as Allure's adapters write them: nested steps, fixtures, attachments, labels,
//! identities.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::*;
use crate::testing::{every_ending, one_flow};
use runner_event::{Artifact, ArtifactKind};

struct TestReport {
    _guard: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl TestReport {
    fn write(events: &[Event]) -> Self {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap().to_owned();
        let mut results = Results::default();
        for event in events {
            results.add(event);
        }
        write_allure(&results, &root.join("results")).unwrap();
        Self {
            _guard: guard,
            root,
        }
    }

    fn files(&self) -> Vec<String> {
        let files = self.root.join("results").read_dir_utf8().unwrap();
        files
            .map(|file| file.unwrap().file_name().to_owned())
            .collect()
    }

    fn read(&self, ending: &str) -> Vec<Value> {
        let names = self.files();
        let names = names.iter().filter(|name| name.ends_with(ending));
        let read = |name: &String| std::fs::read(self.root.join("results").join(name)).unwrap();
        names
            .map(|name| serde_json::from_slice(&read(name)).unwrap())
            .collect()
    }

    fn results_of(&self, flow: &str) -> Vec<Value> {
        let mut results = self.read("-result.json");
        results.retain(|result| result["fullName"] == flow);
        results.sort_by_key(|result| result["start"].as_u64());
        results
    }
}

fn labels<'a>(result: &'a Value, name: &str) -> Vec<&'a str> {
    let labels = result["labels"].as_array().unwrap().iter();
    let named = labels.filter(|label| label["name"] == name);
    named
        .map(|label| label["value"].as_str().unwrap())
        .collect()
}

#[test]
fn a_result_has_what_the_adapters_write() {
    let written = TestReport::write(&one_flow());
    let result = &written.results_of("flows/login.yaml")[0];
    assert_eq!(result["name"], "Sign in with a valid account");
    assert_eq!(result["status"], "failed");
    assert_eq!(result["stage"], "finished");
    assert_eq!(result["start"], 1_767_323_045_000_u64);
    assert_eq!(result["stop"], 1_767_323_046_240_u64);
    let details = &result["statusDetails"];
    assert_eq!(details["message"], "no element has the text \"Sign in\"");
    let trace = details["trace"].as_str().unwrap();
    assert!(trace.contains("flows/login.yaml:"), "{trace}");
    assert!(!trace.contains(['\u{1b}', '\0']), "{trace:?}");
    assert_eq!(details["expected"], "an element with text \"Sign in\"");
    for (name, value) in [
        ("parentSuite", "virtual"),
        ("suite", "flows"),
        ("thread", "virtual"),
        ("severity", "normal"),
        ("tag", "smoke"),
        ("framework", "runner"),
        ("package", "flows"),
    ] {
        assert_eq!(labels(result, name), [value], "{name}");
    }
    let (top, inner) = (&result["steps"], &result["steps"][0]["steps"]);
    assert_eq!(top.as_array().unwrap().len(), 4, "{top}");
    assert_eq!(inner[0]["name"], "click: Allow");
    let statuses: Vec<&str> = top
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["passed", "broken", "skipped", "failed"]);
    let container = &written.read("-container.json")[0];
    assert_eq!(container["children"], json!([result["uuid"]]));
    assert_eq!(container["befores"][0]["name"], "launch");
    assert_eq!(container["afters"][0]["name"], "stop");
}

#[test]
fn attempts_are_retries_and_devices_are_apart() {
    let written = TestReport::write(&every_ending());
    let [first, second] = &written.results_of("flows/flaky.yaml")[..] else {
        panic!("two attempts")
    };
    assert_eq!(first["historyId"], second["historyId"]);
    assert_ne!(first["uuid"], second["uuid"]);
    assert_eq!(
        (&first["status"], &second["status"]),
        (&json!("failed"), &json!("passed"))
    );
    assert_eq!(second["statusDetails"]["flaky"], true);
    let both = written.results_of("flows/pass.yaml");
    for name in ["historyId", "testCaseId", "uuid"] {
        assert_ne!(both[0][name], both[1][name], "{name} on two devices");
    }
    let skipped = &written.results_of("flows/skip.yaml")[0];
    assert_eq!(skipped["status"], "skipped");
    assert_eq!(skipped["statusDetails"]["message"], "needs scoped storage");
    let never = &written.results_of("flows/never.yaml")[0];
    assert_eq!(
        never["statusDetails"]["message"],
        "not run: stopped by --fail-fast"
    );
    assert_eq!(written.results_of("flows/bad.yaml")[0]["status"], "broken");
    // Later runs have other times and another id, but the test is the same.
    let mut later = every_ending();
    if let EventKind::Start {
        run_id, started, ..
    } = &mut later[0].kind
    {
        "run-2".clone_into(run_id);
        "2026-02-02T03:04:05+00:00".clone_into(started);
    }
    let identities = |written: &TestReport, name: &str| -> BTreeSet<String> {
        let results = written.read("-result.json");
        results
            .iter()
            .map(|result| result[name].to_string())
            .collect()
    };
    let later = TestReport::write(&later);
    for name in ["historyId", "testCaseId"] {
        assert_eq!(identities(&written, name), identities(&later, name));
    }
    assert!(identities(&written, "uuid").is_disjoint(&identities(&later, "uuid")));
}

#[test]
fn files_are_attached_under_names_of_their_own_and_a_snapshot_as_a_comparison() {
    let guard = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(guard.path()).unwrap();
    let artifact = |kind, path: &str, text: &str| {
        std::fs::write(root.join(path), text).unwrap();
        let hash = runner_base::files::hash(text.as_bytes());
        let path = path.into();
        Artifact { kind, path, hash }
    };
    let left = vec![
        artifact(ArtifactKind::Screenshot, "a.png", "actual"),
        artifact(ArtifactKind::Golden, "a.golden.png", "golden"),
        artifact(ArtifactKind::Difference, "a.diff.png", "difference"),
        artifact(ArtifactKind::Tsv, "a.tsv", "id\tclass"),
        artifact(ArtifactKind::Log, "log.txt", "a line"),
        artifact(ArtifactKind::Proposal, "a.new.png", "proposal"),
        artifact(ArtifactKind::File, "page.html", "<script>"),
    ];
    let mut events = one_flow();
    for event in &mut events {
        match &mut event.kind {
            EventKind::Start { artifacts, .. } => *artifacts = root.to_owned(),
            EventKind::FlowFinished { artifacts, .. } => artifacts.clone_from(&left),
            _ => {}
        }
    }
    let written = TestReport::write(&events);
    let result = &written.results_of("flows/login.yaml")[0];
    let attachments = result["attachments"].as_array().unwrap();
    let types: Vec<&str> = attachments
        .iter()
        .map(|it| it["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "application/vnd.allure.image.diff",
            "image/png",
            "image/png",
            "image/png",
            "text/tab-separated-values",
            "text/plain",
            "application/octet-stream",
        ]
    );
    let files = written.files();
    for attachment in attachments {
        let source = attachment["source"].as_str().unwrap();
        assert!(
            files.iter().any(|file| file == source),
            "{source} in {files:?}"
        );
    }
    assert_eq!(
        files
            .iter()
            .filter(|file| file.contains("-attachment."))
            .count(),
        7
    );
}

#[test]
fn the_next_run_replaces_its_own_results_and_no_others() {
    let written = TestReport::write(&every_ending());
    let folder = written.root.join("results");
    std::fs::write(folder.join("mine-result.json"), "{}").unwrap();
    let mut results = Results::default();
    for event in &one_flow() {
        results.add(event);
    }
    write_allure(&results, &folder).unwrap();
    let mut left: Vec<String> = written.files();
    left.retain(|file| file.ends_with("-result.json"));
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left.contains(&"mine-result.json".to_owned()));
}

/// The parts of a merged run may each have failed in the same way.
#[test]
fn each_failure_of_the_run_is_a_result() {
    let mut events = every_ending();
    for event in &mut events {
        if let EventKind::Finish { because, .. } = &mut event.kind {
            *because = ["3 flows of 2", "5 flows of 4"]
                .map(|why| RunFailure::new(RunFailureKind::QuarantineLimit, why))
                .into();
        }
    }
    let results = TestReport::write(&events).read("-result.json");
    let name = |result: &Value| result["fullName"].as_str().unwrap_or_default().to_owned();
    let names = results.iter().map(name);
    let of_run = names.filter(|name| name.starts_with("run: quarantine_limit"));
    assert_eq!(of_run.count(), 2);
}

/// Allure would show a package without a name.
#[test]
fn a_flow_at_the_root_is_in_no_package() {
    for (flow, expected) in [("login.yaml", &[][..]), ("flows/login.yaml", &["flows"])] {
        let flow = Some(Utf8Path::new(flow));
        let all = super::labels::common_labels(&Results::default(), flow);
        let result = json!({ "labels": all });
        assert_eq!(labels(&result, "package"), expected);
    }
}
