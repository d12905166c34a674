//! Simulation of a team: three people, pull requests from stale branches and forks, merges, squashes and
//! rebases, comments that accept, two who decide differently, a merge amid a review. Whatever they do, a run
//! of main that passes must be right.

mod apps;
mod server;

use std::collections::BTreeMap;

use fastrand::Rng;

use crate::common::{Project, Ran, needs};
use server::{Pull, Team};

/// Results of merges, to check that the play meets each kind.
#[derive(Debug, Default)]
struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
}

#[test]
fn a_run_of_main_that_passes_is_right_whatever_a_team_does() {
    if !["git", "bash", "jq"].into_iter().all(needs::program) {
        return;
    }
    // `.ci/run-long` plays longer.
    let (games, pulls) = needs::long((1, 4), (2, 40));
    for seed in 0..games {
        let is_lfs = seed % 2 == 0 && needs::program("git-lfs");
        let mut tally = Tally::default();
        play(seed, pulls, is_lfs, &mut tally);
        println!("game {seed}, large files {is_lfs}: {:?}", tally.0);
    }
}

fn play(seed: u64, pulls: usize, is_lfs: bool, tally: &mut Tally) {
    let mut random = Rng::with_seed(seed);
    let mut team = Team::new(&mut random, is_lfs);
    let mut open: Vec<Pull> = Vec::new();
    let mut begun = 0;
    while begun < pulls || !open.is_empty() {
        let begins = begun < pulls && (open.len() < 2 || (open.len() < 4 && random.bool()));
        if begins {
            begun += 1;
            open.push(begin(&mut team, &mut random, begun, tally));
        } else {
            let pull = open.swap_remove(random.usize(0..open.len()));
            merge(&team, &mut random, &pull, tally);
        }
    }
}

/// Changes the app in a branch, and gets goldens into it.
fn begin(team: &mut Team, random: &mut Rng, number: usize, tally: &mut Tally) -> Pull {
    let pull = team.branch(random, number);
    let desk = team.desk(&pull);
    for _ in 0..random.usize(1..=3) {
        apps::edit(desk, random);
    }
    desk.commit();
    let ran = desk.run(&["test", "--artifacts", "out/artifacts"]);
    if ran.code == 0 {
        // Edits may cancel each other.
        tally.count("nothing changed");
        team.push(&pull);
        return pull;
    }
    ran.expect(1);
    match random.u8(0..8) {
        0..3 => {
            desk.run(&["accept", "--all"]).expect(0);
            desk.commit();
            team.push(&pull);
            tally.count("accepted at the desk");
        }
        3..6 => {
            team.push(&pull);
            decide_by_comments(team, random, &pull, tally);
        }
        6 => {
            team.push(&pull);
            from_a_fork(team, &pull, tally);
        }
        _ => {
            // Main moves while changes wait for a review.
            desk.git(&["fetch", "--quiet"]);
            let merged = desk.try_git(&["merge", "--quiet", "--no-edit", "origin/main"]);
            if merged.code != 0 {
                resolve(desk, random, "merge", tally);
            }
            let accepted = desk.run(&["accept", "--all"]);
            assert!(matches!(accepted.code, 0 | 1), "{}", accepted.stderr);
            desk.commit();
            team.push(&pull);
            tally.count("merged amid a review");
        }
    }
    pull
}

/// Accepts by a comment, after another comment decided otherwise about the same run.
fn decide_by_comments(team: &Team, random: &mut Rng, pull: &Pull, tally: &mut Tally) {
    let job = team.job(pull, "o/r");
    let keys = team.changed_keys(pull);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let (accept, reject) = (job.decide(&keys, &[]), job.decide(&[], &keys));
    let before = job.branch();
    let first_accepts = random.bool();
    let lines = if first_accepts {
        [accept, reject]
    } else {
        [reject, accept]
    };
    job.comment(&lines[0]).expect(0);
    assert_eq!(job.branch() != before, first_accepts);
    let between = job.branch();
    let second = job.again(&lines[1]);
    if first_accepts {
        assert_ne!(second.code, 0, "the branch has a newer commit");
        assert_eq!(job.branch(), between, "what was accepted stays");
        tally.count("the second decision was refused");
    } else {
        second.expect(0);
        assert_ne!(job.branch(), between, "rejecting wrote nothing");
        tally.count("the second decision held");
    }
    let desk = team.desk(pull);
    desk.git(&["pull", "--quiet"]);
    desk.run(&["test"]).expect(0);
}

