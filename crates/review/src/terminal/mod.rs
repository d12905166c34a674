//! The review in a terminal.
//!
//! `State` holds what is known, `keys` and `outcome` change it without side effects, `view` draws it. `app`
//! is the loop around them. Only `app`, `tty`, `tmux`, `worker`, `stop` and `editor` do input or output.

mod app;
mod buttons;
mod editor;
mod fit;
#[cfg(test)]
mod fixture;
mod graphics;
mod keys;
mod layout;
mod options;
mod outcome;
mod panels;
mod reply_filter;
mod rows;
mod state;
mod stop;
mod text;
mod tmux;
mod tty;
mod view;
pub(crate) mod worker;

pub use graphics::detect::ImagesChoice;
pub use options::Options;

use self::app::App;
use self::graphics::detect::{self, Answers, Tmux};
use self::graphics::{Colours, Display};
use self::stop::StopFlag;
use self::tty::Tty;
use super::{Review, ReviewError};

/// Reviews until the person leaves.
///
/// # Errors
/// The terminal cannot be used.
pub fn run(review: &Review, options: &Options) -> Result<(), ReviewError> {
    let stop = StopFlag::listen()?;
    let mut tty = Tty::enter()?;
    let result = review_in(review, options, &mut tty, &stop);
    // Writing to a terminal that went away fails, and nobody could see the error.
    if stop.is_requested() { Ok(()) } else { result }
}

/// Asks the terminal for what it can show, unless the choice needs no answer, and runs the review until the user
/// leaves or it is stopped.
fn review_in(
    review: &Review,
    options: &Options,
    tty: &mut Tty,
    stop: &StopFlag,
) -> Result<(), ReviewError> {
    let environment = &options.environment;
    let (answers, tmux) = match options.images {
        ImagesChoice::Blocks | ImagesChoice::None => (Answers::default(), Tmux::default()),
        _ if environment.tmux => (tty.ask(true)?, tmux::ask()),
        _ => (tty.ask(false)?, Tmux::default()),
    };
    let window = Tty::window();
    let display = Display {
        images: detect::images(options.images, environment, &answers, &tmux),
        cell: detect::cell(&answers, window),
        colours: environment.colours.unwrap_or(Colours::None),
    };
    App::new(review, options, (window.0, window.1), display)?.run(tty, stop)
}
