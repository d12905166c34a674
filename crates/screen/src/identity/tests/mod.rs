//! Tests of the identity of elements: by hand, by seeded changes and by renames that real projects made.

mod changes;
mod goldens;
mod laws;
mod measure;
mod mutations;
mod planted_renames;
mod tree;
