//! Reads options of commands: texts, numbers and booleans, each with its place.

use std::ops::Range;
use std::sync::Arc;

use super::super::foreign;
use super::super::report::suggest;
use super::super::value_advice;
use super::super::yaml::{Key, Node, NodeKind};
use super::advice;
use super::options::Options;
use super::reader::Reader;
use super::tree::{EnvEntries, RawText};
use super::vocabulary::{COMMON, CommandEntry, LENIENT, SELECTOR, SELECTOR_OTHERS, TAP};
use runner_text::diagnostic::Code;
use serde_json::json;

impl Reader<'_> {
    /// Takes the options of a command from a map, or from the single value that stands for one of them; a list only
    /// for `files`. Reports a missing value, a wrong kind of value and unknown options, and returns `None` then.
    /// Unknown options of lenient commands are only warnings. The options' values are not checked.
    pub(super) fn options<'n>(
        &mut self,
        command: &CommandEntry,
        key: &Key,
        node: &'n Node,
    ) -> Option<Options<'n>> {
        let name = command.name;
        if node.is_missing() {
            let help = if command.value_optional {
                format!("write `- {name}` without a colon, or give it options")
            } else {
                format!("write `- {name}: …`")
            };
            let message = format!("`{name}` needs a value after its colon");
            self.fail_at(key.span.clone(), Code::MissingValue, message, Some(help));
            return None;
        }
        match (&node.kind, command.short) {
            (NodeKind::Map(entries), _) => {
                self.check_options(command, entries)?;
                Some(Options::from_map(node, entries))
            }
            (NodeKind::Scalar(_), Some(short)) if short != "files" => {
                Some(Options::from_value(node, short))
            }
            (NodeKind::Sequence(_), Some("files")) => Some(Options::from_value(node, "files")),
            _ => {
                let message = format!("`{name}` takes a map of options, not {}", node.what());
                let help =
                    advice::short(name, node).or_else(|| suggest("", command.option_names()));
                self.fail(node, Code::WrongType, message, help);
                None
            }
        }
    }

    /// Reports options that the command does not have, and returns `None` if one of them is an error. For a
    /// command with a selector they are keys of the selector, see [`Self::check_selector_keys`]: those without
    /// an effect are warnings, unknown ones and `css` errors. For any other command each is an error, or only
    /// a warning if Maestro reads the command leniently.
    fn check_options(&mut self, command: &CommandEntry, entries: &[(Key, Node)]) -> Option<()> {
        if command.takes_selector() {
            let may_tap = command.name.ends_with("apOn") || command.name == "longPressOn";
            return self.check_selector_keys(entries, command.name, may_tap);
        }
        let mut good = Some(());
        for (key, _) in entries {
            let name = key.text.as_str();
            if command.options.contains(&name) || COMMON.contains(&name) {
                continue;
            }
            if LENIENT.contains(&command.name) {
                let why = "Maestro reads only the options that it knows here";
                let message = format!("`{name}` changes nothing: {why}");
                let help = advice::in_focus(command.name, name);
                self.fail_at(key.span.clone(), Code::Ignored, message, help);
                continue;
            }
            // `url` is an old name of `appId`, for web pages.
            if name == "url" && command.options.contains(&"appId") {
                self.unsupported(key, "opens a web page; flows here test apps");
            } else {
                self.unknown_option(key, command.name, command.option_names());
            }
            good = None;
        }
        good
    }

    /// Reports unknown keys of a selector and `css`, all of them, and then returns `None`. Keys without an effect
    /// here, such as those of taps if `may_tap` is false, are only warnings. `whose` is the command's name for
    /// messages. Values and inner selectors are not checked.
    pub(super) fn check_selector_keys(
        &mut self,
        entries: &[(Key, Node)],
        whose: &str,
        may_tap: bool,
    ) -> Option<()> {
        let mut good = Some(());
        for (key, _) in entries {
            let name = key.text.as_str();
            match name {
                "css" => {
                    self.unsupported(key, "finds elements of web pages; flows here test apps");
                    good = None;
                }
                "start" | "end" => self.ignored(key, "`tapOn` and its like never use it"),
                _ if TAP.contains(&name) => {
                    if !may_tap {
                        self.ignored(key, "it belongs to what taps");
                    }
                }
                _ if SELECTOR.contains(&name) || COMMON.contains(&name) => {}
                _ => {
                    let known = SELECTOR.iter().chain(TAP).chain(&COMMON).copied();
                    self.unknown_option(key, whose, known.collect());
                    good = None;
                }
            }
        }
        good
    }

    /// Reports as an error that the option is unknown, with its equivalent or the nearest of `known` as help. The
    /// caller decides that it is. `whose` is the command's name for the message.
    pub(super) fn unknown_option(&mut self, key: &Key, whose: &str, known: Vec<&'static str>) {
        let message = format!("`{whose}` has no option `{}`", key.text);
        // In braces a comma ends a value.
        let before = self.source.text.get(..key.span.start).unwrap_or_default();
        if let Some(help) = point_without_quotes(&key.text, before) {
            self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
            return;
        }
        // Maestro accepts these keys without any effect.
        let known = known
            .into_iter()
            .filter(|name| !SELECTOR_OTHERS.contains(name));
        let known: Vec<&str> = known.collect();
        let help = advice::in_focus(whose, &key.text)
            .or_else(|| foreign::maestro::option(&key.text, whose, &known))
            .or_else(|| suggest(&key.text, known));
        self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
    }

    /// Reports as an error a word that cannot run on Android. Does nothing where the flow runs it only on another
    /// platform.
    pub(super) fn unsupported(&mut self, key: &Key, why: &str) {
        if self.on_android {
            let message = format!("`{}` is not supported: it {why}", key.text);
            self.fail_at(key.span.clone(), Code::Unsupported, message, None);
        }
    }

    /// Warns of a word without effect in its place.
    pub(super) fn ignored(&mut self, key: &Key, why: &str) {
        let message = format!("`{}` changes nothing: {why}", key.text);
        self.fail_at(key.span.clone(), Code::Ignored, message, None);
    }

    /// Warns of something valid that probably does something else than its author meant. Does nothing where
    /// the flow itself runs only on another platform.
    pub(super) fn doubtful(&mut self, span: Range<usize>, message: String, help: Option<String>) {
        if self.on_android {
            self.fail_at(span, Code::Doubtful, message, help);
        }
    }

    /// Reads a scalar as text, with its place. Numbers, booleans and nulls are taken as they are written; `${…}`
    /// stays. Reports lists and maps, and returns `None`.
    pub(super) fn text(&mut self, node: &Node) -> Option<RawText> {
        let Some(scalar) = node.scalar() else {
            let message = format!("text is expected here, not {}", node.what());
            self.fail(node, Code::WrongType, message, None);
            return None;
        };
        Some(RawText {
            text: scalar.text.clone(),
            source: Arc::clone(&self.source),
            span: node.span.clone(),
        })
    }

    /// Reads an option as text; `None` if it is missing. One that is no scalar is reported and returns
    /// `None`.
    pub(super) fn option_text(&mut self, options: &Options<'_>, name: &str) -> Option<RawText> {
        self.text(options.get(name)?)
    }

    /// Reads a required option as text. Reports a missing one and one that is no scalar, and returns `None`.
    pub(super) fn required_text(&mut self, options: &Options<'_>, name: &str) -> Option<RawText> {
        let Some(node) = options.get(name) else {
            self.missing(options, name);
            return None;
        };
        self.text(node)
    }

    /// Reports as an error that the option is missing: at its key if that has no value, else at the command. The
    /// caller decides that it is.
    pub(super) fn missing(&mut self, options: &Options<'_>, name: &str) {
        let span = match options.key(name) {
            Some(key) => key.span.clone(),
            None => options.node.span.clone(),
        };
        self.fail_at(span, Code::MissingKey, format!("`{name}` is missing"), None);
    }

    /// Reads `true` or `false`; `default` if it is missing. Without quotes `yes`, `on`, `no` and `off` count
    /// too. A wrong value is reported, and counts as `default`.
    pub(super) fn option_bool(&mut self, options: &Options<'_>, name: &str, default: bool) -> bool {
        self.maybe_bool(options, name).unwrap_or(default)
    }

    /// Reads an option as boolean, in any case; `None` if it is missing. `true` and `false` count in quotes too,
    /// words such as `yes` only without; anything else, also `${…}`, is reported and returns `None`.
    pub(super) fn maybe_bool(&mut self, options: &Options<'_>, name: &str) -> Option<bool> {
        let node = options.get(name)?;
        let scalar = node.scalar();
        let text = scalar.map(|scalar| scalar.text.trim().to_lowercase());
        // Maestro reads the words of YAML 1.1 as booleans if they have no quotes.
        let plain = scalar.is_some_and(|scalar| scalar.plain);
        match text.as_deref() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some("yes" | "on" | "y") if plain => Some(true),
            Some("no" | "off" | "n") if plain => Some(false),
            _ => {
                self.not_a(node, name, "`true` or `false`");
                None
            }
        }
    }

    /// Reads an option as a number of the type `N`; `None` if it is missing. A wrong value, also one with
    /// `${…}`, is reported with `what` (the expected kind) and returns `None` too.
    pub(super) fn option_number<N: std::str::FromStr>(
        &mut self,
        options: &Options<'_>,
        name: &str,
        what: &str,
    ) -> Option<N> {
        let node = options.get(name)?;
        let text = node.scalar().map(|scalar| scalar.text.trim());
        let number = text.and_then(|text| text.parse().ok());
        if number.is_none() {
            self.not_a(node, name, what);
        }
        number
    }

    /// Reads an option that evaluates to a number, as it is written; `None` if it is missing. Fractions, signs and
    /// `_` are allowed; no range is checked. A wrong literal is reported and returns `None`; a text with `${…}` is
    /// checked in the run.
    pub(super) fn number_text(&mut self, options: &Options<'_>, name: &str) -> Option<RawText> {
        let node = options.get(name)?;
        let text = self.text(node)?;
        let plain = text.text.trim().replace('_', "");
        if !text.has_script() && plain.parse::<f64>().is_err() {
            self.not_a(node, name, "a number");
            return None;
        }
        Some(text)
    }

    /// Reports as an error a value of the wrong type: the option `name` takes `what`. A value with `${…}` gets help,
    /// because Maestro evaluates none there, and so does a number in another form, such as `5s`. Does not look whether
    /// the value is wrong.
    pub(super) fn not_a(&mut self, node: &Node, name: &str, what: &str) {
        let has_script = node
            .scalar()
            .is_some_and(|scalar| scalar.text.contains("${"));
        let help = has_script.then(|| format!("Maestro takes no `${{}}` in `{name}`"));
        let text = node.scalar().filter(|_| what.contains("number"));
        let help = help.or_else(|| as_number(name, what, &text?.text));
        let message = format!("`{name}` takes {what}");
        self.fail(node, Code::WrongType, message, help);
    }

    /// Reads a map of names to texts, in order. Other values are reported and left out, as [`Self::texts`] does.
    /// Names are not checked.
    pub(super) fn env(&mut self, node: &Node) -> EnvEntries {
        let mut env = EnvEntries::new();
        for (key, value) in self.texts(node) {
            env.push((key.text, value));
        }
        env
    }

    /// Reads a map of keys to texts, in order. Missing values and those that are no scalars are reported and
    /// left out.
    pub(super) fn texts(&mut self, node: &Node) -> Vec<(Key, RawText)> {
        let mut texts = Vec::new();
        for (key, value) in self.entries(node) {
            if value.is_missing() {
                let message = format!("`{}` has no value", key.text);
                let help = Some(format!("an empty text is `{}: \"\"`", key.text));
                self.fail_at(key.span.clone(), Code::MissingValue, message, help);
            } else if let Some(text) = self.text(value) {
                texts.push((key.clone(), text));
            }
        }
        texts
    }

    /// Returns the entries of a map; none for a missing value. Reports other kinds of values, and returns
    /// none.
    pub(super) fn entries<'n>(&mut self, node: &'n Node) -> &'n [(Key, Node)] {
        match &node.kind {
            NodeKind::Map(entries) => entries,
            _ if node.is_missing() => &[],
            _ => {
                let message = format!("a map is expected here, not {}", node.what());
                self.fail(node, Code::WrongType, message, advice::as_map(node));
                &[]
            }
        }
    }

    /// Returns the items of a list. An empty list is reported, as one without `what`, but a missing value is
    /// not.
    pub(super) fn some_items<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        if matches!(&node.kind, NodeKind::Sequence(items) if items.is_empty()) {
            let message = format!("this list holds no {what}");
            self.fail(node, Code::MissingValue, message, None);
        }
        self.items(node)
    }

    /// Returns the items of a list; none for a missing value. Reports other kinds of values, and returns
    /// none.
    pub(super) fn items<'n>(&mut self, node: &'n Node) -> &'n [Node] {
        match &node.kind {
            NodeKind::Sequence(items) => items,
            _ if node.is_missing() => &[],
            _ => {
                let message = format!("a list is expected here, not {}", node.what());
                let help = Some("begin each item with `- `".to_owned());
                self.fail(node, Code::WrongType, message, help);
                &[]
            }
        }
    }
}

