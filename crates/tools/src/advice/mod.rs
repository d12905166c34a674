//! Advice after a failure, as values.
//!
//! A failure knows what its caller could do instead, but not who that is: the author of a flow, or the caller
//! of one of the tools over MCP. Who does know passes a [`Reader`], which writes the advice in that caller's
//! language. What a language cannot say is left out of the sentence.

mod elsewhere;
mod reader;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use reader::{CallOption, FlowReader, JsonReader, NextStep, Reader};

use serde_json::Value;

use elsewhere::{
    able, back_left, ended, fields, install_first, launch_first, open_first, texts_beside,
};
use runner_engine::{
    Choice, ChoiceUse, Choices, DISABLED, FieldChoices, Matches, Miss, NamedElement, Scroller,
};
use runner_screen::Selector;

/// Proposal of what the caller of a failed step or tool could do instead.
#[derive(Debug, Clone, PartialEq)]
pub enum Advice {
    /// Naming another element, which nearly matches.
    NearMiss(Box<Miss>),
    /// Naming one of several elements.
    Matches(Matches),
    /// Asserting what the app logs: toasts with these texts were shown, as far as the device reports texts.
    Toasts(Vec<String>),
    /// Scrolling first: the element may not be shown yet.
    Scroll {
        scroller: Scroller,
        selector: Box<Selector>,
    },
    /// Naming another element of the screen.
    Choices(Choices),
    /// Asserting that an element matches all of a selector. `assert` located it by a part only.
    AssertVisible {
        selector: Box<Selector>,
        /// Part that locates the element.
        locator: Box<Selector>,
        /// Names of the properties that are only expected.
        expected: String,
    },
    /// Enabling the element first, or acting on it as it is.
    Enable,
    /// Uncovering the element first, or touching it as it is.
    Uncover,
    /// Writing other arguments in the step or call.
    Arguments {
        /// Reason, in words.
        fact: String,
        arguments: Vec<(&'static str, Value)>,
    },
    /// Emptying the field first, if the text was to replace what it held.
    Empty { before: String },
    /// Emptying the field and typing the whole text.
    TypeWhole,
    /// Typing all but the last character of a text that the app takes once it is whole, then pressing its key.
    TypeInTwo,
    /// Giving the call this time.
    MoreTime(Duration),
    /// Asking for the ids of the elements on the screen.
    ListIds,
    /// Installing the app first.
    InstallFirst,
    /// Launching the flow's app first, which is not in front.
    LaunchFirst { app: String },
    /// Hiding the keyboard in place of going back, which left the flow's app.
    BackLeft { app: String },
    /// Launching the flow's app anew, which a step ended.
    Ended { app: String },
    /// Naming a text field, as what was named is none.
    Fields(Box<FieldChoices>),
    /// Naming an element that can have the state, as the device says that this one cannot.
    Able {
        /// Ability that the element lacks, such as `checkable`.
        ability: &'static str,
        elements: Vec<NamedElement>,
    },
    /// Opening a closed list of choices first, which may hold the element.
    Open(Vec<NamedElement>),
    /// Reading a text beside an element that tells none.
    TextsBeside(Vec<NamedElement>),
}

impl Advice {
    /// Returns true if it names an element that the selector surely misspells.
    pub fn is_typo(&self) -> bool {
        matches!(self, Self::NearMiss(miss) if miss.is_typo)
    }

