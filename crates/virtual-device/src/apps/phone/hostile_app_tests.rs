//! Tests with random and damaged apps: each is refused with a diagnostic or shown, without a panic.
//!
//! `RUNNER_TEST_HOSTILE=COUNT` at build time makes more of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use fastrand::Rng;
use serde_json::{Value, json};

use super::VirtualPhone;
use crate::apps::a2ui::catalogue::{COMMON, COMPONENTS, FUNCTIONS, Property, ValueKind};
use crate::apps::app::check;
use crate::apps::ui::icon_names;
use crate::{KeyPress, Phone, PhoneOptions, Touch};
use runner_screen::Point;

/// Returns the number of apps of each kind.
fn count() -> u64 {
    option_env!("RUNNER_TEST_HOSTILE").map_or(12, |text| text.parse().unwrap())
}

fn phone() -> VirtualPhone {
    VirtualPhone::new(&PhoneOptions::default()).unwrap()
}

/// Checks an app, and uses it if it loads. Each diagnostic must have a place in its file. Returns true if it
/// loaded.
fn survive(files: &BTreeMap<String, String>) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    for (name, text) in files {
        std::fs::write(root.join(name), text).unwrap();
    }
    let found = check(&root, Utf8Path::new("app"), |_, _| Vec::new());
    assert!(found.len() <= 200);
    for diagnostic in &found {
        let text = &diagnostic.source.text;
        assert!(diagnostic.span.end <= text.len() && diagnostic.span.start <= diagnostic.span.end);
    }
    drop(runner_text::diagnostic::render(&found, false, 100));
    let mut phone = phone();
    let Ok(package) = phone.install(&root) else {
        return false;
    };
    let _ = phone.start(&package, None, &BTreeMap::new());
    for part in 0..6 {
        let _ = phone.windows();
        let at = Point {
            x: 540,
            y: 150 + part * 300,
        };
        phone.fingers(&[Touch {
            path: vec![(at, Duration::ZERO), (at, Duration::from_millis(40))],
        }]);
        phone.advance(Duration::from_mins(10));
    }
    let _ = phone.input_text("text");
    phone.key(&KeyPress::named("ENTER"));
    phone.key(&KeyPress::named("BACK"));
    let _ = phone.draw();
    phone.take_log();
    true
}

fn demo() -> BTreeMap<String, String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/demo");
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// Replaces, repeats, removes or inserts a part of a text.
fn damage(text: &str, random: &mut Rng) -> String {
    const ODD: [&str; 24] = [
        "\t",
        "\u{0}",
        "é",
        "👍",
        ": ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        "'",
        "\"",
        "&a ",
        "*a ",
        "<<: ",
        "!x ",
        "---\n",
        "#",
        "no",
        "~",
        "1e999",
        "\\u{d800}",
        "${",
        "|\n",
    ];
    let letters: Vec<char> = text.chars().collect();
    let from = random.usize(..=letters.len());
    let to = (from + random.usize(..40)).min(letters.len());
    let (head, middle, tail) = (&letters[..from], &letters[from..to], &letters[to..]);
    let string = |letters: &[char]| letters.iter().collect::<String>();
    match random.u8(..4) {
        0 => string(head) + &string(tail),
        1 => string(head) + &string(middle).repeat(random.usize(2..50)) + &string(tail),
        2 => string(head) + ODD[random.usize(..ODD.len())] + &string(middle) + &string(tail),
        _ => string(head) + ODD[random.usize(..ODD.len())] + &string(tail),
    }
}

// Damaged files.
#[test]
fn damaged_apps_are_refused_or_shown() {
    for seed in 0..count() {
        let mut random = Rng::with_seed(seed);
        let mut files = demo();
        let names: Vec<String> = files.keys().cloned().collect();
        for _ in 0..random.usize(1..4) {
            let name = &names[random.usize(..names.len())];
            let damaged = damage(&files[name], &mut random);
            files.insert(name.clone(), damaged);
        }
        survive(&files);
    }
}

/// Makes random apps, mostly well-formed.
struct Maker {
    random: Rng,
}

impl Maker {
    fn id(&mut self) -> String {
        const IDS: [&str; 8] = ["root", "a", "b", "c", "d", "e", "f", "none"];
        IDS[self.random.usize(..IDS.len())].to_owned()
    }

