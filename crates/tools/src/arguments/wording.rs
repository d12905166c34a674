//! Messages about wrong arguments, by catalogue and by mistake.
//!
//! The Android and semantic tools use the messages that their references quote. Where a reference quotes
//! nothing, messages follow the catalogue's own form.

use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::failure::invalid;
use crate::{Failure, WordValue, Words};
use runner_text::secret::Excerpt;
use runner_text::suggest::nearest;

/// Limit for a value repeated in an error, in characters. Chosen: enough to recognize it, on one line.
const MAX_DISPLAYED_CHARS: usize = 60;

/// Style of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// The Android tools' reference.
    Android,
    /// The semantic tools' reference.
    Semantic,
    /// The scenario tools, whose answers begin with a status.
    Scenario,
    /// Our own style, for a catalogue whose reference quotes no messages.
    MobileAgent,
    /// Our own style with the tool's name in front: `` `click`: … ``.
    Own,
}

/// Mistake in an argument.
#[derive(Clone, Copy)]
pub enum Complaint<'a> {
    /// Missing; holds a description of accepted values, or an empty text.
    Missing(&'a str),
    /// Unknown to the tool; holds the known names.
    Unknown(&'a [&'a String]),
    /// An empty text.
    Empty,
    /// Not a text.
    NotText(&'a Value),
    /// Not a number.
    NotNumber(&'a Value),
    /// A number too large to be finite.
    NotFinite(&'a Value),
    /// Not a whole number.
    NotWhole(&'a Value),
    /// Not a boolean.
    NotBoolean(&'a Value),
    /// Not an object.
    NotObject(&'a Value),
    /// Less than the minimum.
    Less(i64, &'a dyn WordValue),
    /// Zero or negative.
    NotPositive(&'a dyn WordValue),
    /// Zero, negative, or more than the maximum.
    NotUpTo(f64, &'a dyn WordValue),
    /// Outside of these bounds.
    NotBetween(i64, i64, &'a dyn WordValue),
    /// Not one of these words.
    NotOneOf(&'a [&'a str], &'a str),
    /// Not what the schema accepts, described in words.
    NotA(&'a str, &'a Value),
    /// Message of the argument's own type.
    Own(&'a str),
}

impl From<Catalogue> for Wording {
    /// Returns the wording of a catalogue's reference; the everyday steps have our own.
    fn from(catalogue: Catalogue) -> Self {
        match catalogue {
            Catalogue::Android => Self::Android,
            Catalogue::Semantic => Self::Semantic,
            Catalogue::Scenario => Self::Scenario,
            Catalogue::MobileAgent => Self::MobileAgent,
            Catalogue::Everyday => Self::Own,
        }
    }
}

impl Wording {
    /// Returns true if the reference's server ignores unknown arguments. All references do; our own tools
    /// refuse them.
    pub(super) fn ignores_unknown(self) -> bool {
        self != Self::Own
    }

    /// Returns true if the reference's server reads the number 5 as the text `5`.
    pub(super) fn takes_numbers_as_text(self) -> bool {
        self == Self::Android
    }

    /// Builds a failure of usage about the arguments as a whole, with the code `INVALID_PARAMS`. In our own wording and
    /// that of the mobile-agent tools, the tool's name comes first, without the catalogue's prefix, as clients know the
    /// tool without it. In the others it is the message alone.
    pub(super) fn about_tool(self, tool: &'static str, message: impl Into<Words>) -> Failure {
        let tool = tool.rsplit('.').next().unwrap_or(tool);
        let message = message.into();
        match self {
            Self::Own | Self::MobileAgent => {
                invalid(Words::format("`{}`: {}", &[&Words::from(tool), &message]))
            }
            _ => invalid(message),
        }
    }

    /// Builds the failure of an argument, in this wording. Unknown arguments are reported about the tool as a whole.
    /// `tool` is named only where [`about_tool`](Self::about_tool) names it. All have the code `INVALID_PARAMS`, but
    /// those of scenario tools have none unless the argument is unknown.
    pub(super) fn failure(
        self,
        tool: &'static str,
        name: &str,
        complaint: &Complaint<'_>,
    ) -> Failure {
        let words = match complaint {
            Complaint::Unknown(known) => return self.about_tool(tool, unknown(name, known)),
            Complaint::Missing(may_be) => self.missing(name, may_be),
            Complaint::Empty => self.empty(name),
            Complaint::Own(why) if self == Self::Scenario => Words::format("{}: {}", &[&name, why]),
            Complaint::Own(why) => Words::format("Parameter '{}': {}", &[&name, why]),
            complaint => {
                let phrase = match self {
                    Self::Android | Self::Semantic => reference_phrase(complaint),
                    Self::Scenario | Self::MobileAgent | Self::Own => plain_phrase(complaint),
                };
                let parts: [&dyn WordValue; 3] = [&name, &phrase, &self.got(complaint)];
                match self {
                    Self::Scenario => Words::format("{} must be {}{}", &parts),
                    _ => Words::format("Parameter '{}' must be {}{}", &parts),
                }
            }
        };
        match self {
            Self::Scenario => Failure::usage(words),
            Self::MobileAgent | Self::Own => self.about_tool(tool, words),
            Self::Android | Self::Semantic => invalid(words),
        }
    }

    /// Says that an argument is missing, and what it may be unless `may_be` is empty. The wordings of Android,
    /// the semantic layer and scenarios never say what it may be.
    fn missing(self, name: &str, may_be: &str) -> Words {
        match self {
            Self::Android => Words::format("Missing required parameter: '{}'", &[&name]),
            Self::Semantic => Words::format("Missing required parameter: {}", &[&name]),
            Self::Scenario => Words::format("{} is required", &[&name]),
            _ if may_be.is_empty() => Words::format("Missing required parameter '{}'", &[&name]),
            _ => Words::format("Missing required parameter '{}': {}", &[&name, &may_be]),
        }
    }

    /// Returns the complaint about an empty text, which the scenario tools word as a missing argument.
    fn empty(self, name: &str) -> Words {
        match self {
            Self::Scenario => self.missing(name, ""),
            _ => Words::format("Parameter '{}' must be non-empty", &[&name]),
        }
    }

    /// Describes the actual value, as the end of the sentence: `, got: 5`. Returns nothing for complaints without a
    /// value, and where the references show none: lists and objects in place of a number, and for Android any value in
    /// place of a text. Texts and JSON are marked to be cut after 60 characters, but not where the references quote
    /// them.
    fn got(self, complaint: &Complaint<'_>) -> Words {
        let is_reference = matches!(self, Self::Android | Self::Semantic);
        match complaint {
            Complaint::NotOneOf(_, got) if is_reference => Words::format(". Got: '{}'", &[got]),
            Complaint::NotOneOf(_, got) if self == Self::Scenario => {
                Words::format(", got '{}'", &[got])
            }
            Complaint::NotOneOf(_, got) => Words::format(", got: '{}'", &[got]),
            // The reference reports only lists and objects so, and converts everything else to text.
            Complaint::NotText(_) if self == Self::Android => Words::default(),
            Complaint::NotNumber(value)
            | Complaint::NotFinite(value)
            | Complaint::NotWhole(value)
                if is_reference =>
            {
                match *value {
                    Value::Array(_) | Value::Object(_) => Words::default(),
                    value => Words::format(", got: '{}'", &[unquoted(value)]),
                }
            }
            Complaint::NotText(value)
            | Complaint::NotNumber(value)
            | Complaint::NotFinite(value)
            | Complaint::NotWhole(value)
            | Complaint::NotBoolean(value)
            | Complaint::NotObject(value)
            | Complaint::NotA(_, value) => self.got_value(&displayed(value)),
            Complaint::Less(_, got)
            | Complaint::NotPositive(got)
            | Complaint::NotUpTo(_, got)
            | Complaint::NotBetween(_, _, got) => self.got_value(*got),
            Complaint::Missing(_)
            | Complaint::Unknown(_)
            | Complaint::Empty
            | Complaint::Own(_) => Words::default(),
        }
    }

    /// Writes the value as the end of the sentence: `, got 5` for scenario tools, else `, got: 5`.
    fn got_value(self, value: &dyn WordValue) -> Words {
        match self {
            Self::Scenario => Words::format(", got {}", &[value]),
            _ => Words::format(", got: {}", &[value]),
        }
    }
}

/// Describes the accepted values in the references' words, or in our own where the references have none.
fn reference_phrase(complaint: &Complaint<'_>) -> Words {
    match complaint {
        Complaint::NotText(_) => "a string".into(),
        Complaint::NotFinite(_) => "a finite number".into(),
        Complaint::NotWhole(_) => "an integer".into(),
        Complaint::NotBoolean(_) => "a boolean".into(),
        Complaint::Less(min, _) => Words::format(">= {}", &[min]),
        Complaint::NotPositive(_) => "> 0".into(),
        Complaint::NotOneOf(choices, _) => Words::format("one of: {}", &[&choices.join(", ")]),
        complaint => plain_phrase(complaint),
    }
}

/// Describes the accepted values in our own words, as the end of `must be …`. Empty for complaints that are
/// not about the kind of a value.
fn plain_phrase(complaint: &Complaint<'_>) -> Words {
    match complaint {
        Complaint::NotText(_) => "text".into(),
        Complaint::NotNumber(_) | Complaint::NotFinite(_) => "a number".into(),
        Complaint::NotWhole(_) => "a whole number".into(),
        Complaint::NotBoolean(_) => "true or false".into(),
        Complaint::NotObject(_) => "an object".into(),
        Complaint::Less(min, _) => Words::format("at least {}", &[min]),
        Complaint::NotPositive(_) => "more than 0".into(),
        Complaint::NotUpTo(max, _) => Words::format("greater than 0 and at most {}", &[max]),
        Complaint::NotBetween(min, max, _) => Words::format("between {} and {}", &[min, max]),
        Complaint::NotOneOf(choices, _) => Words::format("one of {}", &[&choices.join(", ")]),
        Complaint::NotA(may_be, _) => Words::format("{}", &[may_be]),
        Complaint::Missing(_) | Complaint::Unknown(_) | Complaint::Empty | Complaint::Own(_) => {
            Words::default()
        }
    }
}

/// Says that there is no such parameter, and names those that there are, or that the tool takes none. `name` is marked
/// to be cut after 60 characters.
fn unknown(name: &str, known: &[&String]) -> String {
    let name = Excerpt::new(name, MAX_DISPLAYED_CHARS);
    if known.is_empty() {
        return format!("there is no parameter '{name}'; it takes none");
    }
    let known: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
    format!(
        "there is no parameter '{name}'; there are: {}",
        known.join(", ")
    )
}

/// Builds the note that a client's unknown argument has no effect. It proposes the most similar of the `known` names,
/// if one is similar enough. The name is marked to be cut after 60 characters.
pub(super) fn ignored<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Words {
    let meant =
        nearest(name, known).map_or_else(String::new, |meant| format!("; did you mean '{meant}'?"));
    let name = Excerpt::new(name, MAX_DISPLAYED_CHARS).to_string();
    Words::format(
        "there is no parameter '{}', so it has no effect{}",
        &[&name, &meant],
    )
}

/// Formats a value for an error: texts in quotes, all else as JSON, both marked to be cut after 60 characters.
pub(super) fn displayed(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{}'", Excerpt::new(text, MAX_DISPLAYED_CHARS)),
        other => Excerpt::new(&other.to_string(), MAX_DISPLAYED_CHARS).to_string(),
    }
}

/// Formats a value as the references do, with texts unquoted. It is not shortened.
fn unquoted(value: &Value) -> &dyn WordValue {
    match value {
        Value::String(text) => text,
        other => other,
    }
}
