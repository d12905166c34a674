//! Measures how well `--changed-since` chooses. The files of a demo project are changed at random and all
//! flows run; every flow whose result changes should be among those chosen.
//!
//! Four maps are measured: a whole one, one with a gap, the same gap where the history knows nothing of use,
//! and one that leaves out what a flow merely mentions.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::common::{Project, needs};

/// Complete map from the app's files to flows.
const WHOLE: &str = "
  apps/demo/app.yaml: { flows: 'flows/**' }
  apps/demo/sign-in.yaml: { tags: login }
  apps/demo/inbox.yaml: { tags: [inbox, note] }
  apps/demo/note.yaml: { tags: note }
  apps/demo/form.yaml: { tags: form }
  apps/demo/settings.yaml: { tags: settings }
  'src/**': { flows: [] }
";

/// Map of somebody who forgot that the notes' texts are also the inbox's, and the content of `app.yaml`.
const WITH_GAPS: &str = "
  apps/demo/app.yaml: { tags: login }
  apps/demo/sign-in.yaml: { tags: login }
  apps/demo/inbox.yaml: { tags: inbox }
  apps/demo/note.yaml: { tags: note }
  apps/demo/form.yaml: { tags: form }
  apps/demo/settings.yaml: { tags: settings }
  'src/**': { flows: [] }
";

/// Map without the files that [`MENTIONS`] mentions.
const MENTIONED: &str = "
  'src/**': { flows: [] }
";

/// Flow that mentions files but does not use them.
const MENTIONS: &str = "# All of ../apps/demo/ and ${folder}/${screen}.yaml, as in ../apps/demo/note.yaml.\nsteps: [ back ]\n";

const FLOWS: [(&str, &str); 12] = [
    (
        "login-empty",
        "tags: [login]\nsteps:\n  - launch: { clear: true }\n  - assert visible: Welcome to Notes\n  - assert: { id: sign_in, enabled: false }\n  - snapshot: empty\n",
    ),
    (
        "login-wrong",
        "tags: [login]\nsteps:\n  - launch: { clear: true }\n  - type: { into: { id: username }, text: ada }\n  - type: { into: { id: password }, text: guessed }\n  - click: { id: sign_in }\n  - assert visible: Wrong password\n",
    ),
    (
        "login-right",
        "tags: [login, inbox]\nsetup: [ { run: _sign-in.yaml } ]\nsteps:\n  - assert: { id: inbox_count, text: \"40\" }\n",
    ),
    (
        "inbox-list",
        "tags: [inbox]\nsteps:\n  - clear\n  - launch: { activity: .Inbox }\n  - assert visible: Groceries\n  - assert visible: Ideas for the garden\n  - snapshot: top\n",
    ),
    (
        "inbox-search",
        "tags: [inbox]\nsteps:\n  - clear\n  - launch: { activity: .Inbox }\n  - type: { into: { id: search }, text: letter }\n  - assert: { id: inbox_count, text: \"2\" }\n",
    ),
    (
        "note-link",
        "tags: [note]\nsteps:\n  - clear\n  - open_link: notes://note/n02\n  - assert: { id: title, text: Ideas for the garden }\n  - snapshot: note\n",
    ),
    (
        "note-keep",
        "tags: [note]\nsteps:\n  - clear\n  - open_link: notes://note/n05\n  - click: { id: delete }\n  - assert visible: Delete this note?\n  - click: Keep it\n  - assert not visible: Delete this note?\n",
    ),
    (
        "form-empty",
        "tags: [form]\nsteps:\n  - clear\n  - launch: { activity: .Form }\n  - find: { id: email }\n  - snapshot: empty\n",
    ),
    (
        "form-mail",
        "tags: [form]\nsteps:\n  - clear\n  - launch: { activity: .Form }\n  - type: { into: { id: email }, text: grace }\n  - assert visible: This is no e-mail address\n",
    ),
    (
        "settings-general",
        "tags: [settings]\nsteps:\n  - clear\n  - launch: { activity: .Settings }\n  - assert: { id: sync, checked: true }\n  - snapshot: general\n",
    ),
    (
        "settings-look",
        "tags: [settings]\nsteps:\n  - clear\n  - launch: { activity: .Settings }\n  - click: Look\n  - assert: { text: As the system, checked: true }\n  - snapshot: look\n",
    ),
    (
        "settings-about",
        "tags: [settings]\nsteps:\n  - clear\n  - launch: { activity: .Settings }\n  - click: About\n  - assert visible: Version 1.4.2\n",
    ),
];

/// A committed project with its map.
struct Subject {
    project: Project,
}

/// Status of each flow, and its duration.
type Results = BTreeMap<String, (String, u64)>;

