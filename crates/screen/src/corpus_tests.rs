//! Tests with real recordings: every dump must be parsed, printed and selected from. They are skipped where
//! the recordings are missing.

use std::collections::HashSet;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::decode::decode;
use super::*;
use crate::selector::Purpose;

/// Returns all dumps, each with its path for messages.
pub(super) fn dumps() -> &'static [(String, Vec<u8>)] {
    static DUMPS: LazyLock<Vec<(String, Vec<u8>)>> =
        LazyLock::new(|| runner_testing::recorded_files("screens", "xml"));
    let has_older = runner_testing::recording("screens").is_some();
    assert!(!has_older || DUMPS.len() >= 60, "recordings are missing");
    &DUMPS
}

/// Returns the dumps for slow tests: the older ones and some of the larger corpus, or all of them in the long
/// tests.
fn some_dumps() -> impl Iterator<Item = &'static (String, Vec<u8>)> {
    let larger: HashSet<String> = runner_testing::sources()
        .into_iter()
        .map(|source| source.file)
        .collect();
    let each = runner_testing::long(7, 1);
    dumps()
        .iter()
        .enumerate()
        .filter(move |(place, (name, _))| place % each == 0 || !larger.contains(name))
        .map(|(_, dump)| dump)
}

fn read(bytes: &[u8]) -> Result<Screen, ScreenError> {
    Screen::parse(bytes, &DisplayContext::default())
}

