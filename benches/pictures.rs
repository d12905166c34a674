//! Rust parts of `just bench-pictures`: makes the pictures, answers as the other tools do, and checks a
//! thousand goldens.
//!
//! - `make FOLDER`: the pairs to time and the cases to judge, as PNGs.
//! - `serve runner|image-compare`: compares two files a line, in the protocol of `odiff --server`.
//! - `many FOLDER`: checks 1,000 unchanged goldens of a store in FOLDER on two threads.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

#[path = "peers/pictures_cases.rs"]
mod cases;

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use camino::Utf8Path;
use runner::device::Picture;
use runner::screen::{Display, DisplayContext, Screen};
use runner::snapshot::picture::{Compression, PixelMask, compare, encode};
use runner::snapshot::{
    GoldenKey, Options, Redactions, RenderClass, SnapshotName, StepOptions, Store, Subject,
    UpdateMode, check,
};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Bytes of a piece when two files are compared. Chosen: two pieces stay in the processor's cache.
const PIECE_BYTES: usize = 64 * 1024;

/// Goldens that `many` checks. Chosen: the size of a large project.
const GOLDENS: usize = 1000;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["make", folder] => make(Path::new(folder)),
        ["serve", "runner"] => serve(by_runner),
        ["serve", "image-compare"] => serve(by_image_compare),
        ["many", folder] => many(Utf8Path::new(folder)),
        _ => {
            println!(
                "make FOLDER, serve runner|image-compare, or many FOLDER; `just bench-pictures` does all"
            );
            Ok(())
        }
    }
}

/// Writes `list.json` and the PNGs that it names.
fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut made = 0;
    let mut write = |golden: &[u8], actual: &[u8]| -> Result<[String; 2]> {
        made += 1;
        let names = [format!("{made}-golden.png"), format!("{made}-actual.png")];
        std::fs::write(folder.join(&names[0]), golden)?;
        std::fs::write(folder.join(&names[1]), actual)?;
        Ok(names)
    };
    let mut list = Vec::new();
    for photographic in [false, true] {
        for pair in cases::pairs(photographic) {
            let golden = encode(&pair.golden, Compression::Small)?;
            let actual = if pair.name == "equal bytes" {
                golden.clone()
            } else if pair.name == "equal pixels, other bytes" {
                encode(&pair.actual, Compression::Fast)?
            } else {
                encode(&pair.actual, Compression::Small)?
            };
            let files = write(&golden, &actual)?;
            let kind = if photographic { "photographic" } else { "flat" };
            list.push(json!({ "kind": kind, "name": pair.name, "files": files }));
        }
    }
    for case in cases::cases() {
        let golden = encode(&case.golden, Compression::Small)?;
        let files = write(&golden, &encode(&case.actual, Compression::Fast)?)?;
        list.push(
            json!({ "kind": "case", "name": case.name, "files": files, "differs": case.differs }),
        );
    }
    std::fs::write(folder.join("list.json"), serde_json::to_vec(&list)?)?;
    Ok(())
}

/// Answers every line as `odiff --server` does. The first answer, `{"ready":true}`, is the same too.
fn serve(differs: fn(&str, &str) -> Result<bool>) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", json!({ "ready": true }))?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let file = |which: &str| request[which].as_str().unwrap_or_default();
        let differs = differs(file("base"), file("compare"))?;
        writeln!(
            out,
            "{}",
            json!({ "requestId": request["requestId"], "match": !differs })
        )?;
        out.flush()?;
    }
    Ok(())
}

/// Compares as a check does: equal files are not decoded. A check has the device's picture in memory and
/// reads only the golden; here both are files.
fn by_runner(golden: &str, actual: &str) -> Result<bool> {
    if have_equal_bytes(golden, actual)? {
        return Ok(false);
    }
    let (golden, actual) = (std::fs::read(golden)?, std::fs::read(actual)?);
    let (golden, actual) = (Picture::from_png(golden), Picture::from_png(actual));
    let [golden, actual] = Picture::pixels_of_both(&golden, &actual);
    let (golden, actual) = (golden?, actual?);
    let mask = PixelMask::new(golden.width(), golden.height(), &[]);
    Ok(compare(&golden, &actual, &mask).changed > 0)
}

