//! Steps for apps: launching, stopping, installing, links.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::external_names;
use super::install_source::folder_advice;
use crate::arguments::Arguments;
use crate::package::has_package_letters;
use crate::{
    Call, Failure, FrontEffect, NamedApp, Outcome, StepSyntax, Tool, Words, app_failure,
    launch_failure, link_failure, missing_app, paths,
};
use runner_device::{DeviceError, apps};
use runner_engine::Session;

/// Returns the step's package, or else the flow's. Checks only its characters: ASCII letters, digits, `.` and
/// `_`.
///
/// # Errors
///
/// If neither names one, or the one taken is empty or has other characters.
pub(super) fn package(named: Option<String>, call: &Call) -> Result<String, Failure> {
    let package = named
        .or_else(|| call.app.clone())
        .filter(|package| !package.is_empty())
        .ok_or_else(|| {
            Failure::usage("no app is named; write `app:` in the flow's header or at the step")
        })?;
    if has_package_letters(&package) {
        Ok(package)
    } else {
        Err(Failure::usage(Words::format(
            "`{}` is not a package name; write one such as com.example.notes",
            &[&package],
        )))
    }
}

/// Returns the result of a command on an app. Its error says which app was probably meant, if this one is not
/// installed.
pub(super) async fn explained<T>(
    session: &Session,
    call: &Call,
    package: &str,
    result: Result<T, DeviceError>,
) -> Result<T, Failure> {
    match result {
        Ok(done) => Ok(done),
        Err(error) => {
            let app = NamedApp {
                package,
                of_flow: call.app.as_deref(),
            };
            Err(app_failure(session.device(), error, app).await)
        }
    }
}

/// Arguments of `launch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchArgs {
    /// Package; by default the flow's app.
    #[serde(default)]
    pub app: Option<String>,
    /// Forget the app's data first.
    #[serde(default)]
    pub clear: bool,
    /// End the app first, so that it starts anew. With `false` it comes to the front as it is.
    #[serde(default = "yes")]
    pub stop: bool,
    /// Activity; by default the one the launcher starts.
    #[serde(default)]
    pub activity: Option<String>,
    /// Extras of the intent: texts, numbers, booleans.
    #[serde(default)]
    pub extras: BTreeMap<String, Value>,
    /// Run-time permissions to grant (`true`) or revoke (`false`) before the start, such as `CAMERA`; `all` grants all that
    /// the app asks for.
    #[serde(default)]
    pub permissions: Permissions,
}

/// Run-time permissions for a launch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "write `all`, or each permission with true or false: `{ CAMERA: true }`"
)]
pub enum Permissions {
    /// Each one that the app asks for.
    Every(EveryPermission),
    /// Those that are named: whether each is granted or revoked.
    Named(BTreeMap<String, bool>),
}

impl Default for Permissions {
    fn default() -> Self {
        Self::Named(BTreeMap::new())
    }
}

/// The word for all permissions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EveryPermission {
    /// Each one that the app asks for.
    All,
}

fn yes() -> bool {
    true
}

#[derive(Debug)]
pub struct Launch;

impl Tool for Launch {
    const NAME: &'static str = "launch";
    const NEEDS_APP: bool = true;
    const EXAMPLE: &'static str = "- launch: { clear: true }";
    const SUMMARY: &'static str = "Launches an app and waits until it is drawn.";
    const WRITING: StepSyntax = StepSyntax::Scalar("app");
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::Launches;
    type Args = LaunchArgs;

    /// Checks the form of `app`, and the name of each listed permission. Nothing is asked of the device.
    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)?;
        let named = args.get("permissions").and_then(Value::as_object);
        let mut names = named.into_iter().flat_map(|named| named.keys());
        names.try_for_each(|name| external_names::check_permission(name))
    }

    /// Launches the app and waits until its first frame is drawn, at most a minute. Before that it clears the app or
    /// else stops it, and then sets the permissions, as the arguments ask. Waits for the input lock, so that no touch
    /// comes in between. Permissions stay after the flow.
    async fn call(session: &Session, args: LaunchArgs, call: &Call) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        let extras: IndexMap<String, Value> = args.extras.into_iter().collect();
        let (all, named) = match args.permissions {
            Permissions::Every(EveryPermission::All) => (true, BTreeMap::new()),
            Permissions::Named(named) => (false, named),
        };
        let permissions: IndexMap<String, bool> = named.into_iter().collect();
        let launch = apps::Launch {
            package: &package,
            activity: args.activity.as_deref(),
            clear: args.clear,
            stop: args.stop,
            extras: (!extras.is_empty()).then_some(&extras),
            all_permissions: all,
            permissions: (!permissions.is_empty()).then_some(&permissions),
            unconfirmed: false,
        };
        let _turn = session.lock_input().await;
        let device = session.device();
        if let Err(error) = apps::launch(device, &launch).await {
            return Err(launch_failure(device, error, &launch, call.app.as_deref()).await);
        }
        Ok(Outcome::text(Words::format("Launched {}", &[&package])))
    }
}

/// An app.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppArgs {
    /// Package; by default the flow's app.
    #[serde(default)]
    pub app: Option<String>,
}

#[derive(Debug)]
pub struct Stop;

