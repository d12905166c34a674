//! `resolve-activity` and `query-activities` of the package manager.

use super::package::{find, short_class};
use super::{Call, Outcome};
use crate::apps::LAUNCHER;

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
        let short = short_class(package, activity);
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
pub(super) fn resolve(call: &mut Call, args: &[String]) -> Outcome {
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
pub(super) fn query_activities(call: &mut Call, args: &[String]) -> Outcome {
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
