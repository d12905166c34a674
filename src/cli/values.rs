//! Parser for options that take one value of an enumeration of the program's own.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Returns a parser that takes one of the values by its name, with a help text for each. The case of letters counts
/// unless the option ignores it. Names must differ in more than case.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    values: &'static [T],
    name: fn(T) -> &'static str,
    help: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let known = values
        .iter()
        .map(move |value| PossibleValue::new(name(*value)).help(help(*value)));
    PossibleValuesParser::new(known).try_map(move |given| {
        let mut values = values.iter().copied();
        values
            // clap has accepted the text already, ignoring case if the option says so.
            .find(|value| name(*value).eq_ignore_ascii_case(&given))
            .ok_or("no such value")
    })
}
