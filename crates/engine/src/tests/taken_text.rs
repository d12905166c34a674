//! Tests of fields that do not keep what is typed.

use super::*;

/// A screen with these children.
fn form(children: &str) -> String {
    node("FrameLayout", "", [0, 0, 1080, 2400], children)
}

fn words(text: &str) -> String {
    node(
        "TextView",
        &format!(r#"resource-id="com.example:id/state" text="{text}""#),
        [0, 300, 1080, 400],
        "",
    )
}

fn texts(fake: &Fake) -> Vec<Input> {
    let is_text = |input: &Input| matches!(input, Input::Text(_));
    fake.inputs().into_iter().filter(is_text).collect()
}

async fn type_code(fake: &Arc<Fake>) -> Result<TypedField, EngineError> {
    let focus = Focus::Current(Readiness::Enabled);
    session(fake)
        .type_text(focus, "1234", Typing::default(), LIMIT)
        .await
}

const CODE: &str = r#"focused="true" hint="Code""#;
const PASSWORD: &str = r#"focused="true" hint="Code" password="true""#;
const OLD: &str = r#"focused="true""#;

/// The field's attributes, its content before, the typed text, true to clear before, the looks after, each
/// with the words beside the field, and true if the app was seen to take the text.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    bool,
    &'static [(&'static str, &'static str)],
    bool,
);

const CASES: [Case; 17] = [
    (CODE, "", "1234", false, &[("1", "-"), ("", "-")], true),
    (
        CODE,
        "",
        "1234",
        false,
        &[("123", "-"), ("", "Checking…")],
        true,
    ),
    (CODE, "", "1234", true, &[("12-3", "-"), ("", "-")], true),
    (CODE, "12", "34", false, &[("123", "-"), ("", "-")], true),
    (OLD, "", "Ada", false, &[("AD", "-"), ("", "-")], true),
    (PASSWORD, "", "1234", false, &[("•", "-"), ("", "-")], true),
    (
        PASSWORD,
        "••",
        "34",
        false,
        &[("•••", "-"), ("", "-")],
        true,
    ),
    (CODE, "", "1234", false, &[("", "-")], false),
    (
        CODE,
        "",
        "1234",
        false,
        &[("", "-"), ("", "3 offers for you")],
        false,
    ),
    (
        CODE,
        "",
        "1234",
        false,
        &[("", "9 s"), ("", "8 s"), ("", "7 s")],
        false,
    ),
    (CODE, "", "1234", false, &[("9", "-"), ("", "-")], false),
    (CODE, "", "!!!!", false, &[("", "Checking…")], false),
    (
        CODE,
        "100",
        "abc",
        true,
        &[("10", "-"), ("", "An amount is required")],
        false,
    ),
    (CODE, "100", "1050", true, &[("10", "-"), ("", "-")], false),
    (
        CODE,
        "12",
        "34",
        false,
        &[("12", "-"), ("", "Loaded")],
        false,
    ),
    (PASSWORD, "", "1234", false, &[("", "Wrong code")], false),
    (
        PASSWORD,
        "••••",
        "12",
        true,
        &[("•••", "-"), ("", "-")],
        false,
    ),
];

#[tokio::test]
async fn an_empty_field_is_never_typed_into_again_and_passes_only_if_it_held_a_part() {
    for (attributes, before, text, clear, after, is_taken) in CASES {
        let shown = |content: &str, says: &str| {
            let is_hint = content.is_empty() && attributes.contains("hint");
            let content = if is_hint { "Code" } else { content };
            form(&(field(attributes, content) + &words(says)))
        };
        let fake = Fake::showing([&shown(before, "-")]);
        let looks = after.iter().map(|(content, says)| Ok(shown(content, says)));
        fake.with(|state| state.looks.extend(looks));
        let typing = Typing {
            clear,
            ..Typing::default()
        };
        let focus = Focus::Current(Readiness::Enabled);
        let typed = session(&fake).type_text(focus, text, typing, LIMIT).await;
        let case = format!("`{before}` `{text}` {after:?}");
        match typed {
            Ok(typed) => assert!(is_taken && !typed.is_confirmed, "{case}"),
            Err(EngineError::NotTyped { may_be_taken, .. }) => {
                assert!(!is_taken && may_be_taken, "{case}");
            }
            Err(error) => panic!("{case}: {error}"),
        }
        assert_eq!(texts(&fake), [Input::Text(text.to_owned())], "{case}");
    }
}

/// A device with four fields for a character each; the focus goes on with each character.
fn boxes(attributes: &'static str) -> Arc<Fake> {
    let shown = move |content: &str| {
        let boxes: String = (0..4)
            .map(|at| {
                let text: String = match content.chars().nth(at) {
                    Some(_) if attributes.contains("password") => "•".to_owned(),
                    Some(text) => text.to_string(),
                    None => String::new(),
                };
                let left = at as i32 * 100;
                node(
                    "EditText",
                    &format!(
                        r#"resource-id="com.example:id/box{at}" text="{text}" hint="-" focused="{}" {attributes}"#,
                        at == content.len().min(3)
                    ),
                    [left, 100, left + 100, 200],
                    "",
                )
            })
            .collect();
        form(&boxes)
    };
    let mut content = String::new();
    Fake::showing([&shown("")]).on_input(move |input| {
        let Input::Text(text) = input else {
            return None;
        };
        content.push_str(text);
        Some(shown(&content))
    })
}

#[tokio::test]
async fn a_code_with_a_field_for_each_character_is_read_from_all_of_them() {
    let fake = boxes("");
    let typed = type_code(&fake).await.unwrap();
    assert_eq!(typed.content.as_deref(), Some("1234"));
    assert_eq!(texts(&fake), [Input::Text("1234".to_owned())]);

    let fake = boxes(r#"password="true""#);
    let typed = type_code(&fake).await.unwrap();
    assert!(typed.is_confirmed && typed.content.is_none());
    assert_eq!(texts(&fake), [Input::Text("1234".to_owned())]);
}

/// A device that empties its field and gives the focus to another, which holds `other` then.
fn moves_on(other: &'static str) -> Arc<Fake> {
    let shown = |is_first: bool, other: &str| {
        let second = node(
            "EditText",
            &format!(
                r#"resource-id="com.example:id/next" text="{other}" hint="Next" focused="{}""#,
                !is_first
            ),
            [0, 300, 1080, 400],
            "",
        );
        let first = format!(r#"focused="{is_first}" hint="Code""#);
        form(&(field(&first, "") + &second))
    };
    Fake::showing([&shown(true, "")])
        .on_input(move |input| matches!(input, Input::Text(_)).then(|| shown(false, other)))
}

#[tokio::test]
async fn nothing_is_typed_into_a_field_that_the_focus_went_to() {
    let fake = moves_on("");
    let typed = type_code(&fake).await.unwrap();
    assert!(!typed.is_confirmed);
    assert_eq!(texts(&fake).len(), 1);

    // The text went astray.
    let fake = moves_on("1234");
    let error = type_code(&fake).await.unwrap_err();
    assert!(matches!(error, EngineError::NotTyped { .. }), "{error}");
    assert_eq!(texts(&fake).len(), 1);
}
