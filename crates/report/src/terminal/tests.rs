use super::*;
use crate::read_stream;
use crate::testing::{SharedBuffer, cloud_device, every_ending, one_flow};

fn render(events: &[Event], style: TerminalStyle, verbosity: Verbosity, base: &str) -> String {
    let shared = SharedBuffer::default();
    let mut terminal = Terminal::new(
        Box::new(shared.clone()),
        style,
        verbosity,
        Some(base.into()),
    );
    for event in events {
        terminal.on(event).unwrap();
    }
    shared.text()
}

fn render_plain(events: &[Event], verbosity: Verbosity) -> String {
    render(events, TerminalStyle::PLAIN, verbosity, "/work/app")
}

#[test]
fn one_flow_shows_its_steps() {
    insta::assert_snapshot!(render_plain(&one_flow(), Verbosity::Normal));
}

#[test]
fn one_flow_verbose_shows_what_steps_cost() {
    insta::assert_snapshot!(render_plain(&one_flow(), Verbosity::Verbose));
}

#[test]
fn one_flow_quiet_shows_its_failure() {
    insta::assert_snapshot!(render_plain(&one_flow(), Verbosity::Quiet));
}

#[test]
fn many_flows_show_a_line_each() {
    insta::assert_snapshot!(render_plain(&every_ending(), Verbosity::Normal));
}

#[test]
fn many_flows_verbose_show_their_steps() {
    insta::assert_snapshot!(render_plain(&every_ending(), Verbosity::Verbose));
}

#[test]
fn many_flows_quiet_show_failures_and_the_summary() {
    insta::assert_snapshot!(render_plain(&every_ending(), Verbosity::Quiet));
}

#[test]
fn a_session_is_told_once() {
    let lines = |verbosity| {
        let text = render_plain(&cloud_device(), verbosity);
        let lines = text.lines().filter(|line| line.starts_with("session"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(Verbosity::Verbose),
        [
            "session of cloud-1: s-1, https://cloud.example/s/1",
            "session of cloud-1: s-2"
        ]
    );
    assert!(lines(Verbosity::Normal).is_empty());
}

#[test]
fn colours_change_nothing_but_colour() {
    let style = TerminalStyle {
        color: true,
        ..TerminalStyle::PLAIN
    };
    for events in [one_flow(), every_ending()] {
        for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
            let coloured = render(&events, style, verbosity, "/work/app");
            let without = render_plain(&events, verbosity);
            assert!(coloured.contains("\u{1b}[31m"), "failures are red");
            assert_eq!(console::strip_ansi_codes(&coloured), without);
            assert!(!without.contains('\u{1b}'), "also not from the app");
        }
    }
}

#[test]
fn who_watches_is_told_of_keys() {
    let style = TerminalStyle {
        repetition: Repetition::Keys,
        ..TerminalStyle::PLAIN
    };
    for events in [one_flow(), every_ending()] {
        let text = render(&events, style, Verbosity::Normal, "/work/app");
        let next = text.lines().find(|line| line.contains("next: "));
        let next = next.expect("what failed has a next step");
        assert!(!next.contains("runner "), "{next}");
    }
}

// `--last-failed` alone finds no flow outside of the project's, and takes the project's own devices.
#[test]
fn who_named_what_runs_is_told_to_name_it_again() {
    let style = TerminalStyle {
        repetition: Repetition::SameArguments,
        ..TerminalStyle::PLAIN
    };
    for (verbosity, expected) in [
        (
            Verbosity::Normal,
            "  next: the same command with -v tells more",
        ),
        (
            Verbosity::Quiet,
            "  next: the same command with -v in place of -q tells more",
        ),
    ] {
        let text = render(&one_flow(), style, verbosity, "/work/app");
        assert!(text.lines().any(|line| line == expected), "{text}");
    }
}

#[test]
fn paths_are_shown_from_where_the_person_is() {
    let text = render(
        &one_flow(),
        TerminalStyle::PLAIN,
        Verbosity::Verbose,
        "/work/app/flows",
    );
    assert!(text.contains("--> login.yaml:7:5"), "{text}");
    assert!(
        text.contains(" /work/app/.runner/artifacts/flows/login.yaml/virtual/1/screen.png\n"),
        "{text}"
    );
}

#[test]
fn a_saved_stream_shows_the_same() {
    let events = every_ending();
    let mut saved = Vec::new();
    for event in &events {
        serde_json::to_writer(&mut saved, event).unwrap();
        saved.push(b'\n');
    }
    let read: Vec<Event> = read_stream(saved.as_slice()).map(Result::unwrap).collect();
    assert_eq!(
        render_plain(&read, Verbosity::Verbose),
        render_plain(&events, Verbosity::Verbose)
    );
}

/// Terminal that collects what is drawn on it.
#[derive(Clone, Default)]
struct FakeTerminal(std::sync::Arc<std::sync::Mutex<String>>);

impl std::fmt::Debug for FakeTerminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FakeTerminal")
    }
}

