//! Advice for options whose name says that they are switched on or off, such as `--no-retries` and `--trace-on`.

use clap::{Arg, ArgAction, Command};

use runner_text::suggest::snake_case;

use super::table::known_option;

/// Beginnings and ends of a name that switch an option on or off.
const BEGINS: [(&str, bool); 6] = [
    ("no_", false),
    ("disable_", false),
    ("without_", false),
    ("enable_", true),
    ("with_", true),
    ("use_", true),
];
const ENDS: [(&str, bool); 8] = [
    ("_off", false),
    ("_false", false),
    ("_no", false),
    ("_disabled", false),
    ("_on", true),
    ("_true", true),
    ("_yes", true),
    ("_enabled", true),
];

/// Returns advice for an option that a beginning or end switches on or off. `options` are the long names of `used`,
/// and a name of another tool counts as ours. A flag is to be written or left out, another option gets a value.
/// Returns `None` without such a part, for an unknown option, and for an option that cannot be switched.
pub(super) fn switch(name: &str, used: &Command, options: &[&str]) -> Option<String> {
    let name = snake_case(name);
    let begins = BEGINS.iter().filter_map(|(part, is_on)| {
        let rest = name.strip_prefix(*part)?;
        Some((rest, *is_on))
    });
    let ends = ENDS.iter().filter_map(|(part, is_on)| {
        let rest = name.strip_suffix(*part)?;
        Some((rest, *is_on))
    });
    let (rest, is_on) = begins.chain(ends).next()?;
    let rest = rest.replace('_', "-");
    let long = options.iter().copied().find(|long| *long == rest);
    let long = long.or_else(|| {
        let code = known_option(&rest, options, used.get_name())?.strip_prefix("`--")?;
        code.split([' ', '`']).next()
    })?;
    let option = used
        .get_arguments()
        .find(|option| option.get_long() == Some(long))?;
    if matches!(option.get_action(), ArgAction::SetTrue) {
        return Some(if is_on {
            format!("write `--{long}`")
        } else {
            format!("leave `--{long}` out")
        });
    }
    value(option, is_on).map(|value| {
        let sign = if option.is_require_equals_set() {
            '='
        } else {
            ' '
        };
        format!("write `--{long}{sign}{value}`")
    })
}

/// Returns the value that switches an option on or off: the first of `on` and `true`, or of `off`, `false` and
/// `none`, that it has; `0` for `--retries`. `None` if it has none.
fn value(option: &Arg, is_on: bool) -> Option<&'static str> {
    let known = option.get_possible_values();
    let wanted: &[&str] = if is_on {
        &["on", "true"]
    } else {
        &["off", "false", "none"]
    };
    let mut wanted = wanted.iter().copied();
    let found = wanted.find(|value| known.iter().any(|it| it.get_name() == *value));
    found.or_else(|| (option.get_long() == Some("retries") && !is_on).then_some("0"))
}
