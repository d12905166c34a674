//! The element: what a view is made of, before it has a place.

use serde_json::Value;

use super::theme::Colour;
use crate::{NodeDump, Switch};

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Axis {
    /// Across.
    Horizontal,
    /// Down.
    #[default]
    Vertical,
}

/// A side length.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Length {
    /// As large as the contents.
    #[default]
    Wrap,
    /// As large as the parent.
    Fill,
    /// Density-independent pixels.
    Dp(f32),
}

/// How children stand along the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Justify {
    #[default]
    Start,
    Center,
    End,
    Between,
    Around,
    Evenly,
}

/// How children stand across the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    #[default]
    Stretch,
    Start,
    Center,
    End,
}

/// What an element gives up where the room is too small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Shrink {
    /// As much as its neighbours.
    #[default]
    Evenly,
    /// Nothing: it keeps its size.
    Never,
    /// All it can before its neighbours give up anything.
    First,
}

/// Room an element takes, in dp.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Layout {
    pub axis: Axis,
    pub width: Length,
    pub height: Length,
    pub min_width: f32,
    pub min_height: f32,
    pub max_width: Option<f32>,
    /// Left, top, right, bottom.
    pub padding: [f32; 4],
    /// Left, top, right, bottom.
    pub margin: [f32; 4],
    pub gap: f32,
    /// Share of the room that is left, as `layout_weight`.
    pub grow: f32,
    pub shrink: Shrink,
    /// As wide as the column it stands in, wherever that puts its children.
    pub wide: bool,
    pub justify: Justify,
    pub align: Align,
    pub align_self: Option<Align>,
    /// Children may be larger than the element along this axis and are moved by touch.
    pub scroll: Option<Axis>,
    /// Children that do not fit begin a new line.
    pub wrap: bool,
    /// Lies over its neighbours, so far from the parent's left, top, right and bottom edge; a side without a distance is
    /// where its size puts it.
    pub over: Option<[Option<f32>; 4]>,
    /// Height above the neighbours: what is higher is drawn later and touched first.
    pub elevation: f32,
}

/// How heavy letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Weight {
    #[default]
    Regular,
    Bold,
}

/// Text as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextLook {
    pub text: String,
    /// Scale-independent pixels.
    pub size: f32,
    pub weight: Weight,
    pub colour: Colour,
    /// Lines at most; what is beyond ends in an ellipsis.
    pub max_lines: Option<usize>,
    /// In the middle of its box.
    pub centred: bool,
    /// Caret before this character.
    pub caret: Option<usize>,
}

/// What is painted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Look {
    /// Nothing.
    #[default]
    None,
    /// A rounded box.
    Box {
        fill: Option<Colour>,
        /// Colour and width in dp.
        border: Option<(Colour, f32)>,
        /// In dp.
        radius: f32,
    },
    /// Text.
    Text(TextLook),
    /// An icon by its catalogue name.
    Icon { name: String, colour: Colour },
    /// An icon from the path data of an SVG in a 24×24 box.
    Path { data: String, colour: Colour },
    /// A stand-in for a picture: a calm landscape in colours made from the address.
    Picture { seed: u64 },
    /// A check box or radio button.
    Check {
        on: bool,
        round: bool,
        colour: Colour,
    },
    /// A slider's track and thumb; the fraction is 0 to 1.
    Slider {
        fraction: f32,
        colour: Colour,
        rest: Colour,
    },
}

/// Where an input keeps its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// In the app's data, an absolute JSON pointer.
    Data(String),
    /// Beside the component, when it is bound to nothing.
    Local(String),
}

/// A text field, for focus and typing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub target: Target,
    pub text: String,
    pub multiline: bool,
    pub number: bool,
    /// A password.
    pub secret: bool,
}

/// What a touch does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TouchAction {
    /// An A2UI action, seen from a template's path.
    Act { action: Value, base: String },
    /// Sets a value.
    Set { target: Target, value: Value },
    /// Sets a value and closes the popup.
    Choose { target: Target, value: Value },
    /// Focuses the text field that it is on.
    Focus,
    /// Sets a number by where the touch is.
    Slide { target: Target, min: f64, max: f64 },
    /// Shows a page of a tab bar.
    Tab { key: String, index: usize },
    /// Opens a modal, and runs its trigger's action.
    OpenModal {
        content: String,
        base: String,
        action: Option<Value>,
    },
    /// Opens a drop-down below the touched element.
    OpenMenu {
        key: String,
        target: Target,
        options: Vec<(String, String)>,
        chosen: Vec<String>,
    },
    /// Opens the date or time dialog.
    OpenDate {
        target: Target,
        value: String,
        date: bool,
        time: bool,
    },
    /// Does something in the date dialog.
    Date(crate::apps::a2ui::DateStep),
    /// Closes what is in front; `true` keeps its choice.
    ClosePopup(bool),
    /// A key of the drawn keyboard.
    Key(String),
    /// Starts an app, or brings it to the front.
    Launch(String),
    /// Answers the permission dialog.
    Permission(bool),
    /// Answers the dialog about an app that crashed or hangs.
    AppError(crate::apps::phone::AppErrorAnswer),
    /// A system key, by its name without `KEYCODE_`.
    SystemKey(String),
    /// Closes the notification shade.
    Collapse,
    /// Nothing, but nothing behind it either.
    Nothing,
    /// Turns a system setting over.
    Quick(Switch),
    /// Another app's bubble hears it, and says so in the log.
    Bubble,
}