    fn path(&mut self) -> String {
        match self.random.u8(..12) {
            0 => "/".repeat(self.random.usize(1..400)),
            1 => "/a".repeat(self.random.usize(1..2000)),
            2 => "/items/-".into(),
            3 => "/items/99999999999999999999".into(),
            4 => "~0~1~".into(),
            5 => String::new(),
            6..9 => "/items".into(),
            _ => "/text".into(),
        }
    }

    fn text(&mut self) -> String {
        match self.random.u8(..14) {
            0 => "long ".repeat(self.random.usize(1..4000)),
            1 => "x".repeat(self.random.usize(1..20_000)),
            2 => "\n".repeat(self.random.usize(1..2000)),
            3 => "${".repeat(self.random.usize(1..300)),
            4 => "${formatString(value: ".repeat(self.random.usize(1..60)),
            5 => "${/text} ${items/0} ${not(value: ${/text})}".into(),
            6 => "2026-13-45T99:99:99Z".into(),
            7 => "[a](b) **x** *y* # z".repeat(self.random.usize(1..50)),
            8 => "\u{202e}\u{0}\u{9b}👨‍👩‍👧é".into(),
            _ => "text".into(),
        }
    }

    fn number(&mut self) -> Value {
        match self.random.u8(..8) {
            0 => json!(1e308),
            1 => json!(-1e308),
            2 => json!(0),
            3 => json!(i64::MIN),
            4 => json!(u64::MAX),
            _ => json!(self.random.u32(..100)),
        }
    }

    fn call(&mut self, depth: usize) -> Value {
        let function = &FUNCTIONS[self.random.usize(..FUNCTIONS.len())];
        let args: serde_json::Map<String, Value> = function
            .arguments
            .iter()
            .map(|argument| {
                (
                    argument.name.to_owned(),
                    self.value(argument.takes, depth + 1),
                )
            })
            .collect();
        json!({ "call": function.name, "args": args })
    }

    fn value(&mut self, takes: ValueKind, depth: usize) -> Value {
        match self.random.u8(..10) {
            0 if depth < 6 => return self.call(depth),
            1 => return json!({ "path": self.path() }),
            2 if self.random.u8(..20) == 0 => return json!([[{ "x": null }]]),
            _ => {}
        }
        match takes {
            ValueKind::Text | ValueKind::Any => self.text().into(),
            ValueKind::Number => self.number(),
            ValueKind::Boolean => self.random.bool().into(),
            ValueKind::Texts => json!([self.text(), self.text()]),
            ValueKind::Booleans if depth < 6 => {
                json!([self.value(ValueKind::Boolean, depth + 1), self.call(depth)])
            }
            ValueKind::Booleans => json!([]),
            ValueKind::OneOf(words) => words[self.random.usize(..words.len())].into(),
            ValueKind::Pattern => match self.random.u8(..4) {
                0 => "(a{1000}){1000}".into(),
                1 => "(".repeat(500).into(),
                2 => "(a*)*b".into(),
                _ => "[a-z]+".into(),
            },
            ValueKind::Icon => match self.random.u8(..4) {
                0 => json!({ "svgPath": "M1e38 1e38L-1e38 0zC".repeat(self.random.usize(1..300)) }),
                1 => json!({ "svgPath": "M0 0h24v24H0zA5 5 0 0 1 1 1" }),
                _ => icon_names()
                    .nth(self.random.usize(..60))
                    .unwrap_or("x")
                    .into(),
            },
            ValueKind::Component => self.id().into(),
            ValueKind::Children => match self.random.u8(..5) {
                0 => json!({ "componentId": self.id(), "path": self.path() }),
                1 => vec![self.id(); self.random.usize(..400)].into(),
                _ => {
                    let ids: Vec<String> = (0..self.random.usize(..6)).map(|_| self.id()).collect();
                    ids.into()
                }
            },
            ValueKind::Tabs => json!([{ "title": self.text(), "child": self.id() }]),
            ValueKind::Options => {
                let option = json!({ "label": self.text(), "value": "v" });
                vec![option; self.random.usize(..60)].into()
            }
            ValueKind::Action => {
                let name = ["go", "grow", "loop"][self.random.usize(..3)];
                json!({ "event": { "name": name, "context": { "x": { "path": self.path() } } } })
            }
            ValueKind::Checks => {
                json!([{ "condition": self.value(ValueKind::Boolean, depth + 1), "message": "m" }])
            }
            ValueKind::Accessibility => json!({ "label": self.text() }),
        }
    }

