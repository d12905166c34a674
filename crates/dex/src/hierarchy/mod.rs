//! Classes outside of the APK: their names and super classes, and which are interfaces.
//!
//! A class is read when an APK names it, so that opening a library only costs its list of names.

mod class_file;
mod modules;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zip::ZipArchive;

pub(crate) use class_file::LibraryClass;

use crate::error::DexError;
use crate::limits::MAX_CLASS_BYTES;
use modules::Modules;

/// The library that an app runs against: jars, and the modules of a JDK.
#[derive(Debug, Default)]
pub struct Hierarchy {
    class_path: Vec<Mutex<ClassPathEntry>>,
}

#[derive(Debug)]
enum ClassPathEntry {
    Jar {
        path: PathBuf,
        names: HashMap<Box<[u8]>, usize>,
        archive: ZipArchive<BufReader<File>>,
    },
    Modules(Modules),
}

impl Hierarchy {
    /// Returns a library without classes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the classes of a jar. Entries that were added earlier win, as on a class path. Only the names are
    /// read now; the jar stays open.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is no zip archive.
    pub fn add_jar(&mut self, path: &Path) -> Result<(), DexError> {
        let io = |source| DexError::Io {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(io)?;
        let archive =
            ZipArchive::new(BufReader::new(file)).map_err(|source| DexError::Archive {
                file: path.display().to_string(),
                source,
            })?;
        let names = (0..archive.len())
            .filter_map(|entry| {
                let name = archive.name_for_index(entry)?.ok()?;
                let name = name.strip_suffix(".class")?;
                Some((name.as_bytes().into(), entry))
            })
            .collect();
        self.class_path.push(Mutex::new(ClassPathEntry::Jar {
            path: path.to_owned(),
            names,
            archive,
        }));
        Ok(())
    }

    /// Adds the classes of a JDK, given its home folder, from its `lib/modules`. Entries that were added
    /// earlier win.
    ///
    /// # Errors
    /// Fails if that file is missing or has another format.
    pub fn add_jdk(&mut self, home: &Path) -> Result<(), DexError> {
        let modules = Modules::open(&home.join("lib/modules"))?;
        self.class_path
            .push(Mutex::new(ClassPathEntry::Modules(modules)));
        Ok(())
    }

    /// Returns those of the named classes that are in the library, with all their super classes, each once and in no
    /// certain order. `Object` and `Throwable` are always looked for. Interfaces of a class are not followed; names
    /// that the library lacks are left out, and so are class files that are malformed or have another name inside.
    ///
    /// # Errors
    /// Fails if an entry of the class path cannot be read.
    pub(crate) fn resolve<'n>(
        &self,
        names: impl Iterator<Item = &'n [u8]>,
    ) -> Result<Vec<LibraryClass>, DexError> {
        let mut waiting: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
        waiting.extend([
            b"java/lang/Object".to_vec(),
            b"java/lang/Throwable".to_vec(),
        ]);
        let mut known: HashSet<Vec<u8>> = HashSet::new();
        let mut found = Vec::new();
        while let Some(name) = waiting.pop() {
            if !known.insert(name.clone()) {
                continue;
            }
            if let Some(class) = self.class(&name)? {
                waiting.extend(class.super_class.clone());
                found.push(class);
            }
        }
        Ok(found)
    }

    /// Reads a class from the first entry of the class path that has its name. `None` if none has, or if that file is
    /// malformed or has another name inside; later entries are not asked then. Fails if an entry cannot be read.
    fn class(&self, name: &[u8]) -> Result<Option<LibraryClass>, DexError> {
        for entry in &self.class_path {
            let mut entry = entry.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(bytes) = entry.read(name)? {
                // An unreadable class file counts as missing, as it will for the JVM.
                return Ok(class_file::read(&bytes).filter(|class| class.name == name));
            }
        }
        Ok(None)
    }
}

impl ClassPathEntry {
    /// Returns the class file of a name, or `None`; fails if the entry cannot be read. A file of more than
    /// [`MAX_CLASS_BYTES`] is cut there.
    fn read(&mut self, name: &[u8]) -> Result<Option<Vec<u8>>, DexError> {
        let (path, names, archive) = match self {
            Self::Modules(modules) => return modules.read(name),
            Self::Jar {
                path,
                names,
                archive,
            } => (path, names, archive),
        };
        let Some(entry) = names.get(name) else {
            return Ok(None);
        };
        let damaged = |source| DexError::Archive {
            file: path.display().to_string(),
            source,
        };
        let entry = archive.by_index(*entry).map_err(damaged)?;
        let mut bytes = Vec::new();
        let read = entry.take(MAX_CLASS_BYTES).read_to_end(&mut bytes);
        read.map_err(|source| DexError::Io {
            path: path.clone(),
            source,
        })?;
        Ok(Some(bytes))
    }
}
