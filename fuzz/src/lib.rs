//! Fuzz targets: each function feeds bytes to one reader of outside data. A reader may refuse them, but must
//! neither panic nor take long.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;
use runner::flow::language::{self, ScreenWords};
use runner::flow::{ReadOptions, Scope, read_text, resolve};
use runner_adb::auth::{PrivateKey, PublicKey};
use runner_adb::wire::packet::{HEADER_LEN, Header};
use runner_adb::wire::shell::Decoder;
use runner_adb::wire::sync;
use runner_picture::Picture;
use runner_screen::{DisplayContext, Profile, Rect, Screen, Selector, Window};
use runner_text::diagnostic;
use runner_virtual_device::app_host::{
    AppHost, AppHosts, HostFailure, HostReply, HostRequest, HostedApp,
};
use runner_virtual_device::automation::DeviceState;

/// A target's name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("yaml", yaml),
    ("flow", flow),
    ("expression", expression),
    ("rows", rows),
    ("maestro", maestro),
    ("dump", dump),
    ("selector", selector),
    ("png", png),
    ("packet", packet),
    ("key", key),
    ("shell_frames", shell_frames),
    ("sync", sync),
    ("shell_script", shell_script),
    ("apk_manifest", apk_manifest),
    ("events", events),
    ("history", history),
    ("table", table),
    ("archive", archive),
    ("film", film),
    ("message", message),
    ("locator", locator),
    ("uia2_source", uia2_source),
    ("uia2_answer", uia2_answer),
    ("crash_log", crash_log),
    ("dex", dex),
    ("mapping", mapping),
    ("host_answer", host_answer),
    ("evidence", evidence),
];

/// Reads evidence of a selector that matched nothing, and its screens.
pub fn evidence(data: &[u8]) {
    let _ = runner_mend::Evidence::read(data, &mut runner_mend::MAX_TOTAL.clone());
    if let Ok(evidence) = serde_json::from_slice::<runner_mend::Evidence>(data) {
        let _ = evidence.before.screen();
        let _ = evidence.after.screen();
    }
}

/// Parses YAML into a tree with places, and renders its errors.
pub fn yaml(data: &[u8]) {
    let source = std::sync::Arc::new(diagnostic::Source {
        path: "a.yaml".into(),
        text: String::from_utf8_lossy(data).into_owned(),
    });
    let mut found = Vec::new();
    let _ = runner_text::yaml::read(&source, &mut found);
    let _ = diagnostic::render(&found, true, 80);
}

/// Completes a flow at its end, explains its middle, and checks it.
pub fn flow(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let _ = language::completion(&text, ScreenWords::default);
    let _ = language::hover(&text, text.floor_char_boundary(text.len() / 2));
    check(text, &ReadOptions::default());
}

/// Reads the bytes as the table of a flow's cases.
pub fn rows(data: &[u8]) {
    let text = "each: rows.csv\nsteps: [ back ]\n".to_owned();
    with_file("rows.csv", data, |options| check(text, options));
}

/// Reads a flow of Maestro's, and converts it to one of ours.
pub fn maestro(data: &[u8]) {
    with_file("a.yaml", data, |options| {
        let out = options.root.join("out");
        let plan = runner::flow::maestro::ImportPlan {
            from: &options.root,
            to: &out,
            keeps_goldens: false,
        };
        let imported = runner::flow::maestro::import(&plan, options);
        for flow in imported.unwrap_or_default().flows {
            check(flow.text, options);
        }
    });
}

fn check(text: String, options: &ReadOptions) {
    let (_, found) = read_text(Utf8Path::new("a.yaml"), text, options);
    let _ = diagnostic::render(&found, false, 80);
}

/// Calls `read` with the options of a temporary project that holds one file.
fn with_file(name: &str, data: &[u8], read: impl FnOnce(&ReadOptions)) {
    let Ok(folder) = tempfile::tempdir() else {
        return;
    };
    let Some(root) = Utf8Path::from_path(folder.path()) else {
        return;
    };
    if std::fs::write(root.join(name), data).is_err() {
        return;
    }
    read(&ReadOptions {
        root: root.to_owned(),
        ..ReadOptions::default()
    });
}

