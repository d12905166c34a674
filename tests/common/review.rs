//! The scripted change: a project whose last run left one case of every kind for review.
//!
//! ```text
//! let change = common::review::scripted_change();
//! change.project.run(&["pending"]);
//! ```
//!
//! Goldens of a small app are taken on the virtual device, then the app and the flows are edited by the script, and the
//! flows run again. What waits then is in [`NEW`], [`SIZE`], [`LAYOUT`], [`TEXT`], [`PIXELS`] and [`OBSOLETE`], and
//! nothing else does. `inbox/list~phone` has goldens that still hold. It is made once a test program, and copied for each test.

use std::sync::OnceLock;

use super::{Project, copy_tree};

/// A snapshot that had no golden: the step was added to `flows/inbox.yaml`.
pub const NEW: &str = "inbox/search~phone";
/// The same render class on a smaller display.
pub const SIZE: &str = "small/inbox~phone";
/// A row was inserted into the form ([`INSERTED`]); what is below moved.
pub const LAYOUT: &str = "form/empty~phone";
/// The toolbar's title changed, from [`OLD_TITLE`] to [`NEW_TITLE`]: one group.
pub const TEXT: [&str; 3] = ["about/page~phone", "general/page~phone", "look/page~phone"];
/// Another picture of the same size and description: no row changed.
pub const PIXELS: &str = "sign-in/home~phone";
/// The step that took it was removed from `flows/inbox.yaml`.
pub const OBSOLETE: &str = "inbox/gone~phone";

/// Title of the settings before.
pub const OLD_TITLE: &str = "Settings";
/// Title of the settings after.
pub const NEW_TITLE: &str = "Preferences";
/// Id of the row that was inserted into the form.
pub const INSERTED: &str = "notice";

/// Number of changes that `runner pending` lists: all but the obsolete golden.
pub const PENDING: usize = 7;

/// A project after the scripted change.
pub struct ScriptedChange {
    /// The project; its devices draw as class `phone`.
    pub project: Project,
}

impl ScriptedChange {
    /// Returns the file of a key's golden. `ending` is `tsv` or `png`, with `.new.` for the pending one.
    pub fn golden(key: &str, ending: &str) -> String {
        format!("snapshots/{key}.{ending}")
    }

    /// Reads a file of the project; `None` if it does not exist.
    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.project.path(name)).ok()
    }
}

/// Returns the project after the change, with nothing reviewed yet.
pub fn scripted_change() -> ScriptedChange {
    static MADE: OnceLock<Project> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let project = before();
        change(&project);
        project.run(&["test"]).expect(1).says("7 failed");
        project
    });
    let project = Project::empty();
    copy_tree(&made.path(""), &project.path(""));
    ScriptedChange { project }
}

/// Returns the project with its first goldens; all flows pass.
pub fn before() -> Project {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [ { serial: virtual, render_class: phone } ]\napps: [apps/demo]\nallow_shell: true\n",
    );
    project
        .flow("sign-in", "steps:\n  - launch\n  - snapshot: home\n")
        .flow(
            "form",
            "steps:\n  - launch: { activity: .Form }\n  - snapshot: empty   # nothing is filled in\n",
        )
        .flow("inbox", INBOX)
        .flow("small", SMALL);
    for (name, tab) in [("general", "General"), ("look", "Look"), ("about", "About")] {
        project.flow(
            name,
            &format!(
                "steps:\n  - launch: {{ activity: .Settings }}\n  - click: {tab}\n  - snapshot: page\n"
            ),
        );
    }
    project
        .run(&["test", "--update"])
        .expect(0)
        .says("7 passed");
    project
}

const INBOX: &str = "steps:
  # What a person sees first.
  - launch: { activity: .Inbox }
  - snapshot: list
  - snapshot: gone
";

const SMALL: &str = "steps:
  - launch: { activity: .Inbox }
  - snapshot: inbox
teardown:
  - shell: [wm, size, reset]
";

/// Edits the app and the flows.
pub fn change(project: &Project) {
    project.replace("flows/inbox.yaml", "  - snapshot: gone\n", SEARCH);
    project.replace(
        "flows/small.yaml",
        "  - launch",
        "  - shell: [wm, size, 720x1280]\n  - launch",
    );
    project.replace(
        "apps/demo/form.yaml",
        "children: [title, body, ",
        "children: [title, notice, body, ",
    );
    project.replace(
        "apps/demo/form.yaml",
        "      - { id: body, ",
        "      - { id: notice, component: Text, text: Others can read this }\n      - { id: body, ",
    );
    project.replace(
        "apps/demo/app.yaml",
        "title: Settings }",
        "title: Preferences }",
    );
    project.replace("apps/demo/sign-in.yaml", "notes://hero", "notes://another");
}

const SEARCH: &str = "  - type: { into: { id: search }, text: bread }
  - hide_keyboard
  - snapshot: { name: search, of: { id: notes } }
";
