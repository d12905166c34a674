//! Translates an APK: `cargo run --release --example translate -- APK JAR JDK LIBRARY.jar…`. Used by the
//! scripts in `tests/oracle`.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::path::Path;
use std::time::Instant;

use runner_dex::{Hierarchy, Options, translate};

/// Translates an APK, writes the jar, and prints counts, times and at most 20 failures. Failed classes and methods are
/// no error of the program.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [apk, jar, jdk, libraries @ ..] = &arguments[..] else {
        return Err("translate APK JAR JDK LIBRARY.jar…".into());
    };
    let start = Instant::now();
    let mut hierarchy = Hierarchy::new();
    hierarchy.add_jdk(Path::new(jdk))?;
    for library in libraries {
        hierarchy.add_jar(Path::new(library))?;
    }
    println!("library {:?}", start.elapsed());
    let translation = translate(Path::new(apk), &hierarchy, &Options::default())?;
    let start = Instant::now();
    translation.write_jar(Path::new(jar))?;
    let report = &translation.report;
    println!(
        "{} classes, {} methods, {} failed methods, {} failed classes, {} missing classes, {} casts, {} constructors, {:?}, jar {:?}",
        report.classes,
        report.methods,
        report.failed_methods.len(),
        report.failed_classes.len(),
        report.missing_classes.len(),
        report.added_casts,
        report.added_constructors,
        report.elapsed,
        start.elapsed()
    );
    for failed in report
        .failed_classes
        .iter()
        .chain(&report.failed_methods)
        .take(20)
    {
        println!("{}: {}", failed.name, failed.reason);
    }
    Ok(())
}
