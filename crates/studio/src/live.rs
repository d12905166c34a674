//! The live picture: taken while a page looks, quickly while something moves, once a second while nothing does. Rows are
//! read only where the picture changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use tokio::time::timeout;

use super::Studio;
use super::frames::{EncodedPicture, Frame, Look};
use super::messages::{DeviceState, FeedMessage, to_value};
use runner_device::system::{ScreenState, screen_state};
use runner_device::{DeviceError, Picture};
use runner_engine::{EngineError, Session};
use runner_run::OpenConnection;
use runner_screen::annotate::{shrink_to, to_jpeg};
use runner_tools::{Failure, FailureKind, blocking};

/// Between two pictures while nothing moves, and while something does.
const IDLE: Duration = Duration::from_secs(1);
const QUICK: Duration = Duration::from_millis(60);

/// For so long after an act pictures are taken quickly though nothing changes, as an app may take its time; for the first
/// moments one after another, until it answers.
const ANSWER: Duration = Duration::from_millis(1200);
const SOON: Duration = Duration::from_millis(400);
const AT_ONCE: Duration = Duration::from_millis(15);

/// Between two pictures while a look takes long.
const MEANWHILE: Duration = Duration::from_millis(600);

/// So many pictures in a row are the same before the screen counts as at rest.
const STILL: u32 = 2;

/// A look at a screen that moves all the time counts after so many.
const MOVING: u32 = 3;

/// Longest time for one picture.
const LIMIT: Duration = Duration::from_secs(20);

/// A picture that takes longer is told.
const SLOW: Duration = Duration::from_secs(3);

/// Whether the screen is locked is asked so seldom, and may take so long.
const LOCK_PACE: Duration = Duration::from_secs(5);

/// Until the device is asked again after it failed.
const AGAIN: Duration = Duration::from_secs(1);

/// A PNG of so many bytes is sent as it is.
const SMALL: usize = 1 << 20;

/// No side of the JPEG that is sent is longer, in pixels.
const LONGEST: u32 = 1200;

/// The longer side of a picture in a list.
const THUMBNAIL: u32 = 240;

/// What the loop knows of the screen.
#[derive(Default)]
struct View {
    picture: Option<Picture>,
    frame: Option<Arc<Frame>>,
    /// Looks at pictures that changed meanwhile.
    moved: u32,
    /// Pictures that were the same in a row.
    still: u32,
    /// When something was done last, and whether another picture came since.
    acted: Option<Instant>,
    answered: bool,
    /// Between the beginnings of two pictures.
    interval: Duration,
    /// The place of the device that it is of.
    device: usize,
    /// Why nobody could touch an app, and when that was asked last.
    unusable: Option<ScreenState>,
    asked: Option<Instant>,
}

/// Why there is no picture, or no row.
enum Trouble {
    /// Another run has the device.
    InUse(DeviceError),
    Failed(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        Self::Failed(error.into())
    }
}

/// Shows the device to the pages. Never ends.
pub(super) async fn watch(studio: &Arc<Studio>) {
    let mut view = View::default();
    loop {
        studio.feed.page().await;
        let began = Instant::now();
        studio.store_frames().await;
        let device = studio.workspace.connection.chosen();
        if device != view.device {
            view = View {
                device,
                ..View::default()
            };
        }
        let wait = match cycle(studio, &mut view).await {
            Ok(()) => view.interval.saturating_sub(began.elapsed()).max(QUICK / 4),
            Err(trouble) => {
                if report_trouble(studio, &view, trouble).await {
                    view = View {
                        device: view.device,
                        ..View::default()
                    };
                }
                AGAIN
            }
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = studio.acted.notified() => {
                view.still = 0;
                view.acted = Some(Instant::now());
                view.answered = false;
            }
        }
    }
}

