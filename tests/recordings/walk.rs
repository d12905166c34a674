//! Random walk of a person or an agent through an app, by a seed.

use serde_json::{Value, json};

use crate::common::mcp::{Answer, Client};

/// Random numbers from a seed: xorshift.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Returns a random number from 0 to below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }

    fn choose<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.roll(all.len()))
    }
}

/// Way in which elements are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Positions, as a person in the studio uses.
    Places,
    /// Ids of the Android tools.
    Ids,
    /// Short ids of the lean tools.
    ShortIds,
    /// Words, if they name one element only.
    Words,
}

impl Way {
    pub const ALL: [Self; 4] = [Self::Places, Self::Ids, Self::ShortIds, Self::Words];

    pub fn is_lean(self) -> bool {
        matches!(self, Self::ShortIds | Self::Words)
    }
}

/// An element.
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
#[derive(Debug, Clone)]
struct Row {
    id: String,
    words: String,
    resource_id: String,
    bounds: [i64; 4],
    taps: bool,
    holds: bool,
    edits: bool,
    secret: bool,
    scrolls: bool,
}

impl Row {
    fn center(&self) -> (i64, i64) {
        let [left, top, right, bottom] = self.bounds;
        (i64::midpoint(left, right), i64::midpoint(top, bottom))
    }
}

/// Somebody who does random acts on a device.
pub struct Walker {
    client: Client,
    way: Way,
    dice: Dice,
    /// Password fields that were filled.
    secrets: Vec<String>,
    /// Log of the acts, for whoever reads why a recording does not replay.
    pub told: Vec<String>,
}

/// Texts for fields without a password.
const TEXTS: [&str; 6] = ["ada", "Milk & honey", "12", "a: b", "Grüße", "it's #1"];

/// Text for every password field.
pub const SECRET: &str = "lovelace";

impl Walker {
    pub fn new(client: Client, way: Way, dice: Dice) -> Self {
        Self {
            client,
            way,
            dice,
            secrets: Vec::new(),
            told: Vec::new(),
        }
    }

    pub fn record(&mut self, arguments: Value) -> Answer {
        let answer = self.client.call("runner_record", arguments);
        assert!(!answer.is_error, "{}", answer.text);
        answer
    }

    /// Opens the app by its icon or by a tool.
    pub fn open(&mut self, package: &str, label: &str) {
        if self.dice.roll(2) == 0 {
            let icon = self.rows().into_iter().find(|row| row.words == label);
            if let Some(icon) = icon {
                self.tap(&icon);
                return;
            }
        }
        if self.way.is_lean() {
            self.call("runner_launch", json!({ "app": package }));
        } else {
            self.call("android_open_app", json!({ "package_id": package }));
        }
    }

    /// Signs in to the demo app.
    pub fn sign_in(&mut self) {
        for (id, text) in [("username", "ada"), ("password", SECRET)] {
            if let Some(field) = self.with_id(id) {
                self.types(&field, text);
            }
        }
        self.secrets.push("password".to_owned());
        if let Some(button) = self.with_id("sign_in") {
            self.tap(&button);
        }
    }

    fn with_id(&mut self, id: &str) -> Option<Row> {
        self.rows().into_iter().find(|row| row.resource_id == id)
    }

    /// Does one random act; `label` is that of the app's icon.
    pub fn step(&mut self, label: &str) {
        let rows = self.rows();
        if let Some(icon) = rows.iter().find(|row| row.words == label && is_icon(&rows)) {
            self.tap(icon);
            return;
        }
        let which = |is: fn(&Row) -> bool| -> Vec<Row> {
            rows.iter().filter(|row| is(row)).cloned().collect()
        };
        let choice = self.dice.roll(100);
        let fields: Vec<Row> = which(|row| row.edits)
            .into_iter()
            .filter(|row| !self.secrets.contains(&row.resource_id))
            .collect();
        match choice {
            0..20 if !fields.is_empty() => {
                let field = self.dice.choose(&fields).cloned();
                if let Some(field) = field {
                    let text = if field.secret {
                        self.secrets.push(field.resource_id.clone());
                        SECRET
                    } else {
                        TEXTS[self.dice.roll(TEXTS.len())]
                    };
                    self.types(&field, text);
                }
            }
            20..33 => self.scrolls(&rows),
            33..41 => self.back(),
            41..44 => self.home(),
            44..49 => {
                let held = self.dice.choose(&which(|row| row.holds)).cloned();
                if let Some(row) = held {
                    self.holds(&row);
                }
            }
            _ => {
                let tapped = self.dice.choose(&which(|row| row.taps)).cloned();
                if let Some(row) = tapped {
                    self.tap(&row);
                } else {
                    self.back();
                }
            }
        }
    }

    fn tap(&mut self, row: &Row) {
        let (x, y) = row.center();
        let way = self.way;
        match way {
            Way::Places => self.call("android_tap", json!({ "x": x, "y": y })),
            Way::Ids => self.call("android_click_element", json!({ "element_id": row.id })),
            Way::Words if self.is_named_by_words(row) => {
                self.call("runner_click", json!({ "on": row.words }));
            }
            Way::ShortIds | Way::Words => self.call("runner_click", json!({ "on": row.id })),
        }
    }

    fn is_named_by_words(&mut self, row: &Row) -> bool {
        let rows = self.rows();
        let alike = rows.iter().filter(|other| other.words == row.words);
        !row.words.is_empty() && !row.words.contains('*') && alike.count() == 1
    }

