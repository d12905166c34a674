//! Tests of the parts that need neither a browser nor a device.

use camino::Utf8Path;

use super::file::{FlowFile, SaveResult, lint};
use super::messages::to_value;
use runner_base::context::Context;
use runner_config::{Config, Overrides};

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
    assert_eq!(
        file.changed_content().unwrap(),
        None,
        "it is this program's own"
    );
    fs_err::write(&path, "steps: [home]\n").unwrap();
    assert_eq!(
        file.changed_content().unwrap(),
        None,
        "it may be half of it"
    );
    assert_eq!(
        file.changed_content().unwrap().unwrap().text,
        "steps: [home]\n"
    );
    let saved = file.save("steps: [launch]\n".to_owned(), &first.version, None);
    let Ok(SaveResult::Conflict(now)) = saved else {
        panic!("{saved:?}");
    };
    assert_eq!(now.text, "steps: [home]\n");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), now.text);
    // The page that saw the conflict is told that it is over.
    let known = file
        .changed_content()
        .unwrap()
        .or_else(|| file.changed_content().unwrap());
    assert_eq!(known, Some(now.clone()));
    assert_eq!(file.changed_content().unwrap(), None);
}

#[test]
fn a_file_that_is_empty_for_a_moment_is_no_empty_flow() {
    let (_folder, config) = project();
    let path = config.root.join("flows/a.yaml");
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(&path, "steps: [back]\n").unwrap();
    let file = FlowFile::open(&config, &config.root, Some(Utf8Path::new("flows/a.yaml"))).unwrap();
    let message = || file.changed_content().unwrap().map(|now| now.text);
    fs_err::write(&path, "").unwrap();
    // As on a busy disk: emptied, and written a second later.
    assert_eq!((message(), message(), message()), (None, None, None));
    fs_err::write(&path, "steps: [home]\n").unwrap();
    assert_eq!(
        (message(), message()),
        (None, Some("steps: [home]\n".to_owned()))
    );
    fs_err::write(&path, "").unwrap();
    let reported = (0..10).find_map(|_| message());
    assert_eq!(reported, Some(String::new()), "it stays empty");
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

fn opened(config: &Config, text: &str) -> (FlowFile, camino::Utf8PathBuf) {
    let path = config.root.join("flows/a.yaml");
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(&path, text).unwrap();
    let file = FlowFile::open(config, &config.root, Some(Utf8Path::new("flows/a.yaml")));
    (file.unwrap(), path)
}

#[test]
fn a_file_keeps_its_ends_of_lines() {
    let (_folder, config) = project();
    let (file, path) = opened(&config, "\u{feff}name: A\r\nsteps:\r\n  - back\r\n");
    let reported = file.read().unwrap();
    assert_eq!(reported.text, "name: A\nsteps:\n  - back\n");
    let edited = format!("{}  - home\n", reported.text);
    let saved = file.save(edited.clone(), &reported.version, None);
    let Ok(SaveResult::Saved(saved)) = saved else {
        panic!("{saved:?}");
    };
    assert_eq!(saved.text, edited);
    assert_eq!(
        fs_err::read_to_string(&path).unwrap(),
        "\u{feff}name: A\r\nsteps:\r\n  - back\r\n  - home\r\n"
    );
    assert_eq!(
        file.changed_content().unwrap(),
        None,
        "it is this program's own"
    );
}

#[test]
fn a_file_that_is_gone_is_no_empty_flow() {
    let (_folder, config) = project();
    let (file, path) = opened(&config, "steps:\r\n  - back\r\n");
    let reported = file.read().unwrap();
    // Another program removes and renames, or empties and writes.
    fs_err::remove_file(&path).unwrap();
    assert_eq!(file.changed_content().unwrap(), None);
    fs_err::write(&path, "").unwrap();
    assert_eq!(file.changed_content().unwrap(), None);
    assert_eq!(file.to_show().0, reported);
    fs_err::write(&path, "steps: [home]\n").unwrap();
    assert_eq!(file.changed_content().unwrap(), None);
    let new = file.changed_content().unwrap().unwrap();
    assert_eq!(new.text, "steps: [home]\n");
    // Gone for good: reported at each look from the second on, and the old content is kept.
    fs_err::remove_file(&path).unwrap();
    assert_eq!(file.changed_content().unwrap(), None);
    for _ in 0..2 {
        let why = file.changed_content().unwrap_err().to_string();
        assert!(why.starts_with("flows/a.yaml is gone"), "{why}");
    }
    assert!(file.read().is_err());
    let (displayed, why) = file.to_show();
    assert_eq!(displayed, new);
    assert!(why.is_some());
    // A file that is back is reported, though pages know the text.
    fs_err::write(&path, "steps: [home]\n").unwrap();
    assert_eq!(file.changed_content().unwrap(), None);
    assert_eq!(file.changed_content().unwrap(), Some(new.clone()));
    fs_err::remove_file(&path).unwrap();
    assert!(matches!(
        file.save("steps: [launch]\n".to_owned(), &reported.version, None),
        Ok(SaveResult::Conflict(now)) if now == new
    ));
    assert!(matches!(
        file.save("steps: [launch]\n".to_owned(), &new.version, None),
        Ok(SaveResult::Saved(_))
    ));
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "steps: [launch]\n");
}

