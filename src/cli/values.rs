//! Options that take one value of an enumeration: clap's side of the program's own types.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// One of these values by its name, with what help says of each.
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
            // clap has taken it already, in any case of letters where the option says so.
            .find(|value| name(*value).eq_ignore_ascii_case(&given))
            .ok_or("no such value")
    })
}
