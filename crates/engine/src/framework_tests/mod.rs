//! Laws that hold on the screens of an app whose views Android's own framework created (`ApiDemos`).
//!
//! These screens have what our own lack: spinners that claim to scroll, child indices with gaps, rows that
//! are clickable but not focusable, upper-case buttons, focused lists, windows smaller than the display.
//! [`raw`] reads the dumps independently and is the judge.

mod acts;
mod raw;
mod words;

use std::sync::{Arc, LazyLock};

use super::Session;
use raw::RawNode;
use runner_device::Device;
use runner_device::fake::Fake;
use runner_screen::{DisplayContext, Screen, Selector};
use serde_json::{Value, json};

/// Package attribute of the app's elements.
const OWN_PACKAGE: &str = "package=\"io.appium.android.apis\"";

/// A screen, parsed by the engine and by the judge.
struct Sample {
    name: String,
    dump: String,
    screen: Screen,
    raw: Vec<RawNode>,
}

impl Sample {
    fn read(name: String, dump: String) -> Self {
        let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default());
        Self {
            screen: screen.unwrap_or_else(|error| panic!("{name}: {error}")),
            raw: raw::read(&dump),
            name,
            dump,
        }
    }

    /// Returns the places of elements with this text, in the dump's order.
    fn with_text(&self, words: &str) -> Vec<usize> {
        let all = self.raw.iter().enumerate();
        all.filter(|(_, node)| node.words("text") == words)
            .map(|(place, _)| place)
            .collect()
    }

    /// Returns all distinct texts of the screen.
    fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for node in &self.raw {
            let words = node.words("text");
            if !words.is_empty() && !texts.contains(&words) {
                texts.push(words);
            }
        }
        texts
    }

    /// Creates a device that shows the screen, after `looks_before` looks at an empty one. The sample's
    /// package becomes that of the app in front.
    fn device(&self, looks_before: usize) -> (Arc<Fake>, Session) {
        let begin = self.dump.find("<node").expect("an element");
        let end = self.dump.rfind("</hierarchy>").expect("an end");
        let fake = Fake::showing([]);
        fake.with(|state| {
            let nothing = std::iter::repeat_n(String::new(), looks_before);
            // As of the app that the device says is in front.
            let shown = self.dump[begin..end].replace(OWN_PACKAGE, "package=\"com.example\"");
            state.looks.extend(nothing.chain([shown]).map(Ok));
        });
        let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
        (fake, session)
    }
}

/// Returns all samples, read once. Panics if there are fewer than 300.
fn samples() -> &'static [Sample] {
    static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
        let screens = runner_testing::framework_screens().into_iter();
        screens
            .map(|screen| Sample::read(screen.activity, screen.dump))
            .collect()
    });
    assert!(SAMPLES.len() >= 300, "{} screens", SAMPLES.len());
    &SAMPLES
}

fn selector(json: Value) -> Selector {
    serde_json::from_value(json).expect("a selector")
}

fn places(selector: &Selector, screen: &Screen) -> Vec<usize> {
    let found = selector.find(screen).into_iter();
    found.map(|node| node.0 as usize).collect()
}

/// Runs a law on all samples, and panics with all violations, each with its sample's name.
fn check(law: impl Fn(&Sample, &mut Vec<String>)) {
    let mut broken = Vec::new();
    for sample in samples() {
        let mut here = Vec::new();
        law(sample, &mut here);
        broken.extend(
            here.into_iter()
                .map(|what| format!("{}: {what}", sample.name)),
        );
    }
    assert!(
        broken.is_empty(),
        "{} broken\n{}",
        broken.len(),
        broken.join("\n")
    );
}

/// Returns indices of selectors from either end, with the place that each means.
fn indices(count: usize) -> impl Iterator<Item = (i64, Option<usize>)> {
    let ends = [(-1, count.checked_sub(1)), (count as i64, None)];
    (0..count)
        .map(|place| (place as i64, Some(place)))
        .chain(ends)
}

#[test]
fn each_element_is_read_as_it_is_written() {
    check(|sample, broken| {
        if sample.screen.len() != sample.raw.len() {
            broken.push(format!("{} elements", sample.screen.len()));
            return;
        }
        for (node, raw) in sample.screen.nodes().zip(&sample.raw) {
            let bounds = node.bounds();
            let edges = [bounds.left, bounds.top, bounds.right, bounds.bottom];
            let flags = node.flags();
            let parent = node.parent().map(|parent| parent.index().0 as usize);
            let is_same = edges == raw.edges
                && parent == raw.parent
                && node.class() == raw.attribute("class")
                && node.desc() == raw.attribute("content-desc")
                && node.resource_id() == raw.attribute("resource-id")
                && flags.clickable == raw.is("clickable")
                && flags.focused == raw.is("focused")
                && flags.enabled == raw.is("enabled")
                && flags.scrollable == raw.is("scrollable");
            // A dump does not hold the text of a password field.
            let is_same_text = raw.is("password") || node.display_text() == raw.attribute("text");
            if !is_same || !is_same_text {
                broken.push(format!("{node:?} is {raw:?}"));
            }
        }
    });
}

#[test]
fn single_quotes_change_nothing() {
    check(|sample, broken| {
        let other = Sample::read(sample.name.clone(), raw::in_single_quotes(&sample.dump));
        if other.screen.to_dump() != sample.screen.to_dump() {
            broken.push("it reads otherwise".to_owned());
        }
    });
}

#[test]
fn gaps_among_children_leave_each_element_its_own_id_and_pick() {
    check(|sample, broken| {
        let mut ids = std::collections::HashSet::new();
        for node in sample.screen.nodes() {
            if !ids.insert(node.id()) {
                broken.push(format!("two are {}", node.id()));
            }
        }
        // A pick searches the screen many times: where the indices are without gaps, others try it.
        let has_gap = sample.raw.iter().enumerate().any(|(place, node)| {
            let before = sample.raw[..place]
                .iter()
                .filter(|it| it.parent == node.parent);
            node.attribute("index") != before.count().to_string()
        });
        if !has_gap {
            return;
        }
        for node in sample.screen.nodes().filter(|node| node.is_on_screen()) {
            let pick = Selector::picking(&sample.screen, node.index());
            if pick.find(&sample.screen) != [node.index()] {
                broken.push(format!("{pick} does not pick {node:?}"));
            }
        }
    });
}

#[test]
fn an_index_counts_what_matches() {
    check(|sample, broken| {
        let classes: std::collections::BTreeSet<&str> =
            sample.raw.iter().map(RawNode::class).collect();
        for class in classes {
            let all = sample.raw.iter().enumerate();
            let expected: Vec<usize> = all
                .filter(|(_, node)| node.class() == class)
                .map(|(place, _)| place)
                .collect();
            for (index, place) in indices(expected.len()) {
                let selector = selector(json!({ "class": class, "index": index }));
                let wanted: Vec<usize> = place.map(|place| expected[place]).into_iter().collect();
                let found = places(&selector, &sample.screen);
                if found != wanted {
                    broken.push(format!("{selector} finds {found:?}, not {wanted:?}"));
                }
            }
        }
    });
}
