//! Areas in which the pictures of a golden differ, in pixels, for viewers that draw them over the pictures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::difference::{self, Difference, GoldenProposal, Tables};
use super::{ChangedArea, MovedContent};
use runner_screen::Rect;

/// Number of changed areas that are listed, the largest ones. Chosen: nobody looks at more one by one.
const MAX_PLACES: usize = 100;

/// Where the pictures differ, in their pixels.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Areas {
    /// Width and height of the golden's picture, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub golden: Option<[u32; 2]>,
    /// Width and height of the picture seen, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<[u32; 2]>,
    /// Where it changed, largest first, the hundred largest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<ChangedArea>,
    /// What only moved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MovedContent>,
    /// What is not compared: masks and the system's bars.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<Rect>,
}

impl Areas {
    /// Returns the areas to show of a difference: the [`MAX_PLACES`] places with the most changed pixels in this order,
    /// the moves, and `left_out` with the golden's masked rows, each once. Both sizes are `None`. Without a failed
    /// picture there are no places.
    pub(super) fn new(
        found: &Difference,
        golden: &Tables,
        proposed: GoldenProposal<'_>,
        left_out: &[Rect],
    ) -> Self {
        let mut places = found.places(golden, proposed);
        places.sort_by_key(|place| std::cmp::Reverse(place.pixels));
        places.truncate(MAX_PLACES);
        let masks = left_out.iter().copied();
        let masks = masks.chain(difference::masked(golden.class_rows()));
        Self {
            golden: None,
            actual: None,
            places,
            moved: found.moved.clone(),
            masks: difference::without_repeats(masks),
        }
    }
}
