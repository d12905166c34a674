//! What files cost in a repository: their objects, each of which is stored once.

use std::collections::{BTreeSet, HashMap};

use camino::Utf8Path;

use super::{GitError, Pointer, Repository};

/// Objects of files, each counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// How many.
    pub count: usize,
    /// The sizes of the files, in bytes.
    pub bytes: u64,
    /// What they take in this clone, packed, in bytes.
    pub stored: u64,
    /// How many of them are pointers of Git LFS.
    pub pointers: usize,
}

/// A pointer is shorter.
const POINTER: u64 = 1024;

impl Repository {
    /// What the files below `folder` with this ending cost: those of all commits of this clone, and those of HEAD.
    ///
    /// # Errors
    /// Where git cannot be asked, or lists more than fits.
    pub fn cost(&self, folder: &Utf8Path, ending: &str) -> Result<[Cost; 2], GitError> {
        let history = self.text([
            "--literal-pathspecs",
            "rev-list",
            "--objects",
            "--all",
            "HEAD",
            "--full-history",
            "--",
            folder.as_str(),
        ])?;
        // OBJECT, a space, and the name; commits have no name.
        let all = history.lines().filter_map(|line| line.split_once(' '));
        let all = all.filter(|(_, path)| path.ends_with(ending));
        let all: BTreeSet<&str> = all.map(|(object, _)| object).collect();
        let tree = self.objects("HEAD", folder)?;
        let head = tree
            .iter()
            .filter(|(path, _)| path.as_str().ends_with(ending));
        let head: BTreeSet<&str> = head.map(|(_, object)| object.as_str()).collect();
        // Most of HEAD's are among all: each is asked for once.
        let known = self.measured(all.union(&head).copied())?;
        Ok([&all, &head].map(|objects| Cost::of(objects, &known)))
    }

    /// Whether the clone has a part of the history only.
    ///
    /// # Errors
    /// Where git cannot be asked.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        let answer = self.text(["rev-parse", "--is-shallow-repository"])?;
        Ok(answer.trim() == "true")
    }

    fn measured<'a>(
        &self,
        objects: impl Iterator<Item = &'a str>,
    ) -> Result<HashMap<String, Measured>, GitError> {
        let asked: String = objects.map(|object| format!("{object}\n")).collect();
        let mut known = HashMap::new();
        if asked.is_empty() {
            return Ok(known);
        }
        let answer = self.text_about(
            [
                "cat-file",
                "--batch-check=%(objectname) %(objectsize) %(objectsize:disk)",
            ],
            asked,
        )?;
        for line in answer.lines() {
            let mut words = line.split(' ');
            let object = words.next().unwrap_or_default();
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
            // One that is missing has no size.
            let (Some(bytes), Some(stored)) = (number(), number()) else {
                continue;
            };
            let is_pointer = bytes < POINTER
                && Pointer::read(&self.bytes(["cat-file", "blob", object])?).is_some();
            let measured = Measured {
                bytes,
                stored,
                is_pointer,
            };
            known.insert(object.to_owned(), measured);
        }
        Ok(known)
    }
}

/// What one object costs.
struct Measured {
    bytes: u64,
    stored: u64,
    is_pointer: bool,
}

impl Cost {
    fn of(objects: &BTreeSet<&str>, known: &HashMap<String, Measured>) -> Self {
        let mut cost = Self::default();
        for object in objects.iter().filter_map(|object| known.get(*object)) {
            cost.count += 1;
            cost.bytes += object.bytes;
            cost.stored += object.stored;
            cost.pointers += usize::from(object.is_pointer);
        }
        cost
    }
}
