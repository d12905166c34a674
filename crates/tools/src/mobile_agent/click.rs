//! Tool that clicks a control (B11).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::{self, AgentError};
use super::control_list::rect_json;
use super::controls::Control;
use super::state::SessionCaches;
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::Input;
use runner_engine::{Session, uncovered_point};

/// Arguments of `click_control`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClickControlArgs {
    /// Control id from `get_app_window_controls_target_info`, such as "5"; an element id of another tool does too.
    pub control_id: String,
    /// The control's name. Where it differs, the id wins and the result has a warning.
    pub control_name: String,
}

#[derive(Debug)]
pub struct ClickControl;

impl Tool for ClickControl {
    const NAME: &'static str = "mobile_agent.click_control";
    const SUMMARY: &'static str = "Clicks a UI control by its id from the control list.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const HELP: &'static str = "Call get_app_window_controls_target_info first, and again after this: the screen has changed. Check `success`; a `warning` means that the id and the name did not fit, so look whether the right control was clicked.";
    type Args = ClickControlArgs;

    async fn call(session: &Session, args: ClickControlArgs, _: &Call) -> Result<Outcome, Failure> {
        Ok(answer::to_outcome(click(session, &args).await))
    }
}

/// Taps the control with this id. A name that differs from the control's is only a warning. The answer has the
/// control's id, name, type and rectangle. What the tap did is not checked.
async fn click(session: &Session, args: &ClickControlArgs) -> Result<Outcome, AgentError> {
    let control = Control::resolve(session, &args.control_id).await?;
    let message = touch(session, &control).await?;
    let bounds = control.node().bounds();
    let mut info = control.info();
    if let Some(info) = info.as_object_mut() {
        info.insert("rect".to_owned(), rect_json(bounds));
    }
    let action = Words::format(
        "click_control(id={}, name={})",
        &[&args.control_id, &args.control_name],
    );
    let mut answer = json!({
        "success": true,
        "action": action,
        "message": message,
        "control_info": info,
    });
    let warning = control.warning(&args.control_name);
    if let Some(warning) = &warning {
        answer["warning"] = warning.to_string().into();
    }
    let sentences = [action, message].into_iter().chain(warning);
    Ok(sentences.fold(Outcome::json(answer).at(bounds), Outcome::saying))
}

/// Touches the middle of a control's visible part, or the nearest point where nothing is known to cover it, and returns
/// the description of the action. Does not wait; a control that is covered entirely is an error. The cached screen and
/// controls are discarded, also if the touch fails.
pub(super) async fn touch(session: &Session, control: &Control) -> Result<Words, AgentError> {
    let name = format!("Control '{}'", control.name);
    let point = uncovered_point(control.node(), control.point()?, &name)
        .map_err(AgentError::from_failure)?;
    let state = session.remembered::<SessionCaches>();
    let _acting = state.acting();
    let place = Words::format("({}, {})", &[&point.x, &point.y]);
    session.input(&[Input::Tap(point)]).await.map_err(|error| {
        AgentError::with_message(
            Words::format("Failed to click control at {}", &[&place]),
            error,
        )
    })?;
    Ok(Words::format(
        "Clicked control '{}' at {}",
        &[&control.name, &place],
    ))
}