/// Takes the artifacts by hand, as a job does not push to a fork.
fn from_a_fork(team: &Team, pull: &Pull, tally: &mut Tally) {
    let job = team.job(pull, "ada/r");
    let before = job.branch();
    let keys = team.changed_keys(pull);
    let line = job.decide(&keys.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    let refused = job.comment(&line);
    assert_ne!(refused.code, 0);
    refused.says("in a fork");
    assert_eq!(job.branch(), before);
    let desk = team.desk(pull);
    desk.write("out/comment", &line);
    let artifacts = job.path("answers/artifacts");
    let artifacts = artifacts.to_str().expect("a plain path");
    let decide = ["accept", "--decisions", "out/comment", "--from", artifacts];
    desk.run(&decide).expect(0);
    desk.commit();
    desk.run(&["test"]).expect(0);
    team.push(pull);
    tally.count("accepted for a fork");
}

/// Merges the branch into main, and checks main.
fn merge(team: &Team, random: &mut Rng, pull: &Pull, tally: &mut Tally) {
    let desk = team.desk_of_main(random);
    let branch = format!("origin/{}", pull.name);
    let merged = match random.u8(0..3) {
        0 => desk.try_git(&["merge", "--quiet", "--no-ff", "--no-edit", &branch]),
        1 => desk.try_git(&["merge", "--quiet", "--squash", &branch]),
        _ => {
            desk.git(&["switch", "--quiet", "--force-create", "rebased", &branch]);
            let mut ran = desk.try_git(&["rebase", "--quiet", "main"]);
            while ran.code != 0 {
                resolve(desk, random, "rebase", tally);
                ran = desk.try_git(&["rebase", "--continue"]);
            }
            desk.git(&["switch", "--quiet", "main"]);
            desk.try_git(&["merge", "--quiet", "--ff-only", "rebased"])
        }
    };
    if merged.code != 0 {
        resolve(desk, random, "merge", tally);
    }
    desk.commit();
    look_at_main(desk, tally);
    team.push_main(desk);
}

/// Resolves a conflict: files of the app are taken from a side, the program decides about goldens.
fn resolve(desk: &Project, random: &mut Rng, what: &str, tally: &mut Tally) {
    let unmerged = desk.unmerged();
    assert!(!unmerged.is_empty(), "a {what} stopped without a conflict");
    let (goldens, others): (Vec<_>, Vec<_>) = unmerged
        .into_iter()
        .partition(|path| path.starts_with("snapshots/"));
    for path in others {
        let side = if random.bool() { "--ours" } else { "--theirs" };
        desk.git(&["checkout", "--quiet", side, "--", &path]);
        desk.git(&["add", "--", &path]);
    }
    if goldens.is_empty() {
        return;
    }
    tally.count("goldens in conflict");
    desk.run(&["pending"]).says("waits for a decision");
    let verb = if random.bool() { "accept" } else { "reject" };
    // Accepting also takes what waited before; what cannot be accepted says so.
    let shown = desk.run(&["review"]).stderr;
    // The other side's large files come by the command that is told.
    if let Some((_, rest)) = shown.split_once("run `git ") {
        let (command, _) = rest.split_once('`').expect("a command");
        desk.git(&command.split(' ').collect::<Vec<_>>());
        desk.run(&["review"]).never_says("was not downloaded");
        tally.count("large files of the other side");
    }
    let decided = desk.run(&[verb, "--all"]);
    assert!(matches!(decided.code, 0 | 1), "{}", decided.stderr);
    assert_has_no_marks(desk, &decided);
    desk.git(&["add", "--all", "--", "snapshots"]);
    assert_eq!(desk.unmerged(), Vec::<String>::new());
}

/// Checks the law: a run that passes, and to which `lint` has no objection, has the goldens that a run of the
/// app alone stores.
fn look_at_main(desk: &Project, tally: &mut Tally) {
    let ran = desk.run(&["test"]);
    assert_has_no_marks(desk, &ran);
    let lint = desk.run(&["lint"]);
    let is_told = ran.code != 0
        || lint.stdout.contains("rows-disagree")
        || lint.stderr.contains("rows-disagree");
    if is_told {
        tally.count("main says that a golden is not right");
        desk.run(&["test", "--update", "changed"]);
        desk.run(&["test"]).expect(0);
        desk.commit();
    } else {
        tally.count("main is right");
    }
    assert_is_the_truth(desk, &ran);
    let status = desk.git(&["status", "--porcelain"]).stdout;
    assert_eq!(status, "", "runs leave nothing for git");
}

fn assert_has_no_marks(desk: &Project, ran: &Ran) {
    for name in desk.files("snapshots") {
        if name.ends_with(".tsv") {
            let text = desk.read(&format!("snapshots/{name}"));
            let (out, error) = (&ran.stdout, &ran.stderr);
            assert!(!text.contains("<<<<<<<"), "{name}\n{out}{error}\n{text}");
        }
    }
}

fn assert_is_the_truth(desk: &Project, ran: &Ran) {
    let truth = Project::empty();
    for folder in ["apps", "flows"] {
        crate::common::copy_tree(&desk.path(folder), &truth.path(folder));
    }
    truth.write("runner.yaml", &desk.read("runner.yaml"));
    truth.run(&["test", "--update"]).expect(0);
    let goldens = |project: &Project| -> BTreeMap<String, Vec<u8>> {
        let names = project.files("snapshots").into_iter();
        let stored = names.filter(|name| !name.contains("annotated"));
        let read = |name: String| {
            let bytes = std::fs::read(project.path("snapshots").join(&name)).expect("a golden");
            (name, bytes)
        };
        stored.map(read).collect()
    };
    let (have, want) = (goldens(desk), goldens(&truth));
    let names = |of: &BTreeMap<String, Vec<u8>>| of.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&have), names(&want));
    for (name, bytes) in &want {
        assert!(
            have[name] == *bytes,
            "{name} is not what the app shows, and nothing said so\n{}{}\n--- golden\n{}\n--- app\n{}",
            ran.stdout,
            ran.stderr,
            String::from_utf8_lossy(&have[name]),
            String::from_utf8_lossy(bytes),
        );
    }
}
