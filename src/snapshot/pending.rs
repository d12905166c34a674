//! Pending files: a golden's final bytes, with a mark that says which golden they were compared with and by whom.
//!
//! The mark is a line of its own in a TSV and a text chunk of its own in a PNG; accepting takes it off and nothing else.

use std::collections::BTreeSet;

use super::picture::{add_text, read_text, remove_text};
use super::tsv::{Metadata, metadata_line, read_metadata};

const LINE: &[u8] = b"#pending ";
const CHUNK: &str = "runner-pending";

/// What a pending file says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// Hash of the golden it was compared with.
    pub against: String,
    /// Render classes whose runs proposed it.
    pub by: BTreeSet<String>,
}

impl Mark {
    fn line(&self) -> String {
        let by: Vec<_> = self.by.iter().map(String::as_str).collect();
        metadata_line(&Metadata::from([
            ("against".to_owned(), self.against.clone()),
            ("by".to_owned(), by.join(",")),
        ]))
    }

    fn read(line: &str) -> Option<Self> {
        let mut pairs = read_metadata(line);
        let by = pairs.remove("by").unwrap_or_default();
        Some(Self {
            against: pairs.remove("against")?,
            by: by
                .split(',')
                .filter(|by| !by.is_empty())
                .map(str::to_owned)
                .collect(),
        })
    }
}

fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG")
}

/// `bytes` with the mark.
pub(super) fn mark(bytes: &[u8], mark: &Mark) -> Vec<u8> {
    let line = mark.line();
    if is_png(bytes)
        && let Some(marked) = add_text(bytes, CHUNK, &line)
    {
        return marked;
    }
    [LINE, line.as_bytes(), b"\n", bytes].concat()
}

/// The mark and the bytes without it; `None` where there is none.
pub(super) fn unmark(bytes: &[u8]) -> Option<(Mark, Vec<u8>)> {
    if is_png(bytes) {
        let mark = Mark::read(&read_text(bytes, CHUNK)?)?;
        return Some((mark, remove_text(bytes, CHUNK)));
    }
    let rest = bytes.strip_prefix(LINE)?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let mark = Mark::read(std::str::from_utf8(&rest[..end]).ok()?)?;
    Some((mark, rest[end + 1..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::picture::{Compression, encode};

    #[test]
    fn the_mark_comes_off_without_a_trace() {
        let picture = encode(&image::RgbaImage::new(3, 3), Compression::Small).unwrap();
        for bytes in [picture.as_slice(), b"# schema=1\nid\n", b""] {
            for by in [
                BTreeSet::new(),
                BTreeSet::from(["a".to_owned(), "b-1".to_owned()]),
            ] {
                let given = Mark {
                    against: "0123456789abcdef".to_owned(),
                    by,
                };
                let marked = mark(bytes, &given);
                assert_ne!(marked, bytes);
                assert_eq!(unmark(&marked), Some((given, bytes.to_vec())));
                assert_eq!(unmark(bytes), None);
            }
        }
    }
}
