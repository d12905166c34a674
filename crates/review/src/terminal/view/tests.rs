use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent};

use super::*;
use crate::terminal::fixture;
use crate::terminal::graphics::{Colours, Images};
use crate::terminal::keys::update;
use crate::terminal::outcome::{Outcome, apply};

fn drawn(state: &State) -> Terminal<TestBackend> {
    let (width, height) = state.size;
    let mut terminal = Terminal::new(TestBackend::new(width.max(1), height.max(1))).unwrap();
    terminal.draw(|frame| view(state, frame)).unwrap();
    terminal
}

fn text(state: &State) -> String {
    drawn(state).backend().to_string()
}

fn press(state: &mut State, keys: &str) {
    for key in keys.chars() {
        let code = match key {
            '\t' => KeyCode::Tab,
            key => KeyCode::Char(key),
        };
        update(state, &Event::Key(KeyEvent::from(code)));
    }
}

#[test]
fn wide_normal_and_small_screens() {
    for (name, size) in [
        ("120x40", (120, 40)),
        ("80x24", (80, 24)),
        ("40x12", (40, 12)),
    ] {
        insta::assert_snapshot!(name, text(&fixture::state(size)));
    }
}

#[test]
fn text_help_mask_group_and_question_at_80x24() {
    for (name, keys) in [
        ("text", "vv"),
        ("help", "?"),
        ("mask", "m"),
        ("group", "g"),
        ("question", "A"),
        ("skipped", "s"),
    ] {
        let mut state = fixture::state((80, 24));
        press(&mut state, keys);
        fixture::show(&mut state);
        insta::assert_snapshot!(name, text(&state));
    }
}

/// A person who decides about a group sees all that changed in it.
#[test]
fn a_group_lists_all_its_changes() {
    let mut state = fixture::state((80, 24));
    if let Some(queue) = &mut state.queue {
        for group in &mut queue.groups {
            group.cause.changes = vec!["the first".into(), "colour #000000 → #FF0000".into()];
        }
    }
    press(&mut state, "g");
    let text = text(&state);
    assert!(text.contains("changed in 2 ways"), "{text}");
    assert!(
        text.contains("the first") && text.contains("#FF0000"),
        "{text}"
    );
}

#[test]
fn no_size_is_too_small_to_be_drawn() {
    for width in [1, 2, 5, 13, 29, 30, 31, 44, 72] {
        for height in [1, 2, 3, 7, 8, 9, 13] {
            for keys in ["", "v", "vv", "?", "m", "A", "g"] {
                let mut state = fixture::state((width, height));
                press(&mut state, keys);
                drawn(&state);
            }
        }
    }
    let text = text(&fixture::state((14, 3)));
    assert!(text.contains("make it larger"), "{text}");
}

#[test]
fn a_screen_smaller_than_the_state_knows_is_no_panic() {
    let state = fixture::state((120, 40));
    let mut terminal = Terminal::new(TestBackend::new(30, 9)).unwrap();
    terminal.draw(|frame| view(&state, frame)).unwrap();
}

#[test]
fn without_colours_marks_say_the_same() {
    let mut state = fixture::state((100, 30));
    state.display = fixture::display(Images::None, Colours::None);
    let terminal = drawn(&state);
    let buffer = terminal.backend().buffer();
    for cell in buffer.content() {
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{cell:?}");
    }
    let text = terminal.backend().to_string();
    assert!(
        text.contains("~   2 TextView#title: text \"Settings\" → \"Preferences\""),
        "{text}"
    );
    assert!(!text.contains('▀'), "{text}");
}

#[test]
fn what_changed_and_the_flow_are_never_cut_away() {
    let mut state = fixture::state((80, 24));
    if let Some(queue) = &mut state.queue {
        queue.groups[0].cause.title = "a title that is much too long for the screen, ".repeat(3);
    }
    let case = state.case().cloned().unwrap();
    let mut case = (*case).clone();
    case.diff.lines[1].changes = vec![format!("text {} → \"the end\"", "long 漢字 ".repeat(12))];
    state.show(std::sync::Arc::new(case));
    let text = text(&state);
    assert!(text.contains("flows/about.yaml:5"), "{text}");
    assert!(text.contains("the end\""), "{text}");
}

#[test]
fn the_end_says_so_and_what_can_be_done() {
    let mut state = fixture::state((80, 24));
    state.queue = Some(crate::Queue::default());
    state.select(None);
    assert!(text(&state).contains("Nothing waits for review."));
    state.decided = 5;
    let text = text(&state);
    assert!(
        text.contains("All done: 5 decided") && text.contains("q leaves."),
        "{text}"
    );
}

#[test]
fn hostile_text_reaches_no_terminal() {
    let mut state = fixture::state((100, 30));
    if let Some(queue) = &mut state.queue {
        queue.groups[0].cause.title = "a\x1b]0;owned\x07\u{202e}b".into();
    }
    state.show_error("x\x1b[2Jy");
    let terminal = drawn(&state);
    for cell in terminal.backend().buffer().content() {
        assert!(!cell.symbol().chars().any(char::is_control), "{cell:?}");
        assert!(!cell.symbol().contains('\u{202e}'));
    }
    assert!(terminal.backend().to_string().contains("! x␛[2Jy"));
}

#[test]
fn pictures_that_the_terminal_draws_have_blank_cells() {
    let mut state = fixture::state((100, 30));
    state.display = fixture::display(Images::Kitty, Colours::True);
    let text = text(&state);
    assert!(
        text.contains("golden ")
            && text.contains("change 1 of 2: TextView#title, 1500 px")
            && !text.contains('▀'),
        "{text}"
    );
}

#[test]
fn the_golden_and_the_actual_picture_are_both_seen() {
    let terminal = drawn(&fixture::state((100, 40)));
    let buffer = terminal.backend().buffer();
    let has = |colour| {
        buffer
            .content()
            .iter()
            .any(|cell| cell.fg == colour || cell.bg == colour)
    };
    assert!(has(Color::Rgb(200, 0, 0)) && has(Color::Rgb(0, 0, 200)));
    assert!(has(Color::Rgb(230, 0, 200)), "no line around the change");
}

#[test]
fn skipped_snapshots_that_wait_no_longer_are_not_counted() {
    let mut state = fixture::state((80, 24));
    press(&mut state, "ss");
    assert!(text(&state).contains("0/5 done, 2 skipped"));
    let mut queue = fixture::queue();
    queue.groups[0].items.remove(0);
    apply(&mut state, Outcome::Queue(Ok(queue)));
    assert!(text(&state).contains("0/4 done, 1 skipped"));
}
