//! Advice for a path in `storage`, which is one on the device.

use runner_flow::yaml::Node;

use super::tables::{form, lists, plain};

/// Returns advice for a path on the device that is not absolute: one that begins with a folder of the root lacks its
/// `/`, and any other is one of the shared storage. `None` at other places, for an absolute path and for one with `..`.
pub(super) fn device_path(place: &[&str], node: &Node) -> Option<String> {
    /// Folders at the root of a device.
    const ROOTS: &str = "sdcard storage data mnt system vendor product cache odm proc sys";
    let ["storage", _, "path"] = place else {
        return None;
    };
    let text = &node.scalar()?.text;
    if text.starts_with('/') || text.contains("..") {
        return None;
    }
    let rest = text.strip_prefix("./").or_else(|| text.strip_prefix("~/"));
    let rest = rest.unwrap_or(text).trim_matches('/');
    let is_written = |c: char| c.is_alphanumeric() || "_./- ".contains(c);
    if rest.is_empty() || !rest.chars().all(is_written) {
        return form(&place[..2]);
    }
    let (first, behind) = rest.split_once('/').unwrap_or((rest, ""));
    let whole = if lists(ROOTS, first) {
        format!("/{rest}")
    } else {
        let first = match plain(first).as_str() {
            "download" | "downloads" => "Download",
            "picture" | "pictures" => "Pictures",
            "document" | "documents" => "Documents",
            _ => first,
        };
        format!("/sdcard/{first}/{behind}")
    };
    let whole = whole.trim_end_matches('/');
    Some(format!(
        "write the whole path on the device: `path: {whole}`"
    ))
}
