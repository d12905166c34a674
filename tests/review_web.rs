//! `runner review --web`, driven in a real browser and over plain HTTP.

mod common;

use std::path::Path;

use common::browser;

#[test]
fn the_viewer_compares_pictures_from_disk() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/compare.html");
    browser::run("compare.mjs", &[&browser::file_url(&page)]);
}
