//! Parser of binary XML, the form of `AndroidManifest.xml` in an APK. Only elements and their attributes are
//! read.
//!
//! The format is that of Android's `ResourceTypes.h`. All numbers are little-endian. A chunk begins with its
//! type, the length of its header and its whole length. All lengths are checked, since the file is not
//! trusted. Strings are decoded only when they are needed.

/// Error of a file that is not binary XML, is cut off, or exceeds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Corrupt XML binary file")]
pub(super) struct AxmlError;

type Result<T> = std::result::Result<T, AxmlError>;

/// Types of chunks, and below of values.
const XML: u16 = 0x0003;
const STRING_POOL: u16 = 0x0001;
const RESOURCE_MAP: u16 = 0x0180;
const START_ELEMENT: u16 = 0x0102;
const END_ELEMENT: u16 = 0x0103;

/// Flag of a string pool in UTF-8. Without it, strings are UTF-16.
const UTF8_FLAG: u32 = 0x100;
/// Index that stands for no string or no namespace.
pub(super) const NONE: u32 = 0xffff_ffff;
/// Bytes of one attribute.
const ATTRIBUTE_LEN: usize = 20;

pub(super) const TYPE_STRING: u8 = 0x03;
pub(super) const TYPE_REFERENCE: u8 = 0x01;
const TYPE_INT_FIRST: u8 = 0x10;
const TYPE_INT_LAST: u8 = 0x1f;

/// Chosen: manifests of large apps have a few thousand elements. Without a limit, a small file could name its
/// elements without end.
const MAX_ELEMENTS: usize = 50_000;
/// Chosen: a manifest nests fewer than ten elements.
const MAX_DEPTH: usize = 64;
/// Longest string that is decoded, in UTF-16 units; in UTF-8, four times as many bytes. Chosen: Android cuts labels at
/// 1000 (`PackageItemInfo.MAX_SAFE_LABEL_LENGTH`).
const MAX_STRING_CHARS: usize = 1024;

/// Calls `visit` with each element and its depth, in document order. The root has depth 0. Fails at the first error of
/// `visit`, at a damaged chunk, and beyond [`MAX_ELEMENTS`] or [`MAX_DEPTH`]. Elements before the failure were visited.
pub(super) fn visit<'a>(
    bytes: &'a [u8],
    mut visit: impl FnMut(usize, &Element<'a, '_>) -> Result<()>,
) -> Result<()> {
    let file = Chunk::read(bytes)?;
    if file.kind != XML {
        return Err(AxmlError);
    }
    let mut rest = file.body()?;
    let mut pool = None;
    let mut ids: &[u8] = &[];
    let mut depth = 0;
    let mut elements = 0;
    while !rest.is_empty() {
        let chunk = Chunk::read(rest)?;
        match chunk.kind {
            STRING_POOL => pool = Some(Strings::read(&chunk)?),
            RESOURCE_MAP => ids = chunk.body()?,
            START_ELEMENT => {
                elements += 1;
                if elements > MAX_ELEMENTS || depth >= MAX_DEPTH {
                    return Err(AxmlError);
                }
                let strings = pool.as_ref().ok_or(AxmlError)?;
                let element = Element::read(&chunk, strings, ids)?;
                visit(depth, &element)?;
                depth += 1;
            }
            END_ELEMENT => depth = depth.checked_sub(1).ok_or(AxmlError)?,
            _ => {}
        }
        rest = rest.get(chunk.bytes.len()..).ok_or(AxmlError)?;
    }
    Ok(())
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    let bytes = bytes.get(at..at.saturating_add(2)).ok_or(AxmlError)?;
    Ok(u16::from_le_bytes(bytes.try_into().map_err(|_| AxmlError)?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let bytes = bytes.get(at..at.saturating_add(4)).ok_or(AxmlError)?;
    Ok(u32::from_le_bytes(bytes.try_into().map_err(|_| AxmlError)?))
}

/// A chunk: the unit of Android's resource files.
pub(super) struct Chunk<'a> {
    pub(super) kind: u16,
    header: usize,
    /// All bytes of the chunk with its header.
    pub(super) bytes: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// Reads the chunk at the start of `bytes`, which may go on behind it. Fails if it is longer than they are.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let kind = u16_at(bytes, 0)?;
        let header = usize::from(u16_at(bytes, 2)?);
        let length = u32_at(bytes, 4)? as usize;
        if header < 8 || length < header {
            return Err(AxmlError);
        }
        let bytes = bytes.get(..length).ok_or(AxmlError)?;
        Ok(Self {
            kind,
            header,
            bytes,
        })
    }

    pub(super) fn body(&self) -> Result<&'a [u8]> {
        self.bytes.get(self.header..).ok_or(AxmlError)
    }
}

pub(super) struct Strings<'a> {
    offsets: &'a [u8],
    data: &'a [u8],
    utf8: bool,
}

impl<'a> Strings<'a> {
    /// Reads the table of a string pool. Strings are decoded and checked only by [`Self::get`].
    pub(super) fn read(chunk: &Chunk<'a>) -> Result<Self> {
        let count = u32_at(chunk.bytes, 8)? as usize;
        let flags = u32_at(chunk.bytes, 16)?;
        let start = u32_at(chunk.bytes, 20)? as usize;
        let offsets = chunk.body()?;
        let length = count.checked_mul(4).ok_or(AxmlError)?;
        Ok(Self {
            offsets: offsets.get(..length).ok_or(AxmlError)?,
            data: chunk.bytes.get(start..).ok_or(AxmlError)?,
            utf8: flags & UTF8_FLAG != 0,
        })
    }

