//! The demo app, driven by touch and keys as a person would.

use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::VirtualPhone;
use crate::screen::{Display, Point, Rect};
use crate::virtual_device::{KeyPress, NodeDump, Phone, PhoneOptions, Touch, WindowDump};

const NOTES: &str = "com.example.notes";

fn phone() -> VirtualPhone {
    let demo = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
    VirtualPhone::new(&PhoneOptions {
        apps: vec![demo],
        display: Display {
            width: 1080,
            height: 2400,
            density: 420,
            rotation: 0,
        },
    })
    .unwrap()
}

fn started() -> VirtualPhone {
    let mut phone = phone();
    phone.start(NOTES, None, &BTreeMap::new()).unwrap();
    phone
}

fn all(phone: &VirtualPhone) -> Vec<NodeDump> {
    fn flat(node: NodeDump, into: &mut Vec<NodeDump>) {
        into.push(node.clone());
        for child in node.children {
            flat(child, into);
        }
    }
    let mut nodes = Vec::new();
    for window in phone.windows() {
        if let Some(root) = window.root {
            flat(root, &mut nodes);
        }
    }
    nodes
}

fn maybe(phone: &VirtualPhone, name: &str) -> Option<NodeDump> {
    all(phone).into_iter().find(|node| {
        node.text == name
            || node.desc == name
            || node.hint == name
            || node.resource_id == format!("{NOTES}:id/{name}")
    })
}

fn node(phone: &VirtualPhone, name: &str) -> NodeDump {
    maybe(phone, name).unwrap_or_else(|| {
        let there: Vec<String> = all(phone)
            .iter()
            .map(|node| format!("{} {:?} {:?}", node.resource_id, node.text, node.desc))
            .collect();
        panic!("no {name} among\n{}", there.join("\n"))
    })
}

fn touch(phone: &mut VirtualPhone, from: Point, to: Point, ms: u64) {
    let path = (0..=10)
        .map(|step| {
            let at = |a: i32, b: i32| a + (b - a) * step / 10;
            let point = Point {
                x: at(from.x, to.x),
                y: at(from.y, to.y),
            };
            (point, Duration::from_millis(ms * step as u64 / 10))
        })
        .collect();
    phone.touch(&Touch { path });
}

fn tap(phone: &mut VirtualPhone, name: &str) {
    let at = node(phone, name).bounds.center();
    touch(phone, at, at, 50);
}

fn key(phone: &mut VirtualPhone, name: &str) {
    phone.key(&KeyPress {
        name: name.into(),
        long: false,
    });
}

fn signed_in() -> VirtualPhone {
    let mut phone = started();
    tap(&mut phone, "username");
    phone.input_text("ada").unwrap();
    key(&mut phone, "TAB");
    phone.input_text("lovelace").unwrap();
    key(&mut phone, "ENTER");
    phone
}

fn kinds(windows: &[WindowDump]) -> Vec<(&'static str, String)> {
    windows
        .iter()
        .map(|window| (window.kind, window.package.clone()))
        .collect()
}

fn save(phone: &mut VirtualPhone, name: &str) {
    if let Some(folder) = option_env!("RUNNER_TEST_PICTURES") {
        phone.draw().save(format!("{folder}/{name}.png")).unwrap();
    }
}

/// Draws every screen of the demo; with `RUNNER_TEST_PICTURES=FOLDER` at build time it also stores them.
#[test]
fn every_screen_of_the_demo_draws() {
    let mut p = phone();
    save(&mut p, "00-launcher");
    tap(&mut p, "Notes");
    save(&mut p, "01-sign-in");
    tap(&mut p, "username");
    p.input_text("ada").unwrap();
    save(&mut p, "02-keyboard");
    let mut p = signed_in();
    save(&mut p, "03-inbox");
    tap(&mut p, "Groceries");
    save(&mut p, "04-note");
    tap(&mut p, "Delete");
    save(&mut p, "05-dialog");
    key(&mut p, "BACK");
    key(&mut p, "BACK");
    tap(&mut p, "New note");
    save(&mut p, "06-form");
    tap(&mut p, "folder");
    save(&mut p, "07-menu");
    key(&mut p, "BACK");
    touch(
        &mut p,
        Point { x: 500, y: 1800 },
        Point { x: 500, y: 600 },
        300,
    );
    save(&mut p, "08-form-below");
    tap(&mut p, "due");
    save(&mut p, "09-date");
    key(&mut p, "BACK");
    key(&mut p, "BACK");
    tap(&mut p, "Settings");
    save(&mut p, "10-settings");
    tap(&mut p, "Look");
    save(&mut p, "11-look");
    tap(&mut p, "General");
    tap(&mut p, "Allow notifications");
    save(&mut p, "12-permission");
    key(&mut p, "BACK");
    key(&mut p, "BACK");
    p.set("dark", "yes");
    save(&mut p, "13-dark");
    p.set("rotation", "1");
    save(&mut p, "14-landscape");
    p.set("rotation", "0");
    p.set("font_scale", "1.5");
    save(&mut p, "15-large");
    p.set("font_scale", "1.0");
    p.status_bar("settings");
    save(&mut p, "16-quick");
    p.status_bar("notifications");
    save(&mut p, "17-shade");
    key(&mut p, "BACK");
    key(&mut p, "APP_SWITCH");
    save(&mut p, "18-recents");
    assert_eq!(p.draw().dimensions(), (1080, 2400));
}
