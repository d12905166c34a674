//! `toybox` under its own name, and its checksums.

use super::{Call, Outcome};

/// `toybox COMMAND [ARGS]` runs any command of the device but itself, also those that are not toybox's. Without
/// arguments it prints a list. An unknown command gives 127.
pub(super) fn toybox(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let Some(name) = words.first() else {
        call.say("[ base64 basename cat chmod cp cut date df dirname echo false find grep head id kill ls md5sum mkdir mv ps pwd rm rmdir seq sleep sort stat sync tail test touch tr true uname uptime wc which whoami");
        return Outcome::Exit(0);
    };
    let run = super::find(name).filter(|_| name != "toybox");
    let Some(run) = run else {
        return call.fail(127, format!("toybox: Unknown command {name}"));
    };
    call.args = words;
    run(call)
}

/// `md5sum [FILE…]`. Without files, and for `-`, it reads standard input. A file that cannot be read gives 1, and the
/// others are still printed.
pub(super) fn md5sum(call: &mut Call) -> Outcome {
    let paths: Vec<String> = call
        .owned_args()
        .into_iter()
        .filter(|word| word == "-" || !word.starts_with('-'))
        .collect();
    let paths = if paths.is_empty() {
        vec!["-".to_owned()]
    } else {
        paths
    };
    if paths.iter().any(|path| path == "-") && call.stdin.is_none() {
        return Outcome::NeedsStdin;
    }
    let mut code = 0;
    for path in paths {
        let bytes = if path == "-" {
            Ok(call.stdin.take().unwrap_or_default())
        } else {
            call.read(&path)
        };
        match bytes {
            Ok(bytes) => call.say(format!("{:x}  {path}", md5::compute(bytes))),
            Err(error) => {
                call.warn(format!("md5sum: {path}: {error}"));
                code = 1;
            }
        }
    }
    Outcome::Exit(code)
}
