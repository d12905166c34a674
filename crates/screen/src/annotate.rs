//! Draws the annotated screenshot: a dashed box and a label for every row on the screen.
//!
//! The result is a pure function of the picture and the rows: the same input gives the same bytes. This
//! module decides the look and leaves storing to its callers.

mod pen;
mod place;

use image::RgbaImage;
use runner_picture::{JpegError, Sampling, quantize, resized};

use pen::{Area, Pen};
use place::Places;

use super::{Profile, Rect, RowFilter, Screen};

/// Largest side of the small annotated screenshot in pixels. Chosen: texts are still legible, and an agent
/// pays little for the picture.
const MAX_SIDE: u32 = 700;
/// Width in pixels for which the sizes of lines and labels are given; they grow with the picture. 360 is the
/// width of a common phone in dp.
const REFERENCE_WIDTH: f32 = 360.0;
/// The same width for pictures at full size, larger so that lines are finer and labels smaller. Chosen.
const READABLE_WIDTH: f32 = 500.0;
/// Quality of JPEG from 1 to 100. Chosen: texts are still sharp, and the picture is a fraction of the PNG.
const JPEG_QUALITY: u8 = 80;
/// Number of colours of the annotated picture beside a golden. Chosen: fewer blur the labels, more make the
/// file larger in version control.
const MAX_COLOURS: usize = 24;

/// Box with a label to draw, in pixels of the full-size picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub bounds: Rect,
    pub label: String,
}

/// Draws the small annotated screenshot that tools return: at most 700 pixels a side, opaque, with boxes around all
/// rows on the screen, labelled with the hashes of the ids. A smaller picture is not enlarged. The bounds of the
/// screen are taken as pixels of `picture`.
pub fn annotate(picture: &RgbaImage, screen: &Screen) -> RgbaImage {
    annotate_small(
        picture,
        &marks(screen, Profile::Reference, &RowFilter::default()),
    )
}

/// Shrinks the picture as [`annotate`] does and draws these boxes, which are given in pixels of the full
/// size. A smaller picture keeps its size.
pub fn annotate_small(picture: &RgbaImage, marks: &[Mark]) -> RgbaImage {
    let (small, scale) = shrunk(picture);
    draw(small, marks, scale)
}

/// Shrinks a picture to the size of the annotated screenshot. A smaller one stays as it is.
pub fn shrink(picture: &RgbaImage) -> RgbaImage {
    shrunk(picture).0
}

/// Shrinks a picture so that no side is longer than `max_side` pixels, with its proportions. A smaller one
/// stays as it is.
pub fn shrink_to(picture: &RgbaImage, max_side: u32) -> RgbaImage {
    shrunk_to(picture, max_side).0
}

fn shrunk(picture: &RgbaImage) -> (RgbaImage, f32) {
    shrunk_to(picture, MAX_SIDE)
}

/// Shrinks a picture so that its longer side is `max_side` pixels, and returns it with the scale. One that is
/// smaller keeps its size, with scale 1.
fn shrunk_to(picture: &RgbaImage, max_side: u32) -> (RgbaImage, f32) {
    let (width, height) = picture.dimensions();
    // Whole numbers, so that rounding never makes the longer side 699.
    let longest = width.max(height).max(max_side);
    let side = |pixels: u32| {
        let small = u64::from(pixels) * u64::from(max_side) / u64::from(longest);
        (small as u32).max(1)
    };
    let scale = max_side as f32 / longest as f32;
    (resize(picture, side(width), side(height)), scale)
}

/// Draws the annotated screenshot for people at full size, with boxes around the rows that pass `filter` and
/// are on the screen, labelled with the row numbers of the golden profile.
pub fn annotate_full_size(
    picture: &RgbaImage,
    screen: &Screen,
    filter: &RowFilter<'_>,
) -> RgbaImage {
    annotate_marks(picture, &marks(screen, Profile::Golden, filter))
}

/// Draws the annotated picture beside a golden, which version control keeps: half as wide and high, in few colours.
/// The boxes and labels are drawn after shrinking, so that they are as fine as on a picture of that size. The marks
/// are given in pixels of the full size.
pub fn annotate_half_size(picture: &RgbaImage, marks: &[Mark]) -> RgbaImage {
    quantize(draw(halved(picture), marks, 0.5), MAX_COLOURS)
}

