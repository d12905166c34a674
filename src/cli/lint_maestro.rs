//! `runner lint --maestro`: lists what of Maestro's flows cannot run here, before anyone plugs in a device.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use indexmap::IndexSet;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::exit_code::ExitCode;
use crate::flow;
use crate::run::{MaestroLint, PlanError};

/// Prints to standard output what cannot run in flows of Maestro's below the paths, or in the project without any,
/// each once with its place, then other diagnostics, and the counts. Sub-flows count as flows. Exits with 2 if a
/// flow has errors. Returns an error if there is no flow of Maestro's.
pub(super) fn run(paths: &[Utf8PathBuf], context: &Context) -> Result<ExitCode, CliError> {
    let overrides = Overrides {
        paths: paths.to_vec(),
        ..Overrides::default()
    };
    let config = Config::resolve(context, &overrides)?;
    let files = flow::maestro::all_files(&config.flow_paths()).map_err(PlanError::from)?;
    if files.is_empty() {
        return Err(CliError::Usage(
            "no flow of Maestro's found: one begins with `appId: …` and a line `---`".to_owned(),
        ));
    }
    let options = config.read_options();
    let mut found: IndexSet<Diagnostic> = IndexSet::new();
    let mut maestro = MaestroLint::new(&config);
    let mut cannot = 0;
    for file in &files {
        let (flow, diagnostics) = flow::read_flow(file, &options);
        let errors = flow.as_ref().map(|flow| maestro.add(flow));
        cannot += usize::from(errors.is_none_or(|errors| errors > 0));
        // A sub-flow is reported once, however many flows run it.
        found.extend(diagnostics);
    }
    found.extend(maestro.finish());
    let (errors, others): (Vec<_>, Vec<_>) = found
        .iter()
        .partition(|diagnostic| diagnostic.severity == Severity::Error);
    print_table(&errors);
    print_table(&others);
    for (code, number) in counts(&errors) {
        output::line(&format!("{number:>6}  {code}: {}", code.meaning()));
    }
    let total = files.len();
    output::line(&format!(
        "{total} flow{} of Maestro's: {} can run, {cannot} cannot",
        if total == 1 { "" } else { "s" },
        total - cannot
    ));
    Ok(if errors.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Usage
    })
}

/// Prints a line for each diagnostic: place, kind, text and help, in columns, and an empty line after them. They
/// stay in their order. Prints nothing without diagnostics.
fn print_table(diagnostics: &[&Diagnostic]) {
    let places: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| {
            let (line, column) = diagnostic.line_column();
            format!("{}:{line}:{column}", diagnostic.source.path)
        })
        .collect();
    let width = places.iter().map(String::len).max().unwrap_or_default();
    for (place, diagnostic) in places.iter().zip(diagnostics) {
        let help = diagnostic.help.as_deref();
        let help = help.map(|help| format!("; {help}")).unwrap_or_default();
        output::line(&format!(
            "{place:width$}  {:14}  {}{help}",
            diagnostic.code.as_str(),
            diagnostic.message,
        ));
    }
    if !diagnostics.is_empty() {
        output::line("");
    }
}

/// Counts the diagnostics by their code. Codes without any are not in it.
fn counts(diagnostics: &[&Diagnostic]) -> BTreeMap<Code, usize> {
    let mut counts = BTreeMap::new();
    for diagnostic in diagnostics {
        *counts.entry(diagnostic.code).or_default() += 1;
    }
    counts
}
