//! Translates all classes of an APK, on several threads.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crate::analyse::Fuel;
use crate::apk::{DexFile, dex_files};
use crate::class_table::{ClassId, ClassTable};
use crate::error::{DexError, Flaw, Partial};
use crate::hierarchy::Hierarchy;
use crate::limits::{MAX_OUTPUT_BYTES, MAX_STEPS_PER_BYTE, MIN_STEPS};
use crate::read::Dex;
use crate::report::{Report, TranslationFailure};
use crate::translate::{Class, ClassTranslation, Constructors, Nesting, translate_class};

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Number of threads, limited to 1 to 64. `None` means one for each processor.
    pub threads: Option<usize>,
}

#[derive(Debug, Clone)]
pub struct TranslatedClass {
    /// The name of the class, as `a/b/C`.
    pub name: String,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
pub struct Translation {
    /// Classes in the order of the APK.
    pub classes: Vec<TranslatedClass>,
    pub report: Report,
}

/// Translates the classes of an APK or of a dex file. `hierarchy` is the library that the app runs against:
/// the jar of Android's framework and the JDK.
///
/// # Errors
/// Fails if the file cannot be read, is no APK or dex file, is damaged or is too large. A class that cannot be
/// translated is left out, and such a method throws; the report names both.
pub fn translate(
    apk: &Path,
    hierarchy: &Hierarchy,
    options: &Options,
) -> Result<Translation, DexError> {
    let bytes = std::fs::read(apk).map_err(|source| DexError::Io {
        path: apk.to_owned(),
        source,
    })?;
    translate_bytes(&apk.display().to_string(), bytes, hierarchy, options)
}

/// Translates the bytes of an APK or a dex file, like [`translate`]. The name is for errors.
pub fn translate_bytes(
    name: &str,
    bytes: Vec<u8>,
    hierarchy: &Hierarchy,
    options: &Options,
) -> Result<Translation, DexError> {
    let start = Instant::now();
    let files = dex_files(name, bytes)?;
    let mut dexes = Vec::new();
    for DexFile { name, bytes } in &files {
        dexes.extend(Dex::all(name, bytes)?);
    }
    let library = hierarchy.resolve(named(&dexes).into_iter())?;
    let class_table = ClassTable::new(&dexes, &library);
    let nesting = Nesting::new(&dexes, &class_table);
    let size: usize = files.iter().map(|file| file.bytes.len()).sum();
    let job = Job {
        dexes: &dexes,
        class_table: &class_table,
        nesting: &nesting,
        fuel: Fuel::new(MIN_STEPS + size as u64 * MAX_STEPS_PER_BYTE),
        room: AtomicUsize::new(MAX_OUTPUT_BYTES as usize),
    };
    let mut translation = job.all(options.threads.unwrap_or_else(processors))?;
    let missing = class_table
        .unknown()
        .map(|name| String::from_utf8_lossy(name).into_owned());
    translation.report.missing_classes = missing.collect();
    translation.report.elapsed = start.elapsed();
    Ok(translation)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the names of the classes that dex files name and none of them defines, sorted. An array counts as
/// the class of its elements.
fn named<'a>(dexes: &[Dex<'a>]) -> std::collections::BTreeSet<&'a [u8]> {
    let mut names = std::collections::BTreeSet::new();
    for dex in dexes {
        for kind in 0..dex.type_count() {
            let descriptor = dex.type_name(kind).unwrap_or_default();
            let dimensions = descriptor.iter().take_while(|byte| **byte == b'[').count();
            if let [b'L', name @ .., b';'] = &descriptor[dimensions..] {
                names.insert(name);
            }
        }
    }
    for dex in dexes {
        for class in &dex.classes {
            names.remove(dex.class_name(class.class).unwrap_or_default());
        }
    }
    names
}

/// State that the threads share.
struct Job<'w, 'a> {
    dexes: &'w [Dex<'a>],
    class_table: &'w ClassTable<'a>,
    nesting: &'w Nesting<'a>,
    fuel: Fuel,
    /// Bytes that may still be written.
    room: AtomicUsize,
}

