//! What waits for review after a scripted change of an app, and what deciding about it leaves.

mod common;

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use runner::config::{Config, Overrides};
use runner::context::Context;
use runner::review::{Queue, Review};
use runner::snapshot::{ChangeKind, GoldenKey};

use common::Project;
use common::review::{self, scripted_change};

/// The review of a project, as the program opens it.
fn open(project: &Project) -> Review {
    let root = Utf8PathBuf::from_path_buf(project.path("")).expect("a Unicode path");
    let context = Context::fixed(root, BTreeMap::new());
    let config = Config::resolve(&context, &Overrides::default()).expect("a configuration");
    Review::open(&config).expect("a review")
}

fn key(text: &str) -> GoldenKey {
    text.parse().expect("a key")
}

fn keys(texts: &[&str]) -> Vec<GoldenKey> {
    texts.iter().map(|text| key(text)).collect()
}

/// Kind, title and keys of each group.
fn shown(queue: &Queue) -> Vec<(ChangeKind, Vec<String>)> {
    queue
        .groups
        .iter()
        .map(|group| {
            let keys = group.items.iter().map(|item| item.key.to_string());
            (group.cause.kind, keys.collect())
        })
        .collect()
}

#[test]
fn pending_lists_what_the_script_changed_and_nothing_else() {
    let change = scripted_change();
    let listed = change.project.run(&["pending", "-q"]).expect(1);
    let mut expected = vec![review::NEW, review::SIZE, review::LAYOUT, review::PIXELS];
    expected.extend(review::TEXT);
    expected.sort_unstable();
    let found: Vec<&str> = listed.stdout.lines().collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), review::PENDING);
}

#[test]
fn the_queue_groups_by_cause_and_knows_where_each_golden_is_taken() {
    let change = scripted_change();
    let review = open(&change.project);
    let queue = review.queue().unwrap();
    let one = |key: &str| vec![key.to_owned()];
    assert_eq!(
        shown(&queue),
        [
            (ChangeKind::Size, one(review::SIZE)),
            (ChangeKind::Layout, one(review::LAYOUT)),
            (ChangeKind::Text, review::TEXT.map(str::to_owned).to_vec()),
            (ChangeKind::Pixels, one(review::PIXELS)),
            (ChangeKind::New, one(review::NEW)),
            (ChangeKind::Obsolete, one(review::OBSOLETE)),
        ]
    );
    let place = |key: &str| {
        let item = queue.items().find(|item| item.key.to_string() == key);
        item.and_then(|item| item.place.clone())
            .map(|place| format!("{}:{}:{}", place.file, place.line, place.column))
    };
    assert_eq!(
        place(review::LAYOUT).as_deref(),
        Some("flows/form.yaml:4:5")
    );
    assert_eq!(place(review::NEW).as_deref(), Some("flows/inbox.yaml:8:5"));
    assert_eq!(place(review::OBSOLETE), None);
    let text = &queue.groups[2].cause.title;
    assert!(
        text.contains(review::OLD_TITLE) && text.contains(review::NEW_TITLE),
        "{text}"
    );
}

#[test]
fn the_version_changes_with_what_waits_and_with_the_flows() {
    let change = scripted_change();
    let review = open(&change.project);
    let first = review.queue().unwrap().version;
    assert_eq!(review.version().unwrap(), first);
    review.reject(&keys(&[review::PIXELS])).unwrap();
    let second = review.version().unwrap();
    assert_ne!(second, first);
    assert_eq!(review.queue().unwrap().version, second);
    change
        .project
        .replace("flows/form.yaml", "steps:", "# one line more\nsteps:");
    assert_ne!(review.version().unwrap(), second);
    let queue = review.queue().unwrap();
    let item = queue.items().find(|item| item.key == key(review::LAYOUT));
    assert_eq!(item.unwrap().place.as_ref().unwrap().line, 5);
}

#[test]
fn what_cannot_be_read_is_an_item_that_says_so() {
    let change = scripted_change();
    let file = format!("snapshots/{}.new.png", review::PIXELS);
    change.project.write(&file, "no picture");
    let review = open(&change.project);
    let queue = review.queue().unwrap();
    assert_eq!(queue.len(), review::PENDING + 1);
    let broken = &queue.groups[0].items[0];
    assert_eq!(broken.key, key(review::PIXELS));
    assert!(broken.error.is_some());
    let case = review.case(&key(review::PIXELS)).unwrap();
    assert!(case.item.error.is_some());
    assert!(case.diff.proposed.is_none());
    let accepted = review
        .accept(&keys(&[review::PIXELS, review::NEW]))
        .unwrap();
    assert_eq!(accepted.accepted, keys(&[review::NEW]));
    assert_eq!(accepted.refused[0].0, key(review::PIXELS));
}

#[test]
fn what_somebody_else_decided_is_refused_and_said() {
    let change = scripted_change();
    let review = open(&change.project);
    change.project.run(&["reject", review::NEW]).expect(0);
    let accepted = review
        .accept(&keys(&[review::NEW, review::LAYOUT]))
        .unwrap();
    assert_eq!(accepted.accepted, keys(&[review::LAYOUT]));
    let (refused, why) = &accepted.refused[0];
    assert_eq!(*refused, key(review::NEW));
    assert!(why.to_string().contains("somebody else"), "{why}");
    assert!(review.case(&key(review::NEW)).is_err());
}

#[test]
fn an_obsolete_golden_that_was_kept_is_not_asked_about_again() {
    let change = scripted_change();
    let review = open(&change.project);
    let case = review.case(&key(review::OBSOLETE)).unwrap();
    assert!(case.diff.golden.is_some() && case.diff.proposed.is_none());
    assert!(case.diff.lines.iter().all(|line| line.actual.is_none()));
    assert!(!case.diff.lines.is_empty());
    let rejected = review.reject(&keys(&[review::OBSOLETE])).unwrap();
    assert_eq!(rejected, keys(&[review::OBSOLETE]));
    assert_eq!(review.queue().unwrap().len(), review::PENDING);
    let golden = format!("snapshots/{}.png", review::OBSOLETE);
    assert!(change.project.path(&golden).exists());
    // Another review asks again.
    assert_eq!(
        open(&change.project).queue().unwrap().len(),
        review::PENDING + 1
    );
}

#[test]
fn a_flow_that_does_not_read_makes_no_golden_obsolete() {
    let change = scripted_change();
    change
        .project
        .write("flows/inbox.yaml", "steps: [ no, such: step");
    let queue = open(&change.project).queue().unwrap();
    assert_eq!(queue.len(), review::PENDING, "{:?}", shown(&queue));
}
