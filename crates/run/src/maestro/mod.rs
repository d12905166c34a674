//! Commands of Maestro flows. They behave as in Maestro (mobile-dev-inc/Maestro at 487407f, `Orchestra.kt`,
//! `Maestro.kt`, `AndroidDriver.kt`), but use this program's session, waits and events.
//!
//! Differences on purpose: a screen settles before the next command that touches it, not after each, as a
//! look costs a phone a second; `hideKeyboard` presses back only if a keyboard is shown; settings are put
//! back at the end.

mod app;
mod assertions;
mod control;
mod find;
mod gone;
mod input;
mod lint;
mod picture;
mod scroll;
mod start;
mod state;
mod system;
mod texts;
mod touch;

use super::attempt::Attempt;
use super::context::AttemptContext;
use super::step_result::{FailedTry, StepResult};
use picture::unnamed_golden;
use runner_config::ScreenshotUse;
use runner_flow::maestro::MaestroCommand;
use runner_flow::{Argument, SnapshotStep, Spanned, Step, StepPath};
use runner_tools::{Failure, NextStep, Reader};

pub use lint::MaestroLint;
pub(super) use state::MaestroState;

/// Result of a command; none if its condition does not hold.
type CommandResult = Result<Option<StepResult>, FailedTry>;

/// Interpreter of Maestro's commands. It borrows the attempt that runs the flow's steps, and keeps what its
/// commands share in the attempt's [`MaestroState`].
pub(super) struct Interpreter<'r, 'a> {
    attempt: &'r mut Attempt<'a>,
    context: &'a AttemptContext<'a>,
}

/// Language of Maestro's flows. Its selectors are another kind than those of the engine's advice, and its
/// commands have neither limits nor force of their own.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaestroReader;

impl Reader for MaestroReader {
    /// Names the command for an advised step: `eraseText` to type anew, `launchApp` or `hideKeyboard`. `None` for all
    /// other steps.
    fn step(&self, step: &NextStep<'_>) -> Option<String> {
        match step {
            NextStep::TypeWhole => Some("eraseText".to_owned()),
            NextStep::Launch => Some("launchApp".to_owned()),
            NextStep::HideKeyboard => Some("hideKeyboard".to_owned()),
            NextStep::ScrollTo { .. }
            | NextStep::AssertVisible(_)
            | NextStep::AssertLog
            | NextStep::Type(_)
            | NextStep::Press(_)
            | NextStep::ListIds
            | NextStep::Install
            | NextStep::Click(_)
            | NextStep::Slide(_) => None,
        }
    }

    fn unit(&self) -> &'static str {
        "command"
    }
}

impl<'r, 'a> Interpreter<'r, 'a> {
    pub(super) fn new(attempt: &'r mut Attempt<'a>) -> Self {
        let context = attempt.context();
        Self { attempt, context }
    }
}

impl Interpreter<'_, '_> {
    /// Runs one command, and reports what its scripts logged. `None` means that its condition did not hold. After a
    /// command that acted and passed, waits count anew. A command that may change the screen by other means than input
    /// forgets the last look before it runs.
    pub(super) async fn run(
        &mut self,
        step: &Step,
        command: &MaestroCommand,
        path: &StepPath,
    ) -> CommandResult {
        // An interrupted script may have sent a request.
        self.note_requests();
        // Commands that hold commands look through these.
        if command.acts() && !command.touches() && !command.sends_input() {
            self.context.session.forget_look();
        }
        let touched = self.state().touched.take();
        self.state().touched_before = touched;
        let done = Box::pin(self.command(step, command, path)).await;
        for line in self.state().scope.take_log() {
            self.context.reporter.info(line);
        }
        if command.acts() && matches!(done, Ok(Some(_))) {
            self.state().acted(command.moves());
        }
        done
    }

