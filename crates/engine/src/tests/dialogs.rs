//! Tests of searches below dialogs that a rule answers.

use super::*;

/// A session with a rule that presses BACK where the screen shows `Ask`.
fn answering(fake: &Arc<Fake>) -> Session {
    let rule = DialogRule {
        when: selector("Ask".into()),
        app: None,
        answer: DialogAnswer::Press("BACK".parse().unwrap()),
        place: 0,
    };
    session(fake).with_dialogs(Arc::from([rule]))
}

/// The app's window, and above it that of the dialog with `Ask` and more.
fn below_dialog(app: &str, dialog: &str) -> String {
    let window = |number: u32, inside: &str| {
        format!(
            r#"<window id="{number}" type="1" layer="{number}"><hierarchy rotation="0">{inside}</hierarchy></window>"#
        )
    };
    let dialog = window(1, &format!("{}{dialog}", button("Ask", 1000)));
    let app = window(0, app);
    format!(r#"<displays><display id="0">{app}{dialog}</display></displays>"#)
}

/// Fails if anything but the keys of answers was sent.
fn assert_untouched(fake: &Arc<Fake>) {
    let inputs = fake.inputs();
    let is_answer = |input: &Input| matches!(input, Input::Key { .. } | Input::Pause(_));
    assert!(inputs.iter().all(is_answer), "{inputs:?}");
}

#[tokio::test]
async fn what_is_below_a_dialog_is_neither_found_nor_missing() {
    let (row, lower_row, other) = (button("Row", 100), button("Row", 300), button("Other", 100));
    let (below, hidden) = (below_dialog(&row, ""), below_dialog("", ""));
    let (inside, both) = (below_dialog("", &row), below_dialog(&row, &lower_row));
    let max = MAX_DIALOG_ANSWERS;
    // The looks, how many rows are found unless the dialog is the error, and how often it is answered.
    let table = [
        ("there", vec![&row], Some(1), 0),
        ("missing", vec![&other], Some(0), 0),
        ("below", vec![&below, &row], Some(1), 1),
        ("below twice", vec![&below, &below, &row], Some(1), 2),
        ("hidden", vec![&hidden, &row], Some(1), 1),
        ("missing behind", vec![&hidden, &other], Some(0), 1),
        ("below what stays", vec![&below], None, max),
        ("hidden by what stays", vec![&hidden], None, max),
        ("in the dialog", vec![&inside], Some(1), 0),
        ("below it and in it", vec![&both], Some(1), 0),
    ];
    let rows = selector("Row".into());
    for (name, looks, count, answers) in table {
        let fake = Fake::showing([]);
        let looks = looks.into_iter().cloned().map(Ok::<_, DeviceError>);
        fake.with(|state| state.looks.extend(looks));
        let session = answering(&fake);
        let found = match session.look_for(|screen| rows.find(screen)).await {
            Ok((_, found)) => Some(found.len()),
            Err(EngineError::DialogHides { .. }) => None,
            Err(error) => panic!("{name}: {error}"),
        };
        assert_eq!(found, count, "{name}");
        assert_eq!(session.take_dialogs().len(), answers, "{name}");
        assert_untouched(&fake);
    }
}

#[tokio::test]
async fn an_element_below_a_dialog_is_scrolled_to_after_the_answer() {
    let rows = list(0..10);
    let below = below_dialog(&rows, "");
    let fake = Fake::showing([&rows, &below, &rows]);
    let session = answering(&fake);
    let found = session.find(&selector("row 3".into()), LIMIT).await;
    let (screen, index) = found.unwrap();
    let id = screen.node(index).id();
    let reached = session.scroll_to_id(&id).await.unwrap();
    assert_eq!(reached.scrolls, 0);
    assert_eq!(session.take_dialogs().len(), 1);
}

#[tokio::test]
async fn nothing_scrolls_below_a_dialog_that_stays() {
    let (rows, below) = (list(0..10), below_dialog(&list(0..10), ""));
    let fake = Fake::showing([&rows, &below]);
    let session = answering(&fake);
    let found = session.find(&selector("row 3".into()), LIMIT).await;
    let (screen, index) = found.unwrap();
    let by_id = session.scroll_to_id(&screen.node(index).id()).await;
    let by_selector = session.scroll_to(&selector("row 30".into()), down()).await;
    for error in [by_id.unwrap_err(), by_selector.unwrap_err()] {
        let is_dialog = matches!(error, EngineError::DialogHides { .. });
        assert!(is_dialog, "{error}");
    }
    assert_untouched(&fake);
}
