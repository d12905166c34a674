//! `pm` and `cmd package`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Call, Outcome};
use crate::apps::LAUNCHER;
use crate::{ActivityDump, PackageDump, Quirk};

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
fn apk(call: &Call, package: &PackageDump) -> String {
    if package.system {
        format!("/system/app/{0}/{0}.apk", package.label.replace(' ', ""))
    } else {
        call.device.storage.apk_path(&package.package)
    }
}

fn find(call: &Call, name: &str) -> Option<PackageDump> {
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

/// The category of launchers.
const HOME: &str = "android.intent.category.HOME";

/// Arguments of `resolve-activity` and `query-activities` that matter here.
#[derive(Default)]
struct ActivityQuery {
    package: Option<String>,
    brief: bool,
    components: bool,
    /// The query is for the launcher.
    home: bool,
}

impl ActivityQuery {
    /// Reads the query's options. Unknown ones are ignored, and the last free word is the package; of categories
    /// only that of home counts.
    fn read(args: &[String]) -> Self {
        let mut query = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--brief" => query.brief = true,
                "--components" => query.components = true,
                "-c" => query.home |= words.next().is_some_and(|category| category == HOME),
                "-a" | "-d" | "-t" | "--query-flags" | "--user" => drop(words.next()),
                "-p" => query.package = words.next().cloned(),
                _ if word.starts_with('-') => {}
                _ => query.package = Some(word.clone()),
            }
        }
        query
    }

    /// Prints the description of an activity in the form that the query asks for: a component, brief, or in
    /// full. Each line is after `indent`, except a component alone.
    fn say(&self, call: &mut Call, indent: &str, package: &str, activity: &str) {
        let short = activity
            .strip_prefix(package)
            .filter(|rest| rest.starts_with('.'))
            .unwrap_or(activity);
        if self.components {
            call.say(format!("{package}/{short}"));
            return;
        }
        call.say(format!(
            "{indent}priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false"
        ));
        if self.brief {
            call.say(format!("{indent}{package}/{short}"));
        } else {
            let full = if short.starts_with('.') {
                format!("{package}{short}")
            } else {
                short.to_owned()
            };
            call.say(format!("{indent}ActivityInfo:\n{indent}  name={full}\n{indent}  packageName={package}\n{indent}  enabled=true exported=true processName={package}"));
        }
    }
}

/// `resolve-activity`: prints the main activity of the package, or of the launcher for home. Without one it prints
/// a message; the exit code is 0 in any case.
fn resolve(call: &mut Call, args: &[String]) -> Outcome {
    let mut query = ActivityQuery::read(args);
    if query.home {
        query.package = Some(LAUNCHER.to_owned());
    }
    let found = query.package.as_deref().and_then(|name| find(call, name));
    match found.and_then(|package| Some((package.package, package.launchable?))) {
        None => call.say("No activity found"),
        Some((package, activity)) => query.say(call, "", &package, &activity),
    }
    Outcome::Exit(0)
}

/// `query-activities` of all apps, or of one. It lists only the main activity of each, whatever the intent.
/// The exit code is 0 even if there is none.
fn query_activities(call: &mut Call, args: &[String]) -> Outcome {
    let query = ActivityQuery::read(args);
    let packages = call.device.phone().packages();
    let found: Vec<(String, String)> = packages
        .into_iter()
        .filter(|package| {
            query
                .package
                .as_ref()
                .is_none_or(|wanted| *wanted == package.package)
        })
        .filter_map(|package| Some((package.package, package.launchable?)))
        .collect();
    if found.is_empty() {
        call.say("No activities found");
        return Outcome::Exit(0);
    }
    if !query.components {
        call.say(format!("{} activities found:", found.len()));
    }
    for (number, (package, activity)) in found.iter().enumerate() {
        if !query.components {
            call.say(format!("  Activity #{number}:"));
        }
        query.say(call, "    ", package, activity);
    }
    Outcome::Exit(0)
}

