//! Commands for apps, their permissions, and links.

use std::time::Duration;

use indexmap::IndexMap;
use serde_json::Value;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::find::USUAL;
use runner_device::apps::{self, Launch};
use runner_device::permissions::{self, Grant};
use runner_device::{DeviceError, Input};
use runner_engine::LookPolicy;
use runner_flow::maestro::{LaunchApp, LaunchArgument, MaestroCommand, PERMISSION_GROUPS, RawText};
use runner_screen::maestro::{Expression, MaestroSelector};
use runner_tools::{Failure, NamedApp, launch_failure, link_failure, missing_app};

/// Browsers for `browser: true`, in order of preference.
const BROWSERS: [&str; 2] = ["com.android.chrome", "org.mozilla.firefox"];
/// Chosen: time in which Android's question which app opens a link may appear.
const QUESTION_LIMIT: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PermissionValue {
    Allow,
    Deny,
    /// `unset`, or any other word: taken away, as Maestro does. Lint reports words that Maestro does not
    /// know.
    Unset,
}

impl PermissionValue {
    /// Parses `allow` and `deny`, in lower case only. Every other word means unset.
    fn parse(word: &str) -> Self {
        match word {
            "allow" => Self::Allow,
            "deny" => Self::Deny,
            _ => Self::Unset,
        }
    }

    /// Returns the mode for Android's `appops`.
    fn mode(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Unset => "default",
        }
    }
}

/// Returns the permissions that a name in a flow stands for: those of a group such as `location`, with the
/// prefix `android.permission.`; any other name is returned as it is.
fn names_of(name: &str) -> Vec<String> {
    match PERMISSION_GROUPS.iter().find(|(group, _)| *group == name) {
        Some((_, names)) => names
            .iter()
            .map(|name| format!("android.permission.{name}"))
            .collect(),
        None => vec![name.to_owned()],
    }
}

impl Interpreter<'_, '_> {
    /// Returns the app that a command names, with scripts evaluated, else that of the innermost Maestro flow
    /// that runs, else that of the attempt's flow. A failure of usage if none names one.
    pub(super) async fn app_of(&mut self, own: Option<&RawText>) -> Result<String, FailedTry> {
        if let Some(own) = own {
            return self.words(own).await;
        }
        let flow = self.context.flow.app.clone();
        let apps = &self.state().apps;
        let app = apps.last().cloned().or(flow);
        Ok(app
            .ok_or_else(|| Failure::usage("the flow names no app; write `appId` in its header"))?)
    }

    /// Runs a command about an app: launch, stop, kill (only in the background), clear, permissions, link.
    /// `clearKeychain` does nothing, as Android has none. A launch and a link wait for the first frame, nothing waits
    /// for the screen to rest. To stop or clear an app that is not installed passes, with a warning if the command
    /// names it. The device's errors are failures.
    pub(super) async fn app_command(
        &mut self,
        command: &MaestroCommand,
    ) -> Result<StepResult, FailedTry> {
        let session = self.context.session;
        match command {
            MaestroCommand::LaunchApp(launch) => self.launch_app(launch).await?,
            MaestroCommand::StopApp(own) => {
                let app = self.app_of(own.as_ref()).await?;
                let ran = apps::stop(session.device(), &app)
                    .await
                    .map_err(Failure::from)?;
                if !ran && own.is_some() {
                    self.warn_if_missing(&app).await;
                }
            }
            MaestroCommand::KillApp(own) => {
                let app = self.app_of(own.as_ref()).await?;
                apps::kill_background(session.device(), &app)
                    .await
                    .map_err(Failure::from)?;
            }
            MaestroCommand::ClearState(own) => {
                let app = self.app_of(own.as_ref()).await?;
                let is_cleared = self.clear(&app).await?;
                if !is_cleared && own.is_some() {
                    self.warn_if_missing(&app).await;
                }
            }
            MaestroCommand::SetPermissions {
                app_id,
                permissions,
            } => {
                let app = self.app_of(app_id.as_ref()).await?;
                self.set_permissions(&app, permissions).await?;
            }
            MaestroCommand::OpenLink {
                link,
                browser,
                auto_verify,
            } => {
                let link = self.words(link).await?;
                self.open_link(&link, *browser).await?;
                if *auto_verify {
                    self.answer_which_app().await?;
                }
            }
            // Android has no keychain.
            _ => {}
        }
        Ok(StepResult::default())
    }

