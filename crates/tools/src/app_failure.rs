//! Failures of commands on apps: what the device has in place of what was named.
//!
//! A command that works asks nothing more. One that failed asks the device a question or two, each with a limit of its
//! own; without an answer the failure stays as it is.

use std::time::Duration;

use indexmap::IndexMap;

use super::package::{nearest_activity, nearest_package};
use super::ungrantable::{PermissionUse, ungrantable};
use super::{Advice, Failure, Words};
use runner_device::apps::{self, IntentFilters, Packages};
use runner_device::{Device, DeviceError};
use runner_text::suggest::nearest;

/// Limit for a question after a failure. Chosen: lists of packages take a phone less than a second; advice that comes
/// later than this is not worth the wait.
const QUESTION_LIMIT: Duration = Duration::from_secs(5);

/// Largest number of names in a list. Chosen: about what fits on two lines.
const MAX_NAMES: usize = 8;

/// App that a failed command was about.
#[derive(Debug, Clone, Copy)]
pub struct NamedApp<'a> {
    pub package: &'a str,
    /// App of the flow's header, if it has one.
    pub of_flow: Option<&'a str>,
}

/// Builds the failure of a command on an app. If the device refused and the app is not installed, it says so, and names
/// the app that was probably meant, else those that people installed.
pub async fn app_failure(device: &dyn Device, error: DeviceError, app: NamedApp<'_>) -> Failure {
    if !is_refusal(&error) {
        return error.into();
    }
    match apps::packages(device, app.package, QUESTION_LIMIT).await {
        Ok(packages) if packages.lack(app.package) => not_installed(error.into(), app, &packages),
        _ => error.into(),
    }
}

/// Returns the failure for an app that is not installed, where a command did not say so. `None` if it is, or the
/// device does not say.
pub async fn missing_app(device: &dyn Device, app: NamedApp<'_>) -> Option<Failure> {
    let is_missing = matches!(apps::is_installed(device, app.package).await, Ok(false));
    if !is_missing {
        return None;
    }
    let packages = apps::packages(device, app.package, QUESTION_LIMIT);
    let packages = packages.await.ok()?;
    packages.lack(app.package).then(|| {
        let failure = Failure::assertion(not_installed_message(app.package));
        not_installed(failure, app, &packages)
    })
}

/// Builds the failure of a launch. It says which activities the app has in place of the named one, or that only the app
/// itself starts that. Other refusals become the failure of [`app_failure`], and say of a permission why it is never
/// granted.
pub async fn launch_failure(
    device: &dyn Device,
    error: DeviceError,
    launch: &apps::Launch<'_>,
    of_flow: Option<&str>,
) -> Failure {
    let package = launch.package;
    let said = refusal(&error).map(ActivityRefusal::read);
    match (said, launch.activity) {
        (Some(ActivityRefusal::Unknown), Some(activity)) => {
            let filters = apps::intent_filters(device, package, QUESTION_LIMIT).await;
            if let Ok(filters) = filters
                && !filters.activities.is_empty()
            {
                return unknown_activity(error.into(), package, activity, &filters);
            }
        }
        (Some(ActivityRefusal::NotExported), Some(_)) => {
            return Failure::from(error).with_details([
                "only the app itself starts this activity, as it is not exported; launch the app without `activity`, and go there as a person does",
            ]);
        }
        _ => {}
    }
    let named = launch.permissions.into_iter().flat_map(IndexMap::keys);
    let why = ungrantable(&error, named.map(String::as_str), PermissionUse::Launch);
    let app = NamedApp { package, of_flow };
    let failure = app_failure(device, error, app).await;
    failure.with_details(why)
}

/// Builds the failure of a link that was to be opened, in `package` if it is given. If nothing takes the link, it says
/// which links the app takes: that one, or else the flow's.
pub async fn link_failure(
    device: &dyn Device,
    error: DeviceError,
    link: &str,
    package: Option<&str>,
    of_flow: Option<&str>,
) -> Failure {
    let said = refusal(&error).map(ActivityRefusal::read);
    if said == Some(ActivityRefusal::Unresolved) {
        let asked = package.or(of_flow);
        let filters = match asked {
            Some(app) => apps::intent_filters(device, app, QUESTION_LIMIT).await,
            None => Ok(IntentFilters::default()),
        };
        let filters = filters.unwrap_or_default();
        if package.is_none() || !filters.is_empty() {
            let message = match package {
                Some(app) => Words::format("{} does not take the link {}", &[&app, &link]),
                None => Words::format("no app on the device takes the link {}", &[&link]),
            };
            let known = asked.and_then(|app| known_links(link, app, &filters));
            return Failure::from(error)
                .with_message(message)
                .with_details(known);
        }
    }
    match package {
        Some(package) => app_failure(device, error, NamedApp { package, of_flow }).await,
        None => error.into(),
    }
}

