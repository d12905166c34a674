//! Options of a server: its catalogue, the names of its tools and its instructions.

use std::str::FromStr;

use runner_tools::mobile_agent::DATA_TOOLS;
use runner_tools::{Catalogue, Effect, Entry};

/// Catalogue of tools and the form of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Android tools: `android_tap`, …
    #[default]
    Android,
    /// Mobile-agent tools: `tap`, `click_control`, …
    MobileAgent,
    /// Semantic-UI tools: `click`, `toggle`, …
    Semantic,
    /// Scenario tools: `tap`, `verifyElementVisible`, …
    Scenario,
}

impl Dialect {
    pub const ALL: [Self; 4] = [
        Self::Android,
        Self::MobileAgent,
        Self::Semantic,
        Self::Scenario,
    ];

    /// Returns the name in options and configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Android => "android",
            Self::MobileAgent => "mobile-agent",
            Self::Semantic => "semantic",
            Self::Scenario => "scenario",
        }
    }

    /// Returns the registry's catalogue that has the dialect's own tools.
    pub(super) fn catalogue(self) -> Catalogue {
        match self {
            Self::Android => Catalogue::Android,
            Self::MobileAgent => Catalogue::MobileAgent,
            Self::Semantic => Catalogue::Semantic,
            Self::Scenario => Catalogue::Scenario,
        }
    }
}

/// Subset of a server's tools at one endpoint. Servers with the mobile-agent tools split them over two ports, and each
/// may have a token of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolSubset {
    /// All tools, with the agent tools.
    #[default]
    All,
    /// Tools that only look.
    Data,
    /// All others.
    Action,
}

impl ToolSubset {
    /// Returns true if the subset has the dialect's tool of this name. All names but those of the fixed list of data
    /// tools count as acting, unknown ones too.
    pub(super) fn holds(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Data => DATA_TOOLS.contains(&name),
            Self::Action => !DATA_TOOLS.contains(&name),
        }
    }

    /// Returns the subset of the server's other endpoint, and where that is. `None` for a server with one endpoint.
    pub(super) fn other(self) -> Option<(Self, &'static str)> {
        match self {
            Self::All => None,
            Self::Data => Some((Self::Action, "second address, one port higher")),
            Self::Action => Some((Self::Data, "first address, one port lower")),
        }
    }

    /// Returns true if the subset has the agent tools with this effect.
    pub(super) fn holds_effect(self, effect: Effect) -> bool {
        match self {
            Self::All => true,
            Self::Data => effect == Effect::Reads,
            Self::Action => effect != Effect::Reads,
        }
    }
}

/// Size of the list of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolSet {
    /// All of the dialect's, and the agent tools.
    #[default]
    All,
    /// Sixteen tools named `runner_…`, whatever the dialect.
    Lean,
}

impl ToolSet {
    pub const ALL: [Self; 2] = [Self::All, Self::Lean];

    /// Returns the name in options and configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Lean => "lean",
        }
    }
}

/// Agent tools in [`ToolSet::Lean`].
const LEAN: [&str; 8] = [
    "runner_look",
    "runner_changes",
    "runner_do",
    "runner_record",
    "runner_lint_flow",
    "runner_save_flow",
    "runner_run_flow",
    "runner_take_snapshot",
];

/// Part of the Android tools' names that tells devices apart: `android_SLUG_tap`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slug(String);

/// Error for a text that is no [`Slug`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a slug has letters (a-z, A-Z), digits and underscores only, at most 20")]
pub struct SlugError;

impl FromStr for Slug {
    type Err = SlugError;

    /// Parses up to 20 ASCII letters, digits and `_`. Empty is allowed. Any other text, also one with spaces around it,
    /// is an error.
    fn from_str(text: &str) -> Result<Self, SlugError> {
        let fits = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if fits && text.len() <= 20 {
            Ok(Self(text.to_owned()))
        } else {
            Err(SlugError)
        }
    }
}

impl std::fmt::Display for Slug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Options of one endpoint.
#[derive(Debug, Clone, Default)]
pub struct DialectOptions {
    pub dialect: Dialect,
    pub part: ToolSubset,
    /// Part of the Android tools' names that tells devices apart.
    pub slug: Option<Slug>,
    pub tools: ToolSet,
    /// True to leave the agent tools out. The lean set has them anyway.
    pub no_agent_tools: bool,
}

impl DialectOptions {
    pub(super) fn is_lean(&self) -> bool {
        self.tools == ToolSet::Lean
    }

    fn has_agent_tools(&self) -> bool {
        self.is_lean() || !self.no_agent_tools
    }

    /// Returns true if the agent tool of this name is served, at this endpoint or at the other one.
    pub(super) fn has_agent_tool(&self, name: &str) -> bool {
        self.has_agent_tools() && (!self.is_lean() || LEAN.contains(&name))
    }

    /// Returns a registry tool's name in the dialect: an Android tool's with the prefix, another's without the name of
    /// its catalogue, which stands before the last dot.
    pub(super) fn name(&self, entry: &Entry) -> String {
        if entry.catalogue == Catalogue::Android {
            return format!("{}{}", self.prefix(), entry.name);
        }
        // In flows, names of the other catalogues begin with the catalogue's name, as all catalogues are valid there.
        entry
            .name
            .rsplit_once('.')
            .map_or(entry.name, |(_, name)| name)
            .to_owned()
    }

