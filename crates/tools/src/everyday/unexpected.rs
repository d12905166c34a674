//! Reasons for which an element cannot be as an assertion expects it: it tells no text, or lacks the ability.

use crate::{Advice, Words};
use runner_engine::{able_elements, texts_beside};
use runner_screen::{Flags, Node};

/// Widgets that show a number as a length or a place, and tell no text.
const WITHOUT_TEXT: [&str; 4] = ["SeekBar", "ProgressBar", "RatingBar", "Slider"];

/// State that an element can only have with an ability.
struct AbleState {
    state: &'static str,
    /// Name of the ability in dumps.
    ability: &'static str,
    is_able: fn(Flags) -> bool,
}

/// States whose ability dumps tell. They tell nothing of what can be selected.
static ABLE_STATES: [AbleState; 2] = [
    AbleState {
        state: "checked",
        ability: "checkable",
        is_able: |flags| flags.checkable,
    },
    AbleState {
        state: "focused",
        ability: "focusable",
        is_able: |flags| flags.focusable,
    },
];

/// Explanation of a property that is not as expected.
#[derive(Debug, Default)]
pub(super) struct Explanation {
    pub(super) details: Vec<Words>,
    pub(super) advice: Vec<Advice>,
    /// True if no other expected value of the property could hold.
    pub(super) is_unreadable: bool,
}

/// Explains an empty or hidden text, a `checked` or `focused` that the element is not able to be, and a `selected` of
/// one that is checked. Empty for all else.
pub(super) fn explain(node: Node<'_>, property: &str, wanted: &str, actual: &str) -> Explanation {
    if property == "text" {
        return explain_text(node, wanted, actual);
    }
    if property == "selected" && wanted == "true" && node.flags().checkable {
        return Explanation {
            details: vec!["it is one that is checked: write `checked: true`".into()],
            ..Explanation::default()
        };
    }
    let is_wanted = |able: &&AbleState| able.state == property && wanted == "true";
    let able = ABLE_STATES.iter().find(is_wanted);
    let able = able.filter(|able| actual == "false" && !(able.is_able)(node.flags()));
    let Some(able) = able else {
        return Explanation::default();
    };
    let selected = node.flags().selected && able.state == "checked";
    Explanation {
        details: selected
            .then_some("it is selected: write `selected: true`")
            .into_iter()
            .map(Words::from)
            .collect(),
        advice: vec![Advice::Able {
            ability: able.ability,
            elements: able_elements(node, able.is_able),
        }],
        is_unreadable: false,
    }
}

/// Returns whether a word such as `on` or `unchecked` says that a box is checked; `None` for other words.
fn checked_word(word: &str) -> Option<bool> {
    match word.trim().to_lowercase().as_str() {
        "on" | "true" | "yes" | "checked" | "enabled" | "1" => Some(true),
        "off" | "false" | "no" | "unchecked" | "disabled" | "0" => Some(false),
        _ => None,
    }
}

