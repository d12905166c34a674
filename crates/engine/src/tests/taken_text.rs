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

/// A device whose field empties itself when it holds four characters. `says` is what the app shows then,
/// after it showed `Enter the code`.
fn code_field(attributes: &'static str, says: &'static str) -> Arc<Fake> {
    let shown = move |content: &str, says: &str| {
        let content = if attributes.contains("password") {
            "•".repeat(content.len())
        } else {
            content.to_owned()
        };
        form(&(field(attributes, &content) + &words(says)))
    };
    let mut content = String::new();
    Fake::showing([&shown("", "Enter the code")]).on_input(move |input| {
        match input {
            Input::Text(text) => content.push_str(text),
            Input::Key { key, .. } if key.name() == "DEL" => {
                content.pop();
            }
            _ => return None,
        }
        if content.len() < 4 {
            return Some(shown(&content, "Enter the code"));
        }
        content.clear();
        Some(shown("", says))
    })
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

#[tokio::test]
async fn a_code_that_the_app_takes_at_once_is_typed_once() {
    for attributes in [
        r#"focused="true" hint="Code""#,
        r#"focused="true" hint="Code" password="true""#,
    ] {
        let fake = code_field(attributes, "Wrong code");
        let typed = type_code(&fake).await.unwrap();
        assert!(!typed.is_confirmed);
        assert_eq!(texts(&fake), [Input::Text("1234".to_owned())]);
    }
}

#[tokio::test]
async fn a_text_that_is_gone_without_a_sign_of_the_app_is_a_failure() {
    let fake = code_field(r#"focused="true" hint="Code""#, "Enter the code");
    let error = type_code(&fake).await.unwrap_err();
    assert!(matches!(error, EngineError::NotTyped { .. }), "{error}");
}

/// A countdown says something else on each look, whether the text arrived or not.
#[tokio::test]
async fn a_countdown_is_no_sign_that_a_text_was_taken() {
    let empty = field(r#"focused="true" hint="Code""#, "");
    let looks: Vec<String> = (0..20)
        .map(|second| form(&(empty.clone() + &words(&format!("{second} s left")))))
        .collect();
    let fake = Fake::showing([]);
    fake.with(|state| state.looks.extend(looks.into_iter().map(Ok)));
    let error = type_code(&fake).await.unwrap_err();
    assert!(matches!(error, EngineError::NotTyped { .. }), "{error}");
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
