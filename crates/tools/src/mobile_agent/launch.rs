//! Tool that launches an app by package, by an id of the app list, or by a part of its name (B9).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer::{self, AgentError};
use super::apps::{app_json, installed};
use super::state::SessionCaches;
use crate::package::has_package_letters;
use crate::{Call, Failure, FrontEffect, Outcome, StepSyntax, Tool, Words};
use runner_device::{DeviceError, apps};
use runner_engine::Session;

/// Output of the reference's command (`monkey`) after it started an app; its clients look for it. The actual
/// command also waits until the app is drawn, and prints something else.
const LAUNCHED: &str = "Events injected: 1";

/// Arguments of `launch_app`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchAppArgs {
    /// Package, such as `com.android.settings`. Without a dot it is searched for in the names of the installed packages.
    pub package_name: String,
    /// App id from the last `get_mobile_app_target_info`; it wins over `package_name`.
    pub id: Option<String>,
}

#[derive(Debug)]
pub struct LaunchApp;

impl Tool for LaunchApp {
    const NAME: &'static str = "mobile_agent.launch_app";
    const SUMMARY: &'static str = "Launches an application by package name or app id.";
    const WRITING: StepSyntax = StepSyntax::Scalar("package_name");
    const HELP: &'static str = "Waits until the app is drawn; an app that runs comes to the front as it is. A `warning` says which package was taken where id, name and package did not fit.";
    const FRONT: FrontEffect = FrontEffect::Launches;
    type Args = LaunchAppArgs;

    async fn call(session: &Session, args: LaunchAppArgs, _: &Call) -> Result<Outcome, Failure> {
        Ok(answer::to_outcome(launch_app(session, &args).await))
    }
}

/// The app to launch.
struct AppQuery {
    package: String,
    warning: Option<Words>,
    info: Option<Value>,
}

/// Launches the app that the id of the last list means, else the package if the text has a dot, else the app whose name
/// contains the text. A guess, and an id that does not fit the text, are told as a warning. Fails if no app is found or
/// it is not drawn.
async fn launch_app(session: &Session, args: &LaunchAppArgs) -> Result<Outcome, AgentError> {
    let name = args.package_name.trim();
    let AppQuery {
        package,
        warning,
        info,
    } = match &args.id {
        Some(id) => by_id(session, id, name)?,
        None if name.contains('.') => AppQuery {
            package: name.to_owned(),
            warning: None,
            info: None,
        },
        None => by_name(session, name).await?,
    };
    launch(session, &package).await?;
    let mut answer = Map::new();
    answer.insert("success".to_owned(), true.into());
    let message = Words::format("Launched {}", &[&package]);
    answer.insert("message".to_owned(), message.to_string().into());
    answer.insert("package_name".to_owned(), package.into());
    answer.insert("output".to_owned(), LAUNCHED.into());
    answer.insert("error".to_owned(), "".into());
    if let Some(warning) = &warning {
        answer.insert("warning".to_owned(), warning.to_string().into());
    }
    if let Some(info) = info {
        answer.insert("app_info".to_owned(), info);
    }
    let outcome = Outcome::json(Value::Object(answer)).saying(message);
    Ok(warning.into_iter().fold(outcome, Outcome::saying))
}

/// Finds an app by its id, a number from 1, in the last list of apps. If `name` differs from its package, a
/// warning says so, and the id counts.
///
/// # Errors
///
/// If there is no list of the last 5 minutes, or the id is not in it.
fn by_id(session: &Session, id: &str, name: &str) -> Result<AppQuery, AgentError> {
    let packages = {
        let state = session.remembered::<SessionCaches>();
        let mut caches = state.caches();
        let now = caches.now();
        let listed = caches.listed_with_system;
        caches.apps(listed).fresh(now)
    };
    let packages = packages.ok_or_else(|| {
        AgentError::new("App cache is empty. Please call get_mobile_app_target_info first.")
    })?;
    let place = id.parse::<usize>().ok().and_then(|id| id.checked_sub(1));
    let (place, package) = place
        .and_then(|place| Some((place, packages.get(place)?)))
        .ok_or_else(|| {
            AgentError::new(Words::format(
                "App with ID '{}' not found in cached app list.",
                &[&id],
            ))
        })?;
    let warning = (name != package).then(|| {
        Words::format(
            "Warning: App ID {} has package '{}', but provided package_name is '{}'. Using ID {}.",
            &[&id, &package, &name, &id],
        )
    });
    Ok(AppQuery {
        package: package.clone(),
        warning,
        info: Some(app_json(place, package)),
    })
}

/// Finds an installed app, also of the system, by a name without dot, as [`named`] does. A warning always
/// says which package was taken. Fails if there is none.
async fn by_name(session: &Session, name: &str) -> Result<AppQuery, AgentError> {
    let packages = installed(session, true)
        .await
        .map_err(AgentError::from_failure)?;
    let package = named(&packages, name).ok_or_else(|| {
        AgentError::new(Words::format(
            "No app found with name containing '{}'. Try using full package name.",
            &[&name],
        ))
    })?;
    Ok(AppQuery {
        package: package.clone(),
        warning: Some(Words::format(
            "Resolved '{}' to package '{}'",
            &[&name, &package],
        )),
        info: None,
    })
}

/// Returns the package that has the name as one of its dot-separated parts, ignoring case, preferring the
/// fewest parts over providers and plug-ins of the same name; else the first that contains it. `None` for an
/// empty name.
fn named<'a>(packages: &'a [String], name: &str) -> Option<&'a String> {
    let name = name.to_lowercase();
    if name.is_empty() {
        return None;
    }
    packages
        .iter()
        .filter(|package| package.to_lowercase().split('.').any(|part| part == name))
        .min_by_key(|package| package.split('.').count())
        .or_else(|| {
            packages
                .iter()
                .find(|package| package.to_lowercase().contains(&name))
        })
}

/// Launches a package and waits until it is drawn, at most a minute; a running app comes to the front as it is. A text
/// that cannot be a package is refused before the device is asked. The cached screen and controls are discarded.
async fn launch(session: &Session, package: &str) -> Result<(), AgentError> {
    if !has_package_letters(package) {
        return Err(AgentError::new(Words::format(
            "'{}' is not a package name. Try using full package name.",
            &[&package],
        )));
    }
    let launch = apps::Launch {
        package,
        ..apps::Launch::default()
    };
    let state = session.remembered::<SessionCaches>();
    let _acting = state.acting();
    let _turn = session.lock_input().await;
    apps::launch(session.device(), &launch)
        .await
        .map_err(|error| {
            let reason = match &error {
                DeviceError::Command { output, .. } => output.clone(),
                error => error.to_string(),
            };
            AgentError::with_message(
                Words::format("Failed to launch {}: {}", &[&package, &reason]),
                error,
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b09_a_part_of_a_name_finds_the_likeliest_package() {
        let packages = [
            "com.android.providers.settings",
            "com.android.settings",
            "com.example.mapsomething",
            "com.google.android.apps.maps",
        ]
        .map(str::to_owned);
        for (name, package) in [
            ("Settings", Some(1)),
            ("MAPS", Some(3)),
            ("mapso", Some(2)),
            ("ndroid", Some(0)),
            ("com", Some(1)),
            ("calendar", None),
            ("", None),
        ] {
            let expected = package.map(|place: usize| &packages[place]);
            assert_eq!(named(&packages, name), expected, "{name}");
        }
    }
}
