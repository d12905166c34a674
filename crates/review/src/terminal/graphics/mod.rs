//! Shows pictures in a terminal: by escape sequences if it has some, else by half blocks.
//!
//! The encoders turn a picture into bytes. `painter` puts them in their places.

pub mod blocks;
pub mod detect;
mod display;
mod iterm;
mod kitty;
mod painter;
mod placeholder;
mod png;
mod sixel;

pub use display::{Colours, Display, Images};
pub use painter::{Painter, PlacedPicture, covered};
pub use placeholder::draw as draw_placeholders;
