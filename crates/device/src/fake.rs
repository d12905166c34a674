//! Scripted device for unit tests: a test sets its dumps and reads its inputs. It uses no adb and has a
//! virtual clock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::{
    Clock, Counters, Device, DeviceError, DeviceInfo, Features, Input, LineStream, LookOptions,
    Picture, PictureOptions, Reading, Script, ShellOutput, VirtualMark,
};
use runner_screen::{Display, DisplayContext, Front, Screen};

/// Time of a look by the device's clock. Chosen: limits run out after a few looks.
const LOOK: Duration = Duration::from_millis(500);

type OnInput = Box<dyn FnMut(&Input) -> Option<String> + Send>;
type OnShell = Box<dyn FnMut(&str) -> ShellOutput + Send>;

/// Small screen in the form of the UiAutomator2 server.
pub const UIA2_SOURCE: &str = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy index=\"0\" class=\"hierarchy\" rotation=\"0\" width=\"1080\" height=\"2400\"><android.widget.FrameLayout index=\"0\" package=\"com.example\" class=\"android.widget.FrameLayout\" bounds=\"[0,0][1080,2400]\" displayed=\"true\" window-id=\"7\"><android.widget.Button index=\"0\" package=\"com.example\" class=\"android.widget.Button\" text=\"Pay\" resource-id=\"com.example:id/pay\" clickable=\"true\" enabled=\"true\" bounds=\"[0,100][200,200]\" displayed=\"true\" window-id=\"7\"/></android.widget.FrameLayout></hierarchy>";

/// State of a [`Fake`]: its next screens, a record of calls, and its reactions.
#[derive(Default)]
pub struct FakeState {
    /// Dumps of the next looks; the last one stays.
    pub looks: VecDeque<Result<String, DeviceError>>,
    current: String,
    /// Inputs so far, one list for each call.
    pub inputs: Vec<Vec<Input>>,
    /// Scripts so far.
    pub scripts: Vec<String>,
    /// Screenshot; a white one if there is none.
    pub screenshot: Option<Vec<u8>>,
    on_input: Option<OnInput>,
    on_shell: Option<OnShell>,
    /// Set while a keyboard is shown.
    pub keyboard: bool,
    /// Limits of the looks so far.
    pub look_limits: Vec<Duration>,
    /// Limits of the scripts so far.
    pub script_limits: Vec<Duration>,
    /// Lines of the next streams; without one a stream is refused.
    pub streams: VecDeque<Vec<String>>,
    /// Keeps streams open after their lines.
    pub streams_stay_open: bool,
    /// Makes every transfer to the device fail.
    pub refuses_files: bool,
    /// Text in a script that makes it run until its limit.
    pub hangs_at: Option<&'static str>,
}

/// Scripted device.
pub struct Fake {
    info: DeviceInfo,
    counters: Counters,
    clock: Clock,
    state: Mutex<FakeState>,
}

/// Command that has printed its lines, and has ended unless it stays open.
struct FakeStream {
    lines: VecDeque<String>,
    stays_open: bool,
}

#[async_trait::async_trait]
impl LineStream for FakeStream {
    async fn next_line(&mut self) -> Result<Option<String>, DeviceError> {
        match self.lines.pop_front() {
            None if self.stays_open => std::future::pending().await,
            next => Ok(next),
        }
    }
}

impl Fake {
    /// Creates a device that shows these screens, one a look, and then the last for ever. Each is the inside
    /// of a `<hierarchy>`, or whole `<displays>` with windows.
    pub fn showing<const N: usize>(screens: [&str; N]) -> Arc<Self> {
        let fake = Self::empty();
        fake.with(|state| {
            state
                .looks
                .extend(screens.into_iter().map(|screen| Ok(screen.to_owned())));
        });
        fake
    }

    /// Turns the device into a phone: not virtual, without features, with the host's clock. Does nothing if
    /// the device is already shared.
    pub fn physical(mut self: Arc<Self>) -> Arc<Self> {
        if let Some(fake) = Arc::get_mut(&mut self) {
            fake.info.virtual_device = VirtualMark::new(false);
            fake.info.features = Features::default();
            fake.clock = Clock::host();
        }
        self
    }

    /// Sets the API level. Does nothing if the device is already shared.
    pub fn with_release(mut self: Arc<Self>, sdk: u32) -> Arc<Self> {
        if let Some(fake) = Arc::get_mut(&mut self) {
            fake.info.sdk = Reading::Said(sdk);
        }
        self
    }

