//! Screens of apps that the program draws. Two people change the app, and a run of the app with both changes
//! is the truth.

use fastrand::Rng;
use serde_json::{Value, json};

use super::app_edits::Editor;
use super::{Case, Golden};
use crate::common::Project;

/// A screen of an app.
#[derive(Debug, Clone, PartialEq)]
pub struct App {
    title: String,
    pub(super) components: Vec<Value>,
    pub(super) data: Value,
}

/// Edit of an app's elements or data.
#[derive(Debug, Clone)]
pub(super) enum Edit {
    Title(String),
    /// A property of a component.
    Set(String, &'static str, Value),
    /// A text in the data.
    SetData(String, String),
    /// An item at the end of a list of the data.
    Append(String, Value),
    Remove {
        parent: String,
        child: String,
    },
    Insert {
        parent: String,
        below: Option<String>,
        new: Vec<Value>,
    },
    Move {
        child: String,
        from: String,
        to: String,
        below: Option<String>,
    },
}

impl App {
    /// Reads the messages of a surface.
    pub fn read(text: &str) -> Option<Self> {
        let read: Value = serde_yaml::from_str(text).ok()?;
        let messages = read.get("messages").unwrap_or(&read).as_array()?.clone();
        let mut app = Self {
            title: "Home".to_owned(),
            components: Vec::new(),
            data: json!({}),
        };
        for message in messages {
            if let Some(components) = message.pointer("/updateComponents/components") {
                app.components.extend(components.as_array()?.clone());
            }
            if let Some(update) = message.get("updateDataModel") {
                if update.get("path").is_some_and(|path| path != "/") {
                    return None;
                }
                app.data = update.get("value")?.clone();
            }
        }
        for component in &mut app.components {
            component.as_object_mut()?.remove("action");
        }
        if app.components.is_empty() {
            return None;
        }
        // The demo's actions fill its list.
        if let Some(notes) = app.data.get("notes").and_then(Value::as_array).cloned() {
            app.data["shown"] = notes[..5].into();
        }
        Some(app)
    }

    fn component(&mut self, id: &str) -> Option<&mut Value> {
        self.components.iter_mut().find(|it| it["id"] == id)
    }

    fn children(&mut self, id: &str) -> Option<&mut Vec<Value>> {
        self.component(id)?.get_mut("children")?.as_array_mut()
    }

    fn put(&mut self, parent: &str, below: Option<&str>, child: &str) -> Option<()> {
        let children = self.children(parent)?;
        let at = match below {
            None => 0,
            Some(below) => children.iter().position(|it| it == below)? + 1,
        };
        children.insert(at, child.into());
        Some(())
    }

    fn take(&mut self, parent: &str, child: &str) -> Option<()> {
        let children = self.children(parent)?;
        let at = children.iter().position(|it| it == child)?;
        children.remove(at);
        Some(())
    }

    /// Returns the app with these changes; `None` if one finds nothing to change.
    pub(super) fn edited(&self, edits: &[Edit]) -> Option<Self> {
        let mut app = self.clone();
        for edit in edits {
            app.edit(edit)?;
        }
        // What counts follows what is counted.
        for (count, list) in [("inbox_count", "shown"), ("basket_count", "basket")] {
            let length = app.data.get(list).and_then(Value::as_array).map(Vec::len);
            if let (Some(length), Some(count)) = (length, app.data.get_mut(count)) {
                *count = length.into();
            }
        }
        Some(app)
    }

    fn edit(&mut self, edit: &Edit) -> Option<()> {
        match edit {
            Edit::Title(title) => self.title.clone_from(title),
            Edit::Set(id, key, value) => self.component(id)?[*key] = value.clone(),
            Edit::SetData(pointer, text) => {
                *self.data.pointer_mut(pointer)? = text.as_str().into();
            }
            Edit::Append(pointer, item) => {
                let list = self.data.pointer_mut(pointer)?.as_array_mut()?;
                list.push(item.clone());
            }
            // What both removed is gone.
            Edit::Remove { parent, child } => drop(self.take(parent, child)),
            Edit::Insert { parent, below, new } => {
                let id = new[0]["id"].as_str()?.to_owned();
                self.put(parent, below.as_deref(), &id)?;
                self.components.extend(new.iter().cloned());
            }
            Edit::Move {
                child,
                from,
                to,
                below,
            } => {
                self.take(from, child)?;
                self.put(to, below.as_deref(), child)?;
            }
        }
        Some(())
    }