/// Evaluates the bytes as an expression in a flow.
pub fn expression(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let quoted = serde_json::Value::String(format!("${{{text}}}")).to_string();
    let flow = format!("steps:\n  - click: {quoted}\n");
    let (flow, _) = read_text(Utf8Path::new("a.yaml"), flow, &ReadOptions::default());
    for step in flow.iter().flat_map(|flow| &flow.steps) {
        if let runner::flow::StepAction::Call { arguments, .. } = &step.action {
            let _ = resolve(arguments, &Scope::default());
        }
    }
}

/// Parses a screen's dump, and prints it in both profiles.
pub fn dump(data: &[u8]) {
    if let Ok(screen) = Screen::parse(data, &DisplayContext::default()) {
        let _ = screen.tsv(Profile::Reference);
        let _ = screen.tsv(Profile::Golden);
    }
}

/// Parses a screen in the form of the uia2 driver's server, and prints it in both profiles.
pub fn uia2_source(data: &[u8]) {
    let windows: Vec<Window> = (0..10).map(window).collect();
    let source = String::from_utf8_lossy(data);
    if let Ok(screen) = Screen::parse_uia2(&source, &windows, &DisplayContext::default()) {
        let _ = screen.tsv(Profile::Reference);
        let _ = screen.tsv(Profile::Golden);
    }
}

fn window(id: i32) -> Window {
    Window {
        id,
        kind: "APPLICATION".to_owned(),
        package: String::new(),
        title: String::new(),
        activity: None,
        layer: id,
        focused: id == 0,
        bounds: Rect::default(),
    }
}

/// Checks whether the bytes are an answer of the uia2 driver's server.
pub fn uia2_answer(data: &[u8]) {
    let _ = runner::device::uia2::is_answer(data);
}

/// Reads a device's log for crashes.
pub fn crash_log(data: &[u8]) {
    let mut reader = runner::device::crash::CrashReader::default();
    let text = String::from_utf8_lossy(data);
    for line in text.lines().filter_map(runner::device::logs::parse) {
        reader.read(&line);
    }
}

/// Parses a selector, and finds by it on a small screen.
pub fn selector(data: &[u8]) {
    const SCREEN: &[u8] = br#"<hierarchy rotation="0"><node text="Sign in" class="android.widget.Button" package="a" bounds="[0,0][9,9]" clickable="true" enabled="true" /></hierarchy>"#;
    let Ok(value) = serde_json::from_slice(data) else {
        return;
    };
    let screen = Screen::parse(SCREEN, &DisplayContext::default());
    if let (Ok(selector), Ok(screen)) = (Selector::from_value(&value), screen) {
        let _ = selector.find(&screen);
        let _ = selector.to_string();
    }
}

/// Decodes a PNG, unless it announces a huge size.
pub fn png(data: &[u8]) {
    // What a picture announces is what decoding may take: real ones are far below this.
    let picture = Picture::from_png(data.to_vec());
    if let Ok((width, height)) = picture.dimensions()
        && u64::from(width) * u64::from(height) < 4_000_000
    {
        let _ = picture.pixels();
    }
    let _ = runner_picture::read_text(data, "runner");
    let _ = runner_picture::remove_text(data, "runner");
    let _ = runner_picture::add_text(data, "runner", "a");
}

/// Parses a host's adb key in both of its file formats.
pub fn key(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = PrivateKey::from_pem(&text);
    if let Ok(key) = PublicKey::parse(&text) {
        assert_eq!(PublicKey::parse(&key.line("a")), Ok(key));
    }
}

/// Decodes the header of an adb packet.
pub fn packet(data: &[u8]) {
    if let Some(head) = data.first_chunk::<HEADER_LEN>() {
        let _ = Header::decode(head);
    }
}

/// Decodes frames of `shell,v2` that arrive in two pieces.
pub fn shell_frames(data: &[u8]) {
    let mut decoder = Decoder::default();
    let (one, two) = data.split_at(data.len() / 2);
    for piece in [one, two] {
        decoder.push(piece);
        while let Ok(Some(_)) = decoder.next_frame() {}
    }
}

/// Decodes heads of sync messages.
pub fn sync(data: &[u8]) {
    for head in data.as_chunks::<8>().0 {
        let _ = sync::head(*head);
    }
}

