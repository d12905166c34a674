//! Finds the areas in which a window takes touches, from its part of `dumpsys window windows`.
//!
//! Assumes that `fl=` has the flags of the layout, by name or as a number (AOSP,
//! `WindowManager.LayoutParams.toString`), and that `touchable region=SkRegion((L,T,R,B)…)` is printed only
//! for a window that chose its region itself (`WindowState.dump`), as keyboards do whose frame is the whole
//! screen.

use runner_screen::{Rect, TouchableRegion};

use super::words::after;

const NOT_FOCUSABLE: Flag = Flag("NOT_FOCUSABLE", 0x8);
const NOT_TOUCHABLE: Flag = Flag("NOT_TOUCHABLE", 0x10);
const NOT_TOUCH_MODAL: Flag = Flag("NOT_TOUCH_MODAL", 0x20);

/// Flag of `WindowManager.LayoutParams`: its name and its bit.
struct Flag(&'static str, u32);

/// Returns the areas in which a window with this frame takes touches. Nowhere for a window that is not touchable or
/// takes no input. Everywhere, even for a small dialog, if its windowing mode is full screen, it can have the focus,
/// and it lets no touches through. Else it is the touchable region that the window names, or its frame.
///
/// `None` if its part of the output reports no flags or a malformed region, or it names no region and the frame is
/// empty.
pub(super) fn region(body: &str, frame: Rect) -> Option<TouchableRegion> {
    let flags = flags(body)?;
    let has = |flag: &Flag| match u32::from_str_radix(flags.trim_start_matches('#'), 16) {
        Ok(bits) if flags.starts_with('#') => bits & flag.1 != 0,
        _ => flags.split_whitespace().any(|word| word == flag.0),
    };
    if has(&NOT_TOUCHABLE) || takes_no_input(body) {
        return Some(TouchableRegion::Nowhere);
    }
    let chosen = after(body, "touchable region=").map(sk_region);
    let parts = match chosen {
        Some(parts) => parts?,
        None if frame.is_empty() => return None,
        None => vec![frame],
    };
    // A window that can have the focus also takes the touches around it, unless a flag forbids it: those of its task, which is
    // the whole screen outside of split screens and free windows (AOSP, `WindowState.getSurfaceTouchableRegion`).
    let is_modal = !has(&NOT_FOCUSABLE)
        && !has(&NOT_TOUCH_MODAL)
        && after(body, "mWindowingMode=").is_some_and(|mode| mode.starts_with("fullscreen"));
    Some(if is_modal {
        TouchableRegion::Everywhere
    } else {
        TouchableRegion::Parts(parts)
    })
}

/// Returns the flags after ` fl=` as printed: names with spaces, or `#` and a number. They end with the line,
/// or before the next word with `=`. `None` without ` fl=`.
fn flags(body: &str) -> Option<&str> {
    let at = body.find(" fl=")?;
    let rest = &body[at + " fl=".len()..];
    let line = rest.lines().next()?;
    // On releases that write the layout on one line, its next key ends the flags.
    let end = line
        .split_inclusive(' ')
        .take_while(|word| !word.contains('='))
        .map(str::len)
        .sum::<usize>();
    Some(line[..end].trim().trim_end_matches('}'))
}

/// Returns true for windows that have no channel for input, or only watch it, by the words after ` if=`.
/// False if the window reports none.
fn takes_no_input(body: &str) -> bool {
    let features = after(body, " if=").and_then(|rest| rest.lines().next());
    features.is_some_and(|line| {
        line.split_whitespace()
            .take_while(|word| !word.contains('='))
            .any(|word| word.contains("NO_INPUT_CHANNEL") || word.contains("SPY"))
    })
}

/// Parses `SkRegion((0,1794,1080,1920)(0,0,1080,63))` into rectangles; `SkRegion()` has none. `None` if a
/// part has not exactly four numbers or the line has another form.
fn sk_region(text: &str) -> Option<Vec<Rect>> {
    let inside = text.strip_prefix("SkRegion(")?;
    let line = inside.lines().next()?;
    let line = line.trim_end().strip_suffix(')')?;
    if line.is_empty() {
        return Some(Vec::new());
    }
    line.strip_prefix('(')?
        .strip_suffix(')')?
        .split(")(")
        .map(|part| {
            let numbers: Vec<i32> = part
                .split(',')
                .map(|number| number.trim().parse())
                .collect::<Result<_, _>>()
                .ok()?;
            let &[left, top, right, bottom] = numbers.as_slice() else {
                return None;
            };
            Some(Rect::new(left, top, right, bottom))
        })
        .collect()
}
