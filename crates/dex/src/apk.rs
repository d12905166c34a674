//! Finds the dex files of an APK.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

use crate::error::DexError;
use crate::limits::{MAX_ALL_DEX_BYTES, MAX_DEX_BYTES, MAX_DEX_FILES};

/// A dex file with its name.
#[derive(Debug)]
pub(crate) struct DexFile {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the dex files of an APK in the order in which Android reads them (`classes.dex`, `classes2.dex`, … up to the
/// first that is missing), or a dex file itself. `name` is for errors.
///
/// # Errors
/// Returns [`DexError::NotAnApk`] for other bytes, [`DexError::Archive`] for a damaged archive, [`DexError::NoDex`] for
/// one without `classes.dex`, and [`DexError::TooLarge`] for too many or too large files.
pub(crate) fn dex_files(name: &str, bytes: Vec<u8>) -> Result<Vec<DexFile>, DexError> {
    if bytes.starts_with(b"dex\n") {
        let name = name.to_owned();
        return Ok(vec![DexFile { name, bytes }]);
    }
    if !bytes.starts_with(b"PK") {
        return Err(DexError::NotAnApk(name.to_owned()));
    }
    let damaged = |source| DexError::Archive {
        file: name.to_owned(),
        source,
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut files = Vec::new();
    let mut all = 0;
    for number in 1.. {
        let entry = match number {
            1 => "classes.dex".to_owned(),
            _ => format!("classes{number}.dex"),
        };
        let Some(index) = archive.index_for_name(&entry) else {
            break;
        };
        if files.len() == MAX_DEX_FILES {
            return Err(DexError::TooLarge {
                what: format!("the number of dex files in {name}"),
                limit: MAX_DEX_FILES as u64,
            });
        }
        let file = archive.by_index(index).map_err(damaged)?;
        // Sizes in an archive's headers may be wrong, so the unpacked bytes are counted.
        let mut bytes = Vec::new();
        let read = file.take(MAX_DEX_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|source| damaged(source.into()))?;
        all += bytes.len() as u64;
        let too_large = |what, limit| Err(DexError::TooLarge { what, limit });
        if bytes.len() as u64 > MAX_DEX_BYTES {
            return too_large(format!("{entry} in {name}"), MAX_DEX_BYTES);
        }
        if all > MAX_ALL_DEX_BYTES {
            return too_large(format!("all dex files in {name}"), MAX_ALL_DEX_BYTES);
        }
        files.push(DexFile { name: entry, bytes });
    }
    if files.is_empty() {
        return Err(DexError::NoDex(name.to_owned()));
    }
    Ok(files)
}
