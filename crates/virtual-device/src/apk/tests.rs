//! APKs made here: a manifest written as binary XML, in a zip.

use std::io::{Cursor, Write as _};

use super::*;

/// An attribute: its name, its resource id (0 for none), its value.
type Attribute<'a> = (&'a str, u32, AttributeValue<'a>);

/// A value as it is written.
#[derive(Clone, Copy)]
pub(crate) enum AttributeValue<'a> {
    Text(&'a str),
    Int(u32),
    True,
    Reference(u32),
}

/// An element with its attributes and children.
pub(crate) struct Node<'a>(&'a str, Vec<Attribute<'a>>, Vec<Node<'a>>);

const NAME: u32 = 0x0101_0003;

/// An APK of a package, with an activity for the launcher and an instrumentation of `target`.
pub(crate) fn apk(package: &str, code: u32, name: &str, target: Option<&str>) -> Vec<u8> {
    zipped(&manifest(package, code, name, target, true))
}

/// A manifest as [`apk`] has it.
pub(crate) fn manifest(
    package: &str,
    code: u32,
    name: &str,
    target: Option<&str>,
    utf8: bool,
) -> Vec<u8> {
    let named = |name| ("name", NAME, AttributeValue::Text(name));
    let filter = vec![
        Node("action", vec![named("android.intent.action.MAIN")], vec![]),
        Node(
            "category",
            vec![named("android.intent.category.LAUNCHER")],
            vec![],
        ),
    ];
    let mut parts = vec![
        Node(
            "uses-sdk",
            vec![
                ("minSdkVersion", 0x0101_020c, AttributeValue::Int(26)),
                ("targetSdkVersion", 0x0101_0270, AttributeValue::Int(33)),
            ],
            vec![],
        ),
        Node(
            "uses-permission",
            vec![named("android.permission.CAMERA")],
            vec![],
        ),
        Node(
            "application",
            vec![
                ("label", 0x0101_0001, AttributeValue::Text("Ein Paket 漢")),
                ("debuggable", 0x0101_000f, AttributeValue::True),
                named(".App"),
                (
                    "appComponentFactory",
                    0x0101_057a,
                    AttributeValue::Text("androidx.core.app.CoreComponentFactory"),
                ),
            ],
            vec![
                Node(
                    "activity",
                    vec![
                        named(".Other"),
                        ("label", 0x0101_0001, AttributeValue::Reference(0x7f01_0001)),
                    ],
                    vec![],
                ),
                Node(
                    "activity",
                    vec![named(".Main")],
                    vec![Node("intent-filter", vec![], filter)],
                ),
                Node(
                    "service",
                    vec![
                        named("org.other.Ime"),
                        (
                            "permission",
                            0x0101_0006,
                            AttributeValue::Text("android.permission.BIND_INPUT_METHOD"),
                        ),
                    ],
                    vec![],
                ),
            ],
        ),
    ];
    if let Some(target) = target {
        parts.push(Node(
            "instrumentation",
            vec![
                named("androidx.test.runner.AndroidJUnitRunner"),
                ("targetPackage", 0x0101_0021, AttributeValue::Text(target)),
            ],
            vec![],
        ));
    }
    let root = Node(
        "manifest",
        vec![
            ("versionCode", 0x0101_021b, AttributeValue::Int(code)),
            ("versionName", 0x0101_021c, AttributeValue::Text(name)),
            ("package", 0, AttributeValue::Text(package)),
        ],
        parts,
    );
    binary(&root, utf8)
}

/// A zip with a manifest.
pub(crate) fn zipped(manifest: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("AndroidManifest.xml", options).unwrap();
    zip.write_all(manifest).unwrap();
    zip.start_file("classes.dex", options).unwrap();
    zip.write_all(b"dex\n035\0").unwrap();
    zip.finish().unwrap().into_inner()
}

fn chunk(kind: u16, header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend((8 + header.len() as u16).to_le_bytes());
    bytes.extend((8 + header.len() as u32 + body.len() as u32).to_le_bytes());
    bytes.extend(header);
    bytes.extend(body);
    bytes
}

