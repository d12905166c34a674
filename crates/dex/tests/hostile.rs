//! Tests with damaged and hostile files: each gives an error or classes, without a panic and in limited time.

#![allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]

use std::io::Write as _;
use std::time::{Duration, Instant};

use runner_dex::{DexError, Hierarchy, Options, Translation, translate_bytes};
use zip::write::SimpleFileOptions;

const TORTURE: &[u8] = include_bytes!("fixtures/torture.dex");
/// Chosen: far more than any of these takes, also on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

fn translated(bytes: Vec<u8>) -> Result<Translation, DexError> {
    let start = Instant::now();
    let options = Options { threads: Some(1) };
    let translation = translate_bytes("test.apk", bytes, &Hierarchy::new(), &options);
    assert!(start.elapsed() < LIMIT);
    translation
}

#[test]
fn changed_bytes_are_an_error_or_classes() {
    let rounds = runner_testing::long(300, 20_000);
    let mut random = fastrand::Rng::with_seed(41);
    let (mut refused, mut some, mut all) = (0, 0, 0);
    for _ in 0..rounds {
        let mut bytes = TORTURE.to_vec();
        for _ in 0..random.usize(1..24) {
            let place = random.usize(0..bytes.len());
            bytes[place] = match random.u8(0..4) {
                0 => 0,
                1 => 0xff,
                2 => bytes[place].wrapping_add(1),
                _ => random.u8(..),
            };
        }
        if random.u8(0..8) == 0 {
            bytes.truncate(random.usize(0..bytes.len()));
        }
        match translated(bytes) {
            Err(_) => refused += 1,
            Ok(translation) if translation.report.failed_methods.is_empty() => all += 1,
            Ok(_) => some += 1,
        }
    }
    // All three ways were taken: else the changes are of no use.
    assert!(refused > 0 && some > 0 && all > 0, "{refused} {some} {all}");
}

#[test]
fn each_word_of_the_header_may_be_anything() {
    for place in (8..0x70).step_by(4) {
        for value in [0, 1, 0x70, 0x7fff_ffff, u32::MAX, TORTURE.len() as u32] {
            let mut bytes = TORTURE.to_vec();
            bytes[place..place + 4].copy_from_slice(&value.to_le_bytes());
            let _ = translated(bytes);
        }
    }
}

#[test]
fn what_is_no_apk_is_told() {
    let told = |bytes: &[u8]| translated(bytes.to_vec()).unwrap_err().to_string();
    assert!(told(b"").contains("neither an APK nor a dex file"));
    assert!(told(b"hello").contains("neither an APK nor a dex file"));
    assert!(told(b"dex\n").contains("no header"));
    assert!(told(b"PK\x03\x04").contains("damaged archive"));
    let mut newer = TORTURE.to_vec();
    newer[4..7].copy_from_slice(b"099");
    assert!(told(&newer).contains("versions 035 to 041"));
}

fn archive(entries: &[(String, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        archive
            .start_file(name, SimpleFileOptions::default())
            .expect("an entry");
        archive.write_all(bytes).expect("bytes");
    }
    archive.finish().expect("an archive").into_inner()
}

#[test]
fn an_archive_without_code_is_told() {
    let apk = archive(&[("AndroidManifest.xml".to_owned(), b"")]);
    assert!(matches!(translated(apk), Err(DexError::NoDex(_))));
}

#[test]
fn the_first_definition_of_a_class_counts() {
    let once = archive(&[("classes.dex".to_owned(), TORTURE)]);
    let twice = [
        ("classes.dex".to_owned(), TORTURE),
        ("classes2.dex".to_owned(), TORTURE),
    ];
    let once = translated(once).unwrap();
    let twice = translated(archive(&twice)).unwrap();
    assert_eq!(once.report.classes, twice.report.classes);
}

#[test]
fn too_many_dex_files_are_refused() {
    let names = (1..=101).map(|number| match number {
        1 => ("classes.dex".to_owned(), TORTURE),
        _ => (format!("classes{number}.dex"), TORTURE),
    });
    let apk = archive(&names.collect::<Vec<_>>());
    assert!(matches!(translated(apk), Err(DexError::TooLarge { .. })));
}

#[test]
fn a_bomb_is_refused() {
    let zeros = vec![0; 129 << 20];
    let apk = archive(&[("classes.dex".to_owned(), &zeros)]);
    assert!(apk.len() < 1 << 20);
    assert!(matches!(translated(apk), Err(DexError::TooLarge { .. })));
}
