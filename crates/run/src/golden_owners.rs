//! Keeps flows apart that would share a golden, such as `a.yaml` beside `a.yml`, or the row `b` of `a.yaml`
//! beside `a/b.yaml`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::project_files::project_files;
use super::project_steps::{self, wrap_flow};
use super::settings::{golden_folder, possible_golden_folders};
use runner_config::Config;
use runner_flow::{Flow, GoldenUse, SurroundingSteps};
use runner_text::diagnostic::{Code, Diagnostic};

/// Flows that do not run, each with the reasons.
type RefusedFlows = Vec<(Utf8PathBuf, Vec<Diagnostic>)>;

/// Flows that take a golden, by its path in lower case: some file systems ignore the case of letters.
type Owners = HashMap<String, Vec<Utf8PathBuf>>;

/// Separates the flows that would share a golden with another one, of the run or of the project. Returns those that may
/// run, in order, and the others, each with one error. No owner of a shared golden runs: whichever did would write, or
/// propose, what is perhaps the other's. `project` is the files of the project's flows if they were found already; for
/// `None` they are searched, and a search that fails finds none.
pub(super) fn keep_apart(
    flows: Vec<Arc<Flow>>,
    project: Option<&[Utf8PathBuf]>,
    config: &Config,
    surrounding: &SurroundingSteps,
) -> (Vec<Arc<Flow>>, RefusedFlows) {
    let mut owners = Owners::new();
    for flow in &others(&flows, project, config, surrounding) {
        claim(&mut owners, flow, config);
    }
    for flow in &flows {
        claim(&mut owners, flow, config);
    }
    let (mut apart, mut refused) = (Vec::new(), Vec::new());
    for flow in flows {
        match shared(&owners, &flow, config) {
            Some(diagnostic) => refused.push((flow.source.path.clone(), vec![diagnostic])),
            None => apart.push(flow),
        }
    }
    (apart, refused)
}

/// Returns the error of a flow that would share a golden with another flow of the project. The flow need not be saved yet:
/// its path says where it will be. `None` too if `setup` or `teardown` of `runner.yaml` cannot be read.
pub fn find_shared_golden(flow: Flow, config: &Config) -> Option<Diagnostic> {
    let surrounding = project_steps::read(config, &config.read_options()).ok()?;
    let flow = Arc::new(wrap_flow(flow, &surrounding));
    let (_, refused) = keep_apart(vec![flow], None, config, &surrounding);
    refused.into_iter().flat_map(|(_, errors)| errors).next()
}

/// Makes a flow an owner of its goldens, beside those they have.
fn claim(owners: &mut Owners, flow: &Flow, config: &Config) {
    for (path, _) in paths(flow, config) {
        let own = owners.entry(path.as_str().to_lowercase()).or_default();
        if !own.contains(&flow.source.path) {
            own.push(flow.source.path.clone());
        }
    }
}

/// Returns an error for the first golden of a flow that another flow takes too; `None` if it has all to itself.
fn shared(owners: &Owners, flow: &Flow, config: &Config) -> Option<Diagnostic> {
    paths(flow, config).iter().find_map(|(path, golden)| {
        let mut all = owners.get(&path.as_str().to_lowercase())?.iter();
        let other = all.find(|owner| **owner != flow.source.path)?;
        shared_golden(golden, path, other)
    })
}

/// Returns the goldens of a flow, each with its path below the folder of goldens. A flow with rows has each golden once
/// for each row's folder.
fn paths(flow: &Flow, config: &Config) -> Vec<(Utf8PathBuf, GoldenUse)> {
    let goldens = runner_flow::goldens(flow);
    let folder = golden_folder(&config.flows.value, &flow.key);
    let folders = flow.golden_folders(&folder);
    let all = folders.iter().flat_map(|folder| {
        goldens
            .iter()
            .map(move |golden| (folder.join(&golden.path), golden.clone()))
    });
    all.collect()
}

/// Reads the project's flows that are not among `flows` and may share a golden with one of them: their folder of
/// goldens is above a golden. The others are not read, as there may be thousands. One that cannot be read owns nothing.
/// A search for files that fails finds none.
fn others(
    flows: &[Arc<Flow>],
    project: Option<&[Utf8PathBuf]>,
    config: &Config,
    surrounding: &SurroundingSteps,
) -> Vec<Flow> {
    let goldens = flows.iter().flat_map(|flow| paths(flow, config));
    let goldens: HashSet<String> = goldens
        .map(|(path, _)| path.as_str().to_lowercase())
        .collect();
    if goldens.is_empty() {
        return Vec::new();
    }
    let above: HashSet<&str> = goldens
        .iter()
        .flat_map(|path| Utf8Path::new(path).ancestors())
        .map(Utf8Path::as_str)
        .collect();
    let known: HashSet<&Utf8Path> = flows.iter().map(|flow| &*flow.source.path).collect();
    let options = config.read_options();
    let mut found = Vec::new();
    let files = match project {
        Some(files) => Cow::Borrowed(files),
        None => Cow::Owned(project_files(config).unwrap_or_default()),
    };
    for file in files.iter() {
        let below = file.strip_prefix(&config.root).unwrap_or(file);
        let below = Utf8PathBuf::from(below.as_str().replace('\\', "/"));
        let mut folders = possible_golden_folders(&config.flows.value, &below).into_iter();
        let is_above =
            folders.any(|folder| above.contains(folder.as_str().to_lowercase().as_str()));
        if !is_above || known.contains(&*below) {
            continue;
        }
        let (flow, _) = runner_flow::read_flow(file, &options);
        found.extend(flow.map(|flow| wrap_flow(flow, surrounding)));
    }
    found
}