/// Says what is wrong. Returns whether the device is to be opened anew.
async fn report_trouble(studio: &Studio, view: &View, trouble: Trouble) -> bool {
    match trouble {
        Trouble::InUse(error) => {
            let message = error.to_string();
            studio.device(Some(studio.scrubbed(DeviceState::InUse { message })));
            true
        }
        Trouble::Failed(failure) if failure.kind == FailureKind::Infrastructure => {
            studio.notify_trouble(&failure).await;
            true
        }
        // That says why, too.
        Trouble::Failed(_) if notify_unusable(studio, view) => false,
        Trouble::Failed(failure) => {
            studio.notify_trouble(&failure).await;
            false
        }
    }
}

/// Says that nobody could touch an app, where it is so.
fn notify_unusable(studio: &Studio, view: &View) -> bool {
    let message = match view.unusable {
        Some(ScreenState::Off) => "The screen is off.",
        Some(ScreenState::Locked) => "The device is locked.",
        Some(ScreenState::Starting) => "The device is starting.",
        Some(ScreenState::Ready) | None => return false,
    };
    studio.device(Some(to_value(DeviceState::Locked { message })));
    true
}

async fn opened(studio: &Studio) -> Result<OpenConnection, Trouble> {
    let opened = studio.workspace.connection.opened().await;
    opened.map_err(|error| match error {
        error @ DeviceError::InUse { .. } => Trouble::InUse(error),
        error => Trouble::Failed(error.into()),
    })
}

/// A picture; pages hear it where it takes long.
async fn take(studio: &Studio, session: &Session) -> Result<Picture, EngineError> {
    let taking = session.picture_within(LIMIT, 1);
    tokio::pin!(taking);
    if let Ok(picture) = timeout(SLOW, &mut taking).await {
        return picture;
    }
    let message = "The device is slow: it has not answered for some seconds.".to_owned();
    studio.device(Some(to_value(DeviceState::Slow { message })));
    taking.await
}

/// Asks whether a person could touch an app: seldom, and at each look while nobody could.
async fn ask_for_lock(view: &mut View, session: &Session) {
    let is_new = view.asked.is_some_and(|asked| asked.elapsed() < LOCK_PACE);
    // A server unlocks in a way of its own.
    if (is_new && view.unusable.is_none()) || session.device().system().is_some() {
        return;
    }
    view.asked = Some(Instant::now());
    view.unusable = match timeout(LOCK_PACE, screen_state(session.device())).await {
        Ok(Ok(state)) if state != ScreenState::Ready => Some(state),
        _ => None,
    };
}

/// One picture, and a look where it changed.
async fn cycle(studio: &Studio, view: &mut View) -> Result<(), Trouble> {
    let connection = &studio.workspace.connection;
    if studio.run.is_busy() {
        return glance(studio, view).await;
    }
    // An agent's flow has the device alone, too.
    let Ok(_beside) = timeout(IDLE, connection.lock_shared()).await else {
        return glance(studio, view).await;
    };
    let opened = opened(studio).await?;
    let session = &opened.session;
    let picture = take(studio, session).await?;
    if view.unusable.is_some() {
        ask_for_lock(view, session).await;
    }
    if !notify_unusable(studio, view) {
        studio.notify_device(&opened);
    }
    if is_same(view, &picture) {
        view.still += 1;
    } else {
        view.still = 0;
        show(studio, view, picture).await?;
    }
    let frame = view.frame.clone();
    let waits = view.acted.map(|acted| acted.elapsed());
    let waits = waits.filter(|waits| *waits < ANSWER);
    let is_at_rest = view.still >= STILL && (waits.is_none() || view.answered);
    match frame {
        Some(frame) if frame.look().is_none() => read(studio, view, &frame, session).await?,
        // What was done changed nothing.
        Some(frame) if is_at_rest && studio.frames().settle(&frame) => studio.notify_history(),
        _ => {}
    }
    view.interval = match waits {
        Some(waits) if waits < SOON && !view.answered => AT_ONCE,
        // What follows its first answer is seen too.
        None if is_at_rest => IDLE,
        _ => QUICK,
    };
    Ok(())
}

/// A picture of a device that a run has, with its looks: a picture takes nothing from it.
async fn glance(studio: &Studio, view: &mut View) -> Result<(), Trouble> {
    let opened = opened(studio).await?;
    refresh(studio, view, &opened.session).await?;
    view.interval = IDLE;
    Ok(())
}

