//! Tests that drive the demo app by touches and keys.

mod inputs;
mod lifecycle;

use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::VirtualPhone;
use crate::{KeyPress, NodeDump, Phone, PhoneOptions, Setting, Switch, Touch};
use runner_screen::{Point, Rect};

const NOTES: &str = "com.example.notes";

fn phone() -> VirtualPhone {
    let demo = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/demo"));
    VirtualPhone::new(&PhoneOptions {
        apps: vec![demo],
        ..PhoneOptions::default()
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
    phone.fingers(&[Touch { path }]);
    phone.advance(Duration::from_millis(ms + 100));
}

fn tap(phone: &mut VirtualPhone, name: &str) {
    let at = node(phone, name).bounds.center();
    touch(phone, at, at, 50);
}

fn key(phone: &mut VirtualPhone, name: &str) {
    phone.key(&KeyPress::named(name));
}

fn signed_in() -> VirtualPhone {
    let mut phone = started();
    tap(&mut phone, "username");
    phone.input_text("ada").unwrap();
    key(&mut phone, "TAB");
    phone.input_text("lovelace").unwrap();
    tap(&mut phone, "sign_in");
    phone
}

fn save(phone: &mut VirtualPhone, name: &str) {
    if let Some(folder) = option_env!("RUNNER_TEST_PICTURES") {
        let picture = phone.draw();
        let (width, height) = (picture.width() * 2 / 5, picture.height() * 2 / 5);
        let small = image::imageops::thumbnail(&**picture, width, height);
        small.save(format!("{folder}/{name}.png")).unwrap();
    }
}

/// Stores the pictures for people if `RUNNER_TEST_PICTURES=FOLDER` was set at build time.
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
    p.set(Setting::Switch(Switch::Dark, true));
    save(&mut p, "13-dark");
    p.set(Setting::Rotation(1));
    save(&mut p, "14-landscape");
    p.set(Setting::Rotation(0));
    p.set(Setting::FontScale(1.5));
    save(&mut p, "15-large");
    p.set(Setting::FontScale(1.0));
    p.status_bar("settings");
    save(&mut p, "16-quick");
    p.status_bar("notifications");
    save(&mut p, "17-shade");
    key(&mut p, "BACK");
    key(&mut p, "APP_SWITCH");
    save(&mut p, "18-recents");
    assert_eq!(p.draw().dimensions(), (1080, 2400));
}

#[test]
fn a_wrong_password_is_refused_and_the_right_one_opens_the_inbox() {
    let mut p = started();
    assert!(!node(&p, "sign_in").enabled);
    tap(&mut p, "username");
    assert!(p.keyboard_shown());
    assert!(node(&p, "username").focused);
    p.input_text("ada").unwrap();
    key(&mut p, "ENTER");
    assert!(node(&p, "password").focused, "ENTER goes to the next field");
    p.input_text("wrong").unwrap();
    let secret = node(&p, "password");
    assert!(secret.password);
    assert_eq!(
        secret.text, "••••g",
        "the last letter is shown for a moment"
    );
    p.advance(Duration::from_millis(1500));
    assert_eq!(node(&p, "password").text, "•••••");
    tap(&mut p, "sign_in");
    assert_eq!(node(&p, "error").text, "Wrong password");
    tap(&mut p, "password");
    for _ in 0..5 {
        key(&mut p, "DEL");
    }
    p.input_text("lovelace").unwrap();
    tap(&mut p, "sign_in");
    assert_eq!(node(&p, "inbox_count").text, "40");
    assert!(maybe(&p, "sign_in").is_none());
    let log = p.take_log();
    let parsed = |text: &str| {
        log.iter()
            .any(|(_, tag, message, _)| tag == "Notes" && message == text)
    };
    assert!(parsed("wrong password") && parsed("signed in"));
    assert!(log.iter().all(|(_, tag, _, _)| tag != "A2UI"), "{log:?}");
}

#[test]
fn the_dump_has_the_classes_flags_and_ids_of_an_android_app() {
    let mut p = signed_in();
    let list = node(&p, "notes");
    assert_eq!(list.class, "androidx.recyclerview.widget.RecyclerView");
    assert!(list.scrollable);
    let titles: Vec<String> = all(&p)
        .into_iter()
        .filter(|node| node.resource_id.ends_with("id/note_title"))
        .map(|node| node.text)
        .collect();
    assert_eq!(titles[..2], ["Groceries", "Ideas for the garden"]);
    assert!(
        titles.len() < 12,
        "what is not seen is not there: {titles:?}"
    );
    for node in all(&p) {
        assert!(!node.bounds.is_empty(), "{node:?}");
    }
    tap(&mut p, "New note");
    let table = [
        ("title", "android.widget.EditText"),
        ("kind", "android.widget.RadioGroup"),
        ("folder", "android.widget.Spinner"),
        ("Urgent", "android.widget.CheckBox"),
        ("due", "android.widget.Button"),
        ("Navigate up", "android.widget.ImageButton"),
    ];
    for (name, class) in table {
        assert_eq!(node(&p, name).class, class, "{name}");
    }
    assert_eq!(node(&p, "title").hint, "Title");
    assert_eq!(node(&p, "title").text, "");
    assert!(node(&p, "Plain text").checked);
    touch(
        &mut p,
        Point { x: 900, y: 1900 },
        Point { x: 900, y: 300 },
        200,
    );
    assert!(!node(&p, "save").enabled);
}

#[test]
fn a_dialog_is_a_window_that_takes_the_focus() {
    let mut p = signed_in();
    tap(&mut p, "Ideas for the garden");
    tap(&mut p, "delete");
    let windows = p.windows();
    let focused: Vec<_> = windows.iter().filter(|window| window.focused).collect();
    assert_eq!(focused.len(), 1);
    assert!(focused[0].root.as_ref().unwrap().children.len() == 1);
    tap(&mut p, "cancel");
    assert!(maybe(&p, "Delete this note?").is_none());
    tap(&mut p, "delete");
    tap(&mut p, "confirm_delete");
    assert_eq!(node(&p, "inbox_count").text, "39");
    assert!(maybe(&p, "Ideas for the garden").is_none());
}

#[test]
fn a_font_scale_that_is_no_number_is_the_usual_one() {
    let mut p = started();
    let bounds = |p: &VirtualPhone| node(p, "sign_in").bounds;
    let usual = bounds(&p);
    p.set(Setting::FontScale(2.0));
    assert_ne!(bounds(&p), usual);
    p.set(Setting::FontScale(f32::NAN));
    assert_eq!(bounds(&p), usual);
}

#[test]
fn equal_phones_draw_equal_bytes() {
    let (mut a, mut b) = (signed_in(), signed_in());
    assert_eq!(a.draw().as_raw(), b.draw().as_raw());
    assert_eq!(a.windows(), b.windows());
    a.set(Setting::Switch(Switch::Dark, true));
    assert_ne!(a.draw().as_raw(), b.draw().as_raw());
    a.set(Setting::Switch(Switch::Dark, false));
    assert_eq!(a.draw().as_raw(), b.draw().as_raw());
    a.set(Setting::Rotation(1));
    assert_eq!(a.draw().dimensions(), (2400, 1080));
    assert!(a.draw().pixels().all(|pixel| pixel.0[3] == 255));
    let whole = Rect::new(0, 0, 2400, 1080);
    assert!(all(&a).iter().all(|node| whole.encloses(&node.bounds)));
}

#[test]
fn the_display_can_be_made_smaller() {
    let mut p = started();
    p.set(Setting::Size {
        width: 720,
        height: 1280,
    });
    p.set(Setting::Density(320));
    assert_eq!(p.draw().dimensions(), (720, 1280));
    assert_eq!(p.display().density, 320);
    p.set(Setting::Size {
        width: 0,
        height: 1280,
    });
    assert_eq!(p.draw().dimensions(), (1080, 2400));
}

/// Prints how long a picture and a dump take. Not a check; run with `--ignored --nocapture`.
#[test]
#[ignore = "prints times, judges nothing"]
fn how_long_a_picture_takes() {
    let mut p = signed_in();
    for name in ["first", "second"] {
        p.set(Setting::Switch(Switch::Dark, false));
        let begin = std::time::Instant::now();
        let _ = p.windows();
        let dumped = begin.elapsed();
        let _ = p.draw();
        println!(
            "{name}: dump {dumped:?}, with picture {:?}",
            begin.elapsed()
        );
    }
    let begin = std::time::Instant::now();
    let _ = p.draw();
    println!("unchanged: {:?}", begin.elapsed());
}
