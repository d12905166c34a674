//! Writes one element as a line for an agent.

use std::fmt::Write as _;

use runner_engine::elements::{Elements, acts};
use runner_engine::short_ids;
use runner_screen::{Node, NodeIndex, Rect};
use runner_text::secret::Excerpt;

/// Characters of one value that are shown. Chosen: enough to recognise a paragraph; an agent reads the rest
/// with `all`.
const MAX_VALUE_CHARS: usize = 200;

/// Format of a view.
#[derive(Debug, Clone, Copy, Default)]
pub struct ViewOptions {
    /// Writes every row of every window, each with its own words only and nothing cut.
    pub all: bool,
    /// Writes bounds in pixels.
    pub bounds: bool,
}

/// One element, as its line shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) number: u32,
    pub(super) node: NodeIndex,
    pub(super) class: String,
    /// Text of the element, then the words of its parts.
    pub(super) words: Vec<String>,
    pub(super) desc: String,
    pub(super) hint: String,
    /// Part of the resource id after the last `/`.
    pub(super) res_id: String,
    /// States and abilities that one would not expect of the class.
    pub(super) flags: Vec<&'static str>,
    pub(super) bounds: Rect,
}

impl Line {
    /// Creates the line of an element with the words of its parts, each word once and none that its description
    /// contains. An element that cannot be checked itself takes the state of the only part that can.
    pub(super) fn new(number: u32, node: Node<'_>, elements: &Elements<'_>) -> Self {
        let parts: Vec<Node<'_>> = elements.parts(node.index()).collect();
        let mut line = Self::alone(number, node);
        for part in &parts {
            let word = one_line(match part.text().trim() {
                "" => part.desc(),
                text => text,
            });
            if !word.is_empty() && !line.words.contains(&word) && !line.desc.contains(&word) {
                line.words.push(word);
            }
        }
        // A row with one checkbox has its state. With several, none is the row's.
        if let [state] = parts
            .iter()
            .filter(|part| part.flags().checkable)
            .collect::<Vec<_>>()[..]
            && !node.flags().checkable
        {
            line.flags.push(checked(*state));
        }
        line
    }

    /// Creates the line of a node alone, with its own words only. The content of a password field is left
    /// out. Runs of white space become one space.
    pub(super) fn alone(number: u32, node: Node<'_>) -> Self {
        // The dots of a password are no words; the flag tells that it is one.
        let text = if node.flags().password {
            String::new()
        } else {
            one_line(node.text())
        };
        Self {
            number,
            node: node.index(),
            class: match node.short_class() {
                "" => "element".to_owned(),
                class => one_line(class),
            },
            desc: one_line(node.desc()),
            hint: one_line(node.hint()),
            res_id: one_line(node.resource_name()),
            flags: flags(node),
            bounds: node.bounds(),
            words: Some(text)
                .filter(|text| !text.is_empty())
                .into_iter()
                .collect(),
        }
    }

    /// Returns the short id, such as `@e12`.
    pub(super) fn id(&self) -> String {
        short_ids::written(self.number)
    }

    /// Appends the line, without a line break. Words and values are marked to be cut after 200 characters unless
    /// `options.all` is set. A description or hint that repeats the words is left out, and bounds are included only if
    /// asked for.
    pub(super) fn write(&self, out: &mut String, options: ViewOptions) {
        let limit = if options.all {
            usize::MAX
        } else {
            MAX_VALUE_CHARS
        };
        let _ = write!(out, "{} {}", self.id(), self.class);
        for word in &self.words {
            let _ = write!(out, " {}", quoted(word, limit));
        }
        for (name, value) in [("desc", &self.desc), ("hint", &self.hint)] {
            if !value.is_empty() && !self.repeats(value) {
                let _ = write!(out, " {name}={}", quoted(value, limit));
            }
        }
        if !self.res_id.is_empty() {
            let _ = write!(out, " id={}", self.res_id);
        }
        for flag in &self.flags {
            let _ = write!(out, " {flag}");
        }
        if options.bounds {
            let _ = write!(out, " at={}", self.bounds);
        }
    }

    /// Returns true if the element's first word is this value.
    pub(super) fn repeats(&self, value: &str) -> bool {
        self.words.first().is_some_and(|word| word == value)
    }

    /// Returns a short name for the element: its class with its first word, else its description or hint, cut
    /// to 40 characters; else with its resource id; else the class alone.
    pub(super) fn name(&self) -> String {
        // Chosen: enough to recognise the element.
        const MAX_NAME_CHARS: usize = 40;
        let word = [self.words.first(), Some(&self.desc), Some(&self.hint)]
            .into_iter()
            .flatten()
            .find(|word| !word.is_empty());
        match word {
            Some(word) => format!("{} {}", self.class, quoted(word, MAX_NAME_CHARS)),
            None if !self.res_id.is_empty() => format!("{} id={}", self.class, self.res_id),
            None => self.class.clone(),
        }
    }
}

/// Returns the flags that differ from what an agent expects of the class, in a fixed order. `tap` is left out
/// for buttons, fields and the like; `no-tap` says that a button takes no touch. `checked` or `unchecked`
/// comes last, for elements that can be checked.
fn flags(node: Node<'_>) -> Vec<&'static str> {
    let flags = node.flags();
    let class = node.short_class();
    let expects_touch =
        class.ends_with("Button") || node.is_editable() || flags.checkable || class == "Spinner";
    let all = [
        ("tap", flags.clickable && !expects_touch),
        (
            "no-tap",
            !flags.clickable && class.ends_with("Button") && flags.enabled && !acts(node),
        ),
        ("hold", flags.long_clickable && !node.is_editable()),
        ("scrolls", node.scrolls()),
        ("disabled", !flags.enabled),
        ("selected", flags.selected),
        ("focused", flags.focused),
        ("password", flags.password),
        ("off-screen", !node.is_on_screen()),
    ];
    let mut set: Vec<&str> = all
        .into_iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(name, _)| name)
        .collect();
    if flags.checkable {
        set.push(checked(node));
    }
    set
}

/// Returns the flag for the state of something that can be checked.
fn checked(node: Node<'_>) -> &'static str {
    if node.flags().checked {
        "checked"
    } else {
        "unchecked"
    }
}

/// Replaces runs of white space by single spaces, so that an element stays on one line.
fn one_line(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut line = words.next().unwrap_or_default().to_owned();
    for word in words {
        line.push(' ');
        line.push_str(word);
    }
    line
}

/// Puts a text in quotes, escaped. One longer than `limit` characters is marked to be cut there, and the number of the
/// characters left out follows: `"…"+40`.
pub(super) fn quoted(text: &str, limit: usize) -> String {
    let excerpt = Excerpt::new(text, limit).in_quotes();
    match text.chars().count().saturating_sub(limit) {
        0 => excerpt.to_string(),
        rest => format!("{excerpt}+{rest}"),
    }
}
