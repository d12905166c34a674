//! Context of a request.

use serde::de::DeserializeOwned;

use super::error::{ErrorKind, WireError};
use super::found_element::FoundElement;
use super::server::UiAutomator2Server;
use super::session::Session;
use crate::tree::{Tree, TreeOptions};
use runner_screen::{Display, Rect};
use runner_virtual_device::automation::DeviceState;
use runner_virtual_device::automation::dump;
use runner_virtual_device::{NodeDump, WindowDump};

/// Request together with its server, its device and the variable parts of its path.
pub(crate) struct Call<'a> {
    pub(crate) server: &'a UiAutomator2Server,
    pub(crate) device: &'a DeviceState,
    pub(crate) body: &'a [u8],
    pub(crate) parts: &'a PathParts,
}

/// Variable parts of a path: their names as in the route's path, and values.
#[derive(Debug)]
pub(crate) struct PathParts(Vec<(&'static str, String)>);

impl PathParts {
    pub(crate) fn new(parts: Vec<(&'static str, String)>) -> Self {
        Self(parts)
    }

    /// Returns a variable part by its name, such as `:element`. `None` if the path has no such part.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let part = self.0.iter().find(|(known, _)| *known == name);
        part.map(|(_, value)| value.as_str())
    }
}

/// Windows and display at one look.
#[derive(Debug)]
pub(crate) struct Screen {
    pub(crate) windows: Vec<WindowDump>,
    pub(crate) display: Display,
    /// Window that the server makes of a toast.
    pub(crate) toast: Option<WindowDump>,
    /// The device's time, if it is virtual.
    pub(crate) time: Option<std::time::Duration>,
}

/// Class of toasts.
pub(crate) const TOAST: &str = "android.widget.Toast";

/// Returns the window with which the server represents a toast.
fn toast(text: String) -> WindowDump {
    WindowDump {
        id: -1,
        kind: "SYSTEM",
        title: "Toast".to_owned(),
        package: "com.android.settings".to_owned(),
        activity: None,
        layer: 0,
        focused: false,
        bounds: Rect::default(),
        root: Some(NodeDump {
            class: TOAST.to_owned(),
            text,
            ..NodeDump::default()
        }),
    }
}

impl Screen {
    /// Returns the tree of all windows and the toast, regardless of settings.
    pub(crate) fn full_tree(&self) -> Tree<'_> {
        Tree::new(
            self.windows.iter().chain(&self.toast),
            TreeOptions::default(),
        )
    }
}

impl Call<'_> {
    /// Deserializes the body; an empty one counts as an empty object. A body that does not fit is an invalid
    /// argument.
    pub(crate) fn model<T: DeserializeOwned>(&self) -> Result<T, WireError> {
        let body = if self.body.is_empty() {
            b"{}"
        } else {
            self.body
        };
        serde_json::from_slice(body).map_err(|error| WireError::argument(error.to_string()))
    }

    /// Returns an error if the server's connection to the accessibility service is lost.
    pub(crate) fn check_connection(&self) -> Result<(), WireError> {
        if self.server.is_connected() {
            return Ok(());
        }
        Err(WireError::new(
            ErrorKind::UNKNOWN,
            "java.lang.IllegalStateException: UiAutomation not connected!",
        ))
    }

    /// Looks at the screen. Its time is `None` on a realistic device; an error without accessibility.
    pub(crate) fn screen(&self) -> Result<Screen, WireError> {
        self.check_connection()?;
        let time = (!self.device.is_realistic()).then(|| self.device.elapsed());
        let windows = self.device.displayed_windows();
        let phone = self.device.phone();
        Ok(Screen {
            windows,
            display: phone.display(),
            toast: phone.toast().map(toast),
            time,
        })
    }

    /// Returns the tree of the source: windows as selected by the settings, and the toast.
    pub(crate) fn source_tree<'s>(&self, screen: &'s Screen) -> Result<Tree<'s>, WireError> {
        self.tree(screen, screen.toast.as_ref())
    }

    /// Returns the tree of the windows selected by the settings.
    pub(crate) fn window_tree<'s>(&self, screen: &'s Screen) -> Result<Tree<'s>, WireError> {
        self.tree(screen, None)
    }

    /// Builds the tree as the settings want it: of all windows, or of the active one or a higher one of its app, with
    /// a limit of depth and perhaps without plain layouts. Fails if only one window is wanted and the active one has
    /// no root.
    fn tree<'s>(
        &self,
        screen: &'s Screen,
        toast: Option<&'s WindowDump>,
    ) -> Result<Tree<'s>, WireError> {
        let settings = self.server.settings();
        let options = TreeOptions {
            compressed: settings.is_on("ignoreUnimportantViews"),
            max_depth: usize::try_from(settings.number("snapshotMaxDepth")).unwrap_or(usize::MAX),
        };
        if settings.is_on("enableMultiWindows") {
            return Ok(Tree::new(screen.windows.iter().chain(toast), options));
        }
        let active = dump::active(&screen.windows).filter(|window| window.root.is_some());
        let Some(active) = active else {
            return Err(WireError::new(
                ErrorKind::UNKNOWN,
                "Timed out after 10000ms waiting for the root AccessibilityNodeInfo in the active window. Make sure the active window is not constantly hogging the main UI thread (e.g. the application is being idle long enough), so the accessibility manager could do its work",
            ));
        };
        let topmost = settings.is_on("enableTopmostWindowFromActivePackage");
        let window = screen
            .windows
            .iter()
            .filter(|window| topmost && window.package == active.package && window.root.is_some())
            .max_by_key(|window| window.layer)
            .unwrap_or(active);
        Ok(Tree::new(std::iter::once(window).chain(toast), options))
    }

    /// Works with the session; an error if there is none.
    pub(crate) fn with_session<T>(
        &self,
        work: impl FnOnce(&mut Session) -> T,
    ) -> Result<T, WireError> {
        let mut session = self.server.session();
        session.as_mut().map(work).ok_or_else(|| {
            WireError::new(
                ErrorKind::INVALID_SESSION,
                "A session is either terminated or not started",
            )
        })
    }

    /// Returns the element named by the path.
    pub(crate) fn element<'s>(&self, screen: &'s Screen) -> Result<(Tree<'s>, usize), WireError> {
        self.element_of(screen, self.parts.get(":element").unwrap_or_default())
    }

    /// Returns an element that was found earlier, by its id, in the tree of all windows as they are now.
    /// Fails with `no such element` for an unknown id, and with `stale element reference` if it is not on the
    /// screen any more.
    pub(crate) fn element_of<'s>(
        &self,
        screen: &'s Screen,
        id: &str,
    ) -> Result<(Tree<'s>, usize), WireError> {
        let key = self.with_session(|session| session.elements.key(id))?;
        let Some(key) = key else {
            return Err(WireError::new(
                ErrorKind::NO_SUCH_ELEMENT,
                format!(
                    "The element identified by '{id}' is not present in the cache or has expired. Try to find it again"
                ),
            ));
        };
        let tree = screen.full_tree();
        let Some(at) = tree.with_key(key) else {
            return Err(WireError::new(
                ErrorKind::STALE_ELEMENT,
                format!("The element '{id}' does not exist in DOM anymore"),
            ));
        };
        Ok((tree, at))
    }

    /// Returns the element that the path names, without the tree. Fails as [`Call::element`].
    pub(crate) fn found(&self) -> Result<FoundElement, WireError> {
        let screen = self.screen()?;
        let (tree, at) = self.element(&screen)?;
        Ok(FoundElement::from_node(&tree.nodes[at]))
    }

    pub(crate) fn log(&self, message: &str) {
        self.server.log('D', message);
    }
}
