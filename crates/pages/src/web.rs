//! What the pages of this program share: the review in the browser and the HTML report. Files of the program itself, so
//! that a page needs no network.

/// Colours, type and controls, light and dark.
pub const STYLE: &str = include_str!("../web/style.css");

/// The clock of a page, and how moments are written. [`WORDS`] needs it.
pub const TIME: &str = include_str!("../web/time.js");

/// What differs between two texts, word by word.
pub const WORDS: &str = include_str!("../web/words.js");

/// Comparing two pictures: side by side, slider, blink, difference.
pub const COMPARE: &str = include_str!("../web/compare.js");

/// Long lists in parts, of which a browser lays out those in sight.
pub const PARTS: &str = include_str!("../web/parts.js");

/// A walk through the steps of a flow, as `window.Walk`: the component of the HTML report for other pages. It needs [`WORDS`].
pub const WALK: &str = concat!(
    "window.Walk = (() => {\n\"use strict\";\n",
    include_str!("../web/walk/elements.js"),
    include_str!("../web/walk/rows.js"),
    include_str!("../web/walk/failure.js"),
    include_str!("../web/walk/walk.js"),
    "return { el, failureWords, walkStops, walkView };\n})();\n",
);

/// How it looks.
pub const WALK_STYLE: &str = include_str!("../web/walk/walk.css");
