//! The terminal itself: raw mode and the alternate screen, events, questions; restored however the review ends.

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

/// Longest wait for the terminal's answers; over a slow line they take a while.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// How long the library looks for what has come already. With no time at all it does not look.
const AT_HAND: Duration = Duration::from_millis(1);

/// Whether the terminal is in raw mode because of this program. There is one terminal, and whoever panics restores it.
static IS_ACQUIRED: AtomicBool = AtomicBool::new(false);

/// What there is to write to.
pub type TerminalWriter = BufWriter<Stdout>;

/// A terminal in raw mode; restored when dropped.
pub struct Tty {
    /// What draws.
    pub terminal: Terminal<CrosstermBackend<TerminalWriter>>,
    device: Option<File>,
    late: ReplyFilter,
}

/// What waiting brought.
#[derive(Debug)]
pub enum Wait {
    /// Something from the terminal.
    Event(Event),
    /// Nothing in this time.
    Nothing,
    /// The terminal is gone.
    Gone,
}

impl Tty {
    /// Takes over the terminal.
    #[expect(clippy::disallowed_methods, reason = "the terminal itself")]
    pub fn enter() -> io::Result<Self> {
        let backend = CrosstermBackend::new(BufWriter::new(io::stdout()));
        let mut tty = Self {
            terminal: Terminal::new(backend)?,
            device: File::options().read(true).write(true).open("/dev/tty").ok(),
            late: ReplyFilter::default(),
        };
        // The panic's text is to be read, so the screen it would vanish with goes first.
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            previous(panic);
        }));
        tty.take()?;
        Ok(tty)
    }

    fn take(&mut self) -> io::Result<()> {
        // First, so that whatever fails from here on is taken back.
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

    /// Has everything drawn anew, in the size the terminal has now.
    pub fn forget_screen(&mut self) -> io::Result<()> {
        // The library's own way asks the terminal for its cursor, and a slow one answers too late.
        let (columns, rows, ..) = Self::window();
        self.terminal.resize(Rect::new(0, 0, columns, rows))
    }

    /// Gives the terminal back while `work` uses it.
    pub fn suspended<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        self.give_back();
        let result = work();
        self.take()?;
        Ok(result)
    }

    fn give_back(&mut self) {
        // Nothing can be done about a terminal that does not take it.
        let _ = self.terminal.backend_mut().flush();
        restore();
    }

    /// Gives the terminal back until the shell that started the program lets it go on.
    #[cfg(unix)]
    pub fn suspend(&mut self) -> io::Result<()> {
        use rustix::process::{Signal, kill_current_process_group};

        // The whole group, as Ctrl-Z does: whatever started the program in this terminal stops with it.
        self.suspended(|| kill_current_process_group(Signal::TSTP))??;
        Ok(())
    }

    #[cfg(not(unix))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the same shape as on Unix"
    )]
    pub fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Waits for something to happen.
    ///
    /// # Errors
    /// The terminal does not read, or a thread that panicked gave it back.
    pub fn wait(&mut self, limit: Duration) -> io::Result<Wait> {
        if !IS_ACQUIRED.load(Ordering::Relaxed) {
            return Err(io::Error::other("the review broke down"));
        }
        let came = self.next(limit)?;
        match came {
            Wait::Event(event) if self.late.is_part(&event, Instant::now()) => Ok(Wait::Nothing),
            came => Ok(came),
        }
    }

    fn next(&self, limit: Duration) -> io::Result<Wait> {
        if event::poll(AT_HAND)? {
            return event::read().map(Wait::Event);
        }
        // A terminal that is gone would keep the library reading its end for ever: it is asked before.
        match self.ready(limit)? {
            Readiness::Gone => Ok(Wait::Gone),
            Readiness::No => Ok(Wait::Nothing),
            Readiness::Yes if event::poll(AT_HAND)? => event::read().map(Wait::Event),
            Readiness::Yes => Ok(Wait::Nothing),
        }
    }

    /// What the terminal says of itself.
    pub fn ask(&mut self, in_tmux: bool) -> io::Result<Answers> {
        use std::io::Read as _;

        let Some(mut device) = self
            .device
            .as_ref()
            .and_then(|device| device.try_clone().ok())
        else {
            return Ok(Answers::default());
        };
        // Past the library, which would take the answers for keys.
        device.write_all(detect::questions(in_tmux))?;
        device.flush()?;
        let end = Instant::now() + ANSWER_LIMIT;
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

    /// Columns, rows, and the pixels of all of them where the system knows.
    pub fn window() -> (u16, u16, u16, u16) {
        if let Ok(window) = terminal::window_size() {
            return (window.columns, window.rows, window.width, window.height);
        }
        let (columns, rows) = terminal::size().unwrap_or((80, 24));
        (columns, rows, 0, 0)
    }

    #[cfg(unix)]
    fn ready(&self, limit: Duration) -> io::Result<Readiness> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let Some(device) = &self.device else {
            return library_ready(limit);
        };
        let mut requested = [PollFd::new(device, PollFlags::IN)];
        let limit = Timespec::try_from(limit).ok();
        match poll(&mut requested, limit.as_ref()) {
            // A signal, such as that of another window size, is not an error.
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
    #[expect(clippy::unused_self, reason = "the same shape as on Unix")]
    fn ready(&self, limit: Duration) -> io::Result<Readiness> {
        library_ready(limit)
    }
}

enum Readiness {
    Yes,
    No,
    Gone,
}

/// Where the terminal has no file of its own to ask.
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

/// Restores the terminal. Errors are ignored: nobody is there to read them.
fn restore() {
    if !IS_ACQUIRED.swap(false, Ordering::Relaxed) {
        return;
    }
    // The screen is emptied before it is left: after a change of size tmux keeps its wide lines for scrolling back.
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
