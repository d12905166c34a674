//! Shows the current screen in several appearances (theme, language, font size, orientation) with the
//! problems of each. Settings are restored, however the sweep ends.

mod appearances;
mod contrast_sampler;
mod findings;
mod restore;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::Value;

use super::error::to_message;
use super::frames::EncodedPicture;
use super::messages::{EmptyAnswer, FeedMessage, RunMessage};
use super::run::{self, ActiveRun};
use super::{Studio, live_picture};
use appearances::{Appearance, SweepRequest};
use findings::{Finding, FindingReport};
use restore::SavedSettings;
use runner_device::settings::Setting;
use runner_engine::{Capture, CaptureOptions, Session, StableCapture};
use runner_pages::{Problem, not_found};
use runner_screen::Screen;
use runner_tools::{Failure, FailureKind, blocking};

/// Pause after a change of settings. Chosen: apps begin to redraw a moment later.
const SETTLE_PAUSE: Duration = Duration::from_millis(500);

/// Time until a picture is taken of a screen that does not come to rest. Chosen: an app may restart for a new
/// language.
const STABLE_TIMEOUT: Duration = Duration::from_secs(15);

/// Findings per appearance. Chosen: more help nobody.
const MAX_FINDINGS: usize = 100;

/// Current sweep, or the last one.
#[derive(Default)]
pub(super) struct SweepState(Mutex<Sweep>);

#[derive(Default)]
struct Sweep {
    /// Number of sweeps so far. It is part of the pictures' addresses.
    number: u64,
    is_active: bool,
    /// Reason why the sweep did not end, or settings to restore by hand.
    trouble: Option<String>,
    app: String,
    cells: Vec<Cell>,
}

/// Appearance in the sweep.
struct Cell {
    appearance: Appearance,
    /// Reason why there is no picture, or a remark about it.
    note: Option<String>,
    capture: Option<CellCapture>,
}

/// Screen in an appearance.
struct CellCapture {
    screen: Arc<Screen>,
    picture: Option<EncodedPicture>,
    findings: Vec<Finding>,
    more: usize,
}

/// Sweep for the page.
#[derive(Serialize)]
struct SweepReport {
    number: u64,
    going: bool,
    trouble: Option<String>,
    app: String,
    cells: Vec<CellReport>,
}

/// Appearance for the page.
#[derive(Serialize)]
struct CellReport {
    at: usize,
    name: String,
    dark: Option<bool>,
    font: Option<u32>,
    locale: Option<String>,
    note: Option<String>,
    size: Option<(u32, u32)>,
    done: bool,
    findings: Vec<FindingReport>,
    more: usize,
}

impl SweepState {
    fn lock(&self) -> MutexGuard<'_, Sweep> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/sweep", get(state).post(begin))
        .route("/sweep/picture/{number}/{cell}", get(picture))
}

/// Answers with the current sweep, or the last one, with secrets masked; before the first one it has no cells.
async fn state(State(studio): State<Arc<Studio>>) -> Json<Value> {
    let report = studio.sweep.lock().report();
    Json(studio.scrubbed(report))
}

