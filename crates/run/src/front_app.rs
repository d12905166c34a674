//! Remembers what an attempt's steps did to the app in front, and explains by it why an element is missing.

use std::sync::Arc;

use super::context::AttemptContext;
use super::step_result::FailedTry;
use runner_flow::maestro::MaestroCommand;
use runner_screen::{Node, Screen};
use runner_tools::{Advice, FrontEffect, Words};

/// What is said of ENTER after which the screen stayed as it was.
const ENTER_IN_VAIN: &str = "ENTER, pressed before this step, changed no element and no text of the app: click what sends the form";

/// Returns the effect of a Maestro command on the app in front. Commands that hold others have none of their own.
pub(super) fn command_effect(command: &MaestroCommand) -> FrontEffect {
    match command {
        MaestroCommand::LaunchApp(_) | MaestroCommand::OpenLink { .. } => FrontEffect::Launches,
        MaestroCommand::Back => FrontEffect::GoesBack,
        MaestroCommand::PressKey(key) => FrontEffect::from_key(key.android_name()),
        MaestroCommand::StopApp(None)
        | MaestroCommand::KillApp(None)
        | MaestroCommand::ClearState(None) => FrontEffect::Ends,
        MaestroCommand::StopApp(Some(_))
        | MaestroCommand::KillApp(Some(_))
        | MaestroCommand::ClearState(Some(_)) => FrontEffect::EndsNamed,
        other if other.moves() => FrontEffect::Other,
        _ => FrontEffect::Nothing,
    }
}

/// Record of what the steps of an attempt did to the app in front.
#[derive(Debug, Default)]
pub(super) struct FrontApp {
    /// True once a step may have brought an app to the front.
    is_launched: bool,
    /// True if the last step that changed the screen went back.
    went_back: bool,
    /// True if the last step that changed the screen ended the flow's app.
    ended: bool,
    /// Look before the last step that changed the screen, if that step pressed ENTER.
    before_enter: Option<Arc<Screen>>,
}

impl FrontApp {
    /// Notes the effect of a step that passed. `before` is the last look before it.
    pub(super) fn note(&mut self, effect: FrontEffect, before: Option<Arc<Screen>>) {
        if effect == FrontEffect::Nothing {
            return;
        }
        self.before_enter = before.filter(|_| effect == FrontEffect::PressesEnter);
        self.is_launched |= matches!(effect, FrontEffect::Launches | FrontEffect::MayLaunch);
        self.went_back = effect == FrontEffect::GoesBack;
        self.ended = effect == FrontEffect::Ends;
    }

    /// Adds to the failure of a step whose selector matched nothing that the flow's app is not in front, if no step
    /// has launched it, or the last one went back or ended it; and that ENTER changed nothing, if the last one pressed
    /// it. It asks the device nothing: the last look tells the app in front.
    pub(super) fn explain(&self, mut failed: FailedTry, context: &AttemptContext<'_>) -> FailedTry {
        // A nested step's failure was explained there.
        if failed.at.is_some() || !failed.failure.is_of_missing {
            return failed;
        }
        let screen = context.session.last_screen();
        if self.is_enter_in_vain(screen.as_deref()) {
            let details = &mut failed.failure.details;
            details.insert(0, Words::from(ENTER_IN_VAIN));
        }
        let front = screen.as_deref().and_then(Screen::foreground);
        let front = front.map(|(package, _)| package);
        if let Some(advice) = self.advice(context.flow.app.as_deref(), front) {
            // What explains the failure comes before what could be named instead.
            failed.failure.advice.insert(0, advice);
        }
        failed
    }

    /// Returns true if the last step that changed the screen pressed ENTER, and the app in front shows the same elements
    /// and words as before. Focus and places do not count: ENTER closes the keyboard, and what is above it grows.
    fn is_enter_in_vain(&self, now: Option<&Screen>) -> bool {
        let Some((before, now)) = self.before_enter.as_deref().zip(now) else {
            return false;
        };
        let Some((package, _)) = now.foreground() else {
            return false;
        };
        let own = |screen: &Screen| -> Vec<[String; 4]> {
            let own = screen.nodes().filter(|node| node.package() == package);
            own.map(words).collect()
        };
        own(before) == own(now)
    }

