use std::sync::Arc;

use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::*;
use crate::terminal::fixture::{self, NEW, OBSOLETE, TEXTS, key};
use crate::terminal::outcome::{Outcome, apply};
use crate::terminal::panels;
use crate::terminal::state::{Focus, Mode, PictureSide, Popup};
use crate::{Case, FlowPlace, MaskTarget, RejectResult, UndoResult};
use runner_screen::Rect;
use runner_snapshot::{AcceptResult, GoldenKey, SnapshotError};

fn state() -> State {
    fixture::state((120, 40))
}

fn press(state: &mut State, keys: &str) -> Option<Action> {
    let mut last = None;
    for name in keys.split(' ') {
        let code = match name {
            "Tab" => KeyCode::Tab,
            "BackTab" => KeyCode::BackTab,
            "Esc" => KeyCode::Esc,
            "Enter" => KeyCode::Enter,
            "Home" => KeyCode::Home,
            "End" => KeyCode::End,
            "PageDown" => KeyCode::PageDown,
            "Right" => KeyCode::Right,
            "Left" => KeyCode::Left,
            name => KeyCode::Char(name.chars().next().unwrap()),
        };
        last = update(state, &Event::Key(KeyEvent::from(code)));
    }
    last
}

fn keys(texts: &[&str]) -> Vec<GoldenKey> {
    texts.iter().map(|text| key(text)).collect()
}

