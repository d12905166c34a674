//! Tests of the reading of dumps: what is none, what is cut off, and odd parts.

use proptest::prelude::*;

use super::*;

#[test]
fn what_stands_around_the_hierarchy_does_not_matter() {
    let plain = hierarchy(CALCULATOR);
    let expected = parse(&plain).tsv(Profile::Reference);
    let variants = [
        format!("{plain}UI hierchary dumped to: /dev/tty"),
        format!("UI hierchary dumped to: /sdcard/x.xml\n{plain}\n"),
        format!("WARNING: linker <unused>: DT entry\r\n{plain}"),
        plain.replace(
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>",
            "",
        ),
        plain.replace("><node", ">\r\n    <node"),
        plain.replace(
            "index=\"0\" text",
            "NAF=\"true\" index=\"0\" odd bare=1 text",
        ),
        format!("{plain}{plain}"),
    ];
    for variant in variants {
        assert_eq!(
            parse(&variant).tsv(Profile::Reference),
            expected,
            "{variant}"
        );
    }
    for encode in [u16::to_le_bytes, u16::to_be_bytes] {
        let units = |text: &str| text.encode_utf16().flat_map(encode).collect::<Vec<u8>>();
        for bytes in [units(&plain), units(&format!("\u{FEFF}{plain}"))] {
            let screen = Screen::parse(&bytes, &DisplayContext::default()).unwrap();
            assert_eq!(screen.tsv(Profile::Reference), expected);
        }
    }
}

#[test]
fn what_is_no_dump_is_an_error() {
    let error = |dump: &[u8]| Screen::parse(dump, &DisplayContext::default()).unwrap_err();
    for dump in [
        "",
        "ERROR: could not get idle state.\n",
        "Killed",
        "<?xml version='1.0' ?>",
    ] {
        assert_eq!(
            error(dump.as_bytes()),
            ScreenError::NotADump {
                begins: format!("{dump:?}")
            }
        );
    }
    let whole = hierarchy(CALCULATOR);
    let cut = |at: usize| &whole.as_bytes()[..at];
    for at in [whole.len() - 1, whole.len() - 12, whole.len() - 20, 120] {
        assert_eq!(error(cut(at)), ScreenError::Truncated { bytes: at });
    }
}

/// A dump whose end is there and whose middle is missing must not pass for a screen with fewer elements.
#[test]
fn attack_a_dump_that_lacks_its_middle_is_cut_off() {
    let node = "<node class=\"a\" bounds=\"[0,0][9,9]\">";
    let window = |inside: &str| {
        format!(
            "<displays><display id=\"0\"><window id=\"1\"><hierarchy rotation=\"0\">{inside}</hierarchy></window></display></displays>"
        )
    };
    for dump in [
        format!("<hierarchy rotation=\"0\">{node}{node}</node></hierarchy>"),
        format!("<hierarchy rotation=\"0\">{node}</hierarchy>"),
        window(node),
        window(&format!("{node}{node}</node>")),
        window(node).replace("</hierarchy></window></display>", ""),
        window(&format!("{node}</node>")).replace("</hierarchy></window></display>", ""),
    ] {
        assert_eq!(
            Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap_err(),
            ScreenError::Truncated { bytes: dump.len() },
            "{dump}"
        );
    }
    // An end too many hides nothing.
    let whole = window(&format!("{node}</node></node>"));
    Screen::parse(whole.as_bytes(), &DisplayContext::default()).unwrap();
}

#[test]
fn sizes_have_limits() {
    let deep = format!("{}{}", "<node>".repeat(1_001), "</node>".repeat(1_001));
    let error = |nodes: &str| {
        Screen::parse(hierarchy(nodes).as_bytes(), &DisplayContext::default()).unwrap_err()
    };
    assert_eq!(
        error(&deep),
        ScreenError::TooLarge {
            what: "levels",
            limit: 1_000
        }
    );
    assert_eq!(
        error(&"<node/>".repeat(100_001)),
        ScreenError::TooLarge {
            what: "nodes",
            limit: 100_000
        }
    );
}

