//! Advice for unknown options.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use runner_text::suggest::{nearest, snake_case};

use super::subcommand::{Subcommand, long_options};
use super::switches::switch;
use super::table::{SENTENCES, known_option};
use super::{values, words};

/// Dashes: the plain one, and those that text editors make of two.
const DASHES: [char; 4] = ['-', '\u{2013}', '\u{2014}', '\u{2212}'];

/// Longest list of a subcommand's options as advice. Chosen: two lines of a terminal; `test` and `mcp` have
/// more.
const MAX_LISTED: usize = 12;
/// Most options that share a part with the unknown one. Chosen: more would be a guess.
const MAX_SIMILAR: usize = 4;

/// Returns an error of an unknown argument for the first word behind the subcommand that is one of its long options,
/// or one of the table's, behind one dash, or behind a dash of a text editor's: `-device`, `—tag`, `-scheme`. clap would
/// read `-device` as `-d evice`, and `—tag` as a path. Returns `None` if there is no such word; names of one or two
/// letters, the value of an option, and words behind `--` are none. `None` without a subcommand too.
pub(in super::super) fn wrong_dashes(program: &Command, words: &[String]) -> Option<clap::Error> {
    let called = Subcommand::find(program, words)?;
    let options = long_options(called.command, program);
    let takes_value = |word: &String| {
        let option = find_option(called.command, word);
        option.is_some_and(|option| {
            option.get_action().takes_values() && !option.is_require_equals_set()
        })
    };
    let before_end = words.iter().take_while(|word| *word != "--");
    let before_end: Vec<&String> = before_end.collect();
    let mut pairs = before_end.windows(2);
    let wrong = pairs.find_map(|pair| {
        let [before, word] = pair else { return None };
        let has_two = word.starts_with("--");
        let is_wrong = !has_two
            && word.starts_with(DASHES)
            // A shorter name may be several options with one dash.
            && name(word).chars().count() > 2
            && (options.contains(&name(word))
                || known_option(name(word), &options, called.command.get_name()).is_some());
        (is_wrong && !takes_value(before)).then_some(*word)
    })?;
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(called.command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(wrong.clone()));
    Some(error)
}

/// Returns the name of an option as it was written: without dashes and value.
fn name(word: &str) -> &str {
    let name = word.trim_start_matches(DASHES);
    name.split(['=', ':']).next().unwrap_or(name)
}

/// Finds an option of this subcommand, hidden ones included, by a word such as `--device=x` or `-d`. Aliases of
/// long names count, letters with more behind them do not. `None` if there is none.
fn find_option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let is_long = word.starts_with("--");
    let name = name(word);
    let mut letters = name.chars();
    let letter = letters.next().filter(|_| letters.next().is_none());
    command.get_arguments().find(|option| {
        if is_long {
            let aliases = option.get_all_aliases().unwrap_or_default();
            option.get_long() == Some(name) || aliases.contains(&name)
        } else {
            letter.is_some() && option.get_short() == letter
        }
    })
}

/// Returns advice for an argument that clap does not know: an option, or a word where none is taken. `called` is
/// `None` if no subcommand stands first; then any word counts as an option before it. `None` if nothing is known of
/// it.
pub(super) fn unknown(
    word: &str,
    program: &Command,
    called: Option<&Subcommand<'_>>,
    words: &[String],
) -> Option<String> {
    match called {
        None => before_subcommand(word, program, words),
        Some(called) if word.starts_with(DASHES) => behind(word, program, called, words),
        Some(called) => Some(words::surplus(word, called, program)),
    }
}

