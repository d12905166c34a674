//! Commands that describe files and folders: lists, searches, links and sizes.

use std::fmt::Write as _;

use chrono::DateTime;

use super::files::flags;
use super::{Call, Outcome};
use crate::storage::Stat;

/// Formats seconds since 1970 to the minute, in UTC. An impossible time is 1970.
fn format_time(modified: i64) -> String {
    DateTime::from_timestamp(modified, 0)
        .unwrap_or_default()
        .format("%Y-%m-%d %H:%M")
        .to_string()
}

/// Formats made-up permissions: they tell folders, devices and files apart only.
fn permissions(stat: &Stat) -> &'static str {
    if stat.is_folder() {
        "drwxrws---"
    } else if !stat.is_file() {
        "crw-rw-rw-"
    } else {
        "-rw-rw----"
    }
}

/// `ls [-aAdlpR] [NAME…]`: files first, then what is in folders, sorted. Names that begin with a dot need `-a` or
/// `-A`. A name that does not exist gives a message and 1. Folders found by `-R` come after all that are known,
/// level by level.
pub(super) fn ls(call: &mut Call) -> Outcome {
    let (flags, mut names) = flags(call);
    if names.is_empty() {
        names.push(call.cwd().to_owned());
    }
    let mut code = 0;
    let mut files = Vec::new();
    let mut folders = Vec::new();
    for name in names {
        match call.device.stat(&call.path(&name)) {
            Ok(stat) if stat.is_folder() && !flags.contains('d') => folders.push(name),
            Ok(stat) => files.push((name, stat)),
            Err(error) => {
                call.warn(format!("ls: {name}: {error}"));
                code = 1;
            }
        }
    }
    let headed = folders.len() + files.len() > 1 || flags.contains('R');
    print_entries(call, &files, &flags);
    let mut folders: std::collections::VecDeque<String> = folders.into();
    let mut first = files.is_empty();
    while let Some(folder) = folders.pop_front() {
        if headed {
            let gap = if first { "" } else { "\n" };
            call.say(format!("{gap}{folder}:"));
        }
        first = false;
        let path = call.path(&folder);
        let mut entries = Vec::new();
        if flags.contains('a') {
            for name in [".", ".."] {
                if let Ok(stat) = call.device.stat(&path) {
                    entries.push((name.to_owned(), stat));
                }
            }
        }
        for name in call.device.list(&path).unwrap_or_default() {
            if name.starts_with('.') && !flags.contains(['a', 'A']) {
                continue;
            }
            if let Ok(stat) = call.device.stat(&format!("{path}/{name}")) {
                if flags.contains('R') && stat.is_folder() {
                    folders.push_back(format!("{}/{name}", folder.trim_end_matches('/')));
                }
                entries.push((name, stat));
            }
        }
        if flags.contains('l') {
            call.say(format!("total {}", entries.len() * 4));
        }
        print_entries(call, &entries, &flags);
    }
    Outcome::Exit(code)
}

/// Prints entries, a line each: with flag `l` in the long form, whose owners are made up, and with `p` a `/` behind
/// folders.
fn print_entries(call: &mut Call, entries: &[(String, Stat)], flags: &str) {
    for (name, stat) in entries {
        let end = if flags.contains('p') && stat.is_folder() {
            "/"
        } else {
            ""
        };
        if flags.contains('l') {
            call.say(format!(
                "{} {} shell media_rw {:>8} {} {name}{end}",
                permissions(stat),
                if stat.is_folder() { 2 } else { 1 },
                stat.size,
                format_time(stat.modified),
            ));
        } else {
            call.say(format!("{name}{end}"));
        }
    }
}

