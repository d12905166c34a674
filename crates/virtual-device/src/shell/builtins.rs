//! Commands that change the shell itself.

use tokio::sync::watch;

use super::parse::RESERVED;
use super::run::{Flow, Shell, Streams};
use crate::storage::{Storage, StorageError};

/// Commands of this device that Android's shell has built in (mksh, `mkshbuiltins`).
const BUILTINS: [&str; 30] = [
    ":", "[", "alias", "break", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "export", "false", "kill", "local", "pwd", "read", "readonly", "return", "set", "shift",
    "test", "time", "trap", "true", "typeset", "ulimit", "umask", "unset", "wait",
];

/// Runs a builtin, sets the shell's status, and returns the way in which the script continues. `break` and
/// `continue` leave the status; `exit` and `return` without a number do too. A malformed number counts as none.
/// Some builtins do nothing and succeed. Returns `None` if there is no builtin of this name.
pub(super) async fn run(shell: &mut Shell, words: &[String], streams: &Streams) -> Option<Flow> {
    let (name, args) = words.split_first()?;
    let number = |default: i32| {
        args.first()
            .and_then(|arg| arg.parse().ok())
            .unwrap_or(default)
    };
    match name.as_str() {
        ":" | "ulimit" | "umask" | "alias" => shell.status = 0,
        "trap" => {
            shell.traps.set(args);
            shell.status = 0;
        }
        "cd" => change_folder(shell, args, streams).await,
        "exit" => {
            shell.status = number(shell.status) & 0xff;
            return Some(Flow::Exit);
        }
        "return" => {
            shell.status = number(shell.status) & 0xff;
            return Some(Flow::Return);
        }
        "break" => return Some(Flow::Break(number(1).max(1) as u32)),
        "continue" => return Some(Flow::Continue(number(1).max(1) as u32)),
        "export" | "local" | "readonly" | "typeset" => {
            for assignment in args {
                if let Some((name, value)) = assignment.split_once('=')
                    && !shell.assign(name, value.to_owned(), streams).await
                {
                    return Some(Flow::Next);
                }
            }
            shell.status = 0;
        }
        "unset" => {
            for name in args {
                shell.variables.remove(name);
            }
            shell.status = 0;
        }
        "set" => {
            if let Some(at) = args.iter().position(|arg| arg == "--") {
                shell.arguments = args[at + 1..].to_vec();
            }
            shell.status = 0;
        }
        "shift" => {
            let count = (number(1).max(0) as usize).min(shell.arguments.len());
            shell.arguments.drain(..count);
            shell.status = 0;
        }
        "read" => read(shell, args, streams).await,
        "wait" => wait(shell, args).await,
        "eval" => return Some(nested(shell, &args.join(" "), streams).await),
        "exec" | "command" | "nohup" | "time" => {
            return Some(replaced(shell, name, args, streams).await);
        }
        "sh" | "/system/bin/sh" => {
            sub_shell(shell, args, streams).await;
        }
        _ => return None,
    }
    Some(Flow::Next)
}

/// Runs `cd`, to `/` without arguments. A file, or a folder that does not exist, gives a message and status 2, and
/// the folder stays. `-` is a name like any other.
async fn change_folder(shell: &mut Shell, args: &[String], streams: &Streams) {
    let target = args.first().map_or("/", String::as_str);
    let path = Storage::absolute(&shell.cwd, target);
    let looked = path.clone();
    let stat = shell.device.stat(&looked);
    let problem = match stat {
        Ok(stat) if stat.is_folder() => {
            // Aliases of shared storage are resolved: `pwd` after `cd /sdcard` prints the target.
            shell.cwd = path;
            shell.status = 0;
            return;
        }
        Ok(_) => StorageError::NotFolder,
        Err(error) => error,
    };
    shell
        .complain(&format!("cd: {target}: {problem}"), streams)
        .await;
    shell.status = 2;
}

/// Runs `read`: one line of input, split at whitespace; the last name takes the rest, and names without a word
/// become empty. Without names the whole line goes to `REPLY`. An option is skipped, but its value counts as a
/// name. The status is 1 at the end of the input, and a variable that cannot be set ends it.
async fn read(shell: &mut Shell, args: &[String], streams: &Streams) {
    let Some(line) = streams.stdin.read_line().await else {
        shell.status = 1;
        return;
    };
    let line = String::from_utf8_lossy(&line).into_owned();
    let names: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let mut rest = line.trim();
    for (index, name) in names.iter().enumerate() {
        let value = if index + 1 == names.len() {
            std::mem::take(&mut rest)
        } else {
            let (value, more) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            rest = more.trim_start();
            value
        };
        if !shell.assign(name, value.to_owned(), streams).await {
            return;
        }
    }
    if names.is_empty() && !shell.assign("REPLY", line.clone(), streams).await {
        return;
    }
    shell.status = 0;
}

