//! A screen as an agent is shown it: a head and a line for each element.

use std::fmt::Write as _;

use super::line::Line;
use runner_engine::elements::Elements;
use runner_engine::short_ids::ShortIds;
use runner_screen::annotate::Mark;
use runner_screen::{Profile, Screen};

/// How a view is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct ViewOptions {
    /// Every row of every window, each with its own words only, nothing cut.
    pub all: bool,
    /// With bounds.
    pub bounds: bool,
}

/// What was shown of a screen.
#[derive(Debug)]
pub struct View {
    pub(super) app: String,
    pub(super) keyboard: bool,
    size: (u32, u32),
    pub(super) lines: Vec<Line>,
    /// Where a further window begins: before which line, and what it is.
    windows: Vec<(usize, String)>,
}

impl View {
    /// The elements of this look, with ids.
    pub fn of(ids: &ShortIds, screen: &Screen) -> Self {
        let elements = Elements::new(screen);
        let nodes = elements.visible();
        let indices: Vec<_> = nodes.iter().map(|node| node.index()).collect();
        let numbers = ids.show(screen, &indices);
        let lines = nodes
            .iter()
            .zip(numbers)
            .map(|(node, number)| Line::of(number, *node, &elements))
            .collect();
        Self::with_lines(screen, lines)
    }

    /// Every row, each for itself.
    pub fn all(ids: &ShortIds, screen: &Screen) -> Self {
        let rows = screen.rows(Profile::Golden);
        let indices: Vec<_> = rows.iter().map(|row| row.node).collect();
        let numbers = ids.show(screen, &indices);
        let lines = indices
            .iter()
            .zip(numbers)
            .map(|(index, number)| Line::alone(number, screen.node(*index)))
            .collect();
        Self::with_lines(screen, lines)
    }

    fn with_lines(screen: &Screen, lines: Vec<Line>) -> Self {
        let mut windows = Vec::new();
        let mut last = None;
        for (place, line) in lines.iter().enumerate() {
            let window = screen.node(line.node).window();
            if last != Some(window.id) {
                windows.push((place, format!("-- {} {}", window.package, window.title)));
            }
            last = Some(window.id);
        }
        // Of one window the head says all there is to say.
        if windows.len() < 2 {
            windows.clear();
        }
        let display = screen.display();
        Self {
            app: front(screen),
            keyboard: screen.keyboard_shown(),
            size: (display.width, display.height),
            lines,
            windows,
        }
    }

    /// Boxes for the picture, labelled with the ids.
    pub fn marks(&self) -> Vec<Mark> {
        self.lines
            .iter()
            .map(|line| Mark {
                bounds: line.bounds,
                label: line.id(),
            })
            .collect()
    }

    /// The whole as text; `title` says which look it is.
    pub fn write(&self, title: &str, options: ViewOptions) -> String {
        let mut out = format!("{title}: {} {}x{}", self.app, self.size.0, self.size.1);
        if self.keyboard {
            out.push_str(", keyboard shown");
        }
        self.write_scrollers(&mut out);
        if self.lines.is_empty() {
            out.push_str("\nnothing here says anything or can be acted on; `screenshot: true` shows the picture");
        }
        let mut windows = self.windows.iter().peekable();
        for (place, line) in self.lines.iter().enumerate() {
            if let Some((_, window)) = windows.next_if(|(begin, _)| *begin == place) {
                let _ = write!(out, "\n{window}");
            }
            out.push('\n');
            line.write(&mut out, options);
        }
        out
    }

    /// The first few elements that scroll: there may be more on them than is shown.
    fn write_scrollers(&self, out: &mut String) {
        const FEW: usize = 3;
        let scrollers: Vec<String> = self
            .lines
            .iter()
            .filter(|line| line.flags.contains(&"scrolls"))
            .map(Line::id)
            .collect();
        if scrollers.is_empty() {
            return;
        }
        let first = &scrollers[..scrollers.len().min(FEW)];
        let _ = write!(out, ", scrolls: {}", first.join(" "));
        if scrollers.len() > FEW {
            let _ = write!(out, " +{}", scrollers.len() - FEW);
        }
    }
}

/// App and activity in front, as far as the device reports them.
fn front(screen: &Screen) -> String {
    if let Some((package, activity)) = screen.foreground() {
        return format!("{package}/{activity}");
    }
    let windows = screen.windows();
    windows
        .iter()
        .find(|window| window.focused)
        .or_else(|| windows.first())
        .map(|window| window.package.clone())
        .filter(|package| !package.is_empty())
        .unwrap_or_else(|| "unknown app".to_owned())
}
