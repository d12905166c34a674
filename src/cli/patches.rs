//! Patches to selectors on the command line, named by keys that begin with `.selectors/`, beside goldens.

use super::error::CliError;
use super::output;
use crate::config::Config;
use crate::review::{Patches, Review, SELECTORS, patches};
use crate::snapshot::{GoldenKey, SnapshotError};

/// Removes the keys of patches, which begin with `.selectors/`, from `given` and returns them. The others
/// stay in their order.
pub fn take_keys(given: &mut Vec<String>) -> Vec<String> {
    let is_patch = |key: &mut String| key.split('/').next() == Some(SELECTORS);
    given.extract_if(.., is_patch).collect()
}

/// Prints the pending patches to selectors by their groups, with the keys; with `is_verbose` also further changes
/// of each group, and, to standard error, steps without a patch with the reason. Prints nothing without patches.
pub fn print(patches: &Patches, is_verbose: bool) {
    for group in &patches.groups {
        output::line(&format!("selector: {}", group.group));
        output::line(&format!("    {}", group.key));
        for change in group.cause().changes.iter().skip(1).filter(|_| is_verbose) {
            output::line(&format!("        {change}"));
        }
    }
    for (named, why) in patches.refused.iter().filter(|_| is_verbose) {
        output::note(&format!("{named}: no patch: {why}"));
    }
}

/// Writes the named patches into the flows and prints their keys and changes. Refused ones are printed as errors.
/// Returns false if one was refused; the others are written. Does nothing and returns true for no names. A name
/// that is no pending patch is an error, and nothing is written.
pub fn accept(config: &Config, given: &[String]) -> Result<bool, CliError> {
    if given.is_empty() {
        return Ok(true);
    }
    let review = Review::open(config)?;
    let done = review.accept(&keys(config, given)?)?;
    output::keys("accepted", &done.accepted);
    for cause in done.causes.values() {
        for change in &cause.changes {
            output::note(&format!("    {change}"));
        }
    }
    for (key, why) in &done.refused {
        output::error(&format!("{key} was not accepted: {why}"));
    }
    if !done.accepted.is_empty() {
        output::note("the flows are written; run them again, and `git diff` shows what changed");
    }
    Ok(done.refused.is_empty())
}

/// Rejects the named patches, so that they are not offered again, and prints their keys. The flows stay. Returns
/// false if one was refused. Does nothing and returns true for no names. A name that is no pending patch is an
/// error, and none is rejected.
pub fn reject(config: &Config, given: &[String]) -> Result<bool, CliError> {
    if given.is_empty() {
        return Ok(true);
    }
    let done = Review::open(config)?.reject(&keys(config, given)?)?;
    output::keys("rejected", &done.rejected);
    for (key, why) in &done.refused {
        output::error(&format!("{key} was not rejected: {why}"));
    }
    if !done.rejected.is_empty() {
        output::note("it is not offered again; .runner/mend/rejected remembers it");
    }
    Ok(done.refused.is_empty())
}

/// Returns the pending patches' keys that are named, or all of them for `.selectors/*`, in the order of the names, each
/// once. Other globs are not allowed.
///
/// # Errors
/// Returns an error for a name that is no pending patch, also for `.selectors/*` if none is pending.
fn keys(config: &Config, given: &[String]) -> Result<Vec<GoldenKey>, CliError> {
    let waiting = patches(config);
    let known: Vec<&GoldenKey> = waiting.groups.iter().map(|group| &group.key).collect();
    let mut found: Vec<&GoldenKey> = Vec::new();
    for name in given {
        let is_all = name.strip_prefix(SELECTORS) == Some("/*");
        let named = known.iter().copied();
        let named: Vec<&GoldenKey> = named
            .filter(|key| is_all || key.to_string() == *name)
            .collect();
        if named.is_empty() {
            let there: Vec<String> = known.iter().map(ToString::to_string).collect();
            return Err(SnapshotError::NoSuchPending {
                given: name.clone(),
                there: there.join(", "),
            }
            .into());
        }
        for key in named {
            if !found.contains(&key) {
                found.push(key);
            }
        }
    }
    Ok(found.into_iter().cloned().collect())
}
