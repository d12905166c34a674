//! Checks the advice for selectors that match nothing, on the screens of Android's framework.
//!
//! A mistake is made in each text in turn. The test reads the advice with another YAML parser and looks on
//! the screen for the promised element; it does not know how the advice was found.

use super::{Node, Purpose, Selector};
use crate::{DisplayContext, Screen};

/// Number of texts of each screen in which a mistake is made. Chosen: it bounds the time of the test.
const MAX_TEXTS: usize = 12;

/// Invisible characters with their names.
const UNSEEN: [(&str, &str); 6] = [
    ("\u{ad}", "soft hyphen"),
    ("\u{200b}", "zero width space"),
    ("\u{200e}", "left-to-right mark"),
    ("\u{200f}", "right-to-left mark"),
    ("\u{2060}", "word joiner"),
    ("\u{feff}", "byte order mark"),
];

/// Characters, each with one that looks like it and that one's name.
const LOOK_ALIKES: [(&str, &str, &str); 14] = [
    ("a", "\u{430}", "U+0430"),
    ("e", "\u{435}", "U+0435"),
    ("o", "\u{43e}", "U+043E"),
    ("p", "\u{440}", "U+0440"),
    ("c", "\u{441}", "U+0441"),
    ("o", "\u{3bf}", "U+03BF"),
    ("A", "\u{391}", "U+0391"),
    ("fi", "\u{fb01}", "ligature fi"),
    ("fl", "\u{fb02}", "ligature fl"),
    ("-", "\u{2013}", "en dash"),
    ("-", "\u{2011}", "non-breaking hyphen"),
    ("'", "\u{2019}", "right single quotation mark"),
    ("...", "\u{2026}", "ellipsis"),
    ("1", "\u{ff11}", "U+FF11"),
];

/// Prefixes that reverse the meaning of words.
const DENIALS: [&str; 6] = ["Not ", "No ", "Un", "Dis", "In", "Non-"];

/// Words to which nothing on any screen is similar.
const STRANGERS: [&str; 5] = [
    "Quarterly zebra ledger",
    "Xylophone",
    "wq",
    "77 Sunset Strip",
    "Ärgernis überall",
];

struct Case {
    name: String,
    dump: String,
    screen: Screen,
}

fn read(dump: &str) -> Screen {
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).expect("a screen")
}

/// Returns a screen with one button.
fn one_button(text: &str) -> Screen {
    read(&format!(
        "<hierarchy rotation=\"0\"><node index=\"0\" text=\"{text}\" resource-id=\"\" class=\"android.widget.Button\" package=\"com.a\" content-desc=\"\" clickable=\"true\" enabled=\"true\" bounds=\"[0,0][100,100]\" /></hierarchy>"
    ))
}

/// Reads every fifth screen of Android's framework, or all of them if `RUNNER_LONG` is set.
fn cases() -> impl Iterator<Item = Case> {
    let screens = runner_testing::framework_screens();
    let each = runner_testing::long(5, 1);
    screens.into_iter().step_by(each).map(|screen| Case {
        screen: read(&screen.dump),
        name: screen.activity,
        dump: screen.dump,
    })
}

impl Case {
    /// Returns up to [`MAX_TEXTS`] texts that are on the screen once and that a person would write as they
    /// are: 4 to 59 ASCII characters on one line, without special ones.
    fn texts(&self) -> Vec<String> {
        let all: Vec<&str> = self.screen.nodes().map(Node::text).collect();
        let is_plain = |text: &&str| {
            text.len() > 3
                && text.len() < 60
                && text.is_ascii()
                && !text.contains(['*', '&', '<', '>', '"', '\n'])
                && all.iter().filter(|other| *other == text).count() == 1
        };
        let plain = all.iter().copied().filter(is_plain);
        plain.take(MAX_TEXTS).map(str::to_owned).collect()
    }

