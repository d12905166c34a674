//! Elements: views before their layout.

use serde_json::Value;

use super::theme::Colour;
use crate::{NodeDump, Switch};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Axis {
    Horizontal,
    #[default]
    Vertical,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Length {
    /// The size of the contents.
    #[default]
    Wrap,
    /// The size of the parent.
    Fill,
    Dp(f32),
}

/// Distribution of children along the axis.
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

/// Alignment of children across the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    #[default]
    Stretch,
    Start,
    Center,
    End,
}

/// Order in which elements shrink if there is too little room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Shrink {
    /// Shrinks in proportion with its neighbours.
    #[default]
    Evenly,
    /// Keeps its size.
    Never,
    /// Shrinks to its minimum before its neighbours shrink at all.
    First,
}

/// Size and position of an element, in dp.
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
    /// Share of the free room, as `layout_weight`.
    pub grow: f32,
    pub shrink: Shrink,
    /// Takes the width of the column around it, whatever the column's alignment.
    pub wide: bool,
    pub justify: Justify,
    pub align: Align,
    pub align_self: Option<Align>,
    /// Axis along which children may be larger than the element, and scroll.
    pub scroll: Option<Axis>,
    /// Children that do not fit begin a new line.
    pub wrap: bool,
    /// Distances from the parent's left, top, right and bottom edge, for an element that lies over its
    /// neighbours. An edge without a distance follows from the size.
    pub over: Option<[Option<f32>; 4]>,
    /// Height above the neighbours: higher elements are drawn later and touched first.
    pub elevation: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Weight {
    #[default]
    Regular,
    Bold,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextLook {
    pub text: String,
    /// Scale-independent pixels.
    pub size: f32,
    pub weight: Weight,
    pub colour: Colour,
    /// Most lines; longer text ends in an ellipsis. `None` sets no limit.
    pub max_lines: Option<usize>,
    /// Horizontally centred in its box.
    pub centred: bool,
    /// Index of the character after the caret. `None` draws no caret.
    pub caret: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Look {
    #[default]
    None,
    /// A rounded box.
    Box {
        fill: Option<Colour>,
        /// Colour and width in dp.
        border: Option<(Colour, f32)>,
        /// Radius in dp.
        radius: f32,
    },
    Text(TextLook),
    /// An icon by its catalogue name.
    Icon {
        name: String,
        colour: Colour,
    },
    /// An icon from SVG path data in a 24×24 box.
    Path {
        data: String,
        colour: Colour,
    },
    /// A placeholder for a picture: a landscape in colours made from the address.
    Picture {
        seed: u64,
    },
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

/// Place that stores an input's value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// In the app's data, at an absolute JSON pointer.
    Data(String),
    /// In the view state, by the component's key, if it is bound to no data.
    Local(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub target: Target,
    pub text: String,
    pub multiline: bool,
    pub number: bool,
    /// A password.
    pub secret: bool,
}

/// Reaction to a tap or a slide.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TouchAction {
    /// Performs an A2UI action with the template path of its component.
    Act { action: Value, base: String },
    /// Stores a value, and counts the input as edited.
    Set { target: Target, value: Value },
    /// Closes the popup in front, then stores a value.
    Choose { target: Target, value: Value },
    /// Focuses the touched text field.
    Focus,
    /// Sets a number by the horizontal place of the touch.
    Slide { target: Target, min: f64, max: f64 },
    /// Shows a page of a tab bar.
    Tab { key: String, index: usize },
    /// Performs the trigger's action, then opens the modal.
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
    OpenDate {
        target: Target,
        value: String,
        date: bool,
        time: bool,
    },
    /// Changes the date dialog.
    Date(crate::apps::a2ui::DateStep),
    /// Closes the popup in front; `true` confirms its choice.
    ClosePopup(bool),
    /// Types a key of the drawn keyboard.
    Key(String),
    /// Starts an app, or brings it to the front.
    Launch(String),
    /// Answers the permission dialog.
    Permission(bool),
    /// Answers the dialog about an app that crashed or hangs.
    AppError(crate::apps::phone::AppErrorAnswer),
    /// Presses a system key, named without `KEYCODE_`.
    SystemKey(String),
    /// Closes the notification shade.
    Collapse,
    /// No reaction, but keeps the touch from elements behind.
    Nothing,
    /// Toggles a system setting.
    Quick(Switch),
    /// Logs a touch of another app's bubble.
    Bubble,
}

/// A view before its layout.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Element {
    /// Identity from one layout to the next, for scroll position and focus. Empty if neither is needed.
    pub key: String,
    /// Node for the dump, without bounds and children. An element without a class is left out; its children
    /// become the parent's.
    pub node: NodeDump,
    pub layout: Layout,
    pub look: Look,
    pub on_tap: Option<TouchAction>,
    pub field: Option<Field>,
    /// A row of a list, which clicks a moment after the finger has left.
    pub clicks_late: bool,
    pub children: Vec<Element>,
}

impl Element {
    /// Makes a box of children that is not in the dump.
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

    /// Makes a box of children with a class, so that it is in the dump, enabled.
    pub fn view(class: &str, axis: Axis, children: Vec<Self>) -> Self {
        let mut element = Self::group(axis, children);
        class.clone_into(&mut element.node.class);
        element.node.enabled = true;
        element
    }

    /// Makes text that is drawn and not in the dump.
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

    /// Makes a `TextView` that is drawn and in the dump with the same text.
    pub fn text(text: impl Into<String>, size: f32, weight: Weight, colour: Colour) -> Self {
        let text = text.into();
        let mut element = Self::drawn_text(text.clone(), size, weight, colour);
        element.node.class = "android.widget.TextView".into();
        element.node.text = text;
        element.node.enabled = true;
        element
    }

    /// Makes a square icon of `size` dp that is drawn and not in the dump. It never shrinks. `name` is one of the
    /// catalogue; for any other it keeps its room, and a crossed-out frame is drawn in place of the icon.
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

    /// Makes the element clickable and focusable, with a reaction to a tap, in place of an earlier one.
    #[must_use]
    pub fn tap(mut self, reaction: TouchAction) -> Self {
        self.node.clickable = true;
        self.node.focusable = true;
        self.on_tap = Some(reaction);
        self
    }

    /// Draws a filled box without a border, in place of any other look.
    #[must_use]
    pub fn fill(mut self, colour: Colour, radius: f32) -> Self {
        self.look = Look::Box {
            fill: Some(colour),
            border: None,
            radius,
        };
        self
    }

    /// Sets the padding at left and right, and at top and bottom.
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

    /// Centres text in its box. It does nothing to other elements.
    #[must_use]
    pub fn centred(mut self) -> Self {
        if let Look::Text(text) = &mut self.look {
            text.centred = true;
        }
        self
    }

    /// Cuts text after `lines` lines. It does nothing to other elements.
    #[must_use]
    pub fn lines(mut self, lines: usize) -> Self {
        if let Look::Text(text) = &mut self.look {
            text.max_lines = Some(lines);
        }
        self
    }
}
