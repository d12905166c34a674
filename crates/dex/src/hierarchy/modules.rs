//! Reader of a JDK's module image (`lib/modules`), which has the classes of `java.base`.
//!
//! After a header come tables of locations, strings, and then the files themselves, which a JDK does not
//! compress.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::DexError;
use crate::limits::{MAX_CLASS_BYTES, MAX_MODULE_INDEX_BYTES};

/// Magic number and size of the header, in the JDK's format of image files.
const MAGIC: u32 = 0xcafe_dada;
const HEADER_BYTES: usize = 28;
/// Attributes of a location, by their numbers in the format.
const PARENT: usize = 2;
const BASE: usize = 3;
const EXTENSION: usize = 4;
const OFFSET: usize = 5;
const COMPRESSED: usize = 6;
const SIZE: usize = 7;

/// The classes of a JDK by name.
#[derive(Debug)]
pub(super) struct Modules {
    path: PathBuf,
    file: File,
    classes: HashMap<Vec<u8>, (u64, u64)>,
}

impl Modules {
    /// Opens a `modules` file of a JDK and reads its tables. Only class files that are not compressed count.
    ///
    /// # Errors
    /// Returns [`DexError::Modules`] for a file of another format or byte order, too large tables, or no usable class,
    /// and [`DexError::Io`] if it cannot be read.
    pub(super) fn open(path: &Path) -> Result<Self, DexError> {
        let io = |source| DexError::Io {
            path: path.to_owned(),
            source,
        };
        let wrong = |what: &str| DexError::Modules {
            path: path.to_owned(),
            what: what.to_owned(),
        };
        let mut file = File::open(path).map_err(io)?;
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header).map_err(io)?;
        let words = header.as_chunks::<4>().0;
        let word = |place: usize| u64::from(u32::from_le_bytes(words[place]));
        if word(0) != u64::from(MAGIC) {
            return Err(wrong("it begins with other bytes"));
        }
        let (entries, places, texts) = (word(4), word(5), word(6));
        let size = entries * 8 + places + texts;
        if size > MAX_MODULE_INDEX_BYTES {
            return Err(wrong("its tables are too large"));
        }
        let mut tables = vec![0; size as usize];
        file.read_exact(&mut tables).map_err(io)?;
        let first = HEADER_BYTES as u64 + size;
        let (offsets, rest) = tables[entries as usize * 4..].split_at(entries as usize * 4);
        let (places, texts) = rest.split_at(places as usize);
        let mut classes = HashMap::new();
        for offset in offsets.as_chunks::<4>().0 {
            let place = places.get(u32::from_le_bytes(*offset) as usize..);
            let class = place.and_then(|place| class(place, texts));
            classes.extend(class.map(|(name, (at, size))| (name, (first + at, size))));
        }
        if classes.is_empty() {
            return Err(wrong("it holds no classes that are not compressed"));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            classes,
        })
    }

    /// Returns the class file of a name such as `java/lang/Object`; `None` if there is none. A file of more
    /// than [`MAX_CLASS_BYTES`] is cut there.
    pub(super) fn read(&mut self, name: &[u8]) -> Result<Option<Vec<u8>>, DexError> {
        let Some((at, size)) = self.classes.get(name) else {
            return Ok(None);
        };
        let mut bytes = vec![0; (*size).min(MAX_CLASS_BYTES) as usize];
        let sought = self.file.seek(SeekFrom::Start(*at));
        let read = sought.and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|source| DexError::Io {
            path: self.path.clone(),
            source,
        })?;
        Ok(Some(bytes))
    }
}

/// Parses an entry into the name of a class, without its module, with offset and length of its file. Returns `None` for
/// other files, for compressed ones, and for a malformed entry.
fn class(mut place: &[u8], texts: &[u8]) -> Option<(Vec<u8>, (u64, u64))> {
    let mut attributes = [0_u64; 8];
    loop {
        let (header, rest) = place.split_first()?;
        let (kind, length) = (usize::from(header >> 3), usize::from(header & 7) + 1);
        if kind == 0 {
            break;
        }
        let (value, rest) = rest.split_at_checked(length)?;
        let number = value
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        *attributes.get_mut(kind)? = number;
        place = rest;
    }
    let text = |attribute: usize| {
        let rest = texts.get(attributes[attribute] as usize..)?;
        rest.split(|byte| *byte == 0).next()
    };
    if attributes[COMPRESSED] != 0 || text(EXTENSION)? != b"class" {
        return None;
    }
    let name = [text(PARENT)?, b"/", text(BASE)?].concat();
    Some((name, (attributes[OFFSET], attributes[SIZE])))
}
