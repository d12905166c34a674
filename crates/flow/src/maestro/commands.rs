//! Parses lists of Maestro commands, and each command with its options.

mod app;
mod device;
mod keyboard;

use std::sync::Arc;

use super::super::ast::{Modifiers, Step, StepAction};
use super::super::foreign;
use super::super::keys;
use super::super::title;
use super::super::yaml::{Key, Node, NodeKind};
use super::advice;
use super::options::Options;
use super::reader::Reader;
use super::tree::{MaestroCommand, Platform};
use super::vocabulary::{CommandEntry, CommandState, suggestion};
use runner_text::diagnostic::Code;

impl Reader<'_> {
    /// Parses a list of commands. An empty list is an error: it would pass without doing anything. A wrong
    /// command is reported and left out.
    pub(super) fn commands(&mut self, node: &Node) -> Vec<Step> {
        let items = self.some_items(node, "commands");
        items.iter().filter_map(|item| self.step(item)).collect()
    }

    /// Reads one command: a word, or a map with one entry. Errors are reported and return `None`, also those in its
    /// options or in its inner commands.
    fn step(&mut self, node: &Node) -> Option<Step> {
        let (command, modifiers, title) = match &node.kind {
            NodeKind::Scalar(scalar) => {
                let (command, modifiers) = self.command_word(node, &scalar.text)?;
                (command, modifiers, scalar.text.clone())
            }
            NodeKind::Map(entries) => {
                let (key, value) = self.one_command(node, entries)?;
                let title = title::for_step(&key.text, value, false);
                let entry = self.entry(key)?;
                let options = self.options(entry, key, value)?;
                let (command, modifiers) = self.command(entry, key, &options)?;
                (command, modifiers, title)
            }
            NodeKind::Sequence(_) => {
                let help = Some("write `- tapOn: Sign in`".to_owned());
                self.fail(node, Code::Step, "a command is a name, not a list", help);
                return None;
            }
        };
        Some(Step {
            source: Arc::clone(&self.source),
            span: node.span.clone(),
            title,
            action: StepAction::Maestro(Box::new(command)),
            modifiers,
        })
    }

    /// Reads a command that is only its name, `word`. A missing or unknown name and a command that needs a value are
    /// reported and return `None`.
    fn command_word(&mut self, node: &Node, word: &str) -> Option<(MaestroCommand, Modifiers)> {
        if node.is_missing() {
            self.fail(node, Code::Step, "this command is empty", None);
            return None;
        }
        let key = Key {
            text: word.to_owned(),
            span: node.span.clone(),
        };
        let entry = self.entry(&key)?;
        if !entry.value_optional {
            let message = format!("`{word}` needs a value");
            let help = Some(format!("write `- {word}: …`"));
            self.fail(node, Code::MissingValue, message, help);
            return None;
        }
        self.command(entry, &key, &Options::none(node))
    }

    /// Returns the only entry of a command's map. No entry, and a second one beside the command, also `label` or
    /// `optional`, are reported and return `None`. The entry's name is not checked.
    fn one_command<'n>(
        &mut self,
        node: &Node,
        entries: &'n [(Key, Node)],
    ) -> Option<&'n (Key, Node)> {
        let Some(first) = entries.first() else {
            self.fail(node, Code::Step, "this command is empty", None);
            return None;
        };
        let Some((other, _)) = entries.get(1) else {
            return Some(first);
        };
        let name = &first.0.text;
        let message = format!("`{}` stands beside `{name}`", other.text);
        let help = if CommandEntry::find(&other.text).is_some() {
            "begin each command with `- ` on a line of its own".to_owned()
        } else {
            let known = CommandEntry::find(name).map(CommandEntry::option_names);
            let known = known.unwrap_or_default();
            let is_option = known.contains(&other.text.as_str());
            let short = CommandEntry::find(name).and_then(|command| command.short);
            let given = first.1.scalar().filter(|_| !first.1.is_missing());
            if let (Some(short), Some(given), true) = (short, given, is_option) {
                let value = foreign::yaml(&given.text);
                let help = format!("write `{name}: {{ {short}: {value}, {}: … }}`", other.text);
                self.fail_at(other.span.clone(), Code::Step, message, Some(help));
                return None;
            }
            let told = foreign::maestro::option(&other.text, name, &known);
            told.filter(|_| !is_option).unwrap_or_else(|| {
                format!("indent it deeper than `{name}` if it is an option of it")
            })
        };
        self.fail_at(other.span.clone(), Code::Step, message, Some(help));
        None
    }

    /// Finds a command by its exact name; one that does not run on Android is found too. An unknown one is reported
    /// with help and returns `None`.
    fn entry(&mut self, key: &Key) -> Option<&'static CommandEntry> {
        let word = key.text.as_str();
        let entry = CommandEntry::find(word);
        if entry.is_none() {
            let near = || suggestion(word).map(|name| format!("did you mean `{name}`?"));
            let own = || {
                let mut steps = keys::step_names(self.project.vocabulary);
                steps.find(|step| *step == word)?;
                let theirs = foreign::in_maestro(word).map_or_else(
                    || "Maestro has nothing with this effect".to_owned(),
                    |theirs| format!("Maestro's is {theirs}"),
                );
                Some(format!(
                    "{theirs}; for steps of our own write `app:` for `appId:`, and `steps:` in place of `---`"
                ))
            };
            let elsewhere = || {
                let theirs = foreign::maestro::equivalent(word)?;
                Some(format!("Maestro's is {theirs}"))
            };
            let help = foreign::maestro::wait(word)
                .or_else(own)
                .or_else(|| advice::joined(word))
                .or_else(near)
                .or_else(elsewhere)
                .or_else(|| foreign::no_command(word))
                .or_else(|| Some("docs/reference/maestro-commands.md lists them all".to_owned()));
            let message = format!("Maestro has no command `{word}`");
            self.fail_at(key.span.clone(), Code::UnknownStep, message, help);
        }
        entry
    }

    /// Reads the modifiers (`label`, `optional`) and the options of a command. Returns `None` if anything in it was
    /// reported as an error; so readers of options may go on after a report. A command that does not run on Android
    /// is an error, but is returned without a report where the flow runs it only elsewhere; there `clearKeychain` has
    /// no warning either.
    fn command(
        &mut self,
        entry: &'static CommandEntry,
        key: &Key,
        options: &Options<'_>,
    ) -> Option<(MaestroCommand, Modifiers)> {
        let before = self.diagnostics.len();
        let modifiers = Modifiers {
            label: self.option_text(options, "label").map(|label| label.text),
            optional: self.option_bool(options, "optional", false),
            ..Modifiers::default()
        };
        let command = match entry.state {
            CommandState::Unsupported(why) => {
                self.unsupported(key, why);
                MaestroCommand::Unsupported {
                    name: entry.name.to_owned(),
                }
            }
            CommandState::NoEffect => {
                if self.on_android {
                    self.ignored(key, "Android has no keychain");
                }
                MaestroCommand::ClearKeychain
            }
            CommandState::Runs => self.known(entry.name, options)?,
        };
        self.is_good_since(before).then_some((command, modifiers))
    }

    /// Reads a command that runs here, by its name in the table. Errors are reported. What it returns then, `None` or
    /// a command with a default in place of a wrong option, must not be used.
    fn known(&mut self, name: &str, options: &Options<'_>) -> Option<MaestroCommand> {
        Some(match name {
            "tapOn" => MaestroCommand::TapOn(self.tap(options)?),
            "doubleTapOn" => MaestroCommand::DoubleTapOn(self.double_tap(options)?),
            "longPressOn" => MaestroCommand::LongPressOn(self.tap(options)?),
            "assertVisible" => MaestroCommand::AssertVisible(self.looked_at(options)?),
            "assertNotVisible" => MaestroCommand::AssertNotVisible(self.looked_at(options)?),
            "copyTextFrom" => MaestroCommand::CopyTextFrom(self.looked_at(options)?),
            "swipe" => MaestroCommand::Swipe(self.swipe(options)?),
            "scrollUntilVisible" => {
                MaestroCommand::ScrollUntilVisible(self.scroll_until_visible(options)?)
            }
            "back" => MaestroCommand::Back,
            "hideKeyboard" => MaestroCommand::HideKeyboard,
            "scroll" => MaestroCommand::Scroll,
            "pasteText" => MaestroCommand::PasteText,
            "stopRecording" => MaestroCommand::StopRecording,
            "toggleAirplaneMode" => MaestroCommand::ToggleAirplaneMode,
            "toggleDarkMode" => MaestroCommand::ToggleDarkMode,
            "assertDarkMode" => MaestroCommand::AssertDarkMode,
            "assertLightMode" => MaestroCommand::AssertLightMode,
            "action" => self.action(options)?,
            "runFlow" | "repeat" | "retry" | "runScript" | "evalScript" | "assertTrue" => {
                self.control(name, options)?
            }
            "launchApp" | "stopApp" | "killApp" | "clearState" | "setPermissions" => {
                self.app_command(name, options)?
            }
            "extendedWaitUntil"
            | "waitForAnimationToEnd"
            | "assertScreenshot"
            | "takeScreenshot"
            | "startRecording" => self.screen_command(name, options)?,
            "inputText"
            | "inputRandomText"
            | "inputRandomNumber"
            | "inputRandomEmail"
            | "inputRandomPersonName"
            | "inputRandomCityName"
            | "inputRandomCountryName"
            | "inputRandomColorName"
            | "eraseText"
            | "pressKey"
            | "setClipboard" => self.keyboard_command(name, options)?,
            _ => self.device_command(name, options)?,
        })
    }

    /// Reads the old form `action: back`. An unknown word is reported and returns `None`; a missing one returns
    /// `None` alone.
    fn action(&mut self, options: &Options<'_>) -> Option<MaestroCommand> {
        let node = options.get("action")?;
        match node.scalar().map(|scalar| scalar.text.as_str()) {
            Some("back") => Some(MaestroCommand::Back),
            Some("hideKeyboard") => Some(MaestroCommand::HideKeyboard),
            Some("scroll") => Some(MaestroCommand::Scroll),
            Some("clearKeychain") => Some(MaestroCommand::ClearKeychain),
            Some("pasteText") => Some(MaestroCommand::PasteText),
            _ => {
                let known = [
                    "back",
                    "hideKeyboard",
                    "scroll",
                    "clearKeychain",
                    "pasteText",
                ];
                self.unknown_value(node, "there is no such action".to_owned(), known);
                None
            }
        }
    }

    /// Reads `evalScript`, `assertTrue`, `repeat`, `retry` or `runScript`; any other name counts as `runFlow`. Reads
    /// the files of scripts and sub-flows. A missing required option is reported and returns `None`. A `runFlow` that
    /// runs only on another platform may hold what Android does not support.
    fn control(&mut self, name: &str, options: &Options<'_>) -> Option<MaestroCommand> {
        match name {
            "evalScript" => {
                let script = self.required_text(options, "script")?;
                Some(MaestroCommand::EvalScript(script))
            }
            "assertTrue" => {
                let condition = self.required_text(options, "condition")?;
                Some(MaestroCommand::AssertTrue(condition))
            }
            "repeat" => {
                let times = self.number_text(options, "times");
                let condition = options.get("while").and_then(|node| self.condition(node));
                let Some(commands) = options.get("commands") else {
                    self.missing(options, "commands");
                    return None;
                };
                let steps = self.commands(commands);
                Some(MaestroCommand::Repeat {
                    times,
                    condition,
                    steps,
                })
            }
            "retry" => Some(MaestroCommand::Retry {
                max_retries: self.number_text(options, "maxRetries"),
                env: self.option_env(options),
                body: self.body(name, options)?,
            }),
            "runScript" => {
                let file = self.required_text(options, "file")?;
                Some(MaestroCommand::RunScript {
                    env: self.option_env(options),
                    when: options.get("when").and_then(|node| self.condition(node)),
                    script: self.script(&file)?,
                })
            }
            _ => {
                let when = options.get("when").and_then(|node| self.condition(node));
                let platform = when.as_ref().and_then(|when| when.platform);
                let outside = self.on_android;
                self.on_android &= platform.is_none_or(|it| it == Platform::Android);
                let env = self.option_env(options);
                let body = self.body(name, options);
                self.on_android = outside;
                let body = body?;
                Some(MaestroCommand::RunFlow { body, when, env })
            }
        }
    }

    /// Reads a command that waits for the screen or takes pictures; names without a branch count as `startRecording`.
    /// A missing required option is reported and returns `None`; `extendedWaitUntil` needs `visible`, `notVisible` or
    /// both. A wrong optional one is reported and counts as missing. Goldens are not looked up.
    fn screen_command(&mut self, name: &str, options: &Options<'_>) -> Option<MaestroCommand> {
        let selector = |reader: &mut Self, option: &str| {
            let node = options.get(option)?;
            reader.selector(node, option)
        };
        match name {
            "extendedWaitUntil" => {
                if options.get("visible").is_none() && options.get("notVisible").is_none() {
                    let message = "`extendedWaitUntil` says neither `visible` nor `notVisible`";
                    self.fail(options.node, Code::MissingKey, message, None);
                    return None;
                }
                Some(MaestroCommand::ExtendedWaitUntil {
                    visible: selector(self, "visible"),
                    not_visible: selector(self, "notVisible"),
                    timeout: self.number_text(options, "timeout"),
                })
            }
            "waitForAnimationToEnd" => Some(MaestroCommand::WaitForAnimationToEnd {
                timeout: self.number_text(options, "timeout"),
            }),
            "assertScreenshot" => Some(MaestroCommand::AssertScreenshot {
                path: self.required_text(options, "path")?,
                threshold: self.number_text(options, "thresholdPercentage"),
                crop_on: selector(self, "cropOn"),
            }),
            "takeScreenshot" => Some(MaestroCommand::TakeScreenshot {
                path: self.required_text(options, "path")?,
                crop_on: selector(self, "cropOn"),
            }),
            _ => {
                let path = self.required_text(options, "path")?;
                Some(MaestroCommand::StartRecording(path))
            }
        }
    }
}
