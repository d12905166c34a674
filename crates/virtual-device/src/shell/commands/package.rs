//! `pm` and `cmd package`.

use std::time::Duration;

use super::{Call, Outcome};
use crate::PackageDump;

pub(super) fn pm(call: &mut Call) -> Outcome {
    let words = call.rest();
    run(call, &words)
}

/// `pm`'s words, from `pm` or `cmd package`.
pub(super) fn run(call: &mut Call, words: &[String]) -> Outcome {
    let Some((verb, args)) = words.split_first() else {
        return call.fail(
            255,
            "Package manager (package) commands:\n  help\n    Print this help text.",
        );
    };
    let args = without_user(args);
    let names: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    match (verb.as_str(), names.as_slice()) {
        ("list", [what, ..]) => list(call, what, &args),
        ("path", [package]) => path(call, package),
        ("dump", [package]) => {
            describe(call, Some(package.as_str()));
            Outcome::Exit(0)
        }
        // `adb install` streams the package into this command.
        ("install", _) if args.iter().any(|arg| arg == "-S") => {
            not_a_folder(call, "the streamed package")
        }
        ("install", _) => install(call, &args),
        ("uninstall", [package]) => {
            let gone = call.device.phone().uninstall(package);
            call.spend(Duration::from_millis(200));
            answer(call, gone, "Failure [DELETE_FAILED_INTERNAL_ERROR]")
        }
        ("clear", [package]) => {
            let done = call.device.phone().clear(package);
            call.spend(Duration::from_millis(200));
            answer(call, done, "Failed")
        }
        ("grant" | "revoke", [package, permission]) => {
            let set = call
                .device
                .phone()
                .set_permission(package, permission, verb == "grant");
            match set {
                Ok(()) => Outcome::Exit(0),
                Err(problem) => call.fail(
                    255,
                    format!("\nException occurred while executing '{verb}':\n{problem}"),
                ),
            }
        }
        ("resolve-activity", _) => resolve(call, &args),
        ("get-install-location", _) => {
            call.say("0[auto]");
            Outcome::Exit(0)
        }
        ("reset-permissions" | "trim-caches" | "enable" | "compile", _) => Outcome::Exit(0),
        (other, _) => call.fail(255, format!("Unknown command: {other}")),
    }
}

fn answer(call: &mut Call, done: bool, failure: &str) -> Outcome {
    if done {
        call.say("Success");
        Outcome::Exit(0)
    } else {
        call.say(failure);
        Outcome::Exit(1)
    }
}

fn without_user(args: &[String]) -> Vec<String> {
    let mut args = args.to_vec();
    if let Some(at) = args.iter().position(|arg| arg == "--user") {
        args.drain(at..(at + 2).min(args.len()));
    }
    args
}

fn list(call: &mut Call, what: &str, args: &[String]) -> Outcome {
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    match what {
        "packages" | "package" => {
            let wanted = args.iter().skip_while(|arg| *arg != what).nth(1).filter(|arg| !arg.starts_with('-'));
            let mut packages = call.device.phone().packages();
            packages.sort_by(|a, b| a.package.cmp(&b.package));
            for package in packages {
                let shown = (!has("-3") || !package.system)
                    && (!has("-s") || package.system)
                    && !has("-d")
                    && wanted.is_none_or(|part| package.package.contains(part.as_str()));
                if !shown {
                    continue;
                }
                let file = if has("-f") { format!("{}=", apk(&package)) } else { String::new() };
                let code = if has("--show-versioncode") { format!(" versionCode:{}", package.version_code) } else { String::new() };
                let uid = if has("-U") { " uid:10100" } else { "" };
                call.say(format!("package:{file}{}{code}{uid}", package.package));
            }
        }
        "features" => call.say("feature:android.hardware.touchscreen\nfeature:android.hardware.screen.portrait\nfeature:android.hardware.screen.landscape"),
        "users" => call.say("Users:\n\tUserInfo{0:Owner:c13} running"),
        "permissions" | "permission-groups" | "instrumentation" | "libraries" => {}
        other => return call.fail(255, format!("Error: unknown list type '{other}'")),
    }
    Outcome::Exit(0)
}

fn apk(package: &PackageDump) -> String {
    if package.system {
        format!("/system/app/{0}/{0}.apk", package.label.replace(' ', ""))
    } else {
        format!("/data/app/~~runner==/{}-1/base.apk", package.package)
    }
}

fn find(call: &Call, name: &str) -> Option<PackageDump> {
    let packages = call.device.phone().packages();
    packages.into_iter().find(|package| package.package == name)
}

fn path(call: &mut Call, name: &str) -> Outcome {
    match find(call, name) {
        Some(package) => {
            call.say(format!("package:{}", apk(&package)));
            Outcome::Exit(0)
        }
        None => Outcome::Exit(1),
    }
}

