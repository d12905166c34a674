//! `runner review` in a terminal as a person uses it: tmux gives the terminal, and tests press keys and read
//! the screen.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::needs;
use crate::common::review::{self, ScriptedChange, scripted_change};
use crate::common::terminal::{LIMIT, Terminal};

impl Terminal {
    /// Starts `runner review ARGUMENTS` in a terminal of this size; `None` if there is no tmux.
    fn start(change: &ScriptedChange, size: (u16, u16), setting: &str) -> Option<Self> {
        // What the shell says last shows how the program ended and whether the terminal echoes again.
        let script = format!(
            "cd '{}' && env {setting} '{}' review; echo \"ended $?\"; stty -a | tr ';' '\\n' | grep -o -- '-\\?echo ' ; exec cat",
            change.project.path("").display(),
            env!("CARGO_BIN_EXE_runner"),
        );
        let terminal = Self::with_script(size, &script)?;
        terminal.shows("0/8 done");
        Some(terminal)
    }

    /// Moves to a snapshot, and waits until its case is shown.
    #[track_caller]
    fn at(&self, key: &str) -> &Self {
        let name = key.split('~').next().expect("a name");
        let line_of = |screen: &str, wanted: &dyn Fn(&str) -> bool| {
            let mut lines = screen.lines().map(queue_part);
            lines.position(wanted)
        };
        loop {
            let screen = self.screen();
            let chosen_at = line_of(&screen, &|line| line.starts_with('›'));
            let wanted_at = line_of(&screen, &|line| line.ends_with(name));
            assert!(chosen_at.is_some() && wanted_at.is_some(), "{screen}");
            if chosen_at == wanted_at {
                break;
            }
            let before = chosen(&screen);
            self.keys(&[if chosen_at < wanted_at { "j" } else { "k" }]);
            self.until("the next one", |screen| chosen(screen) != before);
        }
        self.until(key, is_ready)
    }
}

/// Returns the part of a line that belongs to the queue.
fn queue_part(line: &str) -> &str {
    line.split('│').next().unwrap_or(line).trim()
}

fn chosen(screen: &str) -> Option<&str> {
    screen
        .lines()
        .map(queue_part)
        .find(|line| line.starts_with('›'))
}

/// Returns true if the case is shown, and not still being read.
fn is_ready(screen: &str) -> bool {
    !screen.contains("reading…") && (screen.contains("golden") || screen.contains("new"))
}

fn pending(key: &str, ending: &str) -> String {
    format!("snapshots/{key}.new.{ending}")
}

/// Returns all files of goldens, and the pending ones.
fn snapshots(change: &ScriptedChange) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(change.project.path("snapshots"))
        .into_iter()
        .map(|entry| entry.expect("a file"))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().display().to_string();
            (name, std::fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

/// Returns the bytes of a golden and of its pending file.
fn sides(change: &ScriptedChange, key: &str) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    (
        change.bytes(&ScriptedChange::golden(key, "png")),
        change.bytes(&pending(key, "png")),
    )
}

/// Returns the pixels of a PNG. Bytes cannot be compared: a pending one has a mark that its golden lacks.
fn pixels(bytes: &[u8]) -> image::RgbaImage {
    image::load_from_memory(bytes)
        .expect("a picture")
        .to_rgba8()
}

#[track_caller]
fn assert_accepted(change: &ScriptedChange, key: &str, was_pending: &[u8]) {
    let golden = change
        .bytes(&ScriptedChange::golden(key, "png"))
        .expect("a golden");
    assert_eq!(pixels(&golden), pixels(was_pending), "{key}");
    assert_eq!(change.bytes(&pending(key, "png")), None, "{key}");
    assert_eq!(change.bytes(&pending(key, "tsv")), None, "{key}");
}

#[track_caller]
fn assert_rejected(change: &ScriptedChange, key: &str, golden: Option<&[u8]>) {
    let now = change.bytes(&ScriptedChange::golden(key, "png"));
    assert_eq!(now.as_deref(), golden, "{key}");
    assert_eq!(change.bytes(&pending(key, "png")), None, "{key}");
}