    /// Returns the prefix of all of the dialect's names: `android_` or `android_SLUG_` for the Android tools,
    /// empty for the others.
    pub(super) fn prefix(&self) -> String {
        match (self.dialect, &self.slug) {
            (Dialect::Android, Some(slug)) if !slug.0.is_empty() => format!("android_{slug}_"),
            (Dialect::Android, _) => "android_".to_owned(),
            _ => String::new(),
        }
    }

    /// Returns the instructions that an agent reads before its first call. They describe only tools that
    /// these options serve.
    pub(super) fn instructions(&self) -> String {
        let mut text = String::new();
        if self.has_agent_tools() {
            if self.part.holds_effect(Effect::Reads) {
                text.push_str(
                    "runner_look shows the screen in few words, each element with a short id such as @e12: begin with it. \
                     After an act, runner_changes tells only what is new. ",
                );
            }
            if self.part.holds_effect(Effect::Acts) {
                text.push_str("runner_do does several steps in one call. ");
            }
            text.push_str(match self.dialect {
                _ if self.part == ToolSubset::Action => "",
                _ if self.is_lean() => {
                    "Act with runner_click, runner_type and the others by these ids. "
                }
                Dialect::Scenario => "Name an element by the text or id they show. ",
                _ => "Every tool that takes an element's id takes these. ",
            });
        }
        if self.is_lean() {
            text.push_str("Drives one Android device and the project's tests: record what you do as a flow, or write one, lint, save and run it.");
        } else {
            text.push_str(&self.dialects_instructions());
            if self.has_agent_tools() {
                text.push_str(match self.part {
                    ToolSubset::All => {
                        " The other tools named runner_… belong to the project's tests: they write, check, run and \
                         record flows."
                    }
                    ToolSubset::Data => {
                        " The other tools named runner_… belong to the project's tests: they list and check flows."
                    }
                    ToolSubset::Action => {
                        " The other tools named runner_… belong to the project's tests: they write, run and record \
                         flows."
                    }
                });
            }
        }
        text.push_str(
            " A failed call says what to do next; calls of several clients are done one after the other.",
        );
        text
    }

    /// Returns the instructions about the dialect's own tools, by the names that they have here.
    fn dialects_instructions(&self) -> String {
        let prefix = self.prefix();
        match self.dialect {
            Dialect::Android => format!(
                "Drives one Android device. {prefix}get_screen_state lists all of the screen with ids, bounds and \
                 what can be done. Act by id ({prefix}click_element, {prefix}type_replace_text, \
                 {prefix}scroll_to_element) or at coordinates ({prefix}tap, {prefix}swipe), and look again after \
                 each act or wait with {prefix}wait_for_element. {prefix}list_apps and {prefix}open_app find and \
                 open apps."
            ),
            Dialect::MobileAgent => self.mobile_agent_instructions(),
            Dialect::Semantic => "Drives the screen of one Android device by meaning. list_actionable and the \
                 resource ui://tree name the elements by ids and say what each can do. Then click, type_text, focus, \
                 scroll, toggle or select by element_id, and look again after each act."
                .to_owned(),
            Dialect::Scenario => "Runs test scenarios on one Android device. A scenario begins with \
                 startTestingScenario and the app's package, once. Find elements with findUiElementsByText, act with \
                 tap, inputText and the scroll tools, check with verifyElementVisible and verifyElementNotVisible. \
                 Every result begins with a status: after AMBIGUOUS call again with position; after NOT_FOUND look \
                 with getScreenDump."
                .to_owned(),
        }
    }

    /// Returns the instructions about the tools that this address serves, and where the others are.
    fn mobile_agent_instructions(&self) -> String {
        let looks = "get_app_window_controls_target_info numbers the controls on the screen, and \
             get_mobile_app_target_info lists the apps.";
        let acts = "Act with launch_app, click_control, type_text, tap and swipe; after each act the numbers are \
             new, so ask for the controls again.";
        match self.part {
            ToolSubset::All => format!("Drives one Android device. {looks} {acts}"),
            ToolSubset::Data => format!(
                "Looks at one Android device. {looks} The tools that act are at this server's second address, one \
                 port higher."
            ),
            ToolSubset::Action => format!(
                "Acts on one Android device. {acts} The tools that look are at this server's first address, one \
                 port lower."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_short_and_plain() {
        for fine in ["pixel7", "", "A_1", "abcdefghijklmnopqrst"] {
            assert!(fine.parse::<Slug>().is_ok(), "{fine}");
        }
        for wrong in [
            "pixel 7",
            "pixel-7",
            "é",
            "abcdefghijklmnopqrstu",
            "a;b",
            "a\n",
        ] {
            assert!(wrong.parse::<Slug>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_empty_slug_changes_no_name() {
        let options = DialectOptions {
            slug: "".parse().ok(),
            ..DialectOptions::default()
        };
        assert_eq!(options.prefix(), "android_");
    }
}
