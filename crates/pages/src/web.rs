//! Styles and scripts that several pages share: the HTML report, the review and the studio. They are part of
//! the program, so that a page needs no network.

/// Colours, fonts and controls, for light and dark.
pub const STYLE: &str = include_str!("../web/style.css");

/// Script that formats times. [`WORDS`] needs it.
pub const TIME: &str = include_str!("../web/time.js");

/// Script that compares two texts word by word.
pub const WORDS: &str = include_str!("../web/words.js");

/// Script that compares two pictures: side by side, slider, blink, difference.
pub const COMPARE: &str = include_str!("../web/compare.js");

/// Script that splits long lists into parts, of which a browser lays out only those in sight.
pub const PARTS: &str = include_str!("../web/parts.js");

/// Script that shows the steps of a flow one after another, as `window.Walk`: the HTML report's component for
/// other pages. It needs [`WORDS`].
pub const WALK: &str = concat!(
    "window.Walk = (() => {\n\"use strict\";\n",
    include_str!("../web/walk/elements.js"),
    include_str!("../web/walk/rows.js"),
    include_str!("../web/walk/failure.js"),
    include_str!("../web/walk/walk.js"),
    "return { el, failureWords, walkStops, walkView };\n})();\n",
);

/// Style of [`WALK`].
pub const WALK_STYLE: &str = include_str!("../web/walk/walk.css");
