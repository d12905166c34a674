//! Arguments + environment + `runner.yaml` → one `Config`, once, each value with where it came from.
