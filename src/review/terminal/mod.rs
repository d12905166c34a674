//! The review in a terminal.

use super::{Review, ReviewError};

/// Reviews until the person leaves.
pub fn run(_: &Review) -> Result<(), ReviewError> {
    Err(ReviewError::Usage(
        "use `runner accept` and `runner reject`".to_owned(),
    ))
}
