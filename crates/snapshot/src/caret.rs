//! Ignores the caret of the focused field. It blinks, so it is on some pictures and not on others.

use image::RgbaImage;

use super::RenderClass;
use super::picture::{self, PixelMask};
use super::row::Row;
use runner_screen::Rect;

/// Largest width of a caret in dp. Chosen: Android's default is 2 dp (AOSP `text_cursor_material.xml`), and
/// some apps have a wider one.
const MAX_WIDTH_DP: u32 = 4;

/// Density in dpi at which a dp is a pixel, by Android's definition.
const DENSITY_OF_DP: u32 = 160;

/// Areas of a picture where a caret may be, and its largest width.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CaretAreas {
    areas: Vec<Rect>,
    max_width: u32,
}

impl CaretAreas {
    /// Returns the bounds of the focused editable fields, with the largest width of a caret in pixels for this
    /// `density`. Fields without bounds are left out. If `density` is 0, that width is 0, and [`Self::carets`] finds
    /// none.
    pub(super) fn new<'a>(rows: impl IntoIterator<Item = &'a Row>, density: u32) -> Self {
        let fields = rows.into_iter().filter(|row| {
            let has = |flag: &str| row.flags.split(',').any(|other| other == flag);
            has("edt") && has("fcs")
        });
        Self {
            areas: fields.filter_map(|row| row.bounds).collect(),
            max_width: MAX_WIDTH_DP.saturating_mul(density).div_ceil(DENSITY_OF_DP),
        }
    }

    /// Returns the fields with the density that the name of the render class holds. Without a class, or if
    /// its name holds none, no caret is found. It is for comparisons without the device.
    pub(super) fn from_class<'a>(
        rows: impl IntoIterator<Item = &'a Row>,
        class: Option<&RenderClass>,
    ) -> Self {
        let density = class.and_then(RenderClass::density);
        Self::new(rows, density.unwrap_or_default())
    }

    /// Returns the upright strips inside the fields by which two pictures differ: at most as wide as a caret, at least
    /// three times as high, and of one colour. A field has two at most, one of each picture. A field in which anything
    /// else differs has none, nor have pictures of different sizes. Masked and faint differences do not count.
    pub(super) fn carets(
        &self,
        golden: &RgbaImage,
        actual: &RgbaImage,
        mask: &PixelMask,
    ) -> Vec<Rect> {
        let carets = self
            .areas
            .iter()
            .flat_map(|area| picture::upright_strips(golden, actual, mask, *area, self.max_width));
        carets.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::fixture::{HEIGHT, WIDTH, class, key, picture, store, subject};
    use crate::{Check, Options, Subject, UpdateMode, check};
    use runner_screen::{Display, DisplayContext, Screen};

    const FIELD: [i32; 4] = [10, 50, 90, 80];

    /// Returns a screen with a field that has this text, and another field below it without the focus.
    fn form(text: &str, is_focused: bool, density: u32) -> Arc<Screen> {
        let field = |text: &str, is_focused: bool, [left, top, right, bottom]: [i32; 4]| {
            format!(
                "<node class='android.widget.EditText' package='com.example' text='{text}' focused='{is_focused}' \
                 enabled='true' bounds='[{left},{top}][{right},{bottom}]'/>"
            )
        };
        let dump = format!(
            "<hierarchy><node package='com.example' bounds='[0,0][100,200]'>{}{}</node></hierarchy>",
            field(text, is_focused, FIELD),
            field("city", false, [10, 100, 90, 130]),
        );
        let display = Some(Display {
            width: WIDTH,
            height: HEIGHT,
            density,
            rotation: 0,
        });
        let surroundings = DisplayContext {
            display,
            ..DisplayContext::default()
        };
        Arc::new(Screen::parse(dump.as_bytes(), &surroundings).unwrap())
    }

    fn observed(screen: &Arc<Screen>, blocks: &[[i32; 4]]) -> Subject {
        Subject {
            screen: Arc::clone(screen),
            picture: Some(picture(blocks)),
            ..subject(&[])
        }
    }

    /// Checks the second look against the first as its golden.
    fn checked(golden: &Subject, actual: &Subject) -> Check {
        let (_guard, store, _root) = store();
        let key = key("home");
        let none = store.load(&key).unwrap();
        let first = check(golden, &none, &Options::default()).unwrap();
        store.apply(UpdateMode::New, &none, &first).unwrap();
        check(actual, &store.load(&key).unwrap(), &Options::default()).unwrap()
    }

    /// Rectangles to paint on a picture.
    type Blocks = &'static [[i32; 4]];

    const LETTER: [i32; 4] = [14, 55, 22, 75];
    const CARET: [i32; 4] = [24, 52, 26, 78];
    const MOVED: [i32; 4] = [40, 52, 42, 78];
    const OTHER_FIELD: [i32; 4] = [24, 102, 26, 128];

    #[test]
    fn a_caret_of_the_focused_field_is_no_difference_and_the_rest_is() {
        let cases: [(&str, bool, u32, Blocks, Blocks, bool); 9] = [
            ("it went", true, 160, &[LETTER, CARET], &[LETTER], true),
            (
                "it moved",
                true,
                160,
                &[LETTER, CARET],
                &[LETTER, MOVED],
                true,
            ),
            (
                "a wider one on a finer display",
                true,
                320,
                &[],
                &[[24, 52, 31, 78]],
                true,
            ),
            ("no focus", false, 160, &[LETTER, CARET], &[LETTER], false),
            ("in another field", true, 160, &[], &[OTHER_FIELD], false),
            ("no density", true, 0, &[LETTER, CARET], &[LETTER], false),
            (
                "two came",
                true,
                160,
                &[LETTER],
                &[LETTER, CARET, MOVED],
                false,
            ),
            (
                "higher than the field",
                true,
                160,
                &[],
                &[[24, 45, 26, 78]],
                false,
            ),
            (
                "and a letter changed",
                true,
                160,
                &[LETTER, CARET],
                &[[14, 55, 22, 70]],
                false,
            ),
        ];
        for (name, is_focused, density, before, after, passes) in cases {
            let screen = form("a", is_focused, density);
            let looks = [observed(&screen, before), observed(&screen, after)];
            for (golden, actual) in [(0, 1), (1, 0)] {
                let found = checked(&looks[golden], &looks[actual]);
                assert_eq!(found.passed(), passes, "{name}: {:?}", found.changes);
                assert!(
                    !passes || found.notes.is_empty(),
                    "{name}: {:?}",
                    found.notes
                );
                let moved = looks[actual].moved_since(&looks[golden]).unwrap();
                assert_eq!(moved.is_empty(), passes, "{name}: {moved:?}");
            }
        }
    }

    // A thin stroke may pass in the picture, because the field's text is compared by its rows.
    #[test]
    fn a_thin_letter_that_changed_is_told_by_the_rows() {
        let [one, other] = ["pil", "piI"].map(|text| form(text, true, 160));
        let found = checked(
            &observed(&one, &[LETTER, CARET]),
            &observed(&other, &[LETTER]),
        );
        assert!(!found.passed());
        assert_eq!(found.rows.len(), 1, "{:?}", found.changes);
        assert!(found.picture.is_none_or(|picture| picture.passed()));
    }

    #[test]
    fn the_density_is_read_from_a_class_that_devices_tell() {
        for (name, density) in [
            ("virtual1-34-1080x2400-420-en-light", Some(420)),
            ("Pixel_7-34-1080x2400-420-en-light-land", Some(420)),
            ("lab", None),
            ("lab-1080x2400", None),
        ] {
            assert_eq!(class(name).density(), density, "{name}");
        }
    }
}
