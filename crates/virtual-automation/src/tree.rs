//! Flat tree of the windows' nodes with their parents.

use xxhash_rust::xxh3::xxh3_64;

use runner_screen::Rect;
use runner_virtual_device::automation::dump::{self, DrawingWay};
use runner_virtual_device::{NodeDump, WindowDump};

/// Parts of the windows to include.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeOptions {
    /// Leaves out layouts without content.
    pub(crate) compressed: bool,
    /// Depth below which nodes are left out; roots have depth 1.
    pub(crate) max_depth: usize,
}

impl Default for TreeOptions {
    /// Includes all nodes.
    fn default() -> Self {
        Self {
            compressed: false,
            max_depth: usize::MAX,
        }
    }
}

/// Nodes of windows, each before its children.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    pub(crate) nodes: Vec<TreeNode<'a>>,
    /// Roots of the windows.
    pub(crate) roots: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct TreeNode<'a> {
    pub(crate) dump: &'a NodeDump,
    pub(crate) window: &'a WindowDump,
    pub(crate) parent: Option<usize>,
    pub(crate) children: Vec<usize>,
    /// Index among its parent's children, or among the roots.
    pub(crate) index: usize,
    /// 1 for roots.
    pub(crate) depth: usize,
    /// Attribute `drawing-order`; 0 for roots.
    pub(crate) drawing: usize,
    /// Key that stays the same while the node keeps its place on its screen.
    pub(crate) key: u64,
    way: DrawingWay,
}

impl<'a> Tree<'a> {
    /// Builds the tree of the windows' nodes, in order. A window without a root has none.
    pub(crate) fn new(
        windows: impl IntoIterator<Item = &'a WindowDump>,
        options: TreeOptions,
    ) -> Self {
        let mut tree = Self {
            nodes: Vec::new(),
            roots: Vec::new(),
        };
        for window in windows {
            if let Some(root) = &window.root {
                let activity = window.activity.as_deref().unwrap_or_default();
                let key =
                    xxh3_64(format!("{}\0{}\0{activity}", window.package, window.title).as_bytes());
                let point = InsertionPoint {
                    window,
                    parent: None,
                    depth: 1,
                    key,
                    way: DrawingWay::new(),
                };
                tree.add(root, &point, 0, options);
            }
        }
        tree.count_drawing();
        tree
    }

    /// Numbers the nodes in drawing order, once all their siblings are known.
    fn count_drawing(&mut self) {
        for at in 0..self.nodes.len() {
            let children = self.nodes[at].children.clone();
            let ways: Vec<DrawingWay> = children
                .iter()
                .map(|child| std::mem::take(&mut self.nodes[*child].way))
                .collect();
            for (child, drawing) in children.into_iter().zip(dump::drawing_orders(&ways)) {
                self.nodes[child].drawing = drawing;
            }
        }
    }

    /// Adds a node and all below it. With `compressed`, a plain layout is left out and its children take its place,
    /// unless it is a window's root; nodes deeper than `max_depth` are left out.
    fn add(
        &mut self,
        dump: &'a NodeDump,
        point: &InsertionPoint<'a>,
        number: usize,
        options: TreeOptions,
    ) {
        let key = xxh3_64(
            format!(
                "{:x}\0{}\0{}\0{number}",
                point.key, dump.class, dump.resource_id
            )
            .as_bytes(),
        );
        let way = [
            point.way.as_slice(),
            &[dump::drawing_in_parent(dump, number)],
        ]
        .concat();
        let mut below = InsertionPoint { key, way, ..*point };
        if !(options.compressed && point.parent.is_some() && dump::is_plain_layout(dump)) {
            let at = self.nodes.len();
            let siblings = match point.parent {
                Some(parent) => &mut self.nodes[parent].children,
                None => &mut self.roots,
            };
            let index = siblings.len();
            siblings.push(at);
            self.nodes.push(TreeNode {
                dump,
                window: point.window,
                parent: point.parent,
                children: Vec::new(),
                index,
                depth: point.depth,
                drawing: 0,
                way: std::mem::take(&mut below.way),
                key,
            });
            below.parent = Some(at);
            below.depth = point.depth + 1;
        }
        if below.depth > options.max_depth {
            return;
        }
        for (number, child) in dump.children.iter().enumerate() {
            self.add(child, &below, number, options);
        }
    }

    /// Finds a node by its key, which stays the same between looks. `None` if it is not in this tree.
    pub(crate) fn with_key(&self, key: u64) -> Option<usize> {
        self.nodes.iter().position(|node| node.key == key)
    }
}

/// Point of the tree at which a node is added.
struct InsertionPoint<'a> {
    window: &'a WindowDump,
    parent: Option<usize>,
    depth: usize,
    key: u64,
    /// Drawing orders of the omitted layouts above.
    way: DrawingWay,
}

impl TreeNode<'_> {
    /// Returns the text as accessibility sees it: the hint if nothing else is shown. Empty if the node is a
    /// bar with a number, such as a slider.
    pub(crate) fn text(&self) -> &str {
        if self.range_value().is_some() {
            ""
        } else {
            dump::display_text(self.dump)
        }
    }

    /// Returns the number of a bar, such as a slider's. `None` for other views.
    pub(crate) fn range_value(&self) -> Option<f32> {
        self.dump.range.map(|number| number as f32)
    }

    pub(crate) fn bounds(&self) -> Rect {
        self.dump.bounds
    }

    /// Returns the name in the XML of Appium's server, where classes become element names.
    pub(crate) fn element_name(&self) -> String {
        element_name(&self.dump.class)
    }
}

/// Converts a class to the name of an XML element: `$`, `@`, `#` and `&` become dots, dots at the ends and repeated
/// ones go, and other characters that XML does not allow become `_`, but at the begin they go. A class without a
/// usable character becomes `android.view.View`.
fn element_name(class: &str) -> String {
    let mut name = String::new();
    for letter in class.chars() {
        let letter = if "$@#&".contains(letter) { '.' } else { letter };
        if letter == '.' && name.ends_with('.') {
            continue;
        }
        name.push(letter);
    }
    let name = name.trim_matches('.');
    let first = |letter: char| letter == '_' || letter.is_alphabetic();
    let name: String = name
        .trim_start_matches(|letter| !first(letter))
        .chars()
        .map(|letter| {
            if first(letter) || "-.·".contains(letter) || letter.is_numeric() {
                letter
            } else {
                '_'
            }
        })
        .collect();
    if name.trim().is_empty() {
        "android.view.View".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_become_names_of_elements() {
        for (class, name) in [
            ("android.widget.TextView", "android.widget.TextView"),
            ("a.b$C", "a.b.C"),
            ("$$a..b&&c#", "a.b.c"),
            ("1a b", "a_b"),
            ("", "android.view.View"),
            ("123", "android.view.View"),
        ] {
            assert_eq!(element_name(class), name, "{class}");
        }
    }
}
