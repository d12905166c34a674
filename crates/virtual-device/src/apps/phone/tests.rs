//! Tests that drive the demo app by touches and keys.

use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::VirtualPhone;
use crate::{KeyPress, NodeDump, Phone, PhoneOptions, Quirk, Setting, Switch, Touch};
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
fn a_slow_drag_scrolls_by_its_length_and_a_fast_one_flings() {
    let mut p = signed_in();
    let before = node(&p, "Call the dentist").bounds;
    touch(
        &mut p,
        Point { x: 500, y: 1500 },
        Point { x: 500, y: 1300 },
        2000,
    );
    let after = node(&p, "Call the dentist").bounds;
    // The list takes the finger from its row at the second step of 20 pixels, and the last one is the finger's leaving.
    assert_eq!(before.top - after.top, 200 - 40 - 20);
    touch(
        &mut p,
        Point { x: 500, y: 1900 },
        Point { x: 500, y: 900 },
        200,
    );
    assert!(maybe(&p, "Call the dentist").is_none());
    for _ in 0..12 {
        touch(
            &mut p,
            Point { x: 500, y: 1900 },
            Point { x: 500, y: 700 },
            200,
        );
    }
    let last = node(&p, "The last note").bounds;
    let around = node(&p, "notes").bounds;
    assert!(around.encloses(&last), "{last} in {around}");
    for _ in 0..20 {
        touch(
            &mut p,
            Point { x: 500, y: 900 },
            Point { x: 500, y: 1900 },
            200,
        );
    }
    assert_eq!(node(&p, "Call the dentist").bounds, before);
}

#[test]
fn a_fling_ends_with_its_screen() {
    let mut p = signed_in();
    touch(
        &mut p,
        Point { x: 500, y: 1900 },
        Point { x: 500, y: 1500 },
        100,
    );
    assert!(!p.fling_time().is_zero());
    key(&mut p, "HOME");
    p.advance(Duration::from_millis(16));
    assert!(p.fling_time().is_zero());
}

#[test]
fn what_takes_a_long_press_keeps_the_finger() {
    let drag = |hold: u64| {
        let mut p = signed_in();
        tap(&mut p, "New note");
        let from = node(&p, "title").bounds.center();
        let to = Point {
            y: from.y - 300,
            ..from
        };
        let middle = Point {
            y: from.y - 150,
            ..from
        };
        let ms = Duration::from_millis;
        let path = vec![
            (from, ms(0)),
            (from, ms(hold)),
            (middle, ms(hold + 250)),
            (to, ms(hold + 500)),
            (to, ms(hold + 800)),
        ];
        p.fingers(&[Touch { path }]);
        (
            maybe(&p, "title").map(|field| field.bounds.center().y),
            from.y,
            p.keyboard_shown(),
        )
    };
    let (after, before, has_keyboard) = drag(100);
    assert_ne!(after, Some(before), "the form scrolls");
    assert!(!has_keyboard);
    let (after, before, has_keyboard) = drag(600);
    assert_eq!(after, Some(before), "the field has the finger");
    assert!(has_keyboard);
}

#[test]
fn searching_filters_as_it_is_typed() {
    let mut p = signed_in();
    tap(&mut p, "search");
    assert!(p.commit_text("LETTER"));
    assert_eq!(node(&p, "inbox_count").text, "2");
    key(&mut p, "DEL");
    key(&mut p, "BACK");
    assert!(!p.keyboard_shown());
    assert!(maybe(&p, "Letter to Grace").is_some());
    assert_eq!(p.input_text("é"), Err('é'));
    key(&mut p, "BACK");
    assert!(!p.commit_text("nobody listens"));
}

#[test]
fn keys_of_the_drawn_keyboard_type_and_the_caret_moves() {
    let mut p = started();
    tap(&mut p, "username");
    // The middle of `q`, by the keyboard's rows.
    let keyboard = p
        .windows()
        .into_iter()
        .find(|window| window.kind == "INPUT_METHOD")
        .unwrap();
    assert_eq!(keyboard.root.unwrap().children.len(), 0);
    let y = keyboard.bounds.top + 180;
    touch(&mut p, Point { x: 60, y }, Point { x: 60, y }, 50);
    assert_eq!(node(&p, "username").text, "q");
    p.input_text("c").unwrap();
    key(&mut p, "DPAD_LEFT");
    p.input_text("b").unwrap();
    assert_eq!(node(&p, "username").text, "qbc");
    key(&mut p, "MOVE_HOME");
    key(&mut p, "FORWARD_DEL");
    assert_eq!(node(&p, "username").text, "bc");
}