    /// Returns the screen with one text replaced by another.
    fn with(&self, text: &str, other: &str) -> Screen {
        let (was, is) = (format!("text=\"{text}\""), format!("text=\"{other}\""));
        read(&self.dump.replace(&was, &is))
    }
}

/// Parses a selector from YAML with another parser than that of flows.
fn reread(write: &str) -> Option<Selector> {
    let value: serde_json::Value = serde_yaml::from_str(write).ok()?;
    Selector::from_value(&value).ok()
}

/// Appends to `broken` what is wrong with the advice for `wanted` on a screen, which must find the advised
/// element. `is_meant` accepts the texts that may be advised. With `named` there must be advice, and the
/// reason of the first must contain it. A text that is on the screen is skipped.
fn judge(
    screen: &Screen,
    wanted: &str,
    is_meant: &dyn Fn(&str) -> bool,
    named: Option<&str>,
    broken: &mut Vec<String>,
) {
    let selector = Selector::from_words(wanted);
    if !selector.find(screen).is_empty() {
        return;
    }
    for purpose in [Purpose::Action, Purpose::Assertion] {
        let misses = selector.near_misses(screen, 3, purpose);
        if named.is_some() && misses.is_empty() {
            broken.push(format!("{purpose:?} {wanted:?}: nothing near"));
        }
        for (place, miss) in misses.iter().enumerate() {
            let mut wrong = |what: &str| {
                broken.push(format!(
                    "{purpose:?} {wanted:?}: {what}: {}; write {}",
                    miss.why, miss.selector
                ));
            };
            match reread(&miss.selector.to_string()) {
                None => wrong("no YAML"),
                Some(advised) if !advised.find(screen).contains(&miss.node) => {
                    wrong("it does not find the element");
                }
                Some(_) => {}
            }
            let node = screen.node(miss.node);
            let words = [node.text(), node.desc(), node.hint()];
            if !words
                .iter()
                .any(|words| !words.is_empty() && is_meant(words))
            {
                wrong("another element");
            }
            if let Some(name) = named.filter(|_| place == 0)
                && !miss.why.contains(name)
            {
                wrong("the character is not named");
            }
        }
    }
}

/// Runs a law on all cases. Panics with all that is broken, and with fewer than 200 texts.
fn check(law: impl Fn(&Case, &mut Vec<String>)) {
    let mut broken = Vec::new();
    let mut count = 0;
    for case in cases() {
        let mut here = Vec::new();
        law(&case, &mut here);
        broken.extend(
            here.into_iter()
                .map(|what| format!("{}: {what}", case.name)),
        );
        count += case.texts().len();
    }
    assert!(count >= 200, "{count} texts");
    assert!(
        broken.is_empty(),
        "{} broken\n{}",
        broken.len(),
        broken.join("\n")
    );
}

/// Puts an invisible character into the middle of each text, once in the selector and once on the screen. The advice
/// must name it.
#[test]
fn what_nobody_sees_is_named() {
    check(|case, broken| {
        for text in case.texts() {
            for (character, name) in UNSEEN {
                let middle = text.len() / 2;
                let hidden = format!("{}{character}{}", &text[..middle], &text[middle..]);
                let meant = |words: &str| words == text || words == hidden;
                judge(&case.screen, &hidden, &meant, Some(name), broken);
                let screen = case.with(&text, &hidden);
                judge(&screen, &text, &meant, Some(name), broken);
            }
        }
    });
}

/// Replaces one character of each text by another that looks the same, once in the selector and once on the screen. The
/// advice must name it.
#[test]
fn what_looks_alike_is_named() {
    check(|case, broken| {
        for text in case.texts() {
            for (character, alike, name) in LOOK_ALIKES {
                let other = text.replacen(character, alike, 1);
                if other == text {
                    continue;
                }
                let meant = |words: &str| words == text || words == other;
                judge(&case.screen, &other, &meant, Some(name), broken);
                let screen = case.with(&text, &other);
                judge(&screen, &text, &meant, Some(name), broken);
            }
        }
    });
}

