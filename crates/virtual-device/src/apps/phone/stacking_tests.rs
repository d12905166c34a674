//! Tests of elements and windows that lie over each other: which one gets a touch, and what dumps show.

use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::{BUBBLE, VirtualPhone};
use crate::{NodeDump, Phone, PhoneOptions, Quirk, StackedWindow, Touch};
use runner_screen::Point;

/// A list with a bar over its top and a button over its lower right corner. The button is declared before the
/// label that covers the whole stack, and has a higher elevation.
const STACK: &str = r#"
- version: v0.9
  createSurface: { surfaceId: main, catalogId: "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json" }
- version: v0.9
  updateComponents:
    surfaceId: main
    components:
      - { id: root, component: Stack, children: [rows, add, label, bar] }
      - { id: rows, component: List, children: { componentId: row, path: /rows } }
      - { id: row, component: Button, child: row_text, action: { event: { name: heard, context: { who: row } } } }
      - { id: row_text, component: Text, text: { path: name } }
      - id: add
        component: Button
        child: plus
        place: bottomEnd
        elevation: 6
        action: { event: { name: heard, context: { who: add } } }
      - { id: plus, component: Icon, name: add }
      - { id: label, component: Text, text: over all, place: fill }
      - { id: bar, component: Card, child: bar_text, place: top }
      - { id: bar_text, component: Text, text: bar }
- version: v0.9
  updateDataModel: { surfaceId: main, value: { rows: ROWS } }
"#;

const MANIFEST: &str = "package: com.example.stack
label: Stack
activities: { .Main: { surface: main.yaml, launchable: true } }
actions: { heard: [ { log: { level: I, tag: heard, message: { context: who } } } ] }
";

struct Stack {
    phone: VirtualPhone,
    _folder: tempfile::TempDir,
}

impl Stack {
    fn new(quirks: &[Quirk]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rows = (0..30).map(|row| format!("{{ name: row {row} }}"));
        let rows = rows.collect::<Vec<_>>().join(", ");
        let surface = STACK.replace("ROWS", &format!("[{rows}]"));
        std::fs::write(folder.path().join("app.yaml"), MANIFEST).unwrap();
        std::fs::write(folder.path().join("main.yaml"), surface).unwrap();
        let mut phone = VirtualPhone::new(&PhoneOptions {
            apps: vec![Utf8PathBuf::from_path_buf(folder.path().to_path_buf()).unwrap()],
            quirks: quirks.to_vec(),
            ..PhoneOptions::default()
        })
        .unwrap();
        phone
            .start("com.example.stack", None, &BTreeMap::new())
            .unwrap();
        phone.take_log();
        Self {
            phone,
            _folder: folder,
        }
    }

    /// Taps a point. Returns the log entries: tag and message.
    fn tap(&mut self, at: Point) -> Vec<String> {
        let path = vec![(at, Duration::ZERO), (at, Duration::from_millis(50))];
        self.phone.fingers(&[Touch { path }]);
        self.phone.advance(Duration::from_millis(200));
        let lines = self.phone.take_log().into_iter();
        lines
            .map(|(_, tag, message, _)| format!("{tag}: {message}"))
            .collect()
    }

    fn node(&self, id: &str) -> NodeDump {
        let windows = self.phone.windows();
        let roots = windows.iter().filter_map(|window| window.root.as_ref());
        let found = roots.into_iter().find_map(|root| find(root, id));
        found.unwrap_or_else(|| panic!("no {id} in {windows:#?}"))
    }

    fn window(&self, layout_type: &str) -> StackedWindow {
        let mut windows = self.phone.window_stack().into_iter();
        windows
            .find(|window| window.layout_type == layout_type)
            .unwrap()
    }
}

fn find(node: &NodeDump, id: &str) -> Option<NodeDump> {
    if node.resource_id.ends_with(&format!("/{id}")) {
        return Some(node.clone());
    }
    node.children.iter().find_map(|child| find(child, id))
}

#[test]
fn a_button_over_a_list_hears_the_click_and_a_label_lets_it_through() {
    let mut stack = Stack::new(&[]);
    let (add, rows, row) = (stack.node("add"), stack.node("rows"), stack.node("row"));
    assert!(rows.bounds.contains(add.bounds.center()));
    assert_eq!(stack.tap(add.bounds.center()), ["heard: add"]);
    let bar = stack.node("bar").bounds;
    // The label and the bar take no touches, so the view below gets it.
    assert!(bar.contains(row.bounds.center()));
    assert_eq!(stack.tap(row.bounds.center()), ["heard: row"]);
    let drawing = |id: &str| stack.node(id).order.unwrap().drawing;
    assert_eq!(["rows", "add", "label", "bar"].map(drawing), [1, 4, 2, 3]);
}

#[test]
fn a_bubble_takes_the_touches_on_it_only() {
    let mut stack = Stack::new(&[Quirk::Overlay, Quirk::Veil]);
    let (bubble, row) = (stack.node("bubble"), stack.node("row"));
    let window = stack.window("APPLICATION_OVERLAY");
    assert_eq!(window.frame, stack.phone.display().bounds());
    assert_eq!(window.touch.region, Some(bubble.bounds));
    let told = stack.phone.windows().into_iter();
    let told = told.filter(|window| window.package == BUBBLE);
    assert_eq!(
        told.map(|window| window.bounds).collect::<Vec<_>>(),
        [bubble.bounds]
    );
    assert_eq!(stack.tap(bubble.bounds.center()), ["Bubble: tapped"]);
    assert_eq!(stack.tap(row.bounds.center()), ["heard: row"]);
}

#[test]
fn a_veil_shows_takes_no_touch_and_is_in_no_dump() {
    let plain = Stack::new(&[]).phone.draw();
    let mut stack = Stack::new(&[Quirk::Veil]);
    assert_ne!(stack.phone.draw(), plain);
    let veil = stack.window("APPLICATION_OVERLAY");
    assert!(!veil.touch.touchable);
    assert!(
        stack
            .phone
            .windows()
            .iter()
            .all(|window| window.id != veil.dump.id)
    );
    let row = stack.node("row").bounds.center();
    assert_eq!(stack.tap(row), ["heard: row"]);
}

#[test]
fn a_finger_that_came_down_on_the_app_clicks_nothing_of_the_bubble() {
    let mut stack = Stack::new(&[Quirk::Overlay]);
    let (row, bubble) = (
        stack.node("row").bounds.center(),
        stack.node("bubble").bounds.center(),
    );
    for (from, to) in [(row, bubble), (bubble, row)] {
        let path = vec![
            (from, Duration::ZERO),
            (to, Duration::from_millis(900)),
            (to, Duration::from_millis(1500)),
        ];
        stack.phone.fingers(&[Touch { path }]);
        stack.phone.advance(Duration::from_secs(3));
        assert_eq!(stack.phone.take_log(), []);
    }
}
