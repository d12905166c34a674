//! A matrix: settings of the device with the values that each is to have, and their combinations.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

/// Most combinations of one matrix.
const MAX_COMBINATIONS: usize = 256;

/// Longest language tag; RFC 5646 asks for room for so many characters.
const LONGEST_TAG: usize = 35;

/// The values of each setting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    locales: Vec<String>,
    dark: Vec<bool>,
    font_percents: Vec<u32>,
}

/// Something in a matrix that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MatrixError {
    /// Where it stands in the matrix: `locale.1`; empty for all of it.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

/// One value for each setting that the matrix names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Combination {
    /// Language, as a tag such as `de-DE`.
    pub locale: Option<String>,
    /// Dark theme.
    pub dark: Option<bool>,
    /// Font scale in percent.
    pub font_percent: Option<u32>,
}

impl Combination {
    /// The variant of its goldens: `de-dark-fs200`.
    pub fn variant(&self) -> String {
        let parts = [
            self.locale.clone(),
            self.dark
                .map(|dark| if dark { "dark" } else { "light" }.to_owned()),
            self.font_percent.map(|percent| format!("fs{percent}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("-")
    }
}

impl Matrix {
    /// What it is checked against.
    pub fn schema() -> Value {
        json!({
            "type": "object",
            "additionalProperties": false,
            "description": "Settings of the device and their values; the flow is run once for each combination.",
            "properties": {
                "locale": {
                    "type": "array", "minItems": 1,
                    "items": { "type": "string", "minLength": 1, "maxLength": LONGEST_TAG, "examples": runner_tools::LANGUAGES },
                    "description": "Languages, as tags such as `de-DE`.",
                },
                "dark": {
                    "type": "array", "minItems": 1,
                    "items": { "anyOf": [{ "type": "boolean" }, { "enum": ["yes", "no"] }] },
                    "description": "Dark theme or not.",
                },
                "font_scale": {
                    "type": "array", "minItems": 1,
                    "items": { "type": "number", "minimum": 0.25, "maximum": 5 },
                    "description": "Sizes of text; 1 is normal.",
                },
            },
        })
    }

    /// From a value that fits the schema.
    ///
    /// # Errors
    /// What the schema cannot say: values that are the same, tags that are none, too many combinations.
    pub fn of(value: &Value) -> Result<Self, MatrixError> {
        let items = |key: &str| {
            let list = value.get(key).and_then(Value::as_array);
            list.map(Vec::as_slice).unwrap_or_default()
        };
        let mut matrix = Self::default();
        for (index, item) in items("locale").iter().enumerate() {
            let tag = item.as_str().unwrap_or_default();
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            if tag.is_empty() || !tag.bytes().all(is_plain) {
                return Err(MatrixError {
                    path: format!("locale.{index}"),
                    message: format!(
                        "`{tag}` is not a language; write a tag such as `de` or `de-DE`"
                    ),
                });
            }
            matrix.locales.push(tag.to_owned());
        }
        for item in items("dark") {
            let is_dark = item.as_bool().unwrap_or(item.as_str() == Some("yes"));
            matrix.dark.push(is_dark);
        }
        for item in items("font_scale") {
            let scale = item.as_f64().unwrap_or(1.0);
            matrix.font_percents.push((scale * 100.0).round() as u32);
        }
        let lower: Vec<String> = matrix
            .locales
            .iter()
            .map(|tag| tag.to_lowercase())
            .collect();
        for (key, repeated) in [
            ("locale", repeated(&lower)),
            ("dark", repeated(&matrix.dark)),
            ("font_scale", repeated(&matrix.font_percents)),
        ] {
            if let Some(index) = repeated {
                return Err(MatrixError {
                    path: format!("{key}.{index}"),
                    message: format!("`{key}` has this value twice"),
                });
            }
        }
        if matrix.count() > MAX_COMBINATIONS {
            return Err(MatrixError {
                path: String::new(),
                message: format!(
                    "this matrix has {} combinations; at most {MAX_COMBINATIONS} are possible",
                    matrix.count()
                ),
            });
        }
        Ok(matrix)
    }

    /// How many combinations it has.
    pub fn count(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        let lengths = [
            self.locales.len(),
            self.dark.len(),
            self.font_percents.len(),
        ];
        lengths.into_iter().map(|length| length.max(1)).product()
    }

    /// Whether it names no setting.
    pub fn is_empty(&self) -> bool {
        self.locales.is_empty() && self.dark.is_empty() && self.font_percents.is_empty()
    }

    /// All combinations: the font size changes fastest, for it costs least.
    pub fn combinations(&self) -> Vec<Arc<Combination>> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut all = Vec::with_capacity(self.count());
        for locale in choices(&self.locales) {
            for dark in choices(&self.dark) {
                for font_percent in choices(&self.font_percents) {
                    all.push(Arc::new(Combination {
                        locale: locale.clone(),
                        dark,
                        font_percent,
                    }));
                }
            }
        }
        all
    }

    /// For people: `locale: de, en; dark: no, yes`.
    pub fn describe(&self) -> String {
        let dark = |dark: &bool| if *dark { "yes" } else { "no" }.to_owned();
        let scale = |percent: &u32| (f64::from(*percent) / 100.0).to_string();
        let parts = [
            ("locale", self.locales.clone()),
            ("dark", self.dark.iter().map(dark).collect()),
            ("font_scale", self.font_percents.iter().map(scale).collect()),
        ];
        let parts = parts.into_iter().filter(|(_, values)| !values.is_empty());
        let parts: Vec<String> = parts
            .map(|(key, values)| format!("{key}: {}", values.join(", ")))
            .collect();
        parts.join("; ")
    }
}

/// Each value, or none where nothing is to be set.
fn choices<T: Clone>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() {
        vec![None]
    } else {
        values.iter().cloned().map(Some).collect()
    }
}

/// The place of the first value that stood before.
fn repeated<T: std::hash::Hash + Eq>(values: &[T]) -> Option<usize> {
    let mut observed = HashSet::new();
    values.iter().position(|value| !observed.insert(value))
}