impl Subject {
    fn new(map: &str) -> Self {
        let project = Project::with_demo_app();
        project.write(
            "runner.yaml",
            &format!("devices: [virtual]\napps: [apps/demo]\nstep_timeout: 800ms\nimpact:{map}"),
        );
        project.write(".gitignore", ".runner/\n*.new.*\nevents.ndjson\nother/\n");
        for (name, text) in FLOWS {
            project.flow(name, text);
        }
        let sign_in = concat!(env!("CARGO_MANIFEST_DIR"), "/flows/_sign-in.yaml");
        project.write(
            "flows/_sign-in.yaml",
            &std::fs::read_to_string(sign_in).unwrap(),
        );
        project.write(
            "src/Notes.kt",
            "fun main() {\n  println(\"Groceries\")\n}\n",
        );
        Self { project }
    }

    fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .current_dir(self.project.path(""))
            .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
            .args(arguments)
            .output()
            .expect("git starts");
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }

    fn commit(&self) {
        self.git(&["init", "--quiet", "--initial-branch", "main"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "All"]);
        self.git(&["branch", "base"]);
    }

    fn reset(&self) {
        self.git(&["reset", "--quiet", "--hard", "base"]);
        self.git(&["clean", "--quiet", "--force", "-d"]);
    }

    /// Runs all flows, and returns their results.
    fn results(&self, arguments: &[&str]) -> Results {
        let arguments = [&["test", "--json", "events.ndjson"], arguments].concat();
        self.project.run(&arguments);
        let mut results = Results::new();
        for line in self.project.read("events.ndjson").lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            let (flow, status, ms) = match event["event"].as_str() {
                Some("unreadable") => (&event["flow"], "unreadable", 0),
                Some("flow_finished") if event["last"] == true => (
                    &event["id"]["flow"],
                    event["status"].as_str().unwrap(),
                    event["duration_ms"].as_u64().unwrap(),
                ),
                _ => continue,
            };
            results.insert(flow.as_str().unwrap().to_owned(), (status.to_owned(), ms));
        }
        assert_eq!(results.len(), FLOWS.len(), "{results:?}");
        results
    }

    /// Returns the flows that would run for the change: all but those left out, and unreadable ones.
    fn chosen(&self, history: &str) -> BTreeSet<String> {
        let since = ["--changed-since", "base", "--history", history];
        let ran = self
            .project
            .run(&[&["test", "--list", "--verbose"][..], &since].concat());
        assert!([0, 2].contains(&ran.code), "{ran:?}");
        assert!(ran.stderr.contains("changed file since"), "{ran:?}");
        let left_out: BTreeSet<&str> = ran
            .stderr
            .lines()
            .filter_map(|line| line.strip_prefix("  left out  "))
            .collect();
        FLOWS
            .iter()
            .map(|(name, _)| format!("flows/{name}.yaml"))
            .filter(|flow| !left_out.contains(flow.as_str()))
            .collect()
    }
}

/// Changes a line of a text: removes it, or changes a word or a number in it.
fn mutate(text: &str, random: &mut fastrand::Rng) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.usize(..lines.len().max(1));
    let line = lines.get(at)?.clone();
    if line.trim().is_empty() || line.trim_start().starts_with('#') {
        return None;
    }
    let is_word = |word: &&str| word.len() > 2 && word.chars().all(char::is_alphanumeric);
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(is_word)
        .collect();
    if words.is_empty() || random.u8(..6) == 0 {
        lines.remove(at);
    } else {
        let word = words[random.usize(..words.len())];
        let other = if word.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("{word}1")
        } else {
            format!("{word}x")
        };
        lines[at] = line.replacen(word, &other, 1);
    }
    Some(lines.join("\n") + "\n")
}

/// A file and its new text, or `None` to remove it.
type Mutation = (String, Option<String>);

fn mutation(subject: &Subject, random: &mut fastrand::Rng) -> Option<Mutation> {
    let folder = match random.u8(..20) {
        0..12 => "apps/demo",
        12..15 => "flows",
        15..19 => "snapshots",
        _ => "src",
    };
    let files = subject.project.files(folder);
    let file = format!("{folder}/{}", files[random.usize(..files.len())]);
    if file.ends_with(".png") {
        return Some((file, None));
    }
    let text = subject.project.read(&file);
    let text = mutate(&text, random)?;
    Some((file, Some(text)))
}

fn apply(subject: &Subject, (file, text): &Mutation) {
    match text {
        Some(text) => drop(subject.project.write(file, text)),
        None => std::fs::remove_file(subject.project.path(file)).unwrap(),
    }
}

/// Totals of one map.
#[derive(Default)]
struct Measure {
    changed: usize,
    found: usize,
    left_out: usize,
    saved_ms: u64,
    missed: Vec<String>,
}

