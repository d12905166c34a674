//! `runner_look` and what changed since.
