use camino::{Utf8Path, Utf8PathBuf};

use super::check_app;
use crate::diagnostic::render_line;
use crate::virtual_device::app_has_errors;

mod mistakes;

const MANIFEST: &str = "package: com.example.a\nlabel: A\nicon: edit\nactivities:\n  .Main: { surface: main.yaml, launchable: true }\nactions:\n  save:\n    - toast: Saved\n";

fn head(components: &str) -> String {
    format!(
        "- version: v0.9\n  createSurface: {{ surfaceId: main, catalogId: x }}\n- version: v0.9\n  updateComponents:\n    surfaceId: main\n    components:\n{components}"
    )
}

/// Writes the files into a folder, checks it as an app and returns one line per diagnostic, with its help.
fn diagnostics(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    check_app(&root, Utf8Path::new("app"))
        .iter()
        .map(|found| {
            let help = found.help.as_deref().unwrap_or_default();
            format!("{} | {help}", render_line(found))
        })
        .collect()
}

fn diagnostics_of(components: &str) -> Vec<String> {
    diagnostics(&[("app.yaml", MANIFEST), ("main.yaml", &head(components))])
}

const TEXT: &str = "      - { id: root, component: Column, children: [a] }\n";

// A misspelt name is reported with its place and what was meant.
#[test]
fn misspelt_names_are_told_with_what_was_meant() {
    for (component, expected) in [
        (
            "{ id: a, component: Txet, text: x }",
            "app/main.yaml:8:29: error[unknown-component-type]: there is no component `Txet` | did you mean `Text`?",
        ),
        (
            "{ id: a, component: Card, child: bb }",
            "app/main.yaml:8:42: error[unknown-component]: there is no component `bb` | known here: `a`, `root`",
        ),
        (
            "{ id: a, component: Icon, name: serach }",
            "app/main.yaml:8:41: error[unknown-icon]: there is no icon `serach` | did you mean `search`?",
        ),
        (
            "{ id: a, component: Button, child: root, action: { event: { name: svae } } }",
            "app/main.yaml:8:75: error[unknown-event]: app.yaml has no action `svae`; the event would do nothing | did you mean `save`?",
        ),
        (
            "{ id: a, component: Text, text: { call: formatStrin, args: { value: x } } }",
            "app/main.yaml:8:49: error[unknown-function]: there is no function `formatStrin` | did you mean `formatString`?",
        ),
        (
            "{ id: a, component: Text, text: { call: formatString, args: { value: \"${pluralise(value: 1)}\" } } }",
            "app/main.yaml:8:78: error[unknown-function]: there is no function `pluralise` | did you mean `pluralize`?",
        ),
        (
            "{ id: a, component: Text, txet: x, text: x }",
            "app/main.yaml:8:35: error[unknown-property]: Text has no property `txet` | did you mean `text`?",
        ),
        (
            "{ id: a, component: Text, text: x, variant: h9 }",
            "app/main.yaml:8:53: error[unknown-value]: `h9` is none of the values that are possible here | did you mean `h1`?",
        ),
        (
            "{ id: a, component: Card }",
            "app/main.yaml:8:29: error[missing-property]: Card needs `child`: what is in it | ",
        ),
        (
            "{ id: no, component: Text, text: x }",
            "app/main.yaml:8:15: error[wrong-type]: `id` must be text, and `no` without quotes is a boolean in YAML | write \"no\"",
        ),
        (
            "{ id: a, component: Text, text: x, weight: heavy }",
            "app/main.yaml:8:52: error[wrong-type]: a number is expected here, not text | or `{path: /pointer}`, or `{call: function, args: …}`",
        ),
        (
            "{ id: a, component: TextField, label: x, validationRegexp: '[' }",
            "app/main.yaml:8:68: error[pattern]: this regular expression cannot be read: unclosed character class | ",
        ),
        (
            "{ id: a, component: Video, url: x }",
            "app/main.yaml:8:29: warning[not-drawn]: `Video` is not drawn yet: its place says so | ",
        ),
    ] {
        let found = diagnostics_of(&format!("{TEXT}      - {component}\n"));
        assert!(
            found.iter().any(|line| line == expected),
            "{component}: {found:#?}"
        );
    }
}

#[test]
fn messages_and_files_are_told_with_their_place() {
    let main = |text: &str| diagnostics(&[("app.yaml", MANIFEST), ("main.yaml", text)]);
    for (text, expected) in [
        (
            "- version: v0.9\n  updateComponent: { surfaceId: main }\n",
            "app/main.yaml:2:3: error[unknown-message]: unknown message `updateComponent` | did you mean `updateComponents`?",
        ),
        (
            "- createSurface: { surfaceId: main }\n",
            "app/main.yaml:1:3: error[version]: the message has no `version` | write `version: v0.9`",
        ),
        (
            "- version: v0.8\n  deleteSurface: { surfaceId: main }\n",
            "app/main.yaml:1:12: error[version]: A2UI version `v0.8` is not supported in app files | write `version: v0.9`",
        ),
        (
            "- version: v0.9\n  deleteSurface: { surfaceID: main }\n",
            "app/main.yaml:2:3: error[missing-key]: `deleteSurface` has no `surfaceId` | ",
        ),
        (
            "- version: v0.9\n  updateComponents: { surfaceId: main, components: [{ id: a, component: Divider }] }\n",
            "app/main.yaml:2:40: error[root]: no component has the id `root`; it is the one that is shown | ",
        ),
        (
            "nothing",
            "app/main.yaml:1:1: error[message]: expected an A2UI message or a list of them | ",
        ),
    ] {
        let found = main(text);
        assert!(
            found.iter().any(|line| line == expected),
            "{text}: {found:#?}"
        );
    }
    let lines = "{\"version\": \"v0.9\", \"deleteSurface\": {\"surfaceId\": \"a\"}}\n\n{\"version\": \"v0.9\",\t\"updateComponents\": {\"surfaceId\": \"a\", \"components\": [{\"id\": \"root\", \"component\": \"Icon\", \"name\": \"hom\"}]}}\n{oops\n";
    let manifest = MANIFEST.replace("main.yaml", "main.jsonl");
    let found = diagnostics(&[("app.yaml", &manifest), ("main.jsonl", lines)]);
    assert_eq!(
        found,
        [
            "app/main.jsonl:3:119: error[unknown-icon]: there is no icon `hom` | did you mean `home`?",
            "app/main.jsonl:4:2: error[json]: this is not JSON: key must be a string | ",
        ]
    );
}

