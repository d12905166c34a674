//! Tools for system actions (A2–A6).

use super::errors;
use crate::everyday::NoArgs;
use crate::{Call, Failure, FrontEffect, Outcome, StepSyntax, Tool, Words};
use runner_device::system;
use runner_engine::Session;

/// Presses a key and answers in the reference's words.
async fn press(
    session: &Session,
    key: &'static str,
    action: &'static str,
) -> Result<Outcome, Failure> {
    session
        .press(key)
        .await
        .map_err(|error| errors::system(action, error))?;
    Ok(executed(action))
}

fn executed(action: &'static str) -> Outcome {
    Outcome::text(Words::format(
        "{} executed successfully",
        &[&Words::from(action)],
    ))
}

#[derive(Debug)]
pub struct PressBack;

impl Tool for PressBack {
    const NAME: &'static str = "press_back";
    const SUMMARY: &'static str = "Presses the back button (global accessibility action).";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::GoesBack;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        press(session, "BACK", "Back button press").await
    }
}

#[derive(Debug)]
pub struct PressHome;

impl Tool for PressHome {
    const NAME: &'static str = "press_home";
    const SUMMARY: &'static str = "Navigates to the home screen.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::GoesHome;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        press(session, "HOME", "Home button press").await
    }
}

#[derive(Debug)]
pub struct PressRecents;

impl Tool for PressRecents {
    const NAME: &'static str = "press_recents";
    const SUMMARY: &'static str = "Opens the recent apps screen.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        press(session, "APP_SWITCH", "Recents button press").await
    }
}

#[derive(Debug)]
pub struct OpenNotifications;

impl Tool for OpenNotifications {
    const NAME: &'static str = "open_notifications";
    const SUMMARY: &'static str = "Pulls down the notification shade.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let action = "Open notifications";
        system::open_notifications(session.device())
            .await
            .map_err(|error| errors::system(action, error.into()))?;
        Ok(executed(action))
    }
}

#[derive(Debug)]
pub struct OpenQuickSettings;

impl Tool for OpenQuickSettings {
    const NAME: &'static str = "open_quick_settings";
    const SUMMARY: &'static str = "Opens the quick settings panel.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let action = "Open quick settings";
        system::open_quick_settings(session.device())
            .await
            .map_err(|error| errors::system(action, error.into()))?;
        Ok(executed(action))
    }
}