#[test]
fn the_cases_are_accepted_rejected_and_skipped_by_keys() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (120, 40), "TERM=screen-256color") else {
        return;
    };
    let small = sides(&change, review::SIZE);
    let form = sides(&change, review::LAYOUT);
    let home = sides(&change, review::PIXELS);
    let new = sides(&change, review::NEW);
    terminal
        .shows("0/8 done")
        .at(review::SIZE)
        .shows("720x1280 px instead of");
    terminal
        .keys(&["a"])
        .shows("accepted small/inbox")
        .shows("1/8 done");
    assert_accepted(&change, review::SIZE, &small.1.expect("pending"));
    terminal
        .at(review::LAYOUT)
        .until("the inserted row", |screen| {
            let name = format!("TextView#{}", review::INSERTED);
            screen
                .lines()
                .any(|line| line.contains("+ ") && line.contains(&name))
        });
    terminal
        .keys(&["r"])
        .shows("rejected form/empty")
        .shows("2/8 done");
    assert_rejected(&change, review::LAYOUT, form.0.as_deref());
    terminal.at(review::PIXELS).shows("no row changed");
    terminal
        .keys(&["s"])
        .shows("skipped sign-in/home")
        .shows("1 skipped");
    assert_eq!(sides(&change, review::PIXELS), home);
    terminal
        .at(review::NEW)
        .keys(&["a"])
        .shows("accepted inbox/search");
    assert_accepted(&change, review::NEW, &new.1.expect("pending"));
    // The three with the same text are one group.
    terminal.at(review::TEXT[0]).shows(review::NEW_TITLE);
    let texts = review::TEXT.map(|key| sides(&change, key).1.expect("pending"));
    terminal
        .keys(&["g"])
        .shows("GROUP: the next a, r or s is for all 3");
    terminal.keys(&["a"]).shows("accepted 3").shows("6/8 done");
    for (key, was_pending) in review::TEXT.iter().zip(texts) {
        assert_accepted(&change, key, &was_pending);
    }
    // Rejecting an obsolete golden keeps it.
    let gone = sides(&change, review::OBSOLETE).0;
    terminal
        .at(review::OBSOLETE)
        .shows("accept removes this golden, reject keeps it")
        .keys(&["r"])
        .shows("kept inbox/gone");
    assert_rejected(&change, review::OBSOLETE, gone.as_deref());
    terminal.keys(&["q"]).shows("ended 0");
    terminal.until("an echoing terminal", |screen| {
        screen.contains("\necho") && !screen.contains("-echo")
    });
    let listed = change.project.run(&["pending", "-q"]).expect(1);
    assert_eq!(listed.stdout.trim(), review::PIXELS);
}

#[test]
fn the_rest_is_decided_after_a_question() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (80, 24), "TERM=screen-256color") else {
        return;
    };
    terminal
        .at(review::OBSOLETE)
        .keys(&["s"])
        .shows("1 skipped");
    terminal.keys(&["A"]).shows("accept the remaining 7? y/n");
    terminal.keys(&["Escape"]).shows("nothing was decided");
    change.project.run(&["pending", "-q"]).expect(1);
    terminal.keys(&["R"]).shows("reject the remaining 7? y/n");
    terminal.keys(&["n"]).shows("nothing was decided");
    terminal
        .keys(&["A"])
        .shows("y/n")
        .keys(&["y"])
        .shows("accepted 7");
    terminal.keys(&["q"]).shows("ended 0");
    change.project.run(&["pending"]).expect(0);
}

