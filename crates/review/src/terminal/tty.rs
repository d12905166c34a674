//! Controls the terminal: raw mode, the alternate screen, events and questions. It is restored however the
//! review ends.

use std::fs::File;
use std::io::{self, BufWriter, Stdout, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{MoveTo, Show};
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event,
};
use ratatui::crossterm::terminal::{
    self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use ratatui::crossterm::{execute, style::ResetColor};
use ratatui::layout::Rect;

use super::graphics::detect::{self, Answers};
use super::reply_filter::ReplyFilter;

/// Time that the terminal gets to answer questions. Chosen: answers over a slow connection take a while.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Time for which the library checks for events that have arrived. With zero it does not check at all.
const POLL_TIME: Duration = Duration::from_millis(1);

/// True while this program has the terminal in raw mode. Global, as the panic hook restores it too.
static IS_ACQUIRED: AtomicBool = AtomicBool::new(false);

/// Standard output of this process, buffered.
pub type TerminalWriter = BufWriter<Stdout>;

/// Terminal in raw mode. It is restored when this is dropped.
pub struct Tty {
    /// Cells on the screen.
    pub terminal: Terminal<CrosstermBackend<TerminalWriter>>,
    device: Option<File>,
    reply_filter: ReplyFilter,
}

#[derive(Debug)]
pub enum Wait {
    Event(Event),
    /// No event in this time, or only a part of a late answer.
    Timeout,
    Lost,
}

impl Tty {
    /// Takes over the terminal, and makes every later panic give it back before it prints. Works without `/dev/tty`,
    /// then with the library's own way to wait. If it fails, the terminal is as before.
    #[expect(
        clippy::disallowed_methods,
        reason = "opens the terminal, not a file that a project names"
    )]
    pub fn enter() -> io::Result<Self> {
        let backend = CrosstermBackend::new(BufWriter::new(io::stdout()));
        let mut tty = Self {
            terminal: Terminal::new(backend)?,
            device: File::options().read(true).write(true).open("/dev/tty").ok(),
            reply_filter: ReplyFilter::default(),
        };
        // The alternate screen is left first: a panic's message in it would vanish.
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            previous(panic);
        }));
        tty.take()?;
        Ok(tty)
    }

    /// Switches to raw mode and the alternate screen, with mouse and paste events, so that everything is drawn anew
    /// with the next frame. After an error, [`restore`] undoes what was done.
    fn take(&mut self) -> io::Result<()> {
        // Set first, so that `restore` undoes a partial start.
        IS_ACQUIRED.store(true, Ordering::Relaxed);
        enable_raw_mode()?;
        execute!(
            self.terminal.backend_mut(),
            EnterAlternateScreen,
            EnableMouseCapture,
            EnableBracketedPaste
        )?;
        self.forget_screen()
    }

    /// Draws everything anew with the next frame, in the present size.
    pub fn forget_screen(&mut self) -> io::Result<()> {
        // Ratatui's own `clear` asks for the cursor's position, which a slow terminal answers too late.
        let (columns, rows, ..) = Self::window();
        self.terminal.resize(Rect::new(0, 0, columns, rows))
    }

    /// Restores the terminal while `work` uses it, and takes it over again afterwards. Waits for `work`. Returns an
    /// error if the terminal cannot be taken over again; the result of `work` is lost then.
    pub fn suspended<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        self.give_back();
        let result = work();
        self.take()?;
        Ok(result)
    }

    fn give_back(&mut self) {
        // Nothing can be done if the terminal is gone.
        let _ = self.terminal.backend_mut().flush();
        restore();
    }

    /// Suspends the program and its process group until the shell continues it, with the terminal restored meanwhile.
    /// The screen must be drawn again afterwards. On other systems than Unix it does nothing.
    #[cfg(unix)]
    pub fn suspend(&mut self) -> io::Result<()> {
        use rustix::process::{Signal, kill_current_process_group};

        // The whole process group, as Ctrl-Z does, so that a wrapper script stops too.
        self.suspended(|| kill_current_process_group(Signal::TSTP))??;
        Ok(())
    }

    #[cfg(not(unix))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the same signature as on Unix"
    )]
    pub fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Waits for an event, at most `limit`. A part of a late answer of the terminal is returned as a timeout, and so
    /// may be an early end of the wait, as after a signal. A terminal that is gone is `Lost`, not an error.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be read, or a thread panicked and restored it.
    pub fn wait(&mut self, limit: Duration) -> io::Result<Wait> {
        if !IS_ACQUIRED.load(Ordering::Relaxed) {
            return Err(io::Error::other("the review broke down"));
        }
        let came = self.next(limit)?;
        match came {
            Wait::Event(event) if self.reply_filter.is_part(&event, Instant::now()) => {
                Ok(Wait::Timeout)
            }
            came => Ok(came),
        }
    }

    /// Waits for an event up to the limit, or takes one that is there already. A terminal that is gone is `Lost`;
    /// input that is no whole event, and a signal, is a timeout.
    fn next(&self, limit: Duration) -> io::Result<Wait> {
        if event::poll(POLL_TIME)? {
            return event::read().map(Wait::Event);
        }
        // Checked first, because the library would read the end of a lost terminal forever.
        match self.ready(limit)? {
            Readiness::Gone => Ok(Wait::Lost),
            Readiness::No => Ok(Wait::Timeout),
            Readiness::Yes if event::poll(POLL_TIME)? => event::read().map(Wait::Event),
            Readiness::Yes => Ok(Wait::Timeout),
        }
    }

    /// Asks the terminal for its abilities. Returns the answers that come within `ANSWER_TIMEOUT`, earlier if the
    /// last question is answered or 4096 bytes came. What was not answered keeps its default; all do if the terminal
    /// cannot be opened as a file. Keys pressed meanwhile are lost.
    pub fn ask(&mut self, in_tmux: bool) -> io::Result<Answers> {
        use std::io::Read as _;

        let Some(mut device) = self
            .device
            .as_ref()
            .and_then(|device| device.try_clone().ok())
        else {
            return Ok(Answers::default());
        };
        // Written to the device itself, as the library would take the answers for keys.
        device.write_all(detect::questions(in_tmux))?;
        device.flush()?;
        let end = Instant::now() + ANSWER_TIMEOUT;
        let mut bytes = Vec::new();
        let mut part = [0; 256];
        while !detect::is_complete(&bytes) && bytes.len() < 4096 {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || !matches!(self.ready(left)?, Readiness::Yes) {
                break;
            }
            let length = device.read(&mut part)?;
            if length == 0 {
                break;
            }
            bytes.extend_from_slice(&part[..length]);
        }
        Ok(detect::read(&bytes))
    }

    /// Returns columns, rows, and the width and height of all of them in pixels, or 0 if the system does not
    /// know. Without a terminal, returns 80 columns and 24 rows.
    pub fn window() -> (u16, u16, u16, u16) {
        if let Ok(window) = terminal::window_size() {
            return (window.columns, window.rows, window.width, window.height);
        }
        let (columns, rows) = terminal::size().unwrap_or((80, 24));
        (columns, rows, 0, 0)
    }

    /// Waits until the terminal has input or is gone, at most `limit`; reads nothing. A signal ends the wait as if
    /// there were no input.
    #[cfg(unix)]
    fn ready(&self, limit: Duration) -> io::Result<Readiness> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let Some(device) = &self.device else {
            return library_ready(limit);
        };
        let mut requested = [PollFd::new(device, PollFlags::IN)];
        let limit = Timespec::try_from(limit).ok();
        match poll(&mut requested, limit.as_ref()) {
            // Interrupted by a signal, such as SIGWINCH.
            Ok(0) | Err(rustix::io::Errno::INTR) => Ok(Readiness::No),
            Err(error) => Err(error.into()),
            Ok(_) => {
                let found = requested[0].revents();
                let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
                Ok(if found.intersects(gone) {
                    Readiness::Gone
                } else {
                    Readiness::Yes
                })
            }
        }
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "the same signature as on Unix")]
    fn ready(&self, limit: Duration) -> io::Result<Readiness> {
        library_ready(limit)
    }
}

enum Readiness {
    Yes,
    No,
    Gone,
}

/// Waits for input by the library, at most `limit`, for a terminal that cannot be opened as a file. Never says that
/// the terminal is gone.
fn library_ready(limit: Duration) -> io::Result<Readiness> {
    Ok(if event::poll(limit)? {
        Readiness::Yes
    } else {
        Readiness::No
    })
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Restores the terminal: screen, cursor, mouse and line mode. Does nothing if it was not taken over or is restored
/// already. Errors are ignored, as nobody could see them.
fn restore() {
    if !IS_ACQUIRED.swap(false, Ordering::Relaxed) {
        return;
    }
    // Cleared first: after a change of size tmux keeps the alternate screen's wide lines in its history.
    let _ = execute!(
        io::stdout(),
        ResetColor,
        MoveTo(0, 0),
        Clear(ClearType::All),
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}
