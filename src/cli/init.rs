//! `runner init`: writes a project with a first flow, for the app in front on a connected phone, or else for
//! a demo app on the virtual device.

mod apk;
mod app_in_front;

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};

use self::apk::{ApkProject, is_package};
use super::error::CliError;
use super::runtime::runtime;
use super::selection::ServerSelection;
use super::{completions, init_git, output, schema};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::device::VIRTUAL;
use crate::exit_code::ExitCode;
use crate::harmless;
use runner_text::input_file::{MAX_TEXT, read_text};

/// Lines for `.gitignore`: files that runs write.
const IGNORED: &str = include_str!("init/gitignore");

/// Text of `runner.yaml`, for the demo app and for a phone.
const SETTINGS: &str = include_str!("init/runner.yaml");
const SETTINGS_PHONE: &str = include_str!("init/runner-phone.yaml");

/// Files of the demo project: its app, its first flow and that flow's golden; path and content.
const DEMO: [(&str, &[u8]); 8] = [
    ("runner.yaml", SETTINGS.as_bytes()),
    ("flows/first.yaml", include_bytes!("init/first.yaml")),
    ("apps/hello/app.yaml", include_bytes!("init/app.yaml")),
    ("apps/hello/main.yaml", include_bytes!("init/main.yaml")),
    (
        "snapshots/first/greeted.tsv",
        include_bytes!("init/greeted.tsv"),
    ),
    // The virtual device is of this class on every computer, and its pictures are the same.
    (
        "snapshots/first/greeted~virtual1-34-1080x2400-420-en-light.tsv",
        include_bytes!("init/greeted.of_class.tsv"),
    ),
    (
        "snapshots/first/greeted~virtual1-34-1080x2400-420-en-light.png",
        include_bytes!("init/greeted.png"),
    ),
    (
        "snapshots/first/greeted~virtual1-34-1080x2400-420-en-light.annotated.png",
        include_bytes!("init/greeted.annotated.png"),
    ),
];

/// A CI system for which a configuration file can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CiSystem {
    /// `.github/workflows/flows.yml`
    Github,
    /// `.gitlab-ci.yml`
    Gitlab,
    /// `Jenkinsfile`
    Jenkins,
}

impl CiSystem {
    /// Returns the path, relative to the project, and the text of the CI system's file. Writes nothing.
    fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::Github => (
                ".github/workflows/flows.yml",
                include_str!("init/ci/github.yml"),
            ),
            Self::Gitlab => (".gitlab-ci.yml", include_str!("init/ci/gitlab.yml")),
            Self::Jenkins => ("Jenkinsfile", include_str!("init/ci/Jenkinsfile")),
        }
    }
}

#[derive(Debug, Args)]
pub struct InitArguments {
    /// Folder to write into
    #[arg(default_value = ".", value_name = "DIR")]
    folder: Utf8PathBuf,
    /// Also write the file of a CI system; in a folder with a runner.yaml nothing else
    #[arg(long, value_enum, value_name = "SYSTEM")]
    ci: Option<CiSystem>,
    /// Write no starter project: prepare this repository, so that git stores goldens whole, and ignores what runs write
    #[arg(long, conflicts_with = "ci")]
    git: bool,
    /// With `--git`: keep pictures of goldens in Git LFS
    #[arg(long, requires = "git")]
    lfs: bool,
    /// Device whose app in front the first flow is of: a serial, HOST:PORT, or `virtual` for the demo app [default: the
    /// one that is connected]
    #[arg(long, short, value_name = "SERIAL|virtual", add = completions::devices())]
    device: Option<String>,
    /// APK that the first flow is of; the virtual device runs it, without a phone
    #[arg(long, value_name = "APK", conflicts_with_all = ["git", "device"])]
    app: Option<Utf8PathBuf>,
    #[command(flatten)]
    server: ServerSelection,
}

