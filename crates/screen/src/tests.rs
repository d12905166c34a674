//! Tests of whole screens: windows, ids, rows and what each row says.

mod dumps;

use super::tsv::header;
use super::*;

fn node(attributes: &str) -> String {
    format!("<node {attributes}/>")
}

fn hierarchy(nodes: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">{nodes}</hierarchy>"
    )
}

fn parse(dump: &str) -> Screen {
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

/// Calculator of the reference documentation, as an older and as a newer device dumps it.
const CALCULATOR: &str = r#"<node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="com.android.calculator2" content-desc="" enabled="true" bounds="[0,0][1080,2400]"><node index="0" text="7" resource-id="com.android.calculator2:id/digit_7" class="android.widget.Button" package="com.android.calculator2" content-desc="" clickable="true" enabled="true" bounds="[50,800][270,1000]" /></node>"#;

fn calculator_windows() -> String {
    format!(
        r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><displays><display id="0"><window index="0" title="Calculator" bounds="[0,0][1080,2400]" active="true" focused="true" id="42" layer="0" type="TYPE_APPLICATION"><hierarchy rotation="0">{CALCULATOR}</hierarchy></window></display></displays>"#
    )
}

#[test]
fn ids_have_the_contracts_values() {
    let screen = parse(&calculator_windows());
    let ids: Vec<_> = screen.nodes().map(Node::id).collect();
    assert_eq!(ids, ["node_ddda1cc1_w42", "node_322967b8_w42"]);
    for id in ["node_322967b8", "node_322967b8_w42"] {
        assert_eq!(screen.node_by_id(id).unwrap().text(), "7");
    }
    for id in [
        "node_322967b8_w41",
        "322967b8",
        "node_0",
        "",
        "node_322967b8_w",
    ] {
        assert!(screen.node_by_id(id).is_none(), "{id}");
    }
}

#[test]
fn of_two_nodes_with_one_id_the_first_answers() {
    let twin = r#"index="0" class="a.B" bounds="[0,0][9,9]" text="#;
    let screen = parse(&hierarchy(&format!(
        "<node index='0'>{}{}</node>",
        node(&format!("{twin}'first'")),
        node(&format!("{twin}'second'"))
    )));
    let ids: Vec<_> = screen.nodes().skip(1).map(Node::id).collect();
    assert_eq!(ids[0], ids[1]);
    assert_eq!(screen.node_by_id(&ids[0]).unwrap().text(), "first");
}

#[test]
fn tsv_is_the_references() {
    let surroundings = DisplayContext {
        display: Some(Display {
            width: 1080,
            height: 2400,
            density: 420,
            rotation: 0,
        }),
        foreground: Some(("com.android.calculator2".into(), ".Calculator".into())),
        ..DisplayContext::default()
    };
    let screen = Screen::parse(calculator_windows().as_bytes(), &surroundings).unwrap();
    insta::assert_snapshot!(screen.tsv(Profile::Reference), @r"
    note:structural-only nodes are omitted from the tree
    note:certain elements are custom and will not be properly reported, if needed or if tools are not working as expected set include_screenshot=true to see the screen and take what you see into account
    note:flags: on=onscreen off=offscreen clk=clickable lclk=longClickable foc=focusable scr=scrollable edt=editable ena=enabled
    note:offscreen items require scroll_to_element before interaction
    screen:1080x2400 density:420 orientation:portrait
    --- window:42 type:APPLICATION pkg:com.android.calculator2 title:Calculator activity:.Calculator layer:0 focused:true ---
    id	class	text	desc	res_id	bounds	flags
    node_322967b8_w42	Button	7	-	com.android.calculator2:id/digit_7	50,800,270,1000	on,clk,ena
    ");
}

#[test]
fn a_dump_without_windows_is_one_degraded_window() {
    let screen = parse(&hierarchy(CALCULATOR));
    assert!(screen.is_degraded());
    let tsv = screen.tsv(Profile::Golden);
    let tail: Vec<_> = tsv.lines().skip(4).collect();
    assert_eq!(
        tail,
        [
            "note:DEGRADED — multi-window API unavailable, showing rootInActiveWindow only",
            "screen:1080x2400 density:0 orientation:portrait",
            "--- window:0 type:APPLICATION pkg:com.android.calculator2 title:unknown layer:0 focused:true ---",
            "id\tclass\ttext\tdesc\tres_id\thint\tbounds\tflags",
            "n1\tButton\t7\t-\tcom.android.calculator2:id/digit_7\t-\t50,800,270,1000\ton,clk,ena",
        ]
    );
}

#[test]
fn values_print_on_one_line_and_only_the_reference_cuts_them() {
    let long = "é".repeat(101);
    let cases = [
        ("a&#10;b\tc\r", "a b c"),
        (" ", "-"),
        ("a > b &amp; \u{1}", "a > b & \u{1}"),
        (&long, &format!("{}...truncated", "é".repeat(100))),
        (&"é".repeat(100), &"é".repeat(100)),
        (
            &"😀".repeat(51),
            &format!("{}...truncated", "😀".repeat(50)),
        ),
    ];
    for (written, printed) in cases {
        let screen = parse(&hierarchy(&node(&format!("text=\"{written}\""))));
        let rows = screen.rows(Profile::Reference);
        let cell = runner_text::secret::without_secrets(&rows[0].cells()[2]).into_owned();
        assert_eq!(cell, *printed, "{written}");
        let golden = screen.rows(Profile::Golden);
        assert!(!golden[0].cells()[2].ends_with("...truncated"));
    }
}

/// Each case has text, hint and `password` as dumps of phones have them; then the displayed text, the
/// content, and the number of characters of a password.
#[test]
fn a_field_shows_its_hint_while_nothing_is_in_it() {
    for (text, hint, password, display, held, masked) in [
        ("Username", "Username", false, "Username", "", 0),
        ("", "Search &amp; find", false, "Search & find", "", 0),
        (
            "Search &amp; find",
            "Search & find",
            false,
            "Search & find",
            "",
            0,
        ),
        ("2", "Columns", false, "2", "2", 0),
        ("", "", false, "", "", 0),
        // A release that writes no hint: it looks like text.
        ("Search", "", false, "Search", "Search", 0),
        ("Password", "Password", true, "Password", "<password>", 0),
        ("", "Password", true, "Password", "<password>", 0),
        ("••••", "Password", true, "<password>", "<password>", 4),
        ("Password", "", true, "<password>", "<password>", 8),
        ("", "", true, "<password>", "<password>", 0),
    ] {
        let screen = parse(&hierarchy(&node(&format!(
            r#"class="android.widget.EditText" password="{password}" text="{text}" hint="{hint}" bounds="[0,0][10,10]""#
        ))));
        let field = screen.nodes().next().unwrap();
        assert_eq!(
            (
                field.display_text(),
                field.text(),
                field.masked_characters()
            ),
            (display, held, masked),
            "{text} {hint} {password}"
        );
        assert_eq!(screen.rows(Profile::Reference)[0].text, display);
        assert_eq!(screen.rows(Profile::Golden)[0].text, held);
        // What is in a password field is nowhere.
        assert!(!format!("{screen:?}").contains("••••"));
    }
}

#[test]
fn flags_follow_the_legend() {
    let all = r#"class="x.MyEditTextView" checkable="true" checked="true" clickable="true" enabled="true" focusable="true" focused="true" scrollable="true" long-clickable="true" password="true" selected="true" text="hunter2" bounds="[0,0][10,10]""#;
    let screen = parse(&hierarchy(&node(all)));
    let reference = &screen.rows(Profile::Reference)[0];
    assert_eq!(reference.flags.join(","), "on,clk,lclk,foc,scr,edt,ena");
    let golden = &screen.rows(Profile::Golden)[0];
    assert_eq!(
        golden.flags.join(","),
        "on,clk,lclk,foc,scr,edt,ena,chkb,chk,sel,fcs,pwd"
    );
    assert_eq!(reference.text, "<password>");
    assert_eq!(golden.text, "<password>");
    assert!(!format!("{screen:?}").contains("hunter2"));
    let shared = RowFilter {
        shared: true,
        ..RowFilter::default()
    };
    let row = &screen.rows_with(Profile::Golden, &shared)[0];
    assert_eq!(row.bounds, None);
    assert_eq!(row.flags[0], "clk");
    let columns = header(Profile::Golden, &shared).split('\t').count();
    assert_eq!(row.cells().len(), columns);
}

#[test]
fn v2_on_the_screen_is_what_has_an_area_on_the_display_and_is_not_called_invisible() {
    let why = |bounds: &str, more: &str| {
        let root = r#"<node class="android.webkit.WebView" bounds="[0,0][100,200]">"#;
        let child = node(&format!("bounds=\"{bounds}\" {more}"));
        let plain = r#"<node bounds="[0,0][100,200]">"#;
        let dump = format!("{root}{child}</node>{plain}{child}</node>");
        let screen = parse(&hierarchy(&dump));
        let places = [1, 3].map(|index| screen.node(NodeIndex(index)));
        assert_eq!(
            places.map(Node::is_on_screen),
            places.map(|node| node.off_screen_reason().is_none())
        );
        places.map(Node::off_screen_reason)
    };
    let both = |why| [Some(why); 2];
    let hidden = r#"visible-to-user="false""#;
    let message = r#"visible-to-user="true""#;
    assert_eq!(why("[0,0][10,10]", ""), [None, None]);
    assert_eq!(why("[-5,-5][1,1]", message), [None, None]);
    // In a web page it is often false without reason.
    assert_eq!(
        why("[0,0][10,10]", hidden),
        [None, Some(OffScreenReason::NotVisible)]
    );
    for more in ["", message] {
        assert_eq!(why("[0,0][0,0]", more), both(OffScreenReason::NoSize));
        assert_eq!(why("[10,10][10,20]", more), both(OffScreenReason::NoSize));
        assert_eq!(why("[20,20][10,10]", more), both(OffScreenReason::NoSize));
        assert_eq!(why("", more), both(OffScreenReason::NoSize));
        assert_eq!(why("[100,0][110,10]", more), both(OffScreenReason::Outside));
        assert_eq!(why("[-5,-5][0,0]", more), both(OffScreenReason::Outside));
    }
    // Neither a display nor a window has a size: an area is enough.
    let unknown = parse(&hierarchy(
        r#"<node bounds="[0,0][0,0]"><node bounds="[5,5][9,9]"/><node bounds="[9,9][5,5]"/></node>"#,
    ));
    let observed: Vec<_> = unknown.nodes().map(Node::is_on_screen).collect();
    assert_eq!(observed, [false, true, false]);
}

#[test]
fn a_row_says_on_as_the_device_says_else_by_what_meets_the_screen() {
    let at = |bounds: &str, more: &str| {
        let root = r#"<node bounds="[0,0][100,200]">"#;
        let child = node(&format!("bounds=\"{bounds}\" {more}"));
        let screen = parse(&hierarchy(&format!("{root}{child}</node>")));
        screen.node(NodeIndex(1)).is_on_in_rows()
    };
    assert!(at("[0,0][10,10]", ""));
    assert!(at("[-5,-5][1,1]", ""));
    assert!(!at("[-5,-5][0,0]", ""));
    assert!(!at("[100,0][110,10]", ""));
    assert!(!at("[10,10][10,20]", ""));
    assert!(!at("[20,20][10,10]", ""));
    assert!(!at("[0,0][10,10]", r#"visible-to-user="false""#));
    assert!(at("[0,0][0,0]", r#"visible-to-user="true""#));
}

#[test]
fn windows_keep_the_devices_order_and_displays_after_the_first_are_left_out() {
    let window = |id: i32, kind: &str, package: &str, inner: &str| {
        format!(
            r#"<window index="0" title="T<{id}>" bounds="[0,0][10,20]" active="false" focused="false" id="{id}" layer="{id}" type="{kind}">{inner}<hierarchy rotation="1"><node text="{id}" package="{package}" bounds="[0,0][10,20]"/></hierarchy></window>"#
        )
    };
    let dump = format!(
        r#"<displays><display id="0">{}{}<window index="2" title="" id="5" type="3" layer="9"/></display><display id="2">{}</display></displays>"#,
        window(7, "TYPE_INPUT_METHOD", "ime", ""),
        window(3, "1", "app", &window(4, "TYPE_SYSTEM", "inner", "")),
        window(9, "1", "other", ""),
    );
    let screen = parse(&dump);
    let windows: Vec<_> = screen
        .windows()
        .iter()
        .map(|window| (window.id, window.kind.as_str(), window.package.as_str()))
        .collect();
    assert_eq!(
        windows,
        [
            (7, "INPUT_METHOD", "ime"),
            (3, "APPLICATION", "app"),
            (4, "SYSTEM", "inner")
        ]
    );
    assert!(screen.keyboard_shown());
    assert!(!screen.is_degraded());
    assert_eq!(screen.display().rotation, 1);
    let texts: Vec<_> = screen
        .rows(Profile::Reference)
        .into_iter()
        .map(|row| row.text.into_owned())
        .collect();
    assert_eq!(texts, ["7", "3", "4"]);
    let only = RowFilter {
        package: Some("app"),
        ..RowFilter::default()
    };
    let rows = screen.rows_with(Profile::Golden, &only);
    assert_eq!(
        (rows.len(), rows[0].id.as_str(), &*rows[0].text),
        (1, "n1", "3")
    );
}

#[test]
fn several_roots_share_the_window() {
    let screen = parse(&hierarchy(
        "<node index='0' bounds='[0,10][10,20]'/><node index='0' bounds='[5,0][30,5]'/><node bounds='[0,0][0,0]'/>",
    ));
    assert_eq!(screen.windows().len(), 1);
    assert!(
        screen
            .nodes()
            .all(|node| node.parent().is_none() && node.depth() == 0)
    );
    let display = screen.display();
    assert_eq!(
        (display.width, display.height, display.density),
        (30, 20, 0)
    );
    assert_eq!(display.orientation(), Orientation::Landscape);
}

#[test]
fn what_the_device_says_completes_the_window() {
    let window = |package: &str, focused: bool| Window {
        id: 0xbeef,
        kind: "APPLICATION".into(),
        package: package.into(),
        title: format!("Title of {package}"),
        activity: None,
        layer: 21_000,
        focused,
        bounds: Rect::default(),
    };
    let surroundings = DisplayContext {
        windows: vec![
            window("com.other", true),
            window("com.android.calculator2", true),
        ],
        foreground: Some(("com.android.calculator2".into(), ".Calculator".into())),
        keyboard_shown: true,
        ..DisplayContext::default()
    };
    let screen = Screen::parse(hierarchy(CALCULATOR).as_bytes(), &surroundings).unwrap();
    let merged = &screen.windows()[0];
    assert_eq!((merged.id, merged.layer), (0, 21_000));
    assert_eq!(merged.title, "Title of com.android.calculator2");
    assert_eq!(merged.activity.as_deref(), Some(".Calculator"));
    assert!(screen.keyboard_shown());
    assert_eq!(
        screen.foreground(),
        Some(("com.android.calculator2", ".Calculator"))
    );
}

#[test]
fn the_tree_can_be_walked() {
    let screen = parse(&hierarchy(
        "<node text='0'><node text='1'><node text='2'/></node><node text='3'/></node><node text='4'/>",
    ));
    let texts = |nodes: &mut dyn Iterator<Item = Node<'_>>| {
        nodes.map(|node| node.text().to_owned()).collect::<Vec<_>>()
    };
    let root = screen.node(NodeIndex(0));
    assert_eq!(texts(&mut root.children()), ["1", "3"]);
    assert_eq!(texts(&mut root.descendants()), ["1", "2", "3"]);
    assert_eq!(
        texts(&mut screen.node(NodeIndex(2)).ancestors()),
        ["1", "0"]
    );
    assert_eq!(texts(&mut screen.node(NodeIndex(2)).children()), [""; 0]);
    assert_eq!(root.child_count(), 2);
    assert!(root.holds(screen.node(NodeIndex(3))) && !root.holds(screen.node(NodeIndex(4))));
}

#[test]
fn a_screen_is_shared_between_threads() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    is_shared(&parse(&hierarchy(CALCULATOR)));
}
