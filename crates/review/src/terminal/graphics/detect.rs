//! Detects the terminal's abilities: from its answers, else from the environment.

use super::{Colours, Images};
use runner_base::context::Context;

/// Way to show pictures, as a person chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImagesChoice {
    /// Best way that the terminal has.
    #[default]
    Auto,
    Kitty,
    Iterm,
    Sixel,
    Blocks,
    None,
}

impl ImagesChoice {
    pub const ALL: [Self; 6] = [
        Self::Auto,
        Self::Kitty,
        Self::Iterm,
        Self::Sixel,
        Self::Blocks,
        Self::None,
    ];

    /// Returns the name in options and configuration, such as `auto`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Kitty => "kitty",
            Self::Iterm => "iterm",
            Self::Sixel => "sixel",
            Self::Blocks => "blocks",
            Self::None => "none",
        }
    }
}

/// Facts about the terminal from the environment.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, not states of one thing"
)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Terminal of kitty's kind: kitty, Ghostty.
    pub kitty: bool,
    /// Terminal with iTerm2's inline images.
    pub iterm: bool,
    /// Program runs in tmux.
    pub tmux: bool,
    /// Program runs in GNU Screen.
    pub screen: bool,
    /// Colours of the terminal; `None` if the person wants none.
    pub colours: Option<Colours>,
}

impl Environment {
    /// Reads the environment variables by which terminals make themselves known; asks no terminal. `colours` is `None`
    /// if the person wants no colour. Without a sign of more, 16 colours are assumed; in tmux always true colour,
    /// whatever `TERM` says.
    pub fn from_context(context: &Context) -> Self {
        let variable = |name| context.variable(name);
        let term = variable("TERM").unwrap_or_default();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let is_set = |name| variable(name).is_some();
        let truecolour = variable("COLORTERM")
            .is_some_and(|value| matches!(value, "truecolor" | "24bit"))
            // Windows Terminal has true colour but does not set COLORTERM.
            || is_set("WT_SESSION");
        let tmux = is_set("TMUX");
        let colours = if !context.color(true) {
            None
        // tmux converts colours for the outer terminal.
        } else if truecolour || tmux || term.ends_with("-direct") || term.contains("kitty") {
            Some(Colours::True)
        } else if term.contains("256color") {
            Some(Colours::Indexed)
        } else {
            Some(Colours::Sixteen)
        };
        Self {
            kitty: is_set("KITTY_WINDOW_ID")
                || is_set("GHOSTTY_RESOURCES_DIR")
                || term.contains("kitty")
                || term.contains("ghostty"),
            iterm: matches!(program, "iTerm.app" | "WezTerm")
                || is_set("WEZTERM_PANE")
                || variable("LC_TERMINAL") == Some("iTerm2"),
            tmux,
            screen: is_set("STY"),
            colours,
        }
    }
}

/// Answers to [`questions`]. What was not answered has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    /// Device attributes, the answer to the last question; `None` if that was not answered. 4 stands for sixel.
    pub attributes: Option<Vec<u16>>,
    /// True if it knows kitty's protocol.
    pub kitty: bool,
    /// Name and version of the terminal's program. Empty if it did not tell.
    pub name: String,
    /// Width and height of a cell in pixels.
    pub cell: Option<(u32, u32)>,
}

/// Facts about tmux and the terminal around it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tmux {
    /// True if it passes escape sequences on.
    pub passes: bool,
    /// `TERM` of the terminal around it.
    pub outer_terminal: String,
}

impl Tmux {
    /// Parses tmux's answer: its `allow-passthrough` option and the outer terminal's name, with a space between.
    /// Every value of the option but `off`, `0` and nothing allows it. A missing name is empty.
    pub fn read(answer: &str) -> Self {
        let (passes, outer_terminal) = answer.trim().split_once(' ').unwrap_or((answer.trim(), ""));
        Self {
            passes: !matches!(passes, "" | "0" | "off"),
            outer_terminal: outer_terminal.to_owned(),
        }
    }
}

