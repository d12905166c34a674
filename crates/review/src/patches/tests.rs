//! Tests of decisions about patches, in the project and from an archive.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::context::Context;
use runner_config::{Config, Overrides};
use runner_mend::{Evidence, FlowSelectors, GreenRun, Look, PendingFolder};
use runner_screen::{DisplayContext, Screen};
use runner_snapshot::{ChangeKind, GoldenKey};
use runner_text::diagnostic::line_column;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::terminal::worker::{WorkerMessage, Workers};
use crate::{ArchiveReview, Decisions, ObservedVersions, Review, import, web};

const LOGIN: &str =
    "app: com.example\nsteps:\n  - launch\n  - click: { id: sign_in } # go\n  - run: _check.yaml\n";
/// A flow in whose file two ids were renamed.
const TWO: &str = "app: com.example\nsteps:\n  - launch\n  - click: { id: sign_in }\n  - assert visible: { id: title }\n";
const CHECK: &str = "steps:\n  - assert not visible: { id: sign_in }\n";

struct Project {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
    config: Config,
}

fn screen(id: &str) -> Screen {
    screen_with("title", id)
}

fn screen_with(title: &str, id: &str) -> Screen {
    let dump = format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" package=\"com.example\" enabled=\"true\" bounds=\"[0,0][400,800]\"><node class=\"android.widget.TextView\" resource-id=\"com.example:id/{title}\" text=\"Welcome\" package=\"com.example\" enabled=\"true\" bounds=\"[0,0][400,100]\"/><node class=\"android.widget.Button\" resource-id=\"com.example:id/{id}\" text=\"Sign in\" package=\"com.example\" clickable=\"true\" enabled=\"true\" bounds=\"[0,200][400,300]\"/></node></hierarchy>"
    );
    let display = runner_screen::Display {
        width: 400,
        height: 800,
        density: 160,
        rotation: 0,
    };
    let surroundings = DisplayContext {
        display: Some(display),
        ..DisplayContext::default()
    };
    Screen::parse(dump.as_bytes(), &surroundings).unwrap()
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        fs_err::create_dir_all(root.join("flows")).unwrap();
        fs_err::write(root.join("flows/login.yaml"), LOGIN).unwrap();
        fs_err::write(root.join("flows/_check.yaml"), CHECK).unwrap();
        let context = Context::fixed(root.clone(), BTreeMap::new());
        let config = Config::resolve(&context, &Overrides::default()).unwrap();
        Self {
            _folder: folder,
            root,
            config,
        }
    }

    fn read(&self, name: &str) -> String {
        fs_err::read_to_string(self.root.join(name)).unwrap()
    }

    fn flows(&self) -> [String; 2] {
        ["flows/login.yaml", "flows/_check.yaml"].map(|name| self.read(name))
    }

    /// Returns the evidence of a run of the flow after the id was renamed.
    fn evidence(&self, to: &str) -> Evidence {
        self.evidence_of("flows/login.yaml", 0, &screen(to))
    }

    /// Returns the evidence of a selector of a flow that matches nothing on the screen `after`.
    fn evidence_of(&self, flow: &str, number: usize, after: &Screen) -> Evidence {
        let path = Utf8Path::new(flow);
        let flow = runner_flow::read_flow(path, &self.config.read_options());
        let flow = FlowSelectors::new(&flow.0.unwrap());
        let used = &flow.uses[number];
        let before = screen("sign_in");
        let plain = |text: &str| text.to_owned();
        Evidence::new(
            (
                flow.file.clone(),
                used.source.path.clone(),
                line_column(&used.source.text, used.span.start),
            ),
            used.selector.to_string(),
            GreenRun::default(),
            (Look::new(&before, plain), used.selector.find(&before)[0]),
            Look::new(after, plain),
        )
    }

    /// Returns the evidence of both renamed ids of [`TWO`], whose flow it writes.
    fn two_in_one_file(&self) -> [Evidence; 2] {
        fs_err::write(self.root.join("flows/two.yaml"), TWO).unwrap();
        let flow = "flows/two.yaml";
        [
            self.evidence_of(flow, 0, &screen("login_button")),
            self.evidence_of(flow, 1, &screen_with("heading", "sign_in")),
        ]
    }

    fn waits(&self, to: &str) -> Review {
        let folder = PendingFolder::new(&self.root);
        folder.keep(&self.evidence(to)).unwrap();
        Review::open(&self.config).unwrap()
    }

    fn archive(&self, files: &[(&str, Vec<u8>)]) -> Utf8PathBuf {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(bytes).unwrap();
        }
        let path = self.root.join("a.zip");
        fs_err::write(&path, writer.finish().unwrap().into_inner()).unwrap();
        path
    }
}