#[test]
fn it_follows_the_size_of_the_terminal_and_its_help_closes() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (120, 40), "TERM=screen-256color") else {
        return;
    };
    terminal.at(review::TEXT[0]).shows("difference");
    terminal.keys(&["?"]).shows("accept, reject, skip this one");
    terminal.tmux(&["resize-window", "-t", "t", "-x", "60", "-y", "20"]);
    terminal.until("the help, narrower", |screen| {
        screen.lines().count() <= 20 && screen.contains("Esc close")
    });
    terminal.keys(&["Escape"]).until("no help", |screen| {
        !screen.contains("skip this one") && screen.contains("a accept")
    });
    terminal.tmux(&["resize-window", "-t", "t", "-x", "20", "-y", "5"]);
    terminal.shows("make it larger");
    terminal.tmux(&["resize-window", "-t", "t", "-x", "130", "-y", "45"]);
    terminal.shows("› about/page").shows("difference");
    terminal.keys(&["q"]).shows("ended 0");
    let all = terminal
        .tmux(&["capture-pane", "-p", "-S", "-", "-t", "t"])
        .1;
    assert!(!all.contains('▀') && !all.contains("accept"), "{all}");
}

/// Both come to the library that reads keys at once, and one of them could be lost.
#[test]
fn a_key_hides_no_new_size() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (120, 40), "TERM=screen-256color") else {
        return;
    };
    terminal.at(review::TEXT[0]).shows("difference");
    terminal.tmux(&["resize-window", "-t", "t", "-x", "20", "-y", "5"]);
    terminal.shows("make it larger");
    for _ in 0..5 {
        terminal.signal("-STOP");
        terminal.tmux(&["resize-window", "-t", "t", "-x", "130", "-y", "45"]);
        terminal.has_size("45 130").keys(&["?"]).signal("-CONT");
        terminal.shows("accept, reject, skip this one");
        terminal.signal("-STOP");
        terminal.tmux(&["resize-window", "-t", "t", "-x", "20", "-y", "5"]);
        terminal.has_size("5 20").keys(&["Escape"]).signal("-CONT");
        terminal.shows("make it larger");
    }
    terminal.keys(&["q"]).shows("ended 0");
}

#[test]
fn what_a_run_writes_meanwhile_is_seen_and_nothing_unseen_is_accepted() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (120, 40), "TERM=screen-256color") else {
        return;
    };
    terminal.at(review::NEW);
    change.project.run(&["reject", review::PIXELS]).expect(0);
    terminal.until("the rejected one leaves", |screen| {
        !screen.contains("sign-in/home")
    });
    terminal
        .shows("› inbox/search")
        .keys(&["q"])
        .shows("ended 0");
}

#[test]
fn the_editor_opens_the_flow_at_its_line_and_the_review_comes_back() {
    let change = scripted_change();
    change.project.write("vi", "echo \"$@\" > asked\n");
    let made_program = Command::new("chmod")
        .arg("+x")
        .arg(change.project.path("vi"))
        .status();
    assert!(made_program.is_ok_and(|status| status.success()));
    let editor = "TERM=screen-256color VISUAL=./vi";
    let Some(terminal) = Terminal::start(&change, (120, 40), editor) else {
        return;
    };
    terminal
        .at(review::LAYOUT)
        .keys(&["e"])
        .shows("edited flows/form.yaml:4");
    let requested = change.project.read("asked");
    assert!(
        requested.starts_with("+4 ") && requested.trim_end().ends_with("/flows/form.yaml"),
        "{requested}"
    );
    terminal.shows("› form/empty").keys(&["q"]).shows("ended 0");
    let Some(terminal) = Terminal::start(
        &change,
        (120, 40),
        "-u VISUAL -u EDITOR TERM=screen-256color",
    ) else {
        return;
    };
    terminal
        .at(review::LAYOUT)
        .keys(&["e"])
        .shows("flows/form.yaml:4: set $VISUAL or $EDITOR");
}

