//! Tests the text of looks and changes, and their lengths.

#[path = "../../../../benches/peers/mobile_mcp.rs"]
mod mobile_mcp;

use std::sync::Arc;

use super::sizes::Sizes;
use super::*;
use runner_engine::short_ids::ShortIds;
use runner_screen::DisplayContext;
use runner_tools::Caller;

fn screen(nodes: &str) -> Screen {
    let dump = format!(
        "<hierarchy><node class='a.FrameLayout' package='com.example' enabled='true' bounds='[0,0][1080,2400]'>{nodes}</node></hierarchy>"
    );
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

fn node(class: &str, attributes: &str, bounds: [i32; 4], children: &str) -> String {
    let [l, t, r, b] = bounds;
    let enabled = if attributes.contains("enabled=") {
        ""
    } else {
        "enabled='true'"
    };
    format!(
        "<node class='android.widget.{class}' {enabled} {attributes} bounds='[{l},{t}][{r},{b}]'>{children}</node>"
    )
}

pub(super) fn text(text: &str, top: i32) -> String {
    node(
        "TextView",
        &format!("text='{text}'"),
        [0, top, 900, top + 40],
        "",
    )
}

/// Ids and looks of one session.
#[derive(Default)]
pub(super) struct Workspace {
    ids: ShortIds,
    looks: LookHistory,
    caller: Caller,
}

impl Workspace {
    pub(super) fn look(&self, nodes: &str) -> String {
        self.look_with(nodes, ViewOptions::default())
    }

    fn look_with(&self, nodes: &str, options: ViewOptions) -> String {
        let screen = screen(nodes);
        let view = if options.all {
            View::all(&self.ids, &screen)
        } else {
            View::new(&self.ids, &screen)
        };
        let view = Arc::new(view);
        let number = self.looks.add(Arc::clone(&view), &self.caller);
        view.write(&format!("look {number}"), options)
    }

    pub(super) fn changes(&self, nodes: &str, since: Option<u32>) -> String {
        self.changes_for(&self.caller, nodes, since)
    }

    pub(super) fn changes_for(&self, caller: &Caller, nodes: &str, since: Option<u32>) -> String {
        let view = View::new(&self.ids, &screen(nodes));
        self.looks.changes(&Arc::new(view), since, caller)
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().skip(1).collect()
}

#[test]
fn an_element_is_a_line_with_what_is_special_about_it() {
    let cases = [
        (text("Hello", 0), r#"@e1 TextView "Hello""#),
        (
            node(
                "TextView",
                "text=' two&#10;lines ' content-desc='two lines'",
                [0, 0, 9, 9],
                "",
            ),
            r#"@e1 TextView "two lines""#,
        ),
        (
            node(
                "Button",
                "text='Say \"x\\y\"' clickable='true' resource-id='com.example:id/say'",
                [0, 0, 9, 9],
                "",
            )
            .replace("Say \"x\\y\"", "Say &quot;x\\y&quot;"),
            r#"@e1 Button "Say \"x\\y\"" id=say"#,
        ),
        (
            node(
                "Button",
                "text='Off' clickable='true' enabled='false'",
                [0, 0, 9, 9],
                "",
            ),
            r#"@e1 Button "Off" disabled"#,
        ),
        (
            node("Button", "text='Dead'", [0, 0, 9, 9], ""),
            r#"@e1 Button "Dead" no-tap"#,
        ),
        (
            node(
                "ImageView",
                "content-desc='More' clickable='true' long-clickable='true'",
                [0, 0, 9, 9],
                "",
            ),
            r#"@e1 ImageView desc="More" tap hold"#,
        ),
        (
            node(
                "EditText",
                "hint='Name' clickable='true' long-clickable='true' focused='true'",
                [0, 0, 9, 9],
                "",
            ),
            r#"@e1 EditText hint="Name" focused"#,
        ),
        (
            node(
                "EditText",
                "text='secret' password='true' clickable='true'",
                [0, 0, 9, 9],
                "",
            ),
            r"@e1 EditText password",
        ),
        (
            node(
                "CheckBox",
                "text='Wifi' checkable='true' checked='true' clickable='true'",
                [0, 0, 9, 9],
                "",
            ),
            r#"@e1 CheckBox "Wifi" checked"#,
        ),
        (
            node(
                "TextView",
                "text='Tab' selected='true' clickable='true'",
                [0, 0, 9, 9],
                "",
            ),
            r#"@e1 TextView "Tab" tap selected"#,
        ),
    ];
    for (nodes, expected) in cases {
        assert_eq!(
            lines(&Workspace::default().look(&nodes)),
            [expected],
            "{nodes}"
        );
    }
}

#[test]
fn the_head_tells_the_app_the_size_and_what_scrolls() {
    let list = |children: &str| {
        node(
            "ScrollView",
            "scrollable='true'",
            [0, 0, 1080, 2000],
            children,
        )
    };
    let look = Workspace::default().look(&list(&text("A", 0)));
    let expected =
        "look 1: com.example 1080x2400, scrolls: @e1\n@e1 ScrollView scrolls\n@e2 TextView \"A\"";
    assert_eq!(look, expected);
    let many = Workspace::default().look(&list("").repeat(5));
    assert!(
        many.starts_with("look 1: com.example 1080x2400, scrolls: @e1 @e2 @e3 +2\n"),
        "{many}"
    );
    let empty = Workspace::default().look("");
    assert!(
        empty.ends_with("`screenshot: true` shows the picture"),
        "{empty}"
    );
}

#[test]
fn a_row_and_the_words_in_it_are_one_line() {
    let switch = node(
        "Switch",
        "checkable='true' checked='false'",
        [900, 0, 1000, 90],
        "",
    );
    let inner = node("ImageView", "content-desc='Starred'", [0, 0, 9, 9], "");
    let delete = node(
        "ImageButton",
        "content-desc='Delete' clickable='true'",
        [1000, 0, 1080, 90],
        "",
    );
    let row = node(
        "LinearLayout",
        "clickable='true' resource-id='com.example:id/row'",
        [0, 0, 1080, 90],
        &[text("Wi-Fi", 0), text("On", 40), inner, switch, delete].concat(),
    );
    let workspace = Workspace::default();
    let look = workspace.look(&row);
    let expected = [
        r#"@e1 LinearLayout "Wi-Fi" "On" "Starred" id=row tap unchecked"#,
        r#"@e2 ImageButton desc="Delete""#,
    ];
    assert_eq!(lines(&look), expected);
    let all = workspace.look_with(
        &row,
        ViewOptions {
            all: true,
            bounds: true,
        },
    );
    let expected = [
        "@e1 LinearLayout id=row tap at=0,0,1080,90",
        r#"@e3 TextView "Wi-Fi" at=0,0,900,40"#,
        r#"@e4 TextView "On" at=0,40,900,80"#,
        r#"@e5 ImageView desc="Starred" at=0,0,9,9"#,
        r#"@e2 ImageButton desc="Delete" at=1000,0,1080,90"#,
    ];
    assert_eq!(lines(&all), expected);
}

#[test]
fn a_page_that_is_clickable_keeps_its_texts_apart() {
    let page = node(
        "FrameLayout",
        "clickable='true'",
        [0, 0, 1080, 2400],
        &text("A", 0),
    );
    let expected = ["@e1 FrameLayout tap", r#"@e2 TextView "A""#];
    assert_eq!(lines(&Workspace::default().look(&page)), expected);
}

#[test]
fn what_is_off_the_screen_or_says_nothing_is_left_out() {
    let nodes = [
        node(
            "View",
            "resource-id='com.example:id/frame'",
            [0, 0, 9, 9],
            "",
        ),
        node("TextView", "text='below'", [0, 2400, 9, 2500], ""),
        node(
            "TextView",
            "text='flat' visible-to-user='true'",
            [0, 5, 9, 5],
            "",
        ),
        node("TextView", "text='  '", [0, 0, 9, 9], ""),
    ];
    assert_eq!(
        lines(&Workspace::default().look(&nodes.concat())).len(),
        1,
        "only that nothing is there"
    );
}

#[test]
fn a_long_text_is_cut_with_how_much_more_there_is() {
    let long = "ä".repeat(250);
    let workspace = Workspace::default();
    let look = workspace.look(&text(&long, 0));
    let look = runner_text::secret::without_secrets(&look);
    assert!(look.ends_with("ä…\"+50"), "{look}");
    let all = ViewOptions {
        all: true,
        bounds: false,
    };
    assert!(workspace.look_with(&text(&long, 0), all).contains(&long));
}

#[test]
fn changes_tell_only_what_differs() {
    let workspace = Workspace::default();
    let check = |checked: bool, top: i32| {
        node(
            "CheckBox",
            &format!("text='Wifi' checkable='true' checked='{checked}' clickable='true'"),
            [0, top, 900, top + 50],
            "",
        )
    };
    let page = |parts: &[String]| {
        parts.concat()
            + &(5..20)
                .map(|n| text(&format!("line {n}"), n * 100))
                .collect::<String>()
    };
    let before = page(&[text("3", 0), check(false, 100), text("Old", 200)]);
    workspace.look(&before);
    assert_eq!(workspace.changes(&before, None), "look 2: nothing changed");
    let after = page(&[text("4", 0), check(true, 110), text("New", 300)]);
    let expected = "look 3: 2 changed, 1 added, 1 removed\n~ @e1 TextView \"3\" → \"4\"\n\
        ~ @e2 CheckBox \"Wifi\": unchecked → checked\n+ @e19 TextView \"New\"\n- @e3 TextView \"Old\"";
    assert_eq!(workspace.changes(&after, None), expected);
    assert_eq!(workspace.changes(&after, None), "look 4: nothing changed");
    let since_first = workspace.changes(&after, Some(1));
    assert!(
        since_first.starts_with("look 5 since 1: 2 changed, 1 added, 1 removed\n"),
        "{since_first}"
    );
    let moved = page(&[text("4", 0), check(true, 130), text("New", 300)]);
    assert_eq!(workspace.changes(&moved, None), "look 6: 1 moved");
}

#[test]
fn a_new_screen_is_told_whole() {
    let workspace = Workspace::default();
    let other: String = (0..9)
        .map(|n| text(&format!("other {n}"), n * 50))
        .collect();
    let first = workspace.changes(&text("A", 0), None);
    assert!(
        first.starts_with("look 1, whole, as nothing was looked at before: "),
        "{first}"
    );
    let whole = workspace.changes(&other, None);
    assert!(
        whole.starts_with("look 2, whole, as most changed since 1: com.example "),
        "{whole}"
    );
    assert_eq!(whole.lines().count(), 10);
    let unknown = workspace.changes(&other, Some(77));
    assert!(
        unknown.starts_with("look 3, whole, as look 77 is not kept: "),
        "{unknown}"
    );
}

#[test]
fn a_look_is_shorter_than_mobile_mcps_list_and_a_change_a_fifth_of_it() {
    let mut compared = 0;
    for (name, dump) in recorded_dumps() {
        let list = mobile_mcp::list(&dump);
        let (elements, theirs) = (list.lines().count() - 1, list.chars().count());
        let sizes = Sizes::measure(&dump).unwrap();
        // Of a dump with several windows mobile-mcp lists nothing at all.
        if elements > 0 {
            assert!(sizes.look <= theirs, "{name}: {} > {theirs}", sizes.look);
        }
        if elements >= 10 {
            assert!(
                sizes.largest_change * 5 <= theirs,
                "{name}: {sizes:?} {theirs}"
            );
            compared += 1;
        }
        // One changed line and the number of the look are 60 to 120 characters, whatever the screen: more than a fifth
        // of the look where that is short itself.
        if elements >= 15 {
            assert!(sizes.largest_change * 5 <= sizes.look, "{name}: {sizes:?}");
        }
    }
    assert!(compared == 0 || compared >= 35, "{compared}");
}

fn recorded_dumps() -> Vec<(String, String)> {
    let Some(root) = runner_testing::recording("screens") else {
        return Vec::new();
    };
    walkdir::WalkDir::new(root)
        .into_iter()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "xml"))
        .map(|entry| {
            let name = entry.path().display().to_string();
            (name, fs_err::read_to_string(entry.path()).unwrap())
        })
        .collect()
}