#[test]
fn of_two_saves_from_one_version_one_wins() {
    let (_folder, config) = project();
    for _ in 0..20 {
        let (file, path) = opened(&config, "steps: [back]\n");
        let version = file.read().unwrap().version;
        let texts = ["steps: [home]\n", "steps: [launch]\n"];
        let saves: Vec<SaveResult> = std::thread::scope(|scope| {
            let save = |text: &'static str| {
                let (file, version) = (&file, &version);
                scope.spawn(move || file.save(text.to_owned(), version, None).unwrap())
            };
            let begun = texts.map(save);
            begun.map(|save| save.join().unwrap()).into()
        });
        let won: Vec<&str> = saves
            .iter()
            .zip(texts)
            .filter(|(save, _)| matches!(save, SaveResult::Saved(_)))
            .map(|(_, text)| text)
            .collect();
        assert_eq!(won, [fs_err::read_to_string(&path).unwrap()]);
    }
}

#[test]
fn a_save_without_a_name_does_not_write_the_file_that_got_one() {
    let (_folder, config) = project();
    let file = FlowFile::open(&config, &config.root, None).unwrap();
    let empty = file.read().unwrap();
    file.save("steps: [home]\n".to_owned(), "", Some("mine"))
        .unwrap();
    let late = file.save("steps: [back]\n".to_owned(), &empty.version, None);
    assert!(matches!(late, Ok(SaveResult::Conflict(_))), "{late:?}");
    let again = file.save("steps: [home]\n".to_owned(), &empty.version, None);
    assert!(matches!(again, Ok(SaveResult::Saved(_))), "{again:?}");
}

#[cfg(unix)]
#[test]
fn a_flow_behind_a_link_is_written_where_it_is() {
    let (_folder, config) = project();
    let (_, path) = opened(&config, "steps: [back]\n");
    let link = config.root.join("flows/link.yaml");
    std::os::unix::fs::symlink("a.yaml", &link).unwrap();
    let name = Some(Utf8Path::new("flows/link.yaml"));
    let file = FlowFile::open(&config, &config.root, name).unwrap();
    let version = file.read().unwrap().version;
    let saved = file.save("steps: [home]\n".to_owned(), &version, None);
    let Ok(SaveResult::Saved(saved)) = saved else {
        panic!("{saved:?}");
    };
    assert!(link.is_symlink(), "the link is a file now");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "steps: [home]\n");
    // The link leads out of the project, so it is not followed.
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs_err::write(outside.path(), "steps: [home]\n").unwrap();
    fs_err::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(outside.path(), &link).unwrap();
    let refused = file.save("steps: [launch]\n".to_owned(), &saved.version, None);
    assert!(refused.is_err(), "{refused:?}");
    let stored = fs_err::read_to_string(outside.path()).unwrap();
    assert_eq!(stored, "steps: [home]\n");
}

#[test]
fn faults_and_steps_have_lines() {
    let (_folder, config) = project();
    let file = FlowFile::open(&config, &config.root, None).unwrap();
    let text = "app: a.b\nsteps:\n  - launch\n  - group:\n      - back\n      - home\n";
    let found = to_value(lint(&file, text, |_| Vec::new()).unwrap());
    assert_eq!(found["reads"], true);
    assert_eq!(found["steps"][0]["line"], 3);
    assert_eq!(
        (&found["steps"][1]["line"], &found["steps"][1]["end"]),
        (&4.into(), &6.into())
    );
    let found = to_value(lint(&file, "steps:\n  - clik: Save\n", |_| Vec::new()).unwrap());
    assert_eq!(
        (&found["reads"], &found["found"][0]["line"]),
        (&false.into(), &2.into())
    );
}
