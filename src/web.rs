//! What the pages of this program share: the review in the browser and the HTML report. Files of the program itself, so
//! that a page needs no network.

/// Colours, type and controls, light and dark.
pub const STYLE: &str = include_str!("web/style.css");

/// What differs between two texts, word by word.
pub const WORDS: &str = include_str!("web/words.js");

/// Comparing two pictures: side by side, slider, blink, difference.
pub const COMPARE: &str = include_str!("web/compare.js");