/// Returns the questions to write to the terminal, as one sequence of bytes. The question that every terminal answers,
/// for its attributes, is last, so that no answer is waited for after that. In tmux kitty's question and that for the
/// name are left out, as tmux would take the first for a title.
pub fn questions(in_tmux: bool) -> &'static [u8] {
    if in_tmux {
        b"\x1b[16t\x1b[c"
    } else {
        b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[>q\x1b[16t\x1b[c"
    }
}

/// Returns true if the last question is answered.
pub fn is_complete(bytes: &[u8]) -> bool {
    read(bytes).attributes.is_some()
}

/// Parses the terminal's answers, in any order. Of two answers to one question the last counts. Unknown and
/// incomplete sequences are ignored, and what was not answered keeps its default. The size of a cell is width and
/// height, in pixels.
pub fn read(bytes: &[u8]) -> Answers {
    let text = String::from_utf8_lossy(bytes);
    let mut answers = Answers::default();
    for part in text.split('\x1b') {
        if let Some(attributes) = part.strip_prefix("[?")
            && let Some((numbers, _)) = attributes.split_once('c')
            && numbers.chars().all(|c| c.is_ascii_digit() || c == ';')
        {
            let numbers = numbers.split(';').filter_map(|number| number.parse().ok());
            answers.attributes = Some(numbers.collect());
        } else if let Some(answer) = part.strip_prefix("_Gi=31;") {
            answers.kitty = answer.starts_with("OK");
        } else if let Some(name) = part.strip_prefix("P>|") {
            answers.name = name.to_owned();
        } else if let Some(size) = part.strip_prefix("[6;")
            && let Some((size, _)) = size.split_once('t')
            && let Some((height, width)) = size.split_once(';')
        {
            answers.cell = width.parse().ok().zip(height.parse().ok());
        }
    }
    answers
}

/// Chooses the way to show pictures. A `choice` other than `Auto` is taken unchecked, kitty's in its form for tmux
/// there; `Auto` gives no pictures without colours, blocks in screen, and in tmux kitty's protocol if tmux passes it
/// on, else sixel. The terminal's answers count more than environment variables; those decide only if it answered
/// nothing, or gave no name. Else there are blocks.
pub fn images(
    choice: ImagesChoice,
    environment: &Environment,
    answers: &Answers,
    tmux: &Tmux,
) -> Images {
    let kitty = if environment.tmux {
        Images::KittyInTmux
    } else {
        Images::Kitty
    };
    match choice {
        ImagesChoice::Kitty => return kitty,
        ImagesChoice::Iterm => return Images::Iterm,
        ImagesChoice::Sixel => return Images::Sixel,
        ImagesChoice::Blocks => return Images::Blocks,
        ImagesChoice::None => return Images::None,
        ImagesChoice::Auto => {}
    }
    let has_sixel = answers
        .attributes
        .as_ref()
        .is_some_and(|attributes| attributes.contains(&4));
    if environment.colours.is_none() {
        return Images::None;
    }
    if environment.tmux {
        let knows_placeholders = ["kitty", "ghostty"]
            .iter()
            .any(|name| tmux.outer_terminal.contains(name));
        return match (tmux.passes && knows_placeholders, has_sixel) {
            (true, _) => kitty,
            (false, true) => Images::Sixel,
            (false, false) => Images::Blocks,
        };
    }
    if environment.screen {
        return Images::Blocks;
    }
    let is_named = |name: &str| answers.name.contains(name);
    // Answers count more than variables, which a terminal inherits from the one that started it.
    if answers.attributes.is_some() {
        // WezTerm claims to know kitty's protocol too, but natively has that of iTerm2.
        if is_named("iTerm2") || is_named("WezTerm") {
            Images::Iterm
        } else if answers.kitty {
            kitty
        } else if environment.iterm && answers.name.is_empty() {
            Images::Iterm
        } else if has_sixel {
            Images::Sixel
        } else {
            Images::Blocks
        }
    } else if environment.iterm {
        Images::Iterm
    } else if environment.kitty {
        kitty
    } else {
        Images::Blocks
    }
}

/// Returns width and height of a cell in pixels: as answered, else computed from the window's size, else 8×16.
/// `window` is columns, rows, width and height. Sizes below 3×5 or above 100×200 are passed over.
pub fn cell(answers: &Answers, window: (u16, u16, u16, u16)) -> (u32, u32) {
    let (columns, rows, width, height) = window;
    let from_window = (columns > 0 && rows > 0).then(|| {
        (
            u32::from(width / columns.max(1)),
            u32::from(height / rows.max(1)),
        )
    });
    let is_likely = |cell: &(u32, u32)| (3..=100).contains(&cell.0) && (5..=200).contains(&cell.1);
    answers
        .cell
        .filter(is_likely)
        .or(from_window.filter(is_likely))
        .unwrap_or((8, 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Variables<'a> = &'a [(&'a str, &'a str)];

    fn environment(variables: Variables<'_>) -> Environment {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Environment::from_context(&Context::fixed("/".into(), variables))
    }

    const KITTY: &[u8] = b"\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.36.1)\x1b\\\x1b[6;20;10t\x1b[?62;c";
    const XTERM: &[u8] = b"\x1bP>|XTerm(379)\x1b\\\x1b[6;16;8t\x1b[?63;1;2;4;6;9;15;22c";
    const WEZTERM: &[u8] =
        b"\x1b_Gi=31;OK\x1b\\\x1bP>|WezTerm 20240203-110809-5046fc22\x1b\\\x1b[?65;4;6;18;22c";
    const PLAIN: &[u8] = b"\x1b[?1;2c";

    #[test]
    fn answers_are_read_whatever_else_is_among_them() {
        let answers = read(KITTY);
        assert_eq!(answers.attributes, Some(vec![62]));
        assert!(answers.kitty && answers.name.starts_with("kitty"));
        assert_eq!(answers.cell, Some((10, 20)));
        assert!(read(b"\x1b[Axx\x1b[?1;2c\x1b[B").attributes.is_some());
        assert!(!read(b"\x1b_Gi=31;ENOTSUPPORTED\x1b\\").kitty);
        assert!(!is_complete(&KITTY[..KITTY.len() - 1]) && is_complete(KITTY));
        assert_eq!(read(b"\xff\x1b[?x;c\x1b[6;t"), Answers::default());
    }

    #[test]
    fn each_terminal_gets_what_it_knows() {
        let xterm = ("TERM", "xterm-256color");
        let tmux = ("TMUX", "/tmp/tmux,1,0");
        let in_kitty = Tmux {
            passes: true,
            outer_terminal: "xterm-kitty".into(),
        };
        let none = Tmux::default();
        let closed = Tmux {
            passes: false,
            ..in_kitty.clone()
        };
        let cases: [(Variables<'_>, &[u8], &Tmux, Images); 15] = [
            (&[xterm], KITTY, &none, Images::Kitty),
            (&[xterm], XTERM, &none, Images::Sixel),
            (&[xterm], WEZTERM, &none, Images::Iterm),
            (&[xterm], PLAIN, &none, Images::Blocks),
            (&[xterm], b"", &none, Images::Blocks),
            (&[("TERM", "xterm-kitty")], b"", &none, Images::Kitty),
            (
                &[xterm, ("LC_TERMINAL", "iTerm2")],
                b"",
                &none,
                Images::Iterm,
            ),
            // Another terminal, started from kitty.
            (
                &[xterm, ("KITTY_WINDOW_ID", "1")],
                XTERM,
                &none,
                Images::Sixel,
            ),
            (&[xterm, tmux], PLAIN, &none, Images::Blocks),
            (&[xterm, tmux], XTERM, &none, Images::Sixel),
            (&[xterm, tmux], PLAIN, &in_kitty, Images::KittyInTmux),
            (&[xterm, tmux], PLAIN, &closed, Images::Blocks),
            (&[xterm, ("STY", "1.pts")], XTERM, &none, Images::Blocks),
            (&[xterm, ("NO_COLOR", "1")], KITTY, &none, Images::None),
            (&[("TERM", "dumb")], b"", &none, Images::None),
        ];
        for (variables, bytes, tmux, expected) in cases {
            let environment = environment(variables);
            let chosen = images(ImagesChoice::Auto, &environment, &read(bytes), tmux);
            assert_eq!(chosen, expected, "{variables:?}");
        }
        let in_tmux = environment(&[xterm, tmux]);
        let forced = images(ImagesChoice::Kitty, &in_tmux, &read(PLAIN), &none);
        assert_eq!(forced, Images::KittyInTmux);
    }

    #[test]
    fn tmux_passes_only_where_it_says_so() {
        for (answer, passes, outer_terminal) in [
            ("1 xterm-kitty\n", true, "xterm-kitty"),
            ("0 xterm-kitty\n", false, "xterm-kitty"),
            ("on \n", true, ""),
            ("\n", false, ""),
        ] {
            let tmux = Tmux::read(answer);
            assert_eq!(
                (tmux.passes, tmux.outer_terminal.as_str()),
                (passes, outer_terminal),
                "{answer:?}"
            );
        }
    }

    #[test]
    fn colours_follow_the_environment() {
        for (variables, expected) in [
            (
                &[("TERM", "xterm"), ("COLORTERM", "truecolor")][..],
                Some(Colours::True),
            ),
            (&[("TERM", "screen-256color")], Some(Colours::Indexed)),
            (&[("TERM", "linux")], Some(Colours::Sixteen)),
            (&[("TERM", "xterm"), ("NO_COLOR", "1")], None),
        ] {
            assert_eq!(environment(variables).colours, expected, "{variables:?}");
        }
    }

    #[test]
    fn a_cell_has_a_likely_size() {
        let answered = read(KITTY);
        assert_eq!(cell(&answered, (80, 24, 0, 0)), (10, 20));
        let silent = Answers::default();
        assert_eq!(cell(&silent, (80, 24, 720, 432)), (9, 18));
        assert_eq!(cell(&silent, (80, 24, 0, 0)), (8, 16));
        assert_eq!(cell(&silent, (0, 0, 9, 9)), (8, 16));
    }
}
