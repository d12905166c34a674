//! Shows pictures in a terminal: by escape sequences if it has some, else by half blocks.
//!
//! The encoders turn a picture into bytes. `painter` puts them in their places.

pub mod blocks;
pub mod detect;
mod iterm;
mod kitty;
mod painter;
mod placeholder;
mod sixel;

pub use painter::{Painter, PlacedPicture, covered};
pub use placeholder::draw as draw_placeholders;

/// Abilities of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    pub images: Images,
    /// Pixels of a cell, for pictures by escape sequences.
    pub cell: (u32, u32),
    pub colours: Colours,
}

/// Way to show pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// Kitty's graphics protocol.
    Kitty,
    /// Kitty's protocol through tmux, placed by characters that tmux moves like any other.
    KittyInTmux,
    /// iTerm2's inline images.
    Iterm,
    Sixel,
    /// Half blocks: two pixels a cell.
    Blocks,
    /// No pictures.
    None,
}

/// Colours of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// None: only bold, reversed and marks.
    None,
    /// Sixteen named colours.
    Sixteen,
    /// Palette of 256.
    Indexed,
    /// True colour.
    True,
}

impl Display {
    /// Returns how many pixels of a picture one cell shows, in width and height: 1 by 2 for blocks, else
    /// those of the terminal.
    pub fn cell_pixels(&self) -> (u32, u32) {
        match self.images {
            Images::Blocks | Images::None => (1, 2),
            _ => self.cell,
        }
    }
}

/// Encodes a picture as PNG with fast compression. `None` if it cannot be encoded.
fn png(picture: &image::RgbaImage) -> Option<Vec<u8>> {
    use runner_snapshot::picture::{Compression, encode};

    encode(picture, Compression::Fast).ok()
}
