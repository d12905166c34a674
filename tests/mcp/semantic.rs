//! Catalogue C through its dialect.
