//! `runner completions`, and the answers to the shell's requests: the program itself completes words, as it
//! knows the project's tags, devices and pending goldens.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use clap::{Args, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::device::VIRTUAL;
use crate::exit_code::ExitCode;
use crate::harmless;
use crate::run::{Filter, Plan};
use crate::snapshot::KeyNames;

/// Environment variable by which a shell's script asks for completions.
const COMPLETE_VARIABLE: &str = "COMPLETE";

#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Prints the script that makes a shell ask this program, by the name `runner`, for completions. Installs nothing.
pub fn run(arguments: &CompletionsArguments) -> Result<ExitCode, CliError> {
    let shell = arguments.shell.to_string();
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(&shell) else {
        return Err(CliError::Usage(format!("{shell} cannot ask this program")));
    };
    let mut script = Vec::new();
    completer.write_registration(COMPLETE_VARIABLE, "runner", "runner", "runner", &mut script)?;
    output::verbatim(&String::from_utf8_lossy(&script));
    Ok(ExitCode::Passed)
}

/// Answers the request of a shell's completion script for `program` on standard output and returns true.
/// Returns false, and does nothing, if the environment holds none.
///
/// # Errors
/// Returns an error for an unknown shell.
pub fn answer_shell(program: fn() -> Command) -> Result<bool, clap::Error> {
    CompleteEnv::with_factory(program)
        .var(COMPLETE_VARIABLE)
        .try_complete(std::env::args_os(), None)
}

/// Completes tags of the project's flows, which are read at each request. Flows that cannot be read have none;
/// without a project there are none.
pub fn tags() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        candidates(typed, |config| {
            let plan = Plan::read(config, &Filter::default()).ok()?;
            let tags = plan.flows().flat_map(|flow| flow.tags.clone());
            Some(tags.collect())
        })
    })
}

/// Completes the devices of the settings, as of `runner.yaml`, and `virtual`. It does not ask the adb server, which
/// might have to start first.
pub fn devices() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        candidates(typed, |config| {
            let named = config
                .devices
                .value
                .iter()
                .map(|device| device.name.clone());
            Some(named.chain([VIRTUAL.to_owned()]).collect())
        })
    })
}

/// Completes names of pending goldens, as short as they are unique. An interrupted accept is not completed: no file
/// is changed.
pub fn pending_keys() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        candidates(typed, |config| {
            // `recovered_store` would finish an interrupted accept, but pressing Tab must change no file.
            let pending = config.store().pending().ok()?;
            let keys = || pending.iter().map(|entry| &entry.key);
            let names = KeyNames::new(keys());
            Some(keys().map(|key| names.name(key)).collect())
        })
    })
}

/// Returns the words that `known` finds in the project of the working folder and that begin with what was typed, in
/// the same case, sorted. Words with control characters are left out. Empty if the project cannot be read: a shell
/// has no place for errors.
fn candidates(
    typed: &OsStr,
    known: impl Fn(&Config) -> Option<BTreeSet<String>>,
) -> Vec<CompletionCandidate> {
    let config = Context::from_process()
        .ok()
        .and_then(|context| Config::resolve(&context, &Overrides::default()).ok());
    let known = config.and_then(|config| known(&config)).unwrap_or_default();
    let typed = typed.to_string_lossy();
    known
        .into_iter()
        .filter(|word| word.starts_with(typed.as_ref()))
        // A shell would print control characters unescaped.
        .filter(|word| !word.contains(harmless::is_harmful) && !word.contains(['\n', '\t']))
        .map(CompletionCandidate::new)
        .collect()
}
