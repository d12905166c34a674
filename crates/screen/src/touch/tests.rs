use std::collections::BTreeMap;

use super::blocker::Blocker;
use super::*;
use crate::{Display, DisplayContext, NodeIndex, Screen};

fn context(layers: Vec<WindowLayer>) -> DisplayContext {
    DisplayContext {
        display: Some(Display {
            width: 400,
            height: 800,
            density: 160,
            rotation: 0,
        }),
        layers,
        ..DisplayContext::default()
    }
}

fn screen(nodes: &str, layers: Vec<WindowLayer>) -> Screen {
    let dump = format!("<hierarchy rotation=\"0\">{nodes}</hierarchy>");
    Screen::parse(dump.as_bytes(), &context(layers)).expect("a dump")
}

/// Returns the XML of a node; `order` is its `drawing-order`, 0 for none.
fn node(id: &str, clickable: bool, order: u32, bounds: &str, children: &str) -> String {
    let order = if order == 0 {
        String::new()
    } else {
        format!(" drawing-order=\"{order}\"")
    };
    format!(
        "<node resource-id=\"{id}\" class=\"V\" package=\"a\" clickable=\"{clickable}\"{order} bounds=\"{bounds}\">{children}</node>"
    )
}

fn place(screen: &Screen, id: &str) -> TouchPlace {
    let node = screen.nodes().find(|node| node.resource_id() == id);
    let node = node.expect("the element");
    let target = std::iter::once(node)
        .chain(node.ancestors())
        .find(|node| node.flags().clickable)
        .unwrap_or(node);
    node.touch_place(target).expect("on the display")
}

fn point(x: i32, y: i32) -> Point {
    Point { x, y }
}

fn layer(title: &str, focused: bool, frame: Rect, region: Option<TouchableRegion>) -> WindowLayer {
    WindowLayer {
        title: title.to_owned(),
        package: if focused { "a" } else { "b" }.to_owned(),
        kind: "APPLICATION".to_owned(),
        focused,
        frame,
        region,
    }
}

/// Returns a screen with a row and a floating button above its middle.
fn row_below(order_of_row: u32, order_of_button: u32, button: &str) -> Screen {
    let row = node("row", true, order_of_row, "[0,0][400,100]", "");
    let button = node("button", true, order_of_button, button, "");
    screen(
        &node(
            "root",
            false,
            1,
            "[0,0][400,800]",
            &format!("{row}{button}"),
        ),
        Vec::new(),
    )
}

#[test]
fn a_touch_goes_beside_what_lies_above() {
    let right = TouchPlace::Free(point(75, 50));
    assert_eq!(place(&row_below(1, 2, "[150,0][250,100]"), "row"), right);
    // Below it by its drawing order, though later in the tree.
    let middle = TouchPlace::Free(point(200, 50));
    assert_eq!(place(&row_below(2, 1, "[150,0][250,100]"), "row"), middle);
    // Nothing says it, and there is room.
    assert_eq!(place(&row_below(0, 0, "[150,0][250,100]"), "row"), right);
}

#[test]
fn an_element_all_below_another_is_covered_only_by_facts() {
    let covered = place(&row_below(1, 2, "[0,0][400,100]"), "row");
    let TouchPlace::Covered {
        by: Cover::Element(by),
        ..
    } = covered
    else {
        panic!("{covered:?}");
    };
    assert_eq!(by, NodeIndex(2));
    let unknown = place(&row_below(0, 0, "[0,0][400,100]"), "row");
    assert_eq!(
        unknown,
        TouchPlace::Unknown {
            point: point(200, 50),
            by: NodeIndex(2)
        }
    );
    let equal = place(&row_below(1, 1, "[0,0][400,100]"), "row");
    assert_eq!(
        equal,
        TouchPlace::Unknown {
            point: point(200, 50),
            by: NodeIndex(2)
        }
    );
    // A part of a few pixels is touched where the rest is certainly covered, and not where it may be.
    assert_eq!(
        place(&row_below(1, 2, "[10,0][400,100]"), "row"),
        TouchPlace::Free(point(5, 50))
    );
    let unknown = place(&row_below(0, 0, "[10,0][400,100]"), "row");
    assert_eq!(
        unknown,
        TouchPlace::Unknown {
            point: point(200, 50),
            by: NodeIndex(2)
        }
    );
}

