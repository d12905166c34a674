//! Checks of arguments that several Android tools share.

use crate::Failure;
use crate::arguments::{Arguments, Complaint};
pub(super) use crate::failure::invalid;

/// Checks required coordinates: each must be a number of at least 0; fractions are allowed. All are checked
/// for being present and numbers first, as in the reference, so a missing one is reported before a negative
/// one. There is no upper bound.
pub(super) fn coordinates<const N: usize>(
    args: &Arguments,
    names: [&str; N],
) -> Result<(), Failure> {
    for name in names {
        args.required_number(name)?;
    }
    for name in names {
        let value = args.required_number(name)?;
        if value < 0.0 {
            return Err(args.complaint(name, &Complaint::Less(0, &format!("{value:?}"))));
        }
    }
    Ok(())
}

/// Checks an optional duration, from 1 to 60,000 milliseconds. Fractions are cut off first, as in the
/// reference, so 0.9 is refused and 60000.9 accepted. A missing duration passes.
pub(super) fn duration(args: &Arguments, name: &str) -> Result<(), Failure> {
    match args.number(name)?.map(f64::trunc) {
        Some(millis) if !(1.0..=60_000.0).contains(&millis) => {
            Err(args.complaint(name, &Complaint::NotBetween(1, 60_000, &millis)))
        }
        _ => Ok(()),
    }
}
