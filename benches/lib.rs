//! Nothing but benchmarks: see the files beside it and `docs/developers/performance.md`.
