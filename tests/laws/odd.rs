//! Odd screens: a panel with a title and a target, as devices distort it.

use fastrand::Rng;

use super::screen::{Form, Node, Screen, State, Window};

/// Oddity of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    None,
    OldRelease,
    TargetOffTheDisplay,
    TargetWithoutSize,
    TargetInvisible,
    TargetTwice,
    NoTarget,
    RootOffTheDisplay,
    AllOffTheDisplay,
    NothingHasASize,
    SeveralWindows,
    DialogAbove,
    AppMissing,
    AppMissingBelowDialog,
    AppWithoutNodes,
    OwnDialog,
    OwnDialogMissing,
    OwnDialogWithoutNodes,
    NoWindows,
    Cut,
    Random,
}

impl Oddity {
    pub const ALL: [Self; 21] = [
        Self::None,
        Self::OldRelease,
        Self::TargetOffTheDisplay,
        Self::TargetWithoutSize,
        Self::TargetInvisible,
        Self::TargetTwice,
        Self::NoTarget,
        Self::RootOffTheDisplay,
        Self::AllOffTheDisplay,
        Self::NothingHasASize,
        Self::SeveralWindows,
        Self::DialogAbove,
        Self::AppMissing,
        Self::AppMissingBelowDialog,
        Self::AppWithoutNodes,
        Self::OwnDialog,
        Self::OwnDialogMissing,
        Self::OwnDialogWithoutNodes,
        Self::NoWindows,
        Self::Cut,
        Self::Random,
    ];

    /// Returns true if the windows of a phone can show the oddity. All others only a dump's text can.
    pub fn is_of_the_phone(self) -> bool {
        !matches!(
            self,
            Self::OldRelease
                | Self::TargetInvisible
                | Self::AppMissing
                | Self::AppMissingBelowDialog
                | Self::OwnDialogMissing
                | Self::NoWindows
                | Self::Cut
                | Self::Random
        )
    }
}

fn target() -> Node {
    let mut node = Node::new("Button")
        .text("Target")
        .id("target")
        .at(100, 400, 500, 520);
    node.states.insert(State::Clickable);
    node
}

fn app(children: Vec<Node>) -> Node {
    let title = Node::new("TextView")
        .text("Title")
        .id("title")
        .at(0, 100, 1080, 200);
    let panel = Node::new("LinearLayout")
        .id("panel")
        .at(0, 300, 1080, 2000)
        .holding(children);
    Node::new("FrameLayout")
        .id("root")
        .holding(vec![title, panel])
}

/// Returns the app's activity with a dialog of the app above it.
fn own_dialog(root: Option<Node>) -> Vec<Window> {
    let below = Node::new("TextView").text("Other").at(100, 400, 500, 520);
    let mut activity = Window::app(Some(app(vec![below])));
    activity.focused = false;
    let dialog = Window {
        id: 13,
        ..Window::app(root)
    };
    vec![Window::status_bar(), activity, dialog]
}

/// Changes every element.
fn each(mut node: Node, change: &dyn Fn(&mut Node)) -> Node {
    change(&mut node);
    node.children = node
        .children
        .into_iter()
        .map(|child| each(child, change))
        .collect();
    node
}

