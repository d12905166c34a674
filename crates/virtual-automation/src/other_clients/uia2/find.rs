//! Finds elements by the protocol's strategies.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use super::{scrollable, ui_selector};
use crate::input::spend;
use crate::other_clients::selector::{Criterion, TextKind, matches};
use crate::other_clients::xpath::{self, Attributes, XPathError};
use crate::tree::{Tree, TreeOptions};
use crate::uia2::attributes::SourceAttributes;
use crate::uia2::call::Call;
use crate::uia2::element;
use crate::uia2::error::{ErrorKind, WireError};
use crate::uia2::found_element::FoundElement;
use crate::uia2::settings::Settings;
use runner_screen::Rect;
use runner_virtual_device::{NodeDump, WindowDump};

/// Duration of a search. Chosen: typical of phones.
const FINDING: Duration = Duration::from_millis(50);
/// Longest pause between two searches that counts as a client's wait. Appium asks twice a second.
const MAX_CLIENT_WAIT: Duration = Duration::from_secs(2);
/// Package of the server itself, the default for ids without a package in sessions without an app.
const OWN_PACKAGE: &str = "io.appium.uiautomator2.server";

/// Strategy and selector of a search.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Locator {
    strategy: String,
    selector: String,
    context: Option<String>,
}

/// Finds the first element. Fails with `no such element` if there is none. A miss is noted for
/// [`advance_by_client_wait`] of the next search.
pub(super) fn find_one(call: &Call<'_>) -> Result<Value, WireError> {
    let locator: Locator = call.model()?;
    advance_by_client_wait(call);
    let found = first(call, &locator);
    note_miss(call, found.is_err());
    element::model(call, &found?)
}

/// Lets the app's time pass since the last search if that found nothing, two seconds at most. The miss is forgotten.
/// A client that finds nothing waits by its own clock and asks again (Appium's implicit wait); on a device with
/// virtual time the app would not move on by itself. A realistic device waits for nothing.
fn advance_by_client_wait(call: &Call<'_>) {
    let missed = call.server.last_miss().take();
    if let (Some(missed), false) = (missed, call.device.is_realistic()) {
        spend(call.device, missed.elapsed().min(MAX_CLIENT_WAIT));
    }
}

fn note_miss(call: &Call<'_>, is_missed: bool) {
    *call.server.last_miss() = is_missed.then(Instant::now);
}

/// Finds all elements; without a match the list is empty. Fails within an element that is gone. A miss is noted as
/// [`find_one`] does.
pub(super) fn find_many(call: &Call<'_>) -> Result<Value, WireError> {
    let locator: Locator = call.model()?;
    advance_by_client_wait(call);
    let found = match all(call, &locator, true) {
        Err(error) if error.kind == ErrorKind::NO_SUCH_ELEMENT && locator.context().is_none() => {
            Vec::new()
        }
        found => found?,
    };
    note_miss(call, found.is_empty());
    let models: Result<Vec<Value>, WireError> = found
        .iter()
        .map(|found| element::model(call, found))
        .collect();
    models.map(Value::from)
}

/// Returns the first match. Fails with `no such element` if there is none.
pub(super) fn first(call: &Call<'_>, locator: &Locator) -> Result<FoundElement, WireError> {
    let found = all(call, locator, false)?;
    found.into_iter().next().ok_or_else(WireError::not_found)
}

impl Attributes for SourceAttributes {
    fn list(&self, tree: &Tree<'_>, at: usize) -> Vec<(&'static str, String)> {
        SourceAttributes::list(self, tree, at)
    }
}

impl Locator {
    fn context(&self) -> Option<&str> {
        self.context
            .as_deref()
            .filter(|context| !context.trim().is_empty())
    }
}

/// Finds elements by the locator's strategy, which takes 50 ms. With a context element they are searched in and below
/// it. An unknown strategy is an error. `many` matters only for expressions of `-android uiautomator`.
fn all(call: &Call<'_>, locator: &Locator, many: bool) -> Result<Vec<FoundElement>, WireError> {
    let criterion = match locator.strategy.as_str() {
        "id" => Criterion::equals(TextKind::ResourceId, &full_id(call, &locator.selector)?),
        "accessibility id" => Criterion::equals(TextKind::Description, &locator.selector),
        "class name" => Criterion::equals(TextKind::ClassName, &full_class(&locator.selector)),
        "xpath" => return by_xpath(call, locator),
        "-android uiautomator" => return by_ui_automator(call, locator, many),
        other => {
            return Err(WireError::new(
                ErrorKind::INVALID_SELECTOR,
                format!(
                    "Selector strategy '{other}' is not supported. Only the following selector strategies are supported: [id, xpath, accessibility id, class name, -android uiautomator]"
                ),
            ));
        }
    };
    spend(call.device, FINDING);
    let screen = call.screen()?;
    let (tree, roots) = match locator.context() {
        Some(id) => {
            let (tree, at) = call.element_of(&screen, id)?;
            (tree, vec![at])
        }
        None => {
            let tree = call.window_tree(&screen)?;
            let roots = tree.roots.clone();
            (tree, roots)
        }
    };
    let found = matches(&[criterion], &tree, &roots);
    Ok(found
        .into_iter()
        .map(|at| FoundElement::from_node(&tree.nodes[at]))
        .collect())
}

