//! Steps for apps: launching, stopping, installing, permissions, links.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::external_names;
use crate::arguments::Arguments;
use crate::package::has_package_letters;
use crate::{Call, Failure, Outcome, StepSyntax, StepValue, Tool, Words, paths};
use runner_device::apps;
use runner_engine::Session;

/// Returns the step's package, or else the flow's. Checks only its characters: ASCII letters, digits, `.` and
/// `_`.
///
/// # Errors
///
/// If neither names one, or the one taken is empty or has other characters.
fn package(named: Option<String>, call: &Call) -> Result<String, Failure> {
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
    type Args = LaunchArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)?;
        let named = args.get("permissions").and_then(Value::as_object);
        let mut names = named.into_iter().flat_map(|named| named.keys());
        names.try_for_each(|name| external_names::check_permission(name))
    }

    /// Launches the app, after what the arguments ask for: to clear it, stop it, and set its permissions. Waits for
    /// the input lock, so that no touch comes in between.
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
        apps::launch(session.device(), &launch).await?;
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
    type Args = AppArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)
    }

    async fn call(session: &Session, args: AppArgs, call: &Call) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        apps::stop(session.device(), &package).await?;
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
    type Args = AppArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)
    }

    async fn call(session: &Session, args: AppArgs, call: &Call) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        apps::clear(session.device(), &package).await?;
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

    /// Installs the APK that lies below the project's root, or the folder of an app of the virtual device. A folder
    /// called `….apk` is refused.
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

    async fn call(session: &Session, args: AppArgs, call: &Call) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        apps::uninstall(session.device(), &package).await?;
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
    type Args = OpenLinkArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_link(args, "link")
    }

    async fn call(session: &Session, args: OpenLinkArgs, _: &Call) -> Result<Outcome, Failure> {
        apps::open_link(session.device(), &args.link, args.app.as_deref()).await?;
        Ok(Outcome::text(Words::format("Opened {}", &[&args.link])))
    }
}

/// A run-time permission.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionArgs {
    /// The permission, such as `CAMERA` or `android.permission.CAMERA`.
    #[schemars(extend("examples" = [
        "CAMERA", "RECORD_AUDIO", "POST_NOTIFICATIONS", "ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION",
        "ACCESS_BACKGROUND_LOCATION", "READ_CONTACTS", "WRITE_CONTACTS", "READ_CALENDAR", "WRITE_CALENDAR",
        "READ_MEDIA_IMAGES", "READ_MEDIA_VIDEO", "READ_MEDIA_AUDIO", "READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE",
        "READ_PHONE_STATE", "CALL_PHONE", "READ_CALL_LOG", "SEND_SMS", "READ_SMS", "RECEIVE_SMS", "BLUETOOTH_CONNECT",
        "BLUETOOTH_SCAN", "NEARBY_WIFI_DEVICES", "BODY_SENSORS", "ACTIVITY_RECOGNITION"
    ]))]
    pub permission: String,
    /// Package; by default the flow's app.
    #[serde(default)]
    pub app: Option<String>,
}

#[derive(Debug)]
pub struct Grant;

impl Tool for Grant {
    const NAME: &'static str = "grant";
    const NEEDS_APP: bool = true;
    const EXAMPLE: &'static str = "- grant: CAMERA";
    const KEEPS: StepValue = StepValue::new(&[("granted", "`true`")]);
    const SUMMARY: &'static str = "Grants an app a run-time permission.";
    const WRITING: StepSyntax = StepSyntax::Scalar("permission");
    type Args = PermissionArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)?;
        let permission = args.get("permission").and_then(Value::as_str);
        permission.map_or(Ok(()), external_names::check_permission)
    }

    async fn call(
        session: &Session,
        args: PermissionArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        apps::grant(session.device(), &package, &args.permission).await?;
        Ok(Outcome::value(
            Words::format("Granted {} to {}", &[&args.permission, &package]),
            json!({ "granted": true }),
        ))
    }
}

#[derive(Debug)]
pub struct Revoke;

impl Tool for Revoke {
    const NAME: &'static str = "revoke";
    const NEEDS_APP: bool = true;
    const EXAMPLE: &'static str = "- revoke: CAMERA";
    const KEEPS: StepValue = StepValue::new(&[("granted", "`false`")]);
    const SUMMARY: &'static str = "Takes a run-time permission from an app.";
    const WRITING: StepSyntax = StepSyntax::Scalar("permission");
    type Args = PermissionArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)?;
        let permission = args.get("permission").and_then(Value::as_str);
        permission.map_or(Ok(()), external_names::check_permission)
    }

    async fn call(
        session: &Session,
        args: PermissionArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        apps::revoke(session.device(), &package, &args.permission).await?;
        Ok(Outcome::value(
            Words::format("Revoked {} of {}", &[&args.permission, &package]),
            json!({ "granted": false }),
        ))
    }
}
