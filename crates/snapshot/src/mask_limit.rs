//! Limit for masks and for tolerances, which leave parts of the screen uncompared.

/// Largest share of the screen that masks may cover, in percent; more is an error. Chosen: with half of it
/// ordinary screens with a map or a video fail, with twice of it hardly anything is compared.
pub const MASK_LIMIT_PERCENT: u64 = 40;
