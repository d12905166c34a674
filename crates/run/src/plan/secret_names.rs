//! Checks that the names of secrets in `runner.yaml` name values.

use std::ops::Range;
use std::sync::Arc;

use crate::project_files::project_files;
use runner_config::Config;
use runner_text::diagnostic::{self, Code, Diagnostic};
use runner_text::input_file::{MAX_TEXT, read_regular};
use runner_text::secret::Scrubber;

/// Returns the secrets of `runner.yaml` that have no value in its `env` or on the command line, and that its
/// own text does not read. The process environment does not count.
pub(super) fn unread_secrets(config: &Config) -> Vec<String> {
    let project = config.project_source.as_ref();
    let is_unread = |name: &&String| {
        !config.file_env.contains_key(*name)
            && !config.command_env.contains_key(*name)
            && !project.is_some_and(|source| runner_flow::reads_name(&source.text, name))
    };
    config.secrets.iter().filter(is_unread).cloned().collect()
}

/// Removes names that occur anywhere in the text of a file of the project's folders of flows. For runs of
/// which a person named the flows, so that the others were not read. If the folders cannot be searched,
/// removes all names; files that cannot be read are skipped.
fn retain_unmentioned(names: &mut Vec<String>, config: &Config) {
    if names.is_empty() {
        return;
    }
    let Ok(files) = project_files(config) else {
        // The names that other flows use are not known.
        names.clear();
        return;
    };
    for path in files {
        if let Ok(bytes) = read_regular(&path, MAX_TEXT) {
            let text = String::from_utf8_lossy(&bytes);
            names.retain(|name| !text.contains(name.as_str()));
        }
    }
}

/// Returns an error for each of the secrets of `runner.yaml` that name no value: a mistyped name would leave
/// the real secret unmasked. `unread` are those that no flow that was read mentions. Values in the quoted
/// lines are masked. Empty without a `runner.yaml`.
pub(super) fn unnamed_secrets(
    config: &Config,
    mut unread: Vec<String>,
    hidden: &Scrubber,
) -> Vec<Diagnostic> {
    let Some(source) = &config.project_source else {
        return Vec::new();
    };
    if !config.paths.is_empty() {
        retain_unmentioned(&mut unread, config);
    }
    let error = |name: &String| {
        let shown = runner_flow::declared_name(name);
        Diagnostic {
            code: Code::UndefinedName,
            severity: Code::UndefinedName.severity(),
            message: format!("the secret `{shown}` names no value"),
            source: Arc::clone(source),
            span: word_in(&source.text, name),
            labels: Vec::new(),
            help: Some(match runner_flow::bare_name(name) {
                Some(bare) => format!("write the name alone: `{bare}`"),
                None => format!(
                    "`env` does not have it, and no flow gives or reads it; correct the name, read it as `${{os.{shown}}}`, or take it out of `secrets`"
                ),
            }),
        }
    };
    let errors = unread.iter().map(error).collect();
    diagnostic::without_secrets(errors, &config.secrets, hidden)
}

/// Returns the first position of a name after the first `secrets` in the text. An empty range at `secrets` if it is not
/// there.
fn word_in(text: &str, name: &str) -> Range<usize> {
    let begin = text.find("secrets").unwrap_or(0);
    let at = text[begin..].find(name).map(|at| begin + at);
    at.map_or(begin..begin, |at| at..at + name.len())
}
