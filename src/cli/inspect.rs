//! `runner inspect`: prints what is on a device's screen, or in a saved dump.

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};
use console::{Alignment, measure_text_width, pad_str};

use super::error::CliError;
use super::output;
use super::runtime::runtime;
use super::selection::DeviceSelection;
use crate::config::Config;
use crate::context::Context;
use crate::device::DeviceError;
use crate::device::uia2::Use;
use crate::engine::elements::Elements;
use crate::engine::short_ids::{self, ShortIds};
use crate::engine::{CaptureOptions, EngineError, Session};
use crate::exit_code::ExitCode;
use crate::harmless;
use crate::run::devices::{self, OpenOptions};
use crate::screen::annotate::{annotate_readably, to_jpeg};
use crate::screen::{DisplayContext, Profile, Screen, Selector};
use crate::secret::Scrubber;
use crate::snapshot::picture::{Compression, encode as encode_png};
use runner_base::output_file::{Form, OutputFile};
use runner_text::input_file::{MAX_PICTURE, read_named};

/// Limit for one look. Chosen: slow devices need seconds for a dump; a stuck one should not block a terminal
/// for minutes.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);

#[derive(Debug, Args)]
pub struct InspectArguments {
    #[command(flatten)]
    device: DeviceSelection,
    /// Read a saved dump instead of a device's screen
    #[arg(long, value_name = "FILE.xml", conflicts_with_all = ["devices", "screenshot", "annotated"])]
    dump: Option<Utf8PathBuf>,
    /// Which rows: as tools print them, or as goldens store them
    #[arg(long, value_enum, default_value_t = Rows::Reference)]
    profile: Rows,
    /// How to print them [default: list in a terminal, else tsv]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the screenshot as PNG
    #[arg(long, value_name = "FILE")]
    screenshot: Option<Utf8PathBuf>,
    /// Write the screenshot with boxes and ids, as PNG or, named .jpg, as JPEG
    #[arg(long, value_name = "FILE")]
    annotated: Option<Utf8PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rows {
    /// Node ids, long texts cut: what tools print
    Reference,
    /// Row numbers, nothing cut, a hint column and more flags: what goldens are made of
    Golden,
}

impl From<Rows> for Profile {
    fn from(rows: Rows) -> Self {
        match rows {
            Rows::Reference => Self::Reference,
            Rows::Golden => Self::Golden,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What a person sees: each element with a selector that picks it
    List,
    /// Every row with all its columns
    Tsv,
    /// The same for programs
    Json,
}

/// Prints the screen of a device, or of a saved dump with `--dump`, and writes the pictures that were asked for. A
/// dump has no pictures, and needs no project, so no secrets are known. The exit code is 0; a dump that does not read,
/// or two pictures in one file, is an error.
pub fn run(arguments: InspectArguments, context: &Context) -> Result<ExitCode, CliError> {
    if let Some(path) = &arguments.dump {
        let bytes = read_named(context.working_folder.join(path), MAX_PICTURE)?;
        let screen = Screen::parse(&bytes, &DisplayContext::default())
            .map_err(|error| CliError::Failed(format!("{path}: {error}")))?;
        print(&screen, &arguments, context, &Scrubber::default())?;
        return Ok(ExitCode::Passed);
    }
    let config = Config::resolve(context, &arguments.device.overrides())?;
    super::config::report_doubts(&config, context);
    arguments.device.check_apps(&context.working_folder)?;
    let picture = |path: &Option<Utf8PathBuf>, option| {
        let path = path.as_ref();
        path.map(|path| OutputFile::new(&context.working_folder, path, Form::Picture, option))
            .transpose()
    };
    let pictures = Pictures {
        screenshot: picture(&arguments.screenshot, "--screenshot")?,
        annotated: picture(&arguments.annotated, "--annotated")?,
    };
    let both = [&pictures.screenshot, &pictures.annotated];
    OutputFile::check_distinct(both.into_iter().flatten())?;
    runtime()?.block_on(live(&arguments, &pictures, &config, context))
}

struct Pictures {
    screenshot: Option<OutputFile>,
    annotated: Option<OutputFile>,
}

/// Opens the device of the settings, or the only connected one, takes one look, writes its pictures with password
/// fields painted black, and prints its screen with the project's secrets masked. An error for several devices, and for
/// a look or a screenshot that fails; then nothing is written.
async fn live(
    arguments: &InspectArguments,
    pictures: &Pictures,
    config: &Config,
    context: &Context,
) -> Result<ExitCode, CliError> {
    let access = config.adb_access().with_notifier(output::note);
    let targets = devices::resolve(&config.devices.value, &access.server).await?;
    let [target] = targets.as_slice() else {
        return Err(CliError::Usage(format!(
            "`inspect` looks at one device, but {} are named",
            targets.len()
        )));
    };
    let options = OpenOptions::new(config, Use::WhereItRuns).with_notifier(output::note);
    let open = devices::open(target, &options).await?;
    let session = Session::new(open.device.clone());
    let picture = arguments.screenshot.is_some() || arguments.annotated.is_some();
    let capture = session
        .capture(CaptureOptions {
            limit: LIMIT,
            picture,
        })
        .await
        .map_err(|error| match error {
            EngineError::Device(error) if error.is_infrastructure() => CliError::Device(error),
            error => CliError::Failed(error.to_string()),
        })?;
    if let Some(picture) = capture.storable_picture()? {
        let pixels = picture.pixels().map_err(DeviceError::from)?;
        if let Some(output) = &pictures.screenshot {
            output.write(&encode(output.path(), &pixels)?)?;
        }
        if let Some(output) = &pictures.annotated {
            let annotated = annotate_readably(&pixels, &capture.screen, arguments.profile.into());
            output.write(&encode(output.path(), &annotated)?)?;
        }
    }
    let hidden = super::config::all_secrets(config, context);
    print(&capture.screen, arguments, context, &hidden)?;
    Ok(ExitCode::Passed)
}

/// Encodes the pixels as JPEG for a path that ends in `.jpg` or `.jpeg`, in any case, else as PNG. Writes nothing.
fn encode(path: &Utf8Path, pixels: &image::RgbaImage) -> Result<Vec<u8>, CliError> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let encoded = match extension.as_str() {
        "jpg" | "jpeg" => to_jpeg(pixels).map_err(|error| error.to_string()),
        _ => encode_png(pixels, Compression::Fast).map_err(|error| error.to_string()),
    };
    encoded.map_err(|error| CliError::Failed(format!("{path}: {error}")))
}

/// Prints the screen to standard output in the chosen format, with the secrets in `hidden` masked; without one as a list
/// in a terminal, and as TSV elsewhere. A list has only visible elements, whatever the profile.
fn print(
    screen: &Screen,
    arguments: &InspectArguments,
    context: &Context,
    hidden: &Scrubber,
) -> Result<(), CliError> {
    let usual = if context.stdout_is_terminal {
        Format::List
    } else {
        Format::Tsv
    };
    match arguments.format.unwrap_or(usual) {
        Format::List => list(screen, hidden),
        Format::Tsv => {
            let table = screen.table(arguments.profile.into()) + "\n";
            tsv(&masked_cells(&table, hidden), context);
        }
        Format::Json => {
            let mut screen = screen.to_json(arguments.profile.into());
            hidden.scrub_json(&mut screen, &[]);
            let json = serde_json::to_string_pretty(&screen)
                .map_err(|error| CliError::Failed(error.to_string()))?;
            output::json(&json);
        }
    }
    Ok(())
}

/// Masks secrets in each cell of a table by itself, as a short one is masked only where it is all of a text.
fn masked_cells(table: &str, hidden: &Scrubber) -> String {
    let mut masked = String::with_capacity(table.len());
    for cell in table.split_inclusive(['\t', '\n']) {
        let text = cell.trim_end_matches(['\t', '\n']);
        masked.push_str(&hidden.scrub_outside(text));
        masked.push_str(&cell[text.len()..]);
    }
    masked
}

/// Prints the table to standard output: unchanged for a program, with control characters and backslashes escaped for a
/// terminal.
fn tsv(table: &str, context: &Context) {
    if context.stdout_is_terminal {
        output::text(&for_terminal(table));
    } else {
        output::data(table);
    }
}

/// Escapes control characters, and backslashes too, so that no other text reads like an escape.
fn for_terminal(table: &str) -> String {
    harmless::text(&table.replace('\\', r"\\")).into_owned()
}

/// Prints a line for each visible element, in columns and in the order of the screen, such as `@e3 Button "Sign in"
/// { id: sign_in }`, with a selector that picks it. The secrets in `hidden` are masked. Prints nothing for an empty
/// screen.
fn list(screen: &Screen, hidden: &Scrubber) {
    let ids = ShortIds::default();
    let nodes: Vec<_> = Elements::new(screen)
        .visible()
        .iter()
        .map(|node| node.index())
        .collect();
    let numbers = ids.show(screen, &nodes);
    let rows: Vec<[String; 3]> = nodes
        .iter()
        .zip(numbers)
        .map(|(node, number)| {
            let called = ids.called(number).unwrap_or_default();
            let selector = Selector::picking(screen, *node).to_string();
            [short_ids::written(number), called, selector]
                .map(|text| harmless::line(&hidden.scrub_outside(&text)).into_owned())
        })
        .collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| measure_text_width(&row[column]));
        widths.max().unwrap_or(0)
    };
    let (ids, names) = (width(0), width(1));
    for row in &rows {
        let [id, name, selector] = row.each_ref().map(String::as_str);
        let id = pad_str(id, ids, Alignment::Left, None);
        let name = pad_str(name, names, Alignment::Left, None);
        output::line(&format!("{id}  {name}  {selector}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_format_that_its_name_says() {
        let pixels = image::RgbaImage::new(2, 2);
        for (name, begin) in [
            ("a.png", &b"\x89PNG"[..]),
            ("a.PNG", b"\x89PNG"),
            ("a", b"\x89PNG"),
            ("a.jpg", b"\xff\xd8"),
            ("a.JPG", b"\xff\xd8"),
            ("a.Jpeg", b"\xff\xd8"),
        ] {
            let encoded = encode(Utf8Path::new(name), &pixels).unwrap();
            assert!(encoded.starts_with(begin), "{name}");
        }
    }

    #[test]
    fn t3_a_terminal_shows_what_would_steer_it() {
        for (text, display) in [
            ("a\u{9b}b", r"a\u{9b}b"),
            (r"a\u{9b}b", r"a\\u{9b}b"),
            ("a\tb\nc", "a\tb\nc"),
        ] {
            assert_eq!(for_terminal(text), display);
        }
    }
}
