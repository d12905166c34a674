//! Tool `getScreenDump` (D4): the screen as XML, reduced to what an agent needs.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::look::{look, nodes};
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool};
use runner_engine::Session;
use runner_screen::{Node, Screen};
use runner_text::secret::Excerpt;

/// Limit for the dump, in characters. Chosen: a dump of a usual screen; agents search for the rest by text.
const MAX_DUMP_CHARS: usize = 2000;
const TAIL: &str = "\n... [truncated, use findUiElementsByText for targeted search]";

/// Formats the elements that scenarios consider as nested XML, omitting empty and default attributes. The text of a
/// password field is `<password>`. It has no XML declaration and no line breaks, and is not cut.
fn xml(screen: &Screen) -> String {
    let mut text = format!(r#"<hierarchy rotation="{}">"#, screen.display().rotation);
    let mut open: Vec<u32> = Vec::new();
    for node in nodes(screen) {
        while open.pop_if(|depth| *depth >= node.depth()).is_some() {
            text.push_str("</node>");
        }
        text.push_str("<node");
        attributes(&mut text, node);
        if node.child_count() == 0 {
            text.push_str("/>");
        } else {
            text.push('>');
            open.push(node.depth());
        }
    }
    text.push_str(&"</node>".repeat(open.len()));
    text.push_str("</hierarchy>");
    text
}

/// Writes a node's attributes: texts that are not empty, states that hold, `enabled` only if false, and the bounds.
fn attributes(text: &mut String, node: Node<'_>) {
    for (name, value) in [
        ("text", node.display_text()),
        ("resource-id", node.resource_id()),
        ("content-desc", node.desc()),
    ] {
        if !value.is_empty() {
            let _ = write!(text, r#" {name}="{}""#, escape(value));
        }
    }
    let flags = node.flags();
    for (name, on) in [
        ("clickable", flags.clickable),
        ("checked", flags.checked),
        ("selected", flags.selected),
        ("scrollable", flags.scrollable),
        ("focused", flags.focused),
    ] {
        if on {
            let _ = write!(text, r#" {name}="true""#);
        }
    }
    if !flags.enabled {
        text.push_str(r#" enabled="false""#);
    }
    let bounds = node.bounds();
    let _ = write!(
        text,
        r#" bounds="[{},{}][{},{}]""#,
        bounds.left, bounds.top, bounds.right, bounds.bottom
    );
}

/// Marks a text to be cut after 2000 characters, where it then says how to search instead. A shorter text stays as it
/// is.
fn truncated(text: &str) -> String {
    Excerpt::new(text, MAX_DUMP_CHARS).ending(TAIL).to_string()
}

#[derive(Debug)]
pub struct GetScreenDump;

impl Tool for GetScreenDump {
    const NAME: &'static str = "scenario.getScreenDump";
    const SUMMARY: &'static str =
        "Gives the elements on the screen as XML, cut off after 2000 characters.";
    const HELP: &'static str =
        "A last resort: findUiElementsByText sees the whole screen and says where to tap.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = NoArgs;

    /// Looks once and returns the screen as XML, marked to be cut after 2000 characters.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let screen = look(session).await?;
        let text = truncated(&xml(&screen));
        Ok(Outcome::value(text.clone(), text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_text::secret::without_secrets;

    #[test]
    fn d04_a_dump_is_cut_after_2000_characters_not_bytes() {
        let truncated = |text: String| without_secrets(&truncated(&text)).into_owned();
        assert_eq!(truncated("ü".repeat(2000)), "ü".repeat(2000));
        assert_eq!(
            truncated("ü".repeat(2001)),
            format!("{}{TAIL}", "ü".repeat(2000))
        );
    }
}
