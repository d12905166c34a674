//! Advice for values of options that are missing, of another form, or too many, and for arguments that are
//! missing.

use clap::Arg;

use super::invalid_value::InvalidValue;
use super::refused;
use super::subcommand::Subcommand;
use super::table::{OFF, ON, lists, plain};

/// Values that show the form of an option's, by its long name, else by the placeholder of its value.
const EXAMPLES: [(&str, &str); 46] = [
    ("junit", "out/junit.xml"),
    ("html", "out/report"),
    ("allure", "out/allure"),
    ("json", "out/events.ndjson"),
    ("artifacts", "out/artifacts"),
    ("history", "out/history"),
    ("log", "runner.log"),
    ("env-file", ".env"),
    ("screenshot", "screen.png"),
    ("annotated", "annotated.png"),
    ("dump", "screen.xml"),
    ("bundle", "doctor.zip"),
    ("diff", "difference.png"),
    ("archive", "run.zip"),
    ("from", "run.zip"),
    ("decisions", "decisions.json"),
    ("static", "out/review"),
    ("record", "flows/new.yaml"),
    ("app", "build/app-debug.apk"),
    ("output", "report.xml"),
    ("token-file", "token.txt"),
    ("allow-after", "2s"),
    ("grep", "login"),
    ("grep-invert", "slow"),
    ("exclude-tag", "slow"),
    ("of", "10"),
    ("passes", "10"),
    ("N", "3"),
    ("K", "3"),
    ("SEED", "3"),
    ("PORT", "8080"),
    ("DURATION", "60s"),
    ("TAG", "smoke"),
    ("TAGS", "smoke,login"),
    ("EXPRESSION", "'smoke and not slow'"),
    ("REF", "main"),
    ("K/N|auto", "1/4"),
    ("KEY=VALUE", "USER=ada"),
    ("SERIAL|virtual", "virtual"),
    ("SERIAL", "emulator-5554"),
    ("LEFT,TOP,RIGHT,BOTTOM", "0,0,1080,63"),
    ("FAULT", "null-root"),
    ("QUIRK", "real-time"),
    ("HOST", "localhost"),
    ("SLUG", "pixel"),
    ("DIR", "out"),
];

/// Named values: the option or argument as clap shows it, the value, and words that mean it.
const VALUES: [(&str, &str, &str); 12] = [
    (
        "[WHICH]",
        "flow",
        "flowyaml flows flowsyaml test tests step steps",
    ),
    (
        "[WHICH]",
        "config",
        "runneryaml runner project settings configyaml runneryml",
    ),
    ("[WHICH]", "app", "appyaml apps virtual"),
    ("[WHICH]", "flow-with-tools", "tools tool agent"),
    ("<SHELL>", "powershell", "pwsh ps ps1"),
    ("--ci", "github", "githubactions gha actions"),
    ("--ci", "gitlab", "gitlabci"),
    ("--images", "none", "off no never false"),
    ("--images", "auto", "always on yes true"),
    ("--last-failed", "or-all", "all any every"),
    ("--no-flows", "pass", "ok allow ignore success true"),
    ("--no-flows", "fail", "error false"),
];

/// Advice where arguments without a dash are missing, by the subcommand.
const REQUIRED: [(&str, &str); 6] = [
    (
        "accept",
        "write `runner accept --all`, or a key that `runner pending` lists; `runner review` shows what changed",
    ),
    (
        "reject",
        "write `runner reject --all`, or a key that `runner pending` lists; `runner review` shows what changed",
    ),
    (
        "prune",
        "write `runner prune --check`, which lists them, or `runner prune --apply`, which removes them",
    ),
    ("compare", "write `runner compare EXPECTED.png ACTUAL.png`"),
    (
        "import maestro",
        "write `runner import maestro DIR`, the folder of Maestro's flows",
    ),
    (
        "mcp config",
        "write the client, as in `runner mcp config vscode`",
    ),
];