/// Returns the picture of a cell of sweep `number`. Answers 404 for an earlier sweep, an unknown cell, and a cell
/// without a picture, now or for good. No browser keeps it, see [`super::answer::picture`].
async fn picture(
    State(studio): State<Arc<Studio>>,
    Path((number, cell)): Path<(u64, usize)>,
) -> Result<Response, Problem> {
    let found = {
        let sweep = studio.sweep.lock();
        let cell = sweep.cells.get(cell).filter(|_| sweep.number == number);
        let captured = cell.and_then(|cell| cell.capture.as_ref());
        captured
            .and_then(|acquired| acquired.picture.as_ref())
            .map(|picture| (picture.media_type, picture.bytes.clone()))
    };
    let Some((kind, bytes)) = found else {
        return Err(not_found().await);
    };
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

/// Begins a sweep, a capture of the screen in each appearance, and does not wait for its end. Its progress is
/// published as messages. It counts as a run. Refuses if a run is active or the appearances are invalid; else the
/// sweep before is forgotten.
async fn begin(
    State(studio): State<Arc<Studio>>,
    Json(request): Json<SweepRequest>,
) -> Result<Json<EmptyAnswer>, Problem> {
    let appearances = request.appearances()?;
    let (going, cancel) = run::claim(&studio)?;
    {
        let mut sweep = studio.sweep.lock();
        *sweep = Sweep {
            number: sweep.number + 1,
            is_active: true,
            cells: appearances.iter().cloned().map(Cell::new).collect(),
            ..Sweep::default()
        };
    }
    notify(&studio);
    tokio::spawn(async move {
        let ended = carry_out(&going, &appearances, &cancel).await;
        let studio = &going.0;
        let trouble = match ended {
            Err(failure) => Some(to_message(&failure)),
            Ok(()) if cancel.is_cancelled() => {
                Some("stopped; the settings of the device are put back".to_owned())
            }
            Ok(()) => None,
        };
        let trouble =
            trouble.map(|text| studio.workspace.scrubber.scrub_outside(&text).into_owned());
        let message = match &trouble {
            Some(why) => format!("Sweep: {why}"),
            None => "The sweep is done; the settings of the device are put back.".to_owned(),
        };
        {
            let mut sweep = studio.sweep.lock();
            sweep.is_active = false;
            sweep.trouble = trouble;
        }
        run::notify(studio, &RunMessage::Note { message: &message });
        notify(studio);
    });
    Ok(Json(EmptyAnswer {}))
}

/// Waits until nobody else uses the device, captures all appearances in order, then restores the device's settings,
/// also if it was stopped or failed. A stop is no error. An appearance that fails has the reason in its cell, and the
/// others go on; a lost device, or settings that cannot be restored, end the sweep with an error. Of two errors the
/// first is returned.
async fn carry_out(
    going: &ActiveRun,
    appearances: &[Appearance],
    cancel: &tokio_util::sync::CancellationToken,
) -> Result<(), Failure> {
    let studio = &going.0;
    let connection = &studio.workspace.connection;
    let _alone = tokio::select! {
        alone = connection.lock_exclusive() => alone,
        () = cancel.cancelled() => return Ok(()),
    };
    let opened = connection.opened().await?;
    // A session of its own, so that settings changed by others are kept.
    let session = Session::new(opened.session.shared_device());
    let first = session.look().await?;
    let app = first.foreground().map(|(app, _)| app.to_owned());
    studio.sweep.lock().app = app.clone().unwrap_or_default();
    let before = SavedSettings::read(&session, appearances, app.as_deref()).await;
    let sweeping = async {
        for (at, appearance) in appearances.iter().enumerate() {
            let message = format!(
                "Sweep: {} ({} of {})",
                appearance.name(),
                at + 1,
                appearances.len()
            );
            run::notify(studio, &RunMessage::Note { message: &message });
            let settings = before.needed(appearance, session.device(), app.as_deref());
            let observed = capture_appearance(&session, &settings).await;
            if observed.as_ref().is_err_and(is_lost) {
                observed?;
                break;
            }
            let cell = judge(studio, at, observed, app.as_deref()).await?;
            studio.sweep.lock().put(at, cell);
            notify(studio);
            session.restore().await?;
        }
        Ok(())
    };
    let ended = tokio::select! {
        ended = sweeping => ended,
        () = cancel.cancelled() => Ok(()),
    };
    let restore = before.put_back(studio, &opened, &session).await;
    ended.and(restore)
}

fn is_lost(failure: &Failure) -> bool {
    failure.kind == FailureKind::Infrastructure
}

/// Changes the settings, if there are some, and captures the screen with a picture once it is at rest. Restores
/// nothing. Returns true with it if it was; else, after [`STABLE_TIMEOUT`], the last screen and false. An error if
/// a setting cannot be changed or nothing can be captured.
async fn capture_appearance(
    session: &Session,
    settings: &[Setting],
) -> Result<(Capture, bool), Failure> {
    if !settings.is_empty() {
        session.change(settings).await?;
        tokio::time::sleep(SETTLE_PAUSE).await;
    }
    session.begin_step(STABLE_TIMEOUT * 2);
    let options = CaptureOptions {
        limit: STABLE_TIMEOUT,
        picture: true,
    };
    let captured = session
        .capture_stable(options, |_| false, Capture::same_as)
        .await?;
    Ok(match captured {
        StableCapture::Accepted(capture) | StableCapture::Stable(capture) => (capture, true),
        StableCapture::Unstable { last, .. } => (*last, false),
    })
}

/// Returns the remark about an appearance, and its screen with findings. A failed capture gives only a remark with the
/// reason, with secrets masked, and is no error. Another remark says that an app other than `app`, which was in front
/// at first, is in front now, or else that the screen did not stand still; without either there is none. The findings
/// also compare the screen with the first earlier one that differs only in language. Stores nothing.
async fn judge(
    studio: &Arc<Studio>,
    at: usize,
    observed: Result<(Capture, bool), Failure>,
    app: Option<&str>,
) -> Result<(Option<String>, Option<CellCapture>), Failure> {
    let (capture, rests) = match observed {
        Ok(current) => current,
        Err(failure) => {
            let why = to_message(&failure);
            return Ok((
                Some(studio.workspace.scrubber.scrub_outside(&why).into_owned()),
                None,
            ));
        }
    };
    let front = capture.screen.foreground().map(|(front, _)| front);
    let note = if app.is_some() && front.is_some() && front != app {
        Some("another app is in front".to_owned())
    } else if rests {
        None
    } else {
        Some("the screen did not stand still".to_owned())
    };
    let other = studio.sweep.lock().other_language(at);
    let captured = blocking(move || capture_cell(&capture, other.as_deref())).await?;
    Ok((note, Some(captured)))
}

/// Judges a capture and converts it to the cell's content, with at most `MAX_FINDINGS` findings and the number of
/// the others. Texts are compared with `other`, a screen in another language, if there is one; those findings come
/// last. Without a picture that may be stored, there is none in the cell either.
fn capture_cell(capture: &Capture, other: Option<&Screen>) -> CellCapture {
    let picture = capture.storable_picture().ok().flatten();
    let pixels = picture.as_ref().and_then(|picture| picture.pixels().ok());
    let screen = &capture.screen;
    let mut findings = findings::find(screen, pixels.as_deref().map(|pixels| &**pixels));
    findings.extend(
        other
            .into_iter()
            .flat_map(|other| findings::untranslated(other, screen)),
    );
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    findings.truncate(MAX_FINDINGS);
    CellCapture {
        screen: Arc::clone(screen),
        picture: picture.and_then(|picture| live_picture::encoded(&picture).ok()),
        findings,
        more,
    }
}

fn notify(studio: &Studio) {
    studio.feed.publish(&FeedMessage::Sweep);
}

impl Cell {
    /// Creates a cell without a capture and a note, which is not done.
    fn new(appearance: Appearance) -> Self {
        Self {
            appearance,
            note: None,
            capture: None,
        }
    }

    /// Returns the cell for the page, without the picture, whose size it has. It is done if it has a capture or a
    /// note. Masks no secrets.
    fn report(&self, at: usize) -> CellReport {
        let captured = self.capture.as_ref();
        let findings = captured
            .into_iter()
            .flat_map(|acquired| &acquired.findings)
            .map(Finding::report)
            .collect();
        CellReport {
            at,
            name: self.appearance.name(),
            dark: self.appearance.dark,
            font: self.appearance.font,
            locale: self.appearance.locale.clone(),
            note: self.note.clone(),
            size: captured
                .and_then(|taken| taken.picture.as_ref())
                .map(|picture| picture.size),
            done: captured.is_some() || self.note.is_some(),
            findings,
            more: captured.map_or(0, |taken| taken.more),
        }
    }
}

impl Sweep {
    /// Stores the result of a cell, in place of an earlier one. Ignores a cell that is not there. Tells no page.
    fn put(&mut self, at: usize, (note, captured): (Option<String>, Option<CellCapture>)) {
        if let Some(cell) = self.cells.get_mut(at) {
            cell.note = note;
            cell.capture = captured;
        }
    }

    /// Returns the screen of the first appearance before `at` that was captured and differs only in language.
    /// `None` if there is none, or no cell `at`.
    fn other_language(&self, at: usize) -> Option<Arc<Screen>> {
        let appearance = &self.cells.get(at)?.appearance;
        let earlier = self.cells[..at].iter();
        let mut captured = earlier
            .filter(|cell| cell.appearance.is_in_other_language(appearance))
            .filter_map(|cell| cell.capture.as_ref());
        Some(Arc::clone(&captured.next()?.screen))
    }

    /// Returns the sweep for the page, with all cells in their order. Before the first sweep its number is 0 and
    /// there are no cells. Masks no secrets.
    fn report(&self) -> SweepReport {
        let cells = self.cells.iter().enumerate();
        SweepReport {
            number: self.number,
            going: self.is_active,
            trouble: self.trouble.clone(),
            app: self.app.clone(),
            cells: cells.map(|(at, cell)| cell.report(at)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::DisplayContext;

    fn captured() -> CellCapture {
        let dump = r#"<hierarchy rotation="0"><node class="android.widget.FrameLayout" package="com.app" bounds="[0,0][360,640]"/></hierarchy>"#;
        let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
        CellCapture {
            screen: Arc::new(screen),
            picture: None,
            findings: Vec::new(),
            more: 0,
        }
    }

    #[test]
    fn a_language_is_compared_with_the_first_that_was_captured() {
        let cell = |locale: &str, dark| {
            Cell::new(Appearance {
                locale: Some(locale.to_owned()),
                dark: Some(dark),
                ..Appearance::default()
            })
        };
        let mut sweep = Sweep {
            cells: vec![
                cell("de", false),
                cell("en", true),
                cell("en", false),
                cell("fr", false),
            ],
            ..Sweep::default()
        };
        assert!(sweep.other_language(3).is_none());
        sweep.put(0, (Some("the app was not there".to_owned()), None));
        sweep.put(1, (None, Some(captured())));
        assert!(sweep.other_language(3).is_none());
        sweep.put(2, (None, Some(captured())));
        let english = &sweep.cells[2].capture.as_ref().unwrap().screen;
        assert!(Arc::ptr_eq(&sweep.other_language(3).unwrap(), english));
        assert!(sweep.other_language(0).is_none());
    }
}
