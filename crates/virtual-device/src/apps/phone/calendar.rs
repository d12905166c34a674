//! Tests that compare the date dialog with that of Android 15's framework, and use it.
//!
//! `recorded/date_picker.tsv` is `new DatePickerDialog(this, null, 2026, 4, 4)` in an app host at 360x800 dp:
//! depth, class, id, text, description, flags, bounds in dp.

use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::VirtualPhone;
use crate::{NodeDump, Phone, PhoneOptions, Setting, Touch};

const PACKAGE: &str = "com.example.dates";
const RECORDED: &str = include_str!("recorded/date_picker.tsv");
const COMPONENTS: &str = r#"
- version: v0.9
  createSurface: { surfaceId: main, catalogId: "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json" }
- version: v0.9
  updateComponents:
    surfaceId: main
    components:
      - { id: root, component: Column, children: [day, both] }
      - { id: day, component: DateTimeInput, enableDate: true, value: { path: /day } }
      - { id: both, component: DateTimeInput, enableDate: true, enableTime: true, value: { path: /both } }
- version: v0.9
  updateDataModel: { surfaceId: main, value: { day: VALUE, both: "2026-05-04T09:30" } }
"#;

/// Returns a phone of 360x800 dp whose date dialog is open at a day.
fn open(day: &str) -> VirtualPhone {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    let app = format!(
        "package: {PACKAGE}\nlabel: Dates\nactivities:\n  .Main: {{ surface: main.yaml, launchable: true }}\n"
    );
    std::fs::write(root.join("app.yaml"), app).unwrap();
    let components = COMPONENTS.replace("VALUE", &format!("{day:?}"));
    std::fs::write(root.join("main.yaml"), components).unwrap();
    let mut phone = VirtualPhone::new(&PhoneOptions {
        apps: vec![root],
        ..PhoneOptions::default()
    })
    .unwrap();
    phone.set(Setting::Density(480));
    phone.start(PACKAGE, None, &BTreeMap::new()).unwrap();
    tap(&mut phone, "day");
    phone
}

/// Returns the dialog's nodes with their depth, parents first.
fn nodes(phone: &VirtualPhone) -> Vec<(usize, NodeDump)> {
    fn flat(depth: usize, node: NodeDump, into: &mut Vec<(usize, NodeDump)>) {
        let children = node.children.clone();
        into.push((depth, node));
        for child in children {
            flat(depth + 1, child, into);
        }
    }
    let mut nodes = Vec::new();
    for window in phone.windows() {
        if window.package == PACKAGE
            && let Some(root) = window.root
        {
            flat(0, root, &mut nodes);
        }
    }
    nodes
}

/// Returns the first node with this text, description or id, or `None`.
fn find(phone: &VirtualPhone, name: &str) -> Option<NodeDump> {
    let is_it = |node: &NodeDump| {
        node.text == name || node.desc == name || node.resource_id.ends_with(&format!("/{name}"))
    };
    nodes(phone)
        .into_iter()
        .map(|(_, node)| node)
        .find(|node| is_it(node))
}

fn text(phone: &VirtualPhone, name: &str) -> String {
    find(phone, name)
        .unwrap_or_else(|| panic!("no {name}"))
        .text
}

/// Taps the middle of the node with this text, description or id, and lets half a second pass. Panics without one.
fn tap(phone: &mut VirtualPhone, name: &str) {
    let node = find(phone, name).unwrap_or_else(|| panic!("no {name} in {:#?}", nodes(phone)));
    let at = node.bounds.center();
    phone.fingers(&[Touch {
        path: vec![(at, Duration::ZERO), (at, Duration::from_millis(50))],
    }]);
    phone.advance(Duration::from_millis(500));
}

/// Stores the picture for people if `RUNNER_TEST_PICTURES=FOLDER` was set at build time.
fn save(phone: &mut VirtualPhone, name: &str) {
    let picture = phone.draw();
    if let Some(folder) = option_env!("RUNNER_TEST_PICTURES") {
        picture.save(format!("{folder}/{name}.png")).unwrap();
    }
}

/// Formats the node's flags that are set, with commas, in the recording's order.
fn flags(node: &NodeDump) -> String {
    let flags = [
        ("checkable", node.checkable),
        ("checked", node.checked),
        ("clickable", node.clickable),
        ("focusable", node.focusable),
        ("focused", node.focused),
        ("scrollable", node.scrollable),
        ("long-clickable", node.long_clickable),
        ("selected", node.selected),
    ];
    let set: Vec<&str> = flags
        .into_iter()
        .filter_map(|(name, is_set)| is_set.then_some(name))
        .collect();
    set.join(",")
}

/// Compares all nodes with the recording. Bounds may differ by 3 dp, or 20 dp where the words of another font
/// decide.
#[test]
fn the_calendar_has_the_nodes_of_androids() {
    let mut phone = open("2026-05-04");
    save(&mut phone, "calendar");
    let nodes = nodes(&phone);
    assert_eq!(nodes.len(), RECORDED.lines().count());
    for ((depth, node), line) in nodes.iter().zip(RECORDED.lines()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [
            recorded_depth,
            class,
            id,
            words,
            desc,
            recorded_flags,
            bounds @ ..,
        ] = &cells[..]
        else {
            panic!("{line}");
        };
        assert_eq!(depth.to_string(), *recorded_depth, "{line}");
        assert_eq!((&*node.class, &*node.resource_id), (*class, *id), "{line}");
        // Android draws this button's text in capitals unless a theme changes that.
        assert!(
            node.text.eq_ignore_ascii_case(words),
            "{line}: {}",
            node.text
        );
        assert_eq!(
            (&*node.desc, &*flags(node)),
            (*desc, *recorded_flags),
            "{line}"
        );
        let at = node.bounds;
        let sides = [at.left, at.top, at.right, at.bottom];
        for (side, recorded) in sides.into_iter().zip(bounds) {
            let differs = (side / 3 - recorded.parse::<i32>().unwrap()).abs();
            // The letters are of another font: widths of words differ, and their heights by a line's rounding.
            let slack = if node.text.len() > 2 || node.text == "OK" {
                20
            } else {
                3
            };
            assert!(differs <= slack, "{line}: {:?}", sides.map(|side| side / 3));
        }
    }
}