/// The binary form of an element.
fn binary(root: &Node<'_>, utf8: bool) -> Vec<u8> {
    let mut names = Vec::new();
    collect(root, &mut names);
    // Attributes with resource ids come first, as the map of ids has their order.
    names.sort_by_key(|(id, _)| *id == 0);
    names.dedup();
    let mut unique: Vec<(u32, String)> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    let mut body = pool(&unique, utf8);
    let ids: Vec<u8> = unique
        .iter()
        .take_while(|(id, _)| *id != 0)
        .flat_map(|(id, _)| id.to_le_bytes())
        .collect();
    body.extend(chunk(0x0180, &[], &ids));
    element(root, &unique, &mut body);
    chunk(0x0003, &[], &body)
}

fn collect(node: &Node<'_>, names: &mut Vec<(u32, String)>) {
    names.push((0, node.0.to_owned()));
    for (name, id, value) in &node.1 {
        names.push((*id, (*name).to_owned()));
        if let AttributeValue::Text(text) = value {
            names.push((0, (*text).to_owned()));
        }
    }
    node.2.iter().for_each(|child| collect(child, names));
}

fn pool(strings: &[(u32, String)], utf8: bool) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for (_, text) in strings {
        offsets.extend((data.len() as u32).to_le_bytes());
        if utf8 {
            data.push(text.chars().count() as u8);
            data.push(text.len() as u8);
            data.extend(text.as_bytes());
            data.push(0);
        } else {
            data.extend((text.encode_utf16().count() as u16).to_le_bytes());
            data.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            data.extend([0, 0]);
        }
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let flags: u32 = if utf8 { 0x100 } else { 0 };
    let mut header = Vec::new();
    for number in [strings.len() as u32, 0, flags, 28 + offsets.len() as u32, 0] {
        header.extend(number.to_le_bytes());
    }
    offsets.extend(data);
    chunk(0x0001, &header, &offsets)
}