#[test]
fn what_is_taken_back_is_as_it_was_byte_for_byte() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (100, 30), "TERM=screen-256color") else {
        return;
    };
    let before = snapshots(&change);
    for (key, keys, message) in [
        (review::SIZE, &["a"][..], "accepted small/inbox"),
        (review::LAYOUT, &["a"], "accepted form/empty"),
        (review::LAYOUT, &["r"], "rejected form/empty"),
        (review::TEXT[1], &["g", "a"], "accepted 3"),
        (review::PIXELS, &["a"], "accepted sign-in/home"),
        (review::NEW, &["a"], "accepted inbox/search"),
        (review::OBSOLETE, &["a"], "removed inbox/gone"),
    ] {
        terminal.at(key).keys(keys).shows(message);
        let after = snapshots(&change);
        assert_ne!(after, before, "{key}");
        if key == review::OBSOLETE {
            let left = after.keys().find(|name| name.contains("inbox/gone"));
            assert_eq!(left, None);
        }
        terminal
            .keys(&["u"])
            .shows("taken back: ")
            .shows("0/8 done");
        // Of a group the first that waits again.
        let back = if keys == ["g", "a"] {
            review::TEXT[0]
        } else {
            key
        };
        let name = back.split('~').next().expect("a name");
        terminal.shows(&format!("› {name}"));
        assert!(snapshots(&change) == before, "{key} is not as it was");
    }
    terminal.keys(&["u"]).shows("there is nothing to take back");
    terminal.keys(&["q"]).shows("ended 0");
}

#[test]
fn a_mask_is_written_into_the_flow_and_its_comments_stay() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (100, 30), "TERM=screen-256color") else {
        return;
    };
    let before = snapshots(&change);
    let written = "\
steps:
  - launch: { activity: .Form }
  - snapshot:   # nothing is filled in
      name: empty
      mask: [ { id: notice } ]
";
    terminal
        .at(review::LAYOUT)
        .shows("change 1 of 5: TextView#notice")
        .keys(&["m"])
        .shows("mask in the flow")
        .keys(&["Escape"])
        .shows("no mask was written")
        .keys(&["m"])
        .shows("mask in the flow")
        .keys(&["Enter"])
        .shows("masked { id: notice } at flows/form.yaml:6; run the flow again");
    let flow = change.project.read("flows/form.yaml");
    assert!(flow.ends_with(written), "{flow}");
    assert!(snapshots(&change) == before);
    terminal.shows("› form/empty").keys(&["q"]).shows("ended 0");
}

#[test]
fn tab_goes_to_the_next_change_and_v_through_the_views() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (80, 24), "TERM=screen-256color") else {
        return;
    };
    terminal.at(review::LAYOUT).shows("change 1 of 5: ");
    terminal.keys(&["Tab"]).shows("change 2 of 5: ");
    terminal.keys(&["BTab"]).shows("change 1 of 5: ");
    terminal.keys(&["BTab"]).shows("the whole picture");
    terminal.keys(&["v"]).until("one picture", |screen| {
        screen.contains("│actual") && !screen.contains("difference") && screen.contains('▀')
    });
    terminal
        .keys(&["Right"])
        .shows("│difference")
        .keys(&["v"])
        .until("the rows alone", |screen| {
            screen.contains("1 window com.example.notes") && !screen.contains('▀')
        });
    terminal.keys(&["v"]).until("all three", |screen| {
        ["golden", "actual", "difference"]
            .iter()
            .all(|name| screen.contains(name))
    });
    terminal.keys(&["q"]).shows("ended 0");
}

#[test]
fn what_a_run_proposes_anew_is_not_accepted_unseen() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (120, 40), "TERM=screen-256color") else {
        return;
    };
    terminal
        .at(review::LAYOUT)
        .shows("\"Others can read this\"");
    let (golden, old) = sides(&change, review::LAYOUT);
    // While it stands still a run proposes another picture; the key was pressed before that could be seen.
    terminal.signal("-STOP");
    change.project.replace(
        "apps/demo/form.yaml",
        "Others can read this",
        "Nobody can read this",
    );
    change.project.run(&["test", "flows/form.yaml"]).expect(1);
    let new = sides(&change, review::LAYOUT).1.expect("it waits");
    assert!(Some(&new) != old.as_ref());
    terminal.keys(&["a"]).signal("-CONT");
    terminal
        .shows("look again: a run proposed another form/empty since")
        .until("the new one", |screen| {
            screen.contains("\"Nobody can read this\"") && is_ready(screen)
        });
    assert!(sides(&change, review::LAYOUT) == (golden, Some(new.clone())));
    terminal.keys(&["a"]).shows("accepted form/empty");
    assert_accepted(&change, review::LAYOUT, &new);
    terminal.keys(&["q"]).shows("ended 0");
}