/// A class to be translated: number of its dex file, index there, and its id.
type Task = (u32, u32, ClassId);

impl Job<'_, '_> {
    /// Translates all classes, then those again of which others need a constructor or an interface; both results count
    /// against the limit of the output. Fails only beyond that limit.
    fn all(&self, threads: usize) -> Result<Translation, DexError> {
        let tasks = self.tasks();
        let mut needs = Constructors::default();
        let mut done = self.run(&tasks, threads, &needs);
        for part in done.values_mut().flatten() {
            needs.merge(std::mem::take(&mut part.needs));
        }
        // What the code of others needs of a class is known only now.
        let again: Vec<Task> = tasks
            .iter()
            .filter(|(_, _, class)| {
                needs.skipping.contains_key(class) || needs.interfaces.contains_key(class)
            })
            .copied()
            .collect();
        done.extend(self.run(&again, threads, &needs));
        if self.room.load(Ordering::Relaxed) == 0 {
            return Err(DexError::TooLarge {
                what: "the size of all classes".to_owned(),
                limit: MAX_OUTPUT_BYTES,
            });
        }
        let mut report = Report {
            added_casts: needs.casts,
            added_constructors: needs
                .skipping
                .values()
                .map(std::collections::BTreeSet::len)
                .sum(),
            ..Report::default()
        };
        let mut classes = Vec::new();
        for (_, _, class) in &tasks {
            let name = String::from_utf8_lossy(self.class_table.name(*class)).into_owned();
            match done.remove(class) {
                Some(Ok(part)) => {
                    report.methods += part.methods;
                    let failed = part.failed.into_iter();
                    report
                        .failed_methods
                        .extend(failed.map(|(name, reason)| TranslationFailure { name, reason }));
                    classes.push(TranslatedClass {
                        name,
                        bytes: part.bytes,
                    });
                }
                Some(Err(Flaw(reason))) => report.failed_classes.push(TranslationFailure {
                    name,
                    reason: reason.into_owned(),
                }),
                None => {}
            }
        }
        report.classes = classes.len();
        Ok(Translation { classes, report })
    }

    /// Returns all classes, in the order of the dex files. A class that is defined several times counts where
    /// it is defined first.
    fn tasks(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (number, dex) in self.dexes.iter().enumerate() {
            for (place, def) in dex.classes.iter().enumerate() {
                let (number, place) = (number as u32, place as u32);
                let id = self.class_table.type_of(number, def.class).base;
                if self.class_table.defined(id) == Some((number, place)) {
                    tasks.push((number, place, id));
                }
            }
        }
        tasks
    }

    /// Translates classes on `threads` threads, but 1 to 64, and waits for all. A class that fails has its reason in
    /// the result, and stops no other.
    fn run(
        &self,
        tasks: &[Task],
        threads: usize,
        needs: &Constructors,
    ) -> BTreeMap<ClassId, Partial<ClassTranslation>> {
        let next = AtomicUsize::new(0);
        let all = Mutex::new(BTreeMap::new());
        thread::scope(|scope| {
            for _ in 0..threads.clamp(1, 64) {
                scope.spawn(|| {
                    let mut own = Vec::new();
                    while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                        own.push((task.2, self.one(*task, needs)));
                    }
                    all.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .extend(own);
                });
            }
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Translates a class, and takes its size from the room for all classes. Fails also if no room is left after it.
    fn one(&self, (number, place, id): Task, needs: &Constructors) -> Partial<ClassTranslation> {
        let dex = &self.dexes[number as usize];
        let translated = translate_class(&Class {
            class_table: self.class_table,
            nesting: self.nesting,
            dex,
            number,
            def: &dex.classes[place as usize],
            id,
            fuel: &self.fuel,
            skipping: needs.skipping.get(&id),
            interfaces: needs.interfaces.get(&id),
        })?;
        let size = translated.bytes.len();
        let room = self
            .room
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| {
                Some(room.saturating_sub(size))
            });
        if room.is_ok_and(|room| room <= size) {
            return Err(Flaw::new("there is no room for it"));
        }
        Ok(translated)
    }
}
