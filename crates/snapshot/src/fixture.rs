//! Small screens for this crate's tests.

use std::fmt::Write as _;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use image::{Rgba, RgbaImage};

use super::picture::{Compression, encode};
use super::{GoldenKey, Redactions, RenderClass, SnapshotName, StepOptions, Store, Subject};
use runner_device::{DeviceInfo, Picture, Reading, VirtualMark};
use runner_screen::{Display, DisplayContext, Rect, Screen};

pub const WIDTH: u32 = 100;
pub const HEIGHT: u32 = 200;

/// Element: class, id, text, bounds.
pub type Element<'a> = (&'a str, &'a str, &'a str, [i32; 4]);

pub const FORM: [Element<'_>; 3] = [
    ("TextView", "title", "Shop", [0, 20, 100, 40]),
    ("TextView", "clock", "9:41", [60, 40, 100, 60]),
    ("Button", "pay", "Pay", [10, 100, 90, 140]),
];

/// Returns a screen of [`WIDTH`] by [`HEIGHT`] in portrait with one window of the app `com.example`, in which these
/// elements lie beside each other, in order. Each is enabled and not clickable. Texts are put into the dump without
/// escapes. Panics if the dump cannot be parsed.
pub fn screen(elements: &[Element<'_>]) -> Arc<Screen> {
    let mut dump = String::from(
        "<?xml version='1.0'?><hierarchy rotation=\"0\"><node index=\"0\" text=\"\" resource-id=\"\" \
         class=\"android.widget.FrameLayout\" package=\"com.example\" content-desc=\"\" bounds=\"[0,0][100,200]\">",
    );
    for (at, (class, id, text, [l, t, r, b])) in elements.iter().enumerate() {
        let _ = write!(
            dump,
            "<node index=\"{at}\" text=\"{text}\" resource-id=\"com.example:id/{id}\" class=\"android.widget.{class}\" \
             package=\"com.example\" content-desc=\"\" enabled=\"true\" bounds=\"[{l},{t}][{r},{b}]\" />"
        );
    }
    dump.push_str("</node></hierarchy>");
    let surroundings = DisplayContext {
        display: Some(Display {
            width: WIDTH,
            height: HEIGHT,
            density: 160,
            rotation: 0,
        }),
        ..DisplayContext::default()
    };
    Arc::new(Screen::parse(dump.as_bytes(), &surroundings).unwrap())
}

/// Returns a white picture of [`WIDTH`] by [`HEIGHT`] with a black block at each of these bounds: left, top, right,
/// bottom. Panics at bounds outside of the picture.
pub fn picture(blocks: &[[i32; 4]]) -> Picture {
    let mut image = RgbaImage::from_pixel(WIDTH, HEIGHT, Rgba([255; 4]));
    for [l, t, r, b] in blocks {
        for y in *t..*b {
            for x in *l..*r {
                image.put_pixel(x as u32, y as u32, Rgba([0, 0, 0, 255]));
            }
        }
    }
    Picture::from_png(encode(&image, Compression::Fast).unwrap())
}

/// Parses the options of a step. Panics if they are wrong.
pub fn options(yaml: &str) -> StepOptions {
    serde_yaml::from_str(yaml).unwrap()
}

/// Returns the description of a virtual device with Android 14, 1080 by 2400 pixels and the English locale.
/// Its size is not that of the fixture's pictures.
pub fn info() -> DeviceInfo {
    DeviceInfo {
        serial: "virtual".into(),
        model: Reading::Said("Pixel 7 (Pro)".into()),
        manufacturer: "Google".into(),
        release: Reading::Said("14".into()),
        sdk: Reading::Said(34),
        display: Reading::Said(Display {
            width: 1080,
            height: 2400,
            density: 420,
            rotation: 0,
        }),
        locale: Reading::Said("en".into()),
        dark: Reading::Said(false),
        font_scale_percent: Reading::Said(100),
        emulator: false,
        virtual_device: VirtualMark::new(true),
        features: runner_device::Features::default(),
        driver: None,
    }
}

pub fn class(name: &str) -> RenderClass {
    RenderClass::try_from(name.to_owned()).unwrap()
}

/// Returns a subject named `home` of class `lab` with these elements as its screen, of the app `com.example`, with a
/// status bar of 10 pixels and default options. The picture has one black block, where [`FORM`] has its button,
/// whatever the elements are.
pub fn subject(elements: &[Element<'_>]) -> Subject {
    Subject {
        screen: screen(elements),
        picture: Some(picture(&[[10, 100, 90, 140]])),
        app: Some("com.example".to_owned()),
        app_version: None,
        class: class("lab"),
        bars: vec![Rect::new(0, 0, 100, 10)],
        options: StepOptions::named(SnapshotName::new("home").unwrap()),
        redactions: Redactions::default(),
    }
}

/// Returns the key `shop/login/NAME~lab`, without variant. Panics if the name is refused.
pub fn key(name: &str) -> GoldenKey {
    let name = SnapshotName::new(name).unwrap();
    GoldenKey::new(
        Utf8Path::new("shop/login"),
        &name,
        None,
        Some(&class("lab")),
    )
    .unwrap()
}

/// Creates a store `snapshots` in a folder of its own, which is removed with the guard. The last value is the root of
/// the store. Neither the folder `snapshots` nor a golden exists yet.
pub fn store() -> (tempfile::TempDir, Store, Utf8PathBuf) {
    // The tests create thousands of small files, so they use a folder in memory where there is one.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = folder.unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    let store = Store::new(&root, Utf8Path::new("snapshots"));
    (folder, store, root)
}