#[test]
fn every_dump_is_read_and_printed_in_both_profiles() {
    let tag = regex::Regex::new(r"<[A-Za-z]").unwrap();
    for (name, bytes) in dumps() {
        let screen = read(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        // Elements are `node`, in the source of Appium's server the classes; the hierarchy is none.
        let dump = decode(bytes);
        let begin = dump.find("<hierarchy").unwrap();
        let end = dump.find("</hierarchy>").unwrap();
        let tags = tag.find_iter(&dump[begin..end]).count() - 1;
        assert_eq!(screen.len(), tags, "{name}");
        for (profile, columns) in [(Profile::Reference, 7), (Profile::Golden, 8)] {
            let tsv = screen.tsv(profile);
            let rows = tsv.lines().skip(8);
            assert!(rows.clone().count() > 0, "{name}");
            for row in rows {
                assert_eq!(row.split('\t').count(), columns, "{name}: {row}");
            }
        }
        for node in screen.nodes() {
            let found = screen.node_by_id(&node.id()).unwrap();
            assert!(found.index() <= node.index(), "{name}");
        }
    }
}

#[test]
fn every_dump_reads_the_same_in_utf_16_and_with_text_around_it() {
    for (name, bytes) in dumps() {
        let expected = read(bytes).unwrap().tsv(Profile::Golden);
        let text = decode(bytes).into_owned();
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let around = format!("WARNING: x\n{text}UI hierchary dumped to: /dev/tty");
        for variant in [wide, around.into_bytes()] {
            let tsv = read(&variant).unwrap().tsv(Profile::Golden);
            assert_eq!(tsv, expected, "{name}");
        }
    }
}

#[test]
fn a_dump_cut_anywhere_is_refused() {
    for (name, bytes) in some_dumps() {
        let text = String::from_utf8_lossy(bytes);
        // In UTF-16 the end is not found among the bytes, and the end of what `decode` makes of it is another place.
        let Some(end) = text.find("</hierarchy>") else {
            continue;
        };
        for at in (0..end).step_by(97) {
            assert!(read(&bytes[..at]).is_err(), "{name} cut at {at}");
        }
    }
}

#[test]
fn thousands_of_nodes_are_read() {
    let Some(text) = dumps()
        .iter()
        .map(|(_, bytes)| decode(bytes))
        .find(|text| text.contains("<node"))
    else {
        return;
    };
    let start = text.find("<node").unwrap();
    let end = text.rfind("</hierarchy>").unwrap();
    let nodes = &text[start..end];
    let times = 5_000 / nodes.matches("<node").count() + 1;
    let large = format!("{}{}{}", &text[..start], nodes.repeat(times), &text[end..]);
    let screen = read(large.as_bytes()).unwrap();
    assert!(screen.len() >= 5_000);
    assert!(screen.tsv(Profile::Golden).lines().count() > times);
}

#[test]
fn every_node_can_be_picked_and_the_pick_reads_back() {
    for (name, bytes) in some_dumps() {
        let screen = read(bytes).unwrap();
        for node in screen.nodes() {
            let selector = Selector::picking(&screen, node.index());
            let found = if node.is_on_screen() {
                selector.find(&screen)
            } else {
                selector.find_anywhere(&screen)
            };
            assert_eq!(found, [node.index()], "{name}: {node:?}: {selector}");
            let display = selector.to_string();
            let yaml = runner_text::secret::without_secrets(&display);
            let again: Selector = serde_yaml::from_str(&yaml)
                .unwrap_or_else(|error| panic!("{name}: {yaml}: {error}"));
            assert_eq!(again, selector, "{name}: {yaml}");
        }
    }
}

#[test]
fn what_a_screen_promises_holds_for_each() {
    for (name, bytes) in dumps() {
        let screen = read(bytes).unwrap();
        let display = screen.display();
        assert!(display.width > 0 && display.height > 0, "{name}");
        for node in screen.nodes() {
            // A row of a golden stands for one node, and its part on the display lies there.
            if let Some(part) = node.part_on_display() {
                let all = display.bounds();
                let lies = part.left >= all.left && part.right <= all.right;
                let stands = part.top >= all.top && part.bottom <= all.bottom;
                assert!(lies && stands && !part.is_empty(), "{name}: {node:?}");
            }
            let parents = node.ancestors().count();
            assert_eq!(parents, node.depth() as usize, "{name}: {node:?}");
        }
        // Written as a dump and read again, the same rows come out.
        let again = read(screen.to_dump().as_bytes()).unwrap();
        let (first, second) = (screen.tsv(Profile::Golden), again.tsv(Profile::Golden));
        assert_eq!(first, second, "{name}");
        assert_eq!(
            Fingerprint::from_screen(&screen),
            Fingerprint::from_screen(&again),
            "{name}"
        );
    }
}

#[test]
fn near_misses_find_their_element() {
    for (name, bytes) in some_dumps() {
        let screen = read(bytes).unwrap();
        for node in screen.nodes().filter(|node| node.text().len() > 3) {
            let wrong = Selector::from_words(&node.text().to_uppercase());
            for miss in wrong.near_misses(&screen, 3, Purpose::Action) {
                let edited: Selector = serde_yaml::from_str(&miss.selector.to_string()).unwrap();
                assert!(
                    edited.find(&screen).contains(&miss.node),
                    "{name}: {}",
                    miss.selector
                );
            }
        }
    }
}

#[test]
fn nodes_say_what_the_dump_says() {
    // Read a second way, without a parser: values stand in either kind of quotes.
    let attribute = |name: &str| {
        let pattern = format!(r#"<node[^<]*? {name}=("[^"]*"|'[^']*')"#);
        regex::Regex::new(&pattern).unwrap()
    };
    let (bounds, classes, texts) = (attribute("bounds"), attribute("class"), attribute("text"));
    for (name, bytes) in dumps() {
        let dump = decode(bytes);
        // Elsewhere elements are named by their classes.
        if !dump.contains("<node") {
            continue;
        }
        let screen = read(bytes).unwrap();
        let written = |pattern: &regex::Regex| -> Vec<String> {
            let values = pattern.captures_iter(&dump);
            values
                .map(|value| value[1][1..value[1].len() - 1].to_owned())
                .collect()
        };
        let edges: Vec<_> = screen
            .nodes()
            .map(super::node::Node::bounds)
            .map(|b| format!("[{},{}][{},{}]", b.left, b.top, b.right, b.bottom))
            .collect();
        assert_eq!(edges, written(&bounds), "{name}");
        let own: Vec<_> = screen.nodes().map(Node::class).collect();
        assert_eq!(own, written(&classes), "{name}");
        for (node, written) in screen.nodes().zip(written(&texts)) {
            // A field that shows its hint reads as the hint, also where the dump writes no text for it.
            let is_other = node.flags().password || node.shows_hint();
            if !written.contains('&') && !is_other {
                assert_eq!(node.display_text(), written, "{name}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_dump_is_read_or_refused(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..60),
    ) {
        let dumps = dumps();
        if dumps.is_empty() {
            return Ok(());
        }
        let mut bytes = dumps[which.index(dumps.len())].1.clone();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(screen) = read(&bytes) {
            prop_assert!(screen.tsv(Profile::Golden).lines().count() >= 8);
            Fingerprint::from_screen(&screen);
            let picture = image::RgbaImage::new(108, 240);
            annotate::annotate(&picture, &screen);
            for node in screen.nodes().take(5) {
                Selector::picking(&screen, node.index());
            }
        }
    }
}
