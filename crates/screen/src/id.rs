//! Computes and parses node ids.
//!
//! The hash in an id is the 32-bit Java string hash, over UTF-16 units, of
//! `{resource-id}|{class}|{left},{top},{right},{bottom}|{depth}|{child index}|{parent id}`. Tools and
//! people pass ids between calls, so the definition must not change.

use super::Rect;

/// Java string hash that is built piece by piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JavaHash(u32);

impl JavaHash {
    pub(super) const EMPTY: Self = Self(0);

    /// Hashes a whole string; the result is Java's `int`.
    pub(super) fn compute(text: &str) -> i32 {
        Self::EMPTY.text(text).0.cast_signed()
    }

    fn unit(self, unit: u16) -> Self {
        Self(self.0.wrapping_mul(31).wrapping_add(u32::from(unit)))
    }

    /// Adds a text's UTF-16 units to the hash, as Java does.
    fn text(self, text: &str) -> Self {
        if text.is_ascii() {
            text.bytes()
                .fold(self, |hash, byte| hash.unit(u16::from(byte)))
        } else {
            text.encode_utf16().fold(self, Self::unit)
        }
    }

    /// Adds a number in decimal to the hash.
    fn number(self, number: i64) -> Self {
        let signed = if number < 0 {
            self.unit(u16::from(b'-'))
        } else {
            self
        };
        let mut digits = [0_u8; 20];
        let mut used = 0;
        let mut rest = number.unsigned_abs();
        for digit in &mut digits {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            used += 1;
            if rest == 0 {
                break;
            }
        }
        let written = digits.iter().take(used).rev();
        written.fold(signed, |hash, digit| hash.unit(u16::from(*digit)))
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ParentLink {
    /// Window with this id, for a root.
    Window(i32),
    /// Node with this hash.
    Node(u32),
}

/// Computes the number in a node's id, from its properties and those of its parents, as Java's `hashCode` of
/// a text. The child index is the one in the dump. Equal properties give equal numbers, so a number may occur
/// twice.
pub(super) fn node_hash(
    resource_id: &str,
    class: &str,
    bounds: Rect,
    depth: u32,
    child_index: i64,
    above: ParentLink,
) -> u32 {
    let hash = JavaHash::EMPTY
        .text(resource_id)
        .text("|")
        .text(class)
        .text("|");
    let hash = hash.number(bounds.left.into()).text(",");
    let hash = hash.number(bounds.top.into()).text(",");
    let hash = hash.number(bounds.right.into()).text(",");
    let hash = hash.number(bounds.bottom.into()).text("|");
    let hash = hash.number(depth.into()).text("|");
    let hash = hash.number(child_index).text("|");
    match above {
        ParentLink::Window(id) => hash.text("root_w").number(id.into()).0,
        ParentLink::Node(parent) => hash.text("node_").text(&format!("{parent:x}")).0,
    }
}

/// Id as a person or a tool wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeId {
    pub(super) hash: u32,
    /// Window of the suffix; `None` without one.
    pub(super) window: Option<i32>,
}

impl NodeId {
    /// Parses `node_322967b8` or `node_322967b8_w42`. Other spellings of the same number, such as upper case or
    /// leading zeros, are refused. Returns `None` for these and for any other text.
    pub(super) fn parse(id: &str) -> Option<Self> {
        let rest = id.strip_prefix("node_")?;
        let (hash, window) = match rest.split_once("_w") {
            Some((hash, window)) => (hash, Some(window.parse().ok()?)),
            None => (rest, None),
        };
        let read = Self {
            hash: u32::from_str_radix(hash, 16).ok()?,
            window,
        };
        // Other spellings such as `node_0a` and `node_A` are refused, since no tool prints them.
        (read.to_string() == id).then_some(read)
    }
}

impl std::fmt::Display for NodeId {
    /// Writes `node_322967b8`, or with a window `node_322967b8_w42`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "node_{:x}", self.hash)?;
        match self.window {
            Some(window) => write!(f, "_w{window}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_have_the_contracts_values() {
        let root = Rect::new(0, 0, 1080, 2400);
        let root = node_hash(
            "",
            "android.widget.FrameLayout",
            root,
            0,
            0,
            ParentLink::Window(42),
        );
        assert_eq!(format!("node_{root:x}"), "node_ddda1cc1");
        let digit = node_hash(
            "com.android.calculator2:id/digit_7",
            "android.widget.Button",
            Rect::new(50, 800, 270, 1000),
            1,
            0,
            ParentLink::Node(root),
        );
        assert_eq!(format!("node_{digit:x}"), "node_322967b8");
    }

    #[test]
    fn pieces_hash_like_the_whole() {
        for number in [
            0,
            7,
            10,
            -1,
            -120,
            i64::from(i32::MIN),
            i64::from(i32::MAX),
            i64::MIN,
        ] {
            let whole = JavaHash::EMPTY.text(&number.to_string());
            assert_eq!(JavaHash::EMPTY.number(number), whole);
        }
        assert_eq!(JavaHash::compute("hello"), 99_162_322);
        assert_eq!(JavaHash::compute("😀"), 1_772_899);
    }

    #[test]
    fn ids_read_only_as_printed() {
        let id = |hash, window| Some(NodeId { hash, window });
        let cases = [
            ("node_322967b8", id(0x3229_67b8, None)),
            ("node_322967b8_w42", id(0x3229_67b8, Some(42))),
            ("node_a_w-1", id(10, Some(-1))),
            ("node_0a", None),
            ("node_A", None),
            ("node_+a", None),
            ("node_a_w", None),
            ("node_a_w042", None),
            ("node_1ffffffff", None),
            ("a", None),
            ("", None),
        ];
        for (written, read) in cases {
            assert_eq!(NodeId::parse(written), read, "{written}");
        }
    }
}
