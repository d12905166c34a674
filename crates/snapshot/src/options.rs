//! Options of a `snapshot:` step, from one definition for parser, schema and documentation.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::{MASK_LIMIT_PERCENT, Redaction, SnapshotError, SnapshotName};
use runner_screen::{Rect, Selector};

/// A `snapshot:` step: the golden's name, or a map of these options.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
// `remote` keeps the derived reader callable, for the reader below that also takes a plain name.
#[serde(remote = "Self", deny_unknown_fields)]
#[schemars(transform = or_just_a_name)]
pub struct StepOptions {
    /// Name of the golden, unique in the flow: letters, digits, `.`, `_`, `-`, at most 64.
    pub name: SnapshotName,
    /// Inside `repeat`: a golden for each turn, `name.1`, `name.2`, …
    #[serde(default)]
    pub each: bool,
    /// Takes only this element: its rows and its part of the picture. Bounds count from its upper left corner.
    #[serde(default)]
    pub of: Option<Selector>,
    /// What changes by itself: elements by selector, areas as `{ rect: [left, top, right, bottom] }` in pixels. Their
    /// text, description and state are not compared, nor are their pixels.
    #[serde(default)]
    pub mask: Vec<Mask>,
    /// How many changed pixels still pass. Both limits are 0 unless given.
    #[serde(default)]
    pub tolerance: Option<Tolerance>,
    /// Whose windows are compared: the flow's `app`, or `all`.
    #[serde(default)]
    pub windows: Windows,
    /// Compares the status and navigation bars too.
    #[serde(default)]
    pub bars: bool,
    /// Which pictures are kept: `annotated` (default) also one with boxes, for people who read a pull request; `raw` the
    /// screenshot alone; `none` takes no picture and compares rows only.
    #[serde(default)]
    pub image: Image,
    /// What differs from run to run in a text: added to the redactions of `runner.yaml`.
    #[serde(default)]
    pub redactions: Vec<Redaction>,
    /// The variant of the golden, instead of the device's: letters, digits, `_`, `-`.
    #[serde(default)]
    #[schemars(with = "Option<VariantName>")]
    pub variant: Option<String>,
    /// A picture of another tool (PNG, JPEG, GIF, BMP), from the project's root. Where there is no golden yet, what is seen
    /// is compared with it: the reports show both, and the review says whether they are alike.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Fails where there is no picture of this render class yet. Replaces `--strict-pixels` for this step.
    #[serde(default)]
    pub strict_pixels: Option<bool>,
}

impl StepOptions {
    /// Creates the options of a step that gives only a name: an annotated picture of the whole screen with the
    /// windows of the app, which leaves out the system's bars and has no masks and rules. The run decides about
    /// tolerance and strict pixels.
    pub fn named(name: SnapshotName) -> Self {
        Self {
            name,
            each: false,
            of: None,
            mask: Vec::new(),
            tolerance: None,
            windows: Windows::App,
            bars: false,
            image: Image::Annotated,
            redactions: Vec::new(),
            variant: None,
            baseline: None,
            strict_pixels: None,
        }
    }
}

impl<'de> Deserialize<'de> for StepOptions {
    /// Reads a name alone, which gives the options of [`StepOptions::named`], or a map with `name`. Unknown keys and
    /// a refused name are errors. The variant, the path of `baseline` and the tolerance are not checked here.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrMap;

        impl<'de> Visitor<'de> for NameOrMap {
            type Value = StepOptions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the snapshot's name, or a map with `name`")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<StepOptions, E> {
                let name = SnapshotName::new(name).map_err(E::custom)?;
                Ok(StepOptions::named(name))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StepOptions, A::Error> {
                StepOptions::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_any(NameOrMap)
    }
}

/// Makes the schema accept a name alone too.
fn or_just_a_name(schema: &mut Schema) {
    let map = std::mem::take(schema);
    *schema = json_schema!({
        "anyOf": [
            { "type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$", "description": "Name of the golden." },
            map
        ]
    });
}

/// Part of a screen that is not compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Mask {
    /// All elements that match the selector.
    Elements(Box<Selector>),
    /// Area of the display in pixels.
    Area(Rect),
}