    /// Returns the advice where another app than the flow's is in front: that none was launched, or that the last step
    /// went back or ended it. `None` otherwise, and if the flow's app or the one in front is not known.
    fn advice(&self, app: Option<&str>, front: Option<&str>) -> Option<Advice> {
        let app = app.filter(|app| front.is_some_and(|front| front != *app))?;
        let app = app.to_owned();
        if !self.is_launched {
            Some(Advice::LaunchFirst { app })
        } else if self.went_back {
            Some(Advice::BackLeft { app })
        } else if self.ended {
            Some(Advice::Ended { app })
        } else {
            None
        }
    }
}

/// Returns class, id, text and description of an element.
fn words(node: Node<'_>) -> [String; 4] {
    let parts = [node.class(), node.resource_id(), node.text(), node.desc()];
    parts.map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_flow::maestro::PressedKey;

    #[test]
    fn commands_of_maestro_do_to_the_app_in_front_what_steps_do() {
        for key in PressedKey::ALL {
            let effect = match key {
                PressedKey::Back => FrontEffect::GoesBack,
                PressedKey::Home => FrontEffect::GoesHome,
                PressedKey::Enter => FrontEffect::PressesEnter,
                _ => FrontEffect::Other,
            };
            let command = MaestroCommand::PressKey(*key);
            assert_eq!(command_effect(&command), effect, "{key:?}");
        }
        for (command, effect) in [
            (MaestroCommand::Back, FrontEffect::GoesBack),
            (MaestroCommand::StopApp(None), FrontEffect::Ends),
            (MaestroCommand::KillApp(None), FrontEffect::Ends),
            (MaestroCommand::ClearState(None), FrontEffect::Ends),
            (MaestroCommand::HideKeyboard, FrontEffect::Other),
            (MaestroCommand::EraseText(None), FrontEffect::Other),
            (MaestroCommand::ClearKeychain, FrontEffect::Nothing),
            (MaestroCommand::StopRecording, FrontEffect::Nothing),
        ] {
            assert_eq!(command_effect(&command), effect, "{command:?}");
        }
    }

    #[test]
    fn the_last_steps_tell_why_another_app_is_in_front() {
        use FrontEffect::{
            Ends, EndsNamed, GoesBack, GoesHome, Launches, MayLaunch, Nothing, Other,
        };
        let app = || "a.b".to_owned();
        let launch = || Some(Advice::LaunchFirst { app: app() });
        let left = || Some(Advice::BackLeft { app: app() });
        let ended = || Some(Advice::Ended { app: app() });
        for (effects, front, advice) in [
            (&[Nothing, Other][..], Some("home"), launch()),
            (&[][..], Some("home"), launch()),
            (&[GoesBack][..], Some("home"), launch()),
            (&[][..], Some("a.b"), None),
            (&[][..], None, None),
            (&[Launches][..], Some("home"), None),
            (&[MayLaunch][..], Some("home"), None),
            (&[Launches, GoesBack][..], Some("home"), left()),
            (&[Launches, GoesBack, Nothing][..], Some("home"), left()),
            (&[Launches, GoesBack][..], Some("a.b"), None),
            (&[Launches, Ends][..], Some("home"), ended()),
            (&[Launches, Ends, Nothing][..], Some("home"), ended()),
            (&[Ends][..], Some("home"), launch()),
            (&[Launches, Ends, Launches][..], Some("home"), None),
            (&[Launches, Ends, Other][..], Some("home"), None),
            (&[Launches, Ends, EndsNamed][..], Some("home"), None),
            (&[Launches, GoesHome][..], Some("home"), None),
            (&[Launches, GoesBack, GoesHome][..], Some("home"), None),
            (&[Launches, GoesBack, Other][..], Some("home"), None),
            (&[Launches, GoesBack, Launches][..], Some("home"), None),
        ] {
            let mut app = FrontApp::default();
            for effect in effects {
                app.note(*effect, None);
            }
            assert_eq!(app.advice(Some("a.b"), front), advice, "{effects:?}");
            assert_eq!(app.advice(None, front), None, "{effects:?}");
        }
    }
}
