//! Law: whichever way the paths of a project are spelt, its root, its flows and their folders of goldens are the same.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{Filter, Plan, golden_folder, golden_uses};
use runner_base::context::Context;
use runner_config::{Config, Overrides};

const FLOW: &str = "steps: [ { launch: a.b }, { snapshot: home } ]\n";

/// All flows of the project, each with the folder of its goldens.
const ALL: [(&str, &str); 3] = [
    ("flows/e.yaml", "e"),
    ("flows/sub/s.yaml", "sub/s"),
    ("flows/t.yaml", "t"),
];

/// Makes a folder with the project `p` and an empty folder beside it. The path returned has no links.
fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let guard = tempfile::tempdir().unwrap();
    let above = Utf8Path::from_path(guard.path()).unwrap();
    let above = above.canonicalize_utf8().unwrap();
    for (name, text) in [
        ("p/runner.yaml", "devices: [virtual]\n"),
        ("p/flows/t.yaml", FLOW),
        ("p/flows/sub/s.yaml", FLOW),
        (
            "p/flows/e.yaml",
            "each: ../tables/t.csv\nsteps: [ { run: _s.yaml } ]\n",
        ),
        ("p/flows/_s.yaml", "steps: [ back ]\n"),
        ("p/tables/t.csv", "a\n1\n"),
        ("p/src/a.kt", ""),
        ("beside/a.kt", ""),
    ] {
        let path = above.join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    (guard, above)
}

/// Returns the configuration for paths on the command line in the folder `here`.
fn config(here: &Utf8Path, paths: &[String]) -> Config {
    let overrides = Overrides {
        paths: paths.iter().map(Utf8PathBuf::from).collect(),
        ..Overrides::default()
    };
    let context = Context::fixed(here.to_owned(), BTreeMap::new());
    Config::resolve(&context, &overrides).unwrap()
}

/// Returns the flows that would run, each with the folder of its goldens. All of them can be read.
fn planned(config: &Config) -> BTreeSet<(String, String)> {
    let plan = Plan::read(config, &Filter::default()).unwrap();
    assert!(plan.unreadable.is_empty(), "{:?}", plan.unreadable);
    let planned = plan.flows().map(|flow| {
        let goldens = golden_folder(&config.flows.value, &flow.key);
        (flow.source.path.to_string(), goldens.into_string())
    });
    planned.collect()
}

fn owned(flows: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    let pair = |(flow, goldens): &(&str, &str)| ((*flow).to_owned(), (*goldens).to_owned());
    flows.iter().map(pair).collect()
}

/// Asserts for each row, which is a folder and paths in it, what would run in which root. `~` is the folder above.
#[track_caller]
fn assert_same(above: &Utf8Path, rows: &[(&str, &[&str])], flows: &[(&str, &str)]) {
    let root = above.join("p");
    for (here, paths) in rows {
        let whole = |path: &&str| path.replace('~', above.as_str());
        let paths: Vec<String> = paths.iter().map(whole).collect();
        let config = config(&above.join(here), &paths);
        let real_root = config.root.canonicalize_utf8().unwrap();
        assert_eq!(real_root, root, "{here}: {paths:?}");
        let written = config.root.as_str();
        assert!(
            !written.contains("..") && !written.ends_with('/'),
            "{written}"
        );
        assert_eq!(planned(&config), owned(flows), "{here}: {paths:?}");
    }
}

#[test]
fn a_path_is_the_same_in_each_spelling() {
    let (_guard, above) = folder();
    let rows: &[(&str, &[&str])] = &[
        ("p", &[]),
        ("p/src", &[]),
        ("p", &["."]),
        ("beside", &["../p/"]),
        ("p", &["flows"]),
        ("p", &["./flows/"]),
        ("p", &["flows/."]),
        ("p", &["flows/../flows"]),
        ("p", &["src/../flows"]),
        ("p/src", &["../flows"]),
        ("p/flows/sub", &[".."]),
        ("p/flows/sub", &["../../src/../flows/"]),
        ("p/flows", &["."]),
        ("p/src", &["../flows/**/*.yaml"]),
        ("p", &["./flows/./**"]),
        ("p", &["flows//*.yaml", "flows/sub/../sub/*.yaml"]),
        ("p/flows", &["*.yaml", "./sub/s.yaml"]),
        (
            "p",
            &["flows/../flows/t.yaml", "./flows/e.yaml", "~/p/flows/sub"],
        ),
        ("beside", &["../p/flows"]),
        ("beside", &["~/beside/../p/./flows"]),
        (".", &["p/flows"]),
    ];
    assert_same(&above, rows, &ALL);
}

#[cfg(unix)]
#[test]
fn a_path_is_the_same_by_links() {
    use std::os::unix::fs::symlink;

    let (_guard, above) = folder();
    symlink("p", above.join("link")).unwrap();
    symlink("p/flows", above.join("inner")).unwrap();
    symlink("flows/sub", above.join("p/lsub")).unwrap();
    let rows: &[(&str, &[&str])] = &[
        ("link", &[]),
        ("link/src", &["../flows"]),
        (".", &["link/flows"]),
        ("p", &["~/link/flows"]),
        ("p/src", &["~/inner"]),
        ("p", &["lsub/.."]),
        ("p", &["lsub/../*.yaml", "flows/sub"]),
        // Some of the paths go through a link, whichever is the first.
        ("p", &["flows/sub", "~/link/flows/*.yaml"]),
        ("p", &["~/link/flows/t.yaml", "flows/e.yaml", "flows/sub"]),
        ("beside", &["../link/flows/sub", "../p/flows/*.yaml"]),
        ("beside", &["../p/flows/sub", "../inner/*.yaml"]),
        // A flow that is reached twice has its real path.
        ("p", &["lsub", "flows"]),
    ];
    assert_same(&above, rows, &ALL);
    // A link in the project is a path of its own.
    let rows: &[(&str, &[&str])] = &[
        ("p", &["lsub/s.yaml"]),
        ("p", &["./flows/../lsub"]),
        ("p", &["~/link/lsub/s.yaml"]),
        ("beside", &["../link/lsub/*.yaml"]),
    ];
    assert_same(&above, rows, &[("lsub/s.yaml", "lsub/s")]);
}

#[test]
fn a_folder_of_flows_is_the_same_in_each_spelling() {
    let (_guard, above) = folder();
    let root = above.join("p");
    for flows in [
        "flows",
        "./flows",
        "[flows/]",
        "[flows/.]",
        "flows/../flows",
        "src/../flows",
        "'flows/**'",
        "'flows/**/*.yaml'",
        "['./flows/**/*.yaml']",
        "'flows//**/*.{yaml,yml}'",
        "[flows, ./flows]",
        "[flows, flows/sub]",
        "['flows/sub/*.yaml', flows]",
    ] {
        fs_err::write(root.join("runner.yaml"), format!("flows: {flows}\n")).unwrap();
        for paths in [Vec::new(), vec!["flows".to_owned()]] {
            let config = config(&root, &paths);
            assert_eq!(planned(&config), owned(&ALL), "{flows}");
            // No golden of it is pruned.
            let uses = golden_uses(&config).unwrap();
            for golden in ["t/home", "sub/s/home"] {
                assert!(uses.keeps(&golden.parse().unwrap()), "{flows}: {golden}");
            }
        }
    }
}