/// Explains why the text of an element is not as expected: that of a password is not told, what a field held is in
/// front of what was typed, an empty one may be told in another way, and whether a box is checked is no text.
fn explain_text(node: Node<'_>, wanted: &str, actual: &str) -> Explanation {
    if node.flags().password {
        let why = "the device does not tell what a password field holds; leave `text` out, and assert what the app does with it";
        return Explanation {
            details: vec![why.into()],
            advice: Vec::new(),
            is_unreadable: true,
        };
    }
    let before = actual.strip_suffix(wanted).unwrap_or_default();
    if !before.is_empty() && !wanted.is_empty() && node.is_editable() {
        let why = "what is expected is the end of what the field holds: a text is typed behind what is there";
        return Explanation {
            details: vec![why.into()],
            advice: vec![Advice::TypeWhole],
            is_unreadable: false,
        };
    }
    let mut explained = Explanation::default();
    // A switch may tell `ON` as its text.
    let is_told = checked_word(actual).is_some();
    if let Some(is_checked) = checked_word(wanted)
        && node.flags().checkable
        && !is_told
    {
        let write = if is_checked {
            "whether it is checked is no text: write `checked: true`"
        } else {
            "whether it is checked is no text: write `checked: false`"
        };
        explained.details.push(write.into());
        return explained;
    }
    if !actual.is_empty() {
        return explained;
    }
    let named = [("desc", node.desc()), ("hint", node.hint())];
    let named = named.iter().find(|(_, words)| !words.trim().is_empty());
    if let Some((property, words)) = named {
        explained.details.push(Words::format(
            "it has a `{}` and no text: {}",
            &[property, words],
        ));
    }
    if !node.is_editable() {
        if WITHOUT_TEXT.contains(&node.short_class()) {
            explained.details.push(Words::format(
                "a {} tells no text; a `snapshot` compares how it looks",
                &[&node.short_class()],
            ));
        }
        let is_plain = node.short_class() == "TextView";
        let texts = texts_beside(node);
        if !is_plain && !texts.is_empty() {
            explained.advice.push(Advice::TextsBeside(texts));
        }
    }
    explained
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Failure, FlowReader};
    use runner_screen::{DisplayContext, Screen};

    const DUMP: &str = r#"<hierarchy><node class="android.widget.FrameLayout" enabled="true" bounds="[0,0][400,900]">
        <node text="Volume" class="android.widget.TextView" enabled="true" bounds="[0,0][400,40]"/>
        <node resource-id="a:id/volume" class="android.widget.SeekBar" focusable="true" enabled="true" bounds="[0,40][400,90]"/>
        <node resource-id="a:id/star" content-desc="Starred" class="android.widget.ImageView" enabled="true" bounds="[0,100][400,140]"/>
        <node resource-id="a:id/secret" text="••" class="android.widget.EditText" password="true" focusable="true" enabled="true" bounds="[0,200][400,240]"/>
        <node resource-id="a:id/user" text="adagrace" class="android.widget.EditText" focusable="true" enabled="true" bounds="[0,600][400,640]"/>
        <node resource-id="a:id/tab" text="Home" class="android.widget.Button" selected="true" enabled="true" bounds="[0,300][400,340]"/>
        <node resource-id="a:id/news" class="android.widget.Switch" checkable="true" enabled="true" bounds="[0,340][400,380]"/>
        </node></hierarchy>"#;

    #[test]
    fn what_an_element_cannot_be_is_explained() {
        let screen = Screen::parse(DUMP.as_bytes(), &DisplayContext::default()).unwrap();
        for (id, property, wanted, actual, says) in [
            ("volume", "text", "5", "", "a SeekBar tells no text"),
            (
                "volume",
                "text",
                "5",
                "",
                "the nearest first: Volume | Home",
            ),
            (
                "star",
                "text",
                "Yes",
                "",
                "it has a `desc` and no text: Starred",
            ),
            ("secret", "text", "ada", "<password>", "leave `text` out"),
            (
                "tab",
                "checked",
                "true",
                "false",
                "it is selected: write `selected: true`",
            ),
            (
                "tab",
                "checked",
                "true",
                "false",
                "`checkable`; what it calls so here, the nearest first: { id: news }",
            ),
            ("star", "focused", "true", "false", "`focusable`"),
            (
                "news",
                "selected",
                "true",
                "false",
                "it is one that is checked: write `checked: true`",
            ),
            (
                "user",
                "text",
                "grace",
                "adagrace",
                "`type: { clear: true, text: … }`",
            ),
            ("user", "text", "ada", "adagrace", ""),
            // What is no field was not typed into.
            ("tab", "text", "me", "Home", ""),
            ("news", "text", "on", "", "write `checked: true`"),
            ("news", "text", "Off", "News", "write `checked: false`"),
            // A text of its own says so.
            ("news", "text", "on", "OFF", ""),
            ("tab", "text", "on", "Home", ""),
            // The element can be so, but is not.
            ("news", "checked", "true", "false", ""),
            ("secret", "focused", "true", "false", ""),
            ("tab", "checked", "false", "true", ""),
            ("tab", "selected", "false", "true", ""),
            ("tab", "text", "Start", "Home", ""),
        ] {
            let mut nodes = screen.nodes();
            let node = nodes.find(|node| node.resource_name() == id).unwrap();
            let explained = explain(node, property, wanted, actual);
            let failure = Failure::assertion("a")
                .with_details(explained.details)
                .with_advice(explained.advice)
                .advise(&FlowReader);
            let told: Vec<String> = failure.details.iter().map(ToString::to_string).collect();
            let told = told.join("\n");
            assert!(told.contains(says), "{id} {property}: {told}");
            assert_eq!(told.is_empty(), says.is_empty(), "{id} {property}: {told}");
        }
    }
}
