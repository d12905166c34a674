//! Windows of app hosts on the phone's screen: touches, dumps, painting.

use runner_screen::{Point, Rect};
use xxhash_rust::xxh3::xxh3_64;

use super::HostedWindow;
use crate::app_host::{HostNode, HostWindowKind};
use crate::apps::ui::{Colour, Painter};
use crate::{NodeDump, NodeOrder, WindowTouch};

/// Returns the device-wide id of a host's window, never negative. 10 bits are a hash of the package, so that windows of
/// two apps rarely have the same.
pub(in crate::apps::phone) fn id(package: &str, window: i32) -> i32 {
    let package = (xxh3_64(package.as_bytes()) >> 54) as i32;
    package << 20 | window & 0xf_ffff
}

impl HostedWindow {
    /// Returns how the window takes touches, as its host tells. It has no region, so all its bounds count.
    pub fn touch(&self) -> WindowTouch {
        WindowTouch {
            focusable: self.window.focusable,
            touchable: self.window.touchable,
            touch_modal: self.window.touch_modal,
            region: None,
        }
    }

    /// Returns Android's name for the window's type. Unknown windows count as an activity's.
    pub fn layout_type(&self) -> &'static str {
        match self.window.kind {
            HostWindowKind::Dialog => "APPLICATION",
            HostWindowKind::Popup => "APPLICATION_PANEL",
            HostWindowKind::Toast => "TOAST",
            HostWindowKind::Activity | HostWindowKind::Other => "BASE_APPLICATION",
        }
    }

    /// Returns its root node for a dump, as of the last look. `None` if the host told no nodes.
    pub fn root(&self) -> Option<NodeDump> {
        self.window.root.as_ref().map(node)
    }

    /// Dims all behind the window, then paints its picture. A secure window is black, with or without a picture. A
    /// window without a picture is not painted, but dims too.
    pub fn paint(&self, painter: &mut Painter<'_>) {
        if self.window.dim > 0.0 {
            let alpha = (self.window.dim.clamp(0.0, 1.0) * 255.0).round() as u8;
            let black = Colour {
                alpha,
                ..Colour::rgb(0)
            };
            painter.cover_all(black);
        }
        match &self.picture {
            Some(picture) if !self.window.secure => {
                let bounds = self.window.bounds();
                painter.put(
                    picture,
                    Point {
                        x: bounds.left,
                        y: bounds.top,
                    },
                );
            }
            _ if self.window.secure => painter.cover(self.window.bounds(), Colour::rgb(0)),
            _ => {}
        }
    }
}

/// Converts a host's node with those below it.
fn node(from: &HostNode) -> NodeDump {
    let [left, top, right, bottom] = from.bounds;
    NodeDump {
        text: from.text.clone(),
        resource_id: from.res.clone(),
        class: from.class.clone(),
        range: from.range.map(|range| range.now),
        desc: from.desc.clone(),
        hint: from.hint.clone(),
        checkable: from.checkable,
        checked: from.checked,
        clickable: from.clickable,
        enabled: from.enabled,
        focusable: from.focusable,
        focused: from.focused,
        scrollable: from.scrollable,
        long_clickable: from.long_clickable,
        password: from.password,
        selected: from.selected,
        bounds: Rect::new(left, top, right, bottom),
        order: Some(NodeOrder {
            index: from.index,
            drawing: from.order,
        }),
        children: from.children.iter().map(node).collect(),
    }
}
