//! Semantic model of a screen: its meaningful elements, each with an id a person would give it.
//!
//! Pure. Boxes that only lay out are omitted; their contents belong to the next element above.

use std::collections::{HashMap, HashSet};

use super::kind::{Action, ElementKind};
use runner_screen::{Node, NodeIndex, Screen};
use runner_text::secret::Excerpt;

/// Limit for a label assembled from an element's contents, in characters. Chosen: a label is a line; more
/// would be a page.
const MAX_LABEL_CHARS: usize = 120;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) id: String,
    pub(super) kind: ElementKind,
    pub(super) node: NodeIndex,
    pub(super) actions: Vec<Action>,
    /// Indices of its children in the model.
    pub(super) children: Vec<usize>,
}

/// All elements of a screen: those of apps first, then the system's bars and the keyboard.
#[derive(Debug)]
pub(super) struct Model<'a> {
    pub(super) screen: &'a Screen,
    pub(super) elements: Vec<Element>,
    /// Indices of the elements without a parent.
    pub(super) roots: Vec<usize>,
    /// Id of the screen as a whole.
    pub(super) screen_id: String,
    places: HashMap<NodeIndex, usize>,
}

impl<'a> Model<'a> {
    /// Builds the model of a screen. Nodes without meaning are left out, and their children belong to the
    /// nearest element above. Elements of the system and keyboard come last. Ids are unique on this screen.
    pub fn new(screen: &'a Screen) -> Self {
        let nodes = meaningful(screen);
        let mut ids = Ids::new(nodes.iter().map(|(node, ..)| *node));
        let mut model = Self {
            screen,
            elements: Vec::with_capacity(nodes.len()),
            roots: Vec::new(),
            screen_id: String::new(),
            places: HashMap::with_capacity(nodes.len()),
        };
        for (node, kind, actions) in nodes {
            let place = model.elements.len();
            // Parents come first, so what is above has its place by now.
            let above = node
                .ancestors()
                .find_map(|above| model.places.get(&above.index()).copied());
            match above.and_then(|above| model.elements.get_mut(above)) {
                Some(above) => above.children.push(place),
                None => model.roots.push(place),
            }
            model.places.insert(node.index(), place);
            model.elements.push(Element {
                id: ids.assign(node, kind.word()),
                kind,
                node: node.index(),
                actions,
                children: Vec::new(),
            });
        }
        model.screen_id = ids.made_up("Screen");
        model
    }

    /// Finds an element by its whole semantic id.
    pub(super) fn find(&self, id: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.id == id)
    }

    /// Returns the element of a node. `None` if the node has no meaning of its own.
    pub(super) fn at(&self, node: NodeIndex) -> Option<&Element> {
        self.elements.get(*self.places.get(&node)?)
    }

    pub(super) fn node(&self, element: &Element) -> Node<'a> {
        self.screen.node(element.node)
    }
}

/// Returns the meaningful nodes with kind and actions: those with a name, those with an action, and those
/// that are no mere container. Those of apps come first, then those of the system and keyboard, each in
/// document order.
fn meaningful(screen: &Screen) -> Vec<(Node<'_>, ElementKind, Vec<Action>)> {
    let (of_apps, of_system): (Vec<Node<'_>>, Vec<Node<'_>>) = screen
        .nodes()
        .partition(|node| !matches!(node.window().kind.as_str(), "SYSTEM" | "INPUT_METHOD"));
    of_apps
        .into_iter()
        .chain(of_system)
        .filter_map(|node| {
            let kind = ElementKind::from_node(node);
            let actions = Action::for_node(node, kind);
            let named = [node.resource_id(), node.text(), node.desc(), node.hint()]
                .iter()
                .any(|name| !name.trim().is_empty());
            let is_box = matches!(kind, ElementKind::Container | ElementKind::View);
            (named || !is_box || !actions.is_empty()).then_some((node, kind, actions))
        })
        .collect()
}

/// Returns the last part of a node's resource id; `None` if it has none.
fn short_name(node: Node<'_>) -> Option<&str> {
    let name = node.resource_name().trim();
    (!name.is_empty()).then_some(name)
}

/// Generates unique ids.
struct Ids {
    /// Names that only one node has.
    unique: HashSet<String>,
    counters: HashMap<&'static str, u32>,
}

