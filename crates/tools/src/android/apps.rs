//! Tools for apps (A37–A39).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::errors::{self, ErrorCode, action_failed};
use crate::arguments::{Arguments, Complaint};
use crate::{Call, Effect, Failure, FrontEffect, Outcome, StepSyntax, Tool, Words};
use runner_device::{DeviceError, apps};
use runner_engine::Session;

/// An app by its package.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackageArgs {
    /// The package ID of the app, e.g. `com.example.app`
    #[schemars(length(min = 1))]
    pub package_id: String,
}

fn check_package(args: &Arguments) -> Result<(), Failure> {
    args.filled("package_id").map(|_| ())
}

#[derive(Debug)]
pub struct OpenApp;

impl Tool for OpenApp {
    const NAME: &'static str = "open_app";
    const SUMMARY: &'static str = "Opens (launches) an application by its package ID.";
    const HELP: &'static str = "list_apps has the package ids.";
    const WRITING: StepSyntax = StepSyntax::Scalar("package_id");
    const FRONT: FrontEffect = FrontEffect::Launches;
    type Args = PackageArgs;

    /// Checks that the package is a text that is not empty.
    fn check(args: &Arguments) -> Result<(), Failure> {
        check_package(args)
    }

    /// Launches the app and waits for its first frame, at most a minute. An app that runs comes to the front and is not
    /// ended. Waits for the input lock, so that no touch comes in between. An app that is not installed is a failure with
    /// the reference's words, and the cause as a detail.
    async fn call(session: &Session, args: PackageArgs, _: &Call) -> Result<Outcome, Failure> {
        let package = args.package_id.as_str();
        let launch = apps::Launch {
            package,
            ..apps::Launch::default()
        };
        let _turn = session.lock_input().await;
        match apps::launch(session.device(), &launch).await {
            Ok(()) => Ok(Outcome::text(Words::format(
                "App opened successfully: {}",
                &[&package],
            ))),
            Err(DeviceError::Command { output, .. }) => {
                // A package that is not installed has no activity either.
                let reason = if output.contains("not installed") {
                    format!("No launchable activity found for package '{package}'")
                } else {
                    output.clone()
                };
                let cause = format!("cause: {output}");
                Err(action_failed(Words::format(
                    "Failed to open application '{}': {}",
                    &[&package, &reason],
                ))
                .with_details([cause]))
            }
            Err(error) => {
                let message =
                    Words::format("Failed to open application '{}': {}", &[&package, &error]);
                Err(errors::with_message(
                    error,
                    message,
                    ErrorCode::ACTION_FAILED,
                ))
            }
        }
    }
}

/// Arguments of `list_apps`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAppsArgs {
    /// Filter by app type: `"all"`, `"user"`, or `"system"`
    #[serde(default = "all")]
    #[schemars(extend("enum" = ["all", "user", "system"]))]
    pub filter: String,
    /// Filter by app name substring (case-insensitive)
    pub name_query: Option<String>,
}

fn all() -> String {
    "all".to_owned()
}

#[derive(Debug)]
pub struct ListApps;

impl Tool for ListApps {
    const NAME: &'static str = "list_apps";
    const SUMMARY: &'static str = "Lists installed applications. Can filter by type (all, user-installed, system) and by name substring.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = ListAppsArgs;

    /// Checks that `filter` is a known one, including case, and that `name_query` is a text. Both may be missing.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let filters = ["all", "user", "system"];
        if let Some(filter) = args.text("filter")?
            && !filters.contains(&filter)
        {
            return Err(args.complaint("filter", &Complaint::NotOneOf(&filters, filter)));
        }
        args.text("name_query").map(|_| ())
    }

    /// Lists installed apps as JSON, filtered by kind and by a part of the name in any letter case, sorted by package.
    /// An app without a label is named by its package. The list may be empty.
    async fn call(session: &Session, args: ListAppsArgs, _: &Call) -> Result<Outcome, Failure> {
        let filter = match args.filter.as_str() {
            "user" => apps::AppFilter::User,
            "system" => apps::AppFilter::System,
            _ => apps::AppFilter::All,
        };
        let query = args.name_query.unwrap_or_default().to_lowercase();
        let installed = apps::list(session.device(), filter)
            .await
            .map_err(|error| {
                let message =
                    Words::format("Failed to query installed applications: {}", &[&error]);
                errors::with_message(error, message, ErrorCode::ACTION_FAILED)
            })?;
        let apps: Vec<Value> = installed
            .into_iter()
            .map(|app| {
                (
                    app.label.clone().unwrap_or_else(|| app.package.clone()),
                    app,
                )
            })
            .filter(|(name, _)| name.to_lowercase().contains(&query))
            .map(|(name, app)| {
                json!({
                    "package_id": app.package,
                    "name": name,
                    "version_name": app.version_name,
                    "version_code": app.version_code,
                    "is_system": app.system,
                })
            })
            .collect();
        let value = Value::Array(apps);
        Ok(Outcome::json(value))
    }
}

#[derive(Debug)]
pub struct CloseApp;

impl Tool for CloseApp {
    const NAME: &'static str = "close_app";
    const SUMMARY: &'static str = "Kills a background application process.";
    const HELP: &'static str = "Call press_home first for the app in front.";
    const WRITING: StepSyntax = StepSyntax::Scalar("package_id");
    const FRONT: FrontEffect = FrontEffect::EndsNamed;
    type Args = PackageArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_package(args)
    }

    /// Ends the app's processes in the background; an app in front keeps running, which is not told. Fails if it is not
    /// installed.
    async fn call(session: &Session, args: PackageArgs, _: &Call) -> Result<Outcome, Failure> {
        let package = args.package_id.as_str();
        let failed = |error: DeviceError| {
            let message =
                Words::format("Failed to close application '{}': {}", &[&package, &error]);
            errors::with_message(error, message, ErrorCode::ACTION_FAILED)
        };
        // `am kill` says nothing of a package that is not there.
        if !apps::is_installed(session.device(), package)
            .await
            .map_err(failed)?
        {
            return Err(action_failed(Words::format(
                "Failed to close application '{}': it is not installed",
                &[&package],
            )));
        }
        apps::kill_background(session.device(), package)
            .await
            .map_err(failed)?;
        Ok(Outcome::text(Words::format(
            "App closed successfully: {}",
            &[&package],
        )))
    }
}
