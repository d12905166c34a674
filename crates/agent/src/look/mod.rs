//! Shows the screen in few words, and later only its changes: the tools `runner_look` and `runner_changes`.
//!
//! Their results are text only. Of structured content beside it, some clients would show only that and others
//! both, which costs twice. Programs have `runner inspect --format json`.

#[cfg(test)]
mod client_tests;
mod difference;
mod history;
mod line;
pub mod sizes;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

pub use history::LookHistory;
pub use line::ViewOptions;
pub use view::View;

use super::tool::caller;
use super::{AgentTool, Workspace};
use runner_engine::{Capture, Session};
use runner_screen::annotate::{Mark, annotate_small, to_jpeg};
use runner_screen::{Profile, Screen};
use runner_tools::{Effect, Failure, FailureKind, Outcome, Progress};

/// Arguments of `runner_look`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookArgs {
    /// Every row, of bars and keyboard too, uncut.
    #[serde(default)]
    pub all: bool,
    /// With left,top,right,bottom in pixels.
    #[serde(default)]
    pub bounds: bool,
    /// With a small picture, labelled with ids.
    #[serde(default)]
    pub screenshot: bool,
}

#[derive(Debug)]
pub struct Look;

impl AgentTool for Look {
    const NAME: &'static str = "runner_look";
    const SUMMARY: &'static str =
        "The screen in few words: one element a line, with a short id such as @e12.";
    const HELP: &'static str = "A line: id, class, \"text\", desc=, hint=, id= (resource id), then what is special: tap, hold, scrolls, checked, …; a Button or field takes taps without saying so. \
        Ids stay across looks. \"…\"+40: 40 characters were cut.";
    const EFFECT: Effect = Effect::Reads;
    type Args = LookArgs;

    /// Looks at the screen. A lost device is forgotten, so that the next call connects again.
    async fn call(workspace: &Workspace, args: LookArgs, _: &Progress) -> Result<Outcome, Failure> {
        let session = workspace.connection.opened().await?.session;
        let answer = look(&session, &args).await;
        workspace.hide_remains(&session);
        forget_if_lost(workspace, &session, answer).await
    }
}

/// Arguments of `runner_changes`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangesArgs {
    /// A look's number; by default the last.
    #[serde(default)]
    pub since: Option<u32>,
    /// With a small picture.
    #[serde(default)]
    pub screenshot: bool,
}

#[derive(Debug)]
pub struct Changes;

impl AgentTool for Changes {
    const NAME: &'static str = "runner_changes";
    const SUMMARY: &'static str = "What changed on the screen since the last look.";
    const HELP: &'static str =
        "~ changed (\"old\" → \"new\"), + added, - removed; where most changed, the whole screen.";
    const EFFECT: Effect = Effect::Reads;
    type Args = ChangesArgs;

    /// Reports what changed since a look before. A lost device is forgotten, so that the next call connects again.
    async fn call(
        workspace: &Workspace,
        args: ChangesArgs,
        _: &Progress,
    ) -> Result<Outcome, Failure> {
        let session = workspace.connection.opened().await?.session;
        let answer = changes(&session, &args).await;
        workspace.hide_remains(&session);
        forget_if_lost(workspace, &session, answer).await
    }
}

/// Takes a look and formats it.
async fn look(session: &Session, args: &LookArgs) -> Result<Outcome, Failure> {
    let screen = session.look().await?;
    show(session, args, &screen).await
}

/// Takes a look after steps. The last step's own look is used again if nothing moved on it.
pub(super) async fn look_after_steps(session: &Session) -> Result<Outcome, Failure> {
    let screen = session.rested_or_new_look().await?;
    show(session, &LookArgs::default(), &screen).await
}

/// Takes a look, and returns it only if the rows of the present screen satisfy `wanted`. `None` if not, or if the
/// device fails; the session knows the screen all the same.
pub(super) async fn look_if(
    workspace: &Workspace,
    wanted: impl Fn(&str) -> bool,
    screenshot: bool,
) -> Option<Outcome> {
    let _shared = workspace.connection.lock_shared().await;
    let session = workspace.connection.opened().await.ok()?.session;
    let screen = session.look().await.ok()?;
    workspace.hide_remains(&session);
    if !wanted(&screen.tsv(Profile::Golden)) {
        return None;
    }
    let args = LookArgs {
        screenshot,
        ..LookArgs::default()
    };
    show(&session, &args, &screen).await.ok()
}

/// Writes a screen as a numbered look, and remembers it for later differences. Gives its elements their ids.
async fn show(
    session: &Session,
    args: &LookArgs,
    screen: &Arc<Screen>,
) -> Result<Outcome, Failure> {
    let view = Arc::new(View::new(&session.short_ids(), screen));
    // The plain view even if every row was asked for, as differences compare plain views.
    let number = session
        .remembered::<LookHistory>()
        .add(Arc::clone(&view), &caller());
    let options = ViewOptions {
        all: args.all,
        bounds: args.bounds,
    };
    let every_row = args
        .all
        .then(|| Arc::new(View::all(&session.short_ids(), screen)));
    let written = every_row.unwrap_or(view);
    let text = written.write(&format!("look {number}"), options);
    with_picture(session, text, &written, screen, args.screenshot).await
}

/// Looks, and tells what differs from an earlier look, the caller's newest if none is named. The new one is remembered.
async fn changes(session: &Session, args: &ChangesArgs) -> Result<Outcome, Failure> {
    let screen = session.look().await?;
    let view = Arc::new(View::new(&session.short_ids(), &screen));
    let text = session
        .remembered::<LookHistory>()
        .changes(&view, args.since, &caller());
    with_picture(session, text, &view, &screen, args.screenshot).await
}

/// Adds a screenshot with the ids of the view, if wanted. One that fails fails the answer.
async fn with_picture(
    session: &Session,
    text: String,
    view: &View,
    screen: &Arc<Screen>,
    wanted: bool,
) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::text(text);
    if wanted {
        let capture = Capture::new(Arc::clone(screen), Some(session.picture().await?));
        let marks = view.marks();
        let jpeg = tokio::task::spawn_blocking(move || labelled(&capture, &marks))
            .await
            .map_err(|error| Failure::infrastructure(error.to_string()))??;
        outcome.images.push(("image/jpeg".to_owned(), jpeg));
    }
    Ok(outcome)
}

/// Draws the marks on the screenshot, with passwords painted over, as a small JPEG.
fn labelled(capture: &Capture, marks: &[Mark]) -> Result<Vec<u8>, Failure> {
    let unreadable = || Failure::infrastructure("the screenshot could not be labelled");
    let picture = capture.storable_picture()?.ok_or_else(unreadable)?;
    let drawn = annotate_small(picture.pixels()?.as_ref(), marks);
    to_jpeg(&drawn).map_err(|_| unreadable())
}

/// Passes the answer on. If its failure is one of the infrastructure, asks the device, and drops the session if it
/// is lost.
async fn forget_if_lost(
    workspace: &Workspace,
    session: &Arc<Session>,
    answer: Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    if let Err(failure) = &answer
        && failure.kind == FailureKind::Infrastructure
    {
        workspace.connection.forget_if_lost(session).await;
    }
    answer
}
