//! Computes how much of a screen masks cover with one more mask, so that the review does not write a mask
//! that the next run would refuse.

use super::PendingDiff;
use super::picture::PixelMask;
use runner_screen::Rect;

/// Largest display in pixels, to which bounds are cut. Chosen: no display is larger.
const MAX_DISPLAY: Rect = Rect::new(0, 0, 16_384, 16_384);

/// Masked pixels, and the width and height of what is compared.
#[derive(Debug)]
pub struct MaskCoverage(PixelMask, (u32, u32));

impl MaskCoverage {
    /// Returns the share in whole percent, rounded down, that would be masked with one more mask over `area`. Each
    /// masked pixel counts once, and those outside of what is compared do not count. If nothing is compared, it is
    /// 100.
    pub fn percent_with(&self, area: Rect) -> u64 {
        let Self(mask, (width, height)) = self;
        let all = (u64::from(*width) * u64::from(*height)).max(1);
        let open = mask.open_pixels() - mask.open_pixels_in(area);
        (all - open.min(all)) * 100 / all
    }
}

impl PendingDiff {
    /// Returns the masked part of what is compared. It is measured as a run does if the run recorded its
    /// masks. Otherwise it is the area of the masked rows in the new screen, within the proposed picture,
    /// else the golden's, else the rectangle around all rows.
    pub fn covered(&self) -> MaskCoverage {
        if let Some(masked) = &self.masked {
            let (width, height) = masked.frame;
            return MaskCoverage(PixelMask::new(width, height, &masked.areas), masked.frame);
        }
        let rows = || self.lines.iter().filter_map(|line| line.actual.as_ref());
        let picture = self.proposed.as_ref().or(self.golden.as_ref());
        let frame = match picture {
            Some(picture) => Rect::new(0, 0, picture.width() as i32, picture.height() as i32),
            None => rows()
                // Bounds may come from an archive, and may be of any size.
                .filter_map(|(_, row)| row.bounds?.intersection(&MAX_DISPLAY))
                .fold(Rect::default(), |one, other| one.union(&other)),
        };
        let masked = rows().filter(|(_, row)| row.is_masked());
        let masked: Vec<Rect> = masked.filter_map(|(_, row)| row.bounds).collect();
        let frame = (frame.width(), frame.height());
        MaskCoverage(PixelMask::new(frame.0, frame.1, &masked), frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{FORM, key, options, store, subject};
    use crate::{Options, UpdateMode, check};

    /// Rectangles without rows and masked containers count as in a run.
    #[test]
    fn masks_are_measured_as_a_run_measures_them() {
        let (_guard, store, _root) = store();
        let mut observed = subject(&FORM);
        observed.options =
            options("{ name: home, mask: [ { rect: [0, 0, 100, 40] }, { id: pay } ] }");
        let golden = store.load(&key("home")).unwrap();
        let found = check(&observed, &golden, &Options::default()).unwrap();
        store.apply(UpdateMode::Pending, &golden, &found).unwrap();
        let diff = store.pending_diff(&key("home").to_string()).unwrap();
        let area = Rect::new(0, 30, 100, 60);
        assert_eq!(diff.covered().percent_with(area), 46);
        // Proposals of older versions have only rows.
        let older = PendingDiff {
            masked: None,
            ..diff
        };
        assert_eq!(older.covered().percent_with(area), 36);
    }
}