    /// Decodes a string. Fails if the index or the text is out of range, or the text is longer than
    /// [`MAX_STRING_CHARS`] allows. Malformed text gets U+FFFD.
    pub(super) fn get(&self, index: u32) -> Result<String> {
        let at = (index as usize).checked_mul(4).ok_or(AxmlError)?;
        let offset = u32_at(self.offsets, at)? as usize;
        let data = self.data.get(offset..).ok_or(AxmlError)?;
        if self.utf8 {
            // The length in characters comes first, then that in bytes.
            let (_, head) = short_length(data)?;
            let data = data.get(head..).ok_or(AxmlError)?;
            let (length, head) = short_length(data)?;
            let end = head.checked_add(length).ok_or(AxmlError)?;
            let text = data.get(head..end).ok_or(AxmlError)?;
            if length > 4 * MAX_STRING_CHARS {
                return Err(AxmlError);
            }
            return Ok(String::from_utf8_lossy(text).into_owned());
        }
        let first = usize::from(u16_at(data, 0)?);
        let (length, head) = if first & 0x8000 == 0 {
            (first, 2)
        } else {
            (((first & 0x7fff) << 16) | usize::from(u16_at(data, 2)?), 4)
        };
        if length > MAX_STRING_CHARS {
            return Err(AxmlError);
        }
        let text = data.get(head..head + 2 * length).ok_or(AxmlError)?;
        let units: Vec<u16> = text
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        Ok(String::from_utf16_lossy(&units))
    }
}

/// Decodes a UTF-8 length: one byte, or two if the first has its highest bit set, the higher part first.
/// Returns the length and the number of bytes that encode it. Fails if `data` ends first.
fn short_length(data: &[u8]) -> Result<(usize, usize)> {
    let first = usize::from(*data.first().ok_or(AxmlError)?);
    if first & 0x80 == 0 {
        return Ok((first, 1));
    }
    let second = usize::from(*data.get(1).ok_or(AxmlError)?);
    Ok((((first & 0x7f) << 8) | second, 2))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// A whole number, or a boolean (any number but 0 is true).
    Number(u32),
    /// Id of an entry in the resource table.
    Reference(u32),
    /// A value of a type that no manifest attribute here needs.
    Other,
}

impl Value {
    /// Returns a text, or a number as decimal text. Returns `None` for references and other types.
    pub(super) fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            // A name or version that is written as a number.
            Self::Number(number) => Some(number.to_string()),
            Self::Reference(_) | Self::Other => None,
        }
    }

    /// Returns a number, also from a decimal text. Returns `None` for any other text, references and other types.
    pub(super) fn number(self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(number),
            Self::Text(text) => text.parse().ok(),
            Self::Reference(_) | Self::Other => None,
        }
    }
}

/// A start tag.
pub(super) struct Element<'a, 's> {
    strings: &'s Strings<'a>,
    ids: &'a [u8],
    name: u32,
    attributes: &'a [u8],
    attribute_len: usize,
}

impl<'a, 's> Element<'a, 's> {
    /// Reads the chunk of an element's start. Names and values are looked up only when they are asked for.
    fn read(chunk: &Chunk<'a>, strings: &'s Strings<'a>, ids: &'a [u8]) -> Result<Self> {
        let body = chunk.body()?;
        let name = u32_at(body, 4)?;
        let start = usize::from(u16_at(body, 8)?);
        let attribute_len = usize::from(u16_at(body, 10)?);
        let count = usize::from(u16_at(body, 12)?);
        if count > 0 && attribute_len < ATTRIBUTE_LEN {
            return Err(AxmlError);
        }
        let end = start + attribute_len * count;
        let attributes = body.get(start.min(body.len())..end).ok_or(AxmlError)?;
        Ok(Self {
            strings,
            ids,
            name,
            attributes,
            attribute_len: attribute_len.max(1),
        })
    }

    pub(super) fn name(&self) -> Result<String> {
        self.strings.get(self.name)
    }

    /// Returns the value of the first attribute with a resource id, or `None`. Attributes of Android are found by id,
    /// since build tools may drop or change their names.
    pub(super) fn android(&self, id: u32) -> Result<Option<Value>> {
        self.find(|element, name| {
            let at = (name as usize).checked_mul(4).ok_or(AxmlError)?;
            Ok(u32_at(element.ids, at).is_ok_and(|known| known == id))
        })
    }

    /// Returns the value of the first attribute with a name, or `None`. Namespaces are not checked.
    pub(super) fn plain_attribute(&self, wanted: &str) -> Result<Option<Value>> {
        self.find(|element, name| Ok(element.strings.get(name)? == wanted))
    }

    /// Returns the value of the first wanted attribute, or `None`. A text or reference to nothing is [`Value::Other`].
    fn find(&self, is_wanted: impl Fn(&Self, u32) -> Result<bool>) -> Result<Option<Value>> {
        for attribute in self.attributes.chunks_exact(self.attribute_len) {
            if !is_wanted(self, u32_at(attribute, 4)?)? {
                continue;
            }
            let kind = *attribute.get(15).ok_or(AxmlError)?;
            let data = u32_at(attribute, 16)?;
            return Ok(Some(match kind {
                TYPE_STRING if data != NONE => Value::Text(self.strings.get(data)?),
                TYPE_REFERENCE if data != 0 => Value::Reference(data),
                TYPE_INT_FIRST..=TYPE_INT_LAST => Value::Number(data),
                _ => Value::Other,
            }));
        }
        Ok(None)
    }
}
