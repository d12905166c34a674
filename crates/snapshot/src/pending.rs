//! Pending files: the final bytes of a golden, with a mark that says which golden they were compared with, by
//! whom and why.
//!
//! The mark is a line in a TSV and a text chunk in a PNG. Accepting removes it and changes nothing else. It
//! is at the beginning of the file, so that a thousand pending files are listed without reading their
//! pictures.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::Cause;
use super::golden::hash;
use super::parts::{self, PartsOfClasses};
use super::picture::{add_text, read_text, remove_text};
use super::tsv::{Metadata, metadata_line, read_bounds, read_metadata};
use runner_screen::Rect;

const LINE: &[u8] = b"#pending ";
const CHUNK: &str = "runner-pending";

/// Number of bytes at the beginning of a file that hold its mark. Chosen: the largest cause and its masks
/// fit.
pub(super) const HEAD: usize = 64 * 1024;

/// Number of characters that are read of a cause's title and of each change. Chosen: more than a run writes.
const MAX_TITLE_CHARS: usize = 1000;

/// Number of a cause's changes that are read. Chosen: more than a run writes.
const MAX_CHANGES: usize = 1000;

/// Number of masked areas that a mark lists at most. Chosen: the mark must fit into [`HEAD`].
const MAX_MASKED_AREAS: usize = 200;

/// Largest side of a display in pixels that is accepted. Chosen: no display is larger.
const MAX_SIDE: u32 = 16_384;

/// Information in a pending file about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// Hash of the golden it was compared with.
    pub against: String,
    /// Render classes whose runs proposed it.
    pub by: BTreeSet<String>,
    /// Files that each of these classes proposed together with this one, and this one. Empty for a merge, and in
    /// marks of older versions.
    pub parts: PartsOfClasses,
    /// Cause, if the run knew it.
    pub cause: Option<Cause>,
    /// Area under the step's masks, if the run recorded it.
    pub masked: Option<MaskedArea>,
}

/// Area under the step's masks as a run measured it. It is no part of a golden, since masks lie elsewhere in
/// each run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MaskedArea {
    /// Width and height of what is compared.
    pub frame: (u32, u32),
    /// Masked elements and rectangles, relative to the frame's corner.
    pub areas: Vec<Rect>,
}

impl MaskedArea {
    /// Writes the frame and the areas in one word for a mark: `1080x2400;0,0,1080,84`. Without areas it is the frame
    /// alone.
    fn write(&self) -> String {
        let (width, height) = self.frame;
        let frame = format!("{width}x{height}");
        let areas = self.areas.iter().map(ToString::to_string);
        std::iter::once(frame)
            .chain(areas)
            .collect::<Vec<_>>()
            .join(";")
    }

    /// Parses what [`Self::write`] wrote. Returns `None` for anything else, and beyond the limits of sides and
    /// areas.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(';');
        let (width, height) = parts.next()?.split_once('x')?;
        let side = |text: &str| text.parse().ok().filter(|side| *side <= MAX_SIDE);
        let areas: Vec<Rect> = parts.map(read_bounds).collect::<Option<_>>()?;
        (areas.len() <= MAX_MASKED_AREAS).then_some(Self {
            frame: (side(width)?, side(height)?),
            areas,
        })
    }
}

impl Mark {
    /// Returns the line for a file whose bytes without mark are `bytes`; their hash is in it. It has neither [`LINE`]
    /// before it nor a line end. A list of more than [`MAX_MASKED_AREAS`] masked areas is left out.
    fn line(&self, bytes: &[u8]) -> String {
        let by: Vec<_> = self.by.iter().map(String::as_str).collect();
        let mut pairs = Metadata::from([
            ("against".to_owned(), self.against.clone()),
            ("by".to_owned(), by.join(",")),
            ("is".to_owned(), hash(bytes)),
        ]);
        if !self.parts.is_empty() {
            pairs.insert("with".to_owned(), parts::write(&self.parts));
        }
        // A title may hold any character, but a mark holds neither spaces nor other than plain letters.
        if let Some(cause) = &self.cause
            && let Ok(json) = serde_json::to_vec(cause)
        {
            pairs.insert("cause".to_owned(), URL_SAFE_NO_PAD.encode(json));
        }
        if let Some(masked) = &self.masked
            && masked.areas.len() <= MAX_MASKED_AREAS
        {
            pairs.insert("masked".to_owned(), masked.write());
        }
        metadata_line(&pairs)
    }

