//! Compares pictures of pages by `tests/browser/look.mjs` with the goldens in `tests/looks`, as a phone's are
//! compared.
//!
//! A golden is `PAGE/STATE-WIDTH`; its render class is the browser's version and the scheme. Another version
//! of the browser has no pictures yet: then only rows are compared, and the test says so.

use std::collections::HashMap;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use image::{Rgba, RgbaImage};
use runner::device::Picture;
use runner::screen::{Display, DisplayContext, Screen, Selector};
use runner::snapshot::{
    GoldenKey, Image, Mask, Options, Redactions, RenderClass, SnapshotName, StepOptions, Store,
    Subject, Tolerance, UpdateMode, check,
};

use super::needs;

/// Advice for a changed look.
const DECIDE: &str = "look at it with `cd tests/looks && runner review`, or accept all with `runner accept --all` there";

/// Compares the pictures that a script took. Differences become pending in `tests/looks`, but not in CI;
/// their pictures are copied to `target/browser`.
#[track_caller]
pub fn compare(taken: &Path) {
    let Ok(browser) = std::fs::read_to_string(taken.join("browser")) else {
        return;
    };
    let version = browser.split('.').next().expect("a version");
    let root = Utf8PathBuf::from_path_buf(needs::root().join("tests/looks")).expect("a path");
    let store = Store::new(&root, Utf8Path::new("snapshots"));
    let mut names: Vec<String> = taken.read_dir().expect("a folder").map(name).collect();
    names.retain(|name| name.ends_with(".png"));
    names.sort();
    let mut differences = Vec::new();
    for name in names {
        let picture = taken.join(&name);
        let lines = Look::from_file_name(&name, version).differences(&store, &picture);
        if !lines.is_empty() {
            let kept = needs::root().join("target/browser").join(&name);
            std::fs::copy(&picture, kept).expect("a copy");
        }
        differences.extend(lines);
    }
    assert!(
        differences.is_empty(),
        "pages do not look as their goldens; {DECIDE}:\n{}",
        differences.join("\n")
    );
}

fn name(entry: std::io::Result<std::fs::DirEntry>) -> String {
    let entry = entry.expect("an entry");
    entry.file_name().into_string().expect("a name in Unicode")
}

/// A picture of a page.
struct Look {
    key: GoldenKey,
    name: SnapshotName,
    class: RenderClass,
}

impl Look {
    /// Parses a file name such as `studio-pause-1440~light.png`.
    fn from_file_name(file: &str, version: &str) -> Self {
        let parts = file
            .strip_suffix(".png")
            .and_then(|stem| stem.split_once('~'));
        let (state, scheme) = parts.expect("a scheme");
        let (page, state) = state.split_once('-').expect("a page");
        let name = SnapshotName::new(state).expect("a name");
        let class = format!("chromium{version}-{scheme}");
        let class = RenderClass::try_from(class).expect("a class");
        let key = GoldenKey::new(Utf8Path::new(page), &name, None, Some(&class));
        Self {
            key: key.expect("a key"),
            name,
            class,
        }
    }

    fn subject(self, picture: &Path) -> Subject {
        let mut pixels = image::open(picture).expect("a picture").into_rgba8();
        simplify(&mut pixels);
        let (width, height) = pixels.dimensions();
        let dump = std::fs::read(picture.with_extension("xml")).expect("its rows");
        let picture = Picture::from_pixels(pixels).expect("pixels");
        let display = Display {
            width,
            height,
            density: 160,
            rotation: 0,
        };
        let context = DisplayContext {
            display: Some(display),
            ..DisplayContext::default()
        };
        let varies = serde_json::json!({ "id": "varies" });
        let varies = Selector::from_value(&varies).expect("a selector");
        Subject {
            screen: Screen::parse(&dump, &context).expect("a screen").into(),
            picture: Some(picture),
            app: None,
            app_version: None,
            class: self.class,
            bars: Vec::new(),
            options: StepOptions {
                image: Image::Raw,
                mask: vec![Mask::Elements(Box::new(varies))],
                // Chromium paints a corner of a rounded edge now so, now so.
                tolerance: Some(Tolerance {
                    cluster: 4,
                    specks: 16,
                }),
                ..StepOptions::named(self.name)
            },
            redactions: Redactions::default(),
        }
    }

    /// Returns a line for each difference from the golden.
    fn differences(self, store: &Store, picture: &Path) -> Vec<String> {
        let golden = store.load(&self.key).expect("a golden that reads");
        let subject = self.subject(picture);
        let check = check(&subject, &golden, &Options::default()).expect("a comparison");
        if check.no_picture.is_some() {
            needs::untested(&format!("a picture of {} in tests/looks", subject.class));
        }
        let mode = if needs::is_ci() {
            UpdateMode::None
        } else {
            UpdateMode::Pending
        };
        store
            .apply(mode, &golden, &check)
            .expect("the store writes");
        let lines = check.changes.iter();
        lines
            .map(|line| format!("{}: {line}", golden.key))
            .collect()
    }
}

/// Reduces the colours of letters' edges to 232; areas keep theirs. It looks the same, and takes a quarter of
/// the bytes.
fn simplify(picture: &mut RgbaImage) {
    let mut counts: HashMap<Rgba<u8>, u32> = HashMap::new();
    for pixel in picture.pixels() {
        *counts.entry(*pixel).or_default() += 1;
    }
    let area = picture.width() * picture.height() / 100;
    for pixel in picture.pixels_mut() {
        if counts[pixel] < area {
            pixel.0 = plain(pixel.0);
        }
    }
}

/// Returns the nearest of 16 greys, or of 216 colours. Chromium paints shadows, which are grey, now a shade
/// darker, now lighter; the next grey is too near to count as a change.
fn plain([red, green, blue, alpha]: [u8; 4]) -> [u8; 4] {
    let round = |value: u8, step: u8| value.saturating_add(step / 2) / step * step;
    let [least, _, most] = {
        let mut sorted = [red, green, blue];
        sorted.sort_unstable();
        sorted
    };
    if most - least < 32 {
        let grey = round(green, 17);
        return [grey, grey, grey, alpha];
    }
    [round(red, 51), round(green, 51), round(blue, 51), alpha]
}
