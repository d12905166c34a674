//! Prepares a screen for the comparison: the app's rows, redacted and masked, and the areas of the picture
//! that are left out.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::caret::CaretAreas;
use super::golden::hash;
use super::options::{Image, Mask, StepOptions, Windows};
use super::picture::{self, PixelMask};
use super::redact::{self, Redactions};
use super::row::Row;
use super::tsv::{Metadata, SCHEMA};
use super::{RenderClass, SnapshotError, rows_diff};
use runner_picture::{Frame, PictureError};

use runner_device::Picture;
use runner_screen::{Node, NodeIndex, Profile, Rect, RowFilter, Screen};

/// Largest share of the display that a bar covers, in percent. Chosen: real bars take about a tenth, an open
/// notification shade all of it.
const MAX_BAR_PERCENT: u64 = 20;

/// Screen to be compared with its golden.
#[derive(Debug, Clone)]
pub struct Subject {
    pub screen: Arc<Screen>,
    /// Screenshot; without one no pictures are compared.
    pub picture: Option<Picture>,
    /// Package of the flow's app. Only its windows count unless the step has `windows: all`. Without it all
    /// windows count.
    pub app: Option<String>,
    /// Version of the app, for the metadata.
    pub app_version: Option<String>,
    pub class: RenderClass,
    /// Areas of the system's bars on the display. One that is too large for a bar is compared all the same.
    pub bars: Vec<Rect>,
    pub options: StepOptions,
    /// Redactions of the project and of the step.
    pub redactions: Redactions,
}

/// Screen prepared for the comparison.
#[derive(Debug, Clone)]
pub(super) struct PreparedSubject {
    /// Rows, redacted and masked. Bounds are relative to the upper left corner of `frame`.
    pub rows: Vec<Row>,
    /// Part of the display that is compared.
    pub frame: Rect,
    /// Areas under the step's masks, relative to the corner of `frame`.
    pub masked: Vec<Rect>,
    /// Areas of the system's bars, relative to the corner of `frame`.
    pub bars: Vec<Rect>,
    /// True if pictures are compared at all.
    pub wants_picture: bool,
    /// Masks that match nothing.
    pub idle_masks: Vec<String>,
}

impl PreparedSubject {
    /// Returns the share of the frame under masks, in whole percent, rounded down; the system's bars do not
    /// count.
    pub(super) fn masked_percent(&self) -> u64 {
        let all = self.frame.area().max(1);
        (all - self.open_pixels().min(all)) * 100 / all
    }

    /// Returns the number of pixels of the frame that no mask covers. It is not the sum of areas: masks
    /// overlap, and each pixel counts once.
    pub(super) fn open_pixels(&self) -> u64 {
        PixelMask::new(self.frame.width(), self.frame.height(), &self.masked).open_pixels()
    }

    /// Returns all areas that are left out of the picture.
    pub(super) fn left_out(&self) -> Vec<Rect> {
        [self.masked.as_slice(), &self.bars].concat()
    }
}

impl Subject {
    /// Collects what is compared: the rows with masks and rules applied, and their places inside the frame, which is
    /// the display or the one element of `of`. Masks that match nothing are listed and no error. Fails if `of` finds
    /// none or several on the screen, without `of` if the app has no window, or if the rules leave next to no words.
    pub(super) fn take(&self) -> Result<PreparedSubject, SnapshotError> {
        let display = self.screen.display().bounds();
        let of = match &self.options.of {
            None => None,
            Some(selector) => match selector.find(&self.screen).as_slice() {
                [] => return Err(SnapshotError::NoElement(selector.to_string())),
                [one] => Some(self.screen.node(*one)),
                several => {
                    return Err(SnapshotError::Several {
                        selector: selector.to_string(),
                        nodes: several.to_vec(),
                    });
                }
            },
        };
        let frame = of.map_or(display, |node| {
            node.bounds().intersection(&display).unwrap_or_default()
        });
        let inner = |rect: &Rect| {
            let shift = |x: i32, by: i32| x.saturating_sub(by);
            Rect::new(
                shift(rect.left, frame.left),
                shift(rect.top, frame.top),
                shift(rect.right, frame.left),
                shift(rect.bottom, frame.top),
            )
        };
        let bars = self.left_out_bars(&display);
        let masks = Masks::find(&self.options.mask, &self.screen);
        let mut rows = self.rows(of, &bars, &masks)?;
        for row in &mut rows {
            row.bounds = row.bounds.as_ref().map(inner);
        }
        if self.redactions.take_all_words(&rows) {
            return Err(SnapshotError::AllRedacted);
        }
        // After masking, so that masked values do not use up numbers of an alias.
        self.redactions.apply(&mut rows);
        Ok(PreparedSubject {
            rows,
            frame,
            masked: masks.areas.iter().map(inner).collect(),
            bars: bars.iter().map(inner).collect(),
            wants_picture: self.options.image != Image::None,
            idle_masks: masks.idle,
        })
    }

