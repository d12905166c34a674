//! Runs the tests of docs/guide/other-tools.md for this program and for Maestro on the demo app. Appium's runs in
//! `appium.rs`.

use super::{blocks, page};
use crate::common::Project;

const PAGE: &str = "docs/guide/other-tools.md";

#[test]
fn the_same_test_passes_in_both_languages() {
    let project = Project::with_demo_app();
    let page = page(PAGE);
    let mut names = Vec::new();
    for block in blocks(&page, "yaml") {
        let name = block
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("# "))
            .expect("a block names its file")
            .to_owned();
        project.write(&name, &block);
        assert!(page.contains(&format!("\nrunner test {name}\n")), "{name}");
        names.push(name);
    }
    assert_eq!(names, ["flows/sign-in.yaml", "maestro/sign-in.yaml"]);
    project
        .run(&["test", &names[0], &names[1]])
        .expect(0)
        .says("2 passed");
}

/// Returns the page's test for Appium, changed to another server and device; it prints at its end that it
/// passed.
pub fn appium_script(url: &str, serial: &str, adb_port: &str) -> String {
    let scripts = blocks(&page(PAGE), "python");
    let [script] = scripts.as_slice() else {
        panic!("{} scripts", scripts.len());
    };
    let change = |text: String, from: &str, to: &str| {
        assert!(text.contains(from), "no {from}");
        text.replace(from, to)
    };
    let script = change(script.clone(), "http://127.0.0.1:4723", url);
    let device =
        format!("\"{serial}\"\noptions.adb_port = {adb_port}\noptions.suppress_kill_server = True");
    let script = change(script, "\"127.0.0.1:5600\"", &device);
    format!("{script}print(\"ended: passed\")\n")
}