    /// Writes the advice for its reader, one line each. Empty if nothing of it can be said in the reader's
    /// language.
    pub fn lines(&self, reader: &dyn Reader) -> Vec<String> {
        match self {
            Self::NearMiss(miss) => vec![near_miss(miss, reader)],
            Self::Matches(matches) => matching(matches, reader),
            Self::Toasts(texts) => vec![toasts(texts, reader)],
            Self::Scroll { scroller, selector } => vec![scroll(scroller, selector, reader)],
            Self::Choices(choices) => offer(choices, reader).into_iter().collect(),
            Self::AssertVisible {
                selector,
                locator,
                expected,
            } => {
                let step = reader.step(&NextStep::AssertVisible(selector));
                let locator = reader.element(locator, None);
                let both = step.zip(locator).map(|(step, locator)| {
                    format!("`assert` looks for {locator} and expects {expected} of it; `{step}` looks for all of it")
                });
                both.into_iter().collect()
            }
            Self::Enable => vec![or_force(
                "do first what enables it",
                "acts on it as it is",
                reader,
            )],
            Self::Uncover => vec![or_force(
                "do first what uncovers it",
                "touches its middle as it is",
                reader,
            )],
            Self::Arguments { fact, arguments } => vec![match reader.arguments(arguments) {
                Some(arguments) => format!("{fact}; write {arguments}"),
                None => fact.clone(),
            }],
            Self::Empty { before } => {
                let fact = format!("it held {before} before, and the text goes behind that");
                vec![match reader.option(CallOption::Clear) {
                    Some(option) => format!("{fact}; `{option}` empties it first"),
                    None => fact,
                }]
            }
            Self::TypeWhole => {
                let step = reader.step(&NextStep::TypeWhole);
                let step = step.map_or_else(String::new, |step| format!(": `{step}`"));
                vec![format!("empty the field and type the whole text{step}")]
            }
            Self::TypeInTwo => vec![type_in_two(reader)],
            Self::MoreTime(time) => {
                let option = reader.option(CallOption::Timeout(*time));
                let line = |option: String| {
                    let unit = reader.unit();
                    format!("`{option}` beside the {unit} gives it more time")
                };
                option.map(line).into_iter().collect()
            }
            Self::ListIds => {
                let step = reader.step(&NextStep::ListIds);
                let line = |step: String| format!("`{step}` tells the ids of this screen");
                step.map(line).into_iter().collect()
            }
            Self::InstallFirst => vec![install_first(reader)],
            Self::LaunchFirst { app } => vec![launch_first(app, reader)],
            Self::BackLeft { app } => vec![back_left(app, reader)],
            Self::Ended { app } => vec![ended(app, reader)],
            Self::Fields(choices) => fields(choices, reader),
            Self::Able { ability, elements } => vec![able(ability, elements, reader)],
            Self::Open(elements) => open_first(elements, reader),
            Self::TextsBeside(elements) => texts_beside(elements, reader).into_iter().collect(),
        }
    }
}

/// Tells how an element differs from what was asked for, and, if the reader's language can name it, what to write.
fn near_miss(miss: &Miss, reader: &dyn Reader) -> String {
    let Miss { element, why, .. } = miss;
    match reader.element(&miss.name.selector, Some(&miss.name.id)) {
        Some(name) => format!("near miss: {element}: {why}; write {name}"),
        None => format!("near miss: {element}: {why}"),
    }
}

/// Lists elements, one a line, each with its name if the reader's language has one. The last line says how many
/// more there are.
fn matching(matches: &Matches, reader: &dyn Reader) -> Vec<String> {
    let line = |element: &str, name: Option<String>| match name {
        Some(name) => format!("{element}: {name}"),
        None => element.to_owned(),
    };
    let elements = matches.elements.iter().map(|one| {
        let name = reader.element(&one.name.selector, Some(&one.name.id));
        line(&one.element, name)
    });
    let mut lines: Vec<String> = elements.collect();
    if matches.more > 0 {
        lines.push(format!("and {} more", matches.more));
    }
    lines
}

/// Says that a toast was shown, with the step that asserts what the app logs if the reader's language has one.
fn toasts(texts: &[String], reader: &dyn Reader) -> String {
    let fact = if texts.is_empty() {
        "a toast was shown meanwhile, and its text is on no look".to_owned()
    } else {
        format!(
            "a toast was shown meanwhile, which is no element: {}",
            texts.join(" | ")
        )
    };
    match reader.step(&NextStep::AssertLog) {
        Some(step) => format!("{fact}; `{step}` asserts what the app logs instead"),
        None => fact,
    }
}

/// Says that a container scrolls, with the step that reaches the element if the reader's language has one.
fn scroll(scroller: &Scroller, selector: &Selector, reader: &dyn Reader) -> String {
    let Scroller { called, direction } = scroller;
    let step = NextStep::ScrollTo {
        selector,
        direction: *direction,
    };
    match reader.step(&step) {
        Some(step) => {
            let unit = reader.unit();
            format!(
                "{called} scrolls: what is not shown yet is reached with `{step}` before this {unit}"
            )
        }
        None => format!("{called} scrolls, and may hold what is not shown yet"),
    }
}

/// Lists the elements that the reader can name. `None` if there are none, unless containers were looked for: then it
/// says that nothing scrolls.
fn offer(choices: &Choices, reader: &dyn Reader) -> Option<String> {
    if choices.choice_use == ChoiceUse::Scroll && choices.elements.is_empty() {
        return Some("nothing scrolls here".to_owned());
    }
    let name = |choice: &Choice| {
        let name = reader.element(&choice.name.selector, Some(&choice.name.id))?;
        let state = if choice.is_disabled { DISABLED } else { "" };
        Some(format!("{name}{state}"))
    };
    let mut names: Vec<String> = choices.elements.iter().filter_map(name).collect();
    if names.is_empty() {
        return None;
    }
    if choices.has_more {
        names.push("and more".to_owned());
    }
    let what = match choices.choice_use {
        ChoiceUse::Click => "can be clicked here",
        ChoiceUse::Read => "can be read here",
        ChoiceUse::Scroll => "scrolls here",
    };
    Some(format!("{what}: {}", names.join(" | ")))
}

/// Shows the two steps for a code of our own: that of the failure may be a secret.
fn type_in_two(reader: &dyn Reader) -> String {
    let advice = "where the app takes a text once it is whole, type it without its last character, then press the key of that";
    let (typed, pressed) = (NextStep::Type("123"), NextStep::Press("KEYCODE_4"));
    match (reader.step(&typed), reader.step(&pressed)) {
        (Some(typed), Some(pressed)) => {
            format!("{advice}: for 1234 write `{typed}`, then `{pressed}`")
        }
        _ => advice.to_owned(),
    }
}

/// Returns the advice `first`, followed by the option that acts by force if the reader's language has one.
fn or_force(first: &str, effect: &str, reader: &dyn Reader) -> String {
    match reader.option(CallOption::Force) {
        Some(option) => format!("{first}; `{option}` {effect}"),
        None => first.to_owned(),
    }
}