impl InvalidValue<'_> {
    /// Returns advice if the value shows what was meant, the first of several, such as a device behind `-s`, or an
    /// example of a value that is missing or no number. `None` for all others. Values of secrets are not in it.
    pub(super) fn advice(&self, words: &[String]) -> Option<String> {
        if self.value.is_empty() && self.reason.is_empty() {
            return self.example().map(|example| format!("write `{example}`"));
        }
        self.pair(words)
            .or_else(|| self.other_option())
            .or_else(|| self.format())
            .or_else(|| self.named())
            .or_else(|| refused::advice(self))
            .or_else(|| self.number())
            .or_else(|| self.path())
    }

    /// Returns the option with an example of its value, the first known one if it has a list; `None` if no form of
    /// it is known, and for an argument without dashes.
    fn example(&self) -> Option<String> {
        let long = self.name().strip_prefix("--")?;
        let placeholder = self.option.split_once('<').map_or("", |(_, rest)| rest);
        let placeholder = placeholder.trim_end_matches([']', '.', ' ', '>']);
        let sign = if self.option.contains("[=") { '=' } else { ' ' };
        let value = match self.known.first() {
            Some(known) => known.as_str(),
            None => value_example(long, placeholder)?,
        };
        Some(format!("--{long}{sign}{value}"))
    }

    /// Returns advice for a `KEY=VALUE` with another sign, or a space, in place of `=`. The value is not told: it
    /// may be a secret. So may a word without a sign that has lower-case letters; then `KEY` stands for it. `None`
    /// for a value with `=`, and if nothing shows that a pair was meant.
    fn pair(&self, words: &[String]) -> Option<String> {
        if !self.option.ends_with("<KEY=VALUE>") || self.value.contains('=') {
            return None;
        }
        let key = self.value.split(':').next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let has_colon = self.value.contains(':');
        let mut behind = words.iter().skip_while(|word| *word != self.value).skip(1);
        let is_apart = behind
            .next()
            .is_some_and(|next| !next.contains(['-', '/', '.', '*']));
        let is_pair = has_colon || is_apart;
        let is_key = !key.is_empty() && key.chars().all(is_name);
        let is_told = has_colon || !key.contains(|c: char| c.is_ascii_lowercase());
        let told = if is_told { key } else { "KEY" };
        (is_pair && is_key).then(|| format!("write `--env {told}=VALUE`, with `=` between the two"))
    }

    /// Returns advice for the value of another option with the same letter: Maestro's `-s`, which most tools have
    /// for the device, Gradle's `-P`, and `-p` of others; also for a dialect of another tool and for `--platform`.
    /// `None` for all others.
    fn other_option(&self) -> Option<String> {
        let value = self.value;
        match self.name() {
            "--shard-split" | "--shard-all" if value.parse::<f64>().is_err() => {
                Some(format!("write `--device {value}` for a device"))
            }
            "--adb-port" if value.contains('=') => Some(
                "write `--env KEY=VALUE` for a value of flows: `-P` is the port of the adb server"
                    .to_owned(),
            ),
            "--dialect" if lists("maestro appium espresso", &plain(value)) => Some(
                "leave it out: it says which tools an agent sees; flows of Maestro's run as others do"
                    .to_owned(),
            ),
            "--platform" => Some(
                "leave it out: it is the system of the devices, and flows run on Android alone"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Returns advice for a format of another name, such as `yaml` where there is JSON; `None` if the option is no
    /// `--format` or has nothing like it.
    fn format(&self) -> Option<String> {
        if self.name() != "--format" {
            return None;
        }
        // The formats of `runner test` are of a list or a report, so only one of them is sure.
        let wanted: &[&str] = match self.value.to_lowercase().as_str() {
            "xml" | "junitxml" if self.has("junit") => &["junit"],
            "list" | "tree" | "table" | "pretty" if self.has("noop") => &["text"],
            _ if self.has("noop") => &[],
            "xml" | "yaml" | "yml" | "jsonl" | "ndjson" => &["json"],
            "csv" | "table" => &["tsv", "text", "list"],
            "txt" | "text" | "plain" | "pretty" | "human" => &["text", "list"],
            _ => &[],
        };
        let ours = wanted.iter().find(|name| self.has(name))?;
        Some(format!("write `--format {ours}`"))
    }

    /// Returns advice for a word that means one of the values: one in another case or punctuation, the only one
    /// whatever the word is, one by the tables, or one that it begins with. `None` if no value is meant.
    fn named(&self) -> Option<String> {
        let word = plain(self.value);
        let name = self.name();
        let setting = name.trim_start_matches('-').replace('-', "_");
        let same = self.known.iter().find(|it| plain(it) == word);
        let only = self.known.first().filter(|_| self.known.len() == 1);
        let found = same.or(only).map(String::as_str).or_else(|| {
            let by_table = VALUES
                .iter()
                .find(|(option, _, words)| *option == name && lists(words, &word));
            by_table
                .map(|(_, ours, _)| *ours)
                .or_else(|| crate::config::meant_value(&setting, self.value))
                .or_else(|| self.switched(&word))
                .or_else(|| refused::beginning(self))
        });
        let found = found.filter(|found| self.has(found))?;
        let sign = if self.option.contains("[=") { '=' } else { ' ' };
        Some(if name.starts_with("--") {
            format!("write `{name}{sign}{found}`")
        } else {
            format!("write `{found}`")
        })
    }

    /// Returns `true` or `false` for lower-case words that mean it, if the option has the value `true`. `None` for
    /// other words.
    fn switched(&self, word: &str) -> Option<&'static str> {
        if !self.has("true") {
            None
        } else if lists(ON, word) {
            Some("true")
        } else {
            lists(OFF, word).then_some("false")
        }
    }

    /// Returns an example for an option that takes a path and got a word such as `true`; `None` for any other
    /// reason.
    fn path(&self) -> Option<String> {
        let is_switch = self.reason.contains("names no file");
        let example = self.example().filter(|_| is_switch)?;
        Some(format!("write `{example}`"))
    }

    /// Returns advice for a number outside of `range`, such as `1..=64`: its limits, an example if there is one, and
    /// what leaving the option out does. The upper limit of a type is told only if the number is above it.
    fn outside(&self, range: &str) -> String {
        /// Options and what they do without a value.
        const WITHOUT: [(&str, &str); 3] = [
            ("--max-failures", "a run goes on after each failure"),
            ("--repeat-each", "each flow runs once"),
            ("--adb-port", "the adb server of this machine is asked"),
        ];
        let name = self.name();
        let (least, most) = range.split_once("..").unwrap_or((range, ""));
        let most = most.trim_start_matches('=').trim();
        let is_above = self
            .value
            .parse::<u128>()
            .is_ok_and(|value| most.parse::<u128>().is_ok_and(|most| value > most));
        let limits = match most {
            // To a number that is too small the limit of its type says nothing.
            "" | "4294967295" | "65535" if !is_above => format!("{least} or more"),
            most => format!("{least} to {most}"),
        };
        let example = self.example();
        let example = example.map_or_else(String::new, |example| format!(", as in `{example}`"));
        let without = WITHOUT.iter().find(|(option, _)| *option == name);
        let without = without.map_or_else(String::new, |(_, does)| format!(": without it {does}"));
        format!("write {limits}{example}, or leave `{name}` out{without}")
    }

    /// Returns advice for a number that the parser's reason calls out of range, or for a value that it calls no whole
    /// number, with an example. `None` for any other reason, and without an example of a whole number.
    fn number(&self) -> Option<String> {
        if let Some((_, range)) = self.reason.split_once(" is not in ") {
            return Some(self.outside(range));
        }
        let is_no_number = ["invalid digit", "integer from empty"]
            .iter()
            .any(|part| self.reason.contains(part));
        if !is_no_number {
            return None;
        }
        let example = self.example()?;
        Some(format!(
            "write a whole number, as in `{example}`, or leave `{}` out",
            self.name()
        ))
    }
}

/// Returns an example of an option's value; `None` if no form of it is known.
fn value_example(long: &str, placeholder: &str) -> Option<&'static str> {
    let find = |name: &str| EXAMPLES.iter().find(|(known, _)| *known == name);
    let found = find(long).or_else(|| find(placeholder));
    found.map(|(_, example)| *example)
}

