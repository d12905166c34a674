//! Commands that change files and folders. `file_info` has those that only read.

use super::{Call, Outcome};
use crate::storage::StorageError;
use crate::virtual_files::{is_null, is_virtual};

/// Splits the arguments into flags (`-rf`; Android has no long ones) and names. A `-` alone is a name, and so
/// is all after `--`.
pub(super) fn flags(call: &Call) -> (String, Vec<String>) {
    let mut flags = String::new();
    let mut names = Vec::new();
    let mut only_names = false;
    for word in call.owned_args() {
        if only_names || !word.starts_with('-') || word.len() == 1 {
            names.push(word);
        } else if word == "--" {
            only_names = true;
        } else {
            flags.push_str(&word[1..]);
        }
    }
    (flags, names)
}

/// `rm [-rf] NAME…`. All names are tried; a message each, and 1 if one fails. Made-up files and folders are
/// refused, and any folder without `-r`. `-f` forgives missing ones, and no name at all.
pub(super) fn remove(call: &mut Call) -> Outcome {
    let (flags, names) = flags(call);
    let force = flags.contains('f');
    let recursive = flags.contains(['r', 'R']);
    if names.is_empty() && !force {
        return call.fail(1, "rm: Needs 1 argument (see \"rm --help\")");
    }
    let mut code = 0;
    for name in names {
        let path = call.path(&name);
        let result = match call.device.stat(&path) {
            Ok(stat) if stat.is_folder() && !recursive => Err(StorageError::IsFolder),
            Ok(_) if is_virtual(&path) => Err(StorageError::Denied),
            Ok(_) => call.device.storage.remove(&path, recursive),
            Err(StorageError::Missing) if force => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            call.warn(format!("rm: {name}: {error}"));
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// `rmdir NAME…`: removes empty folders. All names are tried; a message for each that is no empty folder, and 1.
/// Without names nothing happens.
pub(super) fn rmdir(call: &mut Call) -> Outcome {
    let (_, names) = flags(call);
    let mut code = 0;
    for name in names {
        let path = call.path(&name);
        let result = match call.device.stat(&path) {
            Ok(stat) if !stat.is_folder() => Err(StorageError::NotFolder),
            _ => call.device.storage.remove(&path, false),
        };
        if let Err(error) = result {
            call.warn(format!("rmdir: {name}: {error}"));
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// `mkdir [-p] NAME…`. All names are tried; a message each, and 1 if one fails. A name that exists fails, and a
/// missing parent, unless with `-p`; a file always does. Without names nothing happens.
pub(super) fn mkdir(call: &mut Call) -> Outcome {
    let (flags, names) = flags(call);
    let mut code = 0;
    for name in names {
        call.device.take_storage_fault();
        let path = call.path(&name);
        if let Err(error) = call.device.storage.make_folder(&path, flags.contains('p')) {
            call.warn(format!("mkdir: '{name}': {error}"));
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// Returns sources and targets of `mv` and `cp` as absolute paths. A folder as target gets the sources'
/// names. Returns `None` with fewer than two names. Several sources may have one target.
fn pairs(call: &Call, names: &[String]) -> Option<Vec<(String, String)>> {
    let (target, sources) = names.split_last()?;
    if sources.is_empty() {
        return None;
    }
    let target = call.path(target);
    let into = call.device.stat(&target).is_ok_and(|stat| stat.is_folder());
    let pair = |source: &String| {
        let from = call.path(source);
        let name = from.rsplit('/').next().unwrap_or_default();
        let to = if into {
            format!("{target}/{name}")
        } else {
            target.clone()
        };
        (from, to)
    };
    Some(sources.iter().map(pair).collect())
}

/// `mv SOURCE… TARGET`, within the storage. All sources are tried; a message each, and 1 if one fails. A file at
/// the target is replaced. Fewer than two names give 1.
pub(super) fn rename(call: &mut Call) -> Outcome {
    let (_, names) = flags(call);
    let Some(pairs) = pairs(call, &names) else {
        return call.fail(1, "mv: Needs 2 arguments (see \"mv --help\")");
    };
    let mut code = 0;
    for (from, to) in pairs {
        if let Err(error) = call.device.storage.rename(&from, &to) {
            call.warn(format!("mv: bad '{from}': {error}"));
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// `cp [-r] SOURCE… TARGET`. All sources are tried; a message each, and 1 if one fails. Files are replaced. A
/// folder without `-r` and fewer than two names give 1.
pub(super) fn copy(call: &mut Call) -> Outcome {
    let (flags, names) = flags(call);
    let Some(pairs) = pairs(call, &names) else {
        return call.fail(1, "cp: Needs 2 arguments (see \"cp --help\")");
    };
    let mut code = 0;
    for (from, to) in pairs {
        call.device.take_storage_fault();
        if let Err((path, error)) = copy_one(call, &from, &to, flags.contains(['r', 'R', 'a']), 0) {
            call.warn(format!("cp: {path}: {error}"));
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// Copies a file, or with `recursive` a folder into one that may exist. The first failure ends it, with its path,
/// and leaves what was copied. A folder is not copied into itself or below 32 levels.
fn copy_one(
    call: &Call,
    from: &str,
    to: &str,
    recursive: bool,
    depth: u32,
) -> Result<(), (String, StorageError)> {
    let device = &call.device;
    let at = |path: &str| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    let stat = device.stat(from).map_err(at(from))?;
    if !stat.is_folder() {
        let bytes = device.read(from).map_err(at(from))?;
        return device.write(to, &bytes).map_err(at(to));
    }
    // A folder copied into itself would never end.
    if !recursive || depth > 32 || format!("{to}/").starts_with(&format!("{from}/")) {
        return Err((from.to_owned(), StorageError::IsFolder));
    }
    device.storage.make_folder(to, true).map_err(at(to))?;
    for name in device.list(from).map_err(at(from))? {
        copy_one(
            call,
            &format!("{from}/{name}"),
            &format!("{to}/{name}"),
            recursive,
            depth + 1,
        )?;
    }
    Ok(())
}

/// `touch NAME…`: makes files and sets their times to the host's present; `/dev/null` is left alone. Contents stay.
/// Options are ignored, but a value of one counts as a name. All names are tried; a message for each that fails, also
/// for a folder, and 1.
pub(super) fn touch(call: &mut Call) -> Outcome {
    let (_, names) = flags(call);
    let mut code = 0;
    for name in names {
        call.device.take_storage_fault();
        let path = call.path(&name);
        let touched = if is_null(&path) {
            Ok(())
        } else {
            call.device.storage.touch(&path, None)
        };
        if let Err(error) = touched {
            call.warn(format!("touch: '{name}': {error}"));
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// `chmod [-Rfv] [--] MODE NAME…`: changes nothing. A name that does not exist, a mode that is none and too few words give
/// a message and 1.
pub(super) fn chmod(call: &mut Call) -> Outcome {
    let mut code = 0;
    // A mode may begin with a dash too, such as `-x`.
    let is_option = |word: &String| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| "Rfv".contains(letter))
    };
    let mut only_words = false;
    let mut words = call.owned_args();
    words.retain(|word| {
        let is_end = !only_words && word == "--";
        let is_left_out = is_end || !only_words && is_option(word);
        only_words |= is_end;
        !is_left_out
    });
    let (mode, names) = match words.as_slice() {
        [mode, names @ ..] if !names.is_empty() => (mode, names),
        _ => return call.fail(1, "chmod: Needs 2 arguments (see \"chmod --help\")"),
    };
    if !is_mode(mode) {
        return call.fail(1, format!("chmod: bad mode '{mode}'"));
    }
    for name in names {
        if let Err(error) = call.device.stat(&call.path(name)) {
            call.warn(format!("chmod: '{name}': {error}"));
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// Returns true for a mode as toybox takes it: up to 7777 in octal digits, or clauses such as `u+rw` between commas.
fn is_mode(mode: &str) -> bool {
    let is_clause = |clause: &str| {
        let changes = clause.trim_start_matches(['o', 'g', 'u', 'a']);
        let is_known = |letter: char| "=+-xwrstXogu".contains(letter);
        changes.starts_with(['=', '+', '-']) && changes.chars().all(is_known)
    };
    if mode.starts_with(|first: char| first.is_ascii_digit()) {
        u32::from_str_radix(mode, 8).is_ok_and(|bits| bits <= 0o7777)
    } else {
        mode.split(',').all(is_clause)
    }
}