impl Ids {
    /// Notes the names that occur only once, as these serve as ids.
    fn new<'a>(nodes: impl Iterator<Item = Node<'a>>) -> Self {
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for name in nodes.filter_map(short_name) {
            *counts.entry(name).or_default() += 1;
        }
        let once = counts.into_iter().filter(|(_, count)| *count == 1);
        Self {
            unique: once.map(|(name, _)| name.to_owned()).collect(),
            counters: HashMap::new(),
        }
    }

    /// Returns the node's short name if it is unique on the screen, else a made-up id.
    fn assign(&mut self, node: Node<'_>, kind: &'static str) -> String {
        match short_name(node) {
            Some(name) if self.unique.contains(name) => name.to_owned(),
            _ => self.made_up(kind),
        }
    }

    /// Generates the next `{kind}-{n}`, counted from 1 for each kind, that is not the unique name of a node.
    fn made_up(&mut self, kind: &'static str) -> String {
        loop {
            let number = self.counters.entry(kind).or_default();
            *number += 1;
            let id = format!("{kind}-{number}");
            if !self.unique.contains(&id) {
                return id;
            }
        }
    }
}

/// Returns the element's name: the first of text, description and hint that is not blank, trimmed. The text
/// of an input is its value and no name. A button, tab, switch, check box or radio button without own words
/// is named by the words inside it. Empty if there are none.
pub(super) fn label(node: Node<'_>, kind: ElementKind) -> String {
    let own = [node.text(), node.desc(), node.hint()];
    let own = match kind {
        // Its text is its value.
        ElementKind::Input => [node.desc(), node.hint(), ""],
        _ => own,
    };
    if let Some(own) = own.into_iter().find(|words| !words.trim().is_empty()) {
        return own.trim().to_owned();
    }
    let one_thing = matches!(
        kind,
        ElementKind::Button
            | ElementKind::Tab
            | ElementKind::Switch
            | ElementKind::Checkbox
            | ElementKind::Radio
    );
    if one_thing {
        words_inside(node)
    } else {
        String::new()
    }
}

/// Returns the words inside an element, in document order, separated by spaces: each node's text, or else its
/// description. The element's own words do not count. Marked to be cut after 120 characters; nodes behind that are left
/// out.
pub(super) fn words_inside(node: Node<'_>) -> String {
    let mut words = String::new();
    for inner in node.descendants() {
        let own = if inner.text().trim().is_empty() {
            inner.desc().trim()
        } else {
            inner.text().trim()
        };
        if own.is_empty() || words.chars().count() > MAX_LABEL_CHARS {
            continue;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(own);
    }
    Excerpt::new(&words, MAX_LABEL_CHARS).ending("").to_string()
}

/// Returns the value that a person gave, or may give, to an element. `None` for kinds without a value. A field that
/// shows its hint has an empty one, a password field `<password>`. For a group it is the labels of the chosen options,
/// joined by `, `; for a drop-down without text, the words inside it; for a picker the first field or text in it,
/// `None` if it has neither.
pub(super) fn value(node: Node<'_>, kind: ElementKind) -> Option<String> {
    match kind {
        ElementKind::Input if node.shows_hint() => Some(String::new()),
        ElementKind::Input | ElementKind::Slider | ElementKind::Progress => {
            Some(node.text().to_owned())
        }
        ElementKind::Dropdown if !node.text().is_empty() => Some(node.text().to_owned()),
        ElementKind::Dropdown => Some(words_inside(node)),
        ElementKind::Picker => node
            .descendants()
            .find(|inner| inner.is_editable() || inner.short_class() == "TextView")
            .map(|inner| inner.text().to_owned()),
        ElementKind::Tabs | ElementKind::RadioGroup | ElementKind::Choices => {
            let chosen: Vec<String> = options(node)
                .into_iter()
                .filter(|option| is_chosen(*option))
                .map(|option| label(option, ElementKind::Tab))
                .collect();
            Some(chosen.join(", "))
        }
        _ => None,
    }
}

/// Returns the tabs, radio buttons and check boxes inside an element, at any depth, in document order. Only those on
/// the look are known; a closed drop-down has none.
pub(super) fn options(node: Node<'_>) -> Vec<Node<'_>> {
    node.descendants()
        .filter(|inner| {
            matches!(
                ElementKind::from_node(*inner),
                ElementKind::Tab | ElementKind::Radio | ElementKind::Checkbox
            )
        })
        .collect()
}

pub(super) fn is_chosen(option: Node<'_>) -> bool {
    option.flags().checked || option.flags().selected
}

#[cfg(test)]
mod tests;
