//! What a translation came to.

use std::time::Duration;

/// What became of an APK's classes.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Classes in the jar.
    pub classes: usize,
    /// Methods in them, with those that throw instead.
    pub methods: usize,
    /// Methods that could not be translated. Each throws a `VerifyError` that names the cause.
    pub failed_methods: Vec<Failed>,
    /// Classes that are not in the jar.
    pub failed_classes: Vec<Failed>,
    /// Classes that the APK names and neither it nor the library has, as `a/b/C`.
    pub missing_classes: Vec<String>,
    /// Casts that were added because the JVM's verifier wants to know a type better than Android's.
    pub added_casts: usize,
    /// Constructors that were added because R8 calls that of an ancestor.
    pub added_constructors: usize,
    /// How long it took.
    pub elapsed: Duration,
}

/// A part that could not be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Its name, as `a/b/C` or `a/b/C.method`.
    pub name: String,
    /// Why.
    pub reason: String,
}