/// Returns the error at the step of the flow that leads to the golden. Never `None`.
fn shared_golden(golden: &GoldenUse, path: &Utf8Path, owner: &Utf8Path) -> Option<Diagnostic> {
    let (source, span) = golden.step()?;
    Some(Diagnostic {
        code: Code::SnapshotName,
        severity: Code::SnapshotName.severity(),
        message: format!("the golden `{path}` also belongs to {owner}"),
        source: Arc::clone(source),
        span,
        labels: Vec::new(),
        help: Some("rename one of the two files, or the snapshot".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use crate::test_project::project;
    use crate::{Filter, Plan};
    use runner_config::Overrides;

    const SNAPSHOT: &str = "steps: [ { snapshot: s } ]\n";

    fn plan(files: &[(&str, &str)], overrides: &Overrides, filter: &Filter) -> Plan {
        let (_folder, config) = project(files, overrides);
        Plan::read(&config, filter).unwrap()
    }

    #[test]
    fn a_run_of_a_part_takes_no_golden_of_another_flow() {
        let rows = "each: [{ user: anna }]\ntags: [x]\nsteps: [ { snapshot: s } ]\n";
        let tagged = "tags: [x]\nsteps: [ { snapshot: s } ]\n";
        let label = "tags: [x]\nsteps: [ { run: _sub.yaml, label: anna } ]\n";
        for [one, other] in [
            [("flows/pay.yaml", rows), ("flows/pay/anna.yaml", SNAPSHOT)],
            [("flows/Pay.yaml", rows), ("flows/pay/anna.yaml", SNAPSHOT)],
            [("flows/pay.yaml", label), ("flows/pay/anna.yaml", SNAPSHOT)],
            [("flows/pay.yaml", tagged), ("flows/pay.yml", SNAPSHOT)],
        ] {
            let files = [one, other, ("flows/_sub.yaml", SNAPSHOT)];
            let named = |path: &str| Overrides {
                paths: vec![path.into()],
                ..Overrides::default()
            };
            let of_tag = Filter {
                tags: vec!["x".to_owned()],
                ..Filter::default()
            };
            for (overrides, filter, refused) in [
                (named(one.0), Filter::default(), one.0),
                (named(other.0), Filter::default(), other.0),
                (Overrides::default(), of_tag, one.0),
            ] {
                let plan = plan(&files, &overrides, &filter);
                assert!(plan.cases.is_empty(), "{refused}");
                let [(path, diagnostics)] = &plan.unreadable[..] else {
                    panic!("{:?}", plan.unreadable);
                };
                assert_eq!(path.as_str(), refused);
                assert!(diagnostics[0].message.contains("also belongs to"));
            }
            // In a full run neither is known to be the golden's flow.
            let plan = plan(&files, &Overrides::default(), &Filter::default());
            assert!(plan.cases.is_empty());
            let mut refused: Vec<&str> = plan
                .unreadable
                .iter()
                .map(|(path, _)| path.as_str())
                .collect();
            refused.sort_unstable();
            let mut both = [one.0, other.0];
            both.sort_unstable();
            assert_eq!(refused, both);
        }
    }

    #[test]
    fn flows_with_goldens_of_their_own_run_alone() {
        let files = [
            (
                "flows/pay.yaml",
                "each: [{ user: anna }]\nsteps: [ { snapshot: s } ]\n",
            ),
            ("flows/pay/anna.yaml", "steps: [ { snapshot: t } ]\n"),
            ("flows/pay/bob.yaml", SNAPSHOT),
            ("flows/pay/broken.yaml", "steps: 7\n"),
        ];
        for path in [
            "flows/pay.yaml",
            "flows/pay/anna.yaml",
            "flows/pay/bob.yaml",
        ] {
            let overrides = Overrides {
                paths: vec![path.into()],
                ..Overrides::default()
            };
            let plan = plan(&files, &overrides, &Filter::default());
            assert!(plan.unreadable.is_empty(), "{path}");
        }
    }
}
