//! `runner prune --history`: prints what old pictures cost in the repository.

use camino::Utf8PathBuf;
use runner_git::{Cost, Repository};

use super::error::CliError;
use super::output;
use crate::config::Config;
use crate::exit_code::ExitCode;

/// Counts the pictures of goldens in all commits of this clone, each version once, and those of HEAD. Prints number
/// and size of both and of the difference, then advice about shallow clones, Git LFS and old pictures. Returns an
/// error outside a repository. Nothing is removed.
pub fn run(config: &Config) -> Result<ExitCode, CliError> {
    let repository = Repository::around(&config.root)?;
    let root = repository.path_of(&config.root)?;
    let folder: Utf8PathBuf = root.join(&config.snapshots.value).components().collect();
    let [history, head] = repository.cost(&folder, ".png")?;
    output::line(&format!("in all commits  {}", in_words(&history)));
    output::line(&format!("in HEAD         {}", in_words(&head)));
    let old = history.stored.saturating_sub(head.stored);
    let count = history.count.saturating_sub(head.count);
    output::line(&format!(
        "only in old     {count} pictures, {} stored",
        size(old)
    ));
    if repository.is_shallow()? {
        output::note(
            "this clone is shallow: older commits are not counted; `git fetch --unshallow` gets them",
        );
    }
    if history.pointers > 0 {
        output::note(&format!(
            "{} of them are pointers of Git LFS: those pictures are not in the repository",
            history.pointers
        ));
    }
    if old > 0 {
        output::note(&format!(
            "`runner init --git --lfs` keeps new pictures out of the repository. The old ones stay until its history is written anew: `git lfs migrate import --everything --include='{folder}/**/*.png'`; all clones must be made anew then"
        ));
    }
    Ok(ExitCode::Passed)
}

/// Describes number of pictures, their size, and the size that git stores.
fn in_words(cost: &Cost) -> String {
    format!(
        "{} pictures, {}, {} stored",
        cost.count,
        size(cost.bytes),
        size(cost.stored)
    )
}

/// Formats a size in KiB, or in MiB from one on, with one digit after the point, rounded. There are no larger
/// units.
fn size(bytes: u64) -> String {
    let tenths = |unit: u64| (bytes * 10 + unit / 2) / unit;
    let (tenths, unit) = if bytes < 1024 * 1024 {
        (tenths(1024), "KiB")
    } else {
        (tenths(1024 * 1024), "MiB")
    };
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}