/// Writes the files that do not exist yet, and changes none that does: a starter, the schemas for editors and
/// `.gitignore`. A missing folder is created; one with `runner.yaml` or `flows` is a project and gets no starter; with
/// `--ci` it gets only the file of the CI, and with `--app` an error. The starter is of the named APK, else of the app
/// in front of a connected device, else a demo app, also if several devices are connected. A named device that cannot
/// be opened is an error, and so is a link out of the project in the place of a file or its folder; nothing is written
/// then. With `--git` only git is set up.
pub fn run(arguments: &InitArguments, context: &Context) -> Result<ExitCode, CliError> {
    let folder = context.working_folder.join(&arguments.folder);
    must_be_folder(&arguments.folder, &folder)?;
    if arguments.git {
        return init_git::run(&folder, IGNORED, arguments.lfs, context);
    }
    // With `--ci`, a project gets only the CI's file: the starter's flow needs the starter's app.
    let is_project = folder.join("runner.yaml").exists() || folder.join("flows").exists();
    let prepares = arguments.ci.is_none() || !is_project;
    let apk = match &arguments.app {
        Some(_) if is_project => {
            return Err(CliError::Usage(
                "this is a project already; name the APK in its `apps`, or with `--app` of `runner test`".to_owned(),
            ));
        }
        Some(apk) => Some(ApkProject::read(
            &context.working_folder.join(apk),
            &folder,
        )?),
        None => None,
    };
    let app = if is_project || apk.is_some() {
        None
    } else {
        let overrides = Overrides {
            devices: arguments.device.iter().cloned().collect(),
            ..arguments.server.overrides()
        };
        let config = Config::resolve(context, &overrides)?;
        runtime()?.block_on(app_in_front::find(&config))?
    };
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    if let Some(app) = &app {
        let package = harmless::line(&app.package);
        let device = harmless::line(&app.device);
        output::note(&format!(
            "{package} is in front of {device}: the first flow is of it (`--device virtual` takes a demo app)"
        ));
        files.push(("runner.yaml", SETTINGS_PHONE.into()));
        files.push(("flows/first.yaml", app.flow().into()));
    } else if let Some(apk) = &apk {
        files.push(("runner.yaml", apk.settings().into()));
        files.push(("flows/first.yaml", apk.flow().into()));
    } else if !is_project {
        report_demo(arguments.device.as_deref());
        files.extend(DEMO.map(|(name, content)| (name, content.to_vec())));
    }
    if prepares {
        files.push((init_git::IGNORE, IGNORED.into()));
        let schemas = [
            ("runner.schema.json", schema::SchemaKind::Flow),
            ("runner-yaml.schema.json", schema::SchemaKind::Config),
        ];
        for (name, kind) in schemas {
            files.push((name, schema::text(kind)?.into()));
        }
    }
    if let Some(system) = arguments.ci {
        let (name, text) = system.file();
        files.push((name, text.into()));
    }
    write_all(&folder, &files)?;
    if prepares {
        report_ignored(&folder)?;
    }
    if let Some(apk) = &apk {
        output::note(&format!(
            "next: `runner test` runs flows/first.yaml: {} starts in Android's framework on this computer; `runner virtual install` gets that, once",
            harmless::line(&apk.package)
        ));
        return Ok(ExitCode::Passed);
    }
    output::note(match (&app, is_project, arguments.ci) {
        (Some(_), ..) => {
            "next: `runner test` runs flows/first.yaml on the phone, then `runner review` shows its first picture"
        }
        (None, false, _) => "next: `runner test` runs flows/first.yaml on the virtual device",
        (None, true, Some(_)) => "next: look through the file and fill in what it asks for",
        (None, true, None) => {
            "this is a project already, so it gets no starter flow; `runner studio` records one"
        }
    });
    Ok(ExitCode::Passed)
}

/// Prints a note, if a device other than the virtual one is named, that it shows no app to begin with. Asks no
/// device.
fn report_demo(device: Option<&str>) {
    if let Some(device) = device.filter(|name| *name != VIRTUAL) {
        output::note(&format!(
            "{} shows no app that a flow could start, so the first flow is of a demo app on the virtual device; open yours there for a flow of it",
            harmless::line(device)
        ));
    }
}

/// Returns an error with advice for a name that ends as a flow or an APK does, is the package of an app, or of a file
/// that is there, in place of the folder. A folder that is there may have any name; one that is not there is no error.
fn must_be_folder(named: &Utf8Path, folder: &Utf8Path) -> Result<(), CliError> {
    let advice = match named.extension() {
        _ if folder.is_dir() => return Ok(()),
        Some("yaml" | "yml") => {
            "`runner init` writes a project with a first flow, `flows/first.yaml`, and `runner studio FLOW` writes a flow of any name"
        }
        Some("apk") => "for the APK that the first flow is of, write `runner init --app APK`",
        _ if folder.is_file() => "`runner init` alone writes into this folder",
        _ if !folder.exists() && is_package(named) => {
            "for a flow of this app, open it on a connected phone and write `runner init` in the project's folder; for an APK write `runner init --app APK`; for a folder of this name, make it first"
        }
        _ => return Ok(()),
    };
    Err(CliError::Usage(format!(
        "{named} would be the folder of a project: name a folder, or leave it out; {advice}"
    )))
}

/// Writes the files that do not exist yet, as [`write_new`] does. If one of them would be written through a link to no
/// place in the project, that is an error and none is written.
fn write_all(folder: &Utf8Path, files: &[(&str, Vec<u8>)]) -> Result<(), CliError> {
    for (name, _) in files {
        if !folder.join(name).exists() {
            init_git::place_in_project(folder, name)?;
        }
    }
    files
        .iter()
        .try_for_each(|(name, content)| write_new(folder, name, content))
}

/// Writes a file, named relative to `folder`, and its folders unless the file exists, and prints what it did, also
/// if it kept the file. An existing file is never changed, and a link to a missing one is written through.
fn write_new(folder: &Utf8Path, name: &str, content: &[u8]) -> Result<(), CliError> {
    let path = folder.join(name);
    if path.exists() {
        output::line(&format!("kept     {name}"));
        init_git::note_link(folder, name);
        return Ok(());
    }
    init_git::write_in_project(folder, name, content)?;
    output::line(&format!("wrote    {name}"));
    Ok(())
}

/// Prints to standard error the lines that an existing `.gitignore` lacks, if any. A missing file is an error. It
/// is the person's file, so nothing is written into it.
fn report_ignored(folder: &Utf8Path) -> Result<(), CliError> {
    let ignored = read_text(folder.join(init_git::IGNORE), MAX_TEXT)?;
    let missing: Vec<&str> = IGNORED
        .lines()
        .filter(|line| !ignored.lines().any(|known| known.trim() == *line))
        .collect();
    if !missing.is_empty() {
        output::note(&format!(
            "add to {}, so that git leaves out what runs write: {}",
            init_git::IGNORE,
            missing.join("  ")
        ));
    }
    Ok(())
}