impl Measure {
    fn add(
        &mut self,
        file: &str,
        chosen: &BTreeSet<String>,
        changed: &[&String],
        before: &Results,
    ) {
        self.changed += changed.len();
        for flow in changed {
            if chosen.contains(*flow) {
                self.found += 1;
            } else {
                self.missed.push(format!("{flow} for {file}"));
            }
        }
        for (flow, (_, ms)) in before {
            if !chosen.contains(flow) {
                self.left_out += 1;
                self.saved_ms += ms;
            }
        }
    }

    fn recall(&self) -> f64 {
        self.found as f64 / self.changed.max(1) as f64
    }

    fn print(&self, name: &str, mutations: u64, before: &Results) {
        let all_ms: u64 = before.values().map(|(_, ms)| ms).sum::<u64>() * mutations;
        println!(
            "{name}: {mutations} mutations, {} changed results, recall {:.4}, {:.0} % of the flows left out, {:.0} % of the time saved, missed: {:?}",
            self.changed,
            self.recall(),
            100.0 * self.left_out as f64 / (before.len() as u64 * mutations) as f64,
            100.0 * self.saved_ms as f64 / all_ms as f64,
            self.missed,
        );
    }
}

#[test]
fn every_flow_whose_result_changes_is_chosen_where_the_map_is_whole() {
    let mutations = needs::long(8, 300);
    let (whole, gaps) = (Subject::new(WHOLE), Subject::new(WITH_GAPS));
    let mentioned = Subject::new(MENTIONED);
    mentioned.project.flow("mentions", MENTIONS);
    // The goldens, and the history of what flows meet.
    whole.project.run(&["test", "--update=all"]).expect(0);
    let before = whole.results(&[]);
    assert!(
        before.values().all(|(status, _)| status == "passed"),
        "{before:?}"
    );
    for file in whole.project.files("snapshots") {
        let file = format!("snapshots/{file}");
        for other in [&gaps, &mentioned] {
            let to = other.project.path(&file);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(whole.project.path(&file), to).unwrap();
        }
    }
    for subject in [&whole, &gaps, &mentioned] {
        subject.commit();
    }
    // The same history, and one in which no flow met anything.
    let known = whole.project.path(".runner/history");
    let known = known.to_str().unwrap();
    let files = whole.project.files(".runner/history");
    for file in files.iter().filter(|name| !name.contains('/')) {
        let text = whole.project.read(&format!(".runner/history/{file}"));
        let lines = text.lines().map(|line| {
            if line.starts_with("{\"met\"") {
                "{\"met\":{}}"
            } else {
                line
            }
        });
        let text: Vec<&str> = lines.collect();
        gaps.project
            .write(&format!("other/{file}"), &(text.join("\n") + "\n"));
    }

    let mut random = fastrand::Rng::with_seed(4);
    let mut measures: [Measure; 4] = Default::default();
    let mut done = 0;
    while done < mutations {
        let Some(mutation) = mutation(&whole, &mut random) else {
            continue;
        };
        apply(&whole, &mutation);
        // An app that does not read is one that does not compile: nobody tests it.
        let file = &mutation.0;
        if file.starts_with("apps/") && whole.project.run(&["lint"]).code != 0 {
            whole.reset();
            continue;
        }
        apply(&gaps, &mutation);
        apply(&mentioned, &mutation);
        let after = whole.results(&["--update=none", "--history", "other/history"]);
        let changed: Vec<&String> = after
            .iter()
            .filter(|(flow, (status, _))| before[*flow].0 != *status)
            .map(|(flow, _)| flow)
            .collect();
        let chosen = [
            whole.chosen(known),
            gaps.chosen(known),
            gaps.chosen("other"),
            mentioned.chosen(known),
        ];
        for (measure, chosen) in measures.iter_mut().zip(&chosen) {
            measure.add(file, chosen, &changed, &before);
        }
        done += 1;
        if done % 50 == 0 {
            println!("{done} mutations, recall {:.4}", measures[0].recall());
        }
        whole.reset();
        gaps.reset();
        mentioned.reset();
    }
    let [of_whole, of_gaps, of_unknown, of_mentioned] = &measures;
    of_whole.print("a whole map", mutations, &before);
    of_gaps.print("a map with gaps", mutations, &before);
    of_unknown.print(
        "a map with gaps, and no use of the history",
        mutations,
        &before,
    );
    of_mentioned.print("a map without what is mentioned", mutations, &before);
    assert!(of_mentioned.recall() >= 0.99, "{:?}", of_mentioned.missed);
    assert!(of_whole.changed > 0, "no mutation changed a result");
    assert!(of_whole.recall() >= 0.99, "{:?}", of_whole.missed);
    assert!(of_whole.left_out > 0);
    // What the history knows only adds.
    assert!(of_gaps.found >= of_unknown.found);
}