/// `find FOLDER… [-name PATTERN] [-type f|d] [-maxdepth N]`, by default in the current folder and 32 levels deep.
/// Folders come before what is in them, and made-up files are not listed. Any other condition is refused with 1. A
/// folder that does not exist gives 1 too, and the rest is still searched.
pub(super) fn find(call: &mut Call) -> Outcome {
    let mut roots = Vec::new();
    let (mut name, mut kind, mut depth) = (None, None, 32);
    let mut words = call.owned_args().into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-name" => name = words.next(),
            "-type" => kind = words.next(),
            "-maxdepth" => {
                depth = words
                    .next()
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(32);
            }
            "-print" => {}
            other if other.starts_with('-') => {
                return call.fail(1, format!("find: bad arg '{other}'"));
            }
            _ => roots.push(word),
        }
    }
    if roots.is_empty() {
        roots.push(".".to_owned());
    }
    let pattern = name.map(|name| {
        let chars: Vec<(char, bool)> = name.chars().map(|c| (c, false)).collect();
        crate::shell::pattern::compile(&chars)
    });
    let mut code = 0;
    for root in roots {
        let mut waiting = vec![(root, 0)];
        while let Some((path, level)) = waiting.pop() {
            let stat = match call.device.stat(&call.path(&path)) {
                Ok(stat) => stat,
                Err(error) => {
                    call.warn(format!("find: {path}: {error}"));
                    code = 1;
                    continue;
                }
            };
            let last: Vec<char> = path
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .chars()
                .collect();
            let named = pattern
                .as_ref()
                .is_none_or(|pattern| crate::shell::pattern::matches(pattern, &last));
            let typed = match kind.as_deref() {
                Some("f") => !stat.is_folder(),
                Some("d") => stat.is_folder(),
                _ => true,
            };
            if named && typed {
                call.say(&path);
            }
            if stat.is_folder() && level < depth {
                let inside = call
                    .device
                    .storage
                    .list(&call.path(&path))
                    .unwrap_or_default();
                let base = path.trim_end_matches('/').to_owned();
                // A stack: turned round, it gives the names in their order.
                waiting.extend(
                    inside
                        .iter()
                        .rev()
                        .map(|name| (format!("{base}/{name}"), level + 1)),
                );
            }
        }
    }
    Outcome::Exit(code)
}

/// `readlink -f`: prints the absolute path, without `-f` too. Storage has no links, so a path whose folder exists
/// is its own target, even if it does not exist itself. Others are skipped without a message, and the exit code is
/// 1.
pub(super) fn resolve_link(call: &mut Call) -> Outcome {
    let mut code = 0;
    for name in call.owned_args().into_iter().filter(|word| word != "-f") {
        let path = call.path(&name);
        let folder = path
            .rsplit_once('/')
            .map_or("/", |(folder, _)| match folder {
                "" => "/",
                folder => folder,
            });
        if call.device.stat(folder).is_ok_and(|stat| stat.is_folder()) {
            call.say(path);
        } else {
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// `stat [-c FORMAT] [-L] NAME…`. Prints the format for each name, with a line feed, or by default four lines. A
/// name that does not exist gives a message and 1; the others are still printed.
pub(super) fn stat(call: &mut Call) -> Outcome {
    let args = call.owned_args();
    let mut format = None;
    let mut names = Vec::new();
    let mut words = args.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-c" => format = words.next(),
            "-L" => {}
            _ => names.push(word),
        }
    }
    let mut code = 0;
    for name in names {
        match call.device.stat(&call.path(&name)) {
            Ok(stat) => {
                let format = format.as_deref().unwrap_or(
                    "  File: %n\n  Size: %s\t Blocks: %b\t IO Blocks: 512\t%F\nAccess: (%a/%A)\tUid: (2000/shell)\tGid: (1023/media_rw)\nModify: %y",
                );
                let line = stat_line(format, &name, &stat);
                call.say(line);
            }
            Err(error) => {
                call.warn(format!("stat: '{name}': {error}"));
                code = 1;
            }
        }
    }
    Outcome::Exit(code)
}

/// Fills in a format of `stat -c`. Unknown letters stay; owners are made up, and all times are that of the last
/// change.
fn stat_line(format: &str, name: &str, stat: &Stat) -> String {
    let mut line = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            line.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => line.push_str(name),
            Some('s') => line.push_str(&stat.size.to_string()),
            Some('b') => line.push_str(&stat.size.div_ceil(512).to_string()),
            Some('Y' | 'X' | 'Z') => line.push_str(&stat.modified.to_string()),
            Some('y' | 'x' | 'z') => line.push_str(&format_time(stat.modified)),
            Some('a') => {
                let _ = write!(line, "{:o}", stat.mode & 0o7777);
            }
            Some('A') => line.push_str(permissions(stat)),
            Some('f') => {
                let _ = write!(line, "{:x}", stat.mode);
            }
            Some('u') => line.push_str("2000"),
            Some('U') => line.push_str("shell"),
            Some('g') => line.push_str("1023"),
            Some('G') => line.push_str("media_rw"),
            Some('F') => line.push_str(if stat.is_folder() {
                "directory"
            } else {
                "regular file"
            }),
            Some('%') | None => line.push('%'),
            Some(other) => {
                line.push('%');
                line.push(other);
            }
        }
    }
    line
}

/// `df`: made-up sizes, whatever its arguments.
pub(super) fn df(call: &mut Call) -> Outcome {
    call.say("Filesystem      1K-blocks    Used Available Use% Mounted on");
    call.say("/dev/block/dm-0   2097152 1887436    209716  90% /");
    call.say("/dev/block/dm-1  52428800 5242880  47185920  10% /data");
    call.say("/dev/fuse        52428800 5242880  47185920  10% /storage/emulated");
    Outcome::Exit(0)
}
