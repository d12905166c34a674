//! What identity promises, by hand, by seeded changes and by renames that projects made.

mod changes;
mod goldens;
mod laws;
mod measure;
mod mutations;
mod planted;
mod tree;
