//! Draws the annotated picture beside a golden: boxes and row numbers over the plain picture, for people. It
//! has half the size and few colours, since version control keeps it.
//!
//! It is a pure function of the golden's picture and its rows. It shows what is compared, and is not compared
//! itself.

use image::RgbaImage;

use super::row::Row;
use runner_screen::annotate::{Mark, annotate_half_size};

/// Draws the annotated picture: `pixels` at half size, with a box for each row that is on the screen and has bounds.
/// The label is `n` and the row's number in `rows`, counted from 1. Rows that are left out keep their numbers. An odd
/// side is rounded up, and few colours are left.
pub(super) fn draw(pixels: &RgbaImage, rows: &[Row]) -> RgbaImage {
    let marks: Vec<Mark> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.on == Some(true) && !row.is_masked())
        .filter_map(|(at, row)| {
            Some(Mark {
                bounds: row.bounds?,
                label: format!("n{}", at + 1),
            })
        })
        .collect();
    annotate_half_size(pixels, &marks)
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;
    use fs_err as fs;

    use super::*;
    use crate::picture::{Compression, encode};
    use crate::tsv;
    use runner_device::Picture;

    /// Returns this project's own goldens: each annotated picture, and the picture that it is drawn from.
    fn goldens() -> Vec<(Utf8PathBuf, Vec<u8>, RgbaImage)> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshots");
        let files = walkdir::WalkDir::new(root).into_iter();
        let files =
            files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.unwrap().into_path()).ok());
        let annotated = files.filter(|path| path.as_str().ends_with(".annotated.png"));
        let golden = |path: Utf8PathBuf| {
            let stem = path.as_str().trim_end_matches(".annotated.png");
            let plain = fs::read(format!("{stem}.png")).unwrap();
            let rows = tsv::read(&fs::read_to_string(format!("{stem}.tsv")).unwrap()).unwrap();
            let pixels = Picture::from_png(plain.as_slice()).pixels().unwrap();
            (path, plain, draw(&pixels, &rows.rows))
        };
        annotated.map(golden).collect()
    }

    #[test]
    fn annotated_goldens_are_half_as_large_and_a_quarter_of_the_bytes() {
        let (mut plain_bytes, mut annotated_bytes) = (0, 0);
        for (path, plain, drawn) in goldens() {
            let stored = fs::read(&path).unwrap();
            let pixels = Picture::from_png(stored.as_slice()).pixels().unwrap();
            assert!(
                *pixels == drawn,
                "{path} is out of date: cargo test -p runner-snapshot write_the_annotated -- --ignored"
            );
            let whole = Picture::from_png(plain.as_slice()).dimensions().unwrap();
            assert_eq!(
                drawn.dimensions(),
                (whole.0.div_ceil(2), whole.1.div_ceil(2)),
                "{path}"
            );
            plain_bytes += plain.len();
            annotated_bytes += stored.len();
        }
        println!("{annotated_bytes} bytes annotated, {plain_bytes} bytes plain");
        assert!(plain_bytes > 0);
        assert!(
            annotated_bytes * 4 <= plain_bytes,
            "{annotated_bytes} of {plain_bytes}"
        );
    }

    #[test]
    #[ignore = "writes this project's annotated goldens"]
    fn write_the_annotated_goldens() {
        for (path, plain, drawn) in goldens() {
            let bytes = encode(&drawn, Compression::Small).unwrap();
            println!("{} of {} {path}", bytes.len(), plain.len());
            fs::write(path, bytes).unwrap();
        }
    }
}
