//! Screens for the laws, in two forms: the windows of a phone, and the text of a dump.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use runner::screen::Rect;
use runner::virtual_device::{NodeDump, WindowDump};

/// Package of the app under test.
pub const APP: &str = "com.example.notes";
/// Bounds of the device's display.
pub const DISPLAY: Rect = Rect::new(0, 0, 1080, 2400);

/// State of an element, such as enabled or checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Enabled,
    Checked,
    Selected,
    Focused,
    Clickable,
    Scrollable,
}

impl State {
    const ALL: [Self; 6] = [
        Self::Enabled,
        Self::Checked,
        Self::Selected,
        Self::Focused,
        Self::Clickable,
        Self::Scrollable,
    ];

    /// Returns the name in dumps and in selectors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Checked => "checked",
            Self::Selected => "selected",
            Self::Focused => "focused",
            Self::Clickable => "clickable",
            Self::Scrollable => "scrollable",
        }
    }
}

/// An element.
#[derive(Debug, Clone)]
pub struct Node {
    pub text: String,
    pub desc: String,
    pub hint: String,
    /// Resource id behind `/`.
    pub id: String,
    /// Class behind the last dot.
    pub class: &'static str,
    pub states: BTreeSet<State>,
    pub invisible: bool,
    pub bounds: Rect,
    pub children: Vec<Node>,
}

impl Node {
    /// Returns an enabled element that covers the display.
    pub fn new(class: &'static str) -> Self {
        Self {
            text: String::new(),
            desc: String::new(),
            hint: String::new(),
            id: String::new(),
            class,
            states: BTreeSet::from([State::Enabled]),
            invisible: false,
            bounds: DISPLAY,
            children: Vec::new(),
        }
    }

    pub fn text(mut self, text: &str) -> Self {
        self.text = text.to_owned();
        self
    }

    pub fn id(mut self, id: &str) -> Self {
        self.id = id.to_owned();
        self
    }

    pub fn at(mut self, left: i32, top: i32, right: i32, bottom: i32) -> Self {
        self.bounds = Rect::new(left, top, right, bottom);
        self
    }

    pub fn holding(mut self, children: Vec<Self>) -> Self {
        self.children = children;
        self
    }

    pub fn resource_id(&self) -> String {
        if self.id.is_empty() {
            String::new()
        } else {
            format!("{APP}:id/{}", self.id)
        }
    }

    pub fn whole_class(&self) -> String {
        format!("android.widget.{}", self.class)
    }

    fn has(&self, state: State) -> bool {
        self.states.contains(&state)
    }

    fn dumped(&self) -> NodeDump {
        NodeDump {
            text: self.text.clone(),
            resource_id: self.resource_id(),
            class: self.whole_class(),
            desc: self.desc.clone(),
            hint: self.hint.clone(),
            checkable: self.has(State::Checked),
            checked: self.has(State::Checked),
            clickable: self.has(State::Clickable),
            enabled: self.has(State::Enabled),
            focusable: self.has(State::Focused),
            focused: self.has(State::Focused),
            scrollable: self.has(State::Scrollable),
            selected: self.has(State::Selected),
            bounds: self.bounds,
            children: self.children.iter().map(Self::dumped).collect(),
            ..NodeDump::default()
        }
    }

    fn write(&self, xml: &mut String, package: &str) {
        let Rect {
            left,
            top,
            right,
            bottom,
        } = self.bounds;
        let _ = write!(xml, "<node package=\"{package}\"");
        for (name, value) in [
            ("text", &self.text),
            ("content-desc", &self.desc),
            ("hint", &self.hint),
            ("resource-id", &self.resource_id()),
            ("class", &self.whole_class()),
        ] {
            let _ = write!(xml, " {name}=\"{}\"", escaped(value));
        }
        for state in State::ALL {
            let _ = write!(xml, " {}=\"{}\"", state.name(), self.has(state));
        }
        let _ = write!(
            xml,
            " visible-to-user=\"{}\" bounds=\"[{left},{top}][{right},{bottom}]\">",
            !self.invisible
        );
        for child in &self.children {
            child.write(xml, package);
        }
        xml.push_str("</node>");
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;").replace('\n', "&#10;")
}

/// A window.
#[derive(Debug, Clone)]
pub struct Window {
    pub id: i32,
    /// `APPLICATION`, `SYSTEM` or `INPUT_METHOD`.
    pub kind: &'static str,
    pub title: &'static str,
    pub package: &'static str,
    pub focused: bool,
    pub root: Option<Node>,
}

impl Window {
    /// Returns the app's window, which has the focus.
    pub fn app(root: Option<Node>) -> Self {
        Self {
            id: 7,
            kind: "APPLICATION",
            title: "Notes",
            package: APP,
            focused: true,
            root,
        }
    }

