//! Finds the parts of an element that nothing above it covers.

use super::blocker::{BlockerKind, Cover};
use super::free_point;
use crate::{Node, Rect};

/// Smallest side in dp of a free part in which a finger drags. Chosen: a quarter of it, the shortest drag of a
/// scroll, is more than Android's touch slop of 8 dp.
const MIN_DRAGGED_SIDE: u32 = 48;

/// Visible part of an element, and what lies above it or may.
#[derive(Debug, Clone)]
pub struct Coverage {
    area: Rect,
    covers: Vec<(Rect, Cover)>,
    min_side: u32,
}

impl Node<'_> {
    /// Returns what lies above this element or may, by the rules of [`Node::touch_place`]; its own parts do
    /// not count. `None` where no part of the element is on the display.
    pub fn coverage(self) -> Option<Coverage> {
        let area = self.part_on_display()?;
        let mut blockers = self.screen().windows_above(self, area);
        blockers.extend(self.elements_above(self, area));
        let covers = blockers.into_iter().filter_map(|blocker| {
            let by = match blocker.kind {
                BlockerKind::Known(by) => by,
                BlockerKind::Unknown(by) => Cover::Element(by),
                BlockerKind::Inner(_) => return None,
            };
            Some((blocker.part, by))
        });
        Some(Coverage {
            area,
            covers: covers.collect(),
            min_side: MIN_DRAGGED_SIDE * self.screen().display().density.max(160) / 160,
        })
    }
}

impl Coverage {
    /// Returns the coverage of an area above which nothing is known.
    pub fn free(area: Rect) -> Self {
        Self {
            area,
            covers: Vec::new(),
            min_side: 0,
        }
    }

    /// Returns the whole visible part, covered or not.
    pub fn area(&self) -> Rect {
        self.area
    }

    /// Returns the part that nothing covers with the greatest extent by `extent`, such as its width, and of equal
    /// ones the largest. `None` if each has a side below 48 dp, too small for a drag. Without covers it is the
    /// whole area, however small.
    pub fn free_area(&self, extent: fn(&Rect) -> u32) -> Option<Rect> {
        if self.covers.is_empty() {
            return Some(self.area);
        }
        let covers: Vec<Rect> = self.covers.iter().map(|(part, _)| *part).collect();
        free_point::free_parts(self.area, &covers)
            .into_iter()
            .filter(|part| part.width() >= self.min_side && part.height() >= self.min_side)
            // Covers beyond the largest ones were not cut off.
            .filter(|part| !covers.iter().any(|it| it.intersection(part).is_some()))
            .max_by_key(|part| (extent(part), part.area()))
    }

    /// Returns the free share, in percent rounded down, of what the visible part shows of `bounds`; 100 if that
    /// is nothing.
    pub fn free_percent(&self, bounds: Rect) -> u32 {
        let Some(part) = bounds.intersection(&self.area) else {
            return 100;
        };
        let mut rests = vec![part];
        for (cover, _) in &self.covers {
            let next = rests.into_iter().flat_map(|rest| without(rest, *cover));
            rests = next.collect();
        }
        let free: u64 = rests.iter().map(Rect::area).sum();
        u32::try_from(free * 100 / part.area()).unwrap_or(100)
    }

    /// Returns the object that covers the most of `bounds`; `None` if none does.
    pub fn cover_of(&self, bounds: Rect) -> Option<&Cover> {
        let covers = self.covers.iter().filter_map(|(part, by)| {
            let common = part.intersection(&bounds)?;
            Some((common.area(), by))
        });
        covers.max_by_key(|(area, _)| *area).map(|(_, by)| by)
    }
}

/// Returns the parts of `part` outside of `cover`, which do not overlap: all of it if the two do not meet.
fn without(part: Rect, cover: Rect) -> Vec<Rect> {
    let Some(cut) = part.intersection(&cover) else {
        return vec![part];
    };
    let rests = [
        Rect::new(part.left, part.top, part.right, cut.top),
        Rect::new(part.left, cut.bottom, part.right, part.bottom),
        Rect::new(part.left, cut.top, cut.left, cut.bottom),
        Rect::new(cut.right, cut.top, part.right, cut.bottom),
    ];
    rests.into_iter().filter(|it| !it.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(covers: &[Rect]) -> Coverage {
        let cover = |part: &Rect| (*part, Cover::Window("sheet".to_owned()));
        Coverage {
            area: Rect::new(0, 0, 400, 800),
            covers: covers.iter().map(cover).collect(),
            min_side: 48,
        }
    }

    #[test]
    fn the_free_area_is_the_widest_part_beside_all_covers() {
        let area = Rect::new(0, 0, 400, 800);
        for (covers, free) in [
            (vec![], Some(area)),
            // A sheet below, a bar above, a drawer, a button in the corner, a bar across.
            (
                vec![Rect::new(0, 300, 400, 800)],
                Some(Rect::new(0, 0, 400, 300)),
            ),
            (
                vec![Rect::new(0, 0, 400, 100)],
                Some(Rect::new(0, 100, 400, 800)),
            ),
            (
                vec![Rect::new(0, 0, 300, 800)],
                Some(Rect::new(300, 0, 400, 800)),
            ),
            (
                vec![Rect::new(340, 740, 390, 790)],
                Some(Rect::new(0, 0, 400, 740)),
            ),
            (
                vec![Rect::new(0, 300, 400, 350)],
                Some(Rect::new(0, 350, 400, 800)),
            ),
            (vec![Rect::new(0, 0, 400, 760)], None),
            (vec![area], None),
        ] {
            assert_eq!(covered(&covers).free_area(Rect::width), free, "{covers:?}");
        }
    }

    #[test]
    fn the_free_share_counts_each_pixel_once() {
        let row = Rect::new(0, 100, 400, 200);
        for (covers, share) in [
            (vec![], 100),
            (vec![Rect::new(0, 300, 400, 800)], 100),
            (vec![Rect::new(0, 150, 400, 800)], 50),
            (
                vec![Rect::new(0, 150, 400, 800), Rect::new(0, 150, 200, 300)],
                50,
            ),
            (
                vec![Rect::new(0, 150, 400, 800), Rect::new(0, 0, 200, 300)],
                25,
            ),
            (vec![Rect::new(150, 120, 250, 180)], 85),
            (vec![Rect::new(0, 0, 400, 800)], 0),
        ] {
            let coverage = covered(&covers);
            assert_eq!(coverage.free_percent(row), share, "{covers:?}");
            assert_eq!(coverage.cover_of(row).is_some(), share < 100, "{covers:?}");
        }
        // Half of it lies outside of the visible part.
        let beyond = Rect::new(0, 700, 400, 900);
        let sheet = [Rect::new(0, 750, 400, 800)];
        assert_eq!(covered(&sheet).free_percent(beyond), 50);
    }
}