/// The rule is that of AOSP's `Editor.Blink`.
#[test]
fn the_caret_blinks_by_the_devices_clock_since_the_last_change() {
    let mut p = started();
    p.quirks.push(Quirk::BlinkingCaret);
    tap(&mut p, "username");
    let ms = Duration::from_millis;
    p.input_text("ab").unwrap();
    let on = p.draw();
    for (wait, is_on) in [
        (499, true),
        (1, false),
        (499, false),
        (1, true),
        (500, false),
    ] {
        p.advance(ms(wait));
        assert_eq!(p.draw() == on, is_on, "after {wait} ms more");
    }
    let off = p.draw();
    assert_eq!(p.windows(), {
        p.advance(ms(500));
        p.windows()
    });
    p.advance(ms(500));
    assert!(p.draw() == off);
    // A move of the caret shows it for a whole time again, and so does a letter.
    key(&mut p, "DPAD_LEFT");
    key(&mut p, "DPAD_RIGHT");
    assert!(p.draw() == on);
    p.advance(ms(499));
    assert!(p.draw() == on);
    p.advance(ms(1));
    assert!(p.draw() == off);
    p.input_text("c").unwrap();
    let typed = p.draw();
    p.advance(ms(499));
    assert!(p.draw() == typed);
    p.advance(ms(1));
    assert!(p.draw() != typed);
}

