//! Takes the live picture while a page is open: quickly while something moves, once a second otherwise.
//! Elements are read only if the picture changed.

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

/// Intervals of pictures while nothing moves, and while something does. Chosen: the slow one keeps the device
/// free; the quick one is about what a picture takes on a fast device.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);
const QUICK_INTERVAL: Duration = Duration::from_millis(60);

/// Time after an act in which pictures are taken quickly even without a change, as an app may need some time.
/// In the first part of it, pictures follow each other at once until one differs. Chosen: most apps answer
/// within a second.
const ANSWER_WINDOW: Duration = Duration::from_millis(1200);
const FIRST_WINDOW: Duration = Duration::from_millis(400);
const FIRST_INTERVAL: Duration = Duration::from_millis(15);

/// Interval of pictures while the elements are being read. Chosen: reading takes seconds on some screens, and
/// many pictures would slow it down.
const LOOK_INTERVAL: Duration = Duration::from_millis(600);

/// Equal pictures in a row after which the screen is at rest. Chosen: one may be taken before the app
/// answers.
const MIN_STILL: u32 = 2;

/// Reads of a moving screen after which the elements count in spite of it. Chosen: an endless animation must
/// not keep them from the page.
const MAX_MOVING_LOOKS: u32 = 3;

/// Time for one picture. Chosen: a slow emulator needs several seconds; a hanging device is reported after
/// that.
const PICTURE_TIMEOUT: Duration = Duration::from_secs(20);

/// Time of a picture after which pages are told that the device is slow. Chosen: longer than an ordinary
/// picture takes.
const SLOW_AFTER: Duration = Duration::from_secs(3);

/// Interval of asking whether the screen is locked, and time for the answer. Chosen: it takes a command,
/// which slows the picture.
const LOCK_INTERVAL: Duration = Duration::from_secs(5);

/// Pause until the next try after a failure. Chosen: a device that comes back is noticed soon, with few
/// messages until then.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Bytes up to which a PNG is sent unchanged. Chosen: making a JPEG takes longer than sending it to a browser
/// on this machine.
const MAX_PNG_BYTES: usize = 1 << 20;

/// Pixels of the longer side of a JPEG that is sent. Chosen: as large as pages show it.
const MAX_JPEG_PIXELS: u32 = 1200;

/// Pixels of the longer side of a picture in a list. Chosen: as large as lists show it.
const THUMBNAIL_PIXELS: u32 = 240;

/// State of the loop that takes pictures.
#[derive(Default)]
struct View {
    picture: Option<Picture>,
    frame: Option<Arc<Frame>>,
    /// Count of successive reads of elements during which the picture changed.
    moved: u32,
    /// Count of equal pictures in a row.
    still: u32,
    /// Time of the last act, and whether another picture came since.
    acted: Option<Instant>,
    answered: bool,
    /// Time between the starts of two pictures.
    interval: Duration,
    /// Index of the device that the state is of.
    device: usize,
    /// State in which no app can be touched, and the time when it was asked for last.
    unusable: Option<ScreenState>,
    asked: Option<Instant>,
}

/// Reason why there is no picture or no elements.
enum LiveProblem {
    /// Another run uses the device.
    InUse(DeviceError),
    Failed(Failure),
}

