//! A screen as an agent sees it: a title line, and a line for each element.

use std::fmt::Write as _;

use super::line::{Line, ViewOptions};
use runner_engine::elements::Elements;
use runner_engine::short_ids::ShortIds;
use runner_screen::annotate::Mark;
use runner_screen::{Profile, Screen};

/// Lines of one look, kept to compare later looks with it.
#[derive(Debug)]
pub struct View {
    pub(super) app: String,
    pub(super) keyboard: bool,
    size: (u32, u32),
    pub(super) lines: Vec<Line>,
    /// First line and title of each window, if there are several.
    windows: Vec<(usize, String)>,
}

impl View {
    /// Creates a view of the elements that a person would see, each with the words of its parts. `ids`
    /// assigns their ids, which tools take from then on.
    pub fn new(ids: &ShortIds, screen: &Screen) -> Self {
        let elements = Elements::new(screen);
        let nodes = elements.visible();
        let indices: Vec<_> = nodes.iter().map(|node| node.index()).collect();
        let numbers = ids.show(screen, &indices);
        let lines = nodes
            .iter()
            .zip(numbers)
            .map(|(node, number)| Line::new(number, *node, &elements))
            .collect();
        Self::with_lines(screen, lines)
    }

    /// Creates a view of every row that a golden would have, each with its own words only. `ids` assigns
    /// their ids, which tools take from then on.
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

    /// Creates a view of these lines, with a heading for each window if there are several.
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
        // The title line already names a single window.
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

    /// Returns one box for each line to draw on the screenshot, labelled with the short id.
    pub fn marks(&self) -> Vec<Mark> {
        self.lines
            .iter()
            .map(|line| Mark {
                bounds: line.bounds,
                label: line.id(),
            })
            .collect()
    }

    /// Formats the view as text: a line with `title`, the app, the size in pixels, the keyboard and the ids
    /// of what scrolls, then one line for each element. Where there are several windows, a line before the
    /// first element of each names it. A view without elements has a hint instead.
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

    /// Writes the ids of the first three elements that scroll, and the number of the others: they may hold
    /// more than is shown. Writes nothing if none scrolls.
    fn write_scrollers(&self, out: &mut String) {
        // Chosen: a screen has rarely more, and each costs a line some tokens.
        const MAX_SCROLLERS: usize = 3;
        let scrollers: Vec<String> = self
            .lines
            .iter()
            .filter(|line| line.flags.contains(&"scrolls"))
            .map(Line::id)
            .collect();
        if scrollers.is_empty() {
            return;
        }
        let first = &scrollers[..scrollers.len().min(MAX_SCROLLERS)];
        let _ = write!(out, ", scrolls: {}", first.join(" "));
        if scrollers.len() > MAX_SCROLLERS {
            let _ = write!(out, " +{}", scrollers.len() - MAX_SCROLLERS);
        }
    }
}

/// Returns `package/activity` in front. If the device does not report them, the package of the focused
/// window, else of the first one; `unknown app` if that is empty too.
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
