//! Screens of `ApiDemos` as Android's own framework reports them; see `framework/README.md` of this crate.

use std::io::Read as _;

use super::files::root;

/// Screen of the framework.
#[derive(Debug, Clone)]
pub struct FrameworkScreen {
    /// Activity without the app's package, such as `view.Spinner1`.
    pub activity: String,
    /// Output of `uiautomator dump`.
    pub dump: String,
}

/// Reads all screens of the framework that have an element, sorted by activity. They are part of the project.
///
/// # Panics
/// Panics if the file is missing or damaged.
pub fn framework_screens() -> Vec<FrameworkScreen> {
    let path = root().join("crates/testing/framework/screens.tsv.gz");
    let packed = std::fs::File::open(path).expect("the screens are part of the project");
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .expect("the screens can be unpacked");
    let screens = text.lines().map(|line| {
        let (activity, dump) = line.split_once('\t').expect("an activity and its dump");
        FrameworkScreen {
            activity: activity.to_owned(),
            dump: dump.to_owned(),
        }
    });
    screens
        .filter(|screen| screen.dump.contains("<node"))
        .collect()
}