#[test]
fn the_manifest_is_told_with_its_place() {
    let manifest = |from: &str, to: &str| {
        let text = MANIFEST.replace(from, to);
        assert_ne!(text, MANIFEST);
        diagnostics(&[
            ("app.yaml", &text),
            (
                "main.yaml",
                &head("      - { id: root, component: Divider }\n"),
            ),
        ])
    };
    for (from, to, expected) in [
        (
            "com.example.a",
            "nonsense",
            "app/app.yaml:1:10: error[package]: `package: nonsense` is not a package name; write one such as com.example.notes | ",
        ),
        (
            "icon: edit",
            "icon: edti",
            "app/app.yaml:3:7: error[unknown-icon]: there is no icon `edti` | did you mean `edit`?",
        ),
        (
            "label: A",
            "lable: A",
            "app/app.yaml:2:1: error[unknown-key]: `lable` is not known here | did you mean `label`?",
        ),
        (
            "launchable: true",
            "launchable: false",
            "app/app.yaml:4:1: error[launchable]: no activity is `launchable: true`; the launcher needs one | ",
        ),
        (
            "main.yaml",
            "../main.yaml",
            "app/app.yaml:5:21: error[surface]: activity `.Main`: `surface: ../main.yaml` must be a file inside the app's folder | ",
        ),
        (
            "main.yaml",
            "mian.yaml",
            "app/app.yaml:5:21: error[surface]: mian.yaml: cannot be read: there is no such file | did you mean `main.yaml`?",
        ),
        (
            "toast: Saved",
            "taost: Saved",
            "app/app.yaml:8:7: error[unknown-key]: `taost` is not known here | did you mean `toast`?",
        ),
        (
            "toast: Saved",
            "navigate: .Mian",
            "app/app.yaml:8:17: error[unknown-name]: action `save` names the activity `.Mian`, which is not there | did you mean `.Main`?",
        ),
        (
            "toast: Saved",
            "open: rot",
            "app/app.yaml:8:13: error[unknown-component]: there is no component `rot` | did you mean `root`?",
        ),
        (
            "toast: Saved",
            "if: { value: true, then: [{ run: svae }] }",
            "app/app.yaml:8:40: error[unknown-name]: action `save` names the action `svae`, which is not there | did you mean `save`?",
        ),
        (
            "toast: Saved",
            "set: { path: a, value: { call: nott, args: { value: true } } }",
            "app/app.yaml:8:38: error[unknown-function]: there is no function `nott` | did you mean `not`?",
        ),
        (
            "toast: Saved",
            "set: { path: a, value: 1 }",
            "app/app.yaml:8:20: error[pointer]: a path into the data begins with `/` here | write `/a`",
        ),
    ] {
        let found = manifest(from, to);
        assert!(
            found.iter().any(|line| line == expected),
            "{to}: {found:#?}"
        );
    }
    let found = diagnostics(&[]);
    assert_eq!(
        found,
        [
            "app/app.yaml:1:1: error[unreadable]: there is no such file | an app is a folder with an `app.yaml` and the files it names"
        ]
    );
}

// What comes with the program is without a fault.
#[test]
fn the_apps_that_come_with_the_program_are_right() {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["examples/demo", "src/cli/init"] {
        let found = check_app(&root.join(folder), Utf8Path::new(folder));
        let lines: Vec<String> = found.iter().map(render_line).collect();
        assert!(lines.is_empty(), "{lines:#?}");
    }
}

/// Checks the public A2UI examples: only components that this device does not have may be reported.
#[test]
fn the_public_examples_have_no_faults() {
    let Some(corpus) = runner_testing::recording("a2ui/v0_9_1/catalogs") else {
        return;
    };
    let manifest = "package: com.example.a\nlabel: A\nactivities:\n  .Main: { surface: main.json, launchable: true }\n";
    for catalogue in ["basic", "minimal"] {
        for file in std::fs::read_dir(corpus.join(catalogue).join("examples")).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("app.yaml"), manifest).unwrap();
            std::fs::write(folder.path().join("main.json"), text).unwrap();
            let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
            let found = check_app(&root, Utf8Path::new("app"));
            let lines: Vec<String> = found.iter().map(render_line).collect();
            assert!(!app_has_errors(&found), "{}: {lines:#?}", path.display());
        }
    }
}

#[test]
fn what_the_schema_does_not_know_is_told_with_its_place() {
    for (rest, expected) in [
        ("  .Main: { surfaces: x.json }\n", "app/app.yaml:4:"),
        (
            "  .Main: { surface: x.json, launchable: true }\nactions:\n  go:\n    - fly: away\n",
            "app/app.yaml:7:",
        ),
    ] {
        let manifest = format!("package: com.example.a\nlabel: A\nactivities:\n{rest}");
        let found = diagnostics(&[("app.yaml", &manifest)]);
        assert!(
            found.iter().any(|line| line.starts_with(expected)),
            "{found:#?}"
        );
    }
}
