//! The table of what is said of an argument: by catalogue, and by what is wrong with it.
//!
//! The Android and the semantic tools say what their references quote. Where no reference quotes anything, the text follows
//! the catalogue's own form.

use serde_json::Value;

use crate::code::invalid;
use crate::registry::Catalogue;
use crate::{Failure, Inserted, Words};
use runner_text::secret::Excerpt;
use runner_text::suggest::nearest;

/// Characters of a value that an error repeats.
const MAX_DISPLAYED: usize = 60;

/// Whose words an error has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// Those of the Android tools' reference.
    Android,
    /// Those of the semantic tools' reference.
    Semantic,
    /// Those of the scenario tools, whose answers begin with a status.
    Scenario,
    /// Our own, for a catalogue whose reference quotes none.
    MobileAgent,
    /// Our own: `` `click`: … ``.
    Own,
}

/// What is wrong with an argument.
#[derive(Clone, Copy)]
pub enum Complaint<'a> {
    /// It is not there. Holds what it may be, where that is known.
    Missing(&'a str),
    /// The tool has no such argument. Holds those that it has.
    Unknown(&'a [&'a String]),
    /// An empty text.
    Empty,
    /// No text.
    NotText(&'a Value),
    /// No number.
    NotNumber(&'a Value),
    /// A number too large to be one.
    NotFinite(&'a Value),
    /// No whole number.
    NotWhole(&'a Value),
    /// Neither true nor false.
    NotBoolean(&'a Value),
    /// No object.
    NotObject(&'a Value),
    /// Less than the first.
    Less(i64, &'a dyn Inserted),
    /// Not more than 0.
    NotPositive(&'a dyn Inserted),
    /// Not more than 0, or more than this.
    NotUpTo(f64, &'a dyn Inserted),
    /// Out of these bounds.
    NotBetween(i64, i64, &'a dyn Inserted),
    /// Another word than these.
    NotOneOf(&'a [&'a str], &'a str),
    /// Not what its schema says, in words.
    NotA(&'a str, &'a Value),
    /// What the argument's own type says.
    Own(&'a str),
}

impl From<Catalogue> for Wording {
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
    /// Tells if the reference's server looks only at the arguments that it knows.
    pub(super) fn ignores_unknown(self) -> bool {
        self != Self::Own
    }

    /// Tells if the reference's server reads the number 5 as the text `5`.
    pub(super) fn takes_numbers_as_text(self) -> bool {
        self == Self::Android
    }

    /// A failure about the arguments as a whole. What is before the dot of a tool's name is for flows: clients know the tool
    /// without it.
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

    /// The failure of the argument of this name.
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
                let parts: [&dyn Inserted; 3] = [&name, &phrase, &self.got(complaint)];
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

    fn missing(self, name: &str, may_be: &str) -> Words {
        match self {
            Self::Android => Words::format("Missing required parameter: '{}'", &[&name]),
            Self::Semantic => Words::format("Missing required parameter: {}", &[&name]),
            Self::Scenario => Words::format("{} is required", &[&name]),
            _ if may_be.is_empty() => Words::format("Missing required parameter '{}'", &[&name]),
            _ => Words::format("Missing required parameter '{}': {}", &[&name, &may_be]),
        }
    }

    fn empty(self, name: &str) -> Words {
        match self {
            Self::Scenario => self.missing(name, ""),
            _ => Words::format("Parameter '{}' must be non-empty", &[&name]),
        }
    }

    /// What is there instead, as the end of the sentence.
    fn got(self, complaint: &Complaint<'_>) -> Words {
        let (value, number): (Option<&Value>, Option<&dyn Inserted>) = match complaint {
            Complaint::NotText(value)
            | Complaint::NotNumber(value)
            | Complaint::NotFinite(value)
            | Complaint::NotWhole(value)
            | Complaint::NotBoolean(value)
            | Complaint::NotObject(value)
            | Complaint::NotA(_, value) => (Some(*value), None),
            Complaint::Less(_, got)
            | Complaint::NotPositive(got)
            | Complaint::NotUpTo(_, got)
            | Complaint::NotBetween(_, _, got) => (None, Some(*got)),
            Complaint::NotOneOf(_, got) if self == Self::Android || self == Self::Semantic => {
                return Words::format(". Got: '{}'", &[got]);
            }
            Complaint::NotOneOf(_, got) if self == Self::Scenario => {
                return Words::format(", got '{}'", &[got]);
            }
            Complaint::NotOneOf(_, got) => return Words::format(", got: '{}'", &[got]),
            Complaint::Missing(_)
            | Complaint::Unknown(_)
            | Complaint::Empty
            | Complaint::Own(_) => (None, None),
        };
        let quoted = matches!(
            complaint,
            Complaint::NotNumber(_) | Complaint::NotFinite(_) | Complaint::NotWhole(_)
        );
        match (self, value, number) {
            (Self::Android, Some(_), _) if matches!(complaint, Complaint::NotText(_)) => {
                // The reference says so of a list and of an object only: it takes all else as text.
                Words::default()
            }
            (Self::Android | Self::Semantic, Some(Value::Array(_) | Value::Object(_)), _)
                if quoted =>
            {
                Words::default()
            }
            (Self::Android | Self::Semantic, Some(value), _) if quoted => {
                Words::format(", got: '{}'", &[&unquoted(value)])
            }
            (Self::Scenario, Some(value), _) => Words::format(", got {}", &[&displayed(value)]),
            (_, Some(value), _) => Words::format(", got: {}", &[&displayed(value)]),
            (Self::Scenario, _, Some(number)) => Words::format(", got {}", &[number]),
            (_, _, Some(number)) => Words::format(", got: {}", &[number]),
            (_, None, None) => Words::default(),
        }
    }
}

/// What an argument must be, as the references of the Android and the semantic tools say it.
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

/// What an argument must be, in our words.
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

fn unknown(name: &str, known: &[&String]) -> String {
    let name = Excerpt::new(name, MAX_DISPLAYED);
    if known.is_empty() {
        return format!("there is no parameter '{name}'; it takes none");
    }
    let known: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
    format!(
        "there is no parameter '{name}'; there are: {}",
        known.join(", ")
    )
}

/// The note on an argument that the tool does not have.
pub(super) fn ignored<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Words {
    let meant =
        nearest(name, known).map_or_else(String::new, |meant| format!("; did you mean '{meant}'?"));
    let name = Excerpt::new(name, MAX_DISPLAYED).to_string();
    Words::format(
        "there is no parameter '{}', so it has no effect{}",
        &[&name, &meant],
    )
}

/// A value as an error repeats it: a text in quotes, and none of it at any length.
pub(super) fn displayed(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{}'", Excerpt::new(text, MAX_DISPLAYED)),
        other => Excerpt::new(&other.to_string(), MAX_DISPLAYED).to_string(),
    }
}

/// A value as the references repeat it: a text without quotes of its own.
fn unquoted(value: &Value) -> &dyn Inserted {
    match value {
        Value::String(text) => text,
        other => other,
    }
}
