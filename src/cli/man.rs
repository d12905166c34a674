//! `runner man`: writes the man pages, for packages.

use camino::Utf8PathBuf;
use clap::{Args, Command};

use super::error::CliError;
use super::output;
use crate::context::Context;
use crate::exit_code::ExitCode;

#[derive(Debug, Args)]
pub struct ManArguments {
    /// Folder to write the pages of all subcommands into; without one, the program's page is printed
    #[arg(value_name = "DIR")]
    folder: Option<Utf8PathBuf>,
}

/// Prints the manual page of `program`, or writes those of all subcommands into a folder, which is created; files
/// there are replaced. A folder named like a subcommand that is not there is an error.
pub fn run(
    arguments: &ManArguments,
    program: Command,
    context: &Context,
) -> Result<ExitCode, CliError> {
    if let Some(folder) = &arguments.folder {
        let name = folder.as_str();
        let folder = context.working_folder.join(folder);
        if program.find_subcommand(name).is_some() && !folder.exists() {
            return Err(CliError::Usage(format!(
                "`{name}` is a subcommand: write `runner help {name}`; `runner man ./{name}` writes all pages into a folder of this name"
            )));
        }
        fs_err::create_dir_all(&folder)?;
        clap_mangen::generate_to(program, &folder)?;
        output::note(&format!("wrote the pages of all subcommands into {folder}"));
    } else {
        let mut page = Vec::new();
        clap_mangen::Man::new(program).render(&mut page)?;
        output::verbatim(&String::from_utf8_lossy(&page));
    }
    Ok(ExitCode::Passed)
}
