//! Report files of `runner test` and `runner report`: options, checks before writing, and opening the HTML
//! report.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use console::Term;
use runner_base::output_file::{Form, OutputError, OutputFile, claim_folder, is_stdout};
use runner_report::html;
use runner_text::shell::quote_to_copy;

use super::setting_flags::SettingFlags;
use super::{browser, output};
use crate::config::{FlagGroup, RawSettings};
use crate::context::Context;

/// Where reports go.
#[derive(Debug, Clone, Args)]
pub struct ReportFiles {
    #[command(flatten)]
    junit: SettingFlags<{ FlagGroup::Junit as u8 }>,
    /// Keep the JUnit XML within Jenkins' junit-10.xsd
    #[arg(long)]
    pub junit_strict: bool,
    #[command(flatten)]
    others: SettingFlags<{ FlagGroup::Reports as u8 }>,
}

impl ReportFiles {
    /// Sets the paths that are given in `given`, with which settings are resolved. `--junit-strict` is not in it.
    pub fn give(&self, given: &mut RawSettings) {
        self.junit.give(given);
        self.others.give(given);
    }
}

/// Returns the output for people, and true if it is a terminal. The output is standard error if one of `outputs` is
/// `-`, which stands for standard output; else standard output.
pub fn terminal(outputs: &[Option<&Utf8PathBuf>], context: &Context) -> (Term, bool) {
    if outputs.iter().flatten().any(|path| is_stdout(path)) {
        (Term::stderr(), context.stderr_is_terminal)
    } else {
        (Term::stdout(), context.stdout_is_terminal)
    }
}

/// Prints the path of the HTML report's page in a line of its own, quoted for a shell and relative to the working
/// folder. It goes to standard error if one of `outputs` is standard output. Prints nothing if the page does not
/// exist.
pub fn print_place(html: &Utf8Path, outputs: &[Option<&Utf8PathBuf>], context: &Context) {
    let page = page_of(html);
    // The error of writing it is reported elsewhere.
    if !page.exists() {
        return;
    }
    let shown = page.strip_prefix(&context.working_folder).unwrap_or(&page);
    let line = format!("report: {}", quote_to_copy(shown.as_str()));
    if outputs.iter().flatten().any(|path| is_stdout(path)) {
        output::note(&line);
    } else {
        output::line(&line);
    }
}

/// Opens the HTML report in the person's browser. Does not wait for it, and does not check that the report is
/// there. Only prints a note if no browser starts: the run's result stays.
pub fn open(html: &Utf8Path, context: &Context) {
    let page = page_of(html);
    if let Err(why) = browser::open(page.as_str(), context) {
        output::note(&format!(
            "No browser opened, as {why}; open {page} yourself."
        ));
    }
}

/// Returns the file of a report that a browser opens: the report itself, or `index.html` of a folder. Goes by the
/// name alone.
fn page_of(html: &Utf8Path) -> Utf8PathBuf {
    if html::is_one_file(html) {
        html.to_owned()
    } else {
        html.join("index.html")
    }
}

/// Returns true for a folder with the list of files of an HTML report, and for a file with the name of a report in one
/// file. Its content is not read.
pub fn is_report(path: &Utf8Path) -> bool {
    path.join(html::REPORT.list).is_file() || (html::is_one_file(path) && path.is_file())
}

/// Path of an output, and the option or key that names it, for messages.
pub type NamedOutput<'a> = (Option<&'a Utf8PathBuf>, &'a str);

/// All outputs of a report.
pub struct NamedOutputs<'a> {
    pub junit: NamedOutput<'a>,
    pub json: NamedOutput<'a>,
    pub archive: NamedOutput<'a>,
    pub html: NamedOutput<'a>,
    pub allure: NamedOutput<'a>,
}

/// Returns an error for a folder that is not there yet and whose name has an extension that files of reports, data
/// or texts have, in any case, such as `--html report.xml`, except one that ends in `/`. Something that is there is
/// no error, also if it is a file. The error names what was probably meant, if that can be told.
pub(super) fn must_be_folder(
    report: &Utf8Path,
    working_folder: &Utf8Path,
    option: &str,
) -> Result<(), OutputError> {
    let extension = report.extension().unwrap_or_default().to_lowercase();
    let path = report.strip_prefix(working_folder).unwrap_or(report);
    let is_html = option.to_lowercase().contains("html");
    let instead = match extension.as_str() {
        _ if report.as_str().ends_with('/') || report.exists() => return Ok(()),
        "htm" | "xhtml" | "pdf" | "txt" | "md" if is_html => {
            format!(
                ", or write a report of one file: {}",
                path.with_extension("html")
            )
        }
        "xml" => format!("; JUnit XML is written by `--junit {path}`"),
        "json" | "ndjson" | "jsonl" => format!("; the events are written by `--json {path}`"),
        "html" | "htm" => format!(
            "; an HTML report is written by `--html {}`",
            path.with_extension("html")
        ),
        "pdf" | "txt" | "md" | "zip" | "csv" => String::new(),
        _ => return Ok(()),
    };
    Err(OutputError::NamesFile {
        path: path.to_owned(),
        option: option.to_owned(),
        instead,
    })
}

/// Files to write, checked so that they replace nothing by mistake.
pub struct Outputs {
    pub junit: Option<OutputFile>,
    pub json: Option<OutputFile>,
    pub archive: Option<OutputFile>,
    /// An HTML report in one file.
    pub html: Option<OutputFile>,
}

impl Outputs {
    /// Checks all files and folders of reports before anything is written. Creates missing folders, and opens pipes,
    /// waiting at most five seconds for a reader. Returns an error if a place cannot be written, a file that is not an
    /// earlier report would be lost, or two reports would be in one another's way. `-` is standard output and is left
    /// out, as is what is not named. Writes no report.
    pub fn claim(named: &NamedOutputs<'_>, context: &Context) -> Result<Self, OutputError> {
        let folder = &context.working_folder;
        let output = |(path, option): NamedOutput<'_>, form| {
            let path = path.filter(|path| *path != "-");
            path.map(|path| OutputFile::new(folder, path, form, option))
                .transpose()
        };
        let (one_file, in_folder) = match named.html.0 {
            Some(path) if html::is_one_file(path) => (Some(path), None),
            path => (None, path),
        };
        let outputs = Self {
            html: output((one_file, named.html.1), Form::Report)?,
            junit: output(named.junit, Form::Junit)?,
            json: output(named.json, Form::Events)?,
            archive: output(named.archive, Form::Archive)?,
        };
        OutputFile::check_distinct(outputs.files())?;
        let folders = [
            (in_folder, named.html.1, html::REPORT),
            (named.allure.0, named.allure.1, runner_report::ALLURE),
        ];
        for (report, option, kind) in folders {
            let Some(report) = report else { continue };
            let report = folder.join(report);
            must_be_folder(&report, folder, option)?;
            claim_folder(&report, option)?;
            for file in outputs.files() {
                file.check_outside(&report, &kind, option)?;
            }
        }
        Ok(outputs)
    }

    /// Iterates over the files that are written, without folders and standard output.
    pub fn files(&self) -> impl Iterator<Item = &OutputFile> {
        [&self.junit, &self.json, &self.archive, &self.html]
            .into_iter()
            .flatten()
    }
}
