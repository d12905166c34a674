//! `runner test --watch` as a person uses it: files are saved, keys are pressed, the screen is read.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::Project;
use crate::common::terminal::{LIMIT, Terminal};

const PASSES: &str = "steps: [ launch, { find: Username } ]\n";
const FAILS: &str = "steps: [ launch, { assert visible: Nonsense, timeout: 100ms } ]\n";

fn two() -> Project {
    let project = Project::with_demo_app();
    project.flow("one", "steps: [ { run: _sub.yaml } ]\n");
    project.flow("_sub", PASSES);
    project.flow("two", PASSES);
    project
}

/// Counts the occurrences of a text on the screen.
fn count(screen: &str, text: &str) -> usize {
    screen.matches(text).count()
}

#[test]
fn saves_and_keys_run_what_they_name() {
    let project = two();
    let script = format!(
        "cd '{}' && '{}' test --watch; echo \"ended $?\"; stty -a | tr ';' '\\n' | grep -o -- '-\\?echo '; exec cat",
        project.path("").display(),
        env!("CARGO_BIN_EXE_runner"),
    );
    let Some(terminal) = Terminal::with_script((120, 300), &script) else {
        return;
    };
    terminal.shows("watching 2 flows · enter all · f failed");
    let waits = |number: usize| {
        terminal.until("the run is over", |screen| {
            count(screen, "watching 2 flows") == number
        });
    };
    // A save runs that flow alone, and says what came of it.
    project.flow("two", FAILS);
    waits(2);
    terminal
        .shows("saved: flows/two.yaml")
        .shows("no element matches Nonsense")
        .shows("1 flow in");
    // A sub-flow runs who runs it.
    project.flow("_sub", "steps: [ launch, { find: Password } ]\n");
    waits(3);
    terminal
        .shows("saved: flows/_sub.yaml")
        .shows("find: Password");
    // A flow that cannot be read is reported, and mended.
    project.write("flows/one.yaml", "app: com.example.notes\nsteps: [ {clik");
    waits(4);
    terminal.shows("ERROR flows/one.yaml  does not read");
    terminal.keys(&["f"]);
    waits(5);
    terminal.shows("1 failed, 1 error");
    project.flow("one", PASSES);
    waits(6);
    project.flow("two", PASSES);
    waits(7);
    terminal.keys(&["f"]).shows("no flow failed here");
    terminal.keys(&["g"]).shows("pattern:");
    terminal.keys(&["x", "BSpace", "t", "w", "o", "(", "Enter"]);
    terminal.shows("g: the pattern does not read");
    terminal.keys(&["g", "t", "w", "o", "Enter"]);
    waits(8);
    terminal.keys(&["Enter"]);
    waits(9);
    terminal.keys(&["u"]).shows("nothing to review");
    waits(10);
    // Settings open the device anew and run all.
    project.replace("runner.yaml", "apps:", "retries: 1\napps:");
    waits(11);
    terminal.shows("settings or an app were saved");
    std::fs::remove_file(project.path("flows/two.yaml")).unwrap();
    terminal
        .shows("flows/two.yaml is gone")
        .shows("watching 2 flows");
    terminal
        .keys(&["q"])
        .shows("ended 0")
        .until("an echo", |screen| {
            screen.lines().any(|line| line.trim() == "echo")
        });
}

/// A watching process without a terminal, and its output so far.
struct Watching {
    process: std::process::Child,
    output: Arc<Mutex<String>>,
}

impl Watching {
    fn start(project: &Project) -> Self {
        let mut process = project
            .command(&["test", "--watch"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let parsed = Arc::new(Mutex::new(String::new()));
        let outputs: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(process.stdout.take().unwrap()),
            Box::new(process.stderr.take().unwrap()),
        ];
        for output in outputs {
            let response = Arc::clone(&parsed);
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    *response.lock().unwrap() += &format!("{line}\n");
                }
            });
        }
        Self {
            process,
            output: parsed,
        }
    }

    fn output(&self) -> String {
        self.output.lock().unwrap().clone()
    }

    #[track_caller]
    fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) {
        let end = Instant::now() + LIMIT;
        while !wanted(&self.output()) {
            assert!(Instant::now() < end, "never: {what}\n{}", self.output());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn without_a_terminal_it_watches_until_it_is_interrupted() {
    let project = two();
    let mut watching = Watching::start(&project);
    watching.until("the first run", |message| {
        count(message, "watching 2 flows") == 1
    });
    // As an editor saves: another file takes the place of this one.
    project.flow("new", PASSES);
    watching.until("a new flow", |text| count(text, "watching 3 flows") == 1);
    std::fs::rename(
        project.path("flows/two.yaml"),
        project.path("flows/two.bak"),
    )
    .unwrap();
    project.write("flows/two.tmp", &format!("app: com.example.notes\n{FAILS}"));
    std::fs::rename(
        project.path("flows/two.tmp"),
        project.path("flows/two.yaml"),
    )
    .unwrap();
    watching.until("the failure", |parsed| parsed.contains("FAIL"));
    // A hundred saves, one run or a few: never as many.
    let before = count(&watching.output(), "saved: ");
    for round in 0..100 {
        project.flow("new", &format!("{PASSES}# {round}\n"));
        std::thread::sleep(Duration::from_millis(2));
    }
    project.flow("new", "steps: [ launch, { find: Password } ]\n");
    watching.until("the last save", |response| {
        response.contains("find: Password")
    });
    let runs = count(&watching.output(), "saved: ") - before;
    assert!(runs < 50, "{runs} runs");
    let sent = Command::new("kill")
        .args(["-INT", &watching.process.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(watching.process.wait().unwrap().code(), Some(130));
}

#[test]
fn a_flow_that_is_deleted_while_it_runs_ends_and_is_told() {
    let project = two();
    project.flow(
        "slow",
        "steps:\n  - launch\n  - repeat: { times: 100, steps: [ find: Username ] }\n",
    );
    let watching = Watching::start(&project);
    watching.until("its end", |message| message.contains("watching 3 flows"));
    project.flow(
        "slow",
        "steps:\n  - launch\n  - repeat: { times: 300, steps: [ find: Username ] }\n",
    );
    watching.until("its step", |text| count(text, "ok    launch") == 1);
    std::fs::remove_file(project.path("flows/slow.yaml")).unwrap();
    watching.until("its end", |output| {
        output.contains("flows/slow.yaml is gone")
    });
    project.flow("two", FAILS);
    watching.until("another", |parsed| {
        parsed.contains("no element matches Nonsense")
    });
}