#[test]
fn missing_attributes_read_as_nothing() {
    let screen = parse(&hierarchy(
        "<node><node bounds='nonsense' clickable='TRUE'/></node>",
    ));
    let child = screen.node(NodeIndex(1));
    assert_eq!(
        (child.class(), child.text(), child.resource_id()),
        ("", "", "")
    );
    assert_eq!(
        (child.bounds(), child.flags()),
        (Rect::default(), Flags::default())
    );
    assert_eq!(screen.rows(Profile::Reference), []);
    assert!(!child.is_on_screen());
    let json = screen.to_json(Profile::Reference);
    assert_eq!(json["windows"][0]["rows"], serde_json::json!([]));
    assert!(screen.tsv(Profile::Reference).contains("pkg:unknown"));
}

#[test]
fn v3_a_tree_without_a_node_is_no_screen() {
    let window = r#"<window id="1" type="1"><hierarchy rotation="0"></hierarchy></window>"#;
    for dump in [
        "<hierarchy/>".to_owned(),
        r#"<hierarchy rotation="0"/>"#.to_owned(),
        hierarchy(""),
        hierarchy("") + &hierarchy(CALCULATOR),
        "<displays/>".to_owned(),
        "<displays></displays>".to_owned(),
        r#"<displays><display id="0"></display></displays>"#.to_owned(),
        format!(r#"<displays><display id="0">{window}</display></displays>"#),
    ] {
        let error = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap_err();
        assert_eq!(error, ScreenError::Empty, "{dump}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Screen::parse(&bytes, &DisplayContext::default());
    }

    #[test]
    fn any_text_in_a_hierarchy_is_read_or_refused(inner in r#"(<node |</node>|/>|>|text="|"|bounds="\[[-0-9]{1,12},|&#x?[0-9a-f]{1,9};|</hierarchy>|<hierarchy|<window|.){0,40}"#) {
        if let Ok(screen) = Screen::parse(hierarchy(&inner).as_bytes(), &DisplayContext::default()) {
            for profile in [Profile::Reference, Profile::Golden] {
                let tsv = screen.tsv(profile);
                let rows = screen.rows(profile);
                prop_assert!(rows.iter().all(|row| !row.to_line().contains('\n')));
                prop_assert!(rows.iter().all(|row| tsv.contains(&row.to_line())));
            }
        }
    }
}

/// A cover display with a lit screen beside a main display that has no window yet.
#[test]
fn what_another_display_shows_is_not_on_the_main_one() {
    let window = |id: u32| {
        format!(
            r#"<window index="0" title="" id="{id}" type="1" layer="0"><hierarchy rotation="0">{CALCULATOR}</hierarchy></window>"#
        )
    };
    for main in [r#"<display id="0"></display>"#, r#"<display id="0"/>"#, ""] {
        let dump = format!(
            r#"<displays>{main}<display id="2">{}</display></displays>"#,
            window(7)
        );
        let read = Screen::parse(dump.as_bytes(), &DisplayContext::default());
        assert!(matches!(read, Err(ScreenError::Empty)), "{dump}");
    }
    let both = format!(
        r#"<displays><display id="2">{}</display><display id="0">{}</display></displays>"#,
        window(7),
        window(8)
    );
    let screen = Screen::parse(both.as_bytes(), &DisplayContext::default()).unwrap();
    let ids: Vec<i32> = screen.windows().iter().map(|window| window.id).collect();
    assert_eq!(ids, [8]);
}

/// Older releases dump an app without the status bar, so its bounds begin below it.
#[test]
fn a_display_that_is_not_reported_reaches_as_far_as_its_roots() {
    let dump =
        r#"<hierarchy rotation="0"><node class="a.B" bounds="[0,36][1080,1920]"/></hierarchy>"#;
    let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
    let display = screen.display();
    assert_eq!((display.width, display.height), (1080, 1920));
}
