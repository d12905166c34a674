//! Limits for a file. Each is far above what real apps have, and bounds memory or time.

/// Most dex files of an APK. Chosen: large apps have about thirty.
pub(crate) const MAX_DEX_FILES: usize = 100;
/// Most bytes of one uncompressed dex file. Chosen: 65,536 methods fill about ten megabytes.
pub(crate) const MAX_DEX_BYTES: u64 = 128 << 20;
/// Most bytes of all dex files together. Chosen: large apps have about thirty of about ten megabytes.
pub(crate) const MAX_ALL_DEX_BYTES: u64 = 512 << 20;
/// Most bytes of the class files. Chosen: they are two or three times as large as their dex files.
pub(crate) const MAX_OUTPUT_BYTES: u64 = 2 << 30;
/// Most bytes of all strings of a dex file, as a multiple of its size. Chosen: strings may overlap, and
/// without a limit a small file could name gigabytes.
pub(crate) const MAX_STRING_REUSE: usize = 4;
/// Most code units of a method. Chosen: a longer one does not fit into the 65,535 bytes of a JVM method.
pub(crate) const MAX_METHOD_UNITS: usize = 1 << 17;
/// Most registers times blocks of a method. Chosen: each such cell takes 16 bytes, so the analysis takes at
/// most 64 megabytes.
pub(crate) const MAX_ANALYSIS_CELLS: usize = 1 << 22;
/// Most values, lines and list entries that are read for each byte of a dex file. Chosen: several places may
/// share a list, but a small file must not grow without end.
pub(crate) const MAX_READS_PER_BYTE: usize = 64;
/// Steps of analysis for each byte of dex. Chosen: real apps need fewer than ten.
pub(crate) const MAX_STEPS_PER_BYTE: u64 = 400;
/// Steps of analysis that any file may take, however small. Chosen: a small method may need more steps for
/// each byte than a large one.
pub(crate) const MIN_STEPS: u64 = 50_000_000;
/// Deepest nesting of arrays and annotations in values. Chosen: real ones nest a few, and recursion must end.
pub(crate) const MAX_VALUE_DEPTH: usize = 32;
/// Most values of one annotation or array of values: class files count them in 16 bits (JVMS 4.7.16).
pub(crate) const MAX_VALUES: u32 = 65_535;
/// Longest chain of super classes. Chosen: a longer one is a cycle or hostile.
pub(crate) const MAX_SUPER_CLASSES: usize = 1_000;
/// Most bytes of a method's code in the JVM (JVMS 4.7.3).
pub(crate) const MAX_CODE_BYTES: usize = 65_535;
/// Longest string of a class file in bytes (JVMS 4.4.7).
pub(crate) const MAX_UTF8_BYTES: usize = 65_535;
/// Most handlers of exceptions in a method's code: its table counts them in 16 bits (JVMS 4.7.3).
pub(crate) const MAX_EXCEPTIONS: usize = 65_535;
/// Most dimensions of an array (JVMS 4.4.1).
pub(crate) const MAX_DIMENSIONS: usize = 255;
/// Most bytes of a class file that is read for its super class. Chosen: the largest known ones have a few
/// megabytes.
pub(crate) const MAX_CLASS_BYTES: u64 = 32 << 20;
/// Most bytes of `lib/modules` without its classes. Chosen: a full JDK has three megabytes.
pub(crate) const MAX_MODULE_INDEX_BYTES: u64 = 64 << 20;
/// Most bytes of a mapping of R8. Chosen: those of large apps have about a hundred megabytes.
pub(crate) const MAX_MAPPING_BYTES: u64 = 512 << 20;
