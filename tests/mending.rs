//! Patches under review: an app's id or text is renamed, the flow fails, and a person accepts the patch.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::common::pages::PageServer;
use crate::common::terminal::Terminal;
use crate::common::{Project, Ran, browser, copy_tree};

const SIGN_IN: &str = "app: com.example.notes
steps:
  - launch
  - assert visible: { id: forgot }   # the link below the button
  - run: _ask.yaml
";

const ASK: &str = "steps:
  - click: { id: 'forgot' }
  - assert not visible: { id: \"forgot\", text: Never }
";

const INBOX: &str = "appId: com.example.notes
---
- openLink: notes://inbox
- tapOn:
    id: \"new_note\" # adds one
- assertNotVisible:
    id: new_note
";

const FORM: &str = "app: com.example.notes
steps:
  - launch: { activity: .Form }
  - scroll_to: Pin to the top
  - click: { id: pinned }
";

/// Makes a project whose flows all passed once before the app was renamed.
fn renamed() -> Project {
    let project = Project::with_demo_app();
    project
        .write("flows/sign-in.yaml", SIGN_IN)
        .write("flows/_ask.yaml", ASK)
        .write("flows/inbox.yaml", INBOX)
        .write("flows/form.yaml", FORM);
    project.run(&["test"]).expect(0).says("3 passed");
    project.replace(
        "apps/demo/sign-in.yaml",
        "error, sign_in, forgot]",
        "error, sign_in, ask_password]",
    );
    project.replace(
        "apps/demo/sign-in.yaml",
        "{ id: forgot, component",
        "{ id: ask_password, component",
    );
    project.replace(
        "apps/demo/inbox.yaml",
        "inbox_count, new_note, open",
        "inbox_count, add_note, open",
    );
    project.replace(
        "apps/demo/inbox.yaml",
        "{ id: new_note, component",
        "{ id: add_note, component",
    );
    project.replace(
        "apps/demo/form.yaml",
        "label: Pin to the top",
        "label: Keep on top",
    );
    project
}

fn flows(project: &Project) -> [String; 4] {
    ["sign-in", "_ask", "inbox", "form"].map(|name| project.read(&format!("flows/{name}.yaml")))
}

const TITLES: [&str; 3] = [
    "id `forgot` → `ask_password` in 2 steps of 2 flows",
    "id `new_note` → `add_note` in 1 step of 1 flow",
    "text `Pin to the top` → `Keep on top` in 1 step of 1 flow",
];

/// Returns the pending keys, in the order of their groups.
fn keys(project: &Project) -> Vec<String> {
    let listed = project.run(&["pending", "-q"]);
    listed.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn a_renamed_app_is_mended_in_the_terminal_in_the_page_and_from_an_archive() {
    let project = renamed();
    let ran = project
        .run(&["test", "--junit", "junit.xml", "--json", "events.ndjson"])
        .expect(1)
        .says("3 failed");
    let told = format!("{}{}", ran.stdout, ran.stderr);
    let junit = project.read("junit.xml");
    for words in [
        "flows/sign-in.yaml:4:27: id: forgot → id: ask_password",
        "flows/inbox.yaml:5:9: id: new_note → id: add_note",
        "flows/form.yaml:4:16: Pin to the top → Keep on top",
        "most likely it is",
    ] {
        assert!(told.contains(words), "{words}\n{told}");
        assert!(junit.contains(words), "{words}\n{junit}");
    }
    let events = project.read("events.ndjson");
    let patches = events
        .lines()
        .filter(|line| line.contains("\"step_finished\""))
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|event| Some(event.pointer("/failure/patch/to")?.as_str()?.to_owned()));
    let patches: Vec<String> = patches.collect();
    assert_eq!(patches.len(), 3, "{patches:?}");
    // Nothing was edited by the run.
    assert_eq!(flows(&project), [SIGN_IN, ASK, INBOX, FORM]);
    let mut pending = project.run(&["pending", "-v"]).expect(1);
    for title in TITLES {
        pending = pending.says(title);
    }

    let elsewhere = Project::empty();
    copy_tree(&project.path(""), &elsewhere.path(""));
    named_twice(&project);
    in_the_terminal(&project);
    in_the_page(&project);
    from_an_archive(&project, &elsewhere);
    assert_eq!(
        flows(&project),
        [
            SIGN_IN.replace("forgot", "ask_password"),
            ASK.replace("'forgot'", "ask_password")
                .replace("\"forgot\"", "ask_password"),
            INBOX
                .replace("\"new_note\"", "add_note")
                .replace("new_note", "add_note"),
            FORM.replace("Pin to the top", "Keep on top"),
        ]
    );
    project.run(&["test"]).expect(0).says("3 passed");
    project
        .run(&["pending"])
        .expect(0)
        .says("nothing to review");
}

/// Accepts and rejects all groups of a copy, whose first is named three times, and counts each once.
fn named_twice(project: &Project) {
    for verb in ["accept", "reject"] {
        let copy = Project::empty();
        copy_tree(&project.path(""), &copy.path(""));
        let first = keys(&copy).remove(0);
        let ran = copy.run(&[verb, &first, ".selectors/*", &first]).expect(0);
        let lines = ran.stdout.lines().filter(|line| line.starts_with(verb));
        assert_eq!(lines.count(), 3, "{}", ran.stdout);
        assert!(keys(&copy).is_empty(), "{verb}");
    }
}

/// Accepts the first group in the terminal, with `a`.
fn in_the_terminal(project: &Project) {
    let script = format!(
        "cd '{}' && '{}' review; echo \"ended $?\"; exec cat",
        project.path("").display(),
        env!("CARGO_BIN_EXE_runner"),
    );
    let Some(terminal) = Terminal::with_script((120, 40), &script) else {
        project.run(&["accept", &keys(project)[0]]).expect(0);
        return;
    };
    terminal
        .shows("0/3 done")
        .shows("last green")
        .shows("failed: flows/");
    let before = keys(project);
    terminal.keys(&["a"]).shows("1/3 done");
    assert_eq!(keys(project).len(), 2);
    // One undo, and once more.
    // A key that comes before the case is read is refused with a message.
    terminal.keys(&["u"]).until("the case again", |screen| {
        screen.contains("0/3 done") && screen.contains("failed: flows/sign-in.yaml")
    });
    assert_eq!(keys(project), before);
    terminal
        .keys(&["a"])
        .shows("1/3 done")
        .keys(&["q"])
        .shows("ended 0");
}

/// Accepts the next group on the page, by its key.
fn in_the_page(project: &Project) {
    let next = keys(project).remove(0);
    let command = project.command(&["review", "--web", "--no-open"]);
    let server = PageServer::started(command, project, "Review");
    if browser::run("mending.mjs", &[&server.address, &next]).is_none() {
        project.run(&["accept", &next]).expect(0);
    }
    assert_eq!(keys(project).len(), 1);
}

/// Accepts the last group from the artifacts of a run in CI, which itself edits and keeps nothing.
fn from_an_archive(project: &Project, elsewhere: &Project) {
    let _ = std::fs::remove_dir_all(elsewhere.path(".runner/mend"));
    let mut command = elsewhere.command(&["test", "--artifacts", "out"]);
    Ran::from(command.env("CI", "true").output().expect("it starts")).expect(1);
    assert!(keys(elsewhere).is_empty());
    copy_tree(&elsewhere.path("out"), &project.path("out"));
    let left = keys(project).remove(0);
    let _ = std::fs::remove_dir_all(project.path(".runner/mend"));
    project
        .run(&["review", "--static", "page", "--from", "out"])
        .expect(0)
        .says("1 selector");
    let page = project.read("page/queue.js");
    let page = page
        .strip_prefix("const REVIEW = ")
        .expect("a constant")
        .trim_end();
    let page: Value = serde_json::from_str(page.trim_end_matches(';')).expect("JSON");
    let sides = &page["sides"][&left];
    let decisions = json!({
        "runner-decisions": 1, "archive": page["archive"],
        "decisions": [{ "snapshot": left, "golden": sides[0], "actual": sides[1], "decision": "accept" }],
    });
    let mut file = std::fs::File::create(project.path("decisions.json")).expect("a file");
    file.write_all(decisions.to_string().as_bytes())
        .expect("a file");
    project
        .run(&["accept", "--decisions", "decisions.json", "--from", "out"])
        .expect(0)
        .says("accepted");
}

/// Returns the texts of all evidence below a folder.
fn evidence(project: &Project, below: &str) -> Vec<String> {
    let names = project.files(below).into_iter();
    let packed = names.filter(|name| name.ends_with(".mend.gz")).map(|name| {
        let bytes = std::fs::read(project.path(below).join(name)).expect("a file");
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .expect("a text");
        text
    });
    packed.collect()
}

#[test]
fn evidence_holds_no_secret_and_goes_when_its_step_passes_again() {
    let project = Project::with_demo_app();
    let flow = "app: com.example.notes
steps:
  - launch
  - type: { into: { id: username }, text: pa55phrase, secret: true }
  - hide_keyboard
  - assert visible: { id: forgot }
";
    project.write("flows/sign-in.yaml", flow);
    project.run(&["test"]).expect(0);
    let rename = |from: &str, to: &str| {
        for (before, after) in [
            (", ", "]"),
            ("{ id: ", ", component: Button, variant: borderless"),
        ] {
            let [from, to] = [from, to].map(|id| format!("{before}{id}{after}"));
            project.replace("apps/demo/sign-in.yaml", &from, &to);
        }
    };
    rename("forgot", "ask_password");
    project.run(&["test"]).expect(1).says("id: ask_password");
    for folder in [".runner/mend", ".runner/artifacts"] {
        let texts = evidence(&project, folder);
        assert_eq!(texts.len(), 1, "{folder}");
        assert!(texts[0].contains("ask_password") && !texts[0].contains("pa55phrase"));
    }
    // Somebody has edited the flow by hand: there is nothing to mend.
    project.replace("flows/sign-in.yaml", "id: forgot", "id: forgotten");
    project
        .run(&["pending"])
        .expect(0)
        .says("nothing to review");
    project.replace("flows/sign-in.yaml", "id: forgotten", "id: forgot");
    assert_eq!(keys(&project).len(), 1);
    rename("ask_password", "forgot");
    project.run(&["test"]).expect(0);
    assert!(evidence(&project, ".runner/mend").is_empty());
    project
        .run(&["pending"])
        .expect(0)
        .says("nothing to review");
}
