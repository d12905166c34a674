//! Limits on what a file may ask for. Each is far above what real apps have, and bounds memory or time.

/// Most dex files of an APK. Large apps have about thirty.
pub(crate) const MAX_DEX_FILES: usize = 100;
/// Most bytes of one dex file after it is unpacked. 65,536 methods fill about ten megabytes.
pub(crate) const MAX_DEX_BYTES: u64 = 128 << 20;
/// Most bytes of all dex files together.
pub(crate) const MAX_ALL_DEX_BYTES: u64 = 512 << 20;
/// Most bytes of the classes that are written. Dex is denser than class files, by a factor of two or three.
pub(crate) const MAX_OUTPUT_BYTES: u64 = 2 << 30;
/// All strings of a dex file have at most so many times its bytes: strings may not overlap without end.
pub(crate) const MAX_STRING_REUSE: usize = 4;
/// Most code units of a method. What is longer does not fit into the 65,535 bytes of a method of the JVM.
pub(crate) const MAX_METHOD_UNITS: usize = 1 << 17;
/// Most registers times blocks of a method: the memory of its analysis, of which each has 16 bytes.
pub(crate) const MAX_ANALYSIS_CELLS: usize = 1 << 22;
/// Values, lines and entries of lists that are read for each byte of a dex file: several places may name one list, but a
/// small file may not become a large one so.
pub(crate) const MAX_READS_PER_BYTE: usize = 64;
/// Steps of analysis for each byte of dex. Real apps need fewer than ten.
pub(crate) const MAX_STEPS_PER_BYTE: u64 = 400;
/// Steps of analysis that any file may take, however small.
pub(crate) const MIN_STEPS: u64 = 50_000_000;
/// Deepest nesting of arrays and annotations in values.
pub(crate) const MAX_VALUE_DEPTH: usize = 32;
/// Most values of one annotation or array of values.
pub(crate) const MAX_VALUES: u32 = 65_535;
/// Longest chain of super classes. A longer one is a circle, or hostile.
pub(crate) const MAX_SUPER_CLASSES: usize = 1_000;
/// Most bytes of a method's code in the JVM (JVMS 4.7.3).
pub(crate) const MAX_CODE_BYTES: usize = 65_535;
/// Longest string of a class file in bytes (JVMS 4.4.7).
pub(crate) const MAX_UTF8_BYTES: usize = 65_535;
/// Most handlers of exceptions in a method's code: its table counts them in 16 bits (JVMS 4.7.3).
pub(crate) const MAX_EXCEPTIONS: usize = 65_535;
/// Most dimensions of an array (JVMS 4.4.1).
pub(crate) const MAX_DIMENSIONS: usize = 255;
/// Most bytes of a class file that is read for its super class. The largest known ones have a few megabytes.
pub(crate) const MAX_CLASS_BYTES: u64 = 32 << 20;
/// Most bytes of `lib/modules` without its classes. A full JDK has three megabytes.
pub(crate) const MAX_MODULE_INDEX_BYTES: u64 = 64 << 20;
/// Most bytes of a map of R8. Those of large apps have about a hundred megabytes.
pub(crate) const MAX_MAPPING_BYTES: u64 = 512 << 20;
