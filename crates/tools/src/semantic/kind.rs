//! Kinds of elements and their possible actions, derived from class and states.

use runner_screen::Node;

/// Kind of an element. Its word is the element's type in results, and the first part of generated ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ElementKind {
    Button,
    Input,
    Switch,
    Checkbox,
    Radio,
    RadioGroup,
    /// A group of check boxes.
    Choices,
    Dropdown,
    Picker,
    Tabs,
    Tab,
    Slider,
    Progress,
    Text,
    Image,
    List,
    Scroll,
    WebView,
    Container,
    View,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Click,
    TypeText,
    Focus,
    Toggle,
    Select,
    Scroll,
}

impl ElementKind {
    /// Returns the element's type in results. Generated ids, such as `Button-3`, begin with it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Button => "Button",
            Self::Input => "Input",
            Self::Switch => "Switch",
            Self::Checkbox => "Checkbox",
            Self::Radio => "Radio",
            Self::RadioGroup => "RadioGroup",
            Self::Choices => "Choices",
            Self::Dropdown => "Dropdown",
            Self::Picker => "Picker",
            Self::Tabs => "Tabs",
            Self::Tab => "Tab",
            Self::Slider => "Slider",
            Self::Progress => "Progress",
            Self::Text => "Text",
            Self::Image => "Image",
            Self::List => "List",
            Self::Scroll => "Scroll",
            Self::WebView => "WebView",
            Self::Container => "Container",
            Self::View => "View",
        }
    }

    /// Determines the kind of a node. An editable one is an input. A month of Android's calendar is a radio group and
    /// its days are radio buttons. Then come tab bars and tabs, then the class, and last the states. A picture that can
    /// be touched is a button.
    pub fn from_node(node: Node<'_>) -> Self {
        if node.is_editable() {
            return Self::Input;
        }
        if is_month(node) {
            return Self::RadioGroup;
        }
        if node.parent().is_some_and(is_month) {
            return Self::Radio;
        }
        if is_tab_bar(node) {
            return Self::Tabs;
        }
        if is_tab(node) {
            return Self::Tab;
        }
        match by_class(node.short_class()) {
            // A picture that can be touched is a button.
            Some(Self::Image) if node.flags().clickable => Self::Button,
            Some(kind) => kind,
            None => by_state(node),
        }
    }
}

impl Action {
    /// Returns the tool's name without its `semantic.`.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::TypeText => "type_text",
            Self::Focus => "focus",
            Self::Toggle => "toggle",
            Self::Select => "select",
            Self::Scroll => "scroll",
        }
    }

    /// Returns the actions of a node, in the order of the docs; a disabled one has none. Inputs have `type_text` and
    /// `focus`; tab bars, groups of choices, drop-downs and pickers `select`; a switch or check box `toggle` if it can
    /// be checked or touched; any other clickable kind `click`. All that scrolls, but inputs and drop-downs, has
    /// `scroll` too.
    pub fn for_node(node: Node<'_>, kind: ElementKind) -> Vec<Self> {
        let flags = node.flags();
        if !flags.enabled {
            return Vec::new();
        }
        let mut actions = match kind {
            ElementKind::Input => vec![Self::TypeText, Self::Focus],
            ElementKind::Switch | ElementKind::Checkbox if flags.checkable || flags.clickable => {
                vec![Self::Toggle]
            }
            ElementKind::Tabs
            | ElementKind::RadioGroup
            | ElementKind::Choices
            | ElementKind::Dropdown
            | ElementKind::Picker => {
                vec![Self::Select]
            }
            _ if flags.clickable => vec![Self::Click],
            _ => Vec::new(),
        };
        // A field of several lines scrolls too, and is there for typing; Android calls a spinner scrollable.
        if flags.scrollable && !matches!(kind, ElementKind::Input | ElementKind::Dropdown) {
            actions.push(Self::Scroll);
        }
        actions
    }
}

/// Kinds by parts of class names; the first part contained in the class counts.
const CLASSES: [(&str, ElementKind); 23] = [
    ("RadioGroup", ElementKind::RadioGroup),
    ("RadioButton", ElementKind::Radio),
    ("Switch", ElementKind::Switch),
    ("ToggleButton", ElementKind::Switch),
    ("CheckBox", ElementKind::Checkbox),
    ("CheckedTextView", ElementKind::Checkbox),
    ("Spinner", ElementKind::Dropdown),
    ("NumberPicker", ElementKind::Picker),
    ("SeekBar", ElementKind::Slider),
    ("RatingBar", ElementKind::Slider),
    ("ProgressBar", ElementKind::Progress),
    ("Button", ElementKind::Button),
    ("Chip", ElementKind::Button),
    ("ImageView", ElementKind::Image),
    ("Image", ElementKind::Image),
    ("WebView", ElementKind::WebView),
    ("RecyclerView", ElementKind::List),
    ("ListView", ElementKind::List),
    ("GridView", ElementKind::List),
    ("ScrollView", ElementKind::Scroll),
    ("ViewPager", ElementKind::Scroll),
    ("TabWidget", ElementKind::Tabs),
    ("TabLayout", ElementKind::Tabs),
];