#[test]
fn another_month_is_turned_to_and_a_day_of_it_chosen() {
    let mut phone = open("2026-05-04");
    tap(&mut phone, "15");
    assert_eq!(text(&phone, "date_picker_header_date"), "Fri, May 15");
    assert!(!find(&phone, "4").unwrap().checked);
    tap(&mut phone, "Next month");
    assert_eq!(text(&phone, "date_picker_header_date"), "Fri, May 15");
    assert!(find(&phone, "30 June 2026").is_some() && find(&phone, "31").is_none());
    assert!(!find(&phone, "15").unwrap().checked);
    for _ in 0..2 {
        tap(&mut phone, "Previous month");
    }
    tap(&mut phone, "30 April 2026");
    assert_eq!(text(&phone, "date_picker_header_date"), "Thu, Apr 30");
    tap(&mut phone, "OK");
    assert_eq!(text(&phone, "day"), "Apr 30, 2026");
}

#[test]
fn a_year_is_chosen_from_the_list() {
    let mut phone = open("2024-02-29");
    tap(&mut phone, "Next month");
    tap(&mut phone, "date_picker_header_year");
    save(&mut phone, "years");
    // As on Android, two rows are above the chosen one, the first of them in part.
    assert!(find(&phone, "2022").is_some() && find(&phone, "2021").is_none());
    assert!(find(&phone, "animator").is_some() && find(&phone, "month_view").is_none());
    tap(&mut phone, "date_picker_header_date");
    assert!(
        find(&phone, "29 February 2024").unwrap().checked,
        "the chosen day is shown again"
    );
    tap(&mut phone, "date_picker_header_year");
    tap(&mut phone, "2025");
    assert_eq!(text(&phone, "date_picker_header_date"), "Fri, Feb 28");
    tap(&mut phone, "OK");
    assert_eq!(text(&phone, "day"), "Feb 28, 2025");
}

/// Opens the dialog at its first and last day and beyond. A day beyond becomes the nearest one, and a malformed one
/// 1 January 2026.
#[test]
fn the_calendar_ends_where_androids_does() {
    for (day, chosen, gone) in [
        ("1900-01-01", "01 January 1900", "Previous month"),
        ("2100-12-31", "31 December 2100", "Next month"),
        ("0000-05-05", "01 January 1900", "Previous month"),
        ("9999-05-05", "31 December 2100", "Next month"),
        ("soon", "01 January 2026", ""),
    ] {
        let phone = open(day);
        assert!(find(&phone, chosen).unwrap().checked, "{day}");
        let turns = ["Previous month", "Next month"].map(|name| find(&phone, name).is_none());
        let expected = ["Previous month", "Next month"].map(|name| name == gone);
        assert_eq!(turns, expected, "{day}");
    }
}

#[test]
fn a_day_and_a_time_are_asked_for_one_after_the_other() {
    let mut phone = open("2026-05-04");
    tap(&mut phone, "Cancel");
    tap(&mut phone, "both");
    tap(&mut phone, "6");
    tap(&mut phone, "OK");
    assert!(find(&phone, "month_view").is_none());
    tap(&mut phone, "Increase hour");
    tap(&mut phone, "OK");
    assert_eq!(text(&phone, "both"), "May 6, 2026 10:30 AM");
    tap(&mut phone, "both");
    tap(&mut phone, "7");
    tap(&mut phone, "OK");
    tap(&mut phone, "Cancel");
    assert_eq!(text(&phone, "both"), "May 6, 2026 10:30 AM");
}

/// Chooses a day on small, wide and dense displays, and with large letters.
#[test]
fn the_calendar_fits_every_screen() {
    let screens = [
        (1080, 2400, 480, 1.0),
        (480, 800, 240, 1.3),
        (2400, 1080, 480, 1.0),
        (720, 1280, 320, 2.0),
    ];
    for (width, height, density, letters) in screens {
        let mut phone = open("2026-05-31");
        phone.set(Setting::Size { width, height });
        phone.set(Setting::Density(density));
        phone.set(Setting::FontScale(letters));
        save(&mut phone, &format!("calendar-{width}"));
        let bottom = find(&phone, "button1").unwrap().bounds.bottom;
        let bar = 48 * density as i32 / 160;
        assert!(bottom <= height as i32 - bar, "{width}x{height}: {bottom}");
        for turn in ["Next month", "Previous month"] {
            tap(&mut phone, turn);
        }
        tap(&mut phone, "30");
        assert_eq!(text(&phone, "date_picker_header_date"), "Sat, May 30");
        tap(&mut phone, "OK");
        assert_eq!(text(&phone, "day"), "May 30, 2026");
    }
}