/// `wait`: waits for the background jobs with these process ids, or for all of this shell. The status is the last
/// named one's exit code, 127 for an unknown one, and 0 without ids. A job is forgotten once it was waited for.
async fn wait(shell: &mut Shell, args: &[String]) {
    shell.status = 0;
    if args.is_empty() {
        for (_, job) in std::mem::take(&mut shell.jobs) {
            exit_code(job).await;
        }
        return;
    }
    for id in args {
        let id = id.parse::<u32>().ok();
        let known = shell.jobs.iter().position(|(job, _)| Some(*job) == id);
        shell.status = match known {
            Some(at) => exit_code(shell.jobs.remove(at).1).await,
            None => 127,
        };
    }
}

/// Waits for a job's exit code; 143 if the device ends first.
async fn exit_code(mut job: watch::Receiver<Option<i32>>) -> i32 {
    match job.wait_for(Option::is_some).await {
        Ok(code) => code.unwrap_or(0),
        // The device ends.
        Err(_) => 143,
    }
}

/// Runs a text in this shell, as `eval` does. A text that cannot be parsed gives a message and status 1. An empty
/// one gives status 0.
async fn nested(shell: &mut Shell, text: &str, streams: &Streams) -> Flow {
    match super::parse::parse(text) {
        Ok(list) => {
            shell.status = 0;
            shell.list(&list, streams).await
        }
        Err(error) => {
            shell.complain(&error.to_string(), streams).await;
            shell.status = 1;
            Flow::Next
        }
    }
}

/// Runs the command in the arguments of `exec`, `command`, `nohup` or `time`; `exec` ends the shell after it. Only
/// `time` runs functions, and it prints no time. `command -v` prints what names are, with status 1 if one is
/// unknown. Without arguments nothing happens, and the status stays.
async fn replaced(shell: &mut Shell, name: &str, args: &[String], streams: &Streams) -> Flow {
    if let ("command", Some((flag, names))) = (name, args.split_first())
        && flag == "-v"
    {
        let mut found = String::new();
        shell.status = 0;
        for name in names {
            if let Some(line) = locate(shell, name) {
                found.push_str(&line);
                found.push('\n');
            } else {
                shell.status = 1;
            }
        }
        let _ = streams.out.write(found.into_bytes()).await;
        return Flow::Next;
    }
    if args.is_empty() {
        return Flow::Next;
    }
    let replaces = name == "exec";
    let _end = if replaces {
        shell.replace_shell(args.first().map_or("sh", String::as_str))
    } else {
        None
    };
    let words = args.to_vec();
    let flow = if name == "time" {
        Box::pin(shell.call(words, streams)).await
    } else {
        Box::pin(shell.call_no_function(words, streams)).await
    };
    if replaces { Flow::Exit } else { flow }
}

/// Returns what `command -v` prints: words of the language, functions and builtins by their names, other
/// commands by their paths. Returns `None` if there is nothing of this name.
fn locate(shell: &Shell, name: &str) -> Option<String> {
    let is_known = RESERVED.contains(&name) || BUILTINS.contains(&name);
    if is_known || shell.functions.contains_key(name) {
        return Some(name.to_owned());
    }
    // The shell runs these two itself, since they need it.
    let is_program = matches!(name, "nohup" | "sh" | "/system/bin/sh");
    if !is_program && super::commands::find(name).is_none() {
        return None;
    }
    Some(if name.contains('/') {
        name.to_owned()
    } else {
        format!("/system/bin/{name}")
    })
}

/// Runs `sh` in a copy of this shell, so that its variables and folder stay: with `-c` the text behind it, with a
/// path that file, else all of standard input. The words behind the file are its arguments; of those behind the
/// text of `-c` the first is dropped, as it is the name. The status is that of the copy, 127 for a file that cannot
/// be read.
async fn sub_shell(shell: &mut Shell, args: &[String], streams: &Streams) {
    let mut inner = shell.clone();
    inner.status = 0;
    let text = match args.split_first() {
        Some((flag, rest)) if flag.starts_with('-') && flag.contains('c') => {
            inner.arguments = rest.iter().skip(2).cloned().collect();
            rest.first().cloned().unwrap_or_default()
        }
        Some((path, rest)) => {
            inner.arguments = rest.to_vec();
            let absolute = Storage::absolute(&shell.cwd, path);
            match shell.device.read(&absolute) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(error) => {
                    shell
                        .complain(&format!("can't open '{path}': {error}"), streams)
                        .await;
                    shell.status = 127;
                    return;
                }
            }
        }
        None => String::from_utf8_lossy(&streams.stdin.read_all().await).into_owned(),
    };
    nested(&mut inner, &text, streams).await;
    shell.status = inner.status;
}
