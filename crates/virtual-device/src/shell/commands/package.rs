//! `pm` and `cmd package`.

use std::time::Duration;

use super::activity_query::{query_activities, resolve};
use super::package_dump::describe;
use super::{Call, Outcome};
use crate::{PackageDump, Quirk};

pub(super) fn pm(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    run(call, &words)
}

/// Runs the verbs of `pm` and `cmd package`. Some verbs have no effect here and succeed. A verb that a quirk
/// refuses gives 255. An unknown verb, or one with the wrong number of names, gives 255.
pub(super) fn run(call: &mut Call, words: &[String]) -> Outcome {
    let Some((verb, args)) = words.split_first() else {
        return call.fail(
            255,
            "Package manager (package) commands:\n  help\n    Print this help text.",
        );
    };
    if is_guarded(call, verb) {
        return Outcome::Exit(255);
    }
    let user = args.iter().skip_while(|arg| *arg != "--user").nth(1);
    let of_all_users = user.is_none_or(|user| user == "all");
    let args = without_user(args);
    if of_all_users && call.device.quirks.has(Quirk::SamsungUser150) && verb == "list" {
        return call.fail(255, USER_150);
    }
    let names: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    match (verb.as_str(), names.as_slice()) {
        ("list", [what, ..]) => list(call, what, &args),
        ("path", [package]) => path(call, package),
        ("dump", [package]) => {
            describe(call, Some(package.as_str()));
            Outcome::Exit(0)
        }
        ("install", _) => super::install::install(call, &args),
        ("uninstall", []) => {
            call.say("Error: package name not specified");
            Outcome::Exit(1)
        }
        ("uninstall", [package]) => uninstall(call, package, of_all_users),
        ("clear", [package]) => {
            call.device.end_package(package);
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
        ("query-activities", _) => query_activities(call, &args),
        ("get-install-location", _) => {
            call.say("0[auto]");
            Outcome::Exit(0)
        }
        ("reset-permissions" | "trim-caches" | "enable" | "compile", _) => Outcome::Exit(0),
        (other, _) => call.fail(255, format!("Unknown command: {other}")),
    }
}

/// Output for Samsung's Secure Folder, a user that the shell may not access (mobile-dev-inc/maestro#418).
const USER_150: &str = "
Exception occurred while executing 'list':
java.lang.SecurityException: Shell does not have permission to access user 150
\tat com.android.server.am.ActivityManagerService.handleIncomingUser(ActivityManagerService.java:14634)
\tat com.android.server.pm.PackageManagerShellCommand.translateUserId(PackageManagerShellCommand.java:2605)";

/// Returns true, with an error printed, for `grant`, `revoke`, `clear` and `install` with
/// [`Quirk::MiuiGuard`]. MIUI refuses them until "USB debugging (Security settings)" is on.
fn is_guarded(call: &mut Call, verb: &str) -> bool {
    if !call.device.quirks.has(Quirk::MiuiGuard) {
        return false;
    }
    let permission = match verb {
        "grant" => "android.permission.GRANT_RUNTIME_PERMISSIONS",
        "revoke" => "android.permission.REVOKE_RUNTIME_PERMISSIONS",
        "clear" => "android.permission.CLEAR_APP_USER_DATA",
        "install" => {
            call.say("Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]");
            return true;
        }
        _ => return false,
    };
    call.warn(format!(
        "\nException occurred while executing '{verb}':\njava.lang.SecurityException: Neither user 2000 nor current process has {permission}.\n\tat android.app.ContextImpl.enforce(ContextImpl.java:2284)"
    ));
    true
}

/// `pm uninstall`. As on Android, a package of the system cannot be removed for all users, and an unknown
/// package has another failure if it is asked for one user only (`PackageManagerShellCommand.runUninstall`). For
/// one user Android hides a package of the system; that is refused here. Fails with 1, after the package was
/// ended, if it cannot be removed.
fn uninstall(call: &mut Call, package: &str, of_all_users: bool) -> Outcome {
    if !of_all_users && find(call, package).is_none() {
        return answer(call, false, "Failure [not installed for 0]");
    }
    call.device.end_package(package);
    let gone = call.device.phone().uninstall(package);
    if gone {
        call.device.storage.remove_apk(package);
        call.device.settle_packages();
    }
    call.spend(Duration::from_millis(200));
    answer(call, gone, "Failure [DELETE_FAILED_INTERNAL_ERROR]")
}

/// Prints `Success`, or the failure and exits with 1; both to standard output.
fn answer(call: &mut Call, done: bool, failure: &str) -> Outcome {
    if done {
        call.say("Success");
        Outcome::Exit(0)
    } else {
        call.say(failure);
        Outcome::Exit(1)
    }
}

/// Returns the arguments without the first `--user` and its value.
fn without_user(args: &[String]) -> Vec<String> {
    let mut args = args.to_vec();
    if let Some(at) = args.iter().position(|arg| arg == "--user") {
        args.drain(at..(at + 2).min(args.len()));
    }
    args
}

/// `pm list packages|users|features|instrumentation …`. Packages are sorted, and filtered by a part of the name;
/// none is disabled, so `-d` lists none. Permissions and libraries have no entries. An unknown list gives 255.
fn list(call: &mut Call, what: &str, args: &[String]) -> Outcome {
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    match what {
        "packages" | "package" => {
            let wanted = args.iter().skip_while(|arg| *arg != what).skip(1).find(|arg| !arg.starts_with('-'));
            let mut packages = call.device.phone().packages();
            packages.sort_by(|a, b| a.package.cmp(&b.package));
            for package in packages {
                let displayed = (!has("-3") || !package.system)
                    && (!has("-s") || package.system)
                    && !has("-d")
                    && wanted.is_none_or(|part| package.package.contains(part.as_str()));
                if !displayed {
                    continue;
                }
                let file = if has("-f") { format!("{}=", apk(call, &package)) } else { String::new() };
                let code = if has("--show-versioncode") { format!(" versionCode:{}", package.version_code) } else { String::new() };
                let uid = if has("-U") { " uid:10100" } else { "" };
                call.say(format!("package:{file}{}{code}{uid}", package.package));
            }
        }
        "features" => call.say("feature:android.hardware.touchscreen\nfeature:android.hardware.screen.portrait\nfeature:android.hardware.screen.landscape"),
        "users" => call.say("Users:\n\tUserInfo{0:Owner:c13} running"),
        "instrumentation" => {
            let target = args.iter().skip_while(|arg| *arg != what).nth(1);
            list_instrumentation(call, target.filter(|arg| !arg.starts_with('-')), has("-f"));
        }
        "permissions" | "permission-groups" | "libraries" => {}
        other => return call.fail(255, format!("Error: unknown list type '{other}'")),
    }
    Outcome::Exit(0)
}

/// Prints the instrumentations that APKs declare, all or those of a target.
fn list_instrumentation(call: &mut Call, target: Option<&String>, files: bool) {
    let packages = call.device.phone().packages();
    for package in packages {
        let Some(manifest) = &package.apk else {
            continue;
        };
        for instrumentation in &manifest.instrumentation {
            if target.is_some_and(|target| *target != instrumentation.target) {
                continue;
            }
            let file = if files {
                format!("{}=", apk(call, &package))
            } else {
                String::new()
            };
            call.say(format!(
                "instrumentation:{file}{}/{} (target={})",
                package.package,
                short_class(&package.package, &instrumentation.class),
                instrumentation.target
            ));
        }
    }
}

/// Shortens a class as components write it: `.Main` for one of the package. Any other class stays as it is.
pub(super) fn short_class<'a>(package: &str, class: &'a str) -> &'a str {
    class
        .strip_prefix(package)
        .filter(|rest| rest.starts_with('.'))
        .unwrap_or(class)
}

/// Returns the path of a package's APK. That of a system app is made up.
pub(super) fn apk(call: &Call, package: &PackageDump) -> String {
    if package.system {
        format!("/system/app/{0}/{0}.apk", package.label.replace(' ', ""))
    } else {
        call.device.storage.apk_path(&package.package)
    }
}

pub(super) fn find(call: &Call, name: &str) -> Option<PackageDump> {
    let packages = call.device.phone().packages();
    packages.into_iter().find(|package| package.package == name)
}

/// `pm path`. The system itself, `android`, has a path too. An unknown package prints nothing and gives 1.
fn path(call: &mut Call, name: &str) -> Outcome {
    match find(call, name) {
        Some(package) => {
            call.say(format!("package:{}", apk(call, &package)));
            Outcome::Exit(0)
        }
        // The system itself, which no list of apps has here.
        None if name == "android" => {
            call.say("package:/system/framework/framework-res.apk");
            Outcome::Exit(0)
        }
        None => Outcome::Exit(1),
    }
}
