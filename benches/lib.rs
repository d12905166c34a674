//! Empty library of the package of benchmarks; see the files beside it and `docs/developers/performance.md`.
