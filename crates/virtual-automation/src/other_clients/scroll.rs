//! Swipes until an element is visible, or nothing moves any more.

use std::time::Duration;

use super::touch;
use crate::input;
use crate::tree::{Tree, TreeNode, TreeOptions};
use runner_screen::{Point, Rect};
use runner_virtual_device::automation::DeviceState;

/// Limit for swipes. Chosen: clients may ask for any number, and each takes time.
pub(crate) const MAX_SWIPES: usize = 200;
/// Duration of a swipe. Chosen: too slow for a fling.
const SWIPE: Duration = Duration::from_millis(600);
/// Time for which the finger rests before it leaves. Chosen: ends any fling.
const REST: Duration = Duration::from_millis(200);

/// Area and axis of a scroll.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scroll {
    pub(crate) area: Rect,
    pub(crate) vertical: bool,
}

impl Scroll {
    /// Swipes slowly across the middle four fifths of the area, and rests, so that nothing flings, which takes 800
    /// ms. `forward` moves the finger up or to the left. Returns true if [`moves`] sees a change.
    pub(crate) fn swipe(self, device: &DeviceState, forward: bool) -> bool {
        let Rect {
            left,
            top,
            right,
            bottom,
        } = self.area;
        let (width, height) = (right - left, bottom - top);
        let (near, far) = if self.vertical {
            let x = left + width / 2;
            (
                Point {
                    x,
                    y: top + height / 10,
                },
                Point {
                    x,
                    y: bottom - height / 10 - 1,
                },
            )
        } else {
            let y = top + height / 2;
            (
                Point {
                    x: left + width / 10,
                    y,
                },
                Point {
                    x: right - width / 10 - 1,
                    y,
                },
            )
        };
        let points = if forward { [far, near] } else { [near, far] };
        moves(device, || {
            let mut finger = touch::drag(&points, SWIPE);
            finger.path.push((points[1], SWIPE + REST));
            input::fingers(device, &[finger]);
        })
    }

    /// Swipes until nothing moves, at most `swipes` times and 200 times. `forward` goes to the end, else to
    /// the beginning.
    pub(crate) fn to_end(self, device: &DeviceState, forward: bool, swipes: usize) {
        for _ in 0..swipes.min(MAX_SWIPES) {
            if !self.swipe(device, forward) {
                break;
            }
        }
    }

    /// Goes to the beginning, and from there on until the element is visible. If it is visible now, nothing is
    /// swiped. Each way takes at most `swipes` swipes and 200. Returns true if the element is visible at the end.
    pub(crate) fn into_view(
        self,
        device: &DeviceState,
        swipes: usize,
        is_there: impl Fn() -> bool,
    ) -> bool {
        if is_there() {
            return true;
        }
        self.to_end(device, false, swipes);
        for _ in 0..swipes.min(MAX_SWIPES) {
            if is_there() {
                return true;
            }
            if !self.swipe(device, true) {
                break;
            }
        }
        is_there()
    }
}

/// Runs `work`, and returns true if a text, a description or bounds of any node on the screen changed.
pub(crate) fn moves(device: &DeviceState, work: impl FnOnce()) -> bool {
    let places = || {
        let windows = device.phone().windows();
        let tree = Tree::new(&windows, TreeOptions::default());
        let place = |node: &TreeNode<'_>| {
            (
                node.text().to_owned(),
                node.dump.desc.clone(),
                node.bounds(),
            )
        };
        tree.nodes.iter().map(place).collect::<Vec<_>>()
    };
    let before = places();
    work();
    before != places()
}