/// Finds elements by a path expression, in document order, which takes 50 ms. A context element and what is below it
/// are the whole document. A syntax error is an invalid selector, one of the evaluation an unknown error.
fn by_xpath(call: &Call<'_>, locator: &Locator) -> Result<Vec<FoundElement>, WireError> {
    spend(call.device, FINDING);
    let screen = call.screen()?;
    let (tree, context) = match locator.context() {
        Some(id) => {
            let (tree, at) = call.element_of(&screen, id)?;
            (tree, Some(at))
        }
        None => (call.source_tree(&screen)?, None),
    };
    let attributes = SourceAttributes::new(&call.server.settings());
    let found = xpath::find(&locator.selector, &tree, context, &attributes);
    let found = found.map_err(|error| {
        let kind = match error {
            XPathError::Syntax(_) => ErrorKind::INVALID_SELECTOR,
            XPathError::Evaluation(_) => ErrorKind::UNKNOWN,
        };
        WireError::new(kind, error.to_string())
    })?;
    Ok(found
        .into_iter()
        .map(|at| FoundElement::from_node(&tree.nodes[at]))
        .collect())
}

/// Runs the statements in order and collects what each finds, each element once. Without `many`, each gives its first
/// only. With a context element, only elements below that are found. A statement with `UiScrollable` scrolls before it
/// finds.
fn by_ui_automator(
    call: &Call<'_>,
    locator: &Locator,
    many: bool,
) -> Result<Vec<FoundElement>, WireError> {
    let statements = ui_selector::parse(&locator.selector)?;
    spend(call.device, FINDING);
    let mut found: Vec<FoundElement> = Vec::new();
    for statement in &statements {
        let selector = scrollable::run(call, statement)?;
        let screen = call.screen()?;
        let (tree, roots) = match locator.context() {
            Some(id) => {
                let (tree, at) = call.element_of(&screen, id)?;
                let children = tree.nodes[at].children.clone();
                (tree, children)
            }
            None => {
                let tree = call.window_tree(&screen)?;
                let roots = tree.roots.clone();
                (tree, roots)
            }
        };
        let matched = if many {
            selector.find_all(&tree, &roots)
        } else {
            selector.find(&tree, &roots).into_iter().collect()
        };
        for at in matched {
            let one = FoundElement::from_node(&tree.nodes[at]);
            if !found.iter().any(|other| other.key == one.key) {
                found.push(one);
            }
        }
    }
    Ok(found)
}

/// Adds `PACKAGE:id/` to an id that has no package: that of the session's app, else the server's own. The
/// setting `disableIdLocatorAutocompletion` leaves it as it is.
fn full_id(call: &Call<'_>, id: &str) -> Result<String, WireError> {
    let is_full = id.split_once(':').is_some_and(|(package, rest)| {
        let first = package.chars().next().unwrap_or(' ');
        let parts = rest.split_once('/');
        (first.is_ascii_alphabetic() || first == '_')
            && package
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "._".contains(c))
            && parts.is_some_and(|(kind, name)| {
                !kind.is_empty() && !name.is_empty() && !name.contains(char::is_whitespace)
            })
    });
    if is_full
        || call
            .server
            .settings()
            .is_on("disableIdLocatorAutocompletion")
    {
        return Ok(id.to_owned());
    }
    let package = call.with_session(|session| {
        let package = session.capabilities.get("appPackage");
        package.and_then(Value::as_str).map(str::to_owned)
    })?;
    let package = package.filter(|package| !package.trim().is_empty());
    Ok(format!(
        "{}:id/{id}",
        package.as_deref().unwrap_or(OWN_PACKAGE)
    ))
}

/// Expands a class that begins with a period to one of Android's widgets.
fn full_class(class: &str) -> String {
    match class.strip_prefix('.') {
        Some(rest) => format!("android.widget.{rest}"),
        None => class.to_owned(),
    }
}

/// Searches a small tree by a text as `XPath` and as `UiSelector`. Returns true if it could be evaluated as
/// `XPath`, or parsed as a `UiSelector` that scrolls or finds something. For fuzzing.
pub fn finds_by(text: &str) -> bool {
    let leaf = |class: &str| NodeDump {
        class: class.to_owned(),
        text: class.to_owned(),
        ..NodeDump::default()
    };
    let window = WindowDump {
        id: 1,
        kind: "APPLICATION",
        title: "title".to_owned(),
        package: "package".to_owned(),
        activity: None,
        layer: 0,
        focused: true,
        bounds: Rect::default(),
        root: Some(NodeDump {
            children: ["a", "b", "c"].map(leaf).to_vec(),
            ..leaf("root")
        }),
    };
    let windows = [window];
    let tree = Tree::new(&windows, TreeOptions::default());
    let attributes = SourceAttributes::new(&Settings::default());
    let by_xpath = xpath::find(text, &tree, None, &attributes).is_ok();
    let statements = ui_selector::parse(text).unwrap_or_default();
    let by_selector = statements.iter().any(|statement| match statement {
        ui_selector::Statement::Selector(selector) => {
            !selector.find_all(&tree, &tree.roots).is_empty()
        }
        ui_selector::Statement::Scrollable(_) => true,
    });
    by_xpath || by_selector
}