    /// Returns the app with both sides' changes; `None` if their order matters.
    fn with_both(&self, ours: &[Edit], theirs: &[Edit]) -> Option<Self> {
        let sorted = |edits: &[&[Edit]]| {
            let mut app = self.edited(&edits.concat())?;
            app.components.sort_by_key(|it| it["id"].to_string());
            Some(app)
        };
        let [one, other] = [sorted(&[ours, theirs])?, sorted(&[theirs, ours])?];
        (one == other).then_some(one)
    }

    fn surface(&self) -> String {
        let catalogue = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json";
        let id = "s";
        serde_json::to_string(&json!([
            { "version": "v0.9", "createSurface": { "surfaceId": id, "catalogId": catalogue } },
            { "version": "v0.9", "updateComponents": { "surfaceId": id, "components": self.components } },
            { "version": "v0.9", "updateDataModel": { "surfaceId": id, "value": self.data } },
        ]))
        .expect("JSON")
    }
}

/// Draws pairs of changes of these apps.
pub fn cases(apps: &[App], seed: u64, count: usize, most: usize) -> Vec<Case> {
    let mut random = Rng::with_seed(seed);
    let mut versions: Vec<[Option<App>; 4]> = Vec::new();
    while versions.len() < count {
        let base = &apps[random.usize(0..apps.len())];
        let mut edits = |side| {
            Editor {
                random: &mut random,
                side,
                count: 0,
            }
            .edits(base, most)
        };
        let (ours, theirs) = (edits("a"), edits("b"));
        let both = base.with_both(&ours, &theirs);
        versions.push([
            Some(base.clone()),
            base.edited(&ours),
            base.edited(&theirs),
            both,
        ]);
    }
    let [base, ours, theirs, both] =
        [0, 1, 2, 3].map(|version| draw(versions.iter().map(|it| it[version].as_ref())));
    let all = base
        .into_iter()
        .zip(ours)
        .zip(theirs)
        .zip(both)
        .zip(versions);
    all.filter_map(|((((base, ours), theirs), both), versions)| {
        // A screen that does not come to rest is no case.
        let is_drawn = both.is_some() == versions[3].is_some();
        let both = both.map_or([None, None], |both| both.files.map(|file| Some(file.1)));
        Some(Case {
            base: base?,
            ours: ours?,
            theirs: theirs?,
            both,
        })
        .filter(|_| is_drawn)
    })
    .collect()
}

/// Runs each app and returns the goldens that it stores.
fn draw<'a>(apps: impl Iterator<Item = Option<&'a App>>) -> Vec<Option<Golden>> {
    let project = Project::empty();
    let mut names = Vec::new();
    let apps: Vec<Option<&App>> = apps.collect();
    for (number, app) in apps.iter().enumerate() {
        let Some(app) = app else {
            continue;
        };
        let title = serde_json::to_string(&app.title).expect("JSON");
        project.write(&format!("apps/c{number}/s.yaml"), &app.surface());
        project.write(
            &format!("apps/c{number}/app.yaml"),
            &format!("package: com.example.c{number}\nlabel: Case\nactivities:\n  .Main: {{ surface: s.yaml, title: {title}, launchable: true }}\n"),
        );
        project.write(
            &format!("flows/c{number}.yaml"),
            &format!("app: com.example.c{number}\nsteps: [ launch, {{ snapshot: home }} ]\n"),
        );
        names.push(format!("apps/c{number}"));
    }
    project.write(
        "runner.yaml",
        &format!("devices: [virtual]\napps: [{}]\n", names.join(", ")),
    );
    let ran = project.run(&["test", "--update"]);
    let stored = |number| Golden::read(&project, &format!("snapshots/c{number}"));
    let drawn: Vec<Option<Golden>> = (0..apps.len()).map(stored).collect();
    assert!(drawn.iter().any(Option::is_some), "{}", ran.stderr);
    drawn
}
