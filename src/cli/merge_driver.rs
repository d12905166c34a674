//! `runner merge-driver`: git asks it to merge one file of a golden.

use camino::Utf8PathBuf;
use clap::Args;

use super::error::CliError;
use super::output;
use crate::exit_code::ExitCode;
use crate::files::create;
use crate::snapshot::{Merge, merge};
use runner_text::input_file::{MAX_PICTURE, read_regular};
use std::io::Write as _;

/// What two ancestors that cannot be merged leave. It is no golden, so what is merged on top of it is a conflict too,
/// unless both sides are alike.
const NO_ANCESTOR: &[u8] = b"two ancestors of this golden were not merged\n";

/// Arguments of `runner merge-driver`.
#[derive(Debug, Args)]
pub struct MergeDriverArguments {
    /// The last version that both sides come from: %O
    #[arg(value_name = "BASE")]
    base: Utf8PathBuf,
    /// Our version, where the result is written: %A
    #[arg(value_name = "OURS")]
    ours: Utf8PathBuf,
    /// Their version: %B
    #[arg(value_name = "THEIRS")]
    theirs: Utf8PathBuf,
    /// The file's path, for messages: %P
    #[arg(value_name = "PATH")]
    path: String,
    /// Merge two ancestors: where that is a conflict, what is merged on top of it is one too
    #[arg(long)]
    ancestor: bool,
}

/// Merges; exit 1 where a person has to decide, with our version left as it is. Touches no other file: no store, no lock.
pub fn run(arguments: &MergeDriverArguments) -> Result<ExitCode, CliError> {
    let read = |path: &Utf8PathBuf| read_regular(path, MAX_PICTURE);
    let (base, ours) = (read(&arguments.base)?, read(&arguments.ours)?);
    match merge(&base, &ours, &read(&arguments.theirs)?) {
        Ok(Merge::Ours) => Ok(ExitCode::Passed),
        Ok(Merge::Written(bytes)) => {
            // Not renamed into place: it is git's own temporary file, and nothing else is written.
            create(&arguments.ours)?.write_all(&bytes)?;
            Ok(ExitCode::Passed)
        }
        Err(_) if arguments.ancestor => {
            create(&arguments.ours)?.write_all(NO_ANCESTOR)?;
            Ok(ExitCode::Failed)
        }
        Err(why) => {
            let path = &arguments.path;
            output::note(&format!(
                "{path}: {why}; ours stays, decide with `runner review`"
            ));
            Ok(ExitCode::Failed)
        }
    }
}
