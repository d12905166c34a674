//! Captures: a screen together with its screenshot.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::history::same_rows;
use super::session::is_transient;
use super::wait_budget::WaitBudget;
use super::{EngineError, Session};
use runner_device::{DeviceError, Picture};
use runner_screen::{PartialScreen, Rect, Screen};

/// A screen, and its screenshot, taken just after it. Only [`StableCapture::Stable`] says that nothing moved.
#[derive(Debug, Clone)]
pub struct Capture {
    pub screen: Arc<Screen>,
    /// The screenshot; `None` if only rows were requested.
    pub picture: Option<Picture>,
    /// Cache of [`Self::storable_picture`], as a capture is compared more than once.
    storable: Arc<OnceLock<Option<Picture>>>,
}

#[derive(Debug, Clone, Copy)]
pub struct CaptureOptions {
    /// Time within which two captures in a row must be equal. [`Session::capture`] ignores it.
    pub limit: Duration,
    /// Takes a screenshot too.
    pub picture: bool,
}

/// Result of [`Session::capture_stable`].
#[derive(Debug, Clone)]
pub enum StableCapture {
    /// Accepted by the caller's predicate, for example because it equals the golden.
    Accepted(Capture),
    /// The same as the capture before it, by the caller's comparison.
    Stable(Capture),
    /// The last two captures still differed when the limit ran out.
    Unstable {
        before: Box<Capture>,
        last: Box<Capture>,
    },
}

impl Capture {
    pub fn new(screen: Arc<Screen>, picture: Option<Picture>) -> Self {
        Self {
            screen,
            picture,
            storable: Arc::default(),
        }
    }

    /// Compares rows and pixels. A capture with a screenshot never equals one without, nor does one whose
    /// screenshot cannot be decoded, unless both files are identical.
    pub fn same_as(&self, other: &Self) -> bool {
        same_rows(&self.screen, &other.screen)
            && match (&self.picture, &other.picture) {
                (Some(a), Some(b)) => same_pixels(a, b),
                (None, None) => true,
                _ => false,
            }
    }

    /// Returns the screenshot with its password fields painted black: the only form in which it may be
    /// stored. `None` if the capture has no screenshot. Without password fields it is the file as taken,
    /// which is not decoded. A result is computed once; an error is not kept.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoPicture`] if there are password fields and the screenshot cannot be decoded.
    pub fn storable_picture(&self) -> Result<Option<Picture>, DeviceError> {
        if let Some(known) = self.storable.get() {
            return Ok(known.clone());
        }
        let storable = self.paint_passwords_over()?;
        Ok(self.storable.get_or_init(|| storable).clone())
    }

    /// Returns true if every pixel is black within the bounds of each element with text. Android draws
    /// windows with `FLAG_SECURE` so, and comparing such a screenshot is pointless. False if there is no
    /// screenshot or no element with text on the screenshot.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoPicture`] if the screenshot cannot be decoded.
    pub fn is_blacked_out(&self) -> Result<bool, DeviceError> {
        let Some(picture) = &self.picture else {
            return Ok(false);
        };
        let pixels = picture.pixels()?;
        let whole = Rect::new(0, 0, pixels.width() as i32, pixels.height() as i32);
        let mut texts = self
            .screen
            .nodes()
            .filter(|node| !node.text().is_empty())
            .filter_map(|node| node.bounds().intersection(&whole))
            .filter(|bounds| !bounds.is_empty())
            .peekable();
        let is_black = |area: Rect| {
            (area.top..area.bottom).all(|y| {
                (area.left..area.right)
                    .all(|x| pixels.get_pixel(x as u32, y as u32).0[..3] == [0, 0, 0])
            })
        };
        Ok(texts.peek().is_some() && texts.all(is_black))
    }

    /// Returns the screenshot with all password fields painted black, or `None` if there is none. Without such fields
    /// it stays as it was taken and is not decoded; else it is an error if it cannot be decoded.
    fn paint_passwords_over(&self) -> Result<Option<Picture>, DeviceError> {
        let Some(picture) = &self.picture else {
            return Ok(None);
        };
        let fields = password_fields(&self.screen);
        if fields.is_empty() {
            return Ok(Some(picture.clone()));
        }
        paint_over(picture, &fields).map(Some)
    }
}

/// Compares pixels, or just the files if they are equal. Screenshots that cannot be decoded are never the same
/// otherwise.
fn same_pixels(a: &Picture, b: &Picture) -> bool {
    if a.is_same_file(b) {
        return true;
    }
    match (a.pixels(), b.pixels()) {
        (Ok(a), Ok(b)) => a == b,
        // An undecodable screenshot equals nothing, so another capture is taken.
        _ => false,
    }
}

/// Returns the bounds of all password fields in document order, also of empty and of hidden ones.
fn password_fields(screen: &Screen) -> Vec<Rect> {
    screen
        .nodes()
        .filter(|node| node.flags().password)
        .map(runner_screen::Node::bounds)
        .collect()
}