    /// Warns if the app is not installed. Maestro's commands pass then, also with a misspelt name.
    async fn warn_if_missing(&self, app: &str) {
        let of_flow = self.context.flow.app.as_deref();
        let named = NamedApp {
            package: app,
            of_flow,
        };
        if let Some(failure) = missing_app(self.context.session.device(), named).await {
            let words = std::iter::once(failure.message).chain(failure.details);
            let words: Vec<String> = words.map(String::from).collect();
            self.context.reporter.warn(words.join("; "));
        }
    }

    /// Clears the app's data, which ends the app. One that is not installed has none, so nothing is done, and the
    /// result is false.
    async fn clear(&mut self, app: &str) -> Result<bool, FailedTry> {
        let device = self.context.session.device();
        let is_installed = apps::is_installed(device, app).await;
        let is_installed = is_installed.map_err(Failure::from)?;
        if is_installed {
            apps::clear(device, app).await.map_err(Failure::from)?;
        }
        Ok(is_installed)
    }

    /// Launches the app: first clears its data if asked to and sets its permissions, by default all allowed. A
    /// permission that could be changed but stays, and a phone whose maker forbids all changes, fail it if the flow
    /// names permissions, and are a warning otherwise. The app is stopped first unless `stopApp` is false. Waits up to
    /// a minute for the first frame; after ten seconds it is enough that the app is in front.
    async fn launch_app(&mut self, launch: &LaunchApp) -> Result<(), FailedTry> {
        let app = self.app_of(launch.app_id.as_ref()).await?;
        if launch.clear_state {
            self.clear(&app).await?;
        }
        match &launch.permissions {
            Some(permissions) => self.set_permissions(&app, permissions).await?,
            // The flow does not ask for this, so a failure is no error: the app itself asks for what it does
            // not get.
            None => {
                if let Some(stays) = self.set_all(&app, PermissionValue::Allow).await? {
                    self.context.reporter.warn(stays.to_string());
                }
            }
        }
        let extras = self.extras(launch).await?;
        let how = Launch {
            package: &app,
            stop: launch.stop_app.unwrap_or(true),
            extras: (!extras.is_empty()).then_some(&extras),
            ..Launch::default()
        };
        let device = self.context.session.device();
        if let Err(error) = apps::launch(device, &how).await {
            let of_flow = self.context.flow.app.as_deref();
            return Err(launch_failure(device, error, &how, of_flow).await.into());
        }
        Ok(())
    }

    /// Returns the launch's arguments with scripts evaluated in names and texts, in order. A later one of the same
    /// name wins.
    async fn extras(&mut self, launch: &LaunchApp) -> Result<IndexMap<String, Value>, FailedTry> {
        let mut extras = IndexMap::new();
        for (name, argument) in &launch.arguments {
            let name = self.words(name).await?;
            let value = match argument {
                LaunchArgument::Text(raw) => self.words(raw).await?.into(),
                LaunchArgument::Boolean(on) => (*on).into(),
                LaunchArgument::Integer(number) => (*number).into(),
                LaunchArgument::Decimal(number) => (*number).into(),
            };
            extras.insert(name, value);
        }
        Ok(extras)
    }

    /// Sets all permissions that the app requests and that are not yet as wanted; [`PermissionValue::Unset`] takes them
    /// away. All are tried; then it returns the error of the first that could be changed but stays, or of a phone whose
    /// maker forbids all changes, which is no failure here, or `None`. Also sets `MANAGE_EXTERNAL_STORAGE` if the app
    /// requests it. A server without a shell can only grant all at once.
    async fn set_all(
        &mut self,
        app: &str,
        value: PermissionValue,
    ) -> Result<Option<DeviceError>, FailedTry> {
        let device = self.context.session.device();
        if value == PermissionValue::Allow
            && device.system().is_some_and(|system| !system.has_shell())
        {
            apps::grant_all(device, app).await.map_err(Failure::from)?;
            return Ok(None);
        }
        let known = permissions::all(device, app).await;
        let (mut grants, manages_storage) = known.map_err(Failure::from)?;
        let wanted = value == PermissionValue::Allow;
        grants.retain(|(_, granted)| *granted != wanted);
        for (_, granted) in &mut grants {
            *granted = wanted;
        }
        let stays = match permissions::set_each(device, app, &grants).await {
            Ok(stays) => first_not_set(&stays),
            // The caller knows whether the flow asks for it.
            Err(refused @ DeviceError::Command { .. }) => Some(refused),
            Err(error) => return Err(Failure::from(error).into()),
        };
        if manages_storage {
            self.set_manage_storage(app, value).await?;
        }
        Ok(stays)
    }

