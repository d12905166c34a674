//! Parses lists of Maestro commands, and each command with its options.

use std::sync::Arc;

use super::super::ast::{Modifiers, Step, StepAction};
use super::super::foreign;
use super::super::report::nearest;
use super::super::title;
use super::super::yaml::{Key, Node, NodeKind};
use super::advice;
use super::key::PressedKey;
use super::options::Options;
use super::reader::Reader;
use super::tree::{LaunchApp, LaunchArgument, MaestroCommand, Platform, RandomKind, RawText};
use super::vocabulary::{CommandEntry, CommandState, PERMISSION_GROUPS, suggestion};
use runner_device::permissions::is_manage_storage;
use runner_text::diagnostic::Code;

/// Default number of characters of `inputRandomText` and of digits of `inputRandomNumber`:
/// `InputRandomCommand` of Maestro's `Commands.kt`.
const RANDOM_LENGTH: u32 = 8;
/// Maximum number of these characters or digits. Chosen: no input field takes more, and typing it would take minutes.
const MAX_RANDOM_LENGTH: u32 = 10_000;
/// Values of `setOrientation`.
const ORIENTATIONS: [&str; 4] = [
    "PORTRAIT",
    "LANDSCAPE_LEFT",
    "LANDSCAPE_RIGHT",
    "UPSIDE_DOWN",
];

