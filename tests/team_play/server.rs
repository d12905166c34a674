//! The team's machines: a bare repository, three clones, and CI's artifacts of a pull request.

use fastrand::Rng;

use super::apps;
use crate::ci_examples::job::Job;
use crate::common::Project;

pub struct Team {
    /// Folder with `server/o/r.git`, and the files of jobs.
    folder: tempfile::TempDir,
    people: Vec<Project>,
}

/// A pull request.
pub struct Pull {
    pub name: String,
    person: usize,
}

impl Team {
    /// Makes a team whose main has goldens.
    pub fn new(random: &mut Rng, is_lfs: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Project::empty();
        apps::write(&first, random);
        let first = first.with_git();
        let server = folder.path().join("server/o/r.git");
        let to = server.to_str().expect("a plain path");
        std::fs::create_dir_all(&server).expect("a folder");
        first.git(&["init", "--quiet", "--bare", "--initial-branch", "main", to]);
        let address = format!("file://{to}");
        // Where git-lfs looks for the files of a server that is a folder.
        std::fs::create_dir_all(server.join("info/lfs")).expect("a folder");
        let begin_lfs = |desk: &Project| {
            let url = format!("{address}/info/lfs");
            desk.git(&["lfs", "install", "--local", "--skip-repo"]);
            desk.git(&["config", "lfs.url", &url]);
            desk.git(&["config", "lfs.pushurl", &url]);
        };
        first.git(&["remote", "add", "origin", &address]);
        if is_lfs {
            begin_lfs(&first);
            first.run(&["init", "--git", "--lfs"]).expect(0);
        }
        let ignored = first.read(".gitignore");
        first.write(".gitignore", &format!("{ignored}/out/\n"));
        first.run(&["test", "--update"]).expect(0);
        first.commit();
        first.git(&["push", "--quiet", "origin", "main"]);
        let people = (0..3).map(|_| {
            let desk = Project::empty();
            desk.git(&["init", "--quiet", "--initial-branch", "main"]);
            desk.git(&["config", "user.name", "A"]);
            desk.git(&["config", "user.email", "a@example.com"]);
            if is_lfs {
                begin_lfs(&desk);
            }
            desk.git(&["remote", "add", "origin", &address]);
            desk.git(&["fetch", "--quiet"]);
            desk.git(&[
                "switch",
                "--quiet",
                "--create",
                "main",
                "--track",
                "origin/main",
            ]);
            desk
        });
        let people = people.collect();
        Self { folder, people }
    }

    /// Makes somebody's branch, from main as it was up to three commits ago.
    pub fn branch(&self, random: &mut Rng, number: usize) -> Pull {
        let person = random.usize(0..self.people.len());
        let name = format!("pull-{number}");
        let desk = &self.people[person];
        desk.git(&["fetch", "--quiet"]);
        let back = format!("origin/main~{}", random.u8(0..4));
        let from = if desk
            .try_git(&["rev-parse", "--verify", "--quiet", &back])
            .code
            == 0
        {
            back.as_str()
        } else {
            "origin/main"
        };
        desk.git(&["switch", "--quiet", "--no-track", "--create", &name, from]);
        Pull { name, person }
    }

    /// Returns the clone of its author, on its branch.
    pub fn desk(&self, pull: &Pull) -> &Project {
        let desk = &self.people[pull.person];
        desk.git(&["switch", "--quiet", &pull.name]);
        desk
    }

    pub fn push(&self, pull: &Pull) {
        self.desk(pull)
            .git(&["push", "--quiet", "--set-upstream", "origin", &pull.name]);
    }

    /// Returns somebody's clone, on the newest main.
    pub fn desk_of_main(&self, random: &mut Rng) -> &Project {
        let desk = &self.people[random.usize(0..self.people.len())];
        desk.git(&["fetch", "--quiet"]);
        desk.git(&["switch", "--quiet", "main"]);
        desk.git(&["merge", "--quiet", "--ff-only", "origin/main"]);
        desk
    }

    pub fn push_main(&self, desk: &Project) {
        desk.git(&["push", "--quiet", "origin", "main"]);
    }

    /// Returns the jobs for a comment on it, after CI ran its last commit.
    pub fn job(&self, pull: &Pull, head: &str) -> Job {
        Job::for_branch(
            self.folder.path().to_owned(),
            self.desk(pull),
            &pull.name,
            head,
        )
    }

    /// Returns the keys that its run proposed, by their files.
    pub fn changed_keys(&self, pull: &Pull) -> Vec<String> {
        let listed = self.desk(pull).run(&["pending", "--quiet"]);
        listed.stdout.lines().map(str::to_owned).collect()
    }
}