#[test]
fn branches_are_compared_where_they_part() {
    let text = node("text", false, 1, "[0,0][400,100]", "");
    let row = node("row", true, 9, "[0,0][400,100]", &text);
    let list = node("list", false, 1, "[0,0][400,800]", &row);
    let button = node("button", true, 1, "[0,0][400,100]", "");
    let bar = node("bar", false, 2, "[0,0][400,200]", &button);
    let screen = screen(
        &node("root", false, 1, "[0,0][400,800]", &format!("{bar}{list}")),
        Vec::new(),
    );
    assert!(matches!(place(&screen, "text"), TouchPlace::Covered { .. }));
    assert_eq!(place(&screen, "button"), TouchPlace::Free(point(200, 50)));
}

#[test]
fn what_is_in_an_element_is_touched_with_it_unless_the_element_itself_takes_touches() {
    let inner = node("inner", true, 1, "[100,0][300,100]", "");
    let wrapper = |clickable| {
        let wrapper = node("wrapper", clickable, 1, "[0,0][400,100]", &inner);
        let root = node("root", true, 1, "[0,0][400,800]", &wrapper);
        place(&screen(&root, Vec::new()), "wrapper")
    };
    assert_eq!(wrapper(false), TouchPlace::Free(point(200, 50)));
    assert_eq!(wrapper(true), TouchPlace::Free(point(50, 50)));
    // Where the part leaves no room, a touch in the middle is the part's.
    let part = node("part", true, 1, "[10,10][390,90]", "");
    let row = node("row", true, 1, "[0,0][400,100]", &part);
    let place = place(&screen(&row, Vec::new()), "row");
    assert!(matches!(place, TouchPlace::Unknown { .. }), "{place:?}");
}

#[test]
fn what_scrolls_and_sliders_take_touches_too() {
    for above in [
        r#"class="android.widget.ScrollView" scrollable="true""#,
        r#"class="androidx.appcompat.widget.AppCompatSeekBar""#,
        r#"class="android.widget.RatingBar""#,
    ] {
        let button = node("button", true, 1, "[0,0][400,100]", "");
        let above = format!(
            "<node {above} package=\"a\" enabled=\"true\" drawing-order=\"2\" bounds=\"[0,0][400,100]\"/>"
        );
        let root = node(
            "root",
            false,
            1,
            "[0,0][400,800]",
            &format!("{button}{above}"),
        );
        let place = place(&screen(&root, Vec::new()), "button");
        assert!(
            matches!(place, TouchPlace::Covered { .. }),
            "{above}: {place:?}"
        );
    }
}

#[test]
fn windows_above_take_touches_in_their_regions() {
    let row = node("row", true, 1, "[0,0][400,100]", "");
    let app = || {
        layer(
            "a/.Main",
            true,
            Rect::new(0, 0, 400, 800),
            Some(TouchableRegion::Everywhere),
        )
    };
    let whole = Rect::new(0, 0, 400, 800);
    let touch = |above: WindowLayer| place(&screen(&row, vec![above, app()]), "row");
    let parts = |parts: Vec<Rect>| Some(TouchableRegion::Parts(parts));
    let middle = TouchPlace::Free(point(200, 50));
    assert_eq!(
        touch(layer("veil", false, whole, Some(TouchableRegion::Nowhere))),
        middle
    );
    assert_eq!(touch(layer("veil", false, whole, None)), middle);
    assert_eq!(
        touch(layer(
            "keyboard",
            false,
            whole,
            parts(vec![Rect::new(0, 500, 400, 800)])
        )),
        middle
    );
    let bubble = touch(layer(
        "bubble",
        false,
        whole,
        parts(vec![Rect::new(100, 0, 400, 100)]),
    ));
    assert_eq!(bubble, TouchPlace::Free(point(50, 50)));
    let dialog = touch(layer(
        "dialog",
        false,
        Rect::new(0, 300, 400, 500),
        Some(TouchableRegion::Everywhere),
    ));
    let by = Cover::Window("the window `dialog`".to_owned());
    assert_eq!(
        dialog,
        TouchPlace::Covered {
            point: point(200, 50),
            by
        }
    );
    // A window below takes nothing.
    let below = layer("below", false, whole, Some(TouchableRegion::Everywhere));
    assert_eq!(place(&screen(&row, vec![app(), below]), "row"), middle);
    // Nobody knows which of two windows of the app it is.
    let twice = vec![
        layer("dialog", false, whole, Some(TouchableRegion::Everywhere)),
        app(),
        app(),
    ];
    assert_eq!(place(&screen(&row, twice), "row"), middle);
}