    /// Returns the system's bars, unless the step compares them. A window that covers more than
    /// [`MAX_BAR_PERCENT`] of the display is no bar: that of the status bar covers all of it while the shade
    /// is open, and nothing would be compared. One outside of the display is none either.
    fn left_out_bars(&self, display: &Rect) -> Vec<Rect> {
        if self.options.bars {
            return Vec::new();
        }
        let is_bar = |bar: &&Rect| {
            bar.intersection(display)
                .is_some_and(|displayed| displayed.area() * 100 <= display.area() * MAX_BAR_PERCENT)
        };
        self.bars.iter().filter(is_bar).copied().collect()
    }

    /// Returns the flow's app, if only its windows count. Returns `None` if the step compares all windows or the flow
    /// has no app. If no window is the app's, it fails with [`SnapshotError::AppNotShown`], which names the packages
    /// that are shown.
    fn only_app(&self) -> Result<Option<&str>, SnapshotError> {
        let Some(app) = self
            .app
            .as_deref()
            .filter(|_| self.options.windows == Windows::App)
        else {
            return Ok(None);
        };
        let windows = self.screen.windows();
        if windows.iter().any(|window| window.package == app) {
            return Ok(Some(app));
        }
        let mut visible: Vec<_> = windows
            .iter()
            .map(|window| window.package.as_str())
            .collect();
        visible.dedup();
        Err(SnapshotError::AppNotShown {
            app: app.to_owned(),
            displayed: visible.join(", "),
        })
    }

    /// Returns the rows to compare: those of `of` and all in it, in any window, else those of the app's windows with a
    /// head for each window. Elements off the screen are among them; those without words, id and operation, and those
    /// inside of bars, are not. Masked rows keep class and id; rules are not applied. Bounds are those on the display.
    /// Without `of` it fails as [`Self::only_app`] does.
    fn rows(
        &self,
        of: Option<Node<'_>>,
        bars: &[Rect],
        masks: &Masks,
    ) -> Result<Vec<Row>, SnapshotError> {
        let filter = RowFilter {
            // The element may be in any window, unless its selector names one.
            package: if of.is_some() { None } else { self.only_app()? },
            shared: false,
        };
        let part: Option<HashSet<NodeIndex>> = of.map(|element| {
            let below = element.descendants().map(Node::index);
            std::iter::once(element.index()).chain(below).collect()
        });
        let mut rows = Vec::new();
        let mut window = None;
        for row in self.screen.rows_with(Profile::Golden, &filter) {
            let bounds = row.bounds.unwrap_or_default();
            let is_bar = !bounds.is_empty() && bars.iter().any(|bar| bar.encloses(&bounds));
            if is_bar || part.as_ref().is_some_and(|part| !part.contains(&row.node)) {
                continue;
            }
            if part.is_none() && window != Some(row.window) {
                window = Some(row.window);
                let head = self.screen.windows().get(row.window);
                rows.extend(head.map(|window| Row::window(&window.kind, &window.package)));
            }
            let mut compared = Row::from_screen(&row);
            if masks.cover(self.screen.node(row.node)) {
                compared.mask();
            }
            rows.push(compared);
        }
        Ok(rows)
    }