/// Reason for which `am start` started nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ActivityRefusal {
    /// The app has no such activity.
    Unknown,
    /// Only the app itself may start it.
    NotExported,
    /// No activity takes the intent.
    Unresolved,
    Other,
}

impl ActivityRefusal {
    /// Reads what `am` printed (AOSP `ActivityManagerShellCommand.java`, `runStartActivity`). Unknown words are
    /// `Other`.
    fn read(said: &str) -> Self {
        if said.contains("unable to resolve Intent") {
            Self::Unresolved
        } else if said.contains("not exported from uid") {
            Self::NotExported
        } else if said.contains("Error type 3")
            || said.contains("Activity class") && said.contains("does not exist")
        {
            Self::Unknown
        } else {
            Self::Other
        }
    }
}

/// Returns what the device said if it refused a command, and is not at fault itself.
fn refusal(error: &DeviceError) -> Option<&str> {
    match error {
        DeviceError::Command { output, .. } if !error.is_infrastructure() => Some(output),
        _ => None,
    }
}

fn is_refusal(error: &DeviceError) -> bool {
    refusal(error).is_some()
}

fn not_installed_message(package: &str) -> Words {
    Words::format("{} is not installed on the device", &[&package])
}

/// Says that an app is not installed, and which one was probably meant: one with nearly its name, or the flow's. Else
/// it lists those that people installed.
fn not_installed(failure: Failure, app: NamedApp<'_>, packages: &Packages) -> Failure {
    let failure = failure.with_message(not_installed_message(app.package));
    let names: Vec<&str> = packages.names().collect();
    if let Some(meant) = nearest_package(app.package, &names) {
        return failure.with_details([Words::format(
            "{} is installed, which is nearly the same name; write that",
            &[&meant],
        )]);
    }
    let of_flow = app.of_flow.filter(|of_flow| *of_flow != app.package);
    let of_flow = of_flow.filter(|of_flow| names.contains(of_flow));
    let own = of_flow.map(|own| {
        Words::format(
            "{}, the flow's app, is installed; a step that names no app acts on it",
            &[&own],
        )
    });
    let listed = (!packages.of_people.is_empty()).then(|| {
        let list = name_list(&packages.of_people);
        Words::format("apps that people installed here: {}", &[&list])
    });
    failure
        .with_details(own)
        .with_details(listed)
        .with_advice([Advice::InstallFirst])
}

/// Replaces the failure's message by one that the app has no such activity. Details name the nearest activity, or else
/// those that it offers, and say that without `activity` the launcher's is started.
fn unknown_activity(
    failure: Failure,
    package: &str,
    activity: &str,
    filters: &IntentFilters,
) -> Failure {
    let message = Words::format("{} has no activity {}", &[&package, &activity]);
    let known = match nearest_activity(activity, &filters.activities) {
        Some(meant) => Words::format("it has {}; write `activity: {}`", &[&meant, &meant]),
        None => Words::format(
            "activities that it offers: {}",
            &[&name_list(&filters.activities)],
        ),
    };
    let launcher = "without `activity`, the step starts what the launcher does";
    failure
        .with_message(message)
        .with_details([known])
        .with_details([launcher])
}

