//! Catalogue D through its dialect.
