//! Measures a look at the screen on the host: reading a dump, printing it, finding in it, drawing on its
//! picture.
//!
//! A generated screen of 300 nodes is always measured, recordings only where they are at hand.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use image::RgbaImage;
use runner::screen::{DisplayContext, Fingerprint, Profile, Screen, Selector, annotate};

fn main() {
    divan::main();
}

/// Returns the dump of a list of rows, each a layout with a label and a switch.
fn made_screen(nodes: usize) -> String {
    let attributes = |class: &str, text: &str, id: &str, bounds: &str| {
        format!(
            r#"index="0" text="{text}" resource-id="com.example.notes:id/{id}" class="android.widget.{class}" package="com.example.notes" content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="{bounds}""#
        )
    };
    let rows: Vec<_> = (0..nodes / 3)
        .map(|row| {
            let (top, bottom) = (row * 20, row * 20 + 20);
            let layout = attributes(
                "LinearLayout",
                "",
                "row",
                &format!("[0,{top}][1080,{bottom}]"),
            );
            let label = attributes(
                "TextView",
                &format!("Row {row}"),
                "label",
                &format!("[0,{top}][800,{bottom}]"),
            );
            let switch = attributes(
                "Switch",
                "",
                "switch",
                &format!("[900,{top}][1080,{bottom}]"),
            );
            format!("<node {layout}><node {label} /><node {switch} /></node>")
        })
        .collect();
    let rows = rows.concat();
    format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">{rows}</hierarchy>"
    )
}

fn recordings() -> Vec<Vec<u8>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus/screens");
    walkdir::WalkDir::new(root)
        .into_iter()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "xml"))
        .filter_map(|entry| fs_err::read(entry.path()).ok())
        .collect()
}

fn read(dump: &[u8]) -> Option<Screen> {
    Screen::parse(dump, &DisplayContext::default()).ok()
}

#[divan::bench]
fn recordings_to_tsv(bencher: Bencher) {
    let dumps = recordings();
    let bytes: usize = dumps.iter().map(Vec::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        for dump in &dumps {
            black_box(read(dump).map(|screen| screen.tsv(Profile::Reference)));
        }
    });
}

#[divan::bench(args = [300, 5_000])]
fn parse(bencher: Bencher, nodes: usize) {
    let dump = made_screen(nodes);
    bencher
        .counter(BytesCount::new(dump.len()))
        .bench(|| read(black_box(dump.as_bytes())));
}

#[divan::bench(args = [300, 5_000])]
fn tsv(bencher: Bencher, nodes: usize) {
    let screen = read(made_screen(nodes).as_bytes());
    bencher.bench(|| screen.as_ref().map(|screen| screen.tsv(Profile::Reference)));
}

#[divan::bench]
fn fingerprint(bencher: Bencher) {
    let screen = read(made_screen(300).as_bytes());
    bencher.bench(|| screen.as_ref().map(Fingerprint::from_screen));
}

#[divan::bench]
fn find_beside(bencher: Bencher) {
    let screen = read(made_screen(300).as_bytes());
    let selector = serde_json::from_value::<Selector>(
        serde_json::json!({ "id": "switch", "right_of": "Row 50" }),
    );
    let (Some(screen), Ok(selector)) = (screen, selector) else {
        return;
    };
    bencher.bench(|| selector.find(black_box(&screen)));
}

#[divan::bench]
fn annotate_to_jpeg(bencher: Bencher) {
    let picture = RgbaImage::from_pixel(1080, 2400, image::Rgba([128, 128, 128, 255]));
    let screen = read(made_screen(300).as_bytes());
    bencher.bench(|| {
        let screen = screen.as_ref();
        screen.map(|screen| annotate::to_jpeg(&annotate::annotate(&picture, screen)))
    });
}