/// Parses a script for the virtual device's shell.
pub fn shell_script(data: &[u8]) {
    let _ = runner_virtual_device::parses_as_shell(&String::from_utf8_lossy(data));
}

/// Parses an APK's manifest in binary XML.
pub fn apk_manifest(data: &[u8]) {
    let _ = runner_virtual_device::is_apk_manifest(data);
}

/// Reads a saved event stream up to its first error.
pub fn events(data: &[u8]) {
    for event in runner::report::read_stream(data) {
        if event.is_err() {
            break;
        }
    }
}

/// Reads a history of runs, and makes trends, durations and failures from it.
pub fn history(data: &[u8]) {
    let history = runner::history::History::from_bytes(data);
    let _ = runner::history::Trends::from_history(&history, None).worst_first();
    let _ = runner::history::LastFailed::from_history(&history);
    let _ = runner::history::Durations::from_history(&history);
}

/// Parses a golden's table of rows.
pub fn table(data: &[u8]) {
    let _ = runner::snapshot::reads_as_table(&String::from_utf8_lossy(data));
}

/// Imports an archive of proposed goldens into an empty project.
///
/// # Panics
/// If the temporary folder cannot be made.
pub fn archive(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Utf8Path::from_path(folder.path()).expect("a path in UTF-8");
    let path = root.join("artifacts.zip");
    std::fs::write(&path, data).expect("a file");
    let store = runner::snapshot::Store::new(root, Utf8Path::new("snapshots"));
    let _ = runner::review::import(&store, &path);
}

/// Finds the frames of a video that the report shows frame by frame.
pub fn film(data: &[u8]) {
    let _ = runner::report::html::frames_of_film(data);
}

/// Parses a message to the MCP server.
pub fn message(data: &[u8]) {
    let _ = runner::mcp::reads_as_message(data);
}

/// Parses a locator of the virtual device's automation servers, as XPath and as `UiSelector`.
pub fn locator(data: &[u8]) {
    let _ = runner_virtual_automation::finds_by(&String::from_utf8_lossy(data));
}

/// Translates an app's dex code to classes of the JVM.
pub fn dex(data: &[u8]) {
    let options = runner_dex::Options { threads: Some(1) };
    let hierarchy = runner_dex::Hierarchy::new();
    let _ = runner_dex::translate_bytes("a.dex", data.to_vec(), &hierarchy, &options);
}

/// Reads a map of R8's, and looks up a frame in it.
pub fn mapping(data: &[u8]) {
    if let Ok(mapping) = runner_dex::Mapping::read(&String::from_utf8_lossy(data)) {
        let _ = mapping.frames("a.b", "a", Some(1));
    }
}

/// Gives one answer of an app's process to every request of a virtual device, whose windows are then dumped
/// and drawn.
///
/// # Panics
/// If the virtual device does not start.
pub fn host_answer(data: &[u8]) {
    let Ok(reply) = serde_json::from_slice::<HostReply>(data) else {
        return;
    };
    let manifest = runner_virtual_device::ApkManifest {
        package: "a.b".to_owned(),
        ..Default::default()
    };
    let options = runner_virtual_device::VirtualDeviceOptions::default().with_hosted(
        vec![HostedApp {
            apk: "a.apk".into(),
            manifest: Arc::new(manifest),
        }],
        Arc::new(Answers(reply)),
    );
    let device = DeviceState::new(&options).expect("a device");
    let started = device.phone().start("a.b", None, &BTreeMap::new());
    device.exchange();
    if started.is_ok() {
        let _ = device.phone().windows();
        let _ = device.screenshot_png();
    }
}

/// Fake app's process that answers the same to everything.
#[derive(Clone)]
struct Answers(HostReply);

impl AppHosts for Answers {
    fn start(&self, _: &HostedApp) -> Result<Box<dyn AppHost>, HostFailure> {
        Ok(Box::new(self.clone()))
    }

    fn clear(&self, _: &str) -> Result<(), HostFailure> {
        Ok(())
    }
}

impl AppHost for Answers {
    fn call(&mut self, _: &HostRequest) -> Result<HostReply, HostFailure> {
        Ok(self.0.clone())
    }
}
