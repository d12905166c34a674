//! Judges two pictures: the number of changed pixels against the limits, and the changed areas in words.

use std::sync::Arc;

use image::{RgbImage, RgbaImage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::caret::CaretAreas;
use super::expected_picture::PicturePair;
use super::options::Tolerance;
use super::picture::{self, Block, Comparison, Frame, PixelMask, Shift};
use super::row::Row;
use super::rows_diff::RowChange;
use super::subject::name_of_place;
use runner_screen::Rect;

/// Number of changed pixels from which moved content is searched for. Chosen: fewer are quickly looked at one
/// by one.
const MIN_PIXELS_FOR_MOVES: u64 = 64;

/// Number of changed clusters for which the element is looked up, the largest ones. Chosen: it bounds the
/// time.
pub(super) const MAX_CLUSTERS: usize = 500;

/// Number of areas that are named in lines; the rest are counted. Chosen: a terminal still shows the whole.
const MAX_PLACE_LINES: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureVerdict {
    /// No pixel changed.
    Equal,
    /// Pixels changed, but not more than the tolerance allows.
    Tolerated,
    /// More pixels changed than allowed.
    Differs,
    /// More than half of a sample of the pixels changed, also apart from what moved.
    Replaced,
    /// The sizes differ.
    OtherSize,
}

/// Both pictures with the result of their comparison.
#[derive(Debug, Clone)]
pub struct PictureCheck {
    pub verdict: PictureVerdict,
    /// Counts and clusters of all differences. The verdict is based on it.
    pub comparison: Comparison,
    /// Content that moved and is otherwise unchanged, the largest first.
    pub moved: Vec<Shift>,
    /// Differences apart from what moved.
    remaining: Option<Comparison>,
    /// Limits of the verdict.
    pub tolerance: Tolerance,
    /// Pixels of the golden and of the screen; `None` if no pixel changed.
    pub pixels: Option<[Arc<Frame>; 2]>,
    /// Pixels that were compared.
    pub mask: PixelMask,
    /// Areas that were not compared.
    left_out: Vec<Rect>,
}

/// Similarity of two pictures for a report. No verdict is based on it.
#[derive(Debug, Clone)]
pub struct Similarity {
    /// From 0 (nothing in common) to 1 (equal).
    pub score: f64,
    /// Picture of the differences.
    pub map: RgbImage,
}

impl PictureCheck {
    /// Compares two pictures outside of `left_out`, and separates content that moved up or down from the other
    /// changes. A caret in one of `fields` does not count and is added to the areas that are left out. The pixels of
    /// equal pictures are not kept. Pictures of different sizes are not compared: the verdict is
    /// [`PictureVerdict::OtherSize`].
    pub(super) fn new(
        golden: Arc<Frame>,
        actual: Arc<Frame>,
        left_out: &[Rect],
        fields: &CaretAreas,
        tolerance: Tolerance,
    ) -> Self {
        let mut left_out = left_out.to_vec();
        let mut mask = PixelMask::new(actual.width(), actual.height(), &left_out);
        let carets = fields.carets(&golden, &actual, &mask);
        if !carets.is_empty() {
            left_out.extend(carets);
            mask = PixelMask::new(actual.width(), actual.height(), &left_out);
        }
        let mut comparison = Comparison::default();
        let verdict = if golden.dimensions() == actual.dimensions() {
            comparison = picture::compare(&golden, &actual, &mask);
            let within = comparison.largest() <= tolerance.cluster
                && comparison.specks() <= tolerance.specks;
            match (comparison.changed, within, comparison.replaced) {
                (0, ..) => PictureVerdict::Equal,
                (_, true, _) => PictureVerdict::Tolerated,
                (_, _, true) => PictureVerdict::Replaced,
                _ => PictureVerdict::Differs,
            }
        } else {
            PictureVerdict::OtherSize
        };
        let mut check = Self {
            verdict,
            comparison,
            moved: Vec::new(),
            remaining: None,
            tolerance,
            // Equal pixels are not needed again, and they are large.
            pixels: (verdict != PictureVerdict::Equal).then_some([golden, actual]),
            mask,
            left_out,
        };
        check.separate_moved();
        check
    }

    /// Returns the check of two files with equal bytes, whose picture has this width and height. It passes
    /// and holds no pixels, so nothing can be drawn from it.
    pub(super) fn from_same_file(
        (width, height): (u32, u32),
        left_out: &[Rect],
        tolerance: Tolerance,
    ) -> Self {
        let mask = PixelMask::new(width, height, left_out);
        Self {
            verdict: PictureVerdict::Equal,
            comparison: Comparison {
                compared: mask.open_pixels(),
                ..Comparison::default()
            },
            moved: Vec::new(),
            remaining: None,
            tolerance,
            pixels: None,
            mask,
            left_out: left_out.to_vec(),
        }
    }

    /// Separates content that moved up or down from the changes. The verdict stays, except that a replaced
    /// picture only differs if the rest is not replaced. Pictures that pass, and few changed pixels, are not
    /// searched.
    fn separate_moved(&mut self) {
        let bounds = self.comparison.clusters.iter().map(|place| place.bounds);
        let Some(around) = bounds.reduce(|one, other| one.union(&other)) else {
            return;
        };
        if let Some([golden, actual]) = self.pixels_to_search() {
            let moved = picture::shifts(golden, actual, &self.mask, around);
            self.take_out(moved);
        }
    }

    /// Separates elements that moved to another place, according to the rows, from the changes. Nothing changes without
    /// blocks, if the pictures pass or have different sizes, or if fewer than [`MIN_PIXELS_FOR_MOVES`] pixels are left.
    /// A picture that counts as replaced only differs if the rest is not replaced.
    pub(super) fn separate_blocks(&mut self, blocks: &[Block]) {
        if let Some([golden, actual]) = self.pixels_to_search().filter(|_| !blocks.is_empty()) {
            let moved = picture::moved_blocks(golden, actual, &self.left_out, blocks);
            self.take_out(moved);
        }
    }

    /// Returns the pixels if the verdict is that the pictures differ or are replaced, and so many pixels,
    /// [`MIN_PIXELS_FOR_MOVES`] or more, changed apart from what moved that it is worth to search for moved content.
    /// Otherwise returns `None`.
    fn pixels_to_search(&self) -> Option<&[Arc<Frame>; 2]> {
        let worth_it = matches!(
            self.verdict,
            PictureVerdict::Differs | PictureVerdict::Replaced
        ) && self.changes().changed >= MIN_PIXELS_FOR_MOVES;
        self.pixels.as_ref().filter(|_| worth_it)
    }

    /// Drops moves that the rows contradict, such as that of an added row that looks like another, and differences that
    /// exist only because rows moved. A picture that counts as replaced stays so or only differs, as the rest decides.
    /// Does nothing if the pictures pass, have different sizes, or differ in fewer than [`MIN_PIXELS_FOR_MOVES`]
    /// pixels.
    pub(super) fn drop_contradicted_moves(
        &mut self,
        golden: &[Row],
        actual: &[Row],
        changes: &[RowChange],
    ) {
        let is_judged = matches!(
            self.verdict,
            PictureVerdict::Differs | PictureVerdict::Replaced
        );
        let worth_it = is_judged && self.comparison.changed >= MIN_PIXELS_FOR_MOVES;
        let Some([before, after]) = self.pixels.clone().filter(|_| worth_it) else {
            return;
        };
        let sides = PicturePair::new((&*before, &*after), golden, actual, changes);
        for shift in &mut self.moved {
            let by = shift.by;
            shift.areas.retain(|area| sides.allow_move(by, area));
        }
        self.moved.retain(|shift| !shift.areas.is_empty());
        if sides.have_moved() || self.remaining.is_some() {
            self.compare_rest(&sides.golden_but_for_moves(&self.comparison.clusters));
        }
    }

    /// Adds moved content, and compares the rest again. Without any, or if the pixels are not kept, nothing changes.
    fn take_out(&mut self, moved: Vec<Shift>) {
        let Some([golden, _]) = self.pixels.as_ref().filter(|_| !moved.is_empty()) else {
            return;
        };
        let golden = Arc::clone(golden);
        self.moved.extend(moved);
        self.compare_rest(&golden);
    }

    /// Compares the content that did not move with `golden`, and remembers the result as the remaining changes. If
    /// the whole picture counts as replaced, the verdict becomes [`PictureVerdict::Differs`] unless the rest is
    /// replaced too. The last call decides: without a move that was dropped since, a picture is replaced again. Does
    /// nothing if the pixels are not kept.
    fn compare_rest(&mut self, golden: &RgbaImage) {
        let Some([_, actual]) = &self.pixels else {
            return;
        };
        let areas = self.moved.iter().flat_map(|shift| &shift.areas);
        let left_out: Vec<Rect> = areas.chain(&self.left_out).copied().collect();
        let mask = PixelMask::new(actual.width(), actual.height(), &left_out);
        let rest = picture::compare(golden, actual, &mask);
        // A screen that was only scrolled is not another screen.
        if self.comparison.replaced {
            self.verdict = if rest.replaced {
                PictureVerdict::Replaced
            } else {
                PictureVerdict::Differs
            };
        }
        self.remaining = Some(rest);
    }

    /// Returns the areas that are not compared.
    pub(super) fn left_out(&self) -> &[Rect] {
        &self.left_out
    }

    /// Returns the differences apart from what moved; without a search for moves these are all.
    pub fn changes(&self) -> &Comparison {
        self.remaining.as_ref().unwrap_or(&self.comparison)
    }

    /// Returns true if the pictures pass by themselves: they are equal, or differ within the tolerance.
    pub fn passed(&self) -> bool {
        matches!(
            self.verdict,
            PictureVerdict::Equal | PictureVerdict::Tolerated
        )
    }

    /// Draws the difference, with the changed and the moved areas. Returns `None` if the pictures are equal;
    /// tolerated differences are drawn. Of pictures of different sizes the part that only one has is drawn as
    /// changed.
    pub fn difference(&self) -> Option<RgbaImage> {
        let [golden, actual] = self.pixels.as_ref()?;
        let clusters = self.changes().clusters.iter();
        let clusters: Vec<Rect> = clusters.map(|cluster| cluster.bounds).collect();
        let moved = self.moved.iter().flat_map(|shift| shift.areas.clone());
        let moved: Vec<Rect> = moved.collect();
        Some(picture::difference(
            golden, actual, &self.mask, &clusters, &moved,
        ))
    }

    /// Computes the similarity outside the masks. It is slow, and `None` for equal pictures, whose pixels are
    /// not kept, and for pictures of different sizes.
    pub fn similarity(&self) -> Option<Similarity> {
        let [golden, actual] = self.pixels.as_ref()?;
        let rgb = |image: &RgbaImage| {
            image::DynamicImage::ImageRgba8(picture::paint_masks(image, &self.mask)).into_rgb8()
        };
        let found = image_compare::rgb_hybrid_compare(&rgb(golden), &rgb(actual)).ok()?;
        Some(Similarity {
            score: found.score,
            map: found.image.to_color_map().into_rgb8(),
        })
    }

    /// Names both sizes: `1080x2400 px instead of …`. Empty if the pixels are not kept.
    pub(super) fn sizes(&self) -> String {
        let size = |image: &RgbaImage| format!("{}x{} px", image.width(), image.height());
        self.pixels
            .as_ref()
            .map(|[golden, actual]| format!("{} instead of {}", size(actual), size(golden)))
            .unwrap_or_default()
    }

    /// Returns true if something changed that the tolerance allows.
    pub(super) fn tolerates_a_change(&self) -> bool {
        self.comparison.largest() > 0 || self.comparison.specks() > 0
    }

    /// Describes the counts and the limits in one line for people, by the verdict: both sizes, the changed pixels of a
    /// replaced picture, or the largest change and all others with their limits. The last form also counts pixels that
    /// moved, and those left out as smoothing or too faint.
    pub(super) fn counts(&self) -> String {
        let Comparison {
            changed,
            smoothed,
            faint,
            compared,
            ..
        } = self.comparison;
        let Tolerance { cluster, specks } = self.tolerance;
        match self.verdict {
            PictureVerdict::OtherSize => format!("picture: {}", self.sizes()),
            PictureVerdict::Replaced => {
                format!("picture: replaced, {changed} of {compared} px changed")
            }
            _ => {
                let rest = self.changes();
                let moved = match self.comparison.changed.saturating_sub(rest.changed) {
                    0 => String::new(),
                    pixels => format!(", {pixels} px more because content moved"),
                };
                format!(
                    "picture: largest change {} px (limit {cluster}), other changes {} px (limit {specks}){moved}; \
                     left out: {smoothed} px of smoothing, {faint} px too faint",
                    rest.largest(),
                    rest.specks()
                )
            }
        }
    }

    /// Describes the changes in one line, without limits. Moved content is counted apart from the other changes.
    /// Pictures of different sizes give both sizes, a replaced picture the changed pixels without a number of places.
    pub(super) fn in_short(&self) -> String {
        let Comparison {
            changed, clusters, ..
        } = self.changes();
        let compared = self.comparison.compared;
        let moved = self.comparison.changed.saturating_sub(*changed);
        match self.verdict {
            PictureVerdict::OtherSize => format!("the picture is {}", self.sizes()),
            PictureVerdict::Replaced => {
                format!("mostly another picture: {changed} of {compared} px change")
            }
            // Rows that moved may explain pixels without an area that moved as a whole.
            _ if moved == 0 => format!(
                "{changed} of {compared} px change, in {}",
                places(clusters.len())
            ),
            _ if clusters.is_empty() => {
                format!(
                    "{moved} of {compared} px differ because content moved; nothing else changed"
                )
            }
            _ => format!(
                "{changed} of {compared} px change, in {}; {moved} px more because content moved",
                places(clusters.len())
            ),
        }
    }

    /// Lists the changed areas, up to [`MAX_PLACE_LINES`], the largest first, then the number of the others, and last
    /// always the counts. `rows` name the areas. Of a replaced picture, and of one of another size, only the counts
    /// are listed.
    pub(super) fn lines<'a>(
        &self,
        rows: &(impl Iterator<Item = (usize, &'a Row)> + Clone),
    ) -> Vec<String> {
        let mut lines = Vec::new();
        if self.verdict != PictureVerdict::Replaced {
            let places = self.places(rows);
            lines.extend(places.iter().take(MAX_PLACE_LINES).map(ToString::to_string));
            if places.len() > MAX_PLACE_LINES {
                lines.push(format!(
                    "and {} smaller places",
                    places.len() - MAX_PLACE_LINES
                ));
            }
        }
        lines.push(self.counts());
        lines
    }

    /// Returns the changed areas apart from what moved, in the order of their first cluster; the largest cluster
    /// comes first. Clusters in the same element form one area, since a changed word is many letters; clusters
    /// outside of all elements stay separate. After [`MAX_CLUSTERS`] clusters no element is looked for, and the
    /// others form one area without name.
    pub(super) fn places<'a>(
        &self,
        rows: &(impl Iterator<Item = (usize, &'a Row)> + Clone),
    ) -> Vec<ChangedArea> {
        let mut places: Vec<ChangedArea> = Vec::new();
        for (at, cluster) in self.changes().clusters.iter().enumerate() {
            let is_looked_for = at < MAX_CLUSTERS;
            let name = is_looked_for
                .then(|| name_of_place(cluster.bounds, rows))
                .flatten();
            let known = places
                .iter_mut()
                // Places outside of all elements stay separate, since nothing says that they belong together.
                .find(|place| place.name == name && (name.is_some() || !is_looked_for));
            if let Some(place) = known {
                place.pixels += cluster.pixels;
                place.bounds = place.bounds.union(&cluster.bounds);
            } else {
                let (pixels, bounds) = (cluster.pixels, cluster.bounds);
                places.push(ChangedArea {
                    name,
                    pixels,
                    bounds,
                });
            }
        }
        places
    }
}

/// Returns the number of places in words: `1 place`, `3 places`.
fn places(number: usize) -> String {
    match number {
        1 => "1 place".to_owned(),
        number => format!("{number} places"),
    }
}

/// Where a picture changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedArea {
    /// The element it lies in, as people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Changed pixels.
    pub pixels: u64,
    /// Around them, in pixels of the picture.
    pub bounds: Rect,
}

impl std::fmt::Display for ChangedArea {
    /// Writes one line such as `Button#pay: 120 px at 10,100,90,140`, without the name if there is none.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name}: ")?;
        }
        write!(f, "{} px at {}", self.pixels, self.bounds)
    }
}

#[cfg(test)]
mod tests;
