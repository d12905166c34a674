//! Measures how much space files take in a repository. Git stores each version of a content once, as an
//! object.

use std::collections::{BTreeSet, HashMap};

use camino::Utf8Path;

use super::pointer::MAX_BYTES as MAX_POINTER_BYTES;
use super::{GitError, Pointer, Repository};

/// Number and size of file objects, each counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    pub count: usize,
    /// Sum of the sizes of the files, in bytes.
    pub bytes: u64,
    /// Sum of the sizes in this clone's object store, compressed, in bytes.
    pub stored: u64,
    /// Number of objects that are pointers of Git LFS.
    pub pointers: usize,
}

impl Repository {
    /// Measures the files below `folder` whose path ends with `ending`: first those of all commits of this clone, then
    /// those of HEAD. Files with the same content count once in each. Objects that this clone lacks are not counted.
    /// Git is run once for each object of less than 1024 bytes, to recognize pointers.
    ///
    /// # Errors
    /// Returns an error if git fails, as without a commit, or lists more than the limit of a command's
    /// output.
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
        let known = self.measure(all.union(&head).copied())?;
        Ok([&all, &head].map(|objects| Cost::sum(objects, &known)))
    }

    /// Returns true if the clone has only a part of the history.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        let answer = self.text(["rev-parse", "--is-shallow-repository"])?;
        Ok(answer.trim() == "true")
    }

    /// Asks git for the sizes of all objects. Leaves out those that are missing, such as in a partial clone. Asks
    /// nothing if there are no objects.
    fn measure<'a>(
        &self,
        objects: impl Iterator<Item = &'a str>,
    ) -> Result<HashMap<String, ObjectSize>, GitError> {
        let input: String = objects.map(|object| format!("{object}\n")).collect();
        let mut known = HashMap::new();
        if input.is_empty() {
            return Ok(known);
        }
        let answer = self.text_with_input(
            [
                "cat-file",
                "--batch-check=%(objectname) %(objectsize) %(objectsize:disk)",
            ],
            input,
        )?;
        for line in answer.lines() {
            let mut words = line.split(' ');
            let object = words.next().unwrap_or_default();
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
            // A missing object has no sizes, such as in a partial clone.
            let (Some(bytes), Some(stored)) = (number(), number()) else {
                continue;
            };
            let is_pointer = bytes < MAX_POINTER_BYTES as u64
                && Pointer::read(&self.bytes(["cat-file", "blob", object])?).is_some();
            let measured = ObjectSize {
                bytes,
                stored,
                is_pointer,
            };
            known.insert(object.to_owned(), measured);
        }
        Ok(known)
    }
}

/// Sizes of one object; the fields mean the same as in [`Cost`].
struct ObjectSize {
    bytes: u64,
    stored: u64,
    is_pointer: bool,
}

impl Cost {
    /// Adds up the objects whose size is known.
    fn sum(objects: &BTreeSet<&str>, known: &HashMap<String, ObjectSize>) -> Self {
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