fn selected(state: &State) -> String {
    state
        .selected
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn message(state: &State) -> &str {
    state.message.as_ref().map_or("", |message| &message.text)
}

#[test]
fn keys_ask_for_what_they_say() {
    let all = keys(&[TEXTS[0], TEXTS[1], TEXTS[2], NEW, OBSOLETE]);
    let place = FlowPlace {
        file: "flows/about.yaml".into(),
        line: 5,
        column: 5,
    };
    for (pressed, expected) in [
        ("a", Some(Action::Accept(keys(&[TEXTS[0]])))),
        ("r", Some(Action::Reject(keys(&[TEXTS[0]])))),
        ("g a", Some(Action::Accept(keys(&TEXTS)))),
        ("g r", Some(Action::Reject(keys(&TEXTS)))),
        ("g Esc a", Some(Action::Accept(keys(&[TEXTS[0]])))),
        ("g g r", Some(Action::Reject(keys(&[TEXTS[0]])))),
        ("A", None),
        ("A y", Some(Action::Accept(all.clone()))),
        ("R y", Some(Action::Reject(all))),
        ("A Enter", None),
        ("A n", None),
        ("R Esc", None),
        ("u", Some(Action::Undo)),
        ("e", Some(Action::Edit(place))),
        ("m", None),
        ("m Esc", None),
        (
            "m Enter",
            Some(Action::Mask(key(TEXTS[0]), MaskTarget::Row(2))),
        ),
        (
            // The row around it would cover more than a run allows.
            "m j Enter",
            Some(Action::Mask(
                key(TEXTS[0]),
                MaskTarget::Area(Rect::new(12, 12, 80, 28)),
            )),
        ),
        ("q", Some(Action::Leave)),
        ("? q", None),
        ("? a", None),
        ("Esc", None),
        ("x", None),
    ] {
        let mut state = state();
        assert_eq!(press(&mut state, pressed), expected, "{pressed}");
    }
}

#[test]
fn escape_never_decides_and_only_closes() {
    for before in ["?", "A", "R", "m", "g"] {
        let mut state = state();
        press(&mut state, before);
        assert_eq!(press(&mut state, "Esc"), None);
        assert!(state.popup.is_none() && !state.whole_group, "{before}");
        assert_eq!(press(&mut state, "Esc"), None);
        assert_eq!((state.waiting(), state.decided), (5, 0));
    }
}

#[test]
fn with_control_or_alt_a_letter_decides_nothing() {
    for modifier in [KeyModifiers::CONTROL, KeyModifiers::ALT] {
        for letter in ['a', 'r', 's', 'y', 'q'] {
            let mut state = state();
            let event = Event::Key(KeyEvent::new(KeyCode::Char(letter), modifier));
            assert_eq!(update(&mut state, &event), None);
            assert!(state.skipped.is_empty());
        }
    }
    let interrupt = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert_eq!(update(&mut state(), &interrupt), Some(Action::Leave));
    let pasted = Event::Paste("aaaa".into());
    assert_eq!(update(&mut state(), &pasted), None);
}

#[test]
fn what_is_not_shown_is_not_decided_about() {
    let mut state = state();
    press(&mut state, "j");
    assert_eq!(press(&mut state, "a"), None);
    assert!(message(&state).contains("not shown yet"));
    fixture::show(&mut state);
    assert_eq!(
        press(&mut state, "a"),
        Some(Action::Accept(keys(&[TEXTS[1]])))
    );
}

#[test]
fn moving_stays_within_the_queue() {
    let mut state = state();
    for (pressed, expected) in [
        ("k", TEXTS[0]),
        ("j", TEXTS[1]),
        ("End", OBSOLETE),
        ("j", OBSOLETE),
        ("k", NEW),
        ("Home", TEXTS[0]),
    ] {
        press(&mut state, pressed);
        assert_eq!(selected(&state), expected, "{pressed}");
    }
}

#[test]
fn another_group_ends_the_choice_of_the_group() {
    let mut state = state();
    press(&mut state, "g j");
    assert!(state.whole_group);
    press(&mut state, "End");
    assert!(!state.whole_group);
}

#[test]
fn tab_goes_through_the_changes_and_the_whole() {
    let mut state = state();
    let mut observed = vec![state.focus];
    for _ in 0..3 {
        press(&mut state, "Tab");
        observed.push(state.focus);
    }
    let expected = [
        Focus::Place(0),
        Focus::Place(1),
        Focus::FullPicture,
        Focus::Place(0),
    ];
    assert_eq!(observed, expected);
    press(&mut state, "BackTab");
    assert_eq!(state.focus, Focus::FullPicture);
    press(&mut state, "BackTab");
    assert_eq!(state.focus, Focus::Place(1));
}

#[test]
fn views_follow_each_other_and_sides_too() {
    let mut state = state();
    let mut modes = Vec::new();
    for _ in 0..3 {
        press(&mut state, "v");
        modes.push(state.mode);
    }
    assert_eq!(modes, [Mode::Large, Mode::Text, Mode::Side]);
    let mut sides = Vec::new();
    for pressed in ["Right", "Right", "Left"] {
        press(&mut state, pressed);
        sides.push(state.side);
    }
    assert_eq!(
        sides,
        [
            PictureSide::Difference,
            PictureSide::Golden,
            PictureSide::Difference
        ]
    );
}

#[test]
fn skipping_passes_over_and_is_taken_back() {
    let mut state = state();
    press(&mut state, "s");
    assert_eq!(selected(&state), TEXTS[1]);
    assert_eq!((state.waiting(), state.decided), (5, 0));
    press(&mut state, "A");
    assert!(
        matches!(&state.popup, Some(Popup::Confirm { keys, removed: 1, .. }) if keys.len() == 4)
    );
    press(&mut state, "n");
    assert_eq!(press(&mut state, "u"), None);
    assert_eq!(selected(&state), TEXTS[0]);
    assert!(state.skipped.is_empty() && message(&state).contains("not skipped any more"));
    press(&mut state, "S");
    assert!(message(&state).contains("q leaves"), "{}", message(&state));
    assert_eq!(press(&mut state, "A"), None);
    assert!(state.popup.is_none());
    assert_eq!(press(&mut state, "u"), None);
    assert!(state.skipped.is_empty());
}

#[test]
fn what_is_skipped_already_is_no_further_step_to_undo() {
    let mut state = state();
    press(&mut state, "s k s");
    assert_eq!(message(&state), "skipped already");
    assert_eq!(selected(&state), TEXTS[1]);
    press(&mut state, "u");
    assert!(state.skipped.is_empty(), "{}", message(&state));
}

fn accepted(state: &mut State, texts: &[&str]) {
    let done = AcceptResult {
        accepted: keys(texts),
        ..AcceptResult::default()
    };
    apply(state, Outcome::Accepted(Ok(done)));
}

#[test]
fn a_decision_shows_the_next_and_undo_says_what_came_back() {
    let mut state = state();
    accepted(&mut state, &TEXTS[..1]);
    assert_eq!((selected(&state).as_str(), state.decided), (TEXTS[1], 1));
    assert_eq!(message(&state), "accepted about/page; u takes it back");
    accepted(&mut state, &TEXTS[1..]);
    assert_eq!((selected(&state).as_str(), state.decided), (NEW, 3));
    assert_eq!(press(&mut state, "u"), Some(Action::Undo));
    apply(
        &mut state,
        Outcome::Undone(Ok(UndoResult {
            keys: keys(&TEXTS[1..]),
            mask: None,
        })),
    );
    assert_eq!(
        message(&state),
        "taken back: 2 wait again, general/page and others"
    );
    assert_eq!(state.decided, 1);
    apply(&mut state, Outcome::Queue(Ok(fixture::queue())));
    assert_eq!(selected(&state), TEXTS[1]);
    apply(&mut state, Outcome::Undone(Ok(UndoResult::default())));
    assert_eq!(message(&state), "there is nothing to take back");
}

#[test]
fn the_last_decision_leaves_an_empty_review_that_still_answers() {
    let mut state = state();
    accepted(&mut state, &[TEXTS[0], TEXTS[1], TEXTS[2], NEW, OBSOLETE]);
    assert_eq!((state.selected.clone(), state.waiting()), (None, 0));
    for pressed in [
        "a", "r", "s", "A", "R", "S", "g", "m", "e", "v", "Tab", "j", "Home", "End", "PageDown",
    ] {
        assert_eq!(press(&mut state, pressed), None, "{pressed}");
        assert!(state.popup.is_none());
    }
    assert_eq!(press(&mut state, "u"), Some(Action::Undo));
    assert_eq!(press(&mut state, "q"), Some(Action::Leave));
}

#[test]
fn a_queue_read_anew_keeps_what_is_looked_at() {
    let mut state = state();
    press(&mut state, "j");
    fixture::show(&mut state);
    press(&mut state, "Tab");
    let mut queue = fixture::queue();
    queue.groups.swap(0, 2);
    apply(&mut state, Outcome::Queue(Ok(queue.clone())));
    assert_eq!(
        (selected(&state).as_str(), state.focus),
        (TEXTS[1], Focus::Place(1))
    );
    // The same case read again changes nothing; one that went away gives way to its neighbour.
    fixture::show(&mut state);
    assert_eq!(state.focus, Focus::Place(1));
    queue.groups[2].items.remove(1);
    apply(&mut state, Outcome::Queue(Ok(queue)));
    assert_eq!(selected(&state), TEXTS[2]);
    assert!(state.case().is_none());
}

#[test]
fn the_message_says_what_was_removed_and_what_was_kept() {
    let mut state = state();
    accepted(&mut state, &[TEXTS[0], TEXTS[1], TEXTS[2], OBSOLETE]);
    let expected = "accepted 3, removed inbox/gone; u takes all back";
    assert_eq!(message(&state), expected);
    let mut state = fixture::state((120, 40));
    let rejected = RejectResult {
        rejected: keys(&[NEW, OBSOLETE]),
        ..RejectResult::default()
    };
    apply(&mut state, Outcome::Rejected(Ok(rejected)));
    let expected = "rejected inbox/search, kept inbox/gone; u takes all back";
    assert_eq!(message(&state), expected);
}

#[test]
fn what_a_run_proposed_anew_is_to_be_looked_at_again() {
    let fresh = || {
        let mut case = (*fixture::case(&key(TEXTS[0]))).clone();
        case.item.version = "another".to_owned();
        Arc::new(case)
    };
    let text = "look again: a run proposed another about/page since";
    // It comes while the old one is looked at.
    let mut displayed = state();
    apply(&mut displayed, Outcome::Case(key(TEXTS[0]), Ok(fresh())));
    assert_eq!(message(&displayed), text);
    // A decision about the old one is refused; nothing is decided until the new one is shown.
    let mut old = state();
    let refused = AcceptResult {
        refused: vec![(key(TEXTS[0]), SnapshotError::LookAgain(TEXTS[0].to_owned()))],
        ..AcceptResult::default()
    };
    apply(&mut old, Outcome::Accepted(Ok(refused)));
    assert_eq!((message(&old), old.decided), (text, 0));
    assert_eq!(press(&mut old, "a"), None);
    apply(&mut old, Outcome::Case(key(TEXTS[0]), Ok(fresh())));
    assert!(matches!(press(&mut old, "a"), Some(Action::Accept(_))));
}

#[test]
fn what_somebody_else_decided_leaves_with_a_word() {
    let mut state = state();
    let mut queue = fixture::queue();
    queue.groups[0].items.remove(0);
    apply(&mut state, Outcome::Queue(Ok(queue)));
    assert_eq!(selected(&state), TEXTS[1]);
    assert!(message(&state).contains("about/page does not wait any more"));
}

#[test]
fn a_case_that_comes_late_is_not_shown() {
    let mut state = state();
    press(&mut state, "j");
    let late = fixture::case(&key(TEXTS[0]));
    apply(
        &mut state,
        Outcome::Case(key(TEXTS[0]), Ok(Arc::clone(&late))),
    );
    assert!(state.case().is_none());
}

fn mouse(kind: MouseEventKind, column: u16, row: u16) -> Event {
    Event::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    })
}