impl fmt::Display for Mask {
    /// Writes the selector for people, or `rect [left,top,right,bottom]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elements(selector) => selector.fmt(f),
            Self::Area(rect) => write!(f, "rect [{rect}]"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Area {
    rect: [i32; 4],
}

impl<'de> Deserialize<'de> for Mask {
    /// Reads a map with `rect` as an area, and anything else as a selector. Refuses other keys beside `rect`, and an
    /// area without width or height.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not `untagged`, whose errors do not say what is wrong with the intended variant.
        let value = serde_json::Value::deserialize(deserializer)?;
        if value.get("rect").is_none() {
            let selector = Selector::deserialize(value).map_err(D::Error::custom)?;
            return Ok(Self::Elements(Box::new(selector)));
        }
        let [left, top, right, bottom] = Area::deserialize(value).map_err(D::Error::custom)?.rect;
        if left >= right || top >= bottom {
            return Err(D::Error::custom(
                "`rect` is [left, top, right, bottom] with left < right and top < bottom",
            ));
        }
        Ok(Self::Area(Rect::new(left, top, right, bottom)))
    }
}

impl JsonSchema for Mask {
    fn schema_name() -> Cow<'static, str> {
        "Mask".into()
    }

    /// Returns a schema that accepts a selector, or a map with only `rect`.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                generator.subschema_for::<Selector>(),
                {
                    "type": "object",
                    "description": "An area of the display, in pixels.",
                    "properties": { "rect": {
                        "type": "array",
                        "description": "Left, top, right, bottom; right and bottom are exclusive.",
                        "items": { "type": "integer" }, "minItems": 4, "maxItems": 4
                    } },
                    "required": ["rect"],
                    "additionalProperties": false
                }
            ]
        })
    }
}

/// How many changed pixels still pass, after anti-aliasing was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tolerance {
    /// Pixels the largest connected change may have.
    pub cluster: u64,
    /// Pixels all smaller changes may have together.
    pub specks: u64,
}

impl Tolerance {
    /// Refuses with [`SnapshotError::ToleranceTooLarge`] a tolerance that allows more than [`MASK_LIMIT_PERCENT`] of
    /// the compared pixels to change, the largest change and all others together. `compared` is the number of pixels
    /// that no mask covers. Exactly so many are allowed.
    pub(super) fn check_against(self, compared: u64) -> Result<(), SnapshotError> {
        let allowed = self.cluster.saturating_add(self.specks);
        if allowed.saturating_mul(100) > compared.saturating_mul(MASK_LIMIT_PERCENT) {
            return Err(SnapshotError::ToleranceTooLarge { allowed, compared });
        }
        Ok(())
    }
}

/// How a variant may be called, for the schema.
#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used")]
struct VariantName(#[schemars(regex(pattern = r"^[A-Za-z0-9_-]{1,128}$"))] String);

/// Which pictures are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Image {
    /// The screenshot, and the same with boxes and row numbers.
    #[default]
    Annotated,
    /// The screenshot.
    Raw,
    /// None: only rows are compared.
    None,
}

/// Whose windows are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Windows {
    /// Those of the flow's app.
    #[default]
    App,
    /// All on the screen, such as the keyboard and the system's dialogs.
    All,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_string_is_the_name() {
        let options: StepOptions = serde_json::from_str(r#""home""#).unwrap();
        assert_eq!(options.name.as_str(), "home");
        assert!(options.image == Image::Annotated && !options.bars && options.mask.is_empty());
    }

    #[test]
    fn a_map_has_all_options() {
        let options: StepOptions = serde_json::from_str(
            r#"{"name":"home","each":true,"mask":[{"rect":[0,0,10,20]}],"tolerance":{"cluster":5},
                "windows":"all","bars":true,"image":"raw","strict_pixels":true,"variant":"tablet",
                "redactions":[{"pattern":"[0-9]+","alias":"[n]","columns":["text"]}]}"#,
        )
        .unwrap();
        assert_eq!(options.mask, [Mask::Area(Rect::new(0, 0, 10, 20))]);
        assert_eq!(
            options.tolerance,
            Some(Tolerance {
                cluster: 5,
                specks: 0
            })
        );
        assert_eq!(options.windows, Windows::All);
        assert!(options.each && options.bars);
        assert_eq!(options.image, Image::Raw);
        assert_eq!(options.variant.as_deref(), Some("tablet"));
        assert_eq!(options.redactions[0].alias, "[n]");
        assert_eq!(options.strict_pixels, Some(true));
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for bad in [
            r#""a b""#,
            r"{}",
            r#"{"name":"x","masks":[]}"#,
            r#"{"name":"x","mask":[{"rect":[10,0,0,20]}]}"#,
            r#"{"name":"x","mask":[{"rect":[0,0,1]}]}"#,
            r#"{"name":"x","mask":[{"rect":[0,0,1,1],"id":"y"}]}"#,
            r#"{"name":"x","tolerance":{"cluster":-1}}"#,
            r#"{"name":"x","image":"sharp"}"#,
            r#"{"name":"x","redactions":[{"pattern":"x"}]}"#,
            "7",
        ] {
            assert!(serde_json::from_str::<StepOptions>(bad).is_err(), "{bad}");
        }
    }
}