fn element(node: &Node<'_>, names: &[(u32, String)], out: &mut Vec<u8>) {
    let index = |id: u32, text: &str| {
        names
            .iter()
            .position(|(known, name)| *known == id && name == text)
            .unwrap() as u32
    };
    let none = u32::MAX.to_le_bytes();
    let mut body = none.to_vec();
    body.extend(index(0, node.0).to_le_bytes());
    for number in [20, 20, node.1.len() as u16, 0, 0, 0] {
        body.extend(number.to_le_bytes());
    }
    for (name, id, value) in &node.1 {
        body.extend(none);
        body.extend(index(*id, name).to_le_bytes());
        body.extend(none);
        let (kind, data) = match value {
            AttributeValue::Text(text) => (0x03, index(0, text)),
            AttributeValue::Int(number) => (0x10, *number),
            AttributeValue::True => (0x12, u32::MAX),
            AttributeValue::Reference(id) => (0x01, *id),
        };
        body.extend([8, 0, 0, kind]);
        body.extend(data.to_le_bytes());
    }
    let line = [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    out.extend(chunk(0x0102, &line, &body));
    node.2.iter().for_each(|child| element(child, names, out));
    let mut end = none.to_vec();
    end.extend(index(0, node.0).to_le_bytes());
    out.extend(chunk(0x0103, &line, &end));
}

#[test]
fn a_manifest_says_what_the_package_is() {
    for utf8 in [true, false] {
        let bytes = manifest("org.example.app", 7, "1.2", Some("org.example"), utf8);
        let read = ApkManifest::read(&bytes, |_| None).unwrap();
        let expected = ApkManifest {
            package: "org.example.app".to_owned(),
            version_code: 7,
            version_name: "1.2".to_owned(),
            label: Some("Ein Paket 漢".to_owned()),
            min_sdk: 26,
            target_sdk: 33,
            debuggable: true,
            test_only: false,
            application: Some("org.example.app.App".to_owned()),
            component_factory: Some("androidx.core.app.CoreComponentFactory".to_owned()),
            split: None,
            needs_splits: false,
            activities: vec![
                "org.example.app.Other".to_owned(),
                "org.example.app.Main".to_owned(),
            ],
            launchable: Some("org.example.app.Main".to_owned()),
            links: Vec::new(),
            services: vec![ApkService {
                class: "org.other.Ime".to_owned(),
                permission: Some("android.permission.BIND_INPUT_METHOD".to_owned()),
            }],
            instrumentation: vec![Instrumentation {
                class: "androidx.test.runner.AndroidJUnitRunner".to_owned(),
                target: "org.example".to_owned(),
            }],
            permissions: vec!["android.permission.CAMERA".to_owned()],
        };
        assert_eq!(read, expected);
    }
}

#[test]
fn what_is_no_apk_is_told_as_android_tells_it() {
    let read = |bytes: &[u8]| {
        let error = super::read(Cursor::new(bytes.to_vec())).unwrap_err();
        format!("{}: {error}", error.code())
    };
    assert_eq!(
        read(b"no zip"),
        "INSTALL_PARSE_FAILED_NOT_APK: Failed to load asset path"
    );
    let whole = apk("org.example.app", 1, "1", None);
    assert!(read(&whole[..whole.len() / 2]).starts_with("INSTALL_PARSE_FAILED_NOT_APK"));
    assert_eq!(
        read(&zipped(b"<manifest/>")),
        "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION: Corrupt XML binary file"
    );
    for package in ["", "app", "a/b.c", "..", "a..b", "1a.b"] {
        let text = read(&apk(package, 1, "1", None));
        assert!(
            text.starts_with("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED"),
            "{package}: {text}"
        );
    }
}

#[test]
fn hostile_manifests_are_refused_and_nothing_worse() {
    let bytes = manifest("org.example.app", 7, "1.2", Some("org.example"), true);
    assert!(is_manifest(&bytes));
    // Every prefix, and every byte changed: no panic, whatever comes out.
    for end in 0..bytes.len() {
        assert!(!is_manifest(&bytes[..end]), "{end}");
    }
    for at in 0..bytes.len() {
        for value in [0, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            is_manifest(&changed);
        }
    }
    // Numbers of four bytes that lead far away.
    for at in 0..bytes.len().saturating_sub(4) {
        let mut changed = bytes.clone();
        changed[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        is_manifest(&changed);
    }
}

#[test]
fn an_element_without_end_is_not_followed_for_ever() {
    let bytes = manifest("org.example.app", 7, "1.2", None, true);
    let deep = Node(
        "manifest",
        vec![("package", 0, AttributeValue::Text("a.b"))],
        vec![],
    );
    let mut node = deep;
    for _ in 0..100 {
        node = Node(
            "manifest",
            vec![("package", 0, AttributeValue::Text("a.b"))],
            vec![node],
        );
    }
    assert!(is_manifest(&bytes) && !is_manifest(&binary(&node, true)));
}

#[test]
fn a_split_and_a_base_that_needs_splits_are_known() {
    let read = |attribute: Option<Attribute<'static>>, children: Vec<Node<'static>>| {
        let mut attributes = vec![("package", 0, AttributeValue::Text("org.example.app"))];
        attributes.extend(attribute);
        let root = Node("manifest", attributes, children);
        let read = ApkManifest::read(&binary(&root, true), |_| None).unwrap();
        (read.split, read.needs_splits)
    };
    assert_eq!(read(None, vec![]), (None, false));
    let split = ("split", 0, AttributeValue::Text("config.xxhdpi"));
    assert_eq!(
        read(Some(split), vec![]),
        (Some("config.xxhdpi".to_owned()), false)
    );
    let required = ("isSplitRequired", 0x0101_0591, AttributeValue::True);
    assert_eq!(read(Some(required), vec![]), (None, true));
    let types = (
        "requiredSplitTypes",
        0x0101_064e,
        AttributeValue::Text("base__density"),
    );
    assert_eq!(read(Some(types), vec![]), (None, true));
    for (value, expected) in [
        (AttributeValue::True, true),
        (AttributeValue::Int(0), false),
        (AttributeValue::Text("true"), true),
    ] {
        let attributes = vec![
            (
                "name",
                NAME,
                AttributeValue::Text("com.android.vending.splits.required"),
            ),
            ("value", 0x0101_0024, value),
        ];
        let data = Node("meta-data", attributes, vec![]);
        let application = Node("application", vec![], vec![data]);
        assert_eq!(read(None, vec![application]), (None, expected));
    }
}
