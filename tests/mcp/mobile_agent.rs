//! Catalogue B through its dialect.