impl From<Failure> for LiveProblem {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<EngineError> for LiveProblem {
    fn from(error: EngineError) -> Self {
        Self::Failed(error.into())
    }
}

/// Shows the device to the pages while one listens, and writes older pictures to disk meanwhile. Takes pictures
/// more often after an act, seldom at rest, and again after a pause if there was a problem, which pages are told.
/// Begins anew if another device was chosen. Never ends.
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
            Ok(()) => view
                .interval
                .saturating_sub(began.elapsed())
                .max(QUICK_INTERVAL / 4),
            Err(problem) => {
                if report_problem(studio, &view, problem).await {
                    view = View {
                        device: view.device,
                        ..View::default()
                    };
                }
                RETRY_PAUSE
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

/// Reports a problem to pages, with secrets masked. If no app can be touched, reports that in place of other
/// problems. Returns true if the view is to begin anew: the device is lost, or another process uses it. Opens
/// nothing itself.
async fn report_problem(studio: &Studio, view: &View, problem: LiveProblem) -> bool {
    match problem {
        LiveProblem::InUse(error) => {
            let message = error.to_string();
            studio.device(Some(studio.scrubbed(DeviceState::InUse { message })));
            true
        }
        LiveProblem::Failed(failure) if failure.kind == FailureKind::Infrastructure => {
            studio.notify_trouble(&failure).await;
            true
        }
        // The lock screen is the reason, and is reported instead.
        LiveProblem::Failed(_) if notify_unusable(studio, view) => false,
        LiveProblem::Failed(failure) => {
            studio.notify_trouble(&failure).await;
            false
        }
    }
}

/// Tells pages if no app can be touched: the screen is off or locked, or the device is starting. Returns true if
/// so. Goes by the last answer in `view`, and asks no device; false if it was not asked.
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

/// Opens the chosen device, or returns the open one. A device that another program uses is told apart from other
/// errors.
async fn opened(studio: &Studio) -> Result<OpenConnection, LiveProblem> {
    let opened = studio.workspace.connection.opened().await;
    opened.map_err(|error| match error {
        error @ DeviceError::InUse { .. } => LiveProblem::InUse(error),
        error => LiveProblem::Failed(error.into()),
    })
}

/// Takes a picture, which is not shown or kept here. Tells pages that the device is slow if it takes longer than
/// [`SLOW_AFTER`], and waits on, at most [`PICTURE_TIMEOUT`] in all. A picture that does not come by then, and a lost
/// device, are errors.
async fn take(studio: &Studio, session: &Session) -> Result<Picture, EngineError> {
    let taking = session.picture_within(PICTURE_TIMEOUT, 1);
    tokio::pin!(taking);
    if let Ok(picture) = timeout(SLOW_AFTER, &mut taking).await {
        return picture;
    }
    let message = "The device is slow: it has not answered for some seconds.".to_owned();
    studio.device(Some(to_value(DeviceState::Slow { message })));
    taking.await
}

/// Asks the device whether a person could touch an app, waits at most [`LOCK_INTERVAL`], and stores the answer in
/// `view`. Asks at most once in [`LOCK_INTERVAL`], but at each picture while the answer is no. An answer that does not
/// come counts as yes. Devices behind a server are not asked.
async fn ask_for_lock(view: &mut View, session: &Session) {
    let is_new = view
        .asked
        .is_some_and(|asked| asked.elapsed() < LOCK_INTERVAL);
    // Servers of devices unlock them in their own way.
    if (is_new && view.unusable.is_none()) || session.device().system().is_some() {
        return;
    }
    view.asked = Some(Instant::now());
    view.unusable = match timeout(LOCK_INTERVAL, screen_state(session.device())).await {
        Ok(Ok(state)) if state != ScreenState::Ready => Some(state),
        _ => None,
    };
}

/// Takes one picture, opening the device if need be, shows it if it changed, and reads its elements if they are not
/// known. If it did not change for a while, it becomes the picture after the latest acts. While a run has the device,
/// or somebody else for [`IDLE_INTERVAL`], only takes and shows the picture. Sets the interval until the next call,
/// unless it fails.
async fn cycle(studio: &Studio, view: &mut View) -> Result<(), LiveProblem> {
    let connection = &studio.workspace.connection;
    if studio.run.is_busy() {
        return glance(studio, view).await;
    }
    // A flow of an agent may have the device exclusively too.
    let Ok(_beside) = timeout(IDLE_INTERVAL, connection.lock_shared()).await else {
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
    let waits = waits.filter(|waits| *waits < ANSWER_WINDOW);
    let is_at_rest = view.still >= MIN_STILL && (waits.is_none() || view.answered);
    match frame {
        Some(frame) if frame.look().is_none() => read(studio, view, &frame, session).await?,
        // The act changed nothing on the screen.
        Some(frame) if is_at_rest && studio.frames().settle(&frame) => studio.notify_history(),
        _ => {}
    }
    view.interval = match waits {
        Some(waits) if waits < FIRST_WINDOW && !view.answered => FIRST_INTERVAL,
        // Pictures stay quick after the first answer, to show what follows.
        None if is_at_rest => IDLE_INTERVAL,
        _ => QUICK_INTERVAL,
    };
    Ok(())
}

/// Takes a picture while a run uses the device. Shows it if it changed. Reads no elements, so the run is not
/// disturbed.
async fn glance(studio: &Studio, view: &mut View) -> Result<(), LiveProblem> {
    let opened = opened(studio).await?;
    refresh(studio, view, &opened.session).await?;
    view.interval = IDLE_INTERVAL;
    Ok(())
}

/// Reads the elements of a picture. If the picture is the same before and after, they belong to it; it becomes the
/// picture after the latest acts, and pages are told. Pictures that change meanwhile are shown. A picture that changed
/// meanwhile is read again at the next cycle, but after [`MAX_MOVING_LOOKS`] times the elements are taken all the same,
/// for the newest picture, and marked as moving, with the same effects. An error leaves the picture without elements.
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
            // A slow read must not keep people from seeing what happens.
            () = tokio::time::sleep(LOOK_INTERVAL) => refresh(studio, view, session).await?,
        }
    };
    // An agent may be in the middle of a launch, and its steps must not use this look.
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
        if view.moved < MAX_MOVING_LOOKS {
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

/// Takes a picture, and shows it if its bytes differ from the last.
async fn refresh(studio: &Studio, view: &mut View, session: &Session) -> Result<(), Failure> {
    let picture = take(studio, session).await?;
    if !is_same(view, &picture) {
        show(studio, view, picture).await?;
    }
    Ok(())
}

/// Converts an error of reading the elements. Unless the device is lost, the message says that the picture is live,
/// and the error's own message becomes the first detail.
fn unreadable(error: EngineError) -> Failure {
    let failure = Failure::from(error);
    if failure.kind == FailureKind::Infrastructure {
        failure
    } else {
        failure.with_message("the picture is live, but the screen's rows cannot be read now")
    }
}

/// Returns true if the picture has the same bytes as the last one shown; false if none was.
fn is_same(view: &View, picture: &Picture) -> bool {
    view.picture
        .as_ref()
        .is_some_and(|last| last.is_same_file(picture) || last.png() == picture.png())
}

/// Encodes a picture, makes it the current one, without elements, and publishes its number. It counts as the answer
/// to the last act. Does nothing if another device was chosen meanwhile.
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

/// Encodes a picture for browsers. A PNG of at most [`MAX_PNG_BYTES`] stays as it is: on the way to a browser of
/// this machine, a JPEG would save less time than making it takes. A larger one becomes a JPEG with sides of at
/// most [`MAX_JPEG_PIXELS`]. The size in the result is always that of the original. An error if the picture cannot
/// be decoded.
pub(super) fn encoded(picture: &Picture) -> Result<EncodedPicture, Failure> {
    let png = picture.png();
    if png.len() <= MAX_PNG_BYTES {
        return Ok(EncodedPicture {
            media_type: "image/png",
            bytes: Bytes::copy_from_slice(png),
            size: picture.dimensions()?,
        });
    }
    let pixels = picture.pixels()?;
    let jpeg = to_jpeg(&shrink_to(&pixels, MAX_JPEG_PIXELS))
        .map_err(|error| Failure::device(format!("no picture: {error}")))?;
    Ok(EncodedPicture {
        media_type: "image/jpeg",
        bytes: jpeg.into(),
        size: pixels.dimensions(),
    })
}

/// Shrinks a picture for a list, as JPEG with sides of at most [`THUMBNAIL_PIXELS`]. Returns `None` if it is no
/// PNG, as a JPEG is small, or cannot be decoded.
pub(super) fn small(picture: &EncodedPicture) -> Option<(&'static str, Bytes)> {
    if picture.media_type != "image/png" {
        return None;
    }
    let pixels = Picture::from_png(picture.bytes.to_vec()).pixels().ok()?;
    let jpeg = to_jpeg(&shrink_to(&pixels, THUMBNAIL_PIXELS)).ok()?;
    Some(("image/jpeg", jpeg.into()))
}