    /// Parses a mark's line. Returns `None` only if it does not say what it was compared with; other parts that
    /// cannot be read are left out.
    fn read(line: &str) -> Option<Self> {
        let mut pairs = read_metadata(line);
        let by = pairs.remove("by").unwrap_or_default();
        let cause = pairs
            .remove("cause")
            .and_then(|cause| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cause).ok()?).ok())
            .and_then(sanitize);
        Some(Self {
            against: pairs.remove("against")?,
            by: by
                .split(',')
                .filter(|by| !by.is_empty())
                .map(str::to_owned)
                .collect(),
            parts: pairs
                .get("with")
                .map(|text| parts::read(text))
                .unwrap_or_default(),
            cause,
            masked: pairs.get("masked").and_then(|text| MaskedArea::read(text)),
        })
    }
}

/// Removes control characters from the title and the changes of a cause, and cuts what is more than
/// [`MAX_TITLE_CHARS`] or [`MAX_CHANGES`], since it may come from elsewhere and is printed on terminals. The rest
/// stays. Returns `None` for a cause without changes or with an id that is not 16 hex digits.
fn sanitize(cause: Cause) -> Option<Cause> {
    let is_id = cause.id.len() == 16 && cause.id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain = |text: &String| -> String {
        let printed = text.chars().filter(|c| !c.is_control());
        printed.take(MAX_TITLE_CHARS).collect()
    };
    let changes = cause.changes.iter().take(MAX_CHANGES);
    // Older versions did not list all changes. Without a cause it is found by comparing the files.
    (is_id && !cause.changes.is_empty()).then(|| Cause {
        title: plain(&cause.title),
        changes: changes.map(plain).collect(),
        ..cause.clone()
    })
}

fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG")
}

/// Adds the mark to `bytes`, which have none yet: as a text chunk to a PNG, else as a first line. A PNG that is
/// broken gets a line too.
pub(super) fn mark(bytes: &[u8], mark: &Mark) -> Vec<u8> {
    let line = mark.line(bytes);
    if is_png(bytes)
        && let Some(marked) = add_text(bytes, CHUNK, &line)
    {
        return marked;
    }
    [LINE, line.as_bytes(), b"\n", bytes].concat()
}

/// Returns the line of the mark as written, from a file's first [`HEAD`] bytes; `None` where there is none or
/// where it is not complete. The hash in it is not checked.
fn line(head: &[u8]) -> Option<String> {
    if is_png(head) {
        return read_text(head, CHUNK);
    }
    let rest = head.strip_prefix(LINE)?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    String::from_utf8(rest[..end].to_vec()).ok()
}

/// Parses the mark from a file's first [`HEAD`] bytes; `None` where there is none. The hash in it is not
/// checked.
pub(super) fn read(head: &[u8]) -> Option<Mark> {
    Mark::read(&line(head)?)
}

/// Returns a text that changes when the proposal, its cause, its masked area or the golden it was compared with
/// changes. The classes that propose it do not count. `head` are the file's first [`HEAD`] bytes. All files without a
/// mark have the same version.
pub(super) fn version(head: &[u8]) -> String {
    let mut pairs = read_metadata(&line(head).unwrap_or_default());
    pairs.remove("by");
    pairs.remove("with");
    metadata_line(&pairs) + "\n"
}

