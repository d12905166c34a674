//! Checks that every crate has a licence that the project allows, and comes from the registry.
//!
//! `deny.toml` says the same to those who have cargo-deny. Advisories are not looked up here: that needs the
//! network.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// Returns the crates of a build for this machine, from cargo.
fn crates() -> Vec<Value> {
    let cargo = env!("CARGO");
    let version = Command::new(cargo).arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let output = Command::new(cargo)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(["--filter-platform", host.unwrap()])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let crates = metadata["packages"].take();
    serde_json::from_value(crates).unwrap()
}

/// Returns the licences of `deny.toml`.
fn allowed() -> BTreeSet<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let list = text.split("allow = [").nth(1).unwrap();
    let list = list.split(']').next().unwrap();
    let names = list.split(',').map(|name| name.trim().trim_matches('"'));
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns true if one alternative of an SPDX expression holds allowed licences only.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let plain = expression.replace(['(', ')'], "");
    // `(A OR B) AND C` reads as A, or B AND C: stricter where it matters, since C is then asked for with B.
    plain.replace('/', " OR ").split(" OR ").any(|choice| {
        let all = choice.split(" AND ").map(str::trim);
        all.clone().count() > 0 && all.into_iter().all(|name| allowed.contains(name))
    })
}

#[test]
fn every_crate_has_a_licence_that_is_allowed_and_comes_from_the_registry() {
    let allowed = allowed();
    let crates = crates();
    assert!(crates.len() > 100 && allowed.len() > 5);
    let mut wrong = Vec::new();
    for krate in &crates {
        let name = krate["name"].as_str().unwrap();
        let licence = krate["license"].as_str().unwrap_or("none");
        if !is_allowed(licence, &allowed) {
            wrong.push(format!("{name}: licence {licence}"));
        }
        let source = krate["source"].as_str();
        if source.is_some_and(|source| !source.starts_with("registry+")) {
            wrong.push(format!("{name}: comes from {source:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_expression_needs_one_choice_that_is_allowed() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "ISC".to_owned()]);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND ISC", true),
        ("MIT AND GPL-3.0", false),
        ("none", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}
