//! Tests of fields that show a hint.

use super::*;

/// A device with a field whose hint is `Search`, which the dump has as text while the field is empty. It takes
/// nothing unless `hears`.
fn hinted_field(content: &str, focused: bool, hears: bool) -> Arc<Fake> {
    let displayed = |content: &str, focused: bool| {
        let text = if content.is_empty() {
            "Search"
        } else {
            content
        };
        field(&format!(r#"focused="{focused}" hint="Search""#), text)
    };
    let fake = Fake::showing([&displayed(content, focused)]);
    let state = Mutex::new((content.to_owned(), focused));
    fake.on_input(move |input| {
        let mut state = state.lock().unwrap();
        match input {
            _ if !hears => return None,
            Input::Tap(_) => state.1 = true,
            Input::Text(text) => state.0.push_str(text),
            Input::Key { key, .. } if key.name() == "DEL" => {
                state.0.pop();
            }
            _ => return None,
        }
        Some(displayed(&state.0, state.1))
    })
}

#[tokio::test]
async fn a_text_equal_to_the_hint_must_be_seen_to_arrive() {
    for clear in [false, true] {
        let typing = Typing {
            clear,
            ..Typing::default()
        };
        let focus = || Focus::Current(Readiness::Enabled);
        let fake = hinted_field("", true, true);
        let typed = session(&fake)
            .type_text(focus(), "Search", typing, LIMIT)
            .await;
        assert_eq!(typed.unwrap().content.as_deref(), Some("Search"));

        let fake = hinted_field("", true, false);
        let refused = session(&fake)
            .type_text(focus(), "Search", typing, LIMIT)
            .await;
        assert!(matches!(refused, Err(EngineError::NotTyped { .. })));
    }
}

#[tokio::test]
async fn erasing_a_field_that_shows_its_hint_sends_the_keys() {
    let selector = Selector::from_words("Search");
    let on = || Focus::On(&selector, Readiness::Enabled);
    // Whether "Search" is the hint or was typed, the dump does not tell.
    for content in ["", "Search"] {
        let fake = hinted_field(content, false, true);
        let erased = session(&fake).erase(on(), None, LIMIT).await.unwrap();
        assert_eq!(erased.content.as_deref(), Some(""));
        assert!(!erased.is_confirmed && !fake.inputs().is_empty());

        let fake = hinted_field(content, false, false);
        let refused = session(&fake).erase(on(), None, LIMIT).await;
        assert!(matches!(refused, Err(EngineError::NotTyped { .. })));
    }
}

/// A device whose Android release does not mark hints: the empty field's text is `Search`. (R2)
fn old_field() -> Arc<Fake> {
    let displayed = |content: &str| {
        field(
            r#"focused="true""#,
            if content.is_empty() {
                "Search"
            } else {
                content
            },
        )
    };
    let fake = Fake::showing([&displayed("")]);
    let content = Mutex::new(String::new());
    fake.on_input(move |input| {
        let mut content = content.lock().unwrap();
        match input {
            Input::Text(text) => content.push_str(text),
            Input::Key { key, .. } if key.name() == "DEL" => {
                content.pop();
            }
            _ => return None,
        }
        Some(displayed(&content))
    })
}

#[tokio::test]
async fn r2_a_hint_that_an_old_release_shows_as_text_is_no_text() {
    let fake = old_field();
    let session = session(&fake);
    for (word, content) in [("ab", "ab"), ("c", "abc")] {
        let typed = session
            .type_text(
                Focus::Current(Readiness::Enabled),
                word,
                Typing::default(),
                LIMIT,
            )
            .await
            .unwrap();
        assert_eq!(typed.content.as_deref(), Some(content));
    }
    let typed = session
        .erase(Focus::Current(Readiness::Enabled), None, LIMIT)
        .await
        .unwrap();
    assert_eq!(typed.content.as_deref(), Some(""));
}
