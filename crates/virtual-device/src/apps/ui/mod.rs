//! Views: elements, their layout, their pixels and their nodes in a dump.
//!
//! Everything on the screen, of apps and of the system, is a tree of [`Element`]s. This module lays it out in
//! pixels, draws it and writes it as dump nodes. It knows no app, no data model and no window.

mod dump;
mod element;
mod icon;
mod layout;
mod order;
mod paint;
mod text;
mod theme;

pub(crate) use dump::dump;
pub(crate) use element::{
    Align, Axis, Element, Field, Justify, Length, Look, Shrink, Target, TextLook, TouchAction,
    Weight,
};
pub(crate) use icon::{is_known as is_known_icon, names as icon_names, spoken as spoken_icon};
pub(crate) use layout::{LayoutNode, Metrics, place};
pub(crate) use paint::Painter;
pub(crate) use text::{Fonts, Line};
pub(crate) use theme::{Colour, Theme};
