//! `uiautomator dump` and `screencap`.

use std::time::Duration;

use super::{Call, Outcome, RunningCommand};
use crate::quirks::DumpDefect;
use crate::{Fault, Quirk, WindowDump, dump};
use runner_screen::Display;

const DEFAULT_PATH: &str = "/sdcard/window_dump.xml";
/// Time without a change that a dump waits for (AOSP, `DumpCommand`).
const IDLE: Duration = Duration::from_secs(1);
/// Time that a real app has to come to rest. Chosen: Android gives an app as long for an input.
const REST_LIMIT: Duration = Duration::from_secs(5);
/// Time after which a dump gives up (AOSP, `DumpCommand`).
const IDLE_LIMIT: Duration = Duration::from_secs(10);

pub(super) const SLOT_TAKEN: &str = "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5d3c05aalready registered!
\tat android.os.Parcel.createExceptionOrNull(Parcel.java:3019)
\tat android.os.Parcel.createException(Parcel.java:2999)
\tat android.os.Parcel.readException(Parcel.java:2982)
\tat com.android.uiautomator.core.UiAutomationShellWrapper.connect(UiAutomationShellWrapper.java:28)
\tat com.android.commands.uiautomator.DumpCommand.run(DumpCommand.java:82)";

/// Output of MIUI before a dump (openatx/uiautomator2, issues).
const MIUI_NOISE: &str = "java.io.FileNotFoundException: /data/system/theme_config/theme_compatibility.xml: open failed: ENOENT (No such file or directory)
\tat libcore.io.IoBridge.open(IoBridge.java:574)
\tat miui.content.res.ThemeCompatibilityLoader.getVersion(ThemeCompatibilityLoader.java:108)";
/// Error of the serializer (AOSP, `KXmlSerializer`).
const BROKEN_TEXT: &str = "java.lang.IllegalArgumentException: Illegal character (U+0)
\tat org.kxml2.io.KXmlSerializer.reportInvalidCharacter(KXmlSerializer.java:155)
\tat com.android.uiautomator.core.AccessibilityNodeInfoDumper.dumpNodeRec(AccessibilityNodeInfoDumper.java:168)";

fn cut_to_root(window: &mut WindowDump) {
    if let (true, Some(root)) = (window.focused, &mut window.root) {
        root.children.clear();
    }
}

/// `uiautomator dump|help`. No subcommand is `help`, which gives 0. An unknown one gives 1.
pub(super) fn uiautomator(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    match words.first().map(String::as_str) {
        Some("dump") => dump_screen(call, words.get(1..).unwrap_or_default()),
        Some("help") | None => {
            call.say("Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\nhelp: displays help message\n\ndump: creates an XML dump of current UI hierarchy\n    dump [--verbose][file]\n      [--compressed]: dumps compressed layout information.\n      [--windows]: dumps all windows of all displays.\n      [file]: the location where the dumped XML should be stored, default is\n      /sdcard/window_dump.xml");
            Outcome::Exit(0)
        }
        Some(other) => call.fail(1, format!("Unknown subcommand: {other}")),
    }
}

/// Dumps the screen to a file, [`DEFAULT_PATH`] unless one is given, and prints its path. Waits for rest before that,
/// which takes the device's time. A file that cannot be written is only logged, and reported as written. A taken
/// slot and texts that Android cannot write give 1; other failures, such as a sleeping device, a message and 0, as
/// on phones. Faults change the dump, hang, or kill it with 137.
fn dump_screen(call: &mut Call, args: &[String]) -> Outcome {
    let compressed = args.iter().any(|arg| arg == "--compressed");
    let all = args.iter().any(|arg| arg == "--windows");
    let path = args.iter().find(|arg| !arg.starts_with("--"));
    let path = path.map_or(DEFAULT_PATH, String::as_str);
    let device = std::sync::Arc::clone(&call.device);
    if device.faults.shows(Fault::HungDump) {
        return Outcome::Running(RunningCommand::Hang);
    }
    if device.faults.shows(Fault::ProcessKilled) {
        call.out.extend(b"Killed \n");
        return Outcome::Exit(137);
    }
    if device.automation.is_acquired() || device.faults.shows(Fault::SlotTaken) {
        return call.fail(1, SLOT_TAKEN);
    }
    // On phones a compressed dump sometimes gets an idle state when a plain one does not.
    if !compressed
        && let Some(Fault::CouldNotGetIdle(after)) =
            device.faults.take(Fault::CouldNotGetIdle(Duration::ZERO))
    {
        call.spend(IDLE_LIMIT);
        return Outcome::Running(RunningCommand::NeverIdle(after));
    }
    // An app in a host reports when it is at rest. Other apps are at rest once their animations have ended.
    if !device.rest(REST_LIMIT) {
        let moving = device.phone().rest_time();
        call.spend(moving + IDLE);
    }
    if device.quirks.has(Quirk::MiuiNoise) {
        call.warn(MIUI_NOISE);
    }
    // It waits until nothing has changed for half a second.
    if let Some(until) = device.quirks.held_until() {
        call.spend(until.saturating_sub(device.elapsed()));
    }
    let windows = device.phone().windows();
    if device.quirks.has(Quirk::BrokenText) || dump::is_refused(&windows) {
        return call.fail(1, BROKEN_TEXT);
    }
    let late = {
        let package = dump::active(&windows).map_or("", |window| &window.package);
        device.quirks.dump_defect(all, package)
    };
    let null_root = device.faults.shows(Fault::NullRoot) || !device.system().awake;
    let xml = {
        let mut windows = device.displayed_windows();
        let rotation = device.phone().display().rotation;
        if all && device.faults.shows(Fault::PartialDump) || late == DumpDefect::Partial {
            windows.retain(|window| !window.focused);
        }
        if late == DumpDefect::RootOnly {
            windows.iter_mut().for_each(cut_to_root);
        }
        if null_root {
            None
        } else if let Some(displayed) = device.replaced_dump() {
            Some(displayed)
        } else if all {
            Some(dump::all_windows(&windows, rotation, compressed))
        } else {
            dump::one_window(&windows, rotation, compressed)
        }
    };
    let Some(mut xml) = xml else {
        return call.fail(
            0,
            "ERROR: null root node returned by UiTestAutomationBridge.",
        );
    };
    if device.faults.shows(Fault::TruncatedDump) {
        let half = (xml.len() / 2..xml.len()).find(|at| xml.is_char_boundary(*at));
        xml.truncate(half.unwrap_or(0));
    }
    let missing = device.faults.shows(Fault::MissingDump) || late == DumpDefect::Missing;
    if !missing && let Err(error) = call.write(path, xml.as_bytes()) {
        // uiautomator only logs the failure, and reports success.
        device.log_line(
            'E',
            "AndroidRuntime",
            &format!("could not write {path}: {error}"),
            0,
        );
    }
    // Android's own spelling, which clients know.
    let line = format!("UI hierchary dumped to: {path}\n");
    if call.path(path) == "/dev/tty" {
        // The stream's end and the report follow each other in one line.
        call.terminal.extend(line.as_bytes());
    } else {
        call.out.extend(line.as_bytes());
    }
    Outcome::Exit(0)
}

