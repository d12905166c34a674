#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod blocks;
mod classify;
mod clusters;
mod compare;
mod comparison;
mod distance;
mod draw;
mod error;
mod frame;
mod geometry;
mod jpeg;
mod mask;
mod permit;
mod png_file;
mod quantization;
mod recolour;
mod resize;
mod screenshot;
mod shift;
mod strips;

pub use blocks::{Block, moved_blocks};
pub use clusters::Cluster;
pub use compare::{compare, first_difference};
pub use comparison::Comparison;
pub use distance::looks_alike;
pub use draw::{difference, paint_masks};
pub use error::PictureError;
pub use frame::Frame;
pub use geometry::{Display, Orientation, Point, Rect};
pub use jpeg::{JpegError, to_jpeg};
pub use mask::PixelMask;
pub use permit::in_turn;
pub use png_file::{Compression, crop, encode};
pub use png_file::{add_text, read_text, remove_text};
pub use quantization::quantize;
pub use resize::{Sampling, resized};
pub use screenshot::{MAX_PIXELS, Picture};
pub use shift::{Shift, shifts};
pub use strips::upright_strips;