#[test]
fn the_shell_stops_it_and_brings_it_back() {
    let change = scripted_change();
    let script = format!(
        "cd '{}' && PS1='ready> ' exec bash --norc --noprofile -i",
        change.project.path("").display()
    );
    if !needs::program("bash") {
        return;
    }
    let Some(terminal) = Terminal::with_script((100, 30), &script) else {
        return;
    };
    let review = format!("'{}' review", env!("CARGO_BIN_EXE_runner"));
    terminal
        .shows("ready>")
        .keys(&[&review, "Enter"])
        .shows("0/8 done");
    terminal
        .keys(&["C-z"])
        .until("the shell", |screen| {
            screen.contains("Stopped") && !screen.contains("0/8 done")
        })
        .keys(&["fg", "Enter"])
        .shows("0/8 done")
        .at(review::NEW)
        .keys(&["q"])
        .until("the shell again", |screen| {
            screen.trim_end().ends_with("ready>") && !screen.contains("0/8 done")
        });
}

#[test]
fn a_signal_ends_it_and_restores_the_terminal() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (80, 24), "TERM=screen-256color") else {
        return;
    };
    terminal.shows("0/8 done");
    let process = terminal.process().expect("the review");
    let killed = Command::new("kill")
        .arg(&process)
        .status()
        .expect("kill runs");
    assert!(killed.success());
    terminal
        .shows("ended 0")
        .until("an echoing terminal", |screen| {
            screen.contains("\necho") && !screen.contains("-echo")
        });
}

#[test]
fn a_terminal_that_vanishes_ends_it_and_leaves_every_golden_whole() {
    let change = scripted_change();
    let Some(terminal) = Terminal::start(&change, (120, 40), "TERM=screen-256color") else {
        return;
    };
    let before: Vec<_> = review::TEXT.iter().map(|key| sides(&change, key)).collect();
    terminal.at(review::TEXT[0]);
    let process = terminal.process().expect("the review");
    terminal.keys(&["g"]).shows("GROUP").keys(&["a"]);
    terminal.tmux(&["kill-session", "-t", "t"]);
    let end = Instant::now() + LIMIT;
    while Command::new("kill")
        .args(["-0", &process])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
    {
        assert!(
            Instant::now() < end,
            "process {process} lives on without a terminal"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    // Whatever was reached: each is old or new, and whole; the next start finds nothing half done.
    change.project.run(&["pending", "-q"]);
    for (key, (golden, was_pending)) in review::TEXT.iter().zip(before) {
        let now = pixels(
            &change
                .bytes(&ScriptedChange::golden(key, "png"))
                .expect("a golden"),
        );
        let old = pixels(&golden.expect("it was there"));
        let new = pixels(&was_pending.expect("it waited"));
        assert!(now == old || now == new, "{key} is neither");
    }
}

#[test]
fn without_colours_there_are_words_and_marks() {
    let change = scripted_change();
    let setting = "TERM=screen-256color NO_COLOR=1";
    let Some(terminal) = Terminal::start(&change, (80, 24), setting) else {
        return;
    };
    terminal.at(review::TEXT[0]).shows("~ ");
    let screen = terminal.tmux(&["capture-pane", "-p", "-e", "-t", "t"]).1;
    // 39 and 49 are the terminal's own.
    let colour =
        regex::Regex::new("\x1b\\[([0-9;]*;)?([349][0-8]|10[0-7])[;m]").expect("a pattern");
    assert!(
        !screen.contains('▀') && !colour.is_match(&screen),
        "{screen}"
    );
    terminal.keys(&["q"]).shows("ended 0");
}

#[test]
fn without_a_terminal_it_says_what_to_run() {
    let change = scripted_change();
    change
        .project
        .run(&["review"])
        .expect(1)
        .says("runner accept KEY")
        .says("runner review --web");
}
