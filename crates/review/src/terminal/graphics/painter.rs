//! Keeps the pictures on the screen equal to the wanted ones. It removes the others before the text is drawn,
//! adds new ones afterwards, and leaves those that stay alone.

use std::io::{self, Write};

use image::RgbaImage;
use ratatui::crossterm::cursor::MoveTo;
use ratatui::crossterm::queue;
use ratatui::layout::Rect;

use super::placeholder::through_tmux;
use super::{Display, Images, iterm, kitty, sixel};

/// First id of a picture. Chosen: other programs hardly use ids near it.
const FIRST_ID: u32 = 0x52_0000;

/// Picture to put on the screen.
#[derive(Debug, Clone)]
pub struct PlacedPicture {
    /// Tells it from another picture at the same place.
    pub mark: u64,
    /// Cells that it may cover.
    pub cells: Rect,
    /// Picture, in pixels of the terminal.
    pub pixels: RgbaImage,
}

/// Pictures on the screen.
#[derive(Debug)]
pub struct Painter {
    display: Display,
    drawn: Vec<DrawnPicture>,
    next_id: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct DrawnPicture {
    mark: u64,
    cells: Rect,
    id: u32,
}

impl Painter {
    /// Creates a painter that takes the screen for free of pictures. Writes nothing.
    pub fn new(display: Display) -> Self {
        Self {
            display,
            drawn: Vec::new(),
            next_id: FIRST_ID,
        }
    }

    /// Returns the id of the picture that was added for exactly `cells`, if placeholders show it, as in tmux; else
    /// `None`.
    pub fn id_at(&self, cells: Rect) -> Option<u32> {
        let displayed = self
            .drawn
            .iter()
            .find(|drawn_picture| drawn_picture.cells == cells)?;
        (self.display.images == Images::KittyInTmux).then_some(displayed.id)
    }

    /// Removes the pictures that are not among `wanted`, given by marks (hashes of what is shown) and places. A
    /// picture whose mark or place is another is removed, and forgotten if nothing failed. Wanted ones stay
    /// untouched; missing ones are not drawn.
    pub fn remove_others(
        &mut self,
        out: &mut impl Write,
        wanted: &[(u64, Rect)],
    ) -> io::Result<()> {
        let is_wanted =
            |displayed: &DrawnPicture| wanted.contains(&(displayed.mark, displayed.cells));
        for gone in self.drawn.iter().filter(|picture| !is_wanted(picture)) {
            self.remove(out, gone)?;
        }
        self.drawn.retain(is_wanted);
        Ok(())
    }

    /// Returns for each of `wanted`, in this order, true if it was not added yet with the same mark and place. Draws
    /// nothing.
    pub fn missing(&self, wanted: &[(u64, Rect)]) -> Vec<bool> {
        let is_shown = |(mark, cells): &(u64, Rect)| {
            self.drawn
                .iter()
                .any(|displayed| displayed.mark == *mark && displayed.cells == *cells)
        };
        wanted.iter().map(|wanted| !is_shown(wanted)).collect()
    }

    /// Writes a picture to `out` at its place, padded to whole cells, and remembers it as on the screen. Does not
    /// check if it is there already, and does not flush. If the display draws no pictures by escape sequences, or the
    /// picture cannot be encoded, it is only remembered.
    pub fn add(&mut self, out: &mut impl Write, placed: &PlacedPicture) -> io::Result<()> {
        let id = self.next_id;
        // At most three bytes, as a placeholder encodes the id as a colour.
        self.next_id = if id == FIRST_ID + 0xffff {
            FIRST_ID
        } else {
            id + 1
        };
        let (picture, cells) = whole_cells(&placed.pixels, self.display.cell);
        let bytes = match self.display.images {
            Images::Kitty => kitty::show(&picture, id, cells),
            Images::KittyInTmux => kitty::send_virtual(&picture, id, cells).map(|sequences| {
                let wrapped = sequences.iter().map(|sequence| through_tmux(sequence));
                wrapped.flatten().collect()
            }),
            Images::Iterm => iterm::show(&picture, cells),
            Images::Sixel => Some(sixel::show(&picture)),
            Images::Blocks | Images::None => None,
        };
        if let Some(bytes) = bytes {
            queue!(out, MoveTo(placed.cells.x, placed.cells.y))?;
            out.write_all(&bytes)?;
        }
        self.drawn.push(DrawnPicture {
            mark: placed.mark,
            cells: placed.cells,
            id,
        });
        Ok(())
    }

    /// Removes all pictures, at the end or before the screen is drawn anew.
    pub fn clear(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.remove_others(out, &[])
    }