    /// Returns the status bar with its clock.
    pub fn status_bar() -> Self {
        let clock = Node::new("TextView")
            .text("12:00")
            .id("clock")
            .at(40, 0, 160, 60);
        let root = Node::new("FrameLayout")
            .at(0, 0, 1080, 63)
            .holding(vec![clock]);
        Self {
            id: 3,
            kind: "SYSTEM",
            title: "StatusBar",
            package: "com.android.systemui",
            focused: false,
            root: Some(root),
        }
    }

    /// Returns a dialog of another program above the app.
    pub fn dialog(text: &str) -> Self {
        let message = Node::new("TextView").text(text).at(100, 900, 900, 1000);
        let root = Node::new("FrameLayout")
            .at(60, 800, 1020, 1400)
            .holding(vec![message]);
        Self {
            id: 9,
            kind: "SYSTEM",
            title: "Dialog",
            package: "android",
            focused: true,
            root: Some(root),
        }
    }
}

/// Form in which a dump writes the windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All windows, in the format of new releases.
    Windows,
    /// The app's window alone, in the format of old releases.
    Plain,
    /// All windows, but the text is cut in the middle.
    Cut,
}

/// A device's screen: its real windows, and those that a dump shows.
#[derive(Debug, Clone)]
pub struct Screen {
    pub name: String,
    /// Windows and focus as the device reports them.
    pub windows: Vec<Window>,
    /// Windows in a dump.
    pub dumped: Vec<Window>,
    pub form: Form,
}

impl Screen {
    /// Returns a screen of which a dump holds all windows.
    pub fn new(name: &str, windows: Vec<Window>) -> Self {
        Self {
            name: name.to_owned(),
            dumped: windows.clone(),
            windows,
            form: Form::Windows,
        }
    }

    pub fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    pub fn dumping(mut self, dumped: Vec<Window>) -> Self {
        self.dumped = dumped;
        self
    }

    /// Marks all elements as visible, as the windows of a phone cannot call them invisible.
    pub fn show_all(&mut self) {
        fn show(node: &mut Node) {
            node.invisible = false;
            node.children.iter_mut().for_each(show);
        }
        for window in self.windows.iter_mut().chain(&mut self.dumped) {
            window.root.iter_mut().for_each(show);
        }
    }

    /// Returns the windows for a phone.
    pub fn phone(&self) -> Vec<WindowDump> {
        let windows = self.windows.iter().enumerate();
        windows
            .map(|(layer, window)| WindowDump {
                id: window.id,
                kind: window.kind,
                title: window.title.to_owned(),
                package: window.package.to_owned(),
                activity: (window.kind == "APPLICATION").then(|| ".Main".to_owned()),
                layer: i32::try_from(layer).unwrap_or(0),
                focused: window.focused,
                bounds: DISPLAY,
                root: window.root.as_ref().map(Node::dumped),
            })
            .collect()
    }

    /// Returns the dump. A device that is read by `UiAutomator2` shows the phone's windows instead.
    pub fn dump(&self) -> String {
        const DECLARATION: &str = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>";
        match self.form {
            Form::Windows => format!("{DECLARATION}{}", self.all_windows()),
            Form::Plain => {
                let app = self.dumped.iter().find(|window| window.focused);
                let mut xml = format!("{DECLARATION}<hierarchy rotation=\"0\">");
                if let Some((root, window)) = app.and_then(|app| Some((app.root.as_ref()?, app))) {
                    root.write(&mut xml, window.package);
                }
                xml + "</hierarchy>"
            }
            Form::Cut => {
                let whole = self.all_windows();
                let end = whole.rfind("</node>").unwrap_or(whole.len());
                whole.get(..end).unwrap_or_default().to_owned()
            }
        }
    }

    fn all_windows(&self) -> String {
        let mut xml = "<displays><display id=\"0\">".to_owned();
        for (layer, window) in self.dumped.iter().enumerate() {
            let Window {
                id,
                kind,
                title,
                focused,
                ..
            } = window;
            let _ = write!(
                xml,
                "<window index=\"{layer}\" id=\"{id}\" type=\"TYPE_{kind}\" title=\"{title}\" layer=\"{layer}\" active=\"{focused}\" focused=\"{focused}\" bounds=\"[0,0][1080,2400]\">"
            );
            if let Some(root) = &window.root {
                xml.push_str("<hierarchy rotation=\"0\">");
                root.write(&mut xml, window.package);
                xml.push_str("</hierarchy>");
            }
            xml.push_str("</window>");
        }
        xml + "</display></displays>"
    }

    /// Returns true if looks at this screen are whole: the window with the focus and the app in front each
    /// have an element on the display.
    pub fn is_whole(&self) -> bool {
        fn shows(node: &Node) -> bool {
            super::reader::lies_on_display(node) || node.children.iter().any(shows)
        }
        let shown = |fits: &dyn Fn(&Window) -> bool| {
            let mut windows = self.dumped.iter().filter(|window| fits(window));
            windows.any(|window| window.root.as_ref().is_some_and(shows))
        };
        let focus = self.windows.iter().find(|window| window.focused);
        self.form != Form::Cut
            && shown(&|window| window.package == APP)
            && focus.is_none_or(|focus| shown(&|window| window.id == focus.id))
    }
}