/// Halves a picture, rounding an odd width or height up; each new pixel is the mean of four. Only whole
/// numbers are used, since all machines must draw the same.
fn halved(picture: &RgbaImage) -> RgbaImage {
    let (width, height) = picture.dimensions();
    let mut half = RgbaImage::new(width.div_ceil(2), height.div_ceil(2));
    let (pixels, _) = picture.as_raw().as_chunks::<4>();
    let rows: Vec<&[[u8; 4]]> = pixels.chunks(width.max(1) as usize).collect();
    let (small, _) = half.as_chunks_mut::<4>();
    for (pair, row) in rows
        .chunks(2)
        .zip(small.chunks_mut(width.div_ceil(2).max(1) as usize))
    {
        // At an odd edge the last row counts twice.
        let (top, bottom) = (pair[0], pair[pair.len() - 1]);
        for ((top, bottom), pixel) in top.chunks(2).zip(bottom.chunks(2)).zip(row) {
            let four = [
                top[0],
                top[top.len() - 1],
                bottom[0],
                bottom[bottom.len() - 1],
            ];
            let sum = |channel: usize| -> u32 {
                four.iter().map(|pixel| u32::from(pixel[channel])).sum()
            };
            *pixel = [0, 1, 2, 3].map(|channel| ((sum(channel) + 2) / 4) as u8);
        }
    }
    half
}

/// Draws these boxes on an opaque copy at full size, in order.
pub fn annotate_marks(picture: &RgbaImage, marks: &[Mark]) -> RgbaImage {
    draw(picture.clone(), marks, 1.0)
}

/// Draws the screenshot at full size for a person who looks for an element, with a box for each row of the profile
/// that is on the screen, labelled as [`marks`] does. Each label is placed where it covers no words, as far as
/// there is room.
pub fn annotate_readably(picture: &RgbaImage, screen: &Screen, profile: Profile) -> RgbaImage {
    let marks = marks(screen, profile, &RowFilter::default());
    let mut drawn = picture.clone();
    let mut pen = Pen::new(picture.width() as f32 / READABLE_WIDTH);
    let mut places = Places::new(picture);
    let areas = marks.iter().filter_map(|mark| {
        let area = scaled(mark.bounds, 1.0, picture)?;
        Some((area, mark.label.as_str()))
    });
    // All boxes are drawn first, so that no label is below one.
    let areas: Vec<(Area, &str)> = areas.collect();
    for (area, _) in &areas {
        pen.draw_box(*area, &mut drawn);
    }
    for (area, label) in areas {
        let place = places.take(area, pen.label_size(label), pen.gap());
        pen.write_label(label, place, &mut drawn);
    }
    drawn
}

/// Encodes the picture as JPEG of quality 80, without transparency.
///
/// # Errors
/// The picture is empty, or longer than 65,535 pixels on a side.
pub fn to_jpeg(picture: &RgbaImage) -> Result<Vec<u8>, JpegError> {
    runner_picture::to_jpeg(picture, JPEG_QUALITY)
}

/// Returns the boxes of a profile's rows that pass `filter` and are on the screen as rows say it, in order of the
/// rows. The label is the row's id, numbered over all rows, for goldens, else the hash of the node's id.
pub fn marks(screen: &Screen, profile: Profile, filter: &RowFilter<'_>) -> Vec<Mark> {
    let rows = screen.rows_with(profile, filter).into_iter();
    let on_screen = rows.filter(|row| screen.node(row.node).is_on_in_rows());
    on_screen
        .map(|row| {
            let node = screen.node(row.node);
            let label = match profile {
                Profile::Reference => node.id_hash(),
                Profile::Golden => row.id,
            };
            Mark {
                bounds: node.bounds(),
                label,
            }
        })
        .collect()
}

fn resize(picture: &RgbaImage, width: u32, height: u32) -> RgbaImage {
    let whole = Rect::new(0, 0, picture.width() as i32, picture.height() as i32);
    resized(picture, whole, (width, height), Sampling::Smooth).unwrap_or_else(|| picture.clone())
}

/// Makes the picture opaque and draws the marks in order, with their bounds scaled by `scale`. Later ones may cover
/// earlier ones. Marks outside of the picture are left out.
fn draw(mut picture: RgbaImage, marks: &[Mark], scale: f32) -> RgbaImage {
    let (pixels, _) = picture.as_chunks_mut::<4>();
    for [.., alpha] in pixels {
        *alpha = u8::MAX;
    }
    let mut pen = Pen::new(picture.width() as f32 / REFERENCE_WIDTH);
    for mark in marks {
        if let Some(area) = scaled(mark.bounds, scale, &picture) {
            pen.draw_box(area, &mut picture);
            pen.draw_label(&mark.label, area, &mut picture);
        }
    }
    picture
}