fn have_equal_bytes(one: &str, other: &str) -> Result<bool> {
    let [mut one, mut other] = [File::open(one)?, File::open(other)?];
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let [mut here, mut there] = [vec![0; PIECE_BYTES], vec![0; PIECE_BYTES]];
    loop {
        let read = one.read(&mut here)?;
        if read == 0 {
            return Ok(true);
        }
        other.read_exact(&mut there[..read])?;
        if here[..read] != there[..read] {
            return Ok(false);
        }
    }
}

/// Compares as the beginning of image-compare's documentation does. Any score below 1 is a difference.
fn by_image_compare(golden: &str, actual: &str) -> Result<bool> {
    let rgb = |file| image::open(file).map(image::DynamicImage::into_rgb8);
    let found = image_compare::rgb_hybrid_compare(&rgb(golden)?, &rgb(actual)?)?;
    Ok(found.score < 1.0)
}

fn many(folder: &Utf8Path) -> Result<()> {
    let class = RenderClass::try_from("lab".to_owned())?;
    let store = Store::new(folder, Utf8Path::new("snapshots"));
    let pixels = cases::pairs(false).swap_remove(0).golden;
    let screen = rows()?;
    let subject = |number: usize, picture: Picture| -> Result<(Subject, GoldenKey)> {
        let name = SnapshotName::new(&format!("golden-{number}"))?;
        let key = GoldenKey::new(Utf8Path::new("many"), &name, None, Some(&class))?;
        let subject = Subject {
            screen: Arc::clone(&screen),
            picture: Some(picture),
            app: None,
            app_version: None,
            class: class.clone(),
            bars: Vec::new(),
            options: StepOptions::named(name),
            redactions: Redactions::default(),
        };
        Ok((subject, key))
    };
    let raw = Picture::from_pixels(pixels.clone())?;
    for number in 0..GOLDENS {
        let (subject, key) = subject(number, raw.clone())?;
        let golden = store.load(&key)?;
        if golden.picture.is_none() {
            let checked = check(&subject, &golden, &Options::default())?;
            store.apply(UpdateMode::All, &golden, &checked)?;
        }
    }
    let (_, key) = subject(0, raw.clone())?;
    let stored = store.load(&key)?.picture.ok_or("no golden was written")?;
    let other = encode(&pixels, Compression::Fast)?;
    let seen: [(&str, &(dyn Fn() -> Result<Picture> + Sync)); 3] = [
        ("equal bytes", &|| Ok(Picture::from_png(stored.png()))),
        ("raw pixels", &|| Ok(raw.clone())),
        ("other bytes", &|| Ok(Picture::from_png(other.clone()))),
    ];
    for (what, picture) in seen {
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let work = || -> Result<usize> {
            let mut passed = 0;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= GOLDENS {
                    return Ok(passed);
                }
                let (subject, key) = subject(number, picture()?)?;
                let checked = check(&subject, &store.load(&key)?, &Options::default())?;
                passed += usize::from(checked.passed());
            }
        };
        let passed = std::thread::scope(|scope| {
            let other = scope.spawn(work);
            let here = work();
            let there = other
                .join()
                .unwrap_or_else(|_| Err("a thread panicked".into()));
            Ok::<usize, Box<dyn Error + Send + Sync>>(here? + there?)
        })?;
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{}",
            json!({ "what": what, "seconds": seconds, "passed": passed, "of": GOLDENS })
        );
    }
    Ok(())
}

/// Returns a screen of forty rows.
fn rows() -> Result<Arc<Screen>> {
    let mut dump = String::from("<hierarchy rotation=\"0\">");
    for row in 0..40 {
        let (top, bottom) = (row * 60, row * 60 + 50);
        dump.push_str(&format!(
            "<node text=\"Row {row}\" resource-id=\"app:id/row_{row}\" class=\"android.widget.TextView\" \
             package=\"app\" enabled=\"true\" bounds=\"[0,{top}][1080,{bottom}]\" />"
        ));
    }
    dump.push_str("</hierarchy>");
    let display = Display {
        width: cases::SCREEN.0,
        height: cases::SCREEN.1,
        density: 420,
        rotation: 0,
    };
    let surroundings = DisplayContext {
        display: Some(display),
        ..DisplayContext::default()
    };
    Ok(Arc::new(Screen::parse(dump.as_bytes(), &surroundings)?))
}