/// Returns an option by its long name with an example of its value; `None` if no form of it is known, without a
/// long name, and without a value.
pub(super) fn example(option: &Arg) -> Option<String> {
    let long = option.get_long()?;
    let placeholder = option.get_value_names()?.first()?;
    let value = value_example(long, placeholder)?;
    Some(format!("--{long} {value}"))
}

/// Returns advice for the value of an option that takes none, or no further one: to leave the option out for a word
/// such as `false`, else to write it alone.
pub(super) fn surplus(option: &str, value: &str) -> String {
    let name = option.split([' ', '[']).next().unwrap_or(option);
    let word = plain(value);
    if lists(OFF, &word) {
        format!("leave `{name}` out: it takes no value")
    } else {
        format!("write `{name}` alone: it takes no value")
    }
}

/// Returns advice for an option that was given twice.
pub(super) fn twice(option: &str) -> String {
    let name = option.split([' ', '[']).next().unwrap_or(option);
    format!("write `{name}` once")
}

/// Returns the option with the report that Maestro's `--output` got the format of, such as `json`, in place of a path.
/// `None` for a path, and for a format that no report has.
fn format_as_output(words: &[String]) -> Option<&'static str> {
    const REPORTS: [(&str, &str); 4] = [
        ("--json FILE", "json ndjson jsonl"),
        ("--junit FILE", "junit xml junitxml"),
        ("--html DIR", "html htmlreport"),
        ("--allure DIR", "allure"),
    ];
    let joined = words.iter().find_map(|word| word.strip_prefix("--output="));
    let apart = words.iter().skip_while(|word| *word != "--output").nth(1);
    let value = joined.or(apart.map(String::as_str))?;
    let format = value.to_lowercase();
    let mut reports = REPORTS.iter();
    let found = reports.find(|(_, formats)| lists(formats, &format));
    found.map(|(report, _)| *report)
}

