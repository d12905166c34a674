//! Names of the device's files as plain names on any host.

use std::fmt::Write as _;

/// Names that Windows reserves.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Encodes a device's file name as a plain name for any host. Characters that some host does not allow become
/// `%` and hex digits; so do the first letter of a reserved name and a dot or space at the end.
pub(super) fn host_name(name: &str) -> String {
    let mut host = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_control() || "\\/:*?\"<>|%".contains(c) {
            let _ = write!(host, "%{:02X}", c as u32);
        } else {
            host.push(c);
        }
    }
    let stem = host
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let device = RESERVED.iter().any(|reserved| {
        stem.strip_prefix(reserved).is_some_and(|rest| {
            rest.is_empty() || (rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_digit()))
        })
    });
    if device && let Some(first) = host.chars().next() {
        host.replace_range(..1, &format!("%{:02X}", first as u32));
    }
    // Windows drops a dot or a space at the end of a name.
    if let Some(last @ ('.' | ' ')) = host.chars().next_back() {
        host.pop();
        let _ = write!(host, "%{:02X}", last as u32);
    }
    host
}

/// Decodes a name of [`host_name`]. A `%` without two hex digits stays.
pub(super) fn device_name(host: &str) -> String {
    let mut name = String::with_capacity(host.len());
    let mut rest = host;
    while let Some(at) = rest.find('%') {
        name.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3);
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            name.push(char::from(byte));
            rest = &rest[at + 3..];
        } else {
            name.push('%');
            rest = &rest[at + 1..];
        }
    }
    name.push_str(rest);
    name
}