    /// Returns the screenshot; `None` if there is none or the step compares no pictures.
    fn compared_picture(&self) -> Option<&Picture> {
        let wanted = self.options.image != Image::None;
        self.picture.as_ref().filter(|_| wanted)
    }

    /// Returns the part of the screenshot inside `frame`. Without an element to compare it is the whole screenshot,
    /// which is not decoded for it, and `frame` does not matter. Returns `None` if no picture is compared. A frame that
    /// reaches out of the picture is cut off; one that lies outside of it is an error.
    pub(super) fn picture_of(&self, frame: Rect) -> Result<Option<Picture>, SnapshotError> {
        let whole = self.options.of.is_none();
        let Some(picture) = self.compared_picture() else {
            return Ok(None);
        };
        if whole {
            return Ok(Some(picture.clone()));
        }
        let unreadable = |error: PictureError| SnapshotError::Picture(error.to_string());
        let pixels = picture.pixels().map_err(unreadable)?;
        let part = picture::crop(&pixels, frame).ok_or(SnapshotError::OutsidePicture(frame))?;
        Picture::from_pixels(part).map(Some).map_err(unreadable)
    }

    fn pixels(&self, frame: Rect) -> Result<Option<Arc<Frame>>, SnapshotError> {
        let picture = self.picture_of(frame)?;
        let pixels = picture.map(|picture| picture.pixels()).transpose();
        pixels.map_err(|error| SnapshotError::Picture(error.to_string()))
    }

    /// Returns the subject with all windows and no single element. Masks, the leaving out of bars and all else of the
    /// step stay.
    #[must_use]
    pub fn full_screen(&self) -> Self {
        let mut whole = self.clone();
        whole.options.of = None;
        whole.options.windows = Windows::All;
        whole
    }

    /// Lists the differences from an earlier look; it is empty if the screen stands still. Bounds are compared only
    /// if the rows are equal otherwise. Unlike a comparison with a golden this excuses no pixel, except those under
    /// masks and bars and carets. Pixels are compared only if both looks have a picture, and only their first
    /// difference is named.
    ///
    /// # Errors
    /// Those of [`super::check()`].
    pub fn moved_since(&self, before: &Self) -> Result<Vec<String>, SnapshotError> {
        let (old, new) = (before.take()?, self.take()?);
        let mut lines = rows_diff::lines(&rows_diff::shared_changes(&old.rows, &new.rows));
        if lines.is_empty() {
            lines = rows_diff::lines(&rows_diff::bounds_changes(&old.rows, &new.rows));
        }
        let same_bytes = match (before.compared_picture(), self.compared_picture()) {
            (Some(before), Some(after)) => before.is_same_file(after),
            _ => true,
        };
        if same_bytes && old.frame == new.frame {
            return Ok(lines);
        }
        if let (Some(one), Some(other)) = (before.pixels(old.frame)?, self.pixels(new.frame)?) {
            let left_out = [old.left_out(), new.left_out()].concat();
            let mut mask = PixelMask::new(one.width(), one.height(), &left_out);
            let density = self.screen.display().density;
            let carets = CaretAreas::new(&new.rows, density).carets(&one, &other, &mask);
            if !carets.is_empty() {
                let left_out = [left_out, carets].concat();
                mask = PixelMask::new(one.width(), one.height(), &left_out);
            }
            if let Some(place) = picture::first_difference(&one, &other, &mask) {
                let name = name_of_place(place, &new.rows.iter().enumerate())
                    .unwrap_or_else(|| "the picture".to_owned());
                lines.push(format!("{name}: pixels inside {place} change"));
            }
        }
        Ok(lines)
    }

