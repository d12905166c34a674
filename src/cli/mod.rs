//! Command line: arguments, one file for each subcommand, exit codes.
//!
//! The file of a subcommand holds its arguments (shown by `--help`, completions and the man page) and `run`.

mod accept;
mod accepted;
mod app_check;
mod arguments;
mod browser;
mod bundle;
mod changed_flows;
mod compare;
mod completions;
mod config;
mod count;
#[cfg(feature = "review")]
mod decisions;
mod devices;
mod doctor;
mod doctor_apk;
mod driver;
mod empty_paths;
mod error;
mod flow_choice;
mod foreign;
mod help;
mod history;
mod import;
mod init;
mod init_git;
mod inspect;
mod lint;
mod lint_maestro;
mod list;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod missing_files;
mod optional_values;
mod options_before_test;
mod output;
#[cfg(any(feature = "review", feature = "studio"))]
mod page;
#[cfg(feature = "review")]
mod patches;
mod pending;
mod prune;
mod prune_history;
mod recording_lint;
mod reject;
mod report;
mod report_files;
#[cfg(feature = "review")]
mod review;
mod runtime;
mod schema;
mod selection;
mod setting_flags;
mod shard;
mod spellings;
#[cfg(feature = "studio")]
mod studio;
mod suggest;
mod test;
mod text_or_json;
mod trial;
mod undo;
mod values;
mod virtual_device;
mod virtual_install;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode as ProcessExit;

use clap::{CommandFactory as _, FromArgMatches as _};

pub use arguments::Arguments;
use arguments::Command;
use error::CliError;

use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::harmless;
use crate::log;
use runner_base::output_file::{Form, OutputFile};

/// Answers a shell that asks for completions, or runs the program, and returns its exit code: 2 for arguments that
/// do not read, 0 for help. Errors are printed here, made harmless. If standard output could not be written, a
/// success becomes exit code 1.
pub fn main() -> ProcessExit {
    // First of all: a shell that asks wants nothing on standard output but its answers.
    match completions::answer_shell(Arguments::command) {
        Ok(false) => {}
        Ok(true) => return ExitCode::Passed.into(),
        Err(error) => {
            let _ = error.print();
            return ExitCode::Usage.into();
        }
    }
    let context = Context::from_process();
    if let Ok(context) = &context {
        // Before the arguments are read, whose errors are printed too.
        output::begin(context);
    }
    let arguments = match read(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() {
                ExitCode::Usage
            } else {
                ExitCode::Passed
            };
            let text = error.render().to_string();
            // clap prints it in colours, but repeats arguments as they are: one could steer the terminal or a CI
            // system.
            if harmless::text(&text) == text && harmless::no_commands(&text) == text {
                // A closed pipe is not a reason to fail while saying what is wrong.
                let _ = error.print();
            } else {
                output::note(text.trim_end());
            }
            return code.into();
        }
    };
    let result = context.map_err(CliError::from).and_then(|context| {
        let log = arguments.log.as_ref();
        let log = log.map(|file| context.working_folder.join(file));
        if let Some(file) = &log {
            let output = OutputFile::new(&context.working_folder, file, Form::Log, "--log")?;
            log::begin(&output, context.variable("RUNNER_LOG"))?;
        }
        dispatch(arguments, log.as_deref(), &context)
    });
    match (result, output::stdout_error()) {
        // What was asked for did not arrive, whatever came of it.
        (Ok(ExitCode::Passed), Some(why)) => {
            output::error(&format!("standard output cannot be written: {why}"));
            ExitCode::Failed.into()
        }
        (result, _) => ended(result),
    }
}

/// Parses the words of the command line, of which the first is the program. Options before `test` are moved behind
/// it, optional values are joined to their options, and an error of clap's gets advice for spellings of other
/// programs. An empty path is an error. Help and version are errors too, as clap has them. Prints nothing.
fn read(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let mut program = help::arrange(Arguments::command());
    let words =
        optional_values::join_values(options_before_test::move_behind_test(words), &program);
    let plain = words.iter().map(|word| word.to_string_lossy().into_owned());
    let plain: Vec<String> = plain.collect();
    let matches = match foreign::wrong_dashes(&program, &plain) {
        Some(error) => Err(error),
        None => program.clone().try_get_matches_from_mut(&words),
    };
    let matches = matches.map_err(|error| foreign::explain(error, &program, &plain))?;
    empty_paths::check(&program, &matches)?;
    let mut arguments =
        Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut program))?;
    if let Command::Test(test) = &mut arguments.command {
        test.word_behind = optional_values::word_behind(&words, &program);
    }
    Ok(arguments)
}

/// Returns the exit code, or that of the error, which is printed to standard error first.
fn ended(result: Result<ExitCode, CliError>) -> ProcessExit {
    match result {
        Ok(code) => code.into(),
        Err(error) => {
            output::error(&error.to_string());
            error.exit_code().into()
        }
    }
}

/// Runs the subcommand. `log` is the file of `--log`, whose writing has begun.
fn dispatch(
    arguments: Arguments,
    log: Option<&camino::Utf8Path>,
    context: &Context,
) -> Result<ExitCode, CliError> {
    match arguments.command {
        Command::Test(arguments) => test::run(*arguments, context),
        Command::Lint(arguments) => lint::run(&arguments, context),
        Command::Inspect(arguments) => inspect::run(arguments, context),
        Command::Devices(arguments) => devices::run(&arguments, context),
        Command::Virtual(arguments) => virtual_device::run(arguments, context),
        Command::Pending(arguments) => pending::run(&arguments, context),
        Command::Accept(arguments) => accept::run(&arguments, context),
        Command::Reject(arguments) => reject::run(&arguments, context),
        Command::Undo(arguments) => undo::run(&arguments, context),
        Command::Compare(arguments) => compare::run(&arguments, context),
        Command::Prune(arguments) => prune::run(&arguments, context),
        #[cfg(feature = "review")]
        Command::Review(arguments) => review::run(&arguments, context),
        #[cfg(feature = "studio")]
        Command::Studio(arguments) => studio::run(&arguments, context),
        Command::Report(arguments) => report::run(&arguments, context),
        Command::History(arguments) => history::run(&arguments, context),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Import(arguments) => import::run(&arguments, context),
        Command::Init(arguments) => init::run(&arguments, context),
        Command::Doctor(arguments) => doctor::run(&arguments, log, context),
        Command::Driver(arguments) => driver::run(&arguments, context),
        Command::Config(arguments) => config::run(&arguments, context),
        Command::Completions(arguments) => completions::run(&arguments),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => mcp::run(&arguments, context),
        Command::Man(arguments) => {
            man::run(&arguments, help::arrange(Arguments::command()), context)
        }
    }
}
