//! Elements that a step could name in place of one that cannot do what is asked of it: text fields, elements with an
//! ability, texts. The nearest come first.

use super::missing_element::{FieldChoices, NamedElement};
use runner_screen::{Flags, Node, Rect, Screen, Selector};

/// Largest number of elements that are offered. Chosen: the element that was meant is nearly always beside the one
/// that was named.
const MAX_OFFERED: usize = 4;

/// Limit for a selector, in characters. Chosen: longer ones are hard to read in a list.
const MAX_SELECTOR_CHARS: usize = 60;

/// Classes of elements whose value is a place along them.
const SLIDERS: [&str; 3] = ["SeekBar", "Slider", "RatingBar"];

/// Package of the system's bars.
const SYSTEM_UI: &str = "com.android.systemui";

/// Returns the text fields nearest to an element that is none, at most four, and the element itself if it is enabled
/// and takes clicks.
pub(super) fn field_choices(node: Node<'_>) -> FieldChoices {
    let flags = node.flags();
    let takes_clicks = flags.clickable && flags.enabled;
    FieldChoices {
        clickable: takes_clicks.then(|| picked(node)),
        slider: SLIDERS
            .contains(&node.short_class())
            .then(|| (node.short_class().to_owned(), picked(node))),
        fields: nearest(node, Node::is_editable, |other| Some(picked(other))),
    }
}

/// Returns the first four text fields on a screen, for a step that names none. Leaves out the system's bars.
pub(super) fn fields_of(screen: &Screen) -> FieldChoices {
    let is_field =
        |node: &Node<'_>| node.is_editable() && node.package() != SYSTEM_UI && node.is_on_screen();
    let fields = screen.nodes().filter(is_field).map(picked);
    FieldChoices {
        clickable: None,
        slider: None,
        fields: fields.filter(is_short).take(MAX_OFFERED).collect(),
    }
}

/// Returns the elements nearest to the node that pass `is_able`, at most four, for a node that does not.
pub fn able_elements(node: Node<'_>, is_able: fn(Flags) -> bool) -> Vec<NamedElement> {
    nearest(
        node,
        |other| is_able(other.flags()),
        |other| Some(picked(other)),
    )
}

/// Returns the elements nearest to the node with a text that names them, at most four. Leaves out password fields.
pub fn texts_beside(node: Node<'_>) -> Vec<NamedElement> {
    let has_text = |other: Node<'_>| !other.text().trim().is_empty() && !other.flags().password;
    nearest(node, has_text, |other| {
        let selector = Selector::by_words(other.screen(), other.index())?;
        Some(NamedElement::new(selector, other))
    })
}

/// Names an element by the selector that picks it alone.
fn picked(node: Node<'_>) -> NamedElement {
    NamedElement::new(Selector::picking(node.screen(), node.index()), node)
}

/// Returns the nearest elements on the screen that are meant and have a short name, at most four; those that overlap
/// the element or touch it come first. Leaves out the element itself and the system's bars.
fn nearest<'s>(
    node: Node<'s>,
    is_meant: impl Fn(Node<'s>) -> bool,
    name: impl Fn(Node<'s>) -> Option<NamedElement>,
) -> Vec<NamedElement> {
    let is_other = |other: &Node<'s>| {
        other.index() != node.index() && other.package() != SYSTEM_UI && other.is_on_screen()
    };
    let others = node.screen().nodes().filter(is_other);
    let mut others: Vec<Node<'s>> = others.filter(|other| is_meant(*other)).collect();
    // Stable, so that of equally near ones the first of the screen comes first.
    others.sort_by_key(|other| gap(node.bounds(), other.bounds()));
    let names = others.into_iter().filter_map(name);
    names.filter(is_short).take(MAX_OFFERED).collect()
}

/// Returns true if the selector of an element has at most 60 characters.
fn is_short(name: &NamedElement) -> bool {
    name.selector.to_string().chars().count() <= MAX_SELECTOR_CHARS
}

/// Returns the distance between two rectangles along both axes, in pixels; 0 if they touch or overlap.
fn gap(one: Rect, other: Rect) -> i64 {
    let apart = |start: i32, end: i32, other_start: i32, other_end: i32| {
        let after = i64::from(other_start) - i64::from(end);
        let before = i64::from(start) - i64::from(other_end);
        after.max(before).max(0)
    };
    apart(one.left, one.right, other.left, other.right)
        + apart(one.top, one.bottom, other.top, other.bottom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::DisplayContext;

    const DUMP: &str = r#"<hierarchy><node class="android.widget.FrameLayout" enabled="true" bounds="[0,0][400,900]">
        <node text="Name" class="android.widget.TextView" enabled="true" bounds="[0,0][400,40]"/>
        <node resource-id="a:id/name" class="android.widget.EditText" enabled="true" bounds="[0,40][400,90]"/>
        <node text="Mail" class="android.widget.TextView" enabled="true" bounds="[0,200][400,240]"/>
        <node resource-id="a:id/mail" class="android.widget.EditText" enabled="true" bounds="[0,240][400,290]"/>
        <node text="News" class="android.widget.TextView" enabled="true" bounds="[0,300][300,340]"/>
        <node resource-id="a:id/news" class="android.widget.Switch" checkable="true" enabled="true" bounds="[300,300][400,340]"/>
        <node text="Send" resource-id="a:id/send" class="android.widget.Button" clickable="true" enabled="true" bounds="[0,400][400,450]"/>
        <node resource-id="a:id/rate" class="android.widget.SeekBar" enabled="true" bounds="[0,500][400,550]"/>
        </node></hierarchy>"#;

    fn screen() -> Screen {
        Screen::parse(DUMP.as_bytes(), &DisplayContext::default()).unwrap()
    }

    fn with_text<'s>(screen: &'s Screen, text: &str) -> Node<'s> {
        screen.nodes().find(|node| node.text() == text).unwrap()
    }

    fn shown(elements: &[NamedElement]) -> Vec<String> {
        let names = elements.iter().map(|one| one.selector.to_string());
        names.collect()
    }

    #[test]
    fn the_field_beside_a_label_comes_first() {
        let screen = screen();
        for (label, fields, is_clicked) in [
            ("Name", ["{ id: name }", "{ id: mail }"], false),
            ("Mail", ["{ id: mail }", "{ id: name }"], false),
            ("Send", ["{ id: mail }", "{ id: name }"], true),
        ] {
            let choices = field_choices(with_text(&screen, label));
            assert_eq!(shown(&choices.fields), fields, "{label}");
            assert_eq!(choices.clickable.is_some(), is_clicked, "{label}");
        }
        // Without a label they come in the order of the screen.
        let choices = fields_of(&screen);
        assert_eq!(shown(&choices.fields), ["{ id: name }", "{ id: mail }"]);
    }

    #[test]
    fn only_elements_with_the_ability_are_offered() {
        let screen = screen();
        let able = able_elements(with_text(&screen, "News"), |flags| flags.checkable);
        assert_eq!(shown(&able), ["{ id: news }"]);
        let able = able_elements(with_text(&screen, "News"), |flags| flags.scrollable);
        assert!(able.is_empty(), "{able:?}");
    }

    #[test]
    fn texts_beside_an_element_are_named_by_their_words() {
        let screen = screen();
        let bar = screen.nodes().find(|node| node.short_class() == "SeekBar");
        assert_eq!(
            shown(&texts_beside(bar.unwrap())),
            ["Send", "News", "Mail", "Name"]
        );
    }
}
