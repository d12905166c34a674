//! Nothing but benchmarks: see the files beside it and `docs/performance.md`.