#[test]
fn inputs_write_what_is_chosen() {
    let mut p = signed_in();
    tap(&mut p, "New note");
    tap(&mut p, "folder");
    tap(&mut p, "Travel");
    assert!(node(&p, "folder").children[0].text == "Travel");
    tap(&mut p, "Urgent");
    tap(&mut p, "Family");
    assert!(node(&p, "Urgent").checked && node(&p, "Family").checked && !node(&p, "Later").checked);
    tap(&mut p, "due");
    tap(&mut p, "Next month");
    tap(&mut p, "03 June 2026");
    tap(&mut p, "OK");
    assert_eq!(node(&p, "due").text, "Jun 3, 2026");
    tap(&mut p, "due");
    tap(&mut p, "04 June 2026");
    tap(&mut p, "Cancel");
    assert_eq!(node(&p, "due").text, "Jun 3, 2026");
    let bar = node(&p, "priority").bounds;
    let end = Point {
        x: bar.right - 2,
        y: bar.center().y,
    };
    touch(&mut p, end, end, 50);
    assert_eq!(node(&p, "priority").range, Some(10.0));
    // A path along it moves it; one up or down scrolls what it stands in.
    let middle = bar.center();
    touch(&mut p, end, middle, 500);
    assert_eq!(node(&p, "priority").range, Some(5.0));
    let above = Point {
        y: middle.y - 900,
        ..end
    };
    touch(&mut p, end, above, 500);
    assert_eq!(node(&p, "priority").range, Some(5.0));
    assert_ne!(node(&p, "priority").bounds, bar);
    for _ in 0..3 {
        touch(&mut p, above, end, 500);
    }
    assert_eq!(node(&p, "priority").bounds, bar);
    tap(&mut p, "email");
    p.input_text("nobody").unwrap();
    assert!(maybe(&p, "This is no e-mail address").is_some());
    key(&mut p, "BACK");
    tap(&mut p, "title");
    p.input_text("Of mice").unwrap();
    key(&mut p, "BACK");
    touch(
        &mut p,
        Point { x: 900, y: 1900 },
        Point { x: 900, y: 300 },
        200,
    );
    tap(&mut p, "pinned");
    assert!(node(&p, "pinned").checked);
    tap(&mut p, "save");
    assert_eq!(node(&p, "saving").text, "Saving…");
    // A tap's own time has passed a part of it.
    p.advance(Duration::from_millis(299));
    assert!(maybe(&p, "saving").is_some());
    p.advance(Duration::from_millis(1));
    assert_eq!(node(&p, "inbox_count").text, "41");
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
fn permissions_are_asked_once_and_told() {
    let mut p = signed_in();
    tap(&mut p, "Settings");
    tap(&mut p, "Allow notifications");
    let front = p
        .windows()
        .into_iter()
        .find(|window| window.focused)
        .unwrap();
    assert_eq!(front.package, "com.android.permissioncontroller");
    tap(&mut p, "Allow");
    assert_eq!(node(&p, "notifications").text, "Notifications are allowed");
    let about = p
        .packages()
        .into_iter()
        .find(|package| package.package == NOTES)
        .unwrap();
    assert!(about.permissions[0].1);
    p.set_permission(NOTES, "android.permission.POST_NOTIFICATIONS", false)
        .unwrap();
    tap(&mut p, "Allow notifications");
    tap(&mut p, "Don’t allow");
    assert_eq!(node(&p, "notifications").text, "Notifications are off");
    assert!(
        p.set_permission(NOTES, "android.permission.CAMERA", true)
            .is_err()
    );
}

#[test]
fn apps_keep_their_screens_until_they_are_stopped_and_their_data_until_cleared() {
    let mut p = signed_in();
    tap(&mut p, "Settings");
    tap(&mut p, "sync");
    assert!(!node(&p, "sync").checked);
    key(&mut p, "HOME");
    assert_eq!(
        p.windows().iter().find(|w| w.focused).unwrap().package,
        "com.android.launcher"
    );
    key(&mut p, "APP_SWITCH");
    tap(&mut p, "Notes");
    assert!(maybe(&p, "sync").is_some());
    assert_eq!(
        p.processes()
            .iter()
            .filter(|(_, name)| name == NOTES)
            .count(),
        1
    );
    p.force_stop(NOTES);
    assert!(p.processes().iter().all(|(_, name)| name != NOTES));
    p.start(NOTES, Some(".Settings"), &BTreeMap::new()).unwrap();
    assert!(!node(&p, "sync").checked, "settings are kept");
    assert!(p.clear(NOTES));
    p.start(NOTES, Some("com.example.notes.Settings"), &BTreeMap::new())
        .unwrap();
    assert!(node(&p, "sync").checked);
    assert!(
        p.start(NOTES, Some(".Nothing"), &BTreeMap::new())
            .unwrap_err()
            .to_string()
            .starts_with("Error type 3")
    );
    assert!(!p.clear("com.example.none"));
}

#[test]
fn links_open_their_screen() {
    let mut p = started();
    p.open_link("notes://note/n03", None).unwrap();
    assert_eq!(node(&p, "title").text, "Call the dentist");
    key(&mut p, "BACK");
    assert!(maybe(&p, "sign_in").is_some());
    assert!(p.open_link("nowhere://example.com", None).is_err());
    assert!(
        p.open_link("https://example.com", Some("com.example.notes"))
            .is_err()
    );
    for address in ["https://example.com/a?b=c", "HTTP://example.org"] {
        p.open_link(address, None).unwrap();
        // By its text: the id is of the browser's package.
        assert_eq!(node(&p, address).class, "android.widget.EditText");
    }
    // What is refused does not end it.
    assert!(!p.uninstall("com.android.browser"));
    assert!(maybe(&p, "HTTP://example.org").is_some());
    // One screen, however many links.
    key(&mut p, "BACK");
    assert!(maybe(&p, "HTTP://example.org").is_none());
    let browser = p
        .packages()
        .into_iter()
        .find(|of| of.package == "com.android.browser");
    assert!(browser.unwrap().system);
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
fn back_closes_one_thing_at_a_time() {
    let mut p = started();
    tap(&mut p, "username");
    key(&mut p, "BACK");
    assert!(!p.keyboard_shown());
    assert!(maybe(&p, "sign_in").is_some());
    p.status_bar("notifications");
    assert!(maybe(&p, "No notifications").is_some());
    key(&mut p, "BACK");
    assert!(maybe(&p, "No notifications").is_none());
    key(&mut p, "BACK");
    assert_eq!(
        p.windows().iter().find(|w| w.focused).unwrap().package,
        "com.android.launcher"
    );
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

#[test]
fn messages_change_the_screen_in_front() {
    let mut p = started();
    let message = r#"{"version": "v0.9", "updateDataModel": {"surfaceId": "sign_in", "path": "/sign_in/error", "value": "Try later"}}"#;
    p.a2ui(message).unwrap();
    assert_eq!(node(&p, "error").text, "Try later");
    let data = |path: &str, value: &str| {
        format!(
            r#"{{"version": "v0.9", "updateDataModel": {{"surfaceId": "default", "path": "{path}"{value}}}}}"#
        )
    };
    let shows_second = r#"{"version": "v0.9", "updateComponents": {"surfaceId": "default", "components": [{"id": "error", "component": "Text", "text": {"path": "/words/1"}}]}}"#;
    p.a2ui(&data("/words", r#", "value": ["a", "b"]"#)).unwrap();
    p.a2ui(&data("/words/0", "")).unwrap();
    p.a2ui(shows_second).unwrap();
    assert_eq!(node(&p, "error").text, "b");
    let other = r#"{"version": "v0.9", "deleteSurface": {"surfaceId": "other"}}"#;
    assert!(p.a2ui(other).unwrap_err().to_string().contains("`sign_in`"));
    assert!(
        p.a2ui("{}")
            .unwrap_err()
            .to_string()
            .contains("a message has one of")
    );
    p.a2ui(r#"{"deleteSurface": {}}"#).unwrap();
    assert_eq!(p.a2ui_surfaces(), "[]");
}

#[test]
fn the_dialog_of_repeated_crashes_opens_once_in_two_minutes() {
    let mut p = phone();
    for (after, is_open) in [
        (0, false),
        (110, true),
        (60, false),
        (110, true),
        (130, false),
    ] {
        p.advance(Duration::from_secs(after));
        p.start(NOTES, None, &BTreeMap::new()).unwrap();
        p.overlay.error = None;
        p.crash(NOTES, "no account");
        assert_eq!(p.overlay.error.is_some(), is_open, "after {after} s");
    }
}

/// Shows each public example of the basic catalogue. Unsupported parts are logged.
#[test]
fn the_corpus_of_examples_loads_and_draws() {
    let Some(corpus) = runner_testing::recording("a2ui/v0_9_1/catalogs") else {
        return;
    };
    let corpus = corpus.display();
    let mut count = 0;
    for catalogue in ["basic", "minimal"] {
        let Ok(files) = std::fs::read_dir(format!("{corpus}/{catalogue}/examples")) else {
            continue;
        };
        for file in files {
            let file = file.unwrap().path();
            let text = std::fs::read_to_string(&file).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let root = Utf8PathBuf::from_path_buf(folder.path().to_path_buf()).unwrap();
            std::fs::write(root.join("main.json"), text).unwrap();
            let manifest = "package: com.example.gallery\nlabel: Gallery\nactivities:\n  .Main: { surface: main.json, launchable: true }\n";
            std::fs::write(root.join("app.yaml"), manifest).unwrap();
            let mut p = phone();
            p.install(&root).unwrap();
            p.start("com.example.gallery", None, &BTreeMap::new())
                .unwrap();
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            save(&mut p, &format!("{catalogue}-{name}"));
            let problems: Vec<String> = p
                .take_log()
                .into_iter()
                .filter(|(level, ..)| *level == 'E')
                .map(|(_, _, message, _)| message)
                .collect();
            for problem in &problems {
                assert!(
                    problem.contains("not supported yet") || problem.contains("no icon"),
                    "{name}: {problem}"
                );
            }
            assert!(
                all(&p)
                    .iter()
                    .any(|node| node.resource_id.starts_with("com.example.gallery"))
            );
            count += 1;
        }
    }
    assert!(count == 0 || count > 20, "{count}");
}

#[test]
fn a_wrong_app_says_where_and_what() {
    let table = [
        (
            "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: ../x.json, launchable: true }\n",
            "inside the app's folder",
        ),
        (
            "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: x.json, launchable: true }\n",
            "x.json: cannot be read",
        ),
        (
            "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: x.json }\n",
            "launchable: true",
        ),
        (
            "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: x.json, launchable: true }\nactions:\n  go:\n    - navigate: .Mian\n",
            "names the activity `.Mian`, which is not there; did you mean `.Main`?",
        ),
    ];
    for (manifest, expected) in table {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_path_buf()).unwrap();
        std::fs::write(root.join("app.yaml"), manifest).unwrap();
        let error = phone().install(&root).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
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