/// Tries every pixel of small areas: a free point must be free, and an area counts as covered only if no
/// pixel is free.
#[test]
fn a_place_is_free_if_and_only_if_some_pixel_is() {
    let mut random = fastrand::Rng::with_seed(44);
    let mut counts = [0; 3];
    for _ in 0..3_000 {
        let area = Rect::new(0, 0, random.i32(1..24), random.i32(1..24));
        let most = if random.u8(..8) == 0 { 80 } else { 16 };
        let blockers: Vec<Blocker> = (0..random.u32(0..most))
            .filter_map(|index| {
                let (left, top) = (random.i32(-4..20), random.i32(-4..20));
                let part = Rect::new(left, top, left + random.i32(1..24), top + random.i32(1..24));
                let kind = match random.u8(..3) {
                    0 | 1 => BlockerKind::Known(Cover::Element(NodeIndex(index))),
                    _ => BlockerKind::Unknown(NodeIndex(index)),
                };
                Some(Blocker {
                    part: part.intersection(&area)?,
                    kind,
                })
            })
            .collect();
        let is_blocked = |x, y| {
            let at = |blocker: &&Blocker| blocker.part.contains(point(x, y));
            let known = |blocker: &&Blocker| matches!(blocker.kind, BlockerKind::Known(_));
            blockers.iter().filter(at).any(|it| known(&it))
        };
        let some_free =
            (area.left..area.right).any(|x| (area.top..area.bottom).any(|y| !is_blocked(x, y)));
        let display = Display {
            width: 24,
            height: 24,
            density: 160,
            rotation: 0,
        };
        let place = free_point::find(area, &blockers, display);
        match &place {
            TouchPlace::Free(at) => {
                counts[0] += 1;
                assert!(
                    area.contains(*at) && !is_blocked(at.x, at.y),
                    "{area:?} {place:?}"
                );
                assert!(!blockers.iter().any(|it| it.part.contains(*at)));
            }
            TouchPlace::Unknown { point: at, by } => {
                counts[1] += 1;
                assert!(
                    area.contains(*at) && !is_blocked(at.x, at.y),
                    "{area:?} {place:?}"
                );
                assert!(blockers.iter().any(|it| it.part.contains(*at)), "{by:?}");
            }
            TouchPlace::Covered { .. } => counts[2] += 1,
        }
        // Of very many only the largest are cut off.
        if blockers.len() <= 32 {
            assert_eq!(
                matches!(place, TouchPlace::Covered { .. }),
                !some_free,
                "{area:?} {place:?}"
            );
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

/// Reads all clickable elements of the screens of Android's framework and of public recordings.
#[test]
fn clickable_elements_of_recorded_screens_have_a_place() {
    let mut table: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut refused = Vec::new();
    let framework = runner_testing::framework_screens();
    let framework = framework
        .iter()
        .map(|it| (it.activity.clone(), it.dump.clone().into_bytes()));
    let recorded = crate::corpus_tests::dumps().iter().cloned();
    let both = framework
        .map(|it| ("framework", it))
        .chain(recorded.map(|it| ("recorded", it)));
    for (source, (name, dump)) in both {
        let screen = Screen::parse(&dump, &DisplayContext::default()).expect("a dump");
        for node in screen
            .nodes()
            .filter(|node| node.flags().clickable && node.is_on_screen())
        {
            let Some(place) = node.touch_place(node) else {
                continue;
            };
            let middle = node.part_on_display().map(|part| part.center());
            let column = match &place {
                TouchPlace::Free(at) if Some(*at) == middle => 0,
                TouchPlace::Free(_) => 1,
                TouchPlace::Unknown { .. } => 2,
                TouchPlace::Covered { by, .. } => {
                    refused.push(format!(
                        "{name}: {} {} by {by:?}",
                        node.short_class(),
                        node.display_text()
                    ));
                    3
                }
            };
            table.entry(source).or_default()[column] += 1;
        }
    }
    println!(
        "source: middle, moved, unknown, refused\n{table:?}\n{}",
        refused.join("\n")
    );
    // Nothing in the framework's demos lies all below something else.
    let framework = table["framework"];
    assert_eq!(framework[3], 0, "{refused:?}");
}

#[test]
fn a_toast_is_known_by_its_window() {
    let frame = Rect::new(0, 700, 400, 740);
    for (title, kind, is_toast) in [
        ("Toast", "SYSTEM", true),
        ("Toast", "APPLICATION", false),
        ("StatusBar", "SYSTEM", false),
    ] {
        let layer = WindowLayer {
            kind: kind.to_owned(),
            ..layer(title, false, frame, None)
        };
        let screen = screen(&node("root", false, 0, "[0,0][400,800]", ""), vec![layer]);
        assert_eq!(screen.shows_toast(), is_toast, "{title} {kind}");
    }
}
