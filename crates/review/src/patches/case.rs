//! Shows a group of patches as a case of the review: the screen on which the selector last matched beside the
//! one on which it failed. Both are drawn from their elements, as evidence holds no pictures.

use std::sync::Arc;

use image::{Rgba, RgbaImage};

use super::group::PatchGroup;
use crate::Case;
use runner_picture::Frame;
use runner_screen::annotate::{Mark, annotate_marks};
use runner_screen::{NodeIndex, Profile, Rect, RowFilter, Screen};
use runner_snapshot::{ChangedArea, PendingDiff, PendingEntry, Row, row_lines};

/// Chosen: pixels of a display's side. No phone has more, and an archive may claim any size.
const MAX_SIDE: i32 = 8_192;
/// Chosen: bytes of an element's text at its box.
const MAX_LABEL: usize = 32;
/// Chosen: width of the frame around the element, in pixels.
const FRAME_WIDTH: i32 = 10;
/// Chosen: a colour that apps hardly use.
const FRAME_COLOUR: Rgba<u8> = Rgba([200, 0, 120, 255]);

impl PatchGroup {
    /// Returns all that a person needs to decide: the edits, and the screens before and after as rows and as
    /// drawings, with the element marked. The screens are those of the first patch. Rows and drawings are left out if
    /// one of them cannot be read.
    pub(crate) fn case(&self) -> Case {
        let item = self.item();
        let cause = self.cause();
        let mut diff = PendingDiff::empty(PendingEntry {
            version: item.version.clone(),
            ..PendingEntry::nothing(&self.key)
        });
        diff.rows = cause.changes.iter().skip(1).cloned().collect();
        diff.cause = cause;
        if let Some(patch) = self.group.patches.first()
            && let (Ok(before), Ok(after)) = (
                patch.evidence.before.screen(),
                patch.evidence.after.screen(),
            )
        {
            let old = NodeIndex(patch.evidence.element);
            diff.lines = row_lines(&rows(&before), &rows(&after));
            let bounds = after.node(patch.after).bounds();
            diff.places = vec![ChangedArea {
                name: Some(patch.change.element.clone()),
                pixels: u64::from(bounds.width()) * u64::from(bounds.height()),
                bounds,
            }];
            diff.golden = draw(&before, old);
            diff.proposed = draw(&after, patch.after);
        }
        Case { item, diff }
    }
}

/// Returns the screen's rows as a golden has them.
fn rows(screen: &Screen) -> Vec<Row> {
    screen
        .rows(Profile::Golden)
        .iter()
        .map(Row::from_screen)
        .collect()
}

/// Draws the elements of a screen as boxes with their texts, and a frame around one of them. A text is cut to
/// `MAX_LABEL` bytes. Elements without words or off the screen have no box; the framed one is named by its id then.
/// `None` if a side of the display is 0 or longer than `MAX_SIDE`. Panics if the screen has no such element.
fn draw(screen: &Screen, element: NodeIndex) -> Option<Arc<Frame>> {
    let display = screen.display().bounds();
    let is_real = |side: i32| (1..=MAX_SIDE).contains(&side);
    if !is_real(display.right) || !is_real(display.bottom) {
        return None;
    }
    let white = RgbaImage::from_pixel(display.width(), display.height(), Rgba([255; 4]));
    let rows = screen.rows_with(Profile::Golden, &RowFilter::default());
    let marks = rows.iter().filter_map(|row| {
        let node = screen.node(row.node);
        let own = (row.node == element).then_some(node.resource_name());
        let hint = row.hint.as_deref();
        let mut words = [Some(&*row.text), Some(&*row.desc), hint, own].into_iter();
        let words = words.find(|words| words.is_some_and(|words| !words.is_empty()))??;
        #[expect(
            clippy::disallowed_methods,
            reason = "the run has masked the secrets of the screens that it stored"
        )]
        let end = words.floor_char_boundary(MAX_LABEL);
        node.is_on_screen().then(|| Mark {
            bounds: node.bounds(),
            label: words[..end].to_owned(),
        })
    });
    let marks: Vec<Mark> = marks.collect();
    let mut picture = annotate_marks(&white, &marks);
    frame(&mut picture, screen.node(element).bounds());
    Some(Arc::new(Frame::from(picture)))
}

/// Draws a frame of `FRAME_WIDTH` around the bounds, outside of them, as far as it lies in the picture.
fn frame(picture: &mut RgbaImage, bounds: Rect) {
    let whole = Rect::new(0, 0, picture.width() as i32, picture.height() as i32);
    // Bounds in an archive may reach to the ends of `i32`.
    let (left, right) = (
        bounds.left.saturating_sub(FRAME_WIDTH),
        bounds.right.saturating_add(FRAME_WIDTH),
    );
    let sides = [
        Rect::new(
            left,
            bounds.top.saturating_sub(FRAME_WIDTH),
            right,
            bounds.top,
        ),
        Rect::new(
            left,
            bounds.bottom,
            right,
            bounds.bottom.saturating_add(FRAME_WIDTH),
        ),
        Rect::new(left, bounds.top, bounds.left, bounds.bottom),
        Rect::new(bounds.right, bounds.top, right, bounds.bottom),
    ];
    for side in sides
        .into_iter()
        .filter_map(|side| side.intersection(&whole))
    {
        for y in side.top..side.bottom {
            for x in side.left..side.right {
                picture.put_pixel(x as u32, y as u32, FRAME_COLOUR);
            }
        }
    }
}