    fn component(&mut self, id: &str) -> Value {
        let component = &COMPONENTS[self.random.usize(..COMPONENTS.len())];
        let mut fields = serde_json::Map::new();
        fields.insert("id".into(), id.into());
        fields.insert("component".into(), component.name.into());
        let properties: Vec<&Property> = component.properties.iter().chain(COMMON).collect();
        for property in properties {
            if property.required || self.random.u8(..3) == 0 {
                fields.insert(property.name.into(), self.value(property.takes, 0));
            }
        }
        fields.into()
    }

    fn steps(&mut self, depth: usize) -> Value {
        let mut steps = Vec::new();
        for _ in 0..self.random.usize(1..4) {
            let step = match self.random.u8(..13) {
                0 => json!({ "set": { "path": "/a", "value": { "path": "/" } } }),
                1 => json!({ "append": { "path": "/items", "value": { "path": "/items" } } }),
                2 => {
                    json!({ "set": { "path": format!("/{}", self.path()), "value": self.value(ValueKind::Any, 0) } })
                }
                3 => json!({ "run": "loop" }),
                4 => json!({ "run": "grow" }),
                5 => json!({ "navigate": ".Main" }),
                6 if depth < 10 => {
                    json!({ "after": { "ms": self.random.u64(..3), "do": self.steps(depth + 1) } })
                }
                7 if depth < 10 => {
                    json!({ "if": { "value": self.value(ValueKind::Any, 0), "then": self.steps(depth + 1), "else": self.steps(depth + 1) } })
                }
                8 => json!({ "restart": ".Main" }),
                9 => json!({ "open": "root" }),
                10 => {
                    json!({ "filter": { "from": "/items", "to": "/items", "fields": ["x"], "contains": "" } })
                }
                11 => json!({ "toast": self.text() }),
                _ => json!({ "copy": { "path": "/" } }),
            };
            steps.push(step);
        }
        steps.into()
    }

    fn app(&mut self) -> BTreeMap<String, String> {
        let manifest = json!({
            "package": "com.example.hostile",
            "label": self.text(),
            "activities": { ".Main": {
                "surface": "main.json",
                "launchable": true,
                "title": self.text(),
                "on_start": "go",
            } },
            "watch": { "/text": "grow" },
            "actions": { "go": self.steps(0), "grow": self.steps(0), "loop": self.steps(0) },
        });
        let ids = ["root", "a", "b", "c", "d", "e", "f", "none"];
        let components: Vec<Value> = ids.iter().map(|id| self.component(id)).collect();
        let items = vec![json!({ "x": "y" }); self.random.usize(..600)];
        let messages = json!([
            { "version": "v0.9", "createSurface": { "surfaceId": "s", "catalogId": "c" } },
            { "version": "v0.9", "updateComponents": { "surfaceId": "s", "components": components } },
            { "version": "v0.9", "updateDataModel": { "surfaceId": "s", "value": { "items": items, "text": self.text() } } },
            { "version": "v0.9", "updateDataModel": { "surfaceId": "s", "path": self.path(), "value": 1 } },
        ]);
        BTreeMap::from([
            ("app.yaml".to_owned(), manifest.to_string()),
            ("main.json".to_owned(), messages.to_string()),
        ])
    }
}

// Apps that read, and are as hostile as their words allow.
#[test]
fn hostile_apps_are_refused_or_shown() {
    let mut displayed = 0;
    for seed in 0..count() * 3 {
        let mut maker = Maker {
            random: Rng::with_seed(seed),
        };
        displayed += u64::from(survive(&maker.app()));
    }
    assert!(displayed > count() / 2, "only {displayed} are shown");
}