/// Reads the rows of a picture: they are its own where the picture is the same before and after.
async fn read(
    studio: &Studio,
    view: &mut View,
    frame: &Arc<Frame>,
    session: &Session,
) -> Result<(), Failure> {
    let seq = frame.seq;
    let began = Instant::now();
    let look = session.look();
    tokio::pin!(look);
    let screen = loop {
        tokio::select! {
            looked = &mut look => break looked,
            // A slow look keeps nobody from seeing what happens.
            () = tokio::time::sleep(MEANWHILE) => refresh(studio, view, session).await?,
        }
    };
    // An agent may be amid a launch, which this look may not show: its steps do not go by it.
    session.forget_look();
    let took = began.elapsed().as_millis() as u64;
    ask_for_lock(view, session).await;
    let screen = screen.map_err(unreadable)?;
    refresh(studio, view, session).await?;
    let frame = view.frame.clone().unwrap_or_else(|| Arc::clone(frame));
    let moving = frame.seq != seq;
    if moving {
        view.still = 0;
        view.moved += 1;
        if view.moved < MOVING {
            return Ok(());
        }
    }
    view.moved = 0;
    frame.read(Look {
        screen,
        took,
        moving,
    });
    studio.frames().settle(&frame);
    studio.feed.publish(&FeedMessage::Look { seq: frame.seq });
    studio.notify_history();
    Ok(())
}

/// Another picture, shown where it is another one.
async fn refresh(studio: &Studio, view: &mut View, session: &Session) -> Result<(), Failure> {
    let picture = take(studio, session).await?;
    if !is_same(view, &picture) {
        show(studio, view, picture).await?;
    }
    Ok(())
}

/// A screen that cannot be read is reported, and shown all the same.
fn unreadable(error: EngineError) -> Failure {
    let failure = Failure::from(error);
    if failure.kind == FailureKind::Infrastructure {
        failure
    } else {
        failure.with_message("the picture is live, but the screen's rows cannot be read now")
    }
}

fn is_same(view: &View, picture: &Picture) -> bool {
    view.picture
        .as_ref()
        .is_some_and(|last| last.is_same_file(picture) || last.png() == picture.png())
}

/// Makes a picture the one that pages show.
async fn show(studio: &Studio, view: &mut View, picture: Picture) -> Result<(), Failure> {
    let of = picture.clone();
    let encoded = blocking(move || encoded(&of)).await??;
    let frame = {
        let mut frames = studio.frames();
        if studio.workspace.connection.chosen() != view.device {
            return Ok(());
        }
        let frame = Arc::new(Frame::new(frames.next(), encoded));
        frames.add(Arc::clone(&frame));
        frame
    };
    studio.feed.publish(&FeedMessage::Picture(frame.state()));
    view.answered = true;
    view.picture = Some(picture);
    view.frame = Some(frame);
    Ok(())
}

/// A small PNG goes as it is: to make a JPEG of it costs more than it saves on the way to this machine's own browser.
pub(super) fn encoded(picture: &Picture) -> Result<EncodedPicture, Failure> {
    let png = picture.png();
    if png.len() <= SMALL {
        return Ok(EncodedPicture {
            media_type: "image/png",
            bytes: Bytes::copy_from_slice(png),
            size: picture.dimensions()?,
        });
    }
    let pixels = picture.pixels()?;
    let jpeg = to_jpeg(&shrink_to(&pixels, LONGEST))
        .map_err(|error| Failure::device(format!("no picture: {error}")))?;
    Ok(EncodedPicture {
        media_type: "image/jpeg",
        bytes: jpeg.into(),
        size: pixels.dimensions(),
    })
}

/// A picture for a list of many; none where it is none that is read here.
pub(super) fn small(picture: &EncodedPicture) -> Option<(&'static str, Bytes)> {
    if picture.media_type != "image/png" {
        return None;
    }
    let pixels = Picture::from_png(picture.bytes.to_vec()).pixels().ok()?;
    let jpeg = to_jpeg(&shrink_to(&pixels, THUMBNAIL)).ok()?;
    Some(("image/jpeg", jpeg.into()))
}
