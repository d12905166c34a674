//! Texts in an APK's resource table (`resources.arsc`), such as an app's label.
//!
//! The format is that of Android's `ResourceTypes.h`. A resource id is `0xPPTTEEEE`: package, type, entry. A
//! type has a chunk for each configuration, such as a language. The text of the default configuration is
//! taken, which a phone shows if the app lacks its language.

use super::axml::{AxmlError, Chunk, NONE, Strings, TYPE_REFERENCE, TYPE_STRING, u16_at, u32_at};

/// Types of chunks.
const TABLE: u16 = 0x0002;
const STRING_POOL: u16 = 0x0001;
const PACKAGE: u16 = 0x0200;
const TYPE: u16 = 0x0201;

/// Flag of a type: offsets are pairs of 16 bits, entry and offset.
const SPARSE: u8 = 0x01;
/// Flag of a type: offsets have 16 bits.
const OFFSET_16: u8 = 0x02;
/// Flag of an entry: it has several values.
const COMPLEX: u16 = 0x0001;
/// Flag of an entry: it is its value, in eight bytes.
const COMPACT: u16 = 0x0008;
/// Most ids that are followed to a text. Chosen: real texts take one or two more, and a cycle must end.
const MAX_REFERENCES: usize = 8;

/// Returns the text with this id in the default configuration, and follows references to other ids. A text of another
/// language stands in if there is no default. Returns `None` if it is missing or no text, the table is damaged, or none
/// of [`MAX_REFERENCES`] ids in a row is a text.
pub(super) fn text(table: &[u8], id: u32) -> Option<String> {
    let mut id = id;
    for _ in 0..MAX_REFERENCES {
        match find(table, id).ok()?? {
            ResourceValue::Text(text) => return Some(text),
            ResourceValue::Reference(other) => id = other,
        }
    }
    None
}

enum ResourceValue {
    Text(String),
    Reference(u32),
}

/// Finds the value of an id: a text, or a reference to another id. Returns `None` for a missing id, `@null` and other
/// types. Fails if the table is damaged.
fn find(table: &[u8], id: u32) -> Result<Option<ResourceValue>, AxmlError> {
    let table = Chunk::read(table)?;
    if table.kind != TABLE {
        return Err(AxmlError);
    }
    let mut strings = None;
    let mut value = None;
    for chunk in chunks(table.body()?) {
        let chunk = chunk?;
        match chunk.kind {
            STRING_POOL if strings.is_none() => strings = Some(Strings::read(&chunk)?),
            PACKAGE if u32_at(chunk.bytes, 8)? == id >> 24 => value = in_package(&chunk, id)?,
            _ => {}
        }
    }
    let (Some(strings), Some((kind, data))) = (strings, value) else {
        return Ok(None);
    };
    Ok(match kind {
        TYPE_STRING if data != NONE => Some(ResourceValue::Text(strings.get(data)?)),
        TYPE_REFERENCE if data != 0 => Some(ResourceValue::Reference(data)),
        _ => None,
    })
}

/// Iterates over the chunks in `bytes`. A damaged chunk is the last item, as an error.
fn chunks(mut bytes: &[u8]) -> impl Iterator<Item = Result<Chunk<'_>, AxmlError>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let chunk = Chunk::read(bytes);
        bytes = match &chunk {
            Ok(chunk) => bytes.get(chunk.bytes.len()..).unwrap_or_default(),
            Err(_) => &[],
        };
        Some(chunk)
    })
}

/// Returns the type and the data of a value: of the default configuration, else of the first that has it.
/// Returns `None` if no configuration has it.
fn in_package(package: &Chunk<'_>, id: u32) -> Result<Option<(u8, u32)>, AxmlError> {
    let mut first = None;
    for chunk in chunks(package.body()?) {
        let chunk = chunk?;
        if chunk.kind != TYPE || u32::from(byte_at(&chunk, 8)?) != (id >> 16) & 0xff {
            continue;
        }
        let Some(value) = in_type(&chunk, id & 0xffff)? else {
            continue;
        };
        if is_plain(&chunk)? {
            return Ok(Some(value));
        }
        first.get_or_insert(value);
    }
    Ok(first)
}

fn byte_at(chunk: &Chunk<'_>, at: usize) -> Result<u8, AxmlError> {
    chunk.bytes.get(at).copied().ok_or(AxmlError)
}

/// Returns true for a type's chunk of the default configuration: all bytes after its size are zero.
fn is_plain(chunk: &Chunk<'_>) -> Result<bool, AxmlError> {
    let size = u32_at(chunk.bytes, 20)? as usize;
    let end = size.checked_add(20).ok_or(AxmlError)?;
    let config = chunk.bytes.get(24..end).ok_or(AxmlError)?;
    Ok(config.iter().all(|byte| *byte == 0))
}

/// Finds the value of an entry in a type's chunk, with plain, short or sparse offsets. Returns `None` if the entry
/// is not in it, or is a map.
fn in_type(chunk: &Chunk<'_>, entry: u32) -> Result<Option<(u8, u32)>, AxmlError> {
    let flags = byte_at(chunk, 9)?;
    let count = u32_at(chunk.bytes, 12)?;
    let start = u32_at(chunk.bytes, 16)? as usize;
    let offsets = chunk.body()?;
    let place = if flags & SPARSE != 0 {
        let pairs = offsets.chunks_exact(4).take(count as usize);
        pairs
            .map(|pair| {
                let number = u16::from_le_bytes([pair[0], pair[1]]);
                (number, u16::from_le_bytes([pair[2], pair[3]]))
            })
            .find(|(number, _)| u32::from(*number) == entry)
            .map(|(_, offset)| usize::from(offset) * 4)
    } else if entry >= count {
        None
    } else if flags & OFFSET_16 != 0 {
        let offset = u16_at(offsets, entry as usize * 2)?;
        (offset != u16::MAX).then_some(usize::from(offset) * 4)
    } else {
        let offset = u32_at(offsets, entry as usize * 4)?;
        (offset != NONE).then_some(offset as usize)
    };
    let Some(place) = place else { return Ok(None) };
    let at = start.checked_add(place).ok_or(AxmlError)?;
    let bytes = chunk.bytes.get(at..).ok_or(AxmlError)?;
    value(bytes)
}

