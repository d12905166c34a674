//! Queue of changes after a scripted change of an app, and what is left after decisions.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use runner::config::{Config, Overrides};
use runner::context::Context;
use runner::review::{MaskTarget, ObservedVersions, Queue, Review, UndoResult};
use runner::screen::Rect;
use runner::snapshot::{ChangeKind, GoldenKey, Store};

use crate::common::review::{self, scripted_change};
use crate::common::{Project, Ran};

/// Opens the review of a project as the program does.
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

/// Returns kind, title and keys of each group.
fn summary(queue: &Queue) -> Vec<(ChangeKind, Vec<String>)> {
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
        summary(&queue),
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
fn what_a_run_says_of_its_changes_is_seen_in_the_files_too() {
    let change = scripted_change();
    let root = Utf8PathBuf::from_path_buf(change.project.path("")).expect("a Unicode path");
    let store = Store::new(&root, "snapshots".into());
    let entries = store.pending().unwrap();
    assert_eq!(entries.len(), review::PENDING);
    for entry in entries {
        let reported = entry.cause.clone();
        assert_eq!(
            reported.as_ref(),
            Some(&store.diff_of(entry).unwrap().cause)
        );
    }
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
fn what_a_run_proposed_since_it_was_looked_at_is_not_accepted() {
    let change = scripted_change();
    let review = open(&change.project);
    let queue = review.queue().unwrap();
    let (displayed, listed) = (key(review::LAYOUT), key(review::NEW));
    let observed = queue
        .items()
        .map(|item| (item.key.clone(), item.version.clone()))
        .collect();
    change.project.replace(
        "apps/demo/form.yaml",
        "Others can read this",
        "Nobody can read this",
    );
    change.project.run(&["test", "flows/form.yaml"]).expect(1);
    let accepted = review
        .accept_observed(&[displayed.clone(), listed.clone()], &observed)
        .unwrap();
    assert_eq!(accepted.accepted, [listed]);
    let (refused, why) = &accepted.refused[0];
    assert_eq!(*refused, displayed);
    assert!(why.to_string().contains("look again"), "{why}");
    let again = review.case(&displayed).unwrap().item.version;
    let versions = [(displayed.clone(), again)].into();
    assert_eq!(
        review
            .accept_observed(&keys(&[review::LAYOUT]), &versions)
            .unwrap()
            .accepted,
        [displayed]
    );
}

#[test]
fn accepting_is_one_step_that_undo_takes_back_also_of_an_obsolete_golden() {
    let change = scripted_change();
    let review = open(&change.project);
    let tree = |project: &Project| {
        let read = |name: String| {
            (
                std::fs::read(project.path("snapshots").join(&name)).unwrap(),
                name,
            )
        };
        project
            .files("snapshots")
            .into_iter()
            .map(read)
            .collect::<Vec<_>>()
    };
    let before = tree(&change.project);
    let decided = keys(&[review::OBSOLETE, review::TEXT[0], review::LAYOUT]);
    let mut accepted = review.accept(&decided).unwrap().accepted;
    accepted.sort();
    let mut expected = decided.clone();
    expected.sort();
    assert_eq!(accepted, expected);
    assert_eq!(review.queue().unwrap().len(), review::PENDING + 1 - 3);
    let files = change.project.files("snapshots");
    assert!(
        !files.iter().any(|name| name.starts_with("inbox/gone")),
        "{files:?}"
    );
    let golden = change.project.read("snapshots/about/page.tsv");
    assert!(golden.contains(review::NEW_TITLE), "{golden}");
    let mut again = review.undo().unwrap().keys;
    again.sort();
    assert_eq!(again, expected);
    assert_eq!(tree(&change.project), before);
    assert_eq!(review.queue().unwrap().len(), review::PENDING + 1);
}

/// Checks that an acceptance prints all that it accepts.
#[test]
fn accepting_says_all_that_it_accepts() {
    let change = scripted_change();
    let mut arguments = vec!["accept"];
    arguments.extend(review::TEXT);
    let ran = change.project.run(&arguments).expect(0);
    ran.says("3 snapshots, text:")
        .says("    \"Settings\" → \"Preferences\"");
}

#[test]
fn keeping_an_obsolete_golden_is_taken_back_too() {
    let change = scripted_change();
    let review = open(&change.project);
    review.reject(&keys(&[review::NEW])).unwrap();
    review.reject(&keys(&[review::OBSOLETE])).unwrap();
    assert_eq!(review.undo().unwrap().keys, keys(&[review::OBSOLETE]));
    assert_eq!(review.queue().unwrap().len(), review::PENDING);
    assert_eq!(review.undo().unwrap().keys, keys(&[review::NEW]));
    assert_eq!(review.queue().unwrap().len(), review::PENDING + 1);
    assert_eq!(review.undo().unwrap(), UndoResult::default());
}

#[test]
fn a_mask_is_written_into_the_flow_and_the_next_run_takes_it() {
    let change = scripted_change();
    let review = open(&change.project);
    let layout = key(review::LAYOUT);
    let case = review.case(&layout).unwrap();
    let row = case.diff.lines.iter().find_map(|line| {
        let (number, row) = line.actual.as_ref()?;
        row.res_id.ends_with(review::INSERTED).then_some(*number)
    });
    let target = MaskTarget::Row(row.expect("the inserted row"));
    let written = review.mask(&layout, &target).unwrap();
    assert_eq!(written.mask, "{ id: notice }");
    assert_eq!(written.next, "runner test flows/form.yaml");
    assert_eq!((written.place.line, written.place.column), (6, 15));
    let flow = change.project.read("flows/form.yaml");
    assert!(
        flow.ends_with("  - snapshot:   # nothing is filled in\n      name: empty\n      mask: [ { id: notice } ]\n"),
        "{flow}"
    );
    // Twice is refused, and the file stays.
    assert!(review.mask(&layout, &target).is_err());
    assert_eq!(change.project.read("flows/form.yaml"), flow);
    change
        .project
        .run(&["test", "flows/form.yaml"])
        .expect(1)
        .says("masks changed");
    assert!(review.mask(&key(review::OBSOLETE), &target).is_err());
}

/// A mask that the next run refuses is refused at once, and one that was written is taken back like a decision.
#[test]
fn a_mask_is_small_and_can_be_taken_back() {
    let change = scripted_change();
    let review = open(&change.project);
    let layout = key(review::LAYOUT);
    let before = change.project.read("flows/form.yaml");
    let diff = review.case(&layout).unwrap().diff;
    let picture = diff.proposed.as_ref().unwrap();
    let (width, height) = (picture.width() as i32, picture.height() as i32);
    let most = MaskTarget::Area(Rect::new(0, 0, width, height / 2));
    let refused = review.mask(&layout, &most).unwrap_err().to_string();
    assert!(
        refused.contains("50 %") && refused.contains("40 %"),
        "{refused}"
    );
    assert_eq!(change.project.read("flows/form.yaml"), before);

    review.reject(&keys(&[review::NEW])).unwrap();
    let small = MaskTarget::Area(Rect::new(0, 0, width, height / 10));
    let written = review.mask(&layout, &small).unwrap();
    assert_ne!(change.project.read("flows/form.yaml"), before);
    let back = review.undo().unwrap();
    assert_eq!((back.keys, back.mask), (Vec::new(), Some(written)));
    assert_eq!(change.project.read("flows/form.yaml"), before);
    assert_eq!(review.undo().unwrap().keys, keys(&[review::NEW]));

    // What was edited since stays.
    review.mask(&layout, &small).unwrap();
    let edited = format!("# mine\n{}", change.project.read("flows/form.yaml"));
    change.project.write("flows/form.yaml", &edited);
    let refused = review.undo().unwrap_err().to_string();
    assert!(refused.contains("by hand"), "{refused}");
    assert_eq!(change.project.read("flows/form.yaml"), edited);
}

#[test]
fn what_to_run_after_a_mask_can_be_pasted_into_a_shell() {
    let project = Project::with_demo_app();
    project.flow("it's new", "steps:\n  - launch\n  - snapshot: home\n");
    project.run(&["test"]).expect(1);
    let review = open(&project);
    let waits = review.queue().unwrap().items().next().unwrap().key.clone();
    let area = MaskTarget::Area(Rect::new(0, 200, 300, 400));
    let written = review.mask(&waits, &area).unwrap();
    assert_eq!(written.next, "runner test \"flows/it's new.yaml\"");
}

#[test]
fn a_mask_for_a_flow_that_does_not_read_says_so() {
    let change = scripted_change();
    let review = open(&change.project);
    change
        .project
        .write("flows/form.yaml", "steps: [ { snapshot: empty }, what ]\n");
    let refused = review
        .mask(&key(review::LAYOUT), &MaskTarget::Row(2))
        .unwrap_err();
    let reported = refused.to_string();
    assert!(
        reported.contains("`runner lint flows/form.yaml`"),
        "{reported}"
    );
}

#[test]
fn a_mask_is_for_what_was_seen() {
    let change = scripted_change();
    let review = open(&change.project);
    let (layout, target) = (key(review::LAYOUT), MaskTarget::Row(2));
    let before = change.project.read("flows/form.yaml");
    let mut observed = ObservedVersions::from([(layout.clone(), "of before".to_owned())]);
    let refused = review
        .mask_observed(&layout, &target, &observed)
        .unwrap_err();
    assert!(refused.to_string().contains("look again"), "{refused}");
    assert_eq!(change.project.read("flows/form.yaml"), before);
    let version = review.case(&layout).unwrap().item.version;
    observed.insert(layout.clone(), version);
    review.mask_observed(&layout, &target, &observed).unwrap();
    assert_ne!(change.project.read("flows/form.yaml"), before);
}

#[test]
fn without_a_terminal_the_groups_are_listed() {
    let change = scripted_change();
    let ran = change.project.run(&["review"]).expect(1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("text: "));
    let at = at.expect("the group of texts");
    assert_eq!(lines[at + 1], "    about/page  flows/about.yaml:5:5");
    assert!(lines.last().unwrap().contains("inbox/gone"), "{lines:?}");
    ran.says("runner accept").says("runner prune --apply");
}

#[test]
fn what_ci_rendered_is_taken_accepted_and_passes_elsewhere() {
    let change = scripted_change();
    // The same commit in two clones: one where nothing may be written, and one at a desk.
    let (ci, desk) = (clone(&change.project), clone(&change.project));
    let mut command = ci.command(&["test", "--artifacts", "out/artifacts"]);
    let ran = Ran::from(command.env("CI", "true").output().unwrap()).expect(1);
    ran.says("runner review --from");
    assert!(
        ci.files("snapshots")
            .iter()
            .all(|name| !name.contains(".new."))
    );
    let proposed = ci.files("out/artifacts/proposed-goldens/virtual");
    assert!(
        proposed.contains(&"form/empty~phone.new.png".to_owned()),
        "{proposed:?}"
    );
    let archive = desk.path("artifacts.zip");
    zip_folder(&ci.path("out"), &archive);
    let from = archive.to_str().unwrap();
    let ran = desk.run(&["review", "--from", from]).expect(1);
    ran.says("7 goldens taken");
    let queue = open(&desk).queue().unwrap();
    assert_eq!(
        summary(&queue),
        summary(&open(&change.project).queue().unwrap())
    );
    desk.run(&["accept", "--all"]).expect(0);
    desk.run(&["test"]).expect(0);
    // The folder itself does as well; by now its proposals are what is there.
    let folder = ci.path("out");
    desk.run(&["review", "--from", folder.to_str().unwrap()])
        .says("already the golden: ")
        .says("0 goldens taken")
        .never_says("cannot be accepted");
    desk.run(&["pending"]).expect(0);
    // Where somebody changed the golden meanwhile, it is said and refused.
    let late = clone(&change.project);
    late.replace("snapshots/form/empty.tsv", "New note", "Somebody's note");
    late.run(&["review", "--from", from])
        .expect(1)
        .says("form/empty~phone: its golden is not the one");
    late.run(&["accept", "form/*"]).expect(1);
}

/// Copies the project without its pending files.
fn clone(project: &Project) -> Project {
    let copy = Project::empty();
    for name in project.files("") {
        if name.contains(".new.") || name.starts_with(".runner") {
            continue;
        }
        let path = copy.path(&name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(project.path(&name), path).unwrap();
    }
    copy
}

/// Packs a folder into a ZIP archive, as a CI server keeps it.
fn zip_folder(folder: &std::path::Path, archive: &std::path::Path) {
    let mut writer = zip::ZipWriter::new(std::fs::File::create(archive).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for entry in walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
    {
        let name = entry.path().strip_prefix(folder).unwrap();
        if entry.file_type().is_file() {
            writer.start_file(name.to_str().unwrap(), options).unwrap();
            let bytes = std::fs::read(entry.path()).unwrap();
            std::io::Write::write_all(&mut writer, &bytes).unwrap();
        }
    }
    writer.finish().unwrap();
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
    assert_eq!(rejected.rejected, keys(&[review::OBSOLETE]));
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
fn an_obsolete_golden_that_does_not_read_is_shown_with_the_reason() {
    let change = scripted_change();
    let rows = format!("snapshots/{}.tsv", review::OBSOLETE);
    change.project.write(&rows, "no table");
    let case = open(&change.project)
        .case(&key(review::OBSOLETE))
        .expect("a page with other cases is not lost for it");
    let why = case.item.error.expect("a reason");
    assert!(why.contains(".tsv"), "{why}");
    assert!(case.diff.lines.is_empty() && case.diff.golden.is_none());
}

#[test]
fn a_flow_that_does_not_read_makes_no_golden_obsolete() {
    let change = scripted_change();
    change
        .project
        .write("flows/inbox.yaml", "steps: [ no, such: step");
    let queue = open(&change.project).queue().unwrap();
    assert_eq!(queue.len(), review::PENDING, "{:?}", summary(&queue));
}

/// The flows on the disk are asked before a golden goes, whatever their size and time say.
#[test]
fn a_golden_that_a_flow_names_again_is_not_removed() {
    let change = scripted_change();
    let review = open(&change.project);
    assert_eq!(review.queue().unwrap().len(), review::PENDING + 1);
    let path = change.project.path("flows/inbox.yaml");
    let time = std::fs::metadata(&path).and_then(|file| file.modified());
    let comment = "  # What a person sees first.";
    let step = format!("{:<1$}", "  - snapshot: gone", comment.len());
    change.project.replace("flows/inbox.yaml", comment, &step);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(time.unwrap()).unwrap();
    let done = review.accept(&keys(&[review::OBSOLETE])).unwrap();
    assert_eq!((done.accepted.len(), done.refused.len()), (0, 1));
    let golden = format!("snapshots/{}.png", review::OBSOLETE);
    assert!(change.project.path(&golden).exists());
    assert_eq!(review.queue().unwrap().len(), review::PENDING);
}
