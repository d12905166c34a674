//! Tests of outputs that a person names.

use super::*;

#[test]
fn only_what_begins_as_its_own_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let forms: [(Form, &[u8]); 6] = [
        (
            Form::Junit,
            b"<?xml version=\"1.0\"?>\n<testsuites name=\"runner\">",
        ),
        (Form::Events, b"{\"seq\":0,\"t_ms\":0}"),
        (Form::Log, LOG_HEAD.as_bytes()),
        (Form::Archive, b"PK\x03\x04"),
        (Form::Picture, b"\x89PNG\r\n\x1a\n"),
        (Form::Report, REPORT_HEAD.as_bytes()),
    ];
    let path = folder.join("it");
    for (form, _) in forms {
        assert!(OutputFile::new(folder, "it".into(), form, "--x").is_ok());
    }
    for (written, bytes) in forms {
        std::fs::write(&path, bytes).unwrap();
        for (form, _) in forms {
            let output = OutputFile::new(folder, &path, form, "--x");
            assert_eq!(output.is_ok(), form == written, "{form:?} over {written:?}");
        }
    }
    let flow = folder.join("login.yaml");
    std::fs::write(&flow, "app: a.b\nsteps: [ launch ]\n").unwrap();
    let refused = OutputFile::new(folder, &flow, Form::Junit, "--junit").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "login.yaml is a flow, not a JUnit report: give --junit another path before it"
    );
    std::fs::write(&flow, "").unwrap();
    assert!(OutputFile::new(folder, &flow, Form::Junit, "--junit").is_ok());
    let refused = OutputFile::new(folder, folder, Form::Log, "--log").unwrap_err();
    assert!(
        refused.to_string().starts_with(". is a folder"),
        "{refused}"
    );
}

#[test]
fn a_path_that_ends_in_a_slash_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    for (form, option, says) in [
        (
            Form::Junit,
            "--junit",
            "out/ names a folder, and --junit is a file; give it one such as out/junit.xml",
        ),
        (Form::Events, "--json", "such as out/events.ndjson"),
        (Form::Log, "--log", "such as out/runner.log"),
    ] {
        let refused = OutputFile::new(folder, Utf8Path::new("out/"), form, option).unwrap_err();
        assert!(refused.to_string().contains(says), "{refused}");
    }
    assert!(!folder.join("out").exists());
}

#[test]
fn the_extension_of_another_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    for (name, form, says) in [
        ("shot.gif", Form::Picture, "a name such as shot.png"),
        ("report.json", Form::Junit, "a name such as report.xml"),
        ("report.html", Form::Junit, "a name such as report.xml"),
        ("report.xml", Form::Events, "a name such as report.ndjson"),
        ("out.tar.gz", Form::Archive, "a name such as out.zip"),
        ("report.pdf", Form::Junit, "a name such as report.xml"),
        ("a.pdf", Form::Events, "a name such as a.ndjson"),
    ] {
        let refused = OutputFile::new(folder, name.into(), form, "--x").unwrap_err();
        assert!(refused.to_string().contains(says), "{refused}");
        assert!(!folder.join(name).exists());
    }
    for (name, form) in [
        ("shot.jpg", Form::Picture),
        ("shot.PNG", Form::Picture),
        ("out.zip", Form::Archive),
        ("events.json", Form::Events),
        ("log.txt", Form::Log),
    ] {
        assert!(OutputFile::new(folder, name.into(), form, "--x").is_ok());
    }
}

#[test]
fn two_outputs_are_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    std::fs::create_dir(folder.join("sub")).unwrap();
    let output = |name: &str, form, option| {
        OutputFile::new(folder, Utf8Path::new(name), form, option).unwrap()
    };
    let first = output("sub/a", Form::Junit, "--junit");
    let same = output("sub/../sub/./a", Form::Events, "--json");
    let refused = OutputFile::check_distinct([&first, &same]).unwrap_err();
    let words = refused.to_string();
    assert!(
        words.starts_with("--junit and --json both write"),
        "{words}"
    );
    let other = output("sub/b", Form::Events, "--json");
    OutputFile::check_distinct([&first, &other]).unwrap();
    std::fs::write(folder.join("file"), "").unwrap();
    let below = OutputFile::new(folder, "file/a".into(), Form::Log, "--log").unwrap_err();
    assert!(matches!(below, OutputError::Unwritable { .. }), "{below}");
}

/// No rename leads to another file system, so the folder alone decides.
#[cfg(unix)]
#[test]
fn a_large_output_is_begun_where_its_link_leads() {
    let folder = tempfile::tempdir().unwrap();
    let folder = real_path(Utf8Path::from_path(folder.path()).unwrap());
    let other = folder.join("other");
    std::fs::create_dir(&other).unwrap();
    for (name, content) in [("there", Some("")), ("missing", None)] {
        if let Some(content) = content {
            std::fs::write(other.join(name), content).unwrap();
        }
        let link = folder.join(name);
        std::os::unix::fs::symlink(other.join(name), &link).unwrap();
        let output = OutputFile::new(&folder, &link, Form::Archive, "--zip").unwrap();
        let begun = output.begin().unwrap();
        assert_eq!(begun.path().parent(), Some(other.as_std_path()), "{name}");
        output.finish(begun).unwrap();
        assert!(link.is_symlink() && other.join(name).is_file(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn v16_a_named_file_is_written_through_links_and_devices() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let write = |path: &Utf8Path, bytes: &[u8]| {
        let output = OutputFile::new(folder, path, Form::Junit, "--junit").unwrap();
        output.write(bytes)
    };
    let (real, link, none) = (
        folder.join("real"),
        folder.join("link"),
        folder.join("none"),
    );
    std::fs::write(&real, "<testsuites/>").unwrap();
    symlink("real", &link).unwrap();
    symlink("later", &none).unwrap();
    write(&link, b"two").unwrap();
    write(&none, b"three").unwrap();
    assert!(link.is_symlink() && none.is_symlink());
    assert_eq!(std::fs::read(&real).unwrap(), b"two");
    assert_eq!(std::fs::read(folder.join("later")).unwrap(), b"three");
    write(&folder.join("deep/new"), b"four").unwrap();
    // Written through a link, so that a fault of the test replaces the link and not the device.
    let full = folder.join("full");
    symlink("/dev/full", &full).unwrap();
    if std::fs::metadata(&full).is_ok_and(|about| about.file_type().is_char_device()) {
        write(&full, b"five").unwrap_err();
        assert!(full.is_symlink());
    }
}