    /// Removes the size of the display. Does nothing if the device is already shared.
    pub fn without_size(mut self: Arc<Self>) -> Arc<Self> {
        if let Some(fake) = Arc::get_mut(&mut self) {
            fake.info.display = Reading::not_answered("wm size", "");
        }
        self
    }

    /// Creates a virtual device with Android 14, all features and no screens. Its looks show one empty frame.
    fn empty() -> Arc<Self> {
        let display = Display {
            width: 1080,
            height: 2400,
            density: 420,
            rotation: 0,
        };
        Arc::new(Self {
            info: DeviceInfo {
                serial: "fake".to_owned(),
                model: Reading::Said(String::new()),
                manufacturer: String::new(),
                release: Reading::Said("14".to_owned()),
                sdk: Reading::Said(34),
                display: Reading::Said(display),
                locale: Reading::Said("en-US".to_owned()),
                dark: Reading::Said(false),
                font_scale_percent: Reading::Said(100),
                emulator: false,
                virtual_device: VirtualMark::new(true),
                features: Features::all(),
                driver: None,
            },
            counters: Counters::default(),
            clock: Clock::reported(),
            state: Mutex::default(),
        })
    }

    /// Sets the reaction to inputs, in place of the one before. The reaction may return a new screen; `None` keeps
    /// the present one.
    pub fn on_input(
        self: &Arc<Self>,
        react: impl FnMut(&Input) -> Option<String> + Send + 'static,
    ) -> Arc<Self> {
        self.with(|state| state.on_input = Some(Box::new(react)));
        Arc::clone(self)
    }

    /// Sets the answers to scripts, in place of those before. An empty output is replaced as [`Fake::shell`] says.
    pub fn on_shell(
        self: &Arc<Self>,
        react: impl FnMut(&str) -> ShellOutput + Send + 'static,
    ) -> Arc<Self> {
        self.with(|state| state.on_shell = Some(Box::new(react)));
        Arc::clone(self)
    }