/// Writes the same letters composed in the selector and decomposed on the screen, and the other way round. The advice
/// must say so.
#[test]
fn composed_and_decomposed_letters_are_named() {
    let mut broken = Vec::new();
    for (composed, decomposed) in [
        ("Caf\u{e9}", "Cafe\u{301}"),
        ("Stra\u{df}e \u{fc}ber", "Stra\u{df}e u\u{308}ber"),
        ("\u{ac00}", "\u{1100}\u{1161}"),
    ] {
        let meant = |words: &str| words == composed || words == decomposed;
        for (wanted, shown) in [(composed, decomposed), (decomposed, composed)] {
            let name = Some("composed");
            judge(&one_button(shown), wanted, &meant, name, &mut broken);
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Leaves out or doubles the middle letter of each text of 6 characters or more, or changes its letter case. The advice
/// must lead to the text unless the slip matches something itself.
#[test]
fn a_slip_of_the_pen_finds_what_was_meant() {
    check(|case, broken| {
        for text in case.texts().iter().filter(|text| text.len() > 5) {
            let middle = text.len() / 2;
            let without = format!("{}{}", &text[..middle], &text[middle + 1..]);
            let doubled = format!("{}{}", &text[..=middle], &text[middle..]);
            for slip in [without, doubled, text.to_uppercase(), text.to_lowercase()] {
                judge(&case.screen, &slip, &|_| true, None, broken);
                let selector = Selector::from_words(&slip);
                let misses = selector.near_misses(&case.screen, 3, Purpose::Action);
                let is_there = misses.iter().any(|miss| {
                    let node = case.screen.node(miss.node);
                    node.text() == text
                });
                if !is_there && selector.find(&case.screen).is_empty() {
                    broken.push(format!("{slip:?} leads nowhere near {text:?}"));
                }
            }
        }
    });
}

/// Puts a denial before each text, once in the selector and once on the screen. The advice must not name the text's
/// opposite.
#[test]
fn no_advice_says_the_opposite() {
    check(|case, broken| {
        for text in case.texts() {
            for denial in DENIALS {
                let lower = if denial.ends_with([' ', '-']) {
                    text.clone()
                } else {
                    text.to_lowercase()
                };
                let denied = format!("{denial}{lower}");
                let is_meant = |words: &str| !words.eq_ignore_ascii_case(&text);
                judge(&case.screen, &denied, &is_meant, None, broken);
                let is_meant = |words: &str| !words.eq_ignore_ascii_case(&denied);
                judge(&case.with(&text, &denied), &text, &is_meant, None, broken);
            }
        }
    });
}

/// Asks for one of two opposite labels on a screen that has the other. The advice must not name that one.
#[test]
fn no_advice_turns_a_switch_round() {
    let mut broken = Vec::new();
    for (one, other) in [
        ("Wi-Fi on", "Wi-Fi off"),
        ("Sign in", "Sign out"),
        ("Enable sync", "Disable sync"),
        ("Enabled", "Disabled"),
        ("Show password", "Hide password"),
        ("Lock", "Unlock"),
        ("Follow", "Unfollow"),
        ("Connected", "Not connected"),
        ("Connected", "Disconnected"),
        ("Active", "Inactive"),
        ("Select all", "Deselect all"),
        ("Items in cart", "No items in cart"),
        ("Start recording", "Stop recording"),
        ("Allow", "Don't allow"),
        ("Show more", "Show less"),
        ("Backup: on", "Backup: OFF"),
    ] {
        for (wanted, shown) in [(one, other), (other, one)] {
            let is_meant = |words: &str| words != shown;
            judge(&one_button(shown), wanted, &is_meant, None, &mut broken);
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Asks for words that resemble nothing on any screen. There must be no advice.
#[test]
fn nothing_is_advised_where_nothing_is_alike() {
    check(|case, broken| {
        for stranger in STRANGERS {
            judge(&case.screen, stranger, &|_| false, None, broken);
        }
    });
}
