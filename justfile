# The recipes of everyday work.

# These recipes.
default:
    @just --list

# Formatting, lints and tests, as CI runs them.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- --deny warnings
    cargo test

# All tests.
test:
    cargo test

# The demo flows on the virtual device.
demo:
    cargo run --release -- test flows/

# Makes the generated files of docs/ again.
generate:
    cargo test --lib --workspace write_the_document -- --ignored
    cargo test --test tests rows::write_the_document -- --ignored
    cargo run -- schema flow > docs/reference/runner.schema.json
    cargo run -- schema config > docs/reference/runner-yaml.schema.json
    cargo run -- schema app > docs/reference/app.schema.json
    cargo run -- schema events > docs/reference/events.schema.json

# The packages for this machine, in target/packages; it builds the program as it is handed out.
package:
    cargo build --profile dist --locked
    packaging/build --program target/dist/runner --target "$(rustc -vV | sed -n 's/^host: //p')" --out target/packages

# Makes the pictures of docs/ again, but the studio's. Needs node and chromium.
pictures:
    cargo build
    node docs/images/pictures.mjs target/debug/runner

# What a reader of the sources meets, by crate: docs/developers/figures.md.
figures:
    python3 benches/figures.py

# The benchmarks.
bench:
    cargo build --release
    cargo bench --manifest-path benches/Cargo.toml --target-dir target

# What several devices save: 100 short flows on one virtual device and spread over eight.
bench-spread *ARGUMENTS:
    cargo build --release --quiet
    python3 benches/spread.py target/release/runner {{ARGUMENTS}}

# One of the benchmarks: `just bench-one screen`.
bench-one NAME *ARGUMENTS:
    cargo build --release
    cargo bench --manifest-path benches/Cargo.toml --target-dir target --bench {{NAME}} -- {{ARGUMENTS}}

# What the driver uia2 saves on a device with a phone's prices: `just bench-drivers --uia2 FOLDER`.
bench-drivers *ARGUMENTS:
    cargo build --release
    python3 benches/peers/drivers.py target/release/runner {{ARGUMENTS}}

# What our WebDriver client adds to a request beside Appium's own, and the requests of each step.
bench-webdriver *ARGUMENTS:
    cargo build --release --features other-clients
    target/clients/appium-python/bin/python benches/peers/webdriver.py target/release/runner --clients target/clients {{ARGUMENTS}}

# MCP calls beside other servers on the same device: `just bench-mcp --mobile-mcp FOLDER --droid-bridge PROGRAM`.
bench-mcp *ARGUMENTS:
    cargo build --release
    python3 benches/peers/mcp.py target/release/runner {{ARGUMENTS}}

# How long a look is beside mobile-mcp's element list; the folder of an installed mobile-mcp makes real lists.
bench-look *FOLDER:
    cargo bench --manifest-path benches/Cargo.toml --target-dir target --bench look -- {{FOLDER}}

# Comparing pictures beside odiff, pixelmatch and image-compare: the folder is where npm installed the first two.
bench-pictures FOLDER *ARGUMENTS:
    cargo build --release --manifest-path benches/Cargo.toml --target-dir target --bench pictures
    python3 benches/peers/pictures.py "$(ls -t target/release/deps/pictures-* | grep -v '\.d$' | head -1)" {{FOLDER}} {{ARGUMENTS}}

# A flow, ten flows, the start and a lint beside maestro-runner, on a device with a phone's prices: the folder is where npm
# installed `@devicelab/maestro-runner-linux-x64`.
bench-flows FOLDER *ARGUMENTS:
    cargo build --release --features other-clients
    python3 benches/peers/flows.py target/release/runner {{FOLDER}} {{ARGUMENTS}}

# The table of docs/developers/performance.md beside other tools, which benches/peers/table.py says how to install in a folder.
bench-peers FOLDER *ARGUMENTS:
    cargo build --release --features other-clients
    cargo build --release --manifest-path benches/Cargo.toml --target-dir target --bench pictures
    python3 benches/peers/table.py target/release/runner {{FOLDER}} --pictures "$(ls -t target/release/deps/pictures-* | grep -v '\.d$' | head -1)" {{ARGUMENTS}}

# What the reports of a run cost.
bench-reports *ARGUMENTS:
    cargo build --release
    python3 benches/reports.py target/release/runner {{ARGUMENTS}}

# What --trace and --video cost: `just bench-trace`.
bench-trace *ARGUMENTS:
    cargo build --release
    python3 benches/trace.py target/release/runner {{ARGUMENTS}}

# What the pages cost while somebody scrolls 2,000 rows.
bench-scroll *ARGUMENTS:
    cargo build --quiet
    node benches/scroll.mjs target/debug/runner {{ARGUMENTS}}

# What the studio costs: from a click to its picture, and while nothing happens.
bench-studio *ARGUMENTS:
    cargo build --release
    node benches/studio.mjs target/release/runner {{ARGUMENTS}}

# How the time grows with flows, with nodes on a screen and with new goldens: prints the exponents.
bench-scale *ARGUMENTS:
    cargo build --release
    python3 benches/scale.py target/release/runner {{ARGUMENTS}}

# What a virtual device costs in memory and system time.
bench-devices *ARGUMENTS:
    cargo build --release
    python3 benches/devices.py target/release/runner {{ARGUMENTS}}

# Damaged input for everything that reads from outside, SECONDS each: `just fuzz-lite 600`, `just fuzz-lite 60 flow dump`.
fuzz-lite SECONDS *TARGETS:
    cargo run --release --manifest-path fuzz/Cargo.toml --target-dir target/fuzz --bin lite -- {{SECONDS}} {{TARGETS}}

# The same guided by coverage; it needs cargo-fuzz and a nightly compiler.
fuzz TARGET *ARGUMENTS:
    cargo +nightly fuzz run --features libfuzzer {{TARGET}} {{ARGUMENTS}}