/// Draws a screen with this oddity.
pub fn screen(oddity: Oddity, rng: &mut Rng) -> Screen {
    let name = format!("{oddity:?}");
    let windows = |root: Node| vec![Window::status_bar(), Window::app(Some(root))];
    let whole = app(vec![target()]);
    let lower = |node: &mut Node| {
        node.bounds.top += 2500;
        node.bounds.bottom += 2500;
    };
    match oddity {
        Oddity::None => Screen::new(&name, windows(whole)),
        Oddity::OldRelease => Screen::new(&name, windows(whole)).form(Form::Plain),
        Oddity::TargetOffTheDisplay => {
            let target = target().at(100, 2500, 500, 2620);
            Screen::new(&name, windows(app(vec![target])))
        }
        Oddity::TargetWithoutSize => {
            let target = target().at(100, 400, 100, 400);
            Screen::new(&name, windows(app(vec![target])))
        }
        Oddity::TargetInvisible => {
            let mut target = target();
            target.invisible = true;
            Screen::new(&name, windows(app(vec![target])))
        }
        Oddity::TargetTwice => {
            let other = target().at(100, 600, 500, 720);
            Screen::new(&name, windows(app(vec![target(), other])))
        }
        Oddity::NoTarget => {
            let other = Node::new("TextView").text("Other").at(100, 400, 500, 520);
            Screen::new(&name, windows(app(vec![other])))
        }
        Oddity::RootOffTheDisplay => {
            let root = whole.at(0, 2500, 1080, 2600);
            Screen::new(&name, windows(root))
        }
        Oddity::AllOffTheDisplay => Screen::new(&name, windows(each(whole, &lower))),
        Oddity::NothingHasASize => {
            let nothing = |node: &mut Node| node.bounds.right = node.bounds.left;
            Screen::new(&name, windows(each(whole, &nothing)))
        }
        Oddity::SeveralWindows => {
            let mut all = windows(whole);
            let keys = Node::new("FrameLayout").at(0, 1600, 1080, 2400);
            all.push(Window {
                id: 11,
                kind: "INPUT_METHOD",
                title: "Keyboard",
                package: "com.example.keys",
                focused: false,
                root: Some(keys),
            });
            Screen::new(&name, all)
        }
        Oddity::DialogAbove => {
            let mut all = windows(whole);
            all[1].focused = false;
            all.push(Window::dialog("Sure?"));
            Screen::new(&name, all)
        }
        Oddity::AppMissing => {
            Screen::new(&name, windows(whole)).dumping(vec![Window::status_bar()])
        }
        Oddity::AppMissingBelowDialog => {
            let dialog = Window::dialog("Notes isn't responding");
            let mut all = windows(whole);
            all[1].focused = false;
            all.push(dialog.clone());
            Screen::new(&name, all).dumping(vec![Window::status_bar(), dialog])
        }
        Oddity::AppWithoutNodes => {
            Screen::new(&name, vec![Window::status_bar(), Window::app(None)])
        }
        Oddity::OwnDialog => Screen::new(&name, own_dialog(Some(whole))),
        Oddity::OwnDialogMissing => {
            let dumped = own_dialog(None)
                .into_iter()
                .filter(|window| !window.focused);
            Screen::new(&name, own_dialog(Some(whole))).dumping(dumped.collect())
        }
        Oddity::OwnDialogWithoutNodes => Screen::new(&name, own_dialog(None)),
        Oddity::NoWindows => Screen::new(&name, windows(whole)).dumping(Vec::new()),
        Oddity::Cut => Screen::new(&name, windows(whole)).form(Form::Cut),
        Oddity::Random => {
            let count = rng.usize(1..6);
            let children = (0..count).map(|_| any_node(rng)).collect();
            let mut all = windows(app(children));
            if rng.bool() {
                all.insert(1, Window::dialog("Sure?"));
            }
            Screen::new(&name, all)
        }
    }
}

/// Draws an element that may lie off the display, have no size or be called invisible.
fn any_node(rng: &mut Rng) -> Node {
    const WORDS: [&str; 4] = ["Target", "Other", "Welcome", ""];
    let mut node = target().text(WORDS[rng.usize(..WORDS.len())]);
    let top = rng.i32(-300..2700);
    node.bounds = match rng.u8(..6) {
        0 => runner::screen::Rect::new(100, top, 100, top),
        1 => runner::screen::Rect::new(-400, top, -100, top + 100),
        _ => runner::screen::Rect::new(100, top, 500, top + 100),
    };
    node.invisible = rng.u8(..5) == 0;
    if rng.bool() {
        node.id = "other".to_owned();
    }
    node
}
