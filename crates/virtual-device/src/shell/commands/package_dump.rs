//! `dumpsys package`: what Android tells of packages.

use std::collections::BTreeSet;

use super::Call;
use super::package::apk;
use crate::{ActivityDump, LinkDump, PackageDump};

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
        for (package, activity) in offered() {
            let links = activity.links.iter();
            for link in links.filter(|link| link.schemes.contains(scheme)) {
                let (owner, name) = (&package.package, &activity.name);
                call.say(format!("        5f3c {owner}/{name} filter 1a2b\n          Action: \"android.intent.action.VIEW\""));
                describe_link(call, link);
            }
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

/// Prints the links of an intent filter (AOSP `IntentFilter.java`, `dump`). A host for all below a domain is without its
/// `*`.
fn describe_link(call: &mut Call, link: &LinkDump) {
    for scheme in &link.schemes {
        call.say(format!("          Scheme: \"{scheme}\""));
    }
    for host in &link.hosts {
        let (host, port) = host.split_once(':').unwrap_or((host.as_str(), "-1"));
        let (host, wild) = match host.strip_prefix('*') {
            Some(rest) => (rest, " WILD"),
            None => (host, ""),
        };
        call.say(format!("          Authority: \"{host}\": {port}{wild}"));
    }
    for path in &link.paths {
        call.say(format!("          Path: \"PatternMatcher{{{path}}}\""));
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