/// Returns a new screenshot with these areas black; what lies outside of it is ignored. An error if it cannot be
/// decoded or written.
fn paint_over(picture: &Picture, fields: &[Rect]) -> Result<Picture, DeviceError> {
    let mut pixels = Arc::unwrap_or_clone(picture.pixels()?);
    let whole = Rect::new(0, 0, pixels.width() as i32, pixels.height() as i32);
    for part in fields.iter().filter_map(|field| field.intersection(&whole)) {
        for y in part.top..part.bottom {
            for x in part.left..part.right {
                pixels.put_pixel(x as u32, y as u32, image::Rgba([0, 0, 0, 255]));
            }
        }
    }
    Ok(Picture::from_pixels(pixels)?)
}

/// Returns why this look cannot be compared with a golden. A screen without elements can, by its screenshot.
fn refusal(screen: &Screen) -> Option<PartialScreen> {
    let why = screen.as_whole().err()?;
    (!matches!(why, PartialScreen::WithoutElements { .. })).then_some(why)
}

impl Session {
    /// Takes a screenshot and returns the screen that shows where its passwords are: the last look, however old, if it
    /// had no password field and nothing was typed since; else a new look, taken at the same time; else the last one
    /// recorded, if the screen cannot be read (such as a video). The screen is `None` if there was never a readable
    /// one. Only a failed screenshot is an error. Screenshots that are stored have a look of their own: see
    /// [`Session::capture`].
    pub async fn picture_and_screen(&self) -> Result<(Picture, Option<Arc<Screen>>), EngineError> {
        let shows_none = |screen: &Arc<Screen>| password_fields(screen).is_empty();
        if let Some(last) = self.displayed_before_typing().filter(shows_none) {
            return Ok((self.picture().await?, Some(last)));
        }
        // Both requests run at the same time.
        let (picture, screen) = tokio::join!(self.picture(), self.look_at_elements());
        Ok((picture?, screen.ok().or_else(|| self.last_screen())))
    }

    /// Takes one look and, if the options want it, a screenshot after it. Does not wait until nothing moves.
    pub async fn capture(&self, options: CaptureOptions) -> Result<Capture, EngineError> {
        self.capture_of(self.look().await?, options).await
    }

    /// Adds a screenshot to a look if the options want one. It is taken after the look, and is an error if it fails.
    async fn capture_of(
        &self,
        screen: Arc<Screen>,
        options: CaptureOptions,
    ) -> Result<Capture, EngineError> {
        let picture = if options.picture {
            Some(self.picture().await?)
        } else {
            None
        };
        Ok(Capture::new(screen, picture))
    }

    /// Captures until `accept` returns true, or two captures in a row are `same`, or the limit runs out. After a first
    /// capture a second one is always tried, however short the limit is. Incomplete and transiently failed looks are
    /// repeated; any other error ends it at once. Dialogs are not answered, and a screen without elements counts as
    /// complete.
    ///
    /// `accept` sees each capture first: a screen that equals its golden needs no second look. Use [`Capture::same_as`]
    /// for `same` if no part of the screenshot is masked. If time is up, two different captures give
    /// [`StableCapture::Unstable`]; with fewer, the last look's error is returned, or [`EngineError::NotIdle`].
    pub async fn capture_stable(
        &self,
        options: CaptureOptions,
        mut accept: impl FnMut(&Capture) -> bool + Send,
        mut same: impl FnMut(&Capture, &Capture) -> bool + Send,
    ) -> Result<StableCapture, EngineError> {
        let mut timeout = WaitBudget::new(self.clock(), options.limit);
        let mut captures: (Option<Capture>, Option<Capture>) = (None, None);
        loop {
            timeout.record_look();
            let mut failed = None;
            // A second capture is always taken, so it has the time of a first look.
            let limit = self.look_limit(&timeout, captures.0.is_some());
            let looked = self.look_within(limit).await;
            let captured = match looked {
                Ok(screen) => match refusal(&screen) {
                    None => self.capture_of(screen, options).await,
                    Some(why) => Err(EngineError::PartialScreen {
                        subject: "the screen".to_owned(),
                        why,
                    }),
                },
                Err(error) => Err(error),
            };
            match captured {
                Ok(capture) => {
                    if accept(&capture) {
                        return Ok(StableCapture::Accepted(capture));
                    }
                    if captures.1.as_ref().is_some_and(|last| same(last, &capture)) {
                        return Ok(StableCapture::Stable(capture));
                    }
                    captures = (captures.1, Some(capture));
                }
                Err(error) if is_transient(&error) => failed = Some(error),
                Err(error) => return Err(error),
            }
            // Two captures are the least that can show whether the screen rests, however short the limit is.
            let again = self.may_look_again(&timeout).await;
            if !again && (failed.is_some() || captures.0.is_some()) {
                return match (captures, failed) {
                    ((Some(before), Some(last)), _) => Ok(StableCapture::Unstable {
                        before: Box::new(before),
                        last: Box::new(last),
                    }),
                    (_, Some(error)) => Err(error),
                    ((_, last), None) => Err(EngineError::NotIdle {
                        waited: timeout.elapsed(),
                        similarity: u8::from(last.is_some()),
                    }),
                };
            }
        }
    }
}
