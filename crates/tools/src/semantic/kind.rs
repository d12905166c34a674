//! What an element is and what can be done with it, from its class and states.

use runner_screen::Node;

/// What an element is. Its word is its type in results and the first part of an id that is made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
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

/// What a tool of the catalogue does with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Click,
    TypeText,
    Focus,
    Toggle,
    Select,
    Scroll,
}

impl Kind {
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

    /// What an element is.
    pub fn of(node: Node<'_>) -> Self {
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
    /// The tool's name.
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

    /// What an element is there for, in the order of the docs. Nothing for one that is switched off.
    pub fn of(node: Node<'_>, kind: Kind) -> Vec<Self> {
        let flags = node.flags();
        if !flags.enabled {
            return Vec::new();
        }
        let mut actions = match kind {
            Kind::Input => vec![Self::TypeText, Self::Focus],
            Kind::Switch | Kind::Checkbox if flags.checkable || flags.clickable => {
                vec![Self::Toggle]
            }
            Kind::Tabs | Kind::RadioGroup | Kind::Choices | Kind::Dropdown | Kind::Picker => {
                vec![Self::Select]
            }
            _ if flags.clickable => vec![Self::Click],
            _ => Vec::new(),
        };
        // A field of several lines scrolls too, and is there for typing; Android calls a spinner scrollable.
        if flags.scrollable && !matches!(kind, Kind::Input | Kind::Dropdown) {
            actions.push(Self::Scroll);
        }
        actions
    }
}

/// Classes that say what they are; the first whose name is part of the class counts.
const CLASSES: [(&str, Kind); 23] = [
    ("RadioGroup", Kind::RadioGroup),
    ("RadioButton", Kind::Radio),
    ("Switch", Kind::Switch),
    ("ToggleButton", Kind::Switch),
    ("CheckBox", Kind::Checkbox),
    ("CheckedTextView", Kind::Checkbox),
    ("Spinner", Kind::Dropdown),
    ("NumberPicker", Kind::Picker),
    ("SeekBar", Kind::Slider),
    ("RatingBar", Kind::Slider),
    ("ProgressBar", Kind::Progress),
    ("Button", Kind::Button),
    ("Chip", Kind::Button),
    ("ImageView", Kind::Image),
    ("Image", Kind::Image),
    ("WebView", Kind::WebView),
    ("RecyclerView", Kind::List),
    ("ListView", Kind::List),
    ("GridView", Kind::List),
    ("ScrollView", Kind::Scroll),
    ("ViewPager", Kind::Scroll),
    ("TabWidget", Kind::Tabs),
    ("TabLayout", Kind::Tabs),
];

fn by_class(class: &str) -> Option<Kind> {
    // A group of chips is not a chip.
    if class.ends_with("Group") && class != "RadioGroup" || class.ends_with("Layout") {
        return CLASSES
            .iter()
            .find(|(name, kind)| *kind == Kind::Tabs && class.contains(name))
            .map(|(_, kind)| *kind);
    }
    CLASSES
        .iter()
        .find(|(name, _)| class.contains(name))
        .map(|(_, kind)| *kind)
}

fn by_state(node: Node<'_>) -> Kind {
    let flags = node.flags();
    if flags.checkable {
        return Kind::Checkbox;
    }
    if let Some(kind) = group_of_choices(node) {
        return kind;
    }
    if flags.scrollable {
        Kind::Scroll
    } else if flags.clickable {
        Kind::Button
    } else if node.child_count() > 0 {
        Kind::Container
    } else if node.short_class().contains("Text") || !node.text().is_empty() {
        Kind::Text
    } else {
        Kind::View
    }
}

/// Two choices or more and nothing else.
fn group_of_choices(node: Node<'_>) -> Option<Kind> {
    if node.child_count() < 2 {
        return None;
    }
    let all = |class: &str| {
        node.children()
            .all(|child| child.short_class().contains(class))
    };
    if all("RadioButton") {
        Some(Kind::RadioGroup)
    } else if all("CheckBox") {
        Some(Kind::Choices)
    } else {
        None
    }
}

/// Returns true for the month of Android's calendar. Its days are plain views, and none is selected in a month
/// that was turned to.
fn is_month(node: Node<'_>) -> bool {
    node.resource_id() == "android:id/month_view"
}

/// The class that the tabs of Android's tab bar say they are.
fn says_tab(node: Node<'_>) -> bool {
    node.short_class().ends_with("ActionBar$Tab")
}

fn is_tab(node: Node<'_>) -> bool {
    says_tab(node) || node.parent().is_some_and(is_tab_bar)
}

/// Whether the element holds the heads of tabs: by its class, by theirs, or because they are alike, can be touched, and
/// just one of them is selected, as in a navigation bar.
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
