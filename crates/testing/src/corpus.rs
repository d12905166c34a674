//! Recordings of real devices: all files of a kind, and the index of the larger corpus.
//!
//! There are two corpora: a small one beside the project, and a larger one. The index of the larger one,
//! `corpus/SOURCES.tsv` of this crate, is part of the project, but its files are not; `corpus/README.md` says
//! why, and where they may be.

use std::path::{Path, PathBuf};

use super::files::{recording, root};
use super::missing::untested;

/// Row of the index: the origin of a file of the larger corpus.
#[derive(Debug, Clone)]
pub struct Source {
    /// Path in the corpus: `screens/OWNER__REPO/NAME.xml`, `commands/KIND--OWNER__REPO__NAME.txt`.
    pub file: String,
    /// `OWNER/REPO`.
    pub repo: String,
    /// Commit that the file is from.
    pub commit: String,
    /// Licence, and the file that states it.
    pub licence: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Maker of the device, if the file names it.
    pub maker: Option<String>,
    /// API level of the device, if the file names it.
    pub api: Option<u32>,
}

/// Reads the index of the larger corpus, which is part of the project even if the files are missing.
///
/// # Panics
/// Panics if a row is damaged.
pub fn sources() -> Vec<Source> {
    let path = root().join("crates/testing/corpus/SOURCES.tsv");
    let text = std::fs::read_to_string(path).expect("the index is part of the project");
    let known = |cell: &str| (cell != "-").then(|| cell.to_owned());
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, repo, commit, _, licence, bytes, _, _, maker, api] = cells[..] else {
            panic!("not ten cells: {line}");
        };
        Source {
            file: file.to_owned(),
            repo: repo.to_owned(),
            commit: commit.to_owned(),
            licence: licence.to_owned(),
            bytes: bytes.parse().expect("a size"),
            maker: known(maker),
            api: known(api).map(|api| api.parse().expect("an API level")),
        }
    });
    rows.collect()
}

/// Reads all recordings below `kind` (`screens`, `commands`) whose names have this ending, each with its path
/// in its corpus; those of both corpora, sorted by path. A missing corpus is reported on the terminal.
pub fn recorded_files(kind: &str, ending: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let older = recording("").into_iter();
    for corpus in older.chain(larger_corpus()) {
        collect(&corpus.join(kind), &corpus, ending, &mut found);
    }
    found.sort();
    found
}

/// Returns the folder of the larger corpus: beside its index, or beside the project.
fn larger_corpus() -> Option<PathBuf> {
    let here = root().join("crates/testing/corpus");
    let beside = root().join("../shared/corpus-public");
    let found = [here, beside]
        .into_iter()
        .find(|folder| folder.join("screens").is_dir());
    if found.is_none() {
        untested("the larger corpus (crates/testing/corpus/README.md)");
    }
    found
}

fn collect(folder: &Path, corpus: &Path, ending: &str, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, corpus, ending, found);
        } else if path.extension().is_some_and(|kind| kind == ending)
            && let (Ok(below), Ok(bytes)) = (path.strip_prefix(corpus), std::fs::read(&path))
        {
            found.push((below.display().to_string().replace('\\', "/"), bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Licences whose files may be copied, some only with their text.
    const COPYABLE: [&str; 5] = ["MIT", "Apache-2.0", "BSD", "ISC", "MPL-2.0"];

    #[test]
    fn the_index_counts_what_was_collected() {
        let sources = sources();
        let of = |kind: &str| {
            sources
                .iter()
                .filter(|it| it.file.starts_with(kind))
                .count()
        };
        let (screens, commands) = (of("screens/"), of("commands/"));
        assert!(screens >= 330, "{screens} screens");
        assert!(commands >= 120, "{commands} command outputs");
        let makers: BTreeSet<_> = sources.iter().filter_map(|it| it.maker.clone()).collect();
        assert!(makers.len() >= 8, "{makers:?}");
        let levels: BTreeSet<_> = sources.iter().filter_map(|it| it.api).collect();
        assert_eq!((levels.first(), levels.last()), (Some(&18), Some(&34)));
        let files: BTreeSet<_> = sources.iter().map(|it| &it.file).collect();
        assert_eq!(files.len(), sources.len(), "a file has two rows");
        for it in &sources {
            assert!(
                COPYABLE.iter().any(|fit| it.licence.starts_with(fit)),
                "{it:?}"
            );
            assert!(it.commit.len() == 40 && it.repo.contains('/'), "{it:?}");
            assert!(!it.file.contains(".."), "{it:?}");
        }
    }

    #[test]
    fn each_file_has_its_row_and_each_row_its_file() {
        let Some(corpus) = larger_corpus() else {
            return;
        };
        let mut files = Vec::new();
        collect(&corpus.join("screens"), &corpus, "xml", &mut files);
        collect(&corpus.join("commands"), &corpus, "txt", &mut files);
        let found: BTreeSet<_> = files
            .iter()
            .map(|(name, bytes)| (name.clone(), bytes.len() as u64))
            .collect();
        let sources = sources();
        let listed: BTreeSet<_> = sources
            .iter()
            .map(|it| (it.file.clone(), it.bytes))
            .collect();
        let differ: Vec<_> = found.symmetric_difference(&listed).collect();
        assert!(differ.is_empty(), "{differ:#?}");
        for it in &sources {
            let name = it.repo.replace('/', "__");
            let licence = corpus.join(format!("LICENCES/{name}.txt"));
            assert!(licence.is_file(), "{}", licence.display());
        }
    }
}