fn only_key(review: &Review) -> Option<GoldenKey> {
    let queue = review.queue().unwrap();
    let keys: Vec<_> = queue.items().map(|item| item.key.clone()).collect();
    assert!(keys.len() <= 1, "{keys:?}");
    keys.into_iter().next()
}

#[test]
fn a_group_is_shown_accepted_as_one_and_taken_back() {
    let project = Project::new();
    let review = project.waits("login_button");
    let queue = review.queue().unwrap();
    let [group] = queue.groups.as_slice() else {
        panic!("{queue:?}");
    };
    assert_eq!(group.cause.kind, ChangeKind::Selector);
    assert_eq!(
        group.cause.title,
        "id `sign_in` → `login_button` in 1 step of 1 flow"
    );
    let item = &group.items[0];
    let place = item.place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line), ("flows/login.yaml", 4));
    let case = review.case(&item.key).unwrap();
    assert!(case.diff.golden.is_some() && case.diff.proposed.is_some());
    assert_eq!(case.diff.places.len(), 1);
    let told = case.diff.rows.join("\n");
    for words in [
        "failed: flows/login.yaml:4:18",
        "would never fail with the old value: flows/_check.yaml:2:31",
        "{ id: login_button } now",
    ] {
        assert!(told.contains(words), "{told}");
    }
    let observed = ObservedVersions::from([(item.key.clone(), item.version.clone())]);
    let done = review
        .accept_observed(std::slice::from_ref(&item.key), &observed)
        .unwrap();
    assert_eq!(
        done.accepted,
        std::slice::from_ref(&item.key),
        "{:?}",
        done.refused
    );
    let renamed = [LOGIN, CHECK].map(|text| text.replace("sign_in", "login_button"));
    assert_eq!(project.flows(), renamed);
    assert_eq!(only_key(&review), None);
    assert_eq!(review.undo().unwrap().keys, std::slice::from_ref(&item.key));
    assert_eq!(project.flows(), [LOGIN, CHECK]);
    assert_eq!(only_key(&review), Some(item.key.clone()));
}

#[test]
fn nothing_is_written_where_a_file_changed_since_it_was_shown() {
    let project = Project::new();
    let review = project.waits("login_button");
    let queue = review.queue().unwrap();
    let item = queue.items().next().unwrap();
    let observed = ObservedVersions::from([(item.key.clone(), item.version.clone())]);
    let edited = format!("# mine\n{CHECK}");
    fs_err::write(project.root.join("flows/_check.yaml"), &edited).unwrap();
    let done = review
        .accept_observed(std::slice::from_ref(&item.key), &observed)
        .unwrap();
    assert!(done.accepted.is_empty() && done.refused.len() == 1);
    assert_eq!(project.flows(), [LOGIN.to_owned(), edited]);
    // What is shown by now can be accepted.
    let queue = review.queue().unwrap();
    let item = queue.items().next().unwrap();
    let observed = ObservedVersions::from([(item.key.clone(), item.version.clone())]);
    let done = review
        .accept_observed(std::slice::from_ref(&item.key), &observed)
        .unwrap();
    assert_eq!(done.accepted.len(), 1);
}

#[test]
fn what_is_rejected_is_not_offered_again_and_can_be_taken_back() {
    let project = Project::new();
    let review = project.waits("login_button");
    let key = only_key(&review).unwrap();
    assert_eq!(
        review.reject(std::slice::from_ref(&key)).unwrap().rejected,
        std::slice::from_ref(&key)
    );
    assert_eq!(only_key(&review), None);
    // The next run leaves the same evidence; another rename is another patch.
    assert_eq!(only_key(&project.waits("login_button")), None);
    assert!(only_key(&project.waits("log_in")).is_some());
    let again = project.waits("login_button");
    assert_eq!(only_key(&again), None);
    assert_eq!(review.undo().unwrap().keys, std::slice::from_ref(&key));
    assert_eq!(only_key(&again), Some(key));
    assert_eq!(project.flows(), [LOGIN, CHECK]);
}

