//! Tool that lists installed apps (B4).

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::state::SessionCaches;
use crate::{Call, Effect, Failure, FailureKind, Outcome, StepSyntax, Tool, Words};
use runner_device::{DeviceError, apps};
use runner_engine::Session;

/// Arguments of `get_mobile_app_target_info`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetAppsArgs {
    /// Only apps whose package contains this, in any letter case. The ids stay those of the whole list.
    #[serde(default)]
    pub filter: String,
    /// Include the system's apps.
    #[serde(default)]
    pub include_system_apps: bool,
    /// Ask the device even where the cache would answer.
    #[serde(default)]
    pub force_refresh: bool,
}

#[derive(Debug)]
pub struct GetApps;

impl Tool for GetApps {
    const NAME: &'static str = "mobile_agent.get_mobile_app_target_info";
    const SUMMARY: &'static str = "Lists installed applications with an id, name and package each.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    const LISTS: bool = true;
    const HELP: &'static str = "The name is the package: adb tells no other. Hand `id` and `package` to launch_app. Cached for 5 minutes; `force_refresh` after an app was installed or removed.";
    type Args = GetAppsArgs;

    /// Lists the apps whose package has the filter in it, in any case; an empty filter lists all. Ids count from 1 over
    /// all apps, also those left out. No match is an empty list. The list is cached for 5 minutes.
    async fn call(session: &Session, args: GetAppsArgs, _: &Call) -> Result<Outcome, Failure> {
        let packages = packages(session, args.include_system_apps, args.force_refresh).await?;
        let wanted = args.filter.to_lowercase();
        let listed = packages
            .iter()
            .enumerate()
            .filter(|(_, package)| package.to_lowercase().contains(&wanted))
            .map(|(place, package)| app_json(place, package))
            .collect();
        Ok(Outcome::json(Value::Array(listed)))
    }
}

/// Returns the failure with the reference's message, whether the device failed or was not available. The old message
/// becomes a detail. A usage error stays as it is. It is never an outcome.
pub(super) fn raised(failure: Failure) -> Result<Outcome, Failure> {
    if failure.kind == FailureKind::Usage {
        return Err(failure);
    }
    let message = Words::format(
        "Failed to get mobile app target info: {}",
        &[&failure.message],
    );
    Err(failure.with_message(message))
}

/// Returns an app's JSON; its id is its place in the list, from 1.
pub(super) fn app_json(place: usize, package: &str) -> Value {
    json!({ "id": (place + 1).to_string(), "name": package, "package": package })
}

/// Returns the packages from the cache if they are younger than 5 minutes and no refresh is forced, else from the
/// device. Remembers which of the two lists was returned last, as later ids mean that one.
async fn packages(
    session: &Session,
    with_system: bool,
    force_refresh: bool,
) -> Result<Arc<Vec<String>>, DeviceError> {
    let state = session.remembered::<SessionCaches>();
    if !force_refresh {
        let mut caches = state.caches();
        let now = caches.now();
        if let Some(packages) = caches.apps(with_system).fresh(now) {
            caches.listed_with_system = with_system;
            return Ok(packages);
        }
    }
    let packages = Arc::new(installed(session, with_system).await?);
    let mut caches = state.caches();
    let now = caches.now();
    caches.apps(with_system).keep(Arc::clone(&packages), now);
    caches.listed_with_system = with_system;
    Ok(packages)
}

/// Returns the packages on the device, sorted by name. Apps of the system are included only with
/// `with_system`.
pub(super) async fn installed(
    session: &Session,
    with_system: bool,
) -> Result<Vec<String>, DeviceError> {
    let filter = if with_system {
        apps::AppFilter::All
    } else {
        apps::AppFilter::User
    };
    let apps = apps::list(session.device(), filter).await?;
    Ok(apps.into_iter().map(|app| app.package).collect())
}
