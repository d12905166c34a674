//! Requirements of a flow for devices: `needs` of its header.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde_json::Value;

/// Requirements that a device must meet for a flow to run on it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// Required tags, which `devices` of `runner.yaml` gives to devices.
    pub tags: Vec<String>,
    /// Required API level.
    pub sdk: Option<NumberRange>,
    /// Required smallest width in dp, as in Android's `sw600dp`.
    pub size: Option<NumberRange>,
    /// Range in the flow's source.
    pub span: Range<usize>,
}

/// Measures of an open device. `None`: the device did not report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMeasures {
    pub sdk: Option<u32>,
    /// Smallest width in dp.
    pub size: Option<u32>,
}

impl Needs {
    /// Returns true if the requirements can be judged without opening a device: neither `sdk` nor `size` is given.
    pub fn are_of_tags_alone(&self) -> bool {
        self.sdk.is_none() && self.size.is_none()
    }

    /// Returns true if a device with these tags has all required ones and its measures are in the required ranges.
    /// Unknown measures count as met. The case of tags counts. Empty requirements fit any device.
    pub fn fit(&self, tags: &[String], measures: Option<DeviceMeasures>) -> bool {
        let holds = |range: &Option<NumberRange>, number: Option<u32>| match (range, number) {
            (Some(range), Some(number)) => range.holds(number),
            _ => true,
        };
        let sdk = measures.and_then(|measures| measures.sdk);
        let size = measures.and_then(|measures| measures.size);
        self.tags.iter().all(|tag| tags.contains(tag))
            && holds(&self.sdk, sdk)
            && holds(&self.size, size)
    }
}

/// Formats like `tags tablet, fast; sdk >=33; size >=600`. Nothing for requirements that are empty.
impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tags = (!self.tags.is_empty()).then(|| format!("tags {}", self.tags.join(", ")));
        let sdk = self.sdk.as_ref().map(|range| format!("sdk {range}"));
        let size = self.size.as_ref().map(|range| format!("size {range}"));
        let parts: Vec<String> = [tags, sdk, size].into_iter().flatten().collect();
        f.write_str(&parts.join("; "))
    }
}

/// Comparisons that must all hold for a number: `33`, `>=33`, `>=30 <34`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberRange(Vec<(Comparison, u32)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    AtLeast,
    AtMost,
    Over,
    Under,
    Exactly,
}

impl Comparison {
    /// Longer operators first, because `>=` begins with `>`.
    const ALL: [(&'static str, Self); 5] = [
        (">=", Self::AtLeast),
        ("<=", Self::AtMost),
        (">", Self::Over),
        ("<", Self::Under),
        ("=", Self::Exactly),
    ];

    fn sign(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, comparison)| *comparison == self);
        known.map_or("", |(sign, _)| sign)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a range of numbers; write `>=33`, `<34`, `33`, or several such as `>=30 <34`"
)]
pub struct RangeError(String);

/// Returns the level of the API of a version of Android, of which 5 is the first.
pub(crate) fn api_level(version: u32) -> u32 {
    match version {
        ..=5 => 21,
        6 => 23,
        7 => 24,
        8 => 26,
        9..=12 => version + 19,
        _ => version + 20,
    }
}

impl NumberRange {
    /// Returns the number of a comparison that is a version of Android, such as 13, and no level of its API; `None`
    /// if there is none. Android 5 has the level 21.
    pub(crate) fn version_of_android(&self) -> Option<u32> {
        let mut limits = self.0.iter().map(|(_, limit)| *limit);
        limits.find(|limit| (5..=17).contains(limit))
    }

    /// Returns the least and the greatest number of the comparisons if no number meets all of them, as in `33, 34`.
    pub(crate) fn impossible(&self) -> Option<(u32, u32)> {
        let limits = || self.0.iter().map(|(_, limit)| *limit);
        // A range that is not empty has one of its ends at a limit or next to it.
        let mut ends = limits().flat_map(|it| [it.saturating_sub(1), it, it.saturating_add(1)]);
        let is_met = ends.any(|end| self.holds(end));
        limits().min().zip(limits().max()).filter(|_| !is_met)
    }

    /// Returns true if all comparisons hold for the number; also if there is none.
    pub fn holds(&self, number: u32) -> bool {
        self.0.iter().all(|(comparison, limit)| match comparison {
            Comparison::AtLeast => number >= *limit,
            Comparison::AtMost => number <= *limit,
            Comparison::Over => number > *limit,
            Comparison::Under => number < *limit,
            Comparison::Exactly => number == *limit,
        })
    }
}

impl FromStr for NumberRange {
    type Err = RangeError;