fn click_at(state: &mut State, column: u16, row: u16) -> Option<Action> {
    update(
        state,
        &mouse(MouseEventKind::Down(MouseButton::Left), column, row),
    )
}

#[test]
fn a_click_selects_what_is_under_it() {
    let mut state = state();
    let areas = state.areas().unwrap();
    // The queue: a group's head, then its items.
    assert_eq!(click_at(&mut state, 5, areas.queue.y + 2), None);
    assert_eq!(selected(&state), TEXTS[1]);
    assert_eq!(click_at(&mut state, 5, areas.queue.y + 4), None);
    assert_eq!(selected(&state), NEW);
    press(&mut state, "Home");
    fixture::show(&mut state);
    // The picture: the whole of it, then the second change in it.
    press(&mut state, "Tab Tab");
    let panel = panels::panels(&state).remove(0);
    let scale = panel.size.1 / 200;
    let place = (
        panel.cells.x + (45 * scale) as u16,
        panel.cells.y + (165 * scale / 2) as u16,
    );
    let hit = panels::pixel_at(&state, place.0, place.1);
    if hit.is_some() {
        click_at(&mut state, place.0, place.1);
    }
    // The rows: the first line is a remark.
    click_at(&mut state, areas.rows.x + 3, areas.rows.y + 2);
    assert!(matches!(state.focus, Focus::Row(_)), "{:?}", state.focus);
    // The keys.
    assert_eq!(
        click_at(&mut state, 0, areas.keys.y),
        Some(Action::Accept(keys(&[TEXTS[0]])))
    );
    assert_eq!(click_at(&mut state, 119, areas.keys.y), None);
}

