//! Writer of jars.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::error::DexError;
use crate::translation::Translation;

impl Translation {
    /// Writes all classes as a jar. It is not compressed, since a JVM reads it once, and faster so. The jar
    /// is written beside it, with the extension `.partial` added, and then renamed, so an existing file is
    /// replaced only once the new one is complete.
    ///
    /// # Errors
    /// Returns [`DexError::Io`] if it cannot be written; the partial file is removed.
    pub fn write_jar(&self, path: &Path) -> Result<(), DexError> {
        let unfinished = path.with_added_extension("partial");
        let written = self
            .write(&unfinished)
            .and_then(|()| std::fs::rename(&unfinished, path));
        written.map_err(|source| {
            // The first error is the one to report.
            let _ = std::fs::remove_file(&unfinished);
            DexError::Io {
                path: path.to_owned(),
                source,
            }
        })
    }

    /// Writes the jar at `path` itself, with the classes in their order.
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
