//! The environment and the terminal, read once. Nothing else reads `std::env`.
