//! Abilities of a terminal to show pictures and colours.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    pub images: Images,
    /// Pixels of a cell, for pictures by escape sequences.
    pub cell: (u32, u32),
    pub colours: Colours,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    Kitty,
    /// Kitty's protocol through tmux, placed by characters that tmux moves like any other.
    KittyInTmux,
    Iterm,
    Sixel,
    /// Half blocks: two pixels a cell.
    Blocks,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// None: only bold, reversed and marks.
    None,
    Sixteen,
    /// Palette of 256.
    Indexed,
    True,
}

impl Display {
    /// Returns how many pixels of a picture one cell shows, in width and height: 1 by 2 for blocks and without
    /// pictures, else those of the terminal's cell.
    pub fn cell_pixels(&self) -> (u32, u32) {
        match self.images {
            Images::Blocks | Images::None => (1, 2),
            _ => self.cell,
        }
    }
}
