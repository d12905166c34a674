//! Runs the review's loop: applies events and the workers' results to the state, executes its actions, and
//! draws what changed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use ratatui::crossterm::event::{Event, MouseEventKind};
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::layout::Rect;

use super::editor::{Editor, EditorError};
use super::graphics::{Display, Images, Painter, PlacedPicture};
use super::keys::{Action, update};
use super::options::Options;
use super::outcome::{Outcome, apply};
use super::panels::{self, Panel, panels};
use super::state::{Popup, State};
use super::stop::StopFlag;
use super::tty::{Tty, Wait};
use super::view::view;
use super::worker::{WorkerMessage, Workers};
use super::{fit, graphics};
use crate::{FlowPlace, ObservedVersions, Review, ReviewError};
use runner_snapshot::GoldenKey;

/// Interval at which the workers' results are taken. Chosen: a person sees no delay, and idle costs little.
const TICK: Duration = Duration::from_millis(40);

pub struct App<'a> {
    review: &'a Review,
    options: &'a Options,
    state: State,
    workers: Workers,
    painter: Painter,
    /// Number of decisions made. A queue that was read before the last one is outdated.
    decisions: u64,
    /// Keys that were last requested from the workers.
    wanted: Vec<GoldenKey>,
    /// Versions that the person has seen.
    observed: ObservedVersions,
    is_stale: bool,
}

impl<'a> App<'a> {
    /// Creates the review and starts the worker threads, which read the queue at once. Nothing is drawn yet. `size`
    /// is columns and rows.
    ///
    /// # Errors
    /// Returns an error if a thread cannot be started.
    pub fn new(
        review: &'a Review,
        options: &'a Options,
        size: (u16, u16),
        display: Display,
    ) -> std::io::Result<Self> {
        Ok(Self {
            review,
            options,
            state: State::new(size, display),
            workers: Workers::start(review)?,
            painter: Painter::new(display),
            decisions: 0,
            wanted: Vec::new(),
            observed: ObservedVersions::new(),
            is_stale: true,
        })
    }

    /// Draws at once, then after each event or result, but not for motions of the mouse. Returns when the person
    /// leaves, `stop` is requested or the terminal is gone, none of which is an error, and removes the pictures. Fails
    /// if the terminal cannot be read or drawn; errors of decisions are only shown.
    pub fn run(&mut self, tty: &mut Tty, stop: &StopFlag) -> Result<(), ReviewError> {
        while !stop.is_requested() {
            self.take_results();
            self.request_cases();
            if std::mem::take(&mut self.is_stale) {
                self.draw(tty)?;
            }
            match tty.wait(TICK)? {
                Wait::Lost => break,
                Wait::Timeout => {}
                Wait::Event(event) => {
                    // Nothing that is drawn depends on the many events of a moving mouse.
                    self.is_stale |= !is_motion(&event);
                    match update(&mut self.state, &event) {
                        Some(Action::Leave) => break,
                        Some(action) => self.act(tty, action)?,
                        None => {}
                    }
                }
            }
        }
        // Fails if the terminal is gone.
        let _ = self.painter.clear(tty.terminal.backend_mut());
        Ok(())
    }

    /// Applies all results of the workers that are there, without waiting. A queue read before the last decision is
    /// ignored; after a newer one the selected case is requested again. Only the selected case counts as seen, not
    /// the one read ahead.
    fn take_results(&mut self) {
        while let Ok(found) = self.workers.found.try_recv() {
            self.is_stale = true;
            let outcome = match found {
                WorkerMessage::Queue(decisions, _) if decisions < self.decisions => continue,
                WorkerMessage::Queue(_, queue) => {
                    // A run may have written the same snapshot again, so its case is requested again.
                    self.wanted.clear();
                    queue
                }
                WorkerMessage::Case(key, case) => {
                    // Only the selected case counts as seen; the next one was read ahead.
                    if let Ok(case) = &case
                        && self.state.selected.as_ref() == Some(&key)
                    {
                        let version = case.item.version.clone();
                        self.observed.insert(key.clone(), version);
                    }
                    Outcome::Case(key, case)
                }
            };
            apply(&mut self.state, outcome);
        }
    }

    /// Asks the workers for the selected case, and for the next one to have it ready. Does not wait. Does nothing if
    /// the same were requested last or nothing is selected.
    fn request_cases(&mut self) {
        let at = self.state.position().unwrap_or(0);
        let items = self.state.items().skip(at).take(2);
        let wanted: Vec<GoldenKey> = items.map(|item| item.key.clone()).collect();
        if wanted != self.wanted && self.state.item().is_some() {
            self.workers.want(wanted.clone());
            self.wanted = wanted;
        }
    }

    /// Does what a key asked for, shows the result, and then has the queue read again, except after leaving,
    /// redrawing or suspending. Accept, reject and mask concern the versions that were shown. A decision that fails
    /// is shown; only an error of the terminal is returned.
    fn act(&mut self, tty: &mut Tty, action: Action) -> Result<(), ReviewError> {
        let outcome = match action {
            Action::Leave => return Ok(()),
            Action::Redraw => return self.redraw(tty),
            Action::Suspend => {
                self.painter.clear(tty.terminal.backend_mut())?;
                tty.suspend()?;
                return self.redraw(tty);
            }
            Action::Edit(place) => self.edit(tty, &place)?,
            // The decision is about the shown version: a run may have proposed another one meanwhile.
            Action::Accept(keys) => {
                let versions = self.state.observed(&self.observed);
                Outcome::Accepted(self.review.accept_observed(&keys, &versions))
            }
            Action::Reject(keys) => {
                let versions = self.state.observed(&self.observed);
                Outcome::Rejected(self.review.reject_observed(&keys, &versions))
            }
            Action::Undo => Outcome::Undone(self.review.undo()),
            Action::Mask(key, target) => {
                let written = self.review.mask_observed(&key, &target, &self.observed);
                Outcome::Masked(written)
            }
        };
        apply(&mut self.state, outcome);
        self.decisions += 1;
        self.workers.look(self.decisions);
        Ok(())
    }