/// Installs a folder of an app that was pushed to the device.
fn install(call: &mut Call, args: &[String]) -> Outcome {
    let Some(path) = args.iter().rev().find(|arg| !arg.starts_with('-')) else {
        return call.fail(
            1,
            "Error: must either specify a package size or an APK file",
        );
    };
    let path = call.path(path);
    let device = std::sync::Arc::clone(&call.device);
    device.take_storage_fault();
    if device.storage.is_full() {
        call.say("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]");
        return Outcome::Exit(1);
    }
    let Ok(stat) = device.storage.stat(&path) else {
        return call.fail(
            255,
            format!("Error: Unable to open file: {path}\nError: Can't open file: {path}"),
        );
    };
    if !stat.is_folder() {
        return not_a_folder(call, &path);
    }
    let host = match device.storage.host(&path) {
        Ok(host) => host,
        Err(error) => return call.fail(1, format!("Error: Unable to open file: {path}: {error}")),
    };
    let Some(folder) = camino::Utf8Path::from_path(&host) else {
        return call.fail(1, format!("Error: Unable to open file: {path}"));
    };
    let installed = device.phone().install(folder);
    call.spend(Duration::from_millis(400));
    match installed {
        Ok(_) => {
            call.say("Success");
            Outcome::Exit(0)
        }
        Err(reason) => {
            let text = if reason.starts_with("INSTALL_") {
                reason
            } else {
                format!("INSTALL_FAILED_INVALID_APK: {reason}")
            };
            call.say(format!("Failure [{text}]"));
            Outcome::Exit(1)
        }
    }
}

/// There is no Android runtime here that could run a package.
fn not_a_folder(call: &mut Call, what: &str) -> Outcome {
    call.say(format!("Failure [INSTALL_PARSE_FAILED_NOT_APK: {what} is a file; a virtual device installs the folder of an app (app.yaml and its messages), pushed as it is]"));
    Outcome::Exit(1)
}

fn resolve(call: &mut Call, args: &[String]) -> Outcome {
    let mut package = None;
    let mut brief = false;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--brief" => brief = true,
            "-a" | "-c" | "-d" | "-t" | "--query-flags" => drop(words.next()),
            "--components" => {}
            "-p" => package = words.next().cloned(),
            _ if word.starts_with('-') => {}
            _ => package = Some(word.clone()),
        }
    }
    let found = package.as_deref().and_then(|name| find(call, name));
    let component = found.and_then(|package| Some((package.package, package.launchable?)));
    match component {
        None => call.say("No activity found"),
        Some((package, activity)) => {
            let short = activity
                .strip_prefix(&package)
                .filter(|rest| rest.starts_with('.'));
            let short = short.unwrap_or(&activity);
            if brief {
                call.say(
                    "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false",
                );
                call.say(format!("{package}/{short}"));
            } else {
                let full = if short.starts_with('.') {
                    format!("{package}{short}")
                } else {
                    short.to_owned()
                };
                call.say(
                    "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false",
                );
                call.say(format!("ActivityInfo:\n  name={full}\n  packageName={package}\n  enabled=true exported=true processName={package}"));
            }
        }
    }
    Outcome::Exit(0)
}

/// `dumpsys package` of one package, or of all.
pub(super) fn describe(call: &mut Call, name: Option<&str>) {
    // `packages` is the name of a part of the whole, not of a package.
    let name = name.filter(|name| *name != "packages");
    let packages = call.device.phone().packages();
    let packages: Vec<PackageDump> = packages
        .into_iter()
        .filter(|package| name.is_none_or(|name| package.package == name))
        .collect();
    if packages.is_empty() {
        call.say(format!(
            "Unable to find package: {}",
            name.unwrap_or_default()
        ));
        return;
    }
    call.say("Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:");
    for package in &packages {
        if let Some(activity) = &package.launchable {
            call.say(format!("        5f3c {}/{activity} filter 1a2b\n          Action: \"android.intent.action.MAIN\"\n          Category: \"android.intent.category.LAUNCHER\"", package.package));
        }
    }
    call.say("\nPackages:");
    for package in &packages {
        describe_one(call, package);
    }
}

fn describe_one(call: &mut Call, package: &PackageDump) {
    let file = apk(package);
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = &package.package;
    let kind = if package.system {
        "SYSTEM HAS_CODE"
    } else {
        "HAS_CODE"
    };
    call.say(format!(
        "  Package [{name}] (2036fd1):
    appId=10100
    pkg=Package{{42e7a36 {name}}}
    codePath={folder}
    resourcePath={folder}
    primaryCpuAbi=arm64-v8a
    versionCode={} minSdk=24 targetSdk=34
    versionName={}
    splits=[base]
    flags=[ {kind} ALLOW_CLEAR_USER_DATA ALLOW_BACKUP ]
    dataDir=/data/user/0/{name}
    firstInstallTime=2023-11-14 22:13:20
    lastUpdateTime=2023-11-14 22:13:20
    requested permissions:",
        package.version_code, package.version
    ));
    for (permission, _) in &package.permissions {
        call.say(format!("      {permission}"));
    }
    call.say("    install permissions:\n    User 0: ceDataInode=1 installed=true hidden=false suspended=false distractionFlags=0 stopped=false notLaunched=false enabled=0 instant=false virtual=false\n      runtime permissions:");
    for (permission, granted) in &package.permissions {
        call.say(format!("        {permission}: granted={granted}, flags=[ USER_SENSITIVE_WHEN_GRANTED|USER_SENSITIVE_WHEN_DENIED]"));
    }
}