// Things that multiply: components, aliases, nesting, actions, data.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn what_multiplies_is_bounded() {
    let manifest = |actions: &str| {
        format!(
            "package: com.example.bomb\nlabel: Bomb\nactivities:\n  .Main: {{ surface: main.yaml, launchable: true, on_start: go }}\nactions:\n{actions}"
        )
    };
    let surface = |components: &str| {
        format!(
            "- version: v0.9\n  createSurface: {{ surfaceId: s, catalogId: c }}\n- version: v0.9\n  updateComponents:\n    surfaceId: s\n    components:\n{components}- version: v0.9\n  updateDataModel: {{ surfaceId: s, value: {{ items: [1, 2] }} }}\n"
        )
    };
    let mut doubling = String::new();
    for index in 0..40 {
        let id = if index == 0 {
            "root".to_owned()
        } else {
            format!("c{index}")
        };
        let _ = writeln!(
            doubling,
            "      - {{ id: {id}, component: Column, children: [c{next}, c{next}] }}",
            next = index + 1
        );
    }
    doubling.push_str("      - { id: c40, component: Text, text: x }\n");
    let plain = "      - { id: root, component: Text, text: x }\n";
    let mut laughs = String::from("a0: &a0 [x, x]\n");
    for index in 1..30 {
        let _ = writeln!(laughs, "a{index}: &a{index} [*a{0}, *a{0}]", index - 1);
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (actions, components) in [
        ("  go: [back]\n".to_owned(), doubling),
        ("  go: [{ navigate: .Main }]\n".to_owned(), plain.to_owned()),
        ("  go: [{ run: go }, { run: go }, { run: go }]\n".to_owned(), plain.to_owned()),
        ("  go: [{ after: { ms: 0, do: [{ run: go }, { run: go }] } }]\n".to_owned(), plain.to_owned()),
        (
            "  go: [{ append: { path: /items, value: { path: / } } }, { after: { ms: 1, do: [{ run: go }] } }]\n".to_owned(),
            plain.to_owned(),
        ),
        (
            "  go: [{ set: { path: /items, value: { path: / } } }, { after: { ms: 1, do: [{ run: go }] } }]\n".to_owned(),
            plain.to_owned(),
        ),
    ] {
        let files = BTreeMap::from([
            ("app.yaml".to_owned(), manifest(&actions)),
            ("main.yaml".to_owned(), surface(&components)),
        ]);
        assert!(survive(&files), "{actions}");
    }
    let root = |component: &str, value: &str| {
        let component = component.replace('\n', "");
        format!(
            r#"[{{"version":"v0.9","createSurface":{{"surfaceId":"s","catalogId":"c"}}}},{{"version":"v0.9","updateComponents":{{"surfaceId":"s","components":[{component}]}}}},{{"version":"v0.9","updateDataModel":{{"surfaceId":"s","value":{value}}}}}]"#
        )
    };
    let text = |value: &str| format!(r#"{{"id":"root","component":"Text","text":{value}}}"#);
    let format = |text: &str| format!(r#"{{"call":"formatString","args":{{"value":"{text}"}}}}"#);
    let options = vec![r#"{"label":"l","value":"v"}"#; 10_000].join(",");
    let named = vec![r#""p""#; 9000].join(",");
    let heads = vec![r#"{"title":"t","child":"none"}"#; 10_000].join(",");
    let all = r#"{"id":"root","component":"Column","children":["#;
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(400_000));
    for main in [
        root(&text(&format(&"${/a}".repeat(100_000))), &long),
        root(
            &text(&format(&"${length(value: ${/a})}".repeat(20_000))),
            &long,
        ),
        root(
            &text(&format("${/a}")).replace("${/a}", "${formatString(value: ${/a})}"),
            r#"{"a":"${formatString(value: ${/a})}${formatString(value: ${/a})}"}"#,
        ),
        root(
            &format!(
                r#"{all}{named}]}},{{"id":"p","component":"ChoicePicker","variant":"multipleSelection","options":[{options}],"value":{{"path":"/a"}}}}"#
            ),
            r#"{"a":["v"]}"#,
        ),
        root(
            &format!(
                r#"{all}{named}]}},{{"id":"p","component":"Tabs","tabs":[{heads}]}},{{"id":"none","component":"Divider"}}"#
            ),
            "{}",
        ),
        root(&text(&format!("\"{}\"", "[".repeat(300_000))), "{}"),
        root(&text(&format!("\"{}\"", "[a](".repeat(75_000))), "{}"),
    ] {
        let json = manifest("  go: [back]\n").replace("main.yaml", "main.json");
        let files = BTreeMap::from([
            ("app.yaml".to_owned(), json),
            ("main.json".to_owned(), main),
        ]);
        assert!(survive(&files), "{:.200}", files["main.json"]);
    }
    for broken in [laughs, deep.clone(), format!("x: {deep}")] {
        for (app, main) in [
            (broken.clone(), surface(plain)),
            (manifest("  go: [back]\n"), broken.clone()),
        ] {
            let files =
                BTreeMap::from([("app.yaml".to_owned(), app), ("main.yaml".to_owned(), main)]);
            assert!(!survive(&files));
        }
    }
    let json = manifest("  go: [back]\n").replace("main.yaml", "main.json");
    let files = BTreeMap::from([
        ("app.yaml".to_owned(), json),
        ("main.json".to_owned(), deep),
    ]);
    assert!(!survive(&files));
}
