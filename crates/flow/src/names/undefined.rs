//! Advice for names that are not defined, but whose value another name has.

use std::ops::Range;

use super::{DEVICE, Names};
use crate::foreign;

/// Returns advice for a value of the flow as a field of the map where another tool keeps its values: for `output.total == 5`
/// the same with `total` alone, if that has a value. `at` is the place of the map's name in `inner`. Returns `None` for
/// other names and fields.
pub(super) fn in_map_of_values(inner: &str, at: &Range<usize>, names: &Names) -> Option<String> {
    const MAPS: [&str; 16] = [
        "output",
        "outputs",
        "env",
        "vars",
        "var",
        "variables",
        "inputs",
        "params",
        "context",
        "ctx",
        "state",
        "store",
        "data",
        "globals",
        "results",
        "this",
    ];
    let map = inner.get(at.clone()).filter(|map| MAPS.contains(map))?;
    let rest = inner[at.end..].strip_prefix('.')?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let field = rest.split(|c: char| !is_part(c)).next()?;
    let whole = inner.trim().replace(&format!("{map}.{field}"), field);
    names.has_value(field).then(|| {
        format!(
            "a value has its name alone: write {}",
            foreign::quoted(&format!("${{{whole}}}"))
        )
    })
}

/// Returns advice for an undefined name that is a field of `device` here, such as `locale`; `None` for other names.
pub(super) fn device_advice(root: &str) -> Option<String> {
    // Other fields, such as `label`, are usual names of a flow's own values.
    const FIELDS: [&str; 14] = [
        "locale",
        "language",
        "lang",
        "sdk",
        "apilevel",
        "release",
        "androidversion",
        "osversion",
        "serial",
        "udid",
        "model",
        "density",
        "emulator",
        "isemulator",
    ];
    let word = root.to_lowercase().replace('_', "");
    if !FIELDS.contains(&word.as_str()) {
        return None;
    }
    let ours = if DEVICE.contains(&root) {
        root
    } else {
        foreign::field(root, &DEVICE)?
    };
    Some(if ours.contains('`') {
        ours.replace('…', "device")
    } else {
        format!(
            "write `${{device.{ours}}}` for the device's; another value is defined in `env`, or kept with `as: {root}` in a step before"
        )
    })
}