#[test]
fn a_click_into_a_picture_looks_at_the_change_there() {
    let mut state = fixture::state((160, 120));
    press(&mut state, "v Tab Tab");
    assert_eq!(state.focus, Focus::FullPicture);
    let panel = panels::panels(&state).remove(0);
    let at = |x: u32, y: u32| {
        (
            panel.cells.x + (x * panel.size.0 / 100) as u16,
            panel.cells.y + (y * panel.size.1 / 200 / 2) as u16,
        )
    };
    let (column, row) = at(45, 165);
    click_at(&mut state, column, row);
    assert_eq!(state.focus, Focus::Place(1));
}

#[test]
fn the_wheel_moves_what_is_under_it() {
    let mut state = state();
    let areas = state.areas().unwrap();
    update(
        &mut state,
        &mouse(MouseEventKind::ScrollDown, 3, areas.queue.y),
    );
    assert_eq!(selected(&state), TEXTS[1]);
    fixture::show(&mut state);
    update(
        &mut state,
        &mouse(
            MouseEventKind::ScrollDown,
            areas.pictures.x,
            areas.pictures.y,
        ),
    );
    assert_eq!(state.focus, Focus::Place(1));
    press(&mut state, "v v");
    let small = Event::Resize(80, 8);
    update(&mut state, &small);
    let areas = state.areas().unwrap();
    update(
        &mut state,
        &mouse(MouseEventKind::ScrollDown, areas.rows.x, areas.rows.y),
    );
    assert!(state.scroll > 0);
}

#[test]
fn masks_of_what_is_not_shown_any_more_cannot_be_chosen() {
    let mut state = state();
    press(&mut state, "m");
    assert!(matches!(state.popup, Some(Popup::Mask { .. })));
    let displayed = state.selected.clone().unwrap();
    let mut other = Case::clone(&fixture::case(&displayed));
    other.item.version = "of another run".to_owned();
    apply(&mut state, Outcome::Case(displayed, Ok(Arc::new(other))));
    assert!(state.popup.is_none());
    assert_eq!(press(&mut state, "Enter"), None);
}
