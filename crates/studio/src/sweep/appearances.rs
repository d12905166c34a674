//! Computes the appearances of a sweep.

use serde::Deserialize;

use crate::StudioError;
use runner_screen::Orientation;

/// Appearances of one sweep. Chosen: each takes some seconds of the device.
const MAX_APPEARANCES: usize = 16;

/// Values of one setting, and characters of a language tag. The tag's limit is that of RFC 5646, section
/// 4.4.1; that of the values is chosen and only bounds the request.
const MAX_VALUES: usize = 8;
const MAX_TAG_CHARS: usize = 35;

/// Choices of a person. Each value is combined with every other; a setting without values is not changed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SweepRequest {
    #[serde(default)]
    dark: Vec<bool>,
    #[serde(default)]
    locale: Vec<String>,
    /// Font sizes in percent.
    #[serde(default)]
    font: Vec<u32>,
    #[serde(default)]
    landscape: Vec<bool>,
}

/// Appearance: values of settings. Settings without a value stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Appearance {
    pub(super) dark: Option<bool>,
    pub(super) locale: Option<String>,
    pub(super) font: Option<u32>,
    pub(super) orientation: Option<Orientation>,
}

impl Appearance {
    /// Returns a name such as `de, dark, font 200 %`, with the language, theme, font size and orientation that the
    /// appearance sets, in this order; `as it is` if it sets nothing.
    pub(super) fn name(&self) -> String {
        let parts = [
            self.locale.clone(),
            self.dark
                .map(|dark| if dark { "dark" } else { "light" }.to_owned()),
            self.font.map(|percent| format!("font {percent} %")),
            self.orientation.map(|orientation| {
                match orientation {
                    Orientation::Portrait => "portrait",
                    Orientation::Landscape => "landscape",
                }
                .to_owned()
            }),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            "as it is".to_owned()
        } else {
            parts.join(", ")
        }
    }

    /// Returns true if the two differ in language and in nothing else; an unset language counts as one of its own.
    /// Equal appearances return false.
    pub(super) fn is_in_other_language(&self, other: &Self) -> bool {
        let same = Self {
            locale: other.locale.clone(),
            ..self.clone()
        };
        self.locale != other.locale && same == *other
    }
}

impl SweepRequest {
    /// Returns all combinations of the values, those of one language next to each other, in the order of the
    /// values. Equal ones come once. Of what has no values, nothing is set. Without any values there is one
    /// appearance.
    ///
    /// # Errors
    /// Returns an error if there are more than [`MAX_APPEARANCES`] before equal ones are removed, if a setting has
    /// more than [`MAX_VALUES`], if a language is no tag, or a font size is not within 25 to 500 %.
    pub(super) fn appearances(&self) -> Result<Vec<Appearance>, StudioError> {
        let lengths = [
            self.dark.len(),
            self.locale.len(),
            self.font.len(),
            self.landscape.len(),
        ];
        if let Some(length) = lengths.iter().find(|length| **length > MAX_VALUES) {
            return Err(StudioError::Sweep(format!(
                "these are {length} values of one setting; choose {MAX_VALUES} at most"
            )));
        }
        let count: usize = lengths.iter().map(|length| (*length).max(1)).product();
        if count > MAX_APPEARANCES {
            return Err(StudioError::Sweep(format!(
                "these are {count} appearances; choose {MAX_APPEARANCES} at most"
            )));
        }
        let is_tag = |tag: &String| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            !tag.is_empty() && tag.len() <= MAX_TAG_CHARS && tag.bytes().all(is_plain)
        };
        if let Some(tag) = self.locale.iter().find(|tag| !is_tag(tag)) {
            return Err(StudioError::Sweep(format!(
                "`{tag}` is not a language; write a tag such as `de` or `de-DE`"
            )));
        }
        if self
            .font
            .iter()
            .any(|percent| !(25..=500).contains(percent))
        {
            return Err(StudioError::Sweep(
                "a font scale is between 25 and 500 percent".to_owned(),
            ));
        }
        let mut appearances = Vec::new();
        for locale in each(&self.locale) {
            for landscape in each(&self.landscape) {
                for dark in each(&self.dark) {
                    for font in each(&self.font) {
                        let orientation = landscape.map(|is| {
                            if is {
                                Orientation::Landscape
                            } else {
                                Orientation::Portrait
                            }
                        });
                        let appearance = Appearance {
                            dark,
                            locale: locale.clone(),
                            font,
                            orientation,
                        };
                        if !appearances.contains(&appearance) {
                            appearances.push(appearance);
                        }
                    }
                }
            }
        }
        Ok(appearances)
    }
}

/// Returns each value, or a single `None` if there are none. Equal values stay.
fn each<T: Clone>(values: &[T]) -> Vec<Option<T>> {
    match values {
        [] => vec![None],
        values => values.iter().cloned().map(Some).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_with_every_other() {
        let request = SweepRequest {
            dark: vec![false, true],
            font: vec![100, 200],
            ..SweepRequest::default()
        };
        let names: Vec<String> = request
            .appearances()
            .unwrap()
            .iter()
            .map(Appearance::name)
            .collect();
        assert_eq!(
            names,
            [
                "light, font 100 %",
                "light, font 200 %",
                "dark, font 100 %",
                "dark, font 200 %"
            ]
        );
        let none = SweepRequest::default().appearances().unwrap();
        assert_eq!(none.len(), 1);
        assert_eq!(none[0].name(), "as it is");
    }

    #[test]
    fn what_cannot_be_swept_is_told() {
        let fonts = |percent: Vec<u32>| SweepRequest {
            font: percent,
            ..SweepRequest::default()
        };
        let tags = |tags: &[&str]| SweepRequest {
            locale: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..SweepRequest::default()
        };
        let many = SweepRequest {
            dark: vec![false, true],
            landscape: vec![false, true],
            locale: vec!["de".to_owned(); 5],
            ..SweepRequest::default()
        };
        for (request, why) in [
            (fonts(vec![1]), "between 25 and 500"),
            (tags(&["de; reboot"]), "is not a language"),
            (tags(&[""]), "is not a language"),
            (many, "20 appearances; choose 16"),
            (tags(&["de"; 9]), "9 values of one setting; choose 8"),
        ] {
            let error = request.appearances().unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
