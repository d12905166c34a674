//! Tests with synthetic APKs, whose names, sizes and lists no build produces.

use std::io::Write as _;

use proptest::prelude::*;
use zip::write::SimpleFileOptions;

use super::*;

/// Builds a binary manifest of `org.example.app`, optionally with a split's name.
fn manifest(split: Option<&str>) -> Vec<u8> {
    let chunk = |kind: u16, header: &[u8], body: &[u8]| {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend((8 + header.len() as u16).to_le_bytes());
        bytes.extend((8 + header.len() as u32 + body.len() as u32).to_le_bytes());
        bytes.extend([header, body].concat());
        bytes
    };
    let numbers = |numbers: &[u32]| -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    };
    let strings = [
        "manifest",
        "package",
        "org.example.app",
        "split",
        split.unwrap_or(""),
    ];
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for text in strings {
        offsets.push(data.len() as u32);
        data.extend([text.len() as u8, text.len() as u8]);
        data.extend([text.as_bytes(), b"\0"].concat());
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let header = numbers(&[5, 0, 0x100, 28 + 20, 0]);
    let pool = chunk(1, &header, &[numbers(&offsets), data].concat());
    let none = u32::MAX;
    let attribute = |name: u32, value: u32| {
        let mut bytes = numbers(&[none, name, none]);
        bytes.extend([8, 0, 0, 3]);
        bytes.extend(value.to_le_bytes());
        bytes
    };
    let mut attributes = attribute(1, 2);
    if split.is_some() {
        attributes.extend(attribute(3, 4));
    }
    let mut begin = numbers(&[none, 0]);
    for number in [20, 20, attributes.len() as u16 / 20, 0, 0, 0] {
        begin.extend(number.to_le_bytes());
    }
    begin.extend(attributes);
    let line = numbers(&[1, none]);
    let body = [
        pool,
        chunk(0x0102, &line, &begin),
        chunk(0x0103, &line, &numbers(&[none, 0])),
    ];
    chunk(3, &[], &body.concat())
}

type Files<'a> = Vec<(&'a str, Vec<u8>)>;

fn zip_of(files: &Files<'_>) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn app<'a>(more: &[&'a str]) -> Files<'a> {
    let mut files = vec![
        ("AndroidManifest.xml", manifest(None)),
        ("classes.dex", b"dex\n035\0".to_vec()),
    ];
    files.extend(more.iter().map(|name| (*name, b"x".to_vec())));
    files
}

fn read(bytes: &[u8]) -> Result<Apk, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap().join("a.apk");
    fs_err::write(&path, bytes).unwrap();
    let read = Apk::read(&path);
    read.map_err(|problem| problem.to_string().replace(path.as_str(), "a.apk"))
}

#[test]
fn an_apk_is_known_by_its_bytes_and_by_its_code() {
    let one = read(&zip_of(&app(&["res/a.png"]))).unwrap();
    let other = read(&zip_of(&app(&["res/b.png"]))).unwrap();
    assert_eq!(one.manifest.package, "org.example.app");
    assert!(one.digest != other.digest && one.code == other.code);
    // A second dex file, and only where Android would load it.
    let more = read(&zip_of(&app(&["classes2.dex"]))).unwrap();
    assert_ne!(more.code, one.code);
    for name in [
        "classes1.dex",
        "classes02.dex",
        "classes-2.dex",
        "assets/classes2.dex",
        "classes99999999999.dex",
    ] {
        assert_eq!(
            read(&zip_of(&app(&[name]))).unwrap().code,
            one.code,
            "{name}"
        );
    }
}

#[test]
fn frameworks_are_known_by_their_libraries_and_odd_names_count_for_nothing() {
    for (library, expected) in [
        ("lib/arm64-v8a/libflutter.so", Some("Flutter")),
        ("lib/x86/libunity.so", Some("Unity")),
        ("lib/x86_64/libreactnativejni.so", Some("React Native")),
        ("lib/arm64-v8a/libsqlcipher.so", None),
        ("assets/libflutter.so", None),
        ("lib/arm64-v8a/../../libflutter.so", None),
        ("../lib/x86/libunity.so", None),
    ] {
        let apk = read(&zip_of(&app(&[library]))).unwrap();
        assert_eq!(apk.native_framework(), expected, "{library}");
    }
}

#[test]
fn bundles_splits_and_what_is_no_apk_end_in_one_sentence() {
    let bundle = vec![
        ("BundleConfig.pb", vec![]),
        ("base/manifest/AndroidManifest.xml", vec![]),
    ];
    let archive = vec![("toc.pb", vec![]), ("splits/base-master.apk", vec![])];
    let split = vec![("AndroidManifest.xml", manifest(Some("config.xxhdpi")))];
    let no_code = vec![("AndroidManifest.xml", manifest(None))];
    let no_manifest = vec![("classes.dex", vec![])];
    for (bytes, expected) in [
        (zip_of(&bundle), "a.apk is an app bundle"),
        (zip_of(&archive), "a.apk holds the parts of a split app"),
        (
            zip_of(&split),
            "a.apk is the split \"config.xxhdpi\" of a split app",
        ),
        (zip_of(&no_code), "a.apk has no code"),
        (zip_of(&no_manifest), "a.apk is no APK"),
        (b"PK\x03\x04".to_vec(), "a.apk is no APK"),
        (Vec::new(), "a.apk is no APK"),
    ] {
        let problem = read(&bytes).unwrap_err();
        assert!(
            problem.starts_with(expected) && !problem.contains('\n'),
            "{problem}"
        );
    }
    let missing = Apk::read(Utf8Path::new("/nowhere/a.apk")).unwrap_err();
    assert!(matches!(missing, ApkProblem::File { .. }), "{missing}");
}

#[test]
fn a_claim_of_more_code_than_any_app_has_is_refused_before_it_is_unpacked() {
    let mut bytes = zip_of(&app(&["res/a.png"]));
    // The size of `classes.dex` in the list at the end.
    let at = bytes
        .windows(11)
        .rposition(|part| part == b"classes.dex")
        .unwrap();
    let size = at - 46 + 24;
    bytes[size..size + 4].copy_from_slice(&0xf000_0000_u32.to_le_bytes());
    let problem = read(&bytes).unwrap_err();
    assert!(problem.contains("more than is read"), "{problem}");
    let many: Vec<String> = (2..600)
        .map(|number| format!("classes{number}.dex"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let problem = read(&zip_of(&app(&many))).unwrap_err();
    assert!(problem.contains("599 dex files"), "{problem}");
}

#[cfg(unix)]
#[test]
fn a_file_of_8_gb_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap().join("a.apk");
    // Without a block on the disk.
    fs_err::File::create(&path)
        .unwrap()
        .set_len(8 << 30)
        .unwrap();
    let problem = Apk::read(&path).unwrap_err().to_string();
    assert!(problem.contains("larger than 4096 MB"), "{problem}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damage_anywhere_is_read_or_refused(at: proptest::sample::Index, value: u8, cut: proptest::sample::Index) {
        let whole = zip_of(&app(&["lib/x86/liba.so"]));
        let mut changed = whole.clone();
        let at = at.index(changed.len());
        changed[at] = value;
        let _ = read(&changed);
        prop_assert!(read(&whole[..cut.index(whole.len())]).is_err());
    }
}
