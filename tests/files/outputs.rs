//! Outputs replace only missing files, files of their own form, and empty files. Anything else is refused
//! before anything runs.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::watched::watched;
use crate::common::{Project, at_once};

/// Option whose file is written.
struct Output {
    /// The command line; `@` is the file.
    line: &'static [&'static str],
    /// Beginning of a file that the option writes.
    own: &'static [u8],
    /// Exit code of a good run.
    code: i32,
}

const OUTPUTS: &[Output] = &[
    Output {
        line: &["test", "--junit", "@"],
        own: b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"runner\"",
        code: 0,
    },
    Output {
        line: &["test", "--json", "@"],
        own: b"{\"seq\":0,\"t_ms\":0,\"event\":\"start\"}\n",
        code: 0,
    },
    Output {
        line: &["lint", "--log", "@"],
        own: b"runner log\n",
        code: 0,
    },
    Output {
        line: &["report", "saved.ndjson", "--junit", "@"],
        own: b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"runner\"",
        code: 0,
    },
    Output {
        line: &["report", "saved.ndjson", "--json", "@"],
        own: b"{\"seq\":0,\"t_ms\":0,\"event\":\"start\"}\n",
        code: 0,
    },
    Output {
        line: &["report", "saved.ndjson", "--archive", "@"],
        own: b"PK\x03\x04",
        code: 0,
    },
    Output {
        line: &["doctor", "--bundle", "@"],
        own: b"PK\x03\x04",
        code: 0,
    },
    Output {
        line: &["inspect", "--device", "virtual", "--screenshot", "@"],
        own: b"\x89PNG\r\n\x1a\n",
        code: 0,
    },
    Output {
        line: &["compare", "black.png", "white.png", "--diff", "@"],
        own: b"\x89PNG\r\n\x1a\n",
        code: 1,
    },
    Output {
        line: &["inspect", "--device", "virtual", "--annotated", "@"],
        own: b"\x89PNG\r\n\x1a\n",
        code: 0,
    },
];

/// Files that other programs or people wrote, which must not be replaced.
const OTHERS: &[(&str, &[u8])] = &[
    (
        "flows/a.yaml",
        b"app: com.example.notes\nsteps: [ launch ]\n",
    ),
    ("notes.txt", b"mine\n"),
    ("data.json", b"{\"a\": 1}\n"),
    ("list.xml", b"<?xml version=\"1.0\"?>\n<list/>\n"),
    ("data.bin", b"\0\x01\x02\xff"),
];

/// Makes a project with a good flow and the stream of its last run.
fn project(saved: &str) -> Project {
    let project = Project::with_demo_app();
    project.write("saved.ndjson", saved);
    for (name, level) in [("black.png", 0), ("white.png", 255)] {
        let pixel = image::Rgba([level, level, level, 255]);
        let picture = image::RgbaImage::from_pixel(16, 16, pixel);
        picture.save(project.path(name)).unwrap();
    }
    for (name, bytes) in OTHERS {
        project.write(name, "");
        std::fs::write(project.path(name), bytes).unwrap();
    }
    project
}

/// A FIFO in the project, read until the end of the test. It is no device, so that replacing it by mistake
/// harms nothing.
struct Pipe {
    end: File,
    reading: JoinHandle<usize>,
}

/// Mark that the test writes at the end.
const END: &[u8] = b"\0the end of the test\0";

impl Pipe {
    fn make(project: &Project) -> Self {
        let path = project.path("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        // For both, so that it has a reader and never comes to its end.
        let mut both = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .unwrap();
        let end = both.try_clone().unwrap();
        let reading = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut chunk = [0; 4096];
            while !bytes.ends_with(END) {
                let length = both.read(&mut chunk).unwrap();
                bytes.extend_from_slice(&chunk[..length]);
            }
            bytes.len() - END.len()
        });
        Self { end, reading }
    }

    /// Returns true if anything was written into the pipe.
    fn has_come(mut self) -> bool {
        self.end.write_all(END).unwrap();
        self.reading.join().unwrap() > 0
    }
}

fn saved() -> String {
    let project = project("");
    project.run(&["test", "--json", "stream.ndjson"]).expect(0);
    project.read("stream.ndjson")
}