    /// Parses comparisons such as `>=30 <34`, with blanks, commas or nothing between; a number alone means just this
    /// one. The unit `dp` is optional. An empty text, fractions and other signs are errors; comparisons that exclude
    /// each other are not, see [`Self::impossible`].
    fn from_str(text: &str) -> Result<Self, RangeError> {
        let wrong = || RangeError(text.to_owned());
        let mut rest = text.trim();
        let mut comparisons = Vec::new();
        while !rest.is_empty() {
            let known = Comparison::ALL
                .iter()
                .find_map(|(sign, comparison)| Some((*comparison, rest.strip_prefix(sign)?)));
            let (comparison, after) = known.unwrap_or((Comparison::Exactly, rest));
            let after = after.trim_start();
            let end = after
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(after.len());
            let (number, after) = after.split_at(end);
            comparisons.push((comparison, number.parse().map_err(|_| wrong())?));
            // The unit of a size is optional.
            let after = after.strip_prefix("dp").unwrap_or(after);
            rest = after.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
            let is_apart = after.is_empty() || rest.len() < after.len();
            if !is_apart && !rest.starts_with(['<', '>', '=']) {
                return Err(wrong());
            }
        }
        if comparisons.is_empty() {
            return Err(wrong());
        }
        Ok(Self(comparisons))
    }
}

impl fmt::Display for NumberRange {
    /// Writes the comparisons with blanks between, such as `>=30 <34`, and an exact one as the number alone. The text
    /// parses to the same range again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (comparison, number)) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            let sign = match comparison {
                Comparison::Exactly => "",
                other => other.sign(),
            };
            write!(f, "{space}{sign}{number}")?;
        }
        Ok(())
    }
}

/// Returns the schema of `needs`: a map with `tags`, `sdk` and `size`, none of them required. Ranges are plain texts
/// in it; [`NumberRange`] parses them.
pub fn schema() -> Value {
    let range = |about: &str, example: &str| serde_json::json!({ "type": "string", "examples": [example], "description": about });
    serde_json::json!({
        "type": "object",
        "additionalProperties": false,
        "description": "What a device must be for the flow to run on it.",
        "properties": {
            "tags": { "type": "array", "items": { "type": "string", "minLength": 1 }, "description": "Tags that `devices` of runner.yaml gives it." },
            "sdk": range("API level: `>=33`, `33`, `>=30 <34`.", ">=33"),
            "size": range("Smallest width in dp: `>=600` is a tablet.", ">=600"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_reads_holds_and_is_written_again() {
        for (text, written, inside, outside) in [
            (">=33", ">=33", &[33, 34][..], &[32][..]),
            ("33", "33", &[33], &[32, 34]),
            ("= 33", "33", &[33], &[34]),
            (" >=30  <34 ", ">=30 <34", &[30, 33], &[29, 34]),
            (">=30<34", ">=30 <34", &[30, 33], &[29, 34]),
            (">30, <=34", ">30 <=34", &[31, 34], &[30, 35]),
            (">=600dp", ">=600", &[600], &[599]),
        ] {
            let range: NumberRange = text.parse().unwrap();
            assert_eq!(range.to_string(), written, "{text}");
            assert_eq!(range.to_string().parse(), Ok(range.clone()), "{text}");
            assert!(inside.iter().all(|number| range.holds(*number)), "{text}");
            assert!(!outside.iter().any(|number| range.holds(*number)), "{text}");
        }
        for text in [
            "",
            " ",
            "new",
            ">=",
            ">=33x",
            "33 or 34",
            "3.5",
            "-1",
            "99999999999",
        ] {
            assert!(text.parse::<NumberRange>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_without_a_number_is_told() {
        for (text, limits) in [
            ("33, 34", Some((33, 34))),
            (">34 <30", Some((30, 34))),
            (">33 <34", Some((33, 34))),
            ("<0", Some((0, 0))),
            ("33", None),
            ("33 33", None),
            (">=33 <=33", None),
            (">33 <35", None),
            ("<1", None),
            (">=0", None),
        ] {
            let range: NumberRange = text.parse().unwrap();
            assert_eq!(range.impossible(), limits, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_may_fit() {
        let needs = Needs {
            tags: vec!["tablet".into()],
            sdk: Some(">=33".parse().unwrap()),
            ..Needs::default()
        };
        let measures = |sdk| {
            let size = Some(400);
            Some(DeviceMeasures { sdk, size })
        };
        let tablet = ["tablet".to_owned(), "lab".to_owned()];
        assert!(needs.fit(&tablet, None));
        assert!(needs.fit(&tablet, measures(None)));
        assert!(needs.fit(&tablet, measures(Some(33))));
        assert!(!needs.fit(&tablet, measures(Some(32))));
        assert!(!needs.fit(&[], measures(Some(33))));
        assert_eq!(needs.to_string(), "tags tablet; sdk >=33");
    }
}