    /// Gives access to the state, to read or to change it.
    pub fn with<T>(&self, use_it: impl FnOnce(&mut FakeState) -> T) -> T {
        use_it(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns all inputs so far.
    pub fn inputs(&self) -> Vec<Input> {
        self.with(|state| state.inputs.concat())
    }
}

/// Answers the questions for the keyboard, for the package `android` (installed) and for process ids (no app
/// runs); all others with an empty text.
fn answer_always(script: &str, keyboard: bool) -> String {
    if script.contains("mInputShown") {
        return answer_keyboard(script, &format!("mInputShown={keyboard}"));
    }
    let said = if script == "pm path android" {
        "package:/system/framework/framework-res.apk\n"
    } else if script.starts_with("pidof ") {
        "USER PID PPID NAME\nroot 1 0 init\n"
    } else {
        ""
    };
    said.to_owned()
}

/// Answers the question for the keyboard as a device that reports no windows. `state` is the line of the
/// input method; the mark is taken from `script`.
pub fn answer_keyboard(script: &str, state: &str) -> String {
    let mark = script
        .split_whitespace()
        .find(|word| word.starts_with("@runner-"))
        .unwrap_or_default();
    let mark = mark.trim_end_matches(';');
    format!("\n{mark}\n{state}\n")
}

/// Formats a node of a dump. `class` lacks `android.widget.`, `bounds` are left, top, right and bottom, and
/// `children` are nodes in it. The node is enabled and belongs to `com.example`.
pub fn node(class: &str, attributes: &str, bounds: [i32; 4], children: &str) -> String {
    let [l, t, r, b] = bounds;
    format!(
        r#"<node index="0" class="android.widget.{class}" package="com.example" enabled="true" {attributes} bounds="[{l},{t}][{r},{b}]">{children}</node>"#
    )
}

#[async_trait::async_trait]
impl Device for Fake {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// Records the script and answers as the test set it, else with exit code 0. An empty answer becomes that of
    /// [`answer_always`]. A `sleep` moves the clock. A script with `hangs_at` in it is not recorded and fails
    /// with [`DeviceError::Timeout`] after its limit.
    async fn shell(&self, script: &Script, limit: Duration) -> Result<ShellOutput, DeviceError> {
        self.counters.round_trip();
        let slept = script.text().strip_prefix("sleep ");
        if let Some(seconds) = slept.and_then(|seconds| seconds.parse().ok()) {
            self.clock.advance(Duration::from_secs_f64(seconds));
        }
        let hangs = self.with(|state| {
            state.script_limits.push(limit);
            state
                .hangs_at
                .is_some_and(|part| script.text().contains(part))
        });
        if hangs {
            tokio::time::sleep(limit).await;
            return Err(DeviceError::Timeout {
                what: script.label().to_owned(),
                limit,
            });
        }
        Ok(self.with(|state| {
            state.scripts.push(script.text().to_owned());
            let mut output = match &mut state.on_shell {
                Some(react) => react(script.text()),
                None => ShellOutput {
                    exit_code: Some(0),
                    ..ShellOutput::default()
                },
            };
            if output.stdout.is_empty() {
                output.stdout = answer_always(script.text(), state.keyboard).into();
            }
            output
        }))
    }

    /// Returns the next of the test's streams, which ends after its lines, or stays open; fails with
    /// [`DeviceError::Unsupported`] if there is none.
    async fn lines(&self, _: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
        let stays_open = self.with(|state| state.streams_stay_open);
        match self.with(|state| state.streams.pop_front()) {
            Some(lines) => Ok(Box::new(FakeStream {
                lines: lines.into(),
                stays_open,
            })),
            None => Err(DeviceError::Unsupported {
                what: "stream".to_owned(),
                missing: "it is a fake".to_owned(),
            }),
        }
    }

    /// Shows the next dump, or the last one again; an empty one is a single frame. It moves the clock, records
    /// the limit and has `com.example` in front. An error among the dumps is returned once.
    async fn look(&self, options: LookOptions) -> Result<Screen, DeviceError> {
        self.counters.round_trip();
        self.counters.dump();
        self.clock.advance(LOOK);
        let (dump, keyboard_shown) = self.with(|state| {
            state.look_limits.push(options.limit);
            if let Some(next) = state.looks.pop_front() {
                state.current = next?;
            }
            Ok::<_, DeviceError>((state.current.clone(), state.keyboard))
        })?;
        let surroundings = DisplayContext {
            display: self.info.display.value().copied(),
            keyboard_shown,
            front: Front::Focused("com.example".to_owned()),
            ..DisplayContext::default()
        };
        // A window is needed, as there is no screen without a node.
        let nothing = || node("FrameLayout", "", [0, 0, 1080, 2400], "");
        let dump = if dump.is_empty() { nothing() } else { dump };
        let dump = if dump.starts_with("<displays") {
            dump
        } else {
            format!(r#"<?xml version="1.0"?><hierarchy rotation="0">{dump}</hierarchy>"#)
        };
        Ok(Screen::parse(dump.as_bytes(), &surroundings)?)
    }

    /// Returns the test's screenshot, else a white one of 108×240.
    async fn picture(&self, _: PictureOptions) -> Result<Picture, DeviceError> {
        self.counters.mark_read_only();
        self.counters.round_trip();
        if let Some(screenshot) = self.with(|state| state.screenshot.clone()) {
            return Ok(Picture::from_png(screenshot));
        }
        let pixels = image::RgbaImage::from_pixel(108, 240, image::Rgba([255, 255, 255, 255]));
        let mut png = Vec::new();
        pixels
            .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
            .map_err(|error| DeviceError::NoPicture(error.to_string()))?;
        Ok(Picture::from_png(png))
    }

    /// Records the inputs. A screen that the test's reaction returns replaces the present one and all that were
    /// to come.
    async fn input(&self, inputs: &[Input], _: Duration) -> Result<(), DeviceError> {
        self.counters.round_trip();
        self.with(|state| {
            state.inputs.push(inputs.to_vec());
            for input in inputs {
                if let Some(screen) = state.on_input.as_mut().and_then(|react| react(input)) {
                    state.looks.clear();
                    state.current = screen;
                }
            }
        });
        Ok(())
    }

    /// Drops the data. Fails if `refuses_files` is set.
    async fn push(&self, _: &[u8], _: &str, _: u32) -> Result<(), DeviceError> {
        self.counters.round_trip();
        if self.with(|state| state.refuses_files) {
            return Err(DeviceError::Protocol("no file".to_owned()));
        }
        Ok(())
    }

    /// Returns an empty file, whatever the path.
    async fn pull(&self, _: &str, _: u64) -> Result<Vec<u8>, DeviceError> {
        self.counters.round_trip();
        Ok(Vec::new())
    }
}