/// Returns advice for an option before the subcommand: the same behind it, with its value if it takes one. Without
/// a subcommand, advice for an option of the program or of `runner test`. `None` if neither knows it.
fn before_subcommand(word: &str, program: &Command, words: &[String]) -> Option<String> {
    let is_subcommand = |word: &str| program.find_subcommand(word).is_some();
    let at = words.iter().skip(1).position(|word| is_subcommand(word));
    // The word before the subcommand stands for the program.
    let called = at.and_then(|at| Subcommand::find(program, &words[at..]));
    let Some(called) = called else {
        let near = nearest(name(word), ["help", "version", "log"]);
        return match near {
            Some(near) => Some(format!("write `runner --{near}`")),
            None if name(word) == "v" => Some(
                "write `runner --version`; `--verbose` stands behind the subcommand: `runner test --verbose`"
                    .to_owned(),
            ),
            None => option_of_another(word, program, None),
        };
    };
    if let Some(option) = find_option(called.command, word) {
        let value = words
            .iter()
            .skip_while(|it| *it != word)
            .nth(1)
            .filter(|it| {
                option.get_action().takes_values() && !word.contains('=') && !is_subcommand(it)
            });
        let value = value.map_or_else(String::new, |value| format!(" {value}"));
        return Some(format!(
            "write it behind the subcommand: `runner {} {word}{value}`",
            called.name
        ));
    }
    let advice = behind(word, program, &called, words)?;
    Some(if advice.starts_with("write `--") {
        format!("{advice}, behind `runner {}`", called.name)
    } else {
        advice
    })
}

/// Returns advice for an unknown option behind a subcommand, the first that fits of: help or version, another form,
/// the table, a switch, a near name, an option of `runner test`, a key of `runner.yaml`, all options if they are
/// few, similar ones. `None` if none fits.
fn behind(
    word: &str,
    program: &Command,
    called: &Subcommand<'_>,
    words: &[String],
) -> Option<String> {
    let used = called.command;
    let options = long_options(used, program);
    if matches!(word, "--version" | "-V") {
        return Some("write `runner --version`".to_owned());
    }
    if matches!(word, "-?" | "--h" | "--usage") || word.starts_with("--help") {
        return Some(format!("write `runner {} --help`", called.name));
    }
    if let Some(advice) = other_form(word, used, &options, words) {
        return Some(advice);
    }
    if is_address_of_server(word, words)
        && let Some(ours) = known_option("appium-url", &options, used.get_name())
    {
        return Some(format!("write {ours}"));
    }
    let name = written_name(word, words);
    // Letters mean something else in upper case: `-E` of nextest, `-W` of pytest.
    let is_upper = name.len() == 1 && name.chars().all(char::is_uppercase);
    let table_name = if is_upper {
        format!("upper{name}")
    } else {
        name.to_owned()
    };
    if let Some(ours) = known_option(&table_name, &options, used.get_name()) {
        let is_sentence = SENTENCES.iter().any(|begin| ours.starts_with(begin));
        return Some(if is_sentence {
            ours.to_owned()
        } else {
            format!("write {ours}")
        });
    }
    if word.starts_with("--") {
        if let Some(advice) = switch(name, used, &options) {
            return Some(advice);
        }
        if let Some(near) = nearest(name, options.iter().copied()) {
            return Some(format!("write `--{near}`"));
        }
    }
    option_of_another(word, program, Some(called))
        .or_else(|| setting(name))
        .or_else(|| own_options(used, &called.name))
        .or_else(|| similar(name, &options))
}

/// Returns true for an option with the address of an Appium server or a grid, by its usual port or path.
fn is_address_of_server(word: &str, words: &[String]) -> bool {
    const SIGNS: [&str; 3] = [":4723", ":4444", "/wd/hub"];
    let behind = words.iter().skip_while(|it| *it != word).nth(1);
    let value = word.split_once('=').map(|(_, value)| value);
    let value = value.or(behind.map(String::as_str)).unwrap_or_default();
    value.starts_with("http") && SIGNS.iter().any(|sign| value.contains(sign))
}

/// Returns the name of an unknown option, without dashes and value; of one with a single dash, whose letter alone
/// clap names, that of the whole word as it was written.
fn written_name<'w>(word: &'w str, words: &'w [String]) -> &'w str {
    let whole = words
        .iter()
        .find(|it| it.starts_with(word) && !it.starts_with("--"));
    match whole {
        Some(whole) if !word.starts_with("--") => name(whole),
        _ => name(word),
    }
}

