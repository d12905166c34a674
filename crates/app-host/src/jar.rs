//! Writes jars: deterministic, and under a temporary name until they are complete.

use std::fs::File;
use std::io::{Read, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::temporary_in;
use runner_text::input_file::{MAX_SENT, open_regular};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Limit for files of a packed folder. Chosen: more than any build produces.
const MAX_FILES: usize = 500_000;

/// Lists the files below `folder`, relative to it, sorted by name within each folder. Links are not followed
/// and not listed.
///
/// # Errors
///
/// Errors of the file system, more than 500,000 files, or a name that is not UTF-8.
pub(crate) fn files_below(folder: &Utf8Path) -> std::io::Result<Vec<Utf8PathBuf>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        if files.len() >= MAX_FILES {
            let why = format!("{folder} holds more than {MAX_FILES} files");
            return Err(std::io::Error::other(why));
        }
        let path = entry
            .path()
            .strip_prefix(folder)
            .map_err(std::io::Error::other)?;
        let path = Utf8Path::from_path(path)
            .ok_or_else(|| std::io::Error::other(format!("{} is no text", path.display())))?;
        files.push(path.to_owned());
    }
    Ok(files)
}

/// Opens a regular file of an app for reading.
///
/// # Errors
///
/// The file is missing, too large, or something else than a file, which the error names.
pub(crate) fn open(path: &Utf8Path) -> std::io::Result<File> {
    Ok(open_regular(path, MAX_SENT)?)
}

/// Packs the files below `folder` into the jar `path`, as `write` does, with `/` as separator. Links are left out.
///
/// # Errors
///
/// Errors of the file system, or more than 500,000 files.
pub(crate) fn pack(folder: &Utf8Path, path: &Utf8Path) -> std::io::Result<()> {
    let files = files_below(folder)?.into_iter().map(|file| {
        let open = open(&folder.join(&file))?;
        Ok((file.as_str().replace('\\', "/"), open))
    });
    write(path, files)
}

/// Writes named files into the jar `path`, uncompressed and without times. Creates its folder and replaces an
/// existing file only when all are written.
///
/// # Errors
///
/// Errors of the file system or of an item.
pub(crate) fn write<R: Read>(
    path: &Utf8Path,
    files: impl Iterator<Item = std::io::Result<(String, R)>>,
) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs_err::create_dir_all(folder)?;
    let mut staged = temporary_in(folder)?;
    // Uncompressed, as classes are read again and again; without times, so that the bytes are reproducible.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut jar = ZipWriter::new(&mut staged);
    for file in files {
        let (name, mut contents) = file?;
        jar.start_file(name, options)?;
        std::io::copy(&mut contents, &mut jar)?;
    }
    jar.finish()?;
    staged.flush()?;
    staged.persist(path).map_err(|error| error.error)?;
    Ok(())
}