#[tokio::test]
async fn an_output_replaces_nothing_that_others_wrote() {
    let saved: Arc<str> = saved().into();
    let cells = OUTPUTS.iter().flat_map(|output| {
        let others = OTHERS.iter().map(|(name, bytes)| (*name, Some(*bytes)));
        others
            .chain([("flows", None), ("link", None)])
            .map(move |other| (output, other))
    });
    let wrong = at_once(cells, |(output, (name, bytes))| {
        let project = project(&saved);
        async move {
            symlink("notes.txt", project.path("link")).unwrap();
            let line = super::with_file(output.line, name);
            let ran = watched(&project, &line).await;
            let said = format!("{}{}", ran.stdout, ran.stderr);
            let is_left =
                bytes.is_none_or(|bytes| std::fs::read(project.path(name)).unwrap() == bytes);
            let is_left = is_left && project.read("notes.txt") == "mine\n";
            let ran_nothing = !project.path(".runner/last-run.ndjson").exists();
            (ran.code != 2 || !is_left || !ran_nothing || !ran.stderr.contains(name)).then(|| {
                format!(
                    "{line:?}: exit code {}, left {is_left}, ran nothing {ran_nothing}\n{said}",
                    ran.code
                )
            })
        }
    });
    super::tell(wrong.await);
}

#[tokio::test]
async fn an_output_replaces_its_own_and_writes_to_pipes() {
    let saved: Arc<str> = saved().into();
    let places = ["new", "own", "empty", "link", "pipe"];
    let cells = OUTPUTS
        .iter()
        .flat_map(|output| places.map(move |place| (output, place)));
    let wrong = at_once(cells, |(output, place)| {
        let project = project(&saved);
        async move {
            std::fs::write(project.path("own"), output.own).unwrap();
            project.write("empty", "");
            symlink("own", project.path("link")).unwrap();
            let pipe = (place == "pipe").then(|| Pipe::make(&project));
            let line = super::with_file(output.line, place);
            let ran = watched(&project, &line).await;
            let is_written = match pipe {
                Some(pipe) => pipe.has_come(),
                None => std::fs::read(project.path(place)).is_ok_and(|bytes| {
                    !bytes.is_empty() && (place == "own" || bytes != output.own)
                }),
            };
            (ran.code != output.code || !is_written).then(|| {
                format!(
                    "{line:?}: exit code {}\n{}{}",
                    ran.code, ran.stdout, ran.stderr
                )
            })
        }
    });
    super::tell(wrong.await);
}

/// Checks that an output that cannot be written is reported before anything runs: below a file, a pipe
/// without a reader, an empty path.
#[tokio::test]
async fn an_output_that_cannot_be_written_is_told_before_anything_runs() {
    let saved: Arc<str> = saved().into();
    let places = ["notes.txt/below", "unread", ""];
    let cells = OUTPUTS
        .iter()
        .flat_map(|output| places.map(move |place| (output, place)));
    let wrong = at_once(cells, |(output, place)| {
        let project = project(&saved);
        async move {
            let made = Command::new("mkfifo").arg(project.path("unread")).status();
            assert!(made.unwrap().success());
            let line = super::with_file(output.line, place);
            let ran = watched(&project, &line).await;
            let ran_nothing = !project.path(".runner/last-run.ndjson").exists();
            (ran.code != 2 || !ran_nothing || !ran.stderr.contains(place)).then(|| {
                format!(
                    "{line:?}: exit code {}, ran nothing {ran_nothing}\n{}{}",
                    ran.code, ran.stdout, ran.stderr
                )
            })
        }
    });
    super::tell(wrong.await);
}

/// The folders above an output are made.
#[tokio::test]
async fn an_output_has_its_folders_made() {
    let saved: Arc<str> = saved().into();
    let wrong = at_once(OUTPUTS, |output| {
        let project = project(&saved);
        async move {
            let line = super::with_file(output.line, "a/b/it");
            let ran = watched(&project, &line).await;
            let is_written = project.path("a/b/it").is_file();
            (ran.code != output.code || !is_written).then(|| {
                format!(
                    "{line:?}: exit code {}\n{}{}",
                    ran.code, ran.stdout, ran.stderr
                )
            })
        }
    });
    super::tell(wrong.await);
}