/// Scales a box to the picture and clips it; `None` where nothing of it is left.
fn scaled(bounds: Rect, scale: f32, picture: &RgbaImage) -> Option<Area> {
    let x = |edge: i32| (edge as f32 * scale).clamp(0.0, picture.width() as f32);
    let y = |edge: i32| (edge as f32 * scale).clamp(0.0, picture.height() as f32);
    let (left, right) = (x(bounds.left), x(bounds.right));
    let (top, bottom) = (y(bounds.top), y(bounds.bottom));
    (left < right && top < bottom).then_some(Area {
        left,
        top,
        right,
        bottom,
    })
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;
    use crate::DisplayContext;

    fn gray(width: u32, height: u32) -> RgbaImage {
        RgbaImage::from_pixel(width, height, Rgba([128, 128, 128, 0]))
    }

    fn screen(nodes: &str) -> Screen {
        let dump = format!("<hierarchy><node bounds='[0,0][1080,2400]'>{nodes}</node></hierarchy>");
        Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
    }

    fn is_red(pixel: Rgba<u8>) -> bool {
        pixel.0[0] > 200 && pixel.0[1] < 60 && pixel.0[2] < 60
    }

    /// Returns the smallest rectangle around all changed pixels: left, top, right, bottom, inclusive.
    fn drawn(picture: &RgbaImage) -> Option<[u32; 4]> {
        let changed = picture
            .enumerate_pixels()
            .filter(|(_, _, p)| p.0 != [128, 128, 128, 255]);
        changed.map(|(x, y, _)| [x, y, x, y]).reduce(|a, b| {
            [
                a[0].min(b[0]),
                a[1].min(b[1]),
                a[2].max(b[2]),
                a[3].max(b[3]),
            ]
        })
    }

    #[test]
    fn the_picture_is_shrunk_as_agreed() {
        let cases = [
            ((1080, 2400), (315, 700)),
            ((2400, 1080), (700, 315)),
            ((500, 300), (500, 300)),
            ((700, 700), (700, 700)),
            ((1080, 2340), (323, 700)),
            ((10_000, 3), (700, 1)),
            ((1, 1), (1, 1)),
        ];
        for ((width, height), expected) in cases {
            let small = annotate(&gray(width, height), &screen(""));
            assert_eq!(small.dimensions(), expected);
            assert_eq!(drawn(&small), None);
        }
    }

    #[test]
    fn a_box_is_dashed_and_carries_its_label() {
        let screen = screen("<node text='x' bounds='[108,1080][972,1320]'/>");
        let small = annotate(&gray(1080, 2400), &screen);
        // Box 31.5,315 – 283.5,385, stroke 1.75; the pill on top is 12.25 high.
        let [left, top, right, bottom] = drawn(&small).unwrap();
        assert!(
            (30..=32).contains(&left) && (283..=284).contains(&right),
            "{left} {right}"
        );
        assert!(
            (301..=303).contains(&top) && (384..=386).contains(&bottom),
            "{top} {bottom}"
        );
        let red = (31..283)
            .filter(|x| is_red(*small.get_pixel(*x, 385)))
            .count();
        assert!(
            (140..200).contains(&red),
            "two thirds of the lower edge: {red}"
        );
        let white = small.pixels().filter(|pixel| pixel.0[1] > 200).count();
        assert!(white > 20, "letters: {white}");
        let inside = small.get_pixel(150, 350);
        assert_eq!(inside.0, [128, 128, 128, 255]);
    }

    #[test]
    fn a_label_stays_in_the_picture_at_the_top() {
        let screen = screen("<node text='x' bounds='[0,0][1080,2400]'/>");
        let small = annotate(&gray(1080, 2400), &screen);
        let pill = small.get_pixel(1, 7).0;
        // Red over gray at 180 of 255, and the box's own edge.
        assert!(pill[0] > 200 && pill[1] < 60, "{pill:?}");
        assert_eq!(drawn(&small), Some([0, 0, 314, 699]));
    }

    #[test]
    fn only_rows_on_the_screen_are_drawn() {
        for nodes in [
            "<node bounds='[108,1080][972,1320]'/>",
            "<node text='x' visible-to-user='false' bounds='[108,1080][972,1320]'/>",
            "<node text='x' bounds='[2000,100][2100,200]'/>",
            "<node text='x' visible-to-user='true' bounds='[100,100][100,200]'/>",
            "<node text='x' visible-to-user='true' bounds='[-90,-90][-10,-10]'/>",
        ] {
            let small = annotate(&gray(1080, 2400), &screen(nodes));
            assert_eq!(drawn(&small), None, "{nodes}");
        }
    }

    #[test]
    fn full_size_takes_the_goldens_row_numbers() {
        let screen = screen(
            "<node text='a' bounds='[0,500][9,509]'/><node text='b' bounds='[0,900][9,909]'/>",
        );
        let labels: Vec<_> = marks(&screen, Profile::Golden, &RowFilter::default())
            .into_iter()
            .map(|mark| mark.label)
            .collect();
        assert_eq!(labels, ["n1", "n2"]);
        let hashes = marks(&screen, Profile::Reference, &RowFilter::default());
        assert!(
            screen
                .node_by_id(&format!("node_{}", hashes[1].label))
                .is_some()
        );
        let picture = annotate_full_size(&gray(1080, 2400), &screen, &RowFilter::default());
        assert_eq!(picture.dimensions(), (1080, 2400));
        assert_eq!(
            picture,
            annotate_full_size(&gray(1080, 2400), &screen, &RowFilter::default())
        );
    }

    // Labels once covered the words that they named.
    #[test]
    fn labels_for_people_cover_no_words_and_no_other_label() {
        let mut picture = RgbaImage::from_pixel(540, 1200, Rgba([250, 250, 250, 255]));
        // Two rows of letters, the second right beneath the first, from the left edge on.
        let rows = [Rect::new(0, 0, 540, 60), Rect::new(0, 60, 540, 120)];
        let words: Vec<(u32, u32)> = (10..200)
            .step_by(4)
            .flat_map(|x| [25, 30, 35, 85, 90, 95].map(|y| (x, y)))
            .collect();
        for (x, y) in &words {
            picture.put_pixel(*x, *y, Rgba([0, 0, 0, 255]));
        }
        let node = |rect: &Rect| {
            let Rect {
                left,
                top,
                right,
                bottom,
            } = rect;
            format!("<node text='x' bounds='[{left},{top}][{right},{bottom}]'/>")
        };
        let nodes: String = rows.iter().map(node).collect();
        let drawn = annotate_readably(&picture, &screen(&nodes), Profile::Reference);
        for (x, y) in words {
            assert_eq!(
                drawn.get_pixel(x, y).0,
                [0, 0, 0, 255],
                "the word at {x},{y}"
            );
        }
        let white = drawn.pixels().filter(|pixel| pixel.0 == [255; 4]).count();
        assert!(white > 20, "letters of labels: {white}");
    }

    #[test]
    fn odd_pictures_and_boxes_are_survived() {
        let huge = Rect::new(i32::MIN, i32::MIN, i32::MAX, i32::MAX);
        let mark = |bounds| Mark {
            bounds,
            label: "n😀".to_owned(),
        };
        let marks = [
            mark(huge),
            mark(Rect::new(5, 5, 1, 1)),
            mark(Rect::default()),
        ];
        for (width, height) in [(0, 0), (0, 5), (1, 1), (3, 2000)] {
            let picture = annotate_marks(&gray(width, height), &marks);
            assert_eq!(picture.dimensions(), (width, height));
            annotate_half_size(&gray(width, height), &marks);
            annotate(&gray(width, height), &screen(""));
            let odd = screen("<node text='x' bounds='[-5,-5][5000,5000]'/>");
            annotate_readably(&gray(width, height), &odd, Profile::Reference);
        }
    }

    #[test]
    fn jpeg_is_jpeg() {
        let jpeg = to_jpeg(&annotate(&gray(1080, 2400), &screen(""))).unwrap();
        assert_eq!(&jpeg[..3], [0xFF, 0xD8, 0xFF]);
        assert_eq!(&jpeg[jpeg.len() - 2..], [0xFF, 0xD9]);
        assert!(to_jpeg(&gray(0, 0)).is_err());
        assert!(to_jpeg(&gray(70_000, 1)).is_err());
    }
}
