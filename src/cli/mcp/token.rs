//! Tokens of `runner mcp --http`: reads them, and warns where others can see them.

use camino::Utf8PathBuf;
use clap::Args;

use crate::access::random_token;
use crate::cli::error::CliError;
use crate::cli::output;
use crate::context::Context;
use runner_text::input_file::{InputProblem, read_named_text};

/// Environment variable with the token.
pub(super) const TOKEN_VARIABLE: &str = "RUNNER_MCP_TOKEN";

/// Environment variable with the token of the tools that act, in the mobile-agent dialect.
pub(super) const ACTION_TOKEN_VARIABLE: &str = "RUNNER_MCP_TOKEN_ACTION";

/// Limit for a token file. Chosen: far more than any token; a file with more was named by mistake.
const MAX_TOKEN_FILE_BYTES: u64 = 4096;

/// Arguments that give tokens.
#[derive(Debug, Args)]
pub(super) struct TokenArguments {
    /// Token that clients must send; everybody on this machine can see it [default: `RUNNER_MCP_TOKEN`, else made up and printed]
    #[arg(long, value_name = "TOKEN", requires = "http")]
    token: Option<String>,
    /// File with the token
    #[arg(long, value_name = "FILE", requires = "http", conflicts_with = "token")]
    token_file: Option<Utf8PathBuf>,
    /// Token of the tools that act, with `--dialect mobile-agent` [default: `RUNNER_MCP_TOKEN_ACTION`, else the same]
    #[arg(long, value_name = "TOKEN", requires = "http")]
    token_action: Option<String>,
    /// File with the token of the tools that act
    #[arg(
        long,
        value_name = "FILE",
        requires = "http",
        conflicts_with = "token_action"
    )]
    token_action_file: Option<Utf8PathBuf>,
}

/// Tokens that a server asks for.
#[derive(Debug)]
pub(super) struct Tokens {
    /// Token of all tools, or of those that only look.
    pub token: String,
    /// Token of the tools that act, if it is another one.
    pub action: Option<String>,
    /// True if `token` was made up here, so that it must be shown.
    pub is_new: bool,
}

impl TokenArguments {
    /// Reads the tokens: from the command line, a file or the environment, else draws a new one, for all tools
    /// only. Prints a warning for each on the command line, as others on this machine can see it. `has_two` says
    /// that the tools that act have an address of their own; without that a token for them is an error, or ignored
    /// if it is in the environment.
    pub fn read(&self, context: &Context, has_two: bool) -> Result<Tokens, CliError> {
        if !has_two {
            self.refuse_action()?;
        }
        for (option, given) in [
            ("--token", &self.token),
            ("--token-action", &self.token_action),
        ] {
            if given.is_some() {
                output::note(&format!(
                    "warning: everybody on this machine can see what `{option}` is; {option}-file or an environment \
                     variable keeps it to yourself"
                ));
            }
        }
        let action = if has_two {
            given(
                ("--token-action", self.token_action.as_deref()),
                self.token_action_file.as_ref(),
                ACTION_TOKEN_VARIABLE,
                context,
            )?
        } else {
            None
        };
        let token = given(
            ("--token", self.token.as_deref()),
            self.token_file.as_ref(),
            TOKEN_VARIABLE,
            context,
        )?;
        let is_new = token.is_none();
        let token = match token {
            Some(token) => token,
            None => random_token().map_err(|error| {
                CliError::Failed(format!("no random token: {error}; use `--token-file`"))
            })?,
        };
        Ok(Tokens {
            token,
            action,
            is_new,
        })
    }

    /// Returns an error if a token for the tools that act was given on the command line or by a file. With one
    /// address for all tools it would protect nothing.
    fn refuse_action(&self) -> Result<(), CliError> {
        let option = if self.token_action.is_some() {
            "--token-action"
        } else if self.token_action_file.is_some() {
            "--token-action-file"
        } else {
            return Ok(());
        };
        Err(CliError::Usage(format!(
            "`{option}` is for `--dialect mobile-agent` without `--tools lean`: only there the tools that act have an \
             address of their own"
        )))
    }
}

/// Returns a token from the command line, a file or the environment, in this order, without spaces around it; `None` if
/// none was given. Returns an error for an empty token, also in the environment, and for one with anything but
/// printable ASCII without spaces, as a header sends it.
fn given(
    (option, plain): (&str, Option<&str>),
    file: Option<&Utf8PathBuf>,
    variable: &str,
    context: &Context,
) -> Result<Option<String>, CliError> {
    let (token, place) = if let Some(token) = plain {
        (token.to_owned(), format!("`{option}`"))
    } else if let Some(file) = file {
        (from_file(file, option, context)?, format!("`{file}`"))
    } else if let Some(token) = context.variable(variable) {
        (token.to_owned(), variable.to_owned())
    } else {
        return Ok(None);
    };
    let token = token.trim();
    if token.is_empty() {
        return Err(CliError::Usage(format!(
            "the token is empty; give {place} a value, or leave it out"
        )));
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(CliError::Usage(format!(
            "the token of {place} cannot be sent in a header: letters, digits and signs only, on one line"
        )));
    }
    Ok(Some(token.to_owned()))
}

/// Reads the token from a file, relative to the working folder; the error names the option. A file with more than
/// [`MAX_TOKEN_FILE_BYTES`] is an error, an empty one is not. The text is not trimmed here.
fn from_file(file: &Utf8PathBuf, option: &str, context: &Context) -> Result<String, CliError> {
    let path = context.working_folder.join(file);
    read_named_text(&path, MAX_TOKEN_FILE_BYTES).map_err(|error| {
        CliError::Usage(match error.problem {
            InputProblem::TooLarge(most) => {
                format!("`{option}-file {file}`: a file with a token has at most {most} bytes")
            }
            problem => format!("`{option}-file {file}`: {file} {problem}"),
        })
    })
}