impl Tool for Stop {
    const NAME: &'static str = "stop";
    const NEEDS_APP: bool = true;
    const EXAMPLE: &'static str = "- stop";
    const SUMMARY: &'static str = "Ends an app with all its processes.";
    const WRITING: StepSyntax = StepSyntax::Scalar("app");
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::Ends;
    type Args = AppArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)
    }

    fn front_effect(args: &AppArgs) -> FrontEffect {
        FrontEffect::from_stopped_app(args.app.as_deref())
    }

    /// Ends the app. One that does not run is no failure. An app that is not installed is a failure only if it is
    /// another than the flow's: Android says nothing of a misspelt name.
    async fn call(session: &Session, args: AppArgs, call: &Call) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        let stopped = apps::stop(session.device(), &package).await;
        let ran = explained(session, call, &package, stopped).await?;
        let of_flow = call.app.as_deref();
        if !ran && of_flow != Some(package.as_str()) {
            let app = NamedApp {
                package: &package,
                of_flow,
            };
            if let Some(failure) = missing_app(session.device(), app).await {
                return Err(failure);
            }
        }
        Ok(Outcome::text(Words::format("Stopped {}", &[&package])))
    }
}

#[derive(Debug)]
pub struct Clear;

impl Tool for Clear {
    const NAME: &'static str = "clear";
    const NEEDS_APP: bool = true;
    const EXAMPLE: &'static str = "- clear: com.example.notes";
    const SUMMARY: &'static str = "Forgets an app's data and ends it.";
    const WRITING: StepSyntax = StepSyntax::Scalar("app");
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::Ends;
    type Args = AppArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)
    }

    fn front_effect(args: &AppArgs) -> FrontEffect {
        FrontEffect::from_stopped_app(args.app.as_deref())
    }

    /// Clears the app's data, which ends the app. One that is not installed is a failure.
    async fn call(session: &Session, args: AppArgs, call: &Call) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        let done = apps::clear(session.device(), &package).await;
        explained(session, call, &package, done).await?;
        Ok(Outcome::text(Words::format("Cleared {}", &[&package])))
    }
}

/// Arguments of `install`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstallArgs {
    /// APK below the project's root; for the virtual device the folder of an app.
    pub path: String,
}

#[derive(Debug)]
pub struct Install;

impl Tool for Install {
    const NAME: &'static str = "install";
    const EXAMPLE: &'static str = "- install: build/app.apk";
    const SUMMARY: &'static str = "Installs an app from a file of the project.";
    const WRITING: StepSyntax = StepSyntax::Scalar("path");
    type Args = InstallArgs;

    /// Refuses a URL. A missing path passes here.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let path = args.get("path").and_then(Value::as_str).unwrap_or_default();
        if path.contains("://") {
            return Err(Failure::usage(Words::format(
                "`{}` is no file of the project; fetch it before the run, and write `install: FILE`",
                &[&path],
            )));
        }
        Ok(())
    }

    /// Installs the APK that lies below the project's root, or the folder of an app of the virtual device, within five
    /// minutes. An installed app is replaced and keeps its data. A missing file, a path or link out of the project, and
    /// a folder that is no app are failures of usage.
    async fn call(session: &Session, args: InstallArgs, call: &Call) -> Result<Outcome, Failure> {
        let source = paths::below(&call.root, &args.path)?;
        if !tokio::fs::try_exists(&source).await.unwrap_or(false) {
            let why = if source.is_symlink() {
                "{} is a link that leads nowhere"
            } else {
                "there is no {} to install"
            };
            return Err(Failure::usage(Words::format(why, &[&source])));
        }
        if source.extension() == Some("apk") && source.is_dir() {
            let why = "{} is a folder, not an APK";
            return Err(Failure::usage(Words::format(why, &[&source])));
        }
        if let Some(advice) = folder_advice(&source, &args.path) {
            let why = "{} is a folder without an `app.yaml`; {}";
            return Err(Failure::usage(Words::format(why, &[&args.path, &advice])));
        }
        apps::install(session.device(), source.as_std_path()).await?;
        Ok(Outcome::text(Words::format("Installed {}", &[&args.path])))
    }
}

#[derive(Debug)]
pub struct Uninstall;

impl Tool for Uninstall {
    const NAME: &'static str = "uninstall";
    const NEEDS_APP: bool = true;
    const EXAMPLE: &'static str = "- uninstall: com.example.notes";
    const SUMMARY: &'static str = "Removes an app and its data.";
    const WRITING: StepSyntax = StepSyntax::Scalar("app");
    const VALUE_OPTIONAL: bool = true;
    type Args = AppArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)
    }

    /// Removes the app with its data. One that is not installed is a failure.
    async fn call(session: &Session, args: AppArgs, call: &Call) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        let done = apps::uninstall(session.device(), &package).await;
        explained(session, call, &package, done).await?;
        Ok(Outcome::text(Words::format("Uninstalled {}", &[&package])))
    }
}

/// Arguments of `open_link`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenLinkArgs {
    /// The link, such as `https://example.com/a` or `notes://new`.
    pub link: String,
    /// Open it in this app; by default the device chooses.
    #[serde(default)]
    pub app: Option<String>,
}

#[derive(Debug)]
pub struct OpenLink;

impl Tool for OpenLink {
    const NAME: &'static str = "open_link";
    const EXAMPLE: &'static str = "- open_link: notes://note/7";
    const SUMMARY: &'static str = "Opens a link as if a person had followed it.";
    const WRITING: StepSyntax = StepSyntax::Scalar("link");
    const FRONT: FrontEffect = FrontEffect::Launches;
    type Args = OpenLinkArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_link(args, "link")
    }

    /// Opens the link in the named app, else in the one that the device chooses, not in the flow's app. Waits until the
    /// first frame is drawn, at most a minute, and for the input lock before. A link that no app takes is a failure.
    async fn call(session: &Session, args: OpenLinkArgs, call: &Call) -> Result<Outcome, Failure> {
        let _turn = session.lock_input().await;
        let (device, app) = (session.device(), args.app.as_deref());
        if let Err(error) = apps::open_link(device, &args.link, app).await {
            let of_flow = call.app.as_deref();
            return Err(link_failure(device, error, &args.link, app, of_flow).await);
        }
        Ok(Outcome::text(Words::format("Opened {}", &[&args.link])))
    }
}
