//! Report of a translation.

use std::time::Duration;

/// Counts and failures of a translation.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Classes in the jar.
    pub classes: usize,
    /// Methods in these classes, with those that only throw.
    pub methods: usize,
    /// Methods that could not be translated. Each throws a `VerifyError` with the reason.
    pub failed_methods: Vec<TranslationFailure>,
    /// Classes that are missing in the jar.
    pub failed_classes: Vec<TranslationFailure>,
    /// Classes that the APK names and neither the APK nor the library has, as `a/b/C`.
    pub missing_classes: Vec<String>,
    /// Casts that were added because the JVM's verifier needs more exact types than Android's.
    pub added_casts: usize,
    /// Constructors that were added because R8 calls a constructor of an ancestor.
    pub added_constructors: usize,
    /// Duration of the translation.
    pub elapsed: Duration,
}

/// A part that could not be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslationFailure {
    /// Its name, as `a/b/C` or `a/b/C.method`.
    pub name: String,
    pub reason: String,
}