/// `dumpsys package` of one package, or of all without a name or with `packages`. An unknown package only gives a
/// message.
pub(super) fn describe(call: &mut Call, name: Option<&str>) {
    // `packages` names a section of the output, not a package.
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
    describe_filters(call, &packages);
    call.say("\nPackages:");
    for package in &packages {
        describe_one(call, package);
    }
}

/// Prints the table by which intents find activities: links by their schemes, then actions (AOSP
/// `IntentResolver.java`). Activities without links that the launcher does not start stand below `VIEW`.
fn describe_filters(call: &mut Call, packages: &[PackageDump]) {
    call.say("Activity Resolver Table:");
    let offered = || {
        packages.iter().flat_map(|package| {
            let activities = package.activities.iter();
            activities.map(move |activity| (package, activity))
        })
    };
    let schemes: BTreeSet<&String> = offered().flat_map(|(_, it)| &it.schemes).collect();
    if !schemes.is_empty() {
        call.say("  Schemes:");
    }
    for scheme in schemes {
        call.say(format!("      {scheme}:"));
        for (package, activity) in offered().filter(|(_, it)| it.schemes.contains(scheme)) {
            let (owner, name) = (&package.package, &activity.name);
            call.say(format!("        5f3c {owner}/{name} filter 1a2b\n          Action: \"android.intent.action.VIEW\"\n          Scheme: \"{scheme}\""));
        }
    }
    call.say("  Non-Data Actions:\n      android.intent.action.MAIN:");
    for package in packages {
        if let Some(activity) = &package.launchable {
            call.say(format!("        5f3c {}/{activity} filter 1a2b\n          Action: \"android.intent.action.MAIN\"\n          Category: \"android.intent.category.LAUNCHER\"", package.package));
        }
    }
    let is_plain = |package: &PackageDump, activity: &ActivityDump| {
        activity.schemes.is_empty() && package.launchable.as_ref() != Some(&activity.name)
    };
    let mut others = offered()
        .filter(|(package, it)| is_plain(package, it))
        .peekable();
    if others.peek().is_some() {
        call.say("      android.intent.action.VIEW:");
    }
    for (package, activity) in others {
        let (owner, name) = (&package.package, &activity.name);
        call.say(format!("        5f3c {owner}/{name} filter 1a2b\n          Action: \"android.intent.action.VIEW\""));
    }
}

/// Prints the section of a package. Permissions that are not asked at run time are granted. Times are made up, and
/// without an APK the SDK levels too.
fn describe_one(call: &mut Call, package: &PackageDump) {
    let file = apk(call, package);
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = &package.package;
    let (min_sdk, target_sdk) = package
        .apk
        .as_ref()
        .map_or((24, 34), |apk| (apk.min_sdk, apk.target_sdk));
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
    versionCode={} minSdk={min_sdk} targetSdk={target_sdk}
    versionName={}
    splits=[base]
    flags=[ {kind} ALLOW_CLEAR_USER_DATA ALLOW_BACKUP ]
    dataDir=/data/user/0/{name}
    firstInstallTime=2023-11-14 22:13:20
    lastUpdateTime=2023-11-14 22:13:20
    requested permissions:",
        package.version_code, package.version
    ));
    let requested: Vec<&String> = match &package.apk {
        Some(apk) => apk.permissions.iter().collect(),
        None => package.permissions.iter().map(|(name, _)| name).collect(),
    };
    for permission in &requested {
        call.say(format!("      {permission}"));
    }
    call.say("    install permissions:");
    let is_run_time = |name: &String| package.permissions.iter().any(|(known, _)| known == name);
    for permission in requested.into_iter().filter(|name| !is_run_time(name)) {
        call.say(format!("      {permission}: granted=true"));
    }
    call.say("    User 0: ceDataInode=1 installed=true hidden=false suspended=false distractionFlags=0 stopped=false notLaunched=false enabled=0 instant=false virtual=false\n      runtime permissions:");
    for (permission, granted) in &package.permissions {
        call.say(format!("        {permission}: granted={granted}, flags=[ USER_SENSITIVE_WHEN_GRANTED|USER_SENSITIVE_WHEN_DENIED]"));
    }
}