    /// Sets `MANAGE_EXTERNAL_STORAGE`. If the device refuses, the step warns and goes on, as Maestro does.
    /// Only a fault of the infrastructure is a failure.
    async fn set_manage_storage(
        &mut self,
        app: &str,
        value: PermissionValue,
    ) -> Result<(), FailedTry> {
        let device = self.context.session.device();
        match permissions::set_manage_storage(device, app, value.mode()).await {
            Err(error) if error.is_infrastructure() => Err(Failure::from(error).into()),
            Err(error) => {
                let why = format!("MANAGE_EXTERNAL_STORAGE of {app} stays as it is: {error}");
                self.context.reporter.warn(why);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Sets the permissions of a list: `all` first, wherever it stands, then each other one, then
    /// `MANAGE_EXTERNAL_STORAGE`. Any value but `allow` takes a permission away; only `MANAGE_EXTERNAL_STORAGE` tells
    /// `deny` from unset. All are tried; then the error of the first that could be changed but stays is the failure.
    /// A phone whose maker forbids all changes fails too. Names that the app or the device does not know are passed
    /// over, and a refused `MANAGE_EXTERNAL_STORAGE` is only a warning.
    async fn set_permissions(
        &mut self,
        app: &str,
        list: &[(RawText, RawText)],
    ) -> Result<(), FailedTry> {
        let mut each: Vec<Grant> = Vec::new();
        let (mut all, mut manage_storage) = (None, None);
        for (name, value) in list {
            let name = self.words(name).await?;
            let word = self.words(value).await?;
            let value = PermissionValue::parse(&word);
            if name == "all" {
                all = Some(value);
            } else if permissions::is_manage_storage(&name) {
                manage_storage = Some(value);
            } else {
                let granted = value == PermissionValue::Allow;
                each.extend(names_of(&name).into_iter().map(|name| (name, granted)));
            }
        }
        let all = match all {
            Some(value) => self.set_all(app, value).await?,
            None => None,
        };
        let device = self.context.session.device();
        let stays = permissions::set_each(device, app, &each).await;
        let stays = stays.map_err(Failure::from)?;
        if let Some(value) = manage_storage {
            self.set_manage_storage(app, value).await?;
        }
        match all.or_else(|| first_not_set(&stays)) {
            Some(error) => Err(Failure::from(error).into()),
            None => Ok(()),
        }
    }

    /// Opens a link. With `in_browser` the first installed browser of [`BROWSERS`] gets it; if none is installed the
    /// device chooses, and may ask a person. Waits up to a minute for the first frame. Fails if no app takes the link.
    async fn open_link(&mut self, link: &str, in_browser: bool) -> Result<(), FailedTry> {
        let device = self.context.session.device();
        let mut app = None;
        if in_browser {
            for browser in BROWSERS {
                if app.is_none()
                    && apps::is_installed(device, browser)
                        .await
                        .map_err(Failure::from)?
                {
                    app = Some(browser);
                }
            }
        }
        if let Err(error) = apps::open_link(device, link, app).await {
            let of_flow = self.context.flow.app.as_deref();
            let failure = link_failure(device, error, link, app, of_flow).await;
            return Err(failure.into());
        }
        Ok(())
    }

    /// Answers Android's question which app is to open a link: the first one, just once. If that does not
    /// come within 3 s, accepts Chrome's terms if these come within 3 s more. Without either it is no
    /// failure. Taps the first button found and nothing after it.
    async fn answer_which_app(&mut self) -> Result<(), FailedTry> {
        let session = self.context.session;
        for id in [
            "android:id/button_once",
            "com.android.chrome:id/terms_accept",
        ] {
            let selector = MaestroSelector {
                id: Expression::new(id).ok(),
                ..MaestroSelector::default()
            };
            let search = self
                .search(&selector, QUESTION_LIMIT, LookPolicy::New)
                .await?;
            if let super::find::Search::Found(found) = search
                && let Some(bounds) = found.bounds()
            {
                session.begin_step(USUAL);
                session
                    .input(&[Input::Tap(bounds.center())])
                    .await
                    .map_err(Failure::from)?;
                return Ok(());
            }
        }
        Ok(())
    }
}

fn first_not_set(stays: &[Grant]) -> Option<DeviceError> {
    let (permission, granted) = stays.first()?;
    Some(apps::not_set(permission, *granted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_androids_names() {
        assert_eq!(names_of("camera"), ["android.permission.CAMERA"]);
        assert_eq!(names_of("sms").len(), 3);
        assert_eq!(names_of("android.permission.X"), ["android.permission.X"]);
    }
}