/// Returns advice for an option of this subcommand in another form: one dash, a colon before its value, or a
/// negative number behind it; also for a value that Gradle and Maven define by `-D`. `None` for all others, and for
/// a number without an option before it whose form is known.
fn other_form(word: &str, used: &Command, options: &[&str], words: &[String]) -> Option<String> {
    let name = name(word);
    if options.contains(&name) {
        let value = word
            .split_once([':', '='])
            .map_or_else(String::new, |(_, value)| format!(" {value}"));
        let dashes = if word.starts_with("--") {
            ""
        } else {
            ", with two plain dashes"
        };
        return Some(format!("write `--{name}{value}`{dashes}"));
    }
    if options.contains(&"env") && word.starts_with("-D") {
        return Some("write `--env KEY=VALUE`".to_owned());
    }
    let digits = word.strip_prefix('-')?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // clap names the digits alone of `-1s`.
    let at = words.iter().position(|it| it.starts_with(word))?;
    let option = find_option(used, words.get(at.checked_sub(1)?)?)?;
    let example = values::example(option)?;
    Some(format!(
        "write a number that is not negative, as in `{example}`"
    ))
}

/// Returns advice for an option that `runner test` has, long or short. If the subcommand has the same option by its
/// long name alone, the advice is that name. Else the advice is to leave it out, with a note that it is one of
/// `runner test`. Returns `None` if `runner test` has none, or a hidden one.
fn option_of_another(
    word: &str,
    program: &Command,
    called: Option<&Subcommand<'_>>,
) -> Option<String> {
    let test = program.find_subcommand("test")?;
    let meant = find_option(test, word).filter(|meant| !meant.is_hide_set())?;
    let options = called.map(|called| long_options(called.command, program));
    let own = meant
        .get_long()
        .filter(|long| options.is_some_and(|options| options.contains(long)));
    if let Some(long) = own {
        return Some(format!("write `--{long}`"));
    }
    let word = word.split('=').next().unwrap_or(word);
    let used = called.map(|called| format!("leave it out: `runner {}` has none; ", called.name));
    let used = used.unwrap_or_default();
    Some(format!("{used}`{word}` is an option of `runner test`"))
}

/// Returns advice for a key of `runner.yaml` that is no option; `None` for other names. Dashes count as
/// underscores; keys within keys do not count.
fn setting(name: &str) -> Option<String> {
    let key = snake_case(name);
    let schema = crate::config::schema();
    let is_key = schema["properties"].get(key.as_str()).is_some();
    is_key.then(|| format!("write `{key}: …` in runner.yaml: it is no option"))
}

/// Returns advice with the visible options that a subcommand has of its own, or that it has none; `None` if there
/// are more than [`MAX_LISTED`].
fn own_options(used: &Command, name: &str) -> Option<String> {
    let own = used
        .get_arguments()
        .filter(|option| !option.is_hide_set() && !option.is_global_set());
    let own = own.filter_map(Arg::get_long);
    let own: Vec<String> = own.map(|long| format!("`--{long}`")).collect();
    match own.len() {
        0 => Some(format!("leave it out: `runner {name}` takes no options")),
        few if few <= MAX_LISTED => Some(format!("`runner {name}` has {}", own.join(", "))),
        _ => None,
    }
}

/// Returns advice with the options that have a part of their name in common with the unknown one, in their order;
/// `None` without any, and if there are more than [`MAX_SIMILAR`].
fn similar(name: &str, options: &[&str]) -> Option<String> {
    let wanted = parts(name);
    let is_similar = |long: &&&str| parts(long).iter().any(|part| wanted.contains(part));
    let found = options.iter().filter(is_similar);
    let found: Vec<String> = found.map(|long| format!("`--{long}`")).collect();
    let is_sure = !found.is_empty() && found.len() <= MAX_SIMILAR;
    is_sure.then(|| format!("`--{name}` is none; like it are {}", found.join(", ")))
}

/// Returns the parts of a name that say something, in snake case and without an `s` at the end: those with more
/// than three letters that are not common. May be empty.
fn parts(name: &str) -> Vec<String> {
    const COMMON: [&str; 9] = [
        "test", "file", "name", "with", "from", "only", "path", "mode", "flow",
    ];
    let name = snake_case(name);
    let parts = name.split('_').map(|part| part.trim_end_matches('s'));
    parts
        .filter(|part| part.len() > 3 && !COMMON.contains(part))
        .map(str::to_owned)
        .collect()
}
