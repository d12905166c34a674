//! Edits of apps as a person makes them: texts, elements and their order, data, title.

use fastrand::Rng;
use serde_json::{Value, json};

use super::apps::{App, Edit};

const WORDS: [&str; 8] = [
    "Save",
    "Open",
    "Later",
    "Ada",
    "7 days",
    "A text that is longer than the others",
    "Delivery by Friday",
    "Nothing new",
];

/// Makes changes of apps.
pub(super) struct Editor<'a> {
    pub random: &'a mut Rng,
    /// Prefix of new elements' names.
    pub side: &'static str,
    pub count: usize,
}

impl Editor<'_> {
    fn word(&mut self) -> String {
        let word = WORDS[self.random.usize(0..WORDS.len())];
        format!("{word} {}", self.random.u8(1..50))
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        (!of.is_empty()).then(|| of[self.random.usize(0..of.len())].clone())
    }

    pub(super) fn edits(&mut self, app: &App, most: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        for _ in 0..self.random.usize(1..=most) {
            let now = app.edited(&edits).expect("its own edits");
            let count = edits.len();
            edits.extend(self.edit(&now));
            if app.edited(&edits).is_none() {
                edits.truncate(count);
            }
        }
        edits
    }

    fn edit(&mut self, app: &App) -> Option<Edit> {
        let parents: Vec<(String, Vec<String>)> =
            app.components.iter().filter_map(family).collect();
        let (parent, children) = self.one(&parents)?;
        let child = self.one(&children);
        let below = child.clone().filter(|_| self.random.u8(0..4) > 0);
        match self.random.u8(0..16) {
            0..4 => self.text(app),
            4 => Some(Edit::Title(self.word())),
            5 => self.data_text(app),
            6..8 => self.append(app),
            8..10 => Some(Edit::Remove {
                parent,
                child: child?,
            }),
            10..13 => Some(self.insert(parent, below)),
            13 => {
                let (to, there) = self.one(&parents)?;
                let (child, below) = (child?, self.one(&there));
                // Into itself nothing goes.
                let goes = to == parent && below.as_ref() != Some(&child);
                goes.then_some(Edit::Move {
                    child,
                    from: parent,
                    to,
                    below,
                })
            }
            14 => {
                let id = self.id_with(app, "component")?;
                let value = json!({ "label": self.word() });
                Some(Edit::Set(id, "accessibility", value))
            }
            _ => {
                let id = self.id_with(app, "variant")?;
                let variant = self.one(&["h2", "h5", "caption"])?;
                let is_text = app
                    .components
                    .iter()
                    .any(|it| it["id"] == id.as_str() && it["component"] == "Text");
                is_text.then(|| Edit::Set(id, "variant", variant.into()))
            }
        }
    }

    fn id_with(&mut self, app: &App, key: &str) -> Option<String> {
        let ids: Vec<&str> = app
            .components
            .iter()
            .filter(|it| it[key].is_string())
            .filter_map(|it| it["id"].as_str())
            .collect();
        self.one(&ids).map(str::to_owned)
    }

    fn text(&mut self, app: &App) -> Option<Edit> {
        let key = self.one(&["text", "text", "label"])?;
        let id = self.id_with(app, key)?;
        Some(Edit::Set(id, key, self.word().into()))
    }

    fn data_text(&mut self, app: &App) -> Option<Edit> {
        let mut found = Vec::new();
        pointers(&app.data, "", &mut found, &|it| it.is_string());
        let pointer = self.one(&found)?;
        Some(Edit::SetData(pointer, self.word()))
    }

    fn append(&mut self, app: &App) -> Option<Edit> {
        let mut found = Vec::new();
        let is_list = |it: &Value| {
            it.as_array()
                .is_some_and(|items| items.first().is_some_and(Value::is_object))
        };
        pointers(&app.data, "", &mut found, &is_list);
        let pointer = self.one(&found)?;
        let mut item = app.data.pointer(&pointer)?.as_array()?.last()?.clone();
        let word = self.word();
        let text = item
            .as_object_mut()?
            .values_mut()
            .find(|it| it.is_string())?;
        *text = word.into();
        Some(Edit::Append(pointer, item))
    }

    fn insert(&mut self, parent: String, below: Option<String>) -> Edit {
        self.count += 1;
        let id = format!("{}{}", self.side, self.count);
        let word = self.word();
        let new = match self.random.u8(0..3) {
            0 => vec![json!({ "id": id, "component": "Text", "text": word })],
            // A badge.
            1 => vec![
                json!({ "id": id, "component": "Text", "text": self.random.u8(1..10).to_string(), "variant": "h5" }),
            ],
            _ => vec![
                json!({ "id": id, "component": "Button", "child": format!("{id}_text") }),
                json!({ "id": format!("{id}_text"), "component": "Text", "text": word }),
            ],
        };
        Edit::Insert { parent, below, new }
    }
}

fn family(component: &Value) -> Option<(String, Vec<String>)> {
    let children = component.get("children")?.as_array()?;
    let children = children
        .iter()
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect();
    Some((component["id"].as_str()?.to_owned(), children))
}

fn pointers(value: &Value, at: &str, found: &mut Vec<String>, fits: &dyn Fn(&Value) -> bool) {
    if fits(value) {
        found.push(at.to_owned());
    }
    match value {
        Value::Array(items) => (0..)
            .zip(items)
            .for_each(|(key, it): (usize, _)| pointers(it, &format!("{at}/{key}"), found, fits)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, it)| pointers(it, &format!("{at}/{key}"), found, fits)),
        _ => {}
    }
}
