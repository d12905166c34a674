//! Tools that bring apps to the front (D1, D2).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::run::Run;
use super::status::because;
use crate::arguments::Arguments;
use crate::package::has_package_letters;
use crate::{Call, Failure, FrontEffect, Outcome, StepSyntax, Tool, Words};
use runner_device::{apps, system};
use runner_engine::Session;

/// Time limit for an app to come to the front. Chosen: a cold start on a phone takes a few seconds.
const FRONT_LIMIT: Duration = Duration::from_secs(6);

const ALREADY_STARTED: &str = "startTestingScenario was already called this run — DO NOT call it again. The app is already launched. Proceed directly to Step 1 of the scenario.";

enum AppState {
    Front,
    /// Running, but not known to be in front.
    Running,
    /// Not running; holds the app in front.
    Gone(String),
}

/// Refuses a missing argument and a text that cannot be a package. It may be one that is not installed.
fn check_package(args: &Arguments, name: &str) -> Result<(), Failure> {
    let package = args.filled(name)?;
    if has_package_letters(package) {
        return Ok(());
    }
    Err(Failure::usage(Words::format(
        "{} must be a package such as com.example.notes, got '{}'",
        &[&name, &package],
    )))
}

/// Launches the app while no other call sends input; an error begins with the reference's words.
async fn launch(session: &Session, launch: &apps::Launch<'_>) -> Result<(), Failure> {
    let _turn = session.lock_input().await;
    apps::launch(session.device(), launch)
        .await
        .map_err(|error| because("launch failed", error))
}

/// Launches the app and waits until it is in front, at most 6 s. If it does not come, or the screen cannot be read, its
/// process decides; without one, the app in front is returned. Fails if the launch fails or the device is out of reach.
async fn launch_and_verify(session: &Session, package: &str) -> Result<AppState, Failure> {
    let how = apps::Launch {
        package,
        unconfirmed: true,
        ..apps::Launch::default()
    };
    launch(session, &how).await?;
    let waited = session
        .wait_until(FRONT_LIMIT, |screen| {
            let (front, _) = screen.foreground()?;
            (front == package).then_some(())
        })
        .await;
    match waited {
        Ok(waited) if waited.found.is_some() => return Ok(AppState::Front),
        Ok(_) => {}
        Err(error) => {
            // If the screen cannot be read, the process list decides.
            if error.is_unreachable() {
                return Err(because("launch could not be verified", error));
            }
        }
    }
    let unverified = |error| because("launch could not be verified", error);
    let device = session.device();
    if apps::is_running(device, package)
        .await
        .map_err(unverified)?
    {
        return Ok(AppState::Running);
    }
    let front = apps::foreground(device).await.map_err(unverified)?;
    Ok(AppState::Gone(
        front.map_or_else(|| "unknown".to_owned(), |(front, _)| front),
    ))
}

/// Turns the screen on and dismisses the lock screen. Any failure to turn it on is an error. A device that does not
/// know how to unlock, or refuses, is none; one that is out of reach is.
async fn wake(session: &Session) -> Result<(), Failure> {
    session
        .press("WAKEUP")
        .await
        .map_err(|error| because("the screen could not be switched on", error))?;
    match system::dismiss_keyguard(session.device()).await {
        Err(error) if error.is_unreachable() => {
            Err(because("the screen could not be unlocked", error))
        }
        _ => Ok(()),
    }
}

/// Wakes the device, stops the app and launches it, a second time if it is gone after the first. A process that only
/// runs is good enough. An app that is gone twice is a failed assertion.
async fn start(session: &Session, package: &str) -> Result<Outcome, Failure> {
    wake(session).await?;
    apps::stop(session.device(), package)
        .await
        .map_err(|error| because("the app could not be stopped", error))?;
    let mut place = launch_and_verify(session, package).await?;
    if matches!(place, AppState::Gone(_)) {
        place = launch_and_verify(session, package).await?;
    }
    let how = match place {
        AppState::Front => "foreground confirmed",
        AppState::Running => "process running; foreground check inconclusive",
        AppState::Gone(front) => {
            return Err(Failure::assertion(Words::format(
                "launched '{}' but foreground is '{}' after retry",
                &[&package, &front],
            )));
        }
    };
    Ok(Outcome::text(Words::format(
        "OK: launched {} ({})",
        &[&package, &how],
    )))
}

/// Arguments of `startTestingScenario`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartTestingScenarioArgs {
    /// Package of the app under test, such as `com.example.app`.
    #[schemars(length(min = 1))]
    pub app_package: String,
}

#[derive(Debug)]
pub struct StartTestingScenario;

impl Tool for StartTestingScenario {
    const NAME: &'static str = "scenario.startTestingScenario";
    const SUMMARY: &'static str = "Begins a scenario: wakes and unlocks the device, ends the app and launches it anew. Once a run, before everything else.";
    const HELP: &'static str = "OK: the app is on the screen; go on with step 1, tap no launcher icon. To switch apps later use launchAppByPackage. After an ERROR about the launch it may be called again.";
    const WRITING: StepSyntax = StepSyntax::Scalar("appPackage");
    const FRONT: FrontEffect = FrontEffect::Launches;
    type Args = StartTestingScenarioArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_package(args, "appPackage")
    }

    /// Starts the app anew, once a run: a call after a success is a failure of usage, one after a failure tries again.
    /// The report of a run that is over is discarded.
    async fn call(
        session: &Session,
        args: StartTestingScenarioArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let run = call.caller.remembered::<Run>();
        // The run stays locked during the start, so that of two simultaneous calls only one starts.
        let mut state = run.now(&call.caller).await;
        state.begin();
        if state.started {
            return Err(Failure::usage(ALREADY_STARTED));
        }
        let outcome = start(session, &args.app_package).await?;
        // Set only now, so that the tool can be called again after an ERROR.
        state.started = true;
        Ok(outcome)
    }
}

/// Arguments of `launchAppByPackage`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LaunchAppByPackageArgs {
    /// Package of the app, such as `com.android.settings`.
    #[schemars(length(min = 1))]
    pub package_name: String,
}

#[derive(Debug)]
pub struct LaunchAppByPackage;

impl Tool for LaunchAppByPackage {
    const NAME: &'static str = "scenario.launchAppByPackage";
    const SUMMARY: &'static str =
        "Brings an app to the front, in the middle of a scenario; it goes on where it was.";
    const HELP: &'static str =
        "OK: launched. ERROR: launch failed: the package is wrong or has nothing to launch.";
    const WRITING: StepSyntax = StepSyntax::Scalar("packageName");
    const FRONT: FrontEffect = FrontEffect::Launches;
    type Args = LaunchAppByPackageArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_package(args, "packageName")
    }

    /// Launches the app without stopping it, and waits until it is drawn, at most a minute. The scenario's state stays
    /// as it is.
    async fn call(
        session: &Session,
        args: LaunchAppByPackageArgs,
        _: &Call,
    ) -> Result<Outcome, Failure> {
        let how = apps::Launch {
            package: &args.package_name,
            ..apps::Launch::default()
        };
        launch(session, &how).await?;
        Ok(Outcome::text(Words::format(
            "OK: launched {}",
            &[&args.package_name],
        )))
    }
}