    fn holds(&mut self, row: &Row) {
        let (x, y) = row.center();
        let way = self.way;
        match way {
            Way::Places => self.call("android_long_press", json!({ "x": x, "y": y })),
            Way::Ids => self.call(
                "android_long_click_element",
                json!({ "element_id": row.id }),
            ),
            // The lean tools hold nothing.
            Way::ShortIds | Way::Words => self.tap(row),
        }
    }

    fn types(&mut self, field: &Row, text: &str) {
        let way = self.way;
        match way {
            Way::Places | Way::Ids => {
                if self.way == Way::Places {
                    self.tap(field);
                }
                let arguments = json!({ "element_id": field.id, "text": text });
                self.call("android_type_append_text", arguments);
            }
            Way::Words if self.is_named_by_words(field) => {
                self.call("runner_type", json!({ "on": field.words, "text": text }));
            }
            Way::ShortIds | Way::Words => {
                self.call("runner_type", json!({ "on": field.id, "text": text }));
            }
        }
    }

    fn scrolls(&mut self, rows: &[Row]) {
        let Some(area) = rows.iter().find(|row| row.scrolls) else {
            return;
        };
        let (x, y) = area.center();
        let way = if self.dice.roll(3) == 0 { 400 } else { -400 };
        if self.way == Way::Ids {
            let direction = if way < 0 { "down" } else { "up" };
            self.call("android_scroll", json!({ "direction": direction }));
            return;
        }
        let tool = if self.way.is_lean() {
            "runner_swipe"
        } else {
            "android_swipe"
        };
        let arguments = json!({ "x1": x, "y1": y, "x2": x, "y2": y + way });
        self.call(tool, arguments);
    }

    fn back(&mut self) {
        if self.way.is_lean() {
            self.call("runner_press", json!({ "key": "BACK" }));
        } else {
            self.call("android_press_back", json!({}));
        }
    }

    fn home(&mut self) {
        if self.way.is_lean() {
            self.call("runner_press", json!({ "key": "HOME" }));
        } else {
            self.call("android_press_home", json!({}));
        }
    }

    /// Calls a tool. It may fail, as an agent's calls may; a failed call is not recorded.
    fn call(&mut self, tool: &str, arguments: Value) {
        let told = format!("{tool} {arguments}");
        let answer = self.client.call(tool, arguments);
        let first = answer.text.lines().next().unwrap_or_default().to_owned();
        let ended = if answer.is_error { "FAILED " } else { "" };
        self.told.push(format!("{told}: {ended}{first}"));
    }

    /// Returns the elements of the app, or of the launcher.
    fn rows(&mut self) -> Vec<Row> {
        if self.way.is_lean() {
            let look = self.client.call("runner_look", json!({ "bounds": true }));
            look.text.lines().filter_map(parse_look_line).collect()
        } else {
            let state = self.client.call("android_get_screen_state", json!({}));
            state.text.lines().filter_map(parse_state_row).collect()
        }
    }
}

/// Returns true if the rows are the launcher's, which shows nothing but icons.
fn is_icon(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.resource_id == "workspace") || rows.len() <= 4
}

fn bounds(text: &str) -> Option<[i64; 4]> {
    let sides: Vec<i64> = text
        .split(',')
        .filter_map(|side| side.parse().ok())
        .collect();
    sides.try_into().ok()
}

/// Parses a row of the Android tools' TSV.
fn parse_state_row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [id, class, text, desc, resource_id, sides, flags] = cells.as_slice() else {
        return None;
    };
    let (package, short) = resource_id.split_once(":id/").unwrap_or(("", resource_id));
    let flags: Vec<&str> = flags.split(',').collect();
    let has = |flag: &str| flags.contains(&flag);
    if !id.starts_with("node_") || package == "com.android.systemui" || !has("on") {
        return None;
    }
    let words = [*text, *desc].into_iter().find(|words| *words != "-");
    Some(Row {
        id: (*id).to_owned(),
        words: words.unwrap_or_default().to_owned(),
        resource_id: short.to_owned(),
        bounds: bounds(sides)?,
        taps: has("clk") && has("ena"),
        holds: has("lclk") && has("ena"),
        edits: has("edt") && has("ena"),
        secret: class.contains("EditText") && ["password", "code"].contains(&short),
        scrolls: has("scr"),
    })
}

/// Parses a line of a look.
fn parse_look_line(line: &str) -> Option<Row> {
    let (id, rest) = line.strip_prefix('@')?.split_once(' ')?;
    let class = rest.split(' ').next()?;
    let quoted = |from: &str| -> Option<String> {
        let (_, value) = from.split_once('"')?;
        Some(value.split_once('"')?.0.to_owned())
    };
    let words = ["desc=", "hint="]
        .iter()
        .find_map(|key| rest.split_once(key).and_then(|(_, value)| quoted(value)));
    let text = rest
        .split_once(' ')
        .filter(|(_, rest)| rest.starts_with('"'))
        .and_then(|(_, rest)| quoted(rest));
    let word = |name: &str| rest.split(' ').any(|word| word == name);
    let value = |name: &str| {
        rest.split(' ')
            .find_map(|word| word.strip_prefix(name))
            .unwrap_or_default()
    };
    let enabled = !word("disabled");
    let is_field = class.contains("EditText");
    let touched = ["Button", "CheckBox", "Spinner", "EditText", "Switch"];
    let takes = touched.iter().any(|name| class.contains(name)) || word("tap");
    Some(Row {
        id: format!("@{id}"),
        words: text.or(words).unwrap_or_default(),
        resource_id: value("id=").to_owned(),
        bounds: bounds(value("at="))?,
        taps: takes && enabled,
        holds: false,
        edits: is_field && enabled,
        secret: word("password"),
        scrolls: word("scrolls"),
    })
}
