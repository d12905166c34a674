//! Matrix of device settings, and its combinations.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

/// Number of combinations of one matrix. Chosen: each is a full run of the flow; more is usually a slip.
const MAX_COMBINATIONS: usize = 256;

/// Longest language tag in characters. RFC 5646, section 4.4.1, asks for room for this many.
const MAX_TAG_CHARS: usize = 35;

/// Device settings, each with the values that a flow is run with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    locales: Vec<String>,
    dark: Vec<bool>,
    font_percents: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MatrixError {
    /// Path of the value in the matrix, such as `locale.1`; empty for the matrix as a whole.
    pub path: String,
    pub message: String,
}

/// One value for each setting in the matrix. `None`: the matrix does not have the setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Combination {
    /// Language tag such as `de-DE`.
    pub locale: Option<String>,
    /// Dark theme if true, light theme if false.
    pub dark: Option<bool>,
    pub font_percent: Option<u32>,
}

impl Combination {
    /// Returns the name of the goldens' variant, such as `de-dark-fs200`: locale, `dark` or `light`, and font
    /// size in percent. A setting outside of the matrix is left out; without any it is empty.
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
    /// Returns the JSON Schema of a matrix, for checks and editors: lists of at least one `locale`, `dark` (a
    /// boolean, `yes` or `no`) and `font_scale` (0.25 to 5). All may be left out. It does not find repeated values.
    pub fn schema() -> Value {
        json!({
            "type": "object",
            "additionalProperties": false,
            "description": "Settings of the device and their values; the flow is run once for each combination.",
            "properties": {
                "locale": {
                    "type": "array", "minItems": 1,
                    "items": { "type": "string", "minLength": 1, "maxLength": MAX_TAG_CHARS, "examples": runner_tools::LANGUAGES },
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

    /// Converts a value that fits the schema. A font scale is rounded to whole percents.
    ///
    /// # Errors
    /// The first problem that the schema cannot find: a tag with other characters than ASCII letters, digits and `-`,
    /// or with a language or a region that does not exist; a value that occurs twice, where the case of a tag's letters
    /// does not count; too many combinations. `path` is that of the item, such as `locale.1`, and empty for the number
    /// of combinations.
    pub fn from_value(value: &Value) -> Result<Self, MatrixError> {
        let items = |key: &str| {
            let list = value.get(key).and_then(Value::as_array);
            list.map(Vec::as_slice).unwrap_or_default()
        };
        let mut matrix = Self::default();
        for (index, item) in items("locale").iter().enumerate() {
            let tag = item.as_str().unwrap_or_default();
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            let language = runner_tools::check_language(tag);
            if let Err(Some(meant)) = &language {
                return Err(MatrixError {
                    path: format!("locale.{index}"),
                    message: format!("`{tag}` is not a language; write `{meant}`"),
                });
            }
            if tag.is_empty() || language.is_err() || !tag.bytes().all(is_plain) {
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

    /// Returns the number of combinations: the product of the settings' numbers of values, where a setting
    /// without values counts as one. It is 0 for an empty matrix.
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

    pub fn is_empty(&self) -> bool {
        self.locales.is_empty() && self.dark.is_empty() && self.font_percents.is_empty()
    }

    /// Returns all combinations in the order of the values; none for an empty matrix. The locale changes
    /// slowest and the font size fastest, because changing it on a device takes the least time.
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

    /// Formats the matrix for people: `locale: de, en; dark: no, yes; font_scale: 1, 1.3`. Settings without
    /// values are left out.
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

/// Returns each value, or one `None` for a setting that is not in the matrix.
fn choices<T: Clone>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() {
        vec![None]
    } else {
        values.iter().cloned().map(Some).collect()
    }
}

/// Returns the index of the first value that occurred before; `None` if all differ.
fn repeated<T: std::hash::Hash + Eq>(values: &[T]) -> Option<usize> {
    let mut observed = HashSet::new();
    values.iter().position(|value| !observed.insert(value))
}