    /// Opens the flow in the editor and waits for its end, with the terminal given back meanwhile. Without an editor
    /// the outcome is an error that names the place, and the terminal stays. An editor that fails is an outcome too.
    fn edit(&mut self, tty: &mut Tty, place: &FlowPlace) -> Result<Outcome, ReviewError> {
        let display = format!("{}:{}", place.file, place.line);
        let Some(editor) = &self.options.editor else {
            return Ok(Outcome::Edited(Err(EditorError::NotSet(display))));
        };
        // The editor draws only cells, so kitty's pictures would stay above them.
        self.painter.clear(tty.terminal.backend_mut())?;
        let file = self.review.root().join(&place.file);
        let editor: Editor = editor.clone();
        let result = tty.suspended(|| editor.open(&file, place.line, place.column))?;
        self.redraw(tty)?;
        Ok(Outcome::Edited(
            result.map(|()| format!("edited {display}")),
        ))
    }

    /// Removes all pictures, takes over the present size of the window and marks everything to be drawn. The next
    /// turn of the loop draws.
    fn redraw(&mut self, tty: &mut Tty) -> Result<(), ReviewError> {
        self.painter.clear(tty.terminal.backend_mut())?;
        // The window may have changed its size without an event.
        let (columns, rows, ..) = Tty::window();
        self.state.size = (columns, rows);
        tty.forget_screen()?;
        self.is_stale = true;
        Ok(())
    }

    /// Draws text and pictures, both in one synchronized update, and flushes. Pictures that are no longer wanted are
    /// removed first, and only missing ones are sent.
    fn draw(&mut self, tty: &mut Tty) -> Result<(), ReviewError> {
        // Makes the terminal show pictures and text at once, without the steps in between.
        queue!(tty.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let panels = self.drawn_by_terminal();
        let wanted: Vec<(u64, Rect)> = panels
            .iter()
            .map(|panel| (self.mark(panel), panel.cells))
            .collect();
        self.painter
            .remove_others(tty.terminal.backend_mut(), &wanted)?;
        let missing = self.painter.missing(&wanted);
        // Placeholders need their picture first; pictures in cells must be drawn after the cells.
        let is_first = self.state.display.images == Images::KittyInTmux;
        if is_first {
            self.add_missing(tty, &panels, &wanted, &missing)?;
        }
        let (state, painter) = (&self.state, &self.painter);
        tty.terminal.draw(|frame| {
            view(state, frame);
            for panel in &panels {
                if let Some(id) = painter.id_at(panel.cells) {
                    let covered = covered(state.display, panel);
                    graphics::draw_placeholders(frame.buffer_mut(), covered, id);
                }
            }
        })?;
        if !is_first {
            self.add_missing(tty, &panels, &wanted, &missing)?;
        }
        let out = tty.terminal.backend_mut();
        queue!(out, EndSynchronizedUpdate)?;
        std::io::Write::flush(out)?;
        Ok(())
    }

    /// Returns the pictures that escape sequences draw, with their places. Empty if pictures are drawn as text or
    /// off, and while help or the choice of a mask covers them, as they would lie above it.
    fn drawn_by_terminal(&self) -> Vec<Panel> {
        let display = self.state.display;
        let is_covered = matches!(self.state.popup, Some(Popup::Help | Popup::Mask { .. }));
        if is_covered || matches!(display.images, Images::Blocks | Images::None) {
            return Vec::new();
        }
        panels(&self.state)
    }

    /// Returns a hash that differs for any other picture, part or place, and for a case that was read again.
    fn mark(&self, panel: &Panel) -> u64 {
        let mut hasher = DefaultHasher::new();
        let case = self.state.case();
        self.state.selected.hash(&mut hasher);
        // A run may have proposed other pixels under the same key, so each read case counts as another picture.
        case.map(|case| Arc::as_ptr(case).addr()).hash(&mut hasher);
        format!("{panel:?}").hash(&mut hasher);
        hasher.finish()
    }

    /// Draws the panels for which `missing` is true. The three lists have the same order. A side without a picture is
    /// left out; without a case nothing is done.
    fn add_missing(
        &mut self,
        tty: &mut Tty,
        panels: &[Panel],
        wanted: &[(u64, Rect)],
        missing: &[bool],
    ) -> std::io::Result<()> {
        let Some(case) = self.state.case().cloned() else {
            return Ok(());
        };
        for ((panel, (mark, cells)), _) in panels
            .iter()
            .zip(wanted)
            .zip(missing)
            .filter(|(_, missing)| **missing)
        {
            let pixels = panels::picture(&case, panel.side)
                .and_then(|picture| fit::scaled(picture, panel.part, panel.size, panel.outline));
            if let Some(pixels) = pixels {
                let placed = PlacedPicture {
                    mark: *mark,
                    cells: *cells,
                    pixels,
                };
                self.painter.add(tty.terminal.backend_mut(), &placed)?;
            }
        }
        Ok(())
    }
}

fn covered(display: Display, panel: &Panel) -> Rect {
    graphics::covered(display, panel.cells, panel.size)
}

fn is_motion(event: &Event) -> bool {
    matches!(event, Event::Mouse(mouse) if matches!(mouse.kind, MouseEventKind::Moved | MouseEventKind::Drag(_)))
}