/// Returns advice for a text in place of the number of an option. A time with its unit gives milliseconds, if the name
/// of the option speaks of a timeout, duration or delay. Else a number in words, with a comma, or with a unit behind
/// it gives the number. Returns `None` for a percentage, and for a text without a number.
fn as_number(name: &str, what: &str, text: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let is_time = ["timeout", "duration", "delay"]
        .iter()
        .any(|part| lower.contains(part));
    if is_time && let Some(time) = foreign::milliseconds(text) {
        return Some(format!(
            "a time is a number of milliseconds: write `{name}: {time}`"
        ));
    }
    let kind = if what.contains("whole") {
        "integer"
    } else {
        "number"
    };
    let schema = json!({ "type": kind, "minimum": 0 });
    let number = value_advice::number(text, &schema).filter(|_| !text.contains('%'))?;
    Some(format!("write `{name}: {number}`"))
}

/// Returns advice for `key`, the second number of a `point` without quotes, which YAML reads as a key in braces.
/// `before` is the text before the key. Returns `None` for other keys.
fn point_without_quotes(key: &str, before: &str) -> Option<String> {
    let line = before.rsplit(['\n', '{']).next()?;
    let (_, whole) = line.rsplit_once("point:")?;
    let is_part = |text: &str| {
        let digits = text.trim().trim_end_matches('%');
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    let whole = whole.trim_end().strip_suffix(',')?.trim();
    (is_part(whole) && is_part(key))
        .then(|| format!("quote the place: write `point: \"{whole},{}\"`", key.trim()))
}
