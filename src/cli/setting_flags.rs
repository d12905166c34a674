//! Command-line options of settings, made for clap from the table of settings.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::config::{Flag, RawSettings, Row, rows};

/// Options that the table puts in `GROUP`, a [`FlagGroup`](crate::config::FlagGroup). Holds the text given for each.
#[derive(Debug, Clone, Default)]
pub struct SettingFlags<const GROUP: u8> {
    texts: Vec<(&'static str, String)>,
}

/// Returns the settings whose options are in a group.
fn in_group(group: u8) -> impl Iterator<Item = (Row, Flag)> {
    let with_flag = rows().into_iter().filter_map(|row| Some((row.flag?, row)));
    with_flag.filter_map(move |(flag, row)| (flag.group as u8 == group).then_some((row, flag)))
}

/// Creates the option of a setting, which checks its value as runner.yaml does. A setting with choices takes only
/// these. With an implied value, it may stand alone and takes another only behind `=`.
fn option(row: &Row, flag: Flag) -> Arg {
    let name = row.name;
    let read = move |text: String| RawSettings::default().set(name, &text).map(|()| text);
    let parser = if row.choices.is_empty() {
        ValueParser::new(clap::builder::StringValueParser::new().try_map(read))
    } else {
        let known = row.choices.iter().map(|(choice, help)| {
            let choice = PossibleValue::new(*choice);
            if help.is_empty() {
                choice
            } else {
                choice.help(*help)
            }
        });
        ValueParser::new(PossibleValuesParser::new(known).try_map(read))
    };
    let arg = Arg::new(name)
        .long(flag.name)
        .value_name(flag.value_name)
        .help(flag.about)
        .value_parser(parser);
    match flag.implied_value {
        Some(value) => arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(value),
        None => arg,
    }
}

impl<const GROUP: u8> SettingFlags<GROUP> {
    /// Sets the settings of these options in `given`, in place of what it has. Settings without a given option
    /// stay.
    pub fn give(&self, given: &mut RawSettings) {
        for (name, text) in &self.texts {
            // It cannot fail: the option's parser has read the same text.
            let _ = given.set(name, text);
        }
    }

    /// Returns the settings given by these options alone.
    pub fn given(&self) -> RawSettings {
        let mut given = RawSettings::default();
        self.give(&mut given);
        given
    }
}

impl<const GROUP: u8> Args for SettingFlags<GROUP> {
    fn augment_args(command: Command) -> Command {
        command.args(in_group(GROUP).map(|(row, flag)| option(&row, flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const GROUP: u8> FromArgMatches for SettingFlags<GROUP> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    /// Adds the texts of all options that are given; a setting that is not given stays. A text that was there before
    /// stays before the new one, which counts. An error if the command lacks an option of this group.
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (row, _) in in_group(GROUP) {
            let text = matches
                .try_get_one::<String>(row.name)
                .map_err(|error| clap::Error::raw(ErrorKind::UnknownArgument, error))?;
            self.texts.extend(text.map(|text| (row.name, text.clone())));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::test::TestArguments;
    use super::*;

    #[test]
    fn test_has_every_option_of_the_table() {
        let command = TestArguments::augment_args(Command::new("test"));
        for row in rows() {
            let Some(flag) = row.flag else { continue };
            let mut options = command.get_arguments();
            let found = options.find(|option| option.get_long() == Some(flag.name));
            assert!(found.is_some(), "--{}", flag.name);
        }
    }
}