    /// Returns the metadata of the golden: `runner` and `schema`, the versions of program and format, hashes `masks`
    /// and `redactions`, which are `none` without any, and where they are known `app` and `app_version`. The order of
    /// masks does not matter.
    pub(super) fn metadata(&self) -> Metadata {
        let masks = if self.options.mask.is_empty() {
            "none".to_owned()
        } else {
            // Sorted, so that their order in the step does not matter.
            let masks: BTreeSet<String> =
                self.options.mask.iter().map(ToString::to_string).collect();
            let masks: Vec<String> = masks.into_iter().collect();
            hash(masks.join("\n").as_bytes())
        };
        let mut metadata = Metadata::from([
            ("masks".to_owned(), masks),
            (redact::METADATA.to_owned(), self.redactions.hash()),
            ("runner".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("schema".to_owned(), SCHEMA.to_string()),
        ]);
        if let Some(app) = &self.app {
            metadata.insert("app".to_owned(), app.clone());
        }
        if let Some(version) = &self.app_version {
            metadata.insert("app_version".to_owned(), version.clone());
        }
        metadata
    }
}

/// Returns the name for people of the smallest element around a place, or else of the smallest around its
/// middle. Returns `None` outside of all elements.
pub(super) fn name_of_place<'a>(
    place: Rect,
    rows: &(impl Iterator<Item = (usize, &'a Row)> + Clone),
) -> Option<String> {
    row_of_place(place, rows).map(|(at, row)| row.name(at + 1))
}

/// Returns the position, counted from 0, and the row of [`name_of_place`]: the smallest that encloses the place, else
/// the smallest that holds its middle. Rows without bounds are skipped. Of equally large ones the first is taken.
/// Returns `None` if no row holds it.
pub(super) fn row_of_place<'a>(
    place: Rect,
    rows: &(impl Iterator<Item = (usize, &'a Row)> + Clone),
) -> Option<(usize, &'a Row)> {
    let smallest = |fits: &dyn Fn(&Rect) -> bool| {
        rows.clone()
            .filter_map(|(at, row)| Some((at, row, row.bounds?)))
            .filter(|(_, _, bounds)| fits(bounds))
            .min_by_key(|(_, _, bounds)| bounds.area())
            .map(|(at, row, _)| (at, row))
    };
    smallest(&|bounds| bounds.encloses(&place))
        .or_else(|| smallest(&|bounds| bounds.contains(place.center())))
}

/// Masks of the step on one screen.
struct Masks {
    nodes: HashSet<NodeIndex>,
    rects: Vec<Rect>,
    areas: Vec<Rect>,
    idle: Vec<String>,
}

impl Masks {
    /// Finds the masked elements, on the screen or not, and areas. A mask that finds no element, or lies outside
    /// of the display, is idle.
    fn find(masks: &[Mask], screen: &Screen) -> Self {
        let mut found = Self {
            nodes: HashSet::new(),
            rects: Vec::new(),
            areas: Vec::new(),
            idle: Vec::new(),
        };
        let display = screen.display().bounds();
        for mask in masks {
            let is_idle = match mask {
                Mask::Area(rect) => {
                    found.rects.push(*rect);
                    rect.intersection(&display).is_none()
                }
                Mask::Elements(selector) => {
                    let nodes = selector.find_anywhere(screen);
                    let is_idle = nodes.is_empty();
                    found
                        .areas
                        .extend(nodes.iter().map(|node| screen.node(*node).bounds()));
                    found.nodes.extend(nodes);
                    is_idle
                }
            };
            if is_idle {
                found.idle.push(mask.to_string());
            }
        }
        found.areas.extend(&found.rects);
        found
    }

    /// Returns true if an element is masked: by a selector, with all that is in it, or because it lies wholly inside
    /// a masked area. An element without size lies in no area. What is only partly inside is not masked.
    fn cover(&self, node: Node<'_>) -> bool {
        let bounds = node.bounds();
        if self
            .rects
            .iter()
            .any(|rect| !bounds.is_empty() && rect.encloses(&bounds))
        {
            return true;
        }
        !self.nodes.is_empty()
            && std::iter::successors(Some(node), |node| node.parent())
                .any(|node| self.nodes.contains(&node.index()))
    }
}