/// Returns the mark and the bytes without it. Returns `None` where there is no mark, where it cannot be parsed, or
/// where the bytes were changed after it was made. A mark without a hash is taken as it is.
pub(super) fn unmark(bytes: &[u8]) -> Option<(Mark, Vec<u8>)> {
    let line = line(bytes)?;
    let rest = if is_png(bytes) {
        remove_text(bytes, CHUNK)
    } else {
        bytes[LINE.len() + line.len() + 1..].to_vec()
    };
    let is = read_metadata(&line).remove("is");
    if is.is_some_and(|is| is != hash(&rest)) {
        return None;
    }
    Some((Mark::read(&line)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Compression, encode};
    use crate::{ChangeKind, FileKind};

    #[test]
    fn the_mark_comes_off_without_a_trace() {
        let picture = encode(&image::RgbaImage::new(3, 3), Compression::Small).unwrap();
        let title = "TextView#a: text \"é\" → \"ü x\"".to_owned();
        for bytes in [picture.as_slice(), b"# schema=1\nid\n", b""] {
            for (by, cause) in [
                (BTreeSet::new(), None),
                (
                    BTreeSet::from(["a".to_owned(), "b-1".to_owned()]),
                    Some(Cause::new(ChangeKind::Text, std::slice::from_ref(&title))),
                ),
            ] {
                let given = Mark {
                    against: "0123456789abcdef".to_owned(),
                    parts: by
                        .iter()
                        .map(|class: &String| {
                            let part = |kind| (kind, "0123456789abcdef".to_owned());
                            let parts = [FileKind::Shared, FileKind::Rows].map(part);
                            (class.clone(), parts.into())
                        })
                        .collect(),
                    by,
                    cause,
                    masked: None,
                };
                let marked = mark(bytes, &given);
                assert_ne!(marked, bytes);
                assert_eq!(read(&marked), Some(given.clone()));
                assert_eq!(unmark(&marked), Some((given, bytes.to_vec())));
                assert_eq!(unmark(bytes), None);
                assert_eq!(read(bytes), None);
            }
        }
    }

    #[test]
    fn a_mark_of_before_still_reads() {
        let (mark, bytes) = unmark(b"#pending against=none by=lab\nid\n").unwrap();
        assert_eq!(bytes, b"id\n");
        assert_eq!((mark.against.as_str(), mark.cause), ("none", None));
        let (mark, _) = unmark(b"#pending against=none cause=x!\n").unwrap();
        assert_eq!(mark.cause, None);
    }

    #[test]
    fn a_cause_from_elsewhere_cannot_write_on_the_terminal() {
        let hostile = "a\u{1b}[2Jb\n\u{9b}c".to_owned();
        let cause = Cause {
            title: hostile.clone(),
            changes: vec![hostile],
            ..Cause::new(ChangeKind::Text, &[])
        };
        let given = Mark {
            against: "none".to_owned(),
            by: BTreeSet::new(),
            parts: PartsOfClasses::new(),
            cause: Some(cause),
            masked: None,
        };
        let (read, _) = unmark(&mark(b"id\n", &given)).unwrap();
        let cause = read.cause.unwrap();
        assert_eq!(
            (cause.title.as_str(), cause.changes),
            ("a[2Jbc", vec!["a[2Jbc".to_owned()])
        );
    }

    #[test]
    fn a_mark_says_what_lay_under_masks() {
        let area = |left| Rect::new(left, -5, 30, 40);
        for (areas, is_told) in [
            (vec![], true),
            (vec![area(10), area(20)], true),
            (vec![area(0); MAX_MASKED_AREAS + 1], false),
        ] {
            let masked = MaskedArea {
                frame: (1080, 2400),
                areas,
            };
            let given = Mark {
                against: "none".to_owned(),
                by: BTreeSet::new(),
                parts: PartsOfClasses::new(),
                cause: None,
                masked: Some(masked.clone()),
            };
            let (read, _) = unmark(&mark(b"id\n", &given)).unwrap();
            assert_eq!(read.masked, Some(masked).filter(|_| is_told));
        }
        for odd in ["", "1x", "99999x1", "1x1;", "1x1;a", "1x1;1,2,3"] {
            assert_eq!(MaskedArea::read(odd), None, "{odd}");
        }
    }

    #[test]
    fn bytes_that_were_edited_have_no_mark() {
        let given = Mark {
            against: "none".to_owned(),
            by: BTreeSet::new(),
            parts: PartsOfClasses::new(),
            cause: None,
            masked: None,
        };
        let mut marked = mark(b"id\nn1\n", &given);
        marked.push(b'x');
        assert_eq!(unmark(&marked), None);
    }
}