/// Returns type and data of an entry, or `None` for one with several values.
fn value(entry: &[u8]) -> Result<Option<(u8, u32)>, AxmlError> {
    let size = usize::from(u16_at(entry, 0)?);
    let flags = u16_at(entry, 2)?;
    if flags & COMPACT != 0 {
        return Ok(Some(((flags >> 8) as u8, u32_at(entry, 4)?)));
    }
    if flags & COMPLEX != 0 {
        return Ok(None);
    }
    let value = entry.get(size..).ok_or(AxmlError)?;
    let kind = value.get(3).copied().ok_or(AxmlError)?;
    Ok(Some((kind, u32_at(value, 4)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: u16, header: &[u8], body: &[u8]) -> Vec<u8> {
        let length = (8 + header.len() + body.len()) as u32;
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend((8 + header.len() as u16).to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(header);
        bytes.extend(body);
        bytes
    }

    fn pool(texts: &[&str]) -> Vec<u8> {
        let mut offsets = Vec::new();
        let mut data = Vec::new();
        for text in texts {
            offsets.extend((data.len() as u32).to_le_bytes());
            data.extend([text.chars().count() as u8, text.len() as u8]);
            data.extend(text.as_bytes());
            data.push(0);
        }
        let mut header = Vec::new();
        let start = 28 + offsets.len() as u32;
        for word in [texts.len() as u32, 0, 0x100, start, 0] {
            header.extend(word.to_le_bytes());
        }
        chunk(STRING_POOL, &header, &[offsets, data].concat())
    }

    /// Makes a chunk of type 1 with these values, for a language if `language` is not 0.
    fn type_chunk(flags: u8, language: u8, values: &[Option<(u8, u32)>]) -> Vec<u8> {
        let mut offsets = Vec::new();
        let mut data = Vec::new();
        for (number, value) in values.iter().enumerate() {
            let place = value.map(|_| data.len());
            match (flags, place) {
                (SPARSE, Some(place)) => {
                    offsets.extend((number as u16).to_le_bytes());
                    offsets.extend((place as u16 / 4).to_le_bytes());
                }
                (SPARSE, None) => {}
                (OFFSET_16, place) => {
                    let place = place.map_or(u16::MAX, |place| place as u16 / 4);
                    offsets.extend(place.to_le_bytes());
                }
                (_, place) => {
                    let place = place.map_or(NONE, |place| place as u32);
                    offsets.extend(place.to_le_bytes());
                }
            }
            if let Some((kind, word)) = value {
                data.extend([8, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, *kind]);
                data.extend(word.to_le_bytes());
            }
        }
        offsets.resize(offsets.len().next_multiple_of(4), 0);
        let count = if flags == SPARSE {
            values.iter().flatten().count()
        } else {
            values.len()
        };
        let mut config = vec![0; 28];
        config[0] = 28;
        config[8] = language;
        let mut header = vec![1, flags, 0, 0];
        header.extend((count as u32).to_le_bytes());
        header.extend((20 + 28 + offsets.len() as u32).to_le_bytes());
        header.extend(config);
        chunk(TYPE, &header, &[offsets, data].concat())
    }

    fn table(types: &[Vec<u8>]) -> Vec<u8> {
        let package = chunk(PACKAGE, &0x7f_u32.to_le_bytes(), &types.concat());
        let pool = pool(&["Laden", "Shop", "Bücher 漢"]);
        chunk(TABLE, &1_u32.to_le_bytes(), &[pool, package].concat())
    }

    #[test]
    fn the_text_without_a_language_is_found_however_it_is_written() {
        let german = [Some((TYPE_STRING, 0)), None, None];
        let plain = [
            Some((TYPE_STRING, 1)),
            Some((TYPE_REFERENCE, 0x7f01_0002)),
            Some((TYPE_STRING, 2)),
        ];
        for flags in [0, SPARSE, OFFSET_16] {
            let table = table(&[
                type_chunk(flags, b'd', &german),
                type_chunk(flags, 0, &plain),
            ]);
            for (id, expected) in [
                (0x7f01_0000, Some("Shop")),
                (0x7f01_0001, Some("Bücher 漢")),
                (0x7f01_0003, None),
                (0x7f02_0000, None),
                (0x0101_0000, None),
            ] {
                assert_eq!(text(&table, id).as_deref(), expected, "{flags} {id:x}");
            }
        }
        let only = table(&[type_chunk(0, b'd', &german)]);
        assert_eq!(text(&only, 0x7f01_0000).as_deref(), Some("Laden"));
    }

    #[test]
    fn a_text_that_names_itself_is_none() {
        let table = table(&[type_chunk(0, 0, &[Some((TYPE_REFERENCE, 0x7f01_0000))])]);
        assert_eq!(text(&table, 0x7f01_0000), None);
    }

    #[test]
    fn damage_anywhere_is_no_text_and_nothing_worse() {
        let whole = table(&[type_chunk(SPARSE, 0, &[Some((TYPE_STRING, 1))])]);
        for at in 0..whole.len() {
            let _ = text(&whole[..at], 0x7f01_0000);
            for byte in [0, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                let _ = text(&damaged, 0x7f01_0000);
            }
        }
    }
}
