//! Reports: terminal, JUnit, JSON. Each consumes the events of [`crate::run`] and knows nothing else.
