//! Writes classes as a jar.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::error::DexError;
use crate::translation::Translation;

impl Translation {
    /// Writes all classes as a jar. It is not compressed: a JVM reads it once, and sooner so. Another file of that name is
    /// replaced when the new one is whole.
    pub fn write_jar(&self, path: &Path) -> Result<(), DexError> {
        let unfinished = path.with_added_extension("partial");
        let written = self
            .write(&unfinished)
            .and_then(|()| std::fs::rename(&unfinished, path));
        written.map_err(|source| {
            // The error that is told is the first one.
            let _ = std::fs::remove_file(&unfinished);
            DexError::Io {
                path: path.to_owned(),
                source,
            }
        })
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut jar = ZipWriter::new(BufWriter::new(File::create(path)?));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for class in &self.classes {
            jar.start_file(format!("{}.class", class.name), options)?;
            jar.write_all(&class.bytes)?;
        }
        jar.finish()?.flush()
    }
}