/// A view before it has a place.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Element {
    /// Who it is, from one layout to the next: the key of its scroll position and focus. Empty where nobody asks.
    pub key: String,
    /// Its row in a dump, without bounds and children. No class: not in the dump, its children are the parent's.
    pub node: NodeDump,
    pub layout: Layout,
    pub look: Look,
    pub on_tap: Option<TouchAction>,
    pub field: Option<Field>,
    /// A row of a list: it clicks a moment after the finger has left.
    pub clicks_late: bool,
    pub children: Vec<Element>,
}

impl Element {
    /// A box of children that is not in the dump.
    pub fn group(axis: Axis, children: Vec<Self>) -> Self {
        Self {
            layout: Layout {
                axis,
                ..Layout::default()
            },
            children,
            ..Self::default()
        }
    }

    /// A box of children with a class.
    pub fn view(class: &str, axis: Axis, children: Vec<Self>) -> Self {
        let mut element = Self::group(axis, children);
        class.clone_into(&mut element.node.class);
        element.node.enabled = true;
        element
    }

    /// Text that is only drawn.
    pub fn drawn_text(text: impl Into<String>, size: f32, weight: Weight, colour: Colour) -> Self {
        Self {
            look: Look::Text(TextLook {
                text: text.into(),
                size,
                weight,
                colour,
                max_lines: None,
                centred: false,
                caret: None,
            }),
            ..Self::default()
        }
    }

    /// A `TextView`.
    pub fn text(text: impl Into<String>, size: f32, weight: Weight, colour: Colour) -> Self {
        let text = text.into();
        let mut element = Self::drawn_text(text.clone(), size, weight, colour);
        element.node.class = "android.widget.TextView".into();
        element.node.text = text;
        element.node.enabled = true;
        element
    }

    /// An icon that is only drawn, as wide and high as `size`.
    pub fn drawn_icon(name: &str, size: f32, colour: Colour) -> Self {
        let mut element = Self {
            look: Look::Icon {
                name: name.to_owned(),
                colour,
            },
            ..Self::default()
        };
        element.layout.width = Length::Dp(size);
        element.layout.height = Length::Dp(size);
        element.layout.shrink = Shrink::Never;
        element
    }

    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.node.resource_id = id.into();
        self
    }

    #[must_use]
    pub fn desc(mut self, desc: impl Into<String>) -> Self {
        self.node.desc = desc.into();
        self
    }

    /// Makes it answer taps.
    #[must_use]
    pub fn tap(mut self, reaction: TouchAction) -> Self {
        self.node.clickable = true;
        self.node.focusable = true;
        self.on_tap = Some(reaction);
        self
    }

    #[must_use]
    pub fn fill(mut self, colour: Colour, radius: f32) -> Self {
        self.look = Look::Box {
            fill: Some(colour),
            border: None,
            radius,
        };
        self
    }

    /// Padding to the sides, and above and below.
    #[must_use]
    pub fn pad(mut self, across: f32, down: f32) -> Self {
        self.layout.padding = [across, down, across, down];
        self
    }

    #[must_use]
    pub fn size(mut self, width: Length, height: Length) -> Self {
        self.layout.width = width;
        self.layout.height = height;
        self
    }

    #[must_use]
    pub fn gap(mut self, gap: f32) -> Self {
        self.layout.gap = gap;
        self
    }

    #[must_use]
    pub fn grow(mut self, grow: f32) -> Self {
        self.layout.grow = grow;
        self
    }

    #[must_use]
    pub fn align(mut self, justify: Justify, align: Align) -> Self {
        self.layout.justify = justify;
        self.layout.align = align;
        self
    }

    /// Text in the middle of its box.
    #[must_use]
    pub fn centred(mut self) -> Self {
        if let Look::Text(text) = &mut self.look {
            text.centred = true;
        }
        self
    }

    /// Text cut after some lines.
    #[must_use]
    pub fn lines(mut self, lines: usize) -> Self {
        if let Look::Text(text) = &mut self.look {
            text.max_lines = Some(lines);
        }
        self
    }
}