/// Says which links an app takes, and what to write where the scheme of `link` is nearly one of them. `None` if the
/// app's links are not known.
fn known_links(link: &str, app: &str, filters: &IntentFilters) -> Option<Words> {
    if filters.is_empty() {
        return None;
    }
    let (scheme, rest) = link.split_once(':').unwrap_or((link, ""));
    let schemes = &filters.schemes;
    if schemes.is_empty() {
        return Some(Words::format("{} takes no links", &[&app]));
    }
    if schemes.iter().any(|known| known == scheme) {
        let own = filters.links.iter().filter(|link| {
            let known = link.split_once(':');
            known.is_some_and(|(known, _)| known == scheme)
        });
        let own: Vec<String> = own.cloned().collect();
        return Some(if own.is_empty() {
            Words::format(
                "{} takes links that begin with `{}:`, but not this host or path",
                &[&app, &scheme],
            )
        } else {
            Words::format(
                "{} takes links that begin with `{}:`, but not this host or path; those that it takes: {}",
                &[&app, &scheme, &name_list(&own)],
            )
        });
    }
    Some(match nearest(scheme, schemes.iter().map(String::as_str)) {
        Some(meant) => {
            let link = format!("{meant}:{rest}");
            Words::format(
                "{} takes links that begin with `{}:`; write `{}`",
                &[&app, &meant, &link],
            )
        }
        None => Words::format(
            "links that {} takes begin with: {}",
            &[&app, &name_list(schemes)],
        ),
    })
}

/// Joins the first [`MAX_NAMES`] names, and says how many more there are.
fn name_list(names: &[String]) -> String {
    let first: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    let list = first.join(", ");
    match names.len() - first.len() {
        0 => list,
        more => format!("{list} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(of_people: &[&str]) -> Packages {
        Packages {
            is_found: false,
            of_people: of_people.iter().map(|name| (*name).to_owned()).collect(),
            others: vec!["android".to_owned()],
        }
    }

    fn details(failure: &Failure) -> String {
        let lines: Vec<String> = failure.details.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }

    #[test]
    fn an_app_that_is_missing_is_answered_with_those_that_are_there() {
        let installed = packages(&["com.example.notes", "com.example.shop"]);
        for (package, of_flow, says, installs) in [
            (
                "com.example.note",
                Some("com.example.notes"),
                "com.example.notes is installed, which is nearly the same name; write that",
                false,
            ),
            (
                "com.example.mail",
                Some("com.example.notes"),
                "com.example.notes, the flow's app, is installed; a step that names no app acts on it\napps that people installed here: com.example.notes, com.example.shop",
                true,
            ),
            (
                "com.example.mail",
                Some("com.example.mail"),
                "apps that people installed here: com.example.notes, com.example.shop",
                true,
            ),
        ] {
            let app = NamedApp { package, of_flow };
            let failure = Failure::assertion(not_installed_message(package));
            let failure = not_installed(failure, app, &installed);
            assert_eq!(details(&failure), says);
            assert_eq!(!failure.advice.is_empty(), installs, "{package}");
        }
    }

    #[test]
    fn a_link_is_answered_with_the_links_of_the_app() {
        let filters = |schemes: &[&str]| IntentFilters {
            activities: vec![".Main".to_owned()],
            schemes: schemes.iter().map(|name| (*name).to_owned()).collect(),
            links: schemes.iter().map(|name| format!("{name}://a/*")).collect(),
        };
        for (link, schemes, says) in [
            ("note://inbox", &["notes"][..], "write `notes://inbox`"),
            (
                "notes://nowhere",
                &["notes"][..],
                "`notes:`, but not this host or path; those that it takes: notes://a/*",
            ),
            (
                "shop://a",
                &["notes", "https"][..],
                "begin with: notes, https",
            ),
            ("shop://a", &[][..], "a.b takes no links"),
        ] {
            let words = known_links(link, "a.b", &filters(schemes)).unwrap();
            assert!(words.contains(says), "{words}");
        }
        assert_eq!(known_links("a:b", "a.b", &IntentFilters::default()), None);
    }

    #[test]
    fn what_am_says_is_told_apart() {
        for (said, meaning) in [
            (
                "Error type 3\nError: Activity class {a.b/a.b.C} does not exist.",
                ActivityRefusal::Unknown,
            ),
            (
                "Error: Activity class {a.b/a.b.C} does not exist.",
                ActivityRefusal::Unknown,
            ),
            (
                "Error: Activity not started, unable to resolve Intent { dat=x: }",
                ActivityRefusal::Unresolved,
            ),
            (
                "java.lang.SecurityException: Permission Denial: starting Intent { cmp=a.b/.C } from null (pid=1, uid=2000) not exported from uid 10123",
                ActivityRefusal::NotExported,
            ),
            ("the app drew nothing within 1m", ActivityRefusal::Other),
        ] {
            assert_eq!(ActivityRefusal::read(said), meaning, "{said}");
        }
    }
}
