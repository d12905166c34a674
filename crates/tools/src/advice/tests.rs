//! Tests that advice is told once, and without what its reader cannot say.

use std::sync::Arc;

use super::*;
use crate::Failure;
use runner_engine::EngineError;
use runner_screen::selector::Purpose;
use runner_screen::{DisplayContext, Screen};

/// Language that can say nothing.
struct SilentReader;

impl Reader for SilentReader {}

fn not_found() -> Failure {
    let dump = r#"<hierarchy><node text="Sign In" class="android.widget.Button" clickable="true" enabled="true" bounds="[0,0][10,10]"/></hierarchy>"#;
    let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
    let wanted = Selector::from_words("Sign in");
    EngineError::not_found(&wanted, Some(Arc::new(screen)), Purpose::Action).into()
}

fn text(failure: &Failure) -> String {
    let lines: Vec<String> = failure.details.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn advice_is_told_once_in_the_first_readers_language() {
    let failure = not_found().advise(&FlowReader);
    assert!(
        text(&failure).contains("only in case; write Sign In"),
        "{failure:?}"
    );
    assert_eq!(failure.clone().advise(&JsonReader), failure);
    let failure = not_found().advise(&JsonReader);
    assert!(
        text(&failure).contains("only in case; write \"Sign In\""),
        "{failure:?}"
    );
}

#[test]
fn what_a_language_cannot_say_is_left_out() {
    let failure = not_found().advise(&SilentReader);
    assert!(text(&failure).ends_with("only in case"), "{failure:?}");
    for (advice, mute, flow) in [
        (
            Advice::Enable,
            "do first what enables it",
            "do first what enables it; `force: true` acts on it as it is",
        ),
        (
            Advice::Uncover,
            "do first what uncovers it",
            "do first what uncovers it; `force: true` touches its middle as it is",
        ),
        (
            Advice::TypeWhole,
            "empty the field and type the whole text",
            "empty the field and type the whole text: `type: { clear: true, text: … }`",
        ),
        (
            Advice::TypeInTwo,
            "where the app takes a text once it is whole, type it without its last character, then press the key of that",
            "where the app takes a text once it is whole, type it without its last character, then press the key of that: for 1234 write `type: '123'`, then `press: KEYCODE_4`",
        ),
        (
            Advice::Arguments {
                fact: "only what is above was searched".to_owned(),
                arguments: vec![("direction", "down".into()), ("max", 3.into())],
            },
            "only what is above was searched",
            "only what is above was searched; write direction: down, max: 3",
        ),
        (
            Advice::Toasts(Vec::new()),
            "a toast was shown meanwhile, and its text is on no look",
            "a toast was shown meanwhile, and its text is on no look; `assert log: …` asserts what the app logs instead",
        ),
        (
            Advice::Empty {
                before: "1".to_owned(),
            },
            "it held 1 before, and the text goes behind that",
            "it held 1 before, and the text goes behind that; `clear: true` empties it first",
        ),
        (
            Advice::MoreTime(Duration::from_secs(12)),
            "",
            "`timeout: 12s` beside the step gives it more time",
        ),
        (
            Advice::ListIds,
            "",
            "`semantic.list_actionable` tells the ids of this screen",
        ),
        (
            Advice::InstallFirst,
            "install it first",
            "install it first, such as with `install: build/app.apk`",
        ),
        (
            Advice::LaunchFirst {
                app: "a.b".to_owned(),
            },
            "a.b, the flow's app, is not in front, and no step before this one launched it",
            "a.b, the flow's app, is not in front, and no step before this one launched it; write `launch` first",
        ),
        (
            Advice::BackLeft {
                app: "a.b".to_owned(),
            },
            "a.b, the flow's app, is not in front; `back` may have left it",
            "a.b, the flow's app, is not in front; `back` may have left it, and where it was for the keyboard, `hide_keyboard` never leaves a screen",
        ),
        (
            Advice::Ended {
                app: "a.b".to_owned(),
            },
            "a.b, the flow's app, is not in front: a step before this one ended it",
            "a.b, the flow's app, is not in front: a step before this one ended it; write `launch` between the two",
        ),
    ] {
        assert_eq!(advice.lines(&SilentReader).join("\n"), mute);
        assert_eq!(advice.lines(&FlowReader).join("\n"), flow);
    }
}