const SEVERAL: &str = "[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found, however this default is not guaranteed to be consistent across captures. A display id should be specified.
A display ID can be specified with the [-d display-id] option.
See \"dumpsys SurfaceFlinger --display-id\" for valid display IDs.";

/// Takes a screenshot, in 100 ms: PNG with `-p` or for a path that ends in `.png`, else a header of 16 bytes and the
/// pixels. Without a path it goes to standard output; the last of several counts, and a display's number does not. A
/// file that cannot be written gives 1. Faults hang it, spoil its bytes, or print a failure with exit code 0.
pub(super) fn screencap(call: &mut Call) -> Outcome {
    let mut png = false;
    let mut display = None;
    let mut path = None;
    let mut words = call.owned_args().into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-p" => png = true,
            "-d" => display = words.next(),
            "-a" => {}
            "-h" => {
                return call.fail(0, "usage: screencap [-ahp] [-d display-id] [FILENAME]");
            }
            _ => path = Some(word),
        }
    }
    let device = std::sync::Arc::clone(&call.device);
    if display.is_none() && device.faults.shows(Fault::SeveralDisplays) {
        call.warn(SEVERAL);
    }
    if device.faults.shows(Fault::HungScreenshot) {
        return Outcome::Running(RunningCommand::Hang);
    }
    call.spend(Duration::from_millis(100));
    if device.faults.shows(Fault::BadScreenshot) {
        call.out.extend(b"Failed to take screenshot. Status: -1\n");
        return Outcome::Exit(0);
    }
    png |= path
        .as_ref()
        .is_some_and(|path| path.to_ascii_lowercase().ends_with(".png"));
    device.draw_hosts();
    let bytes = if device.faults.shows(Fault::SecureWindow) {
        black(device.phone().display(), png)
    } else if png {
        device.screenshot.png(|| device.phone())
    } else {
        let picture = device.phone().draw();
        Some(raw(&picture).into())
    };
    let Some(mut bytes) = bytes else {
        return call.fail(1, "Failed to encode the screenshot");
    };
    if device.faults.shows(Fault::TruncatedScreenshot) {
        bytes = bytes[..bytes.len() / 2].into();
    }
    if device.faults.shows(Fault::DamagedScreenshot) {
        let mut damaged = bytes.to_vec();
        // This byte is in the header, whose checksum is then wrong.
        if let Some(width) = damaged.get_mut(16) {
            *width ^= 0x40;
        }
        bytes = damaged.into();
    }
    match path {
        None => call.out.extend_from_slice(&bytes),
        Some(path) => {
            if let Err(error) = call.write(&path, &bytes) {
                return call.fail(1, format!("Error opening file: {path} ({error})"));
            }
        }
    }
    Outcome::Exit(0)
}

/// Returns the black picture of a window with `FLAG_SECURE`, as large as the display: PNG with `png`, else in the raw
/// format of `screencap`. Returns `None` if PNG fails.
fn black(display: Display, png: bool) -> Option<std::sync::Arc<[u8]>> {
    let (width, height) = (display.width, display.height);
    let picture = image::RgbaImage::from_pixel(width, height, image::Rgba([0, 0, 0, 255]));
    if !png {
        return Some(raw(&picture).into());
    }
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).ok()?;
    Some(bytes.into_inner().into())
}

/// Formats a picture as `screencap` without PNG: width, height, format and colour space as little-endian words,
/// then the pixels.
fn raw(picture: &image::RgbaImage) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + picture.as_raw().len());
    // RGBA_8888 is format 1; colour space 1 is sRGB.
    for word in [picture.width(), picture.height(), 1, 1] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(picture.as_raw());
    bytes
}
