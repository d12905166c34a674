//! The annotated picture beside a golden: boxes and row numbers over the undecorated picture, for people.
//!
//! A pure function of the golden's picture and its rows: it shows what is compared, and is not compared itself.

use image::RgbaImage;

use super::row::Row;
use runner_screen::annotate::{Mark, annotate_marks};

/// Draws the boxes of the rows that are on the screen, each with its row's number.
pub(super) fn draw(pixels: &RgbaImage, rows: &[Row]) -> RgbaImage {
    let marks: Vec<Mark> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.on == Some(true))
        .filter_map(|(at, row)| {
            Some(Mark {
                bounds: row.bounds?,
                label: format!("n{}", at + 1),
            })
        })
        .collect();
    annotate_marks(pixels, &marks)
}