    /// Removes a picture from the screen, by its id or by blanks over all of its cells; it stays remembered. Blocks
    /// need nothing, as cells replace them.
    fn remove(&self, out: &mut impl Write, displayed: &DrawnPicture) -> io::Result<()> {
        match self.display.images {
            Images::Kitty => out.write_all(&kitty::remove(displayed.id)),
            Images::KittyInTmux => out.write_all(&through_tmux(&kitty::remove(displayed.id))),
            // These pictures are part of the cells, so blanks remove them.
            Images::Iterm | Images::Sixel => {
                let blank = " ".repeat(displayed.cells.width.into());
                for row in displayed.cells.rows() {
                    queue!(out, MoveTo(row.x, row.y))?;
                    out.write_all(blank.as_bytes())?;
                }
                Ok(())
            }
            Images::Blocks | Images::None => Ok(()),
        }
    }
}

/// Returns the cells that a picture of this many pixels covers within its place.
pub fn covered(display: Display, cells: Rect, pixels: (u32, u32)) -> Rect {
    let (_, (columns, rows)) = whole_size(pixels, display.cell);
    Rect::new(cells.x, cells.y, columns, rows).intersection(cells)
}

/// Returns the smallest number of whole cells that hold this many pixels: first in pixels, then in cells, each as
/// width and height. No pixels are 0 cells; cells are counted up to 65535.
fn whole_size(pixels: (u32, u32), cell: (u32, u32)) -> ((u32, u32), (u16, u16)) {
    let columns = pixels.0.div_ceil(cell.0.max(1));
    let rows = pixels.1.div_ceil(cell.1.max(1));
    (
        (columns * cell.0, rows * cell.1),
        (
            columns.min(u16::MAX.into()) as u16,
            rows.min(u16::MAX.into()) as u16,
        ),
    )
}

/// Pads a picture at its right and lower edge with transparent pixels to whole cells, without scaling it, so that a
/// terminal that gets its size in cells does not stretch it. Returns it with its columns and rows.
fn whole_cells(picture: &RgbaImage, cell: (u32, u32)) -> (RgbaImage, (u16, u16)) {
    let (size, cells) = whole_size(picture.dimensions(), cell);
    if size == picture.dimensions() {
        return (picture.clone(), cells);
    }
    let mut padded = RgbaImage::new(size.0, size.1);
    image::imageops::replace(&mut padded, picture, 0, 0);
    (padded, cells)
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::super::Colours;
    use super::*;

    fn display(images: Images) -> Display {
        Display {
            images,
            cell: (8, 16),
            colours: Colours::True,
        }
    }

    fn placed(mark: u64) -> PlacedPicture {
        PlacedPicture {
            mark,
            cells: Rect::new(3, 2, 4, 2),
            pixels: RgbaImage::from_pixel(20, 20, Rgba([1, 2, 3, 255])),
        }
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn what_stays_is_left_alone_and_what_goes_is_removed() {
        for (images, gone) in [
            (Images::Kitty, "a=d,d=I,i=5373952"),
            (Images::KittyInTmux, "\x1bPtmux;\x1b\x1b_Ga=d,d=I,i=5373952"),
            (Images::Sixel, "\x1b[3;4H    \x1b[4;4H    "),
            (Images::Iterm, "\x1b[3;4H    \x1b[4;4H    "),
        ] {
            let mut painter = Painter::new(display(images));
            let wanted = [(1, placed(1).cells)];
            assert_eq!(painter.missing(&wanted), [true]);
            let mut out = Vec::new();
            painter.add(&mut out, &placed(1)).unwrap();
            assert!(text(&out).starts_with("\x1b[3;4H\x1b"), "{images:?}");
            out.clear();
            painter.remove_others(&mut out, &wanted).unwrap();
            assert_eq!(
                (text(&out), painter.missing(&wanted)),
                (String::new(), vec![false])
            );
            painter
                .remove_others(&mut out, &[(2, placed(2).cells)])
                .unwrap();
            assert!(text(&out).contains(gone), "{images:?} {:?}", text(&out));
            assert_eq!(painter.missing(&wanted), [true]);
        }
    }

    #[test]
    fn a_picture_fills_whole_cells_without_being_stretched() {
        let (padded, cells) = whole_cells(&placed(1).pixels, (8, 16));
        assert_eq!((padded.dimensions(), cells), ((24, 32), (3, 2)));
        assert_eq!(padded.get_pixel(19, 19).0, [1, 2, 3, 255]);
        assert_eq!(padded.get_pixel(20, 20).0[3], 0);
        let area = covered(display(Images::Kitty), placed(1).cells, (20, 20));
        assert_eq!(area, Rect::new(3, 2, 3, 2));
    }
}