impl indicatif::TermLike for FakeTerminal {
    fn width(&self) -> u16 {
        80
    }
    fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
        Ok(())
    }
    fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
        Ok(())
    }
    fn write_line(&self, line: &str) -> std::io::Result<()> {
        self.write_str(line)
    }
    fn write_str(&self, text: &str) -> std::io::Result<()> {
        self.0.lock().unwrap().push_str(text);
        Ok(())
    }
    fn clear_line(&self) -> std::io::Result<()> {
        self.0.lock().unwrap().push_str("<clear>");
        Ok(())
    }
    fn flush(&self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_moves_is_drawn_apart_and_cleared_in_the_end() {
    for (events, expected) in [(every_ending(), "/8"), (one_flow(), "launch")] {
        let drawn = FakeTerminal::default();
        let shared = SharedBuffer::default();
        let style = TerminalStyle {
            live: true,
            ..TerminalStyle::PLAIN
        };
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(drawn.clone()), 255);
        let mut terminal = Terminal::new(
            Box::new(shared.clone()),
            style,
            Verbosity::Normal,
            Some("/work/app".into()),
        )
        .drawn_on(target);
        for event in &events {
            terminal.on(event).unwrap();
        }
        drop(terminal);
        assert_eq!(
            shared.text(),
            render_plain(&events, Verbosity::Normal),
            "the lines that stay are the same"
        );
        let drawn = drawn.0.lock().unwrap();
        assert!(drawn.contains(expected), "{drawn}");
        assert!(drawn.trim_end().ends_with("<clear>"), "{drawn}");
    }
}

// The bar named the step of one flow though several were running.
#[test]
fn each_device_that_works_has_a_line() {
    let id = |device: &str, flow: &str| FlowId {
        flow: format!("flows/{flow}.yaml").into(),
        case: None,
        repeat: None,
        device: device.to_owned(),
        attempt: 1,
    };
    let drawn = FakeTerminal::default();
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(drawn.clone()), 255);
    let mut progress = Progress::new(target, 60);
    progress.plan(3);
    let long = "x".repeat(200);
    for (device, flow, title) in [
        ("pixel", "login", "click: Sign in"),
        ("tablet", "pay", "scroll_to: Total"),
        ("old\u{1b}[2J", "late", long.as_str()),
    ] {
        let id = id(device, flow);
        progress.begin(&id);
        progress.step(&id, title);
    }
    let text = drawn.0.lock().unwrap().clone();
    for line in [
        "  pixel  login: click: Sign in",
        "  tablet  pay: scroll_to: Total",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("\u{1b}[2J"), "{text}");
    assert!(
        !text.contains(&"x".repeat(60)),
        "a line that would wrap: {text}"
    );
    progress.clear();
}

#[test]
fn nothing_moves_where_it_may_not() {
    for (style, verbosity) in [
        (TerminalStyle::PLAIN, Verbosity::Normal),
        (
            TerminalStyle {
                live: true,
                ..TerminalStyle::PLAIN
            },
            Verbosity::Quiet,
        ),
    ] {
        let terminal = Terminal::new(Box::new(SharedBuffer::default()), style, verbosity, None);
        assert!(terminal.progress.is_hidden());
    }
}
