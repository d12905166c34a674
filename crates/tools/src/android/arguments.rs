//! Arguments that several Android tools have.

use crate::Failure;
use crate::arguments::{Arguments, Complaint};
pub(super) use crate::code::invalid;

/// Checks required numbers that are at least 0: first that all of them are numbers, as the reference does.
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

/// Checks a duration in milliseconds, where there is one. The reference cuts off what is less than one.
pub(super) fn duration(args: &Arguments, name: &str) -> Result<(), Failure> {
    match args.number(name)?.map(f64::trunc) {
        Some(millis) if !(1.0..=60_000.0).contains(&millis) => {
            Err(args.complaint(name, &Complaint::NotBetween(1, 60_000, &millis)))
        }
        _ => Ok(()),
    }
}
