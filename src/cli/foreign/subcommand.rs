//! Subcommand that was called, and its options.

use clap::{Arg, Command};

pub(super) struct Subcommand<'a> {
    pub command: &'a Command,
    /// Its name behind those around it, such as `driver install`.
    pub name: String,
}

impl<'a> Subcommand<'a> {
    /// Finds the innermost subcommand that the words behind the first, the program, name without a gap, by name or
    /// alias; `None` if the second word is none.
    pub fn find(program: &'a Command, words: &[String]) -> Option<Self> {
        let mut found: Option<Self> = None;
        for word in words.iter().skip(1) {
            let outer = found.as_ref().map_or(program, |called| called.command);
            let Some(command) = outer.find_subcommand(word) else {
                break;
            };
            let name = match &found {
                Some(called) => format!("{} {}", called.name, command.get_name()),
                None => command.get_name().to_owned(),
            };
            found = Some(Self { command, name });
        }
        found
    }
}

/// Returns the long options of a subcommand, then the global ones, without `--`. Hidden ones and options without a
/// long name are left out.
pub(super) fn long_options<'a>(used: &'a Command, program: &'a Command) -> Vec<&'a str> {
    let of_all = program
        .get_arguments()
        .filter(|option| option.is_global_set());
    used.get_arguments()
        .chain(of_all)
        .filter(|option| !option.is_hide_set())
        .filter_map(Arg::get_long)
        .collect()
}
