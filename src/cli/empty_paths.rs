//! Refuses empty paths, such as those of a variable of a shell that is not set: `runner test "$FLOWS"`. Joined to the
//! working folder, an empty path would be all of it.

use std::any::TypeId;
use std::ffi::OsStr;

use camino::Utf8PathBuf;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command};

/// Checks the arguments that take paths, of the program and of the subcommand that was called.
///
/// # Errors
/// Returns an error of usage for the first of them with an empty path.
pub(super) fn check(program: &Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let is_path = |arg: &&Arg| arg.get_value_parser().type_id() == TypeId::of::<Utf8PathBuf>();
    for arg in program.get_arguments().filter(is_path) {
        let given = matches.try_get_raw(arg.get_id().as_str()).ok().flatten();
        if given.into_iter().flatten().any(OsStr::is_empty) {
            let message = format!(
                "{} names no file; leave it out, or write a path\n",
                name(arg)
            );
            return Err(clap::Error::raw(ErrorKind::InvalidValue, message));
        }
    }
    let called = matches.subcommand();
    let called = called.and_then(|(name, inner)| Some((program.find_subcommand(name)?, inner)));
    called.map_or(Ok(()), |(command, inner)| check(command, inner))
}

/// Returns the option with its dashes, or the placeholder of an argument without any.
fn name(arg: &Arg) -> String {
    let placeholder = || arg.get_value_names()?.first();
    match arg.get_long() {
        Some(long) => format!("--{long}"),
        None => placeholder().map_or_else(|| arg.to_string(), ToString::to_string),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::read;

    #[test]
    fn an_empty_path_is_refused_and_not_the_working_folder() {
        for (line, name) in [
            ("test", "PATH"),
            ("test flows", "PATH"),
            ("lint", "PATH"),
            ("lint --against", "--against"),
            ("report", "STREAM"),
            ("import maestro", "DIR"),
            ("import maestro old --out", "--out"),
            ("man", "DIR"),
            ("init", "DIR"),
            ("init --app", "--app"),
            ("compare a.png", "ACTUAL"),
            ("compare a.png b.png --diff", "--diff"),
            ("history --history", "--history"),
            ("inspect --dump", "--dump"),
            ("doctor --bundle", "--bundle"),
            ("virtual --app", "--app"),
            ("test --app", "--app"),
            ("test --env-file", "--env-file"),
            ("test --log", "--log"),
        ] {
            let words = format!("runner {line}");
            let words = words.split(' ').chain([""]).map(OsString::from);
            let error = read(words).unwrap_err().to_string();
            assert!(error.contains("names no file"), "{line}: {error}");
            assert!(error.contains(name), "{line}: {error}");
        }
        assert!(read(["runner", "test", "--grep", ""].map(OsString::from)).is_ok());
    }
}