#[test]
fn a_rejection_that_is_not_remembered_is_refused_with_the_reason() {
    let project = Project::new();
    let review = project.waits("login_button");
    let key = only_key(&review).unwrap();
    let gone: GoldenKey = ".selectors/id-gone-1a2b3c".parse().unwrap();
    // A folder in the place of the list, which cannot be replaced by a file.
    fs_err::create_dir_all(project.root.join(".runner/mend/rejected/x")).unwrap();
    let done = review.reject(&[key.clone(), gone.clone()]).unwrap();
    assert!(done.rejected.is_empty());
    let refused: Vec<GoldenKey> = done.refused.into_iter().map(|(key, _)| key).collect();
    assert_eq!(refused, [key, gone]);
}

#[test]
fn an_archives_evidence_is_decided_about_in_files() {
    let project = Project::new();
    let evidence = project.evidence("login_button");
    let packed = evidence.pack().unwrap();
    let name = format!("job/out/flows/login/virtual-1/{}", evidence.file_name());
    let archive = project.archive(&[(&name, packed)]);
    let archived = ArchiveReview::open(&project.config, &archive).unwrap();
    let folder = project.root.join("page");
    assert_eq!(
        web::write(&archived, folder.clone(), &web::Origin::default()).unwrap(),
        1
    );
    let page = project.read("page/queue.js");
    let page = page.strip_prefix("const REVIEW = ").unwrap().trim_end();
    let page: serde_json::Value = serde_json::from_str(page.trim_end_matches(';')).unwrap();
    let key = archived.patches().groups[0].key.to_string();
    let sides = &page["sides"][&key];
    let decide = |decision: &str, actual: &serde_json::Value| {
        let file = serde_json::json!({
            "runner-decisions": 1, "archive": page["archive"],
            "decisions": [{ "snapshot": key, "golden": sides[0], "actual": actual, "decision": decision }],
        });
        let archived = ArchiveReview::open(&project.config, &archive).unwrap();
        archived
            .apply(&Decisions::read(&file.to_string()).unwrap())
            .unwrap()
    };
    let stale = decide("accept", &sides[0]);
    assert_eq!(stale.stale.len(), 1);
    assert_eq!(project.flows(), [LOGIN, CHECK]);
    let applied = decide("accept", &sides[1]);
    assert_eq!(applied.accepted.accepted.len(), 1, "{:?}", applied.stale);
    assert!(project.read("flows/login.yaml").contains("login_button"));
    // Once more: by now the flow has no such selector.
    assert_eq!(decide("accept", &sides[1]).stale.len(), 1);
}

#[test]
fn groups_that_edit_the_same_file_are_written_together() {
    let project = Project::new();
    let folder = PendingFolder::new(&project.root);
    for evidence in project.two_in_one_file() {
        folder.keep(&evidence).unwrap();
    }
    let review = Review::open(&project.config).unwrap();
    let queue = review.queue().unwrap();
    let keys: Vec<GoldenKey> = queue.items().map(|item| item.key.clone()).collect();
    let versions = queue
        .items()
        .map(|item| (item.key.clone(), item.version.clone()));
    let done = review.accept_observed(&keys, &versions.collect()).unwrap();
    assert_eq!(done.accepted.len(), 2, "{:?}", done.refused);
    let renamed = TWO
        .replace("sign_in", "login_button")
        .replace("title", "heading");
    assert_eq!(project.read("flows/two.yaml"), renamed);
    assert_eq!(review.undo().unwrap().keys.len(), 2);
    assert_eq!(project.read("flows/two.yaml"), TWO);
}

