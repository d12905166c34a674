//! `runner virtual install`: gets the parts that run a person's APK on the virtual device, and compiles the
//! host.

use super::error::CliError;
use super::output;
use crate::app_host::archive::Archive;
use crate::app_host::host::Host;
use crate::app_host::jdk::Jdk;
use crate::app_host::parts::{self, BuildTool, Parts, Progress, Source, megabytes};
use crate::app_host::places::Places;
use crate::context::Context;
use crate::exit_code::ExitCode;
use camino::Utf8PathBuf;
use clap::Args;

#[derive(Debug, Args)]
pub struct InstallArguments {
    /// Take the files from this folder, such as another computer's, not by Maven or Gradle
    #[arg(long, value_name = "DIR")]
    from: Option<Utf8PathBuf>,
    /// Say what would be fetched, from where and how much, and fetch nothing
    #[arg(long)]
    dry_run: bool,
}

/// Gets the missing and damaged parts, from a folder or by Maven or Gradle, compiles the host, and prints each step.
/// Parts that are there are read in full and stay if they are right. Waits without a limit while another process
/// installs. With `--dry-run` only prints what would be fetched. Returns an error without a JDK, but keeps the parts.
pub fn run(arguments: &InstallArguments, context: &Context) -> Result<ExitCode, CliError> {
    let places = Places::from_context(context);
    let parts = Parts::at(&places.parts);
    let source = match &arguments.from {
        Some(folder) => Source::Folder(context.working_folder.join(folder)),
        None => Source::BuildTool,
    };
    output::line(&format!("parts: {}", parts.folder()));
    // Printed before anything is fetched, though the parts do not need a JDK.
    let jdk = Jdk::find(&places);
    match &jdk {
        Ok(jdk) => output::line(&format!("JDK: {} ({})", jdk.home, jdk.version)),
        Err(error) => output::note(&error.to_string()),
    }
    if arguments.dry_run {
        return Ok(plan(&parts, &source, &places));
    }
    let mut shown = PrintedProgress::default();
    let installed = parts::install(&parts, &source, &places, &mut |progress| {
        shown.update(&progress)
    })
    .map_err(|error| CliError::Failed(error.to_string()))?;
    output::line(&match (installed.fetched, installed.mended) {
        (0, _) => format!("all {} parts are there", parts.list().len()),
        (fetched, 0) => format!("{} fetched", counted(fetched)),
        (fetched, mended) => format!("{} fetched, {mended} damaged before", counted(fetched)),
    });
    let failed = |error: String| CliError::Failed(error);
    let host = Host::new(&places).map_err(|error| failed(error.to_string()))?;
    output::line(&format!("host compiled by {}", host.jdk));
    make_archive(&host);
    output::line("the virtual device can run APKs");
    Ok(ExitCode::Passed)
}

/// Makes the JVM's archive of Android's classes, unless it exists, and waits for it: about 15 s, at most five minutes.
/// An existing one is not checked. Apps run without it too, but start slower, so a failure is only a note.
fn make_archive(host: &Host) {
    if host.archive.exists() {
        return;
    }
    output::note(
        "keeping Android's classes as the JVM has them in memory, so that apps start quicker (about 15 s)",
    );
    if let Err(error) = Archive::make(host) {
        output::note(&format!(
            "apps start slower, that could not be done: {error}"
        ));
    }
}

/// Prints the parts that would be fetched, from where and how much in all. Fetches nothing, and returns success,
/// also if nothing could get them.
fn plan(parts: &Parts, source: &Source, places: &Places) -> ExitCode {
    let wanted = parts::wanted(parts);
    let bytes: u64 = wanted.iter().map(|part| part.size).sum();
    let from = match source {
        Source::Folder(folder) => folder.to_string(),
        Source::BuildTool => match BuildTool::find(places) {
            Some(tool) => format!("{}, {}", tool.name(), tool.program()),
            None => "neither `mvn` nor `gradle` is on PATH".to_owned(),
        },
    };
    for part in &wanted {
        let size = megabytes(part.size);
        output::line(&format!(
            "{size:>7}  {}:{}:{}",
            part.group, part.artifact, part.version
        ));
    }
    let count = counted(wanted.len());
    output::line(&format!("{count}, {} to get: {from}", megabytes(bytes)));
    ExitCode::Passed
}

/// Returns the number of parts with the noun: `1 part`, `3 parts`.
fn counted(parts: usize) -> String {
    match parts {
        1 => "1 part".to_owned(),
        _ => format!("{parts} parts"),
    }
}

#[derive(Default)]
struct PrintedProgress {
    tenths: u64,
}

impl PrintedProgress {
    /// Prints the progress to standard error, of downloads at most one line for each tenth. That parts are checked
    /// is not printed.
    fn update(&mut self, progress: &Progress) {
        match progress {
            Progress::Waiting => {
                output::note("another `runner virtual install` is at work; waiting for it");
            }
            Progress::Checking => {}
            Progress::Begins { files, bytes, from } => {
                let (count, size) = (counted(*files), megabytes(*bytes));
                output::note(&format!("{count}, {size} to get: {from}"));
            }
            Progress::Bytes { done, total } => {
                let tenths = done * 10 / (*total).max(1);
                if tenths > self.tenths {
                    self.tenths = tenths;
                    output::note(&format!("{} of {}", megabytes(*done), megabytes(*total)));
                }
            }
        }
    }
}