/// Values of a permission.
const PERMIT: [&str; 3] = ["allow", "deny", "unset"];
/// Parses degrees within `-max..=max`, with blanks around them; `None` for all else.
fn degrees(text: &str, max: f64) -> Option<f64> {
    let degrees = text.trim().parse::<f64>().ok();
    degrees.filter(|degrees| degrees.abs() <= max)
}

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
                let theirs = foreign::maestro_command(word)?;
                Some(format!(
                    "Maestro's is `{theirs}`; for steps of our own write `app:` for `appId:`, and `steps:` in place of `---`"
                ))
            };
            let elsewhere = || {
                let theirs = foreign::maestro::equivalent(word)?;
                Some(format!("Maestro's is {theirs}"))
            };
            let help = foreign::maestro::wait(word)
                .or_else(|| advice::joined(word))
                .or_else(near)
                .or_else(own)
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

    /// Reads a command about an app; the app is `None` without `appId`, which means the flow's own. Names that are
    /// none of `stopApp`, `killApp`, `clearState` and `setPermissions` count as `launchApp`. Only missing permissions
    /// of `setPermissions` are reported and return `None`.
    fn app_command(&mut self, name: &str, options: &Options<'_>) -> Option<MaestroCommand> {
        let app_id = self.option_text(options, "appId");
        match name {
            "stopApp" => Some(MaestroCommand::StopApp(app_id)),
            "killApp" => Some(MaestroCommand::KillApp(app_id)),
            "clearState" => Some(MaestroCommand::ClearState(app_id)),
            "setPermissions" => {
                let Some(permissions) = self.permissions(options) else {
                    self.missing(options, "permissions");
                    return None;
                };
                Some(MaestroCommand::SetPermissions {
                    app_id,
                    permissions,
                })
            }
            _ => Some(MaestroCommand::LaunchApp(LaunchApp {
                app_id,
                clear_state: self.option_bool(options, "clearState", false),
                clear_keychain: self.option_bool(options, "clearKeychain", false),
                stop_app: self.maybe_bool(options, "stopApp"),
                permissions: self.permissions(options),
                arguments: self.launch_arguments(options),
            })),
        }
    }

    /// Reads permissions in their order, and warns of doubtful names and values, which are kept. Values that are no
    /// text are reported and left out. Returns `None` if the option is missing.
    fn permissions(&mut self, options: &Options<'_>) -> Option<Vec<(RawText, RawText)>> {
        let node = options.get("permissions")?;
        let texts = self.texts(node);
        for (key, value) in &texts {
            self.permission(key, value);
        }
        let entries = texts
            .into_iter()
            .map(|(key, value)| (self.key_text(key), value));
        Some(entries.collect())
    }

    /// Warns of permissions that Maestro accepts silently: a value other than `allow`, `deny` and `unset` denies the
    /// permission, and a name that Android does not know has no effect. Any name with a dot or `$` and `all` count as
    /// known, and values with `${…}` are not checked. Never an error.
    fn permission(&mut self, key: &Key, value: &RawText) {
        let word = value.text.as_str();
        if !value.has_script() && !PERMIT.contains(&word) {
            let message =
                format!("`{word}` is none of allow, deny and unset: it takes the permission away");
            let name = &key.text;
            let help = match word {
                "true" | "yes" | "granted" | "grant" | "always" => {
                    Some(format!("write `{name}: allow`"))
                }
                "false" | "no" | "denied" | "never" => Some(format!("write `{name}: deny`")),
                _ => {
                    nearest(word, PERMIT).map(|suggestion| format!("did you mean `{suggestion}`?"))
                }
            };
            self.doubtful(value.span.clone(), message, help);
        }
        let name = key.text.as_str();
        let groups = || PERMISSION_GROUPS.iter().map(|(group, _)| *group);
        let is_known = name.contains(['.', '$']) || groups().any(|group| group == name);
        if !is_known && name != "all" && !is_manage_storage(name) {
            let message = format!("Android knows no permission `{name}`: nothing is changed");
            let intended = nearest(name, groups()).map_or_else(
                || format!("android.permission.{}", name.to_uppercase()),
                str::to_owned,
            );
            let help = Some(format!("did you mean `{intended}`?"));
            self.doubtful(key.span.clone(), message, help);
        }
    }

    /// Reads the option `arguments`, in order and with their types. A number or boolean in quotes is text; wrong and
    /// missing values are reported and left out. Returns none if the option is missing.
    fn launch_arguments(&mut self, options: &Options<'_>) -> Vec<(RawText, LaunchArgument)> {
        let Some(node) = options.get("arguments") else {
            return Vec::new();
        };
        let mut arguments = Vec::new();
        for (key, value) in self.entries(node) {
            let Some(scalar) = value.scalar().filter(|_| !value.is_missing()) else {
                let message = format!("`{}` takes a text, a number or a boolean", key.text);
                self.fail(value, Code::WrongType, message, None);
                continue;
            };
            let number = scalar.number();
            let argument = if let Some(flag) = scalar.boolean() {
                LaunchArgument::Boolean(flag)
            } else if let Some(whole) = number.as_ref().and_then(serde_json::Number::as_i64) {
                LaunchArgument::Integer(whole)
            } else if let Some(decimal) = number.as_ref().and_then(serde_json::Number::as_f64) {
                LaunchArgument::Decimal(decimal)
            } else if let Some(text) = self.text(value) {
                LaunchArgument::Text(text)
            } else {
                continue;
            };
            arguments.push((self.key_text(key.clone()), argument));
        }
        arguments
    }

    /// Converts a key to a text with its place in the source.
    fn key_text(&self, key: Key) -> RawText {
        RawText {
            text: key.text,
            source: Arc::clone(&self.source),
            span: key.span,
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

    /// Reads a command about texts and keys; names without a branch count as `inputRandomColorName`. A missing text
    /// or key is reported and returns `None`. A missing length is [`RANDOM_LENGTH`], as is a wrong one after its
    /// report; one above [`MAX_RANDOM_LENGTH`] is reported, and returned.
    fn keyboard_command(&mut self, name: &str, options: &Options<'_>) -> Option<MaestroCommand> {
        let kind = match name {
            "inputText" => {
                let text = self.required_text(options, "text")?;
                return Some(MaestroCommand::InputText(text));
            }
            "setClipboard" => {
                let text = self.required_text(options, "text")?;
                return Some(MaestroCommand::SetClipboard(text));
            }
            "eraseText" => {
                let count = self.option_number(options, "charactersToErase", "a whole number");
                return Some(MaestroCommand::EraseText(count));
            }
            "pressKey" => return self.press_key(options),
            "inputRandomText" => RandomKind::Text,
            "inputRandomNumber" => RandomKind::Number,
            "inputRandomEmail" => RandomKind::Email,
            "inputRandomPersonName" => RandomKind::PersonName,
            "inputRandomCityName" => RandomKind::CityName,
            "inputRandomCountryName" => RandomKind::CountryName,
            _ => RandomKind::ColorName,
        };
        let length = self.option_number(options, "length", "a whole number");
        if length.is_some_and(|length| length > MAX_RANDOM_LENGTH) {
            let message = format!("`length` is at most {MAX_RANDOM_LENGTH}");
            self.fail(options.node, Code::OutOfRange, message, None);
        }
        let length = length.unwrap_or(RANDOM_LENGTH);
        Some(MaestroCommand::InputRandom { kind, length })
    }

    /// Reads `pressKey`; a missing or unknown key, also one with `${…}`, is reported and returns `None`.
    fn press_key(&mut self, options: &Options<'_>) -> Option<MaestroCommand> {
        let Some(node) = options.get("key") else {
            self.missing(options, "key");
            return None;
        };
        let name = self.text(node)?;
        let key = PressedKey::from_name(&name.text);
        if key.is_none() {
            let message = format!("there is no key `{}`", name.text);
            let known = PressedKey::ALL.iter().map(|key| key.name());
            self.unknown_value(node, message, known);
        }
        key.map(MaestroCommand::PressKey)
    }

    /// Reads a command about the device. All other names count as `setDarkMode`. A missing or wrong required option
    /// is reported and returns `None`. Files of `addMedia` that are not there are reported and left out.
    fn device_command(&mut self, name: &str, options: &Options<'_>) -> Option<MaestroCommand> {
        match name {
            "openLink" => Some(MaestroCommand::OpenLink {
                link: self.required_text(options, "link")?,
                browser: self.option_bool(options, "browser", false),
                auto_verify: self.option_bool(options, "autoVerify", false),
            }),
            "addMedia" => {
                let Some(node) = options.get("files") else {
                    self.missing(options, "files");
                    return None;
                };
                let items = self.some_items(node, "files");
                let paths = items.iter().filter_map(|item| {
                    let text = self.text(item)?;
                    let (_, absolute) = self.file(&text, Code::Unreadable)?;
                    Some(absolute)
                });
                Some(MaestroCommand::AddMedia(paths.collect()))
            }
            "setLocation" => {
                let latitude = self.degrees(options, "latitude", 90.0)?;
                let longitude = self.degrees(options, "longitude", 180.0)?;
                Some(MaestroCommand::SetLocation {
                    latitude,
                    longitude,
                })
            }
            "travel" => self.travel(options),
            "setOrientation" => self.orientation(options),
            "setAirplaneMode" => self.switch(options).map(MaestroCommand::SetAirplaneMode),
            _ => self.switch(options).map(MaestroCommand::SetDarkMode),
        }
    }

    /// Reads the required option `name` as degrees from `-max` to `max`. Reports a missing or wrong value and
    /// returns `None`; a text with `${…}` is checked in the run.
    fn degrees(&mut self, options: &Options<'_>, name: &str, max: f64) -> Option<RawText> {
        let text = self.required_text(options, name)?;
        if !text.has_script() && degrees(&text.text, max).is_none() {
            let what = format!("degrees from -{max} to {max}, such as 52.37");
            self.not_a(options.get(name)?, name, &what);
            return None;
        }
        Some(text)
    }

    /// Reads `travel`. Points are literal `latitude,longitude` in degrees. A wrong point and a wrong speed are reported
    /// and left out. A missing list and a point that is no scalar are reported and return `None`; an empty list is
    /// reported.
    fn travel(&mut self, options: &Options<'_>) -> Option<MaestroCommand> {
        let Some(node) = options.get("points") else {
            self.missing(options, "points");
            return None;
        };
        let mut points = Vec::new();
        for item in self.some_items(node, "points") {
            let text = self.text(item)?.text;
            let point = text.split_once(',').and_then(|(latitude, longitude)| {
                Some((degrees(latitude, 90.0)?, degrees(longitude, 180.0)?))
            });
            match point {
                Some(point) => points.push(point),
                None => self.not_a(item, "points", "`latitude,longitude` in degrees"),
            }
        }
        let speed = self.option_number(options, "speed", "a number of metres in a second");
        Some(MaestroCommand::Travel { points, speed })
    }

    /// Reads the required option `orientation`, in any case and with or without `_`, and keeps it as written. A
    /// missing or unknown one is reported and returns `None`; a text with `${…}` is checked in the run.
    fn orientation(&mut self, options: &Options<'_>) -> Option<MaestroCommand> {
        let Some(node) = options.get("orientation") else {
            self.missing(options, "orientation");
            return None;
        };
        let name = self.text(node)?;
        let plain = |name: &str| name.to_lowercase().replace('_', "");
        let is_known = ORIENTATIONS
            .iter()
            .any(|known| plain(known) == plain(&name.text));
        if !is_known && !name.has_script() {
            let message = format!("there is no orientation `{}`", name.text);
            self.unknown_value(node, message, ORIENTATIONS);
            return None;
        }
        Some(MaestroCommand::SetOrientation(name))
    }

    /// Reads the option `value`: `enabled` is true and `disabled` false, in any case. Reports anything else, also a
    /// boolean and a missing value, and returns `None`.
    fn switch(&mut self, options: &Options<'_>) -> Option<bool> {
        let Some(node) = options.get("value") else {
            self.missing(options, "value");
            return None;
        };
        match node
            .scalar()
            .map(|scalar| scalar.text.to_lowercase())
            .as_deref()
        {
            Some("enabled") => Some(true),
            Some("disabled") => Some(false),
            _ => {
                self.not_a(node, "value", "`enabled` or `disabled`");
                None
            }
        }
    }
}