/// Checks that two outputs with the same file are refused.
#[test]
fn two_outputs_of_one_file_are_refused() {
    let saved = saved();
    for line in [
        &["test", "--junit", "out", "--json", "./out"][..],
        &["test", "--junit", "out", "--log", "out"],
        &["test", "--html", "o/h", "--junit", "o/h/index.html"],
        &["test", "--html", "o/h", "--json", "o/h/data/a"],
        &["test", "--html", "o.html", "--json", "./o.html"],
        &["test", "--allure", "o", "--json", "o/a-result.json"],
        &[
            "report",
            "saved.ndjson",
            "--junit",
            "out",
            "--archive",
            "out",
        ],
        &[
            "inspect",
            "--device",
            "virtual",
            "--screenshot",
            "out",
            "--annotated",
            "out",
        ],
    ] {
        let project = project(&saved);
        project.run(line).expect(2);
        assert!(
            !project.path(".runner/last-run.ndjson").exists(),
            "{line:?}"
        );
    }
    // In the folder of a report any other name is fine, also the second time.
    let project = project(&saved);
    for _ in 0..2 {
        let line = [
            "test",
            "--html",
            "o",
            "--junit",
            "o/junit.xml",
            "--artifacts",
            "o",
        ];
        project.run(&line).expect(0);
    }
}

/// A run empties the folders of its flows, and no folder that a person filled.
#[test]
fn artifacts_replace_nothing_that_others_wrote() {
    let project = project("");
    project.write("out/flows/a/virtual-1/mine.txt", "mine");
    let refused = project.run(&["test", "--artifacts", "out"]).expect(2);
    refused.says("is not empty").says("--artifacts");
    assert_eq!(project.read("out/flows/a/virtual-1/mine.txt"), "mine");
    for place in ["notes.txt", "notes.txt/below", "/dev/full", ""] {
        project.run(&["test", "--artifacts", place]).expect(2);
    }
    assert!(!project.path(".runner/last-run.ndjson").exists());
}

/// Standard output by its name, which the shell may have put into a file: the report alone stands there.
#[test]
fn standard_output_by_name_is_the_report_alone() {
    let saved = saved();
    for (line, begin) in [
        ("test --junit /dev/stdout", "<?xml"),
        ("test --json /dev/stdout", "{\"seq\":0,"),
        ("test --json -", "{\"seq\":0,"),
        ("report saved.ndjson --junit /dev/stdout", "<?xml"),
        ("report saved.ndjson --json /dev/fd/1", "{\"seq\":0,"),
    ] {
        let project = project(&saved);
        for to in ["> out", ">> out", "| cat > out"] {
            let _ = std::fs::remove_file(project.path("out"));
            let shell = project.command(&[]);
            let program = shell.get_program().to_owned();
            let mut command = Command::new("sh");
            command
                .current_dir(project.path(""))
                .envs(
                    shell
                        .get_envs()
                        .filter_map(|(key, value)| Some((key, value?))),
                )
                .args(["-c", &format!("\"$0\" {line} {to}")])
                .arg(program);
            let ran = crate::common::Ran::from(command.output().unwrap()).expect(0);
            let out = project.read("out");
            assert!(out.starts_with(begin), "{line} {to}: {out}\n{}", ran.stderr);
            let is_whole = match begin {
                "<?xml" => out.trim_end().ends_with("</testsuites>"),
                _ => out.lines().all(|line| line.starts_with('{')),
            };
            assert!(is_whole, "{line} {to}: {out}");
        }
    }
}

/// Checks that an output in a folder that the run empties is refused, and that `/dev/null` is not.
#[test]
fn outputs_in_folders_that_a_run_empties_are_refused() {
    let project = project("");
    let inside = ".runner/artifacts/flows/a/virtual-1/events";
    for option in ["--json", "--junit"] {
        project
            .run(&["test", option, inside])
            .expect(2)
            .says(option);
    }
    for option in ["--html", "--allure"] {
        project.run(&["test", option, "notes.txt"]).expect(2);
    }
    let both = ["test", "--json", "/dev/null", "--junit", "/dev/null"];
    project.run(&both).expect(0);
}
