# The recipes of everyday work; `just` lists them.

# Formatting, lints and tests, as CI runs them.
check:
    cargo fmt --check
    cargo clippy --all-targets -- --deny warnings
    cargo test

# All tests.
test:
    cargo test

# The demo flows on the virtual device.
demo:
    cargo run -- test flows/

# The benchmarks.
bench:
    cargo bench