/// Returns the first kind in [`CLASSES`] whose name the class contains; `None` for unknown classes. A class that ends
/// in `Layout`, or in `Group` but for `RadioGroup`, can only be a tab bar.
fn by_class(class: &str) -> Option<ElementKind> {
    // A group of chips is not a chip.
    if class.ends_with("Group") && class != "RadioGroup" || class.ends_with("Layout") {
        return CLASSES
            .iter()
            .find(|(name, kind)| *kind == ElementKind::Tabs && class.contains(name))
            .map(|(_, kind)| *kind);
    }
    CLASSES
        .iter()
        .find(|(name, _)| class.contains(name))
        .map(|(_, kind)| *kind)
}

/// Determines the kind of an element of an unknown class: a check box, a group of choices, a scrolling area or a button
/// by what can be done with it, else a container, a text or a plain view by what is in it.
fn by_state(node: Node<'_>) -> ElementKind {
    let flags = node.flags();
    if flags.checkable {
        return ElementKind::Checkbox;
    }
    if let Some(kind) = group_of_choices(node) {
        return kind;
    }
    if flags.scrollable {
        ElementKind::Scroll
    } else if flags.clickable {
        ElementKind::Button
    } else if node.child_count() > 0 {
        ElementKind::Container
    } else if node.short_class().contains("Text") || !node.text().is_empty() {
        ElementKind::Text
    } else {
        ElementKind::View
    }
}

/// Recognizes a container with two children or more that are all radio buttons, or all check boxes, by their
/// classes. `None` if anything else is among them.
fn group_of_choices(node: Node<'_>) -> Option<ElementKind> {
    if node.child_count() < 2 {
        return None;
    }
    let all = |class: &str| {
        node.children()
            .all(|child| child.short_class().contains(class))
    };
    if all("RadioButton") {
        Some(ElementKind::RadioGroup)
    } else if all("CheckBox") {
        Some(ElementKind::Choices)
    } else {
        None
    }
}

/// Returns true for the month of Android's calendar. Its days are plain views, and in a month that was turned
/// to none is selected.
fn is_month(node: Node<'_>) -> bool {
    node.resource_id() == "android:id/month_view"
}

/// Returns true for tabs of Android's tab bar, by the class that they declare.
fn says_tab(node: Node<'_>) -> bool {
    node.short_class().ends_with("ActionBar$Tab")
}

fn is_tab(node: Node<'_>) -> bool {
    says_tab(node) || node.parent().is_some_and(is_tab_bar)
}

/// Returns true if the element is a tab bar: by its class, by its tabs' class, or for an unknown class because its
/// children are of one class, can be touched, and exactly one is selected, as in a navigation bar. Of a scrolling bar
/// only the outermost element is one.
fn is_tab_bar(node: Node<'_>) -> bool {
    let class = node.short_class();
    if class.contains("TabWidget") || class.contains("TabLayout") {
        return true;
    }
    let holds_tabs = |node: Node<'_>| node.children().any(says_tab);
    if class.contains("HorizontalScrollView") {
        // Android's tab bar scrolls; between it and its tabs is a box.
        return holds_tabs(node) || node.children().any(holds_tabs);
    }
    // The scroll view around it was taken for the bar already.
    if node
        .parent()
        .is_some_and(|parent| parent.short_class().contains("HorizontalScrollView"))
    {
        return false;
    }
    holds_tabs(node) || (by_class(class).is_none() && has_one_selected_of_alike(node))
}

/// Returns true if there are two children or more, all of the same class, each can be touched or is selected, none can
/// be checked or takes text, and exactly one is selected.
fn has_one_selected_of_alike(node: Node<'_>) -> bool {
    let Some(first) = node.children().next() else {
        return false;
    };
    let mut selected = 0;
    let similar = node.children().all(|child| {
        let flags = child.flags();
        selected += u32::from(flags.selected);
        child.class() == first.class()
            && (flags.clickable || flags.selected)
            && !flags.checkable
            && !child.is_editable()
    });
    similar && selected == 1 && node.child_count() > 1
}
