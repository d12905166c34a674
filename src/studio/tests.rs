//! The parts that need neither a browser nor a device.

use camino::Utf8Path;

use super::file::{FlowFile, SaveResult, lint};
use super::words;
use crate::config::{Config, Overrides};
use crate::context::Context;

fn project() -> (tempfile::TempDir, Config) {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("runner.yaml"), "devices: [virtual]\n").unwrap();
    let path = camino::Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    let context = Context::fixed(path, std::collections::BTreeMap::default());
    let config = Config::resolve(&context, &Overrides::default()).unwrap();
    (folder, config)
}

#[test]
fn what_others_wrote_is_not_written_over() {
    let (_folder, config) = project();
    let file = FlowFile::open(&config, &config.root, Some(Utf8Path::new("flows/a.yaml"))).unwrap();
    let empty = file.read().unwrap();
    let Ok(SaveResult::Saved(first)) =
        file.save("steps: [back]\n".to_owned(), &empty.version, None)
    else {
        panic!("not saved");
    };
    let path = config.root.join("flows/a.yaml");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "steps: [back]\n");
    assert_eq!(file.news().unwrap(), None, "it is this program's own");
    fs_err::write(&path, "steps: [home]\n").unwrap();
    assert_eq!(file.news().unwrap().unwrap().text, "steps: [home]\n");
    let saved = file.save("steps: [launch]\n".to_owned(), &first.version, None);
    let Ok(SaveResult::Conflict(now)) = saved else {
        panic!("{saved:?}");
    };
    assert_eq!(now.text, "steps: [home]\n");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), now.text);
}

#[test]
fn a_flow_without_a_name_gets_one_when_it_is_saved() {
    let (_folder, config) = project();
    let file = FlowFile::open(&config, &config.root, None).unwrap();
    let empty = file.read().unwrap();
    assert!(matches!(
        file.save("steps: [back]\n".to_owned(), &empty.version, None),
        Ok(SaveResult::Saved(_))
    ));
    assert_eq!(file.path(), None);
    assert_eq!(file.read().unwrap().text, "steps: [back]\n");
    for wrong in ["../out", "runner.yaml", "a.txt", "/etc/passwd"] {
        let saved = file.save(String::new(), "", Some(wrong));
        let path = file.path();
        assert!(
            saved.is_err()
                || path
                    .as_deref()
                    .is_some_and(|path| path.starts_with("flows/")),
            "{wrong}: {path:?}"
        );
    }
    let file = FlowFile::open(&config, &config.root, None).unwrap();
    file.save("steps: [home]\n".to_owned(), "", Some("mine"))
        .unwrap();
    assert_eq!(file.path().as_deref(), Some("flows/mine.yaml"));
    let again = FlowFile::open(&config, &config.root, None).unwrap();
    assert!(
        again.save(String::new(), "", Some("mine")).is_err(),
        "it exists"
    );
    for wrong in ["../a.yaml", "runner.yaml", "a.json"] {
        assert!(
            FlowFile::open(&config, &config.root, Some(Utf8Path::new(wrong))).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn faults_and_steps_have_lines() {
    let (_folder, config) = project();
    let file = FlowFile::open(&config, &config.root, None).unwrap();
    let found = lint(
        &file,
        "app: a.b\nsteps:\n  - launch\n  - group:\n      - back\n      - home\n",
    )
    .unwrap();
    assert_eq!(found["reads"], true);
    assert_eq!(found["steps"][0]["line"], 3);
    assert_eq!(
        (&found["steps"][1]["line"], &found["steps"][1]["end"]),
        (&4.into(), &6.into())
    );
    let found = lint(&file, "steps:\n  - clik: Save\n").unwrap();
    assert_eq!(
        (&found["reads"], &found["found"][0]["line"]),
        (&false.into(), &2.into())
    );
}

#[test]
fn the_words_are_those_of_the_language() {
    let words = words::all();
    let steps = words["steps"].as_array().unwrap();
    let step = |name: &str| {
        steps
            .iter()
            .find(|step| step["name"] == name && step["bare"].is_null())
    };
    let click = step("click").unwrap();
    assert!(
        click["keys"]
            .as_array()
            .unwrap()
            .iter()
            .any(|key| key["name"] == "id"),
        "{click}"
    );
    assert!(step("snapshot").is_some() && step("if").is_some());
    assert!(
        words["modifiers"]
            .as_array()
            .unwrap()
            .iter()
            .any(|key| key["name"] == "timeout")
    );
    assert!(
        words["header"]
            .as_array()
            .unwrap()
            .iter()
            .any(|key| key["name"] == "app")
    );
}