/// Returns advice for arguments that are missing: a report by the format that `--output` got, what belongs to
/// `--strict` or Maestro's options, the missing option itself, the advice of the subcommand's table, or the first value
/// that one of its arguments has. Of these the first that fits is taken. `missing` are the arguments as clap shows them,
/// of which only the first counts. `None` without a subcommand, and if the error names all that is needed.
pub(super) fn required(
    missing: &[String],
    called: Option<&Subcommand<'_>>,
    words: &[String],
) -> Option<String> {
    let called = called?;
    let first = missing.first()?;
    if called.name == "lint" && words.iter().any(|word| word == "--strict") {
        return Some(
            "`--strict` is for `--against`, which judges recordings; no option lets warnings fail `runner lint`"
                .to_owned(),
        );
    }
    if called.name == "test" && first.starts_with("--format") {
        if let Some(report) = format_as_output(words) {
            return Some(format!("write `{report}`"));
        }
        return Some(
            "add `--format junit` or `--format html` for a report of Maestro's; the folder of a run's files is `--artifacts DIR`, a report `--html DIR`"
                .to_owned(),
        );
    }
    if first.starts_with("--") {
        let option = first.replace(['<', '>'], "");
        return Some(format!("add `{option}`"));
    }
    if let Some((_, advice)) = REQUIRED.iter().find(|(name, _)| *name == called.name) {
        return Some((*advice).to_owned());
    }
    let mut arguments = called.command.get_positionals();
    let value = arguments.find_map(|argument| {
        let values = argument.get_possible_values();
        values.first().map(|value| value.get_name().to_owned())
    })?;
    Some(format!("write `runner {} {value}`", called.name))
}