#[test]
fn an_archives_decisions_are_carried_out_together_or_not_at_all() {
    let project = Project::new();
    let packed = project
        .two_in_one_file()
        .map(|evidence| (evidence.file_name(), evidence.pack().unwrap()));
    let files = packed
        .each_ref()
        .map(|(name, packed)| (name.as_str(), packed.clone()));
    let archive = project.archive(&files);
    let archived = || ArchiveReview::open(&project.config, &archive).unwrap();
    let keys: Vec<String> = archived()
        .patches()
        .groups
        .iter()
        .map(|group| group.key.to_string())
        .collect();
    assert_eq!(keys.len(), 2);
    let decide = |accept: &[&str], reject: &[&str]| {
        let archived = archived();
        let line = serde_json::json!({
            "archive": archived.digest().as_str(), "accept": accept, "reject": reject,
        });
        let line = Decisions::read(&format!("/runner decide {line}")).unwrap();
        archived.apply(&line).unwrap()
    };
    let rejected = || PendingFolder::new(&project.root).rejected();
    let stale = decide(&["login/gone~lab"], &[&keys[0]]);
    assert_eq!(stale.stale.len(), 1);
    assert!(rejected().is_empty(), "{:?}", rejected());
    // Nor is one remembered where the flow of another patch cannot be written.
    let opened = archived();
    let decisions = serde_json::json!({
        "archive": opened.digest().as_str(), "accept": [&keys[0]], "reject": [&keys[1]],
    });
    let decisions = Decisions::read(&format!("/runner decide {decisions}")).unwrap();
    fs_err::write(
        project.root.join("flows/two.yaml"),
        format!("# mine\n{TWO}"),
    )
    .unwrap();
    opened.apply(&decisions).unwrap_err();
    assert!(rejected().is_empty(), "{:?}", rejected());
    fs_err::write(project.root.join("flows/two.yaml"), TWO).unwrap();
    let applied = decide(&[&keys[0], &keys[1]], &[]);
    assert_eq!(applied.accepted.accepted.len(), 2, "{:?}", applied.stale);
    let written = project.read("flows/two.yaml");
    assert!(written.contains("login_button") && written.contains("heading"));
}

#[test]
fn an_archive_is_taken_into_the_project_without_a_golden() {
    let project = Project::new();
    let evidence = project.evidence("login_button");
    let name = evidence.file_name();
    let second = format!("b/{name}");
    let archive = project.archive(&[
        (&format!("a/{name}"), evidence.pack().unwrap()),
        (&second, project.evidence("login_button").pack().unwrap()),
        (&format!("../{name}"), evidence.pack().unwrap()),
        ("c/cut.mend.gz", evidence.pack().unwrap()[..40].to_vec()),
        ("c/text.mend.gz", b"hello".to_vec()),
    ]);
    let imported = import(&project.config.store(), &archive).unwrap();
    assert_eq!((imported.selectors, imported.refused.len()), (1, 3));
    assert!(!imported.is_all_refused());
    imported.keep_evidence(&project.root).unwrap();
    let review = Review::open(&project.config).unwrap();
    let key = only_key(&review).unwrap();
    assert_eq!(review.accept(&[key]).unwrap().accepted.len(), 1);
}

#[test]
fn evidence_of_another_project_makes_no_patch_and_says_why() {
    let project = Project::new();
    let good = project.evidence("login_button");
    let json = serde_json::to_string(&good).unwrap();
    let folder = PendingFolder::new(&project.root);
    for (from, to) in [
        ("flows/login.yaml", "../../../etc/passwd.yaml"),
        ("flows/login.yaml", "/etc/passwd.yaml"),
        ("flows/login.yaml", "flows/gone.yaml"),
        ("\\\"sign_in\\\"", "\\\"sign_up\\\""),
    ] {
        let other: Evidence = serde_json::from_str(&json.replace(from, to)).unwrap();
        folder.keep(&other).unwrap();
        let found = super::patches(&project.config);
        assert!(found.groups.is_empty(), "{to}");
        assert_eq!(found.refused.len(), 1, "{to}: {:?}", found.refused);
        folder.remove(&other.file_name()).unwrap();
    }
}

/// A decision about an old group would be refused each time: the flow is not as it was.
#[test]
fn the_terminal_reads_a_group_again_once_its_flow_changed() {
    let project = Project::new();
    let review = project.waits("login_button");
    let key = review.queue().unwrap().items().next().unwrap().key.clone();
    let workers = Workers::start(&review).unwrap();
    let read = || {
        workers.want(vec![key.clone()]);
        let mut found = workers.found.iter();
        let case = found.find_map(|message| match message {
            WorkerMessage::Case(_, case) => Some(case.unwrap()),
            WorkerMessage::Queue(..) => None,
        });
        case.unwrap()
    };
    let first = read();
    assert!(Arc::ptr_eq(&first, &read()), "nothing changed");
    let flow = format!("# Signs in.\n{LOGIN}");
    fs_err::write(project.root.join("flows/login.yaml"), flow).unwrap();
    assert!(!Arc::ptr_eq(&first, &read()));
}
