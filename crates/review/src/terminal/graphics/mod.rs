//! Pictures in a terminal: by escape sequences where it has some, else by half blocks.
//!
//! The encoders are pure: a picture in, the bytes to write out. `painter` puts them where they belong.

pub mod blocks;
pub mod detect;
mod iterm;
mod kitty;
mod painter;
mod placeholder;
mod sixel;

pub use painter::{Painter, PlacedPicture, covered};
pub use placeholder::draw as draw_placeholders;

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    /// How it shows pictures.
    pub images: Images,
    /// Pixels of a cell, where pictures are drawn by escape sequences.
    pub cell: (u32, u32),
    /// Its colours.
    pub colours: Colours,
}

/// How pictures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// Kitty's graphics protocol.
    Kitty,
    /// The same through tmux, placed by characters that tmux moves like any other.
    KittyInTmux,
    /// iTerm2's inline images.
    Iterm,
    /// Sixel.
    Sixel,
    /// Two pixels a cell.
    Blocks,
    /// Not at all.
    None,
}

/// Colours of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// None: only bold, reversed and marks.
    None,
    /// The sixteen named ones.
    Sixteen,
    /// The palette of 256.
    Indexed,
    /// All.
    True,
}

impl Display {
    /// Pixels of a picture that one cell shows.
    pub fn cell_pixels(&self) -> (u32, u32) {
        match self.images {
            Images::Blocks | Images::None => (1, 2),
            _ => self.cell,
        }
    }
}

/// A picture as PNG, quickly.
fn png(picture: &image::RgbaImage) -> Option<Vec<u8>> {
    use runner_snapshot::picture::{Compression, encode};

    encode(picture, Compression::Fast).ok()
}