    /// Runs one command. With `maestro_screenshots: goldens`, `takeScreenshot` compares with a golden, and one whose
    /// path has an expression fails. `None` means that the command's condition did not hold.
    async fn command(
        &mut self,
        step: &Step,
        command: &MaestroCommand,
        path: &StepPath,
    ) -> CommandResult {
        use MaestroCommand as Command;
        let optional = step.modifiers.optional;
        match command {
            Command::RunFlow { body, when, env } => {
                self.run_flow_command(step, body, when.as_ref(), env, path)
                    .await
            }
            Command::Repeat {
                times,
                condition,
                steps,
            } => {
                self.repeat_command(times.as_ref(), condition.as_ref(), steps, path)
                    .await
            }
            Command::Retry {
                max_retries,
                body,
                env,
            } => {
                self.retry_command(step, max_retries.as_ref(), body, env, path)
                    .await
            }
            Command::RunScript { script, env, when } => {
                self.run_script_command(script, env, when.as_ref()).await
            }
            other
                if self.context.settings.config.maestro_screenshots.value
                    == ScreenshotUse::Goldens =>
            {
                if let Some(raw) = other.unnamed_golden() {
                    return Err(texts::at(raw, Failure::usage(unnamed_golden(raw))));
                }
                match other.golden() {
                    Some(name) => self.golden(step, name, path).await.map(Some),
                    None => self.plain_command(other, optional).await.map(Some),
                }
            }
            other => self.plain_command(other, optional).await.map(Some),
        }
    }

    /// Takes a snapshot for `takeScreenshot` and compares it with the golden of this name. Waits before until the
    /// screen rests, for at most ten looks. A difference fails as that of a step `snapshot`.
    async fn golden(
        &mut self,
        step: &Step,
        name: String,
        path: &StepPath,
    ) -> Result<StepResult, FailedTry> {
        self.wait_for_idle().await?;
        let options = serde_json::json!({ "name": name });
        let snapshot = SnapshotStep {
            name,
            each: false,
            options: Spanned {
                value: Argument::Literal(options),
                span: step.span.clone(),
            },
        };
        self.attempt.snapshot(step, &snapshot, path).await
    }

    /// Runs a command that holds no others. Commands on apps and on the device's settings are recorded as acts. A
    /// command that does not work on Android is a failure that names it.
    async fn plain_command(
        &mut self,
        command: &MaestroCommand,
        optional: bool,
    ) -> Result<StepResult, FailedTry> {
        use MaestroCommand as Command;
        match command {
            Command::TapOn(tap) => self.tap(tap, touch::Touch::Short, optional).await,
            Command::DoubleTapOn(tap) => self.tap(tap, touch::Touch::Double, optional).await,
            Command::LongPressOn(tap) => self.tap(tap, touch::Touch::Long, optional).await,
            Command::Swipe(swipe) => self.swipe(swipe, optional).await,
            Command::Scroll => self.scroll().await,
            Command::ScrollUntilVisible(scroll) => self.scroll_until_visible(scroll).await,
            Command::AssertVisible(selector) => self.assert_visible(selector, None).await,
            Command::AssertNotVisible(selector) => self.assert_not_visible(selector, None).await,
            Command::ExtendedWaitUntil {
                visible,
                not_visible,
                timeout,
            } => {
                self.extended_wait(visible.as_ref(), not_visible.as_ref(), timeout.as_ref())
                    .await
            }
            Command::AssertTrue(text) => self.assert_true(text).await,
            Command::EvalScript(script) => self.eval_script(script).await,
            Command::InputText(_)
            | Command::InputRandom { .. }
            | Command::EraseText(_)
            | Command::PressKey(_)
            | Command::Back
            | Command::HideKeyboard
            | Command::CopyTextFrom(_)
            | Command::SetClipboard(_)
            | Command::PasteText => self.input_command(command, optional).await,
            Command::LaunchApp(_)
            | Command::StopApp(_)
            | Command::KillApp(_)
            | Command::ClearState(_)
            | Command::ClearKeychain
            | Command::SetPermissions { .. }
            | Command::OpenLink { .. } => {
                let begin = self.context.call_begins();
                let done = self.app_command(command).await;
                self.context.call_ends(begin.as_ref());
                done
            }
            Command::TakeScreenshot { path, crop_on } => {
                self.take_screenshot(path, crop_on.as_ref(), optional).await
            }
            Command::AssertScreenshot {
                path,
                threshold,
                crop_on,
            } => {
                self.assert_screenshot(path, threshold.as_ref(), crop_on.as_ref(), optional)
                    .await
            }
            Command::WaitForAnimationToEnd { timeout } => {
                self.wait_for_animation(timeout.as_ref()).await
            }
            Command::Unsupported { name } => Err(Failure::unsupported(format!(
                "`{name}` does not work on Android here; docs/guide/maestro.md says what does"
            ))
            .into()),
            other => {
                let begin = self.context.call_begins();
                let done = self.system_command(other).await;
                self.context.call_ends(begin.as_ref());
                done
            }
        }
    }
}
