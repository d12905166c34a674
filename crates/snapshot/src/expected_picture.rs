//! Computes the picture that the golden would be if its rows had only moved to their present places. All
//! differences from it are changes that no row shows.

mod painter;
mod picture_pair;

use image::{Rgba, RgbaImage};

use super::picture::{Cluster, Shift};
use painter::Painter;
pub(super) use picture_pair::PicturePair;

/// Expected picture; `has_moved` is true if content moved in it that no row shows.
pub(super) struct ExpectedPicture {
    pub picture: RgbaImage,
    pub has_moved: bool,
}

impl PicturePair<'_> {
    /// Computes the expected picture: the new one, with the pixels put back that no change of the rows
    /// explains. `places` are the places where the pictures differ, and only they are examined. `shifts` is
    /// content that is drawn elsewhere now.
    pub(super) fn expected(&self, places: &[Cluster], shifts: &[Shift]) -> ExpectedPicture {
        let mut painter = Painter::new(self, shifts);
        let mut picture = self.actual.clone();
        self.each_pixel(places, |x, y, is_near| {
            if let Some(pixel) = painter.pixel(x, y, is_near) {
                picture.put_pixel(x as u32, y as u32, Rgba(pixel));
            }
        });
        ExpectedPicture {
            picture,
            has_moved: painter.has_moved,
        }
    }

    /// Returns the golden with the pixels of the new picture wherever the two differ only because rows moved.
    /// Only `places` are examined.
    pub(super) fn golden_but_for_moves(&self, places: &[Cluster]) -> RgbaImage {
        let mut painter = Painter::new(self, &[]);
        let mut picture = self.golden.clone();
        self.each_pixel(places, |x, y, is_near| {
            if painter.is_move(x, y, is_near) {
                let (x, y) = (x as u32, y as u32);
                picture.put_pixel(x, y, *self.actual.get_pixel(x, y));
            }
        });
        picture
    }
}

#[cfg(test)]
mod tests;
