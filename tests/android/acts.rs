//! Turns acts into commands of the device's shell.

use std::fmt::Write as _;

use runner_screen::{Point, Rect};

use super::observe::Look;
use super::rows::Row;

/// Milliseconds between two points of a finger's way.
const SAMPLE: u64 = 16;

/// Splits a row's acts where the screen must come to rest: places in the acts behind are read from a new
/// look.
pub fn parts(row: &Row) -> impl Iterator<Item = &[String]> {
    row.acts.split(|act| act == "settle" || act == "now")
}

/// Returns the script for acts on the screen of `look`. Elements that are gone are taken from `first`.
///
/// # Errors
/// An act that makes no sense on that screen.
pub fn script(acts: &[String], density: u32, first: &Look, look: &Look) -> Result<String, String> {
    let scale = f64::from(density) / 160.0;
    let mut lines = Vec::new();
    for act in acts {
        let mut words = Words {
            rest: act,
            first,
            look,
            scale,
        };
        let verb = words.word();
        lines.push(command(&verb, &mut words).map_err(|why| format!("{act}: {why}"))?);
        if !words.rest.is_empty() {
            return Err(format!("{act}: {:?} is left over", words.rest));
        }
    }
    Ok(lines.join("; "))
}

fn command(verb: &str, words: &mut Words<'_>) -> Result<String, String> {
    Ok(match verb {
        "tap" => {
            let at = words.place()?;
            format!("input tap {} {}", at.x, at.y)
        }
        "hold" => {
            let at = words.place()?;
            format!("input swipe {0} {1} {0} {1} {2}", at.x, at.y, words.word())
        }
        "swipe" => {
            let (from, to) = (words.place()?, words.place()?);
            format!(
                "input swipe {} {} {} {} {}",
                from.x,
                from.y,
                to.x,
                to.y,
                words.word()
            )
        }
        "down" | "move" | "up" => {
            let at = words.place()?;
            format!(
                "input motionevent {} {} {}",
                verb.to_uppercase(),
                at.x,
                at.y
            )
        }
        "double" => double(words)?,
        "fingers" => fingers(words)?,
        "key" => format!("input keyevent {}", words.take_rest()),
        "long" => format!("input keyevent --longpress {}", words.word()),
        "ctrl" => format!("input keycombination CTRL_LEFT {}", words.word()),
        "shift" => format!("input keycombination SHIFT_LEFT {}", words.word()),
        "text" => {
            let text = words.take_rest().replace(' ', "%s").replace('\'', "'\\''");
            format!("input text '{text}'")
        }
        "copy" => format!(
            "cmd runner clipboard set '{}'",
            words.take_rest().replace('\'', "'\\''")
        ),
        "wait" => {
            let ms: f64 = words.number()?;
            format!("sleep {}", ms / 1000.0)
        }
        other => return Err(format!("what is {other}?")),
    })
}

/// Returns the command for two taps with a pause between them.
fn double(words: &mut Words<'_>) -> Result<String, String> {
    let at = words.place()?;
    let ms = words.number()? as u64;
    let tap = format!(
        "input motionevent DOWN {0} {1}; input motionevent UP {0} {1}",
        at.x, at.y
    );
    // The first tap's own command takes a sample's time after its UP.
    let pause = ms.saturating_sub(SAMPLE) as f64 / 1000.0;
    Ok(format!("{tap}; sleep {pause}; {tap}"))
}

/// Returns the events of two fingers that move at once, as the kernel writes them.
fn fingers(words: &mut Words<'_>) -> Result<String, String> {
    let first = (words.place()?, words.place()?);
    if words.word() != "/" {
        return Err("two fingers have a / between them".to_owned());
    }
    let second = (words.place()?, words.place()?);
    let ms = words.number()? as u64;
    let steps = (ms / SAMPLE).max(1);
    let between = |(from, to): (Point, Point), step: u64| {
        let part = |a: i32, b: i32| i64::from(a) + i64::from(b - a) * step as i64 / steps as i64;
        (part(from.x, to.x), part(from.y, to.y))
    };
    let mut script = String::new();
    let mut send = |kind: u32, code: u32, value: i64| {
        let _ = write!(
            script,
            "sendevent /dev/input/event1 {kind} {code} {value}; "
        );
    };
    for step in 0..=steps {
        for (slot, finger) in [first, second].into_iter().enumerate() {
            let (x, y) = between(finger, step);
            send(3, 47, slot as i64);
            if step == 0 {
                send(3, 57, slot as i64 + 1);
            }
            send(3, 53, x);
            send(3, 54, y);
        }
        if step == 0 {
            send(1, 330, 1);
        }
        send(0, 0, 0);
        // The wait between two points stands where no event does.
        send(9, 9, 9);
    }
    for slot in [0, 1] {
        send(3, 47, slot);
        send(3, 57, -1);
    }
    send(1, 330, 0);
    send(0, 0, 0);
    let wait = format!("sleep {}", SAMPLE as f64 / 1000.0);
    let script = script.replace("sendevent /dev/input/event1 9 9 9", &wait);
    Ok(script.trim_end_matches("; ").to_owned())
}

/// Cursor over the words of an act.
struct Words<'a> {
    rest: &'a str,
    first: &'a Look,
    look: &'a Look,
    scale: f64,
}

impl Words<'_> {
    fn word(&mut self) -> String {
        let (word, rest) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
        self.rest = rest;
        word.to_owned()
    }

    fn number(&mut self) -> Result<f64, String> {
        let word = self.word();
        word.parse().map_err(|_| format!("{word:?} is no number"))
    }

    fn take_rest(&mut self) -> String {
        std::mem::take(&mut self.rest).to_owned()
    }

    /// Parses a place: `ID` or `"Text"`, then `@FX,FY` and `+DX,DY` in dp.
    fn place(&mut self) -> Result<Point, String> {
        let name = if let Some(quoted) = self.rest.strip_prefix('"') {
            let (name, rest) = quoted.split_once('"').ok_or("no closing quote")?;
            self.rest = rest;
            format!("\"{name}\"")
        } else {
            let end = self.rest.find([' ', '@', '+']).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            name.to_owned()
        };
        let tail = if self.rest.starts_with(' ') || self.rest.is_empty() {
            self.word();
            String::new()
        } else {
            self.word()
        };
        let found = self.look.find(&name).or_else(|| self.first.find(&name));
        let found = found.ok_or_else(|| format!("no {name} on the screen"))?;
        point(found.bounds(), &tail, self.scale)
    }
}

fn pair(text: &str) -> Result<(f64, f64), String> {
    let pair = text.split_once(',');
    let pair = pair.and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
    pair.ok_or_else(|| format!("{text:?} are no two numbers"))
}

fn point(bounds: Rect, tail: &str, scale: f64) -> Result<Point, String> {
    let (fractions, offset) = tail.split_once('+').unwrap_or((tail, ""));
    let fractions = match fractions.strip_prefix('@') {
        Some(fractions) => pair(fractions)?,
        None => (0.5, 0.5),
    };
    let (dx, dy) = if offset.is_empty() {
        (0.0, 0.0)
    } else {
        pair(offset)?
    };
    // A fraction of 1 is the last pixel inside.
    let along = |from: i32, to: i32, part: f64, by: f64| {
        let inside = f64::from(to - from - 1).max(0.0);
        (f64::from(from) + inside * part + by * scale).round() as i32
    };
    Ok(Point {
        x: along(bounds.left, bounds.right, fractions.0, dx),
        y: along(bounds.top, bounds.bottom, fractions.1, dy),
    })
}
