//! Tests that pixels, touches and a dump's `drawing-order` agree with a reference without recursion.

use std::collections::BTreeMap;

use super::super::{
    Axis, Colour, Element, Fonts, Length, Metrics, Painter, TouchAction, dump, place,
};
use crate::NodeDump;
use runner_screen::{Point, Rect};

const SIDE: i32 = 64;
const TREES: u64 = 400;
const POINTS: usize = 40;
const METRICS: Metrics = Metrics {
    scale: 1.0,
    font_scale: 1.0,
};

/// Pseudo-random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: i32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit.max(1) as u64) as i32
    }
}

/// A box of the reference. Its index in the list is also its resource id.
struct PlainBox {
    /// Elevation and index among the siblings, of each box from the root to this one.
    ///
    /// Android draws in the order of these: parents before children, lower elevations first.
    way: Vec<(i32, usize)>,
    rect: Rect,
    takes_touch: bool,
}

/// Adds a box to the list, with boxes in it that lie over each other.
fn add(random: &mut Random, parent: Rect, plain: PlainBox, list: &mut Vec<PlainBox>) -> Element {
    let (rect, number) = (plain.rect, list.len());
    let (takes_touch, way) = (plain.takes_touch, plain.way.clone());
    list.push(plain);
    let mut children = Vec::new();
    let count = if way.len() < 3 { random.below(5) } else { 0 };
    for place in 0..count as usize {
        let left = rect.left + random.below(rect.width() as i32);
        let top = rect.top + random.below(rect.height() as i32);
        let right = left + 1 + random.below(rect.right - left);
        let bottom = top + 1 + random.below(rect.bottom - top);
        let mut way = way.clone();
        way.push((random.below(3), place));
        let child = PlainBox {
            way,
            rect: Rect::new(left, top, right, bottom),
            takes_touch: random.below(3) > 0,
        };
        children.push(add(random, rect, child, list));
    }
    let class = "android.widget.FrameLayout";
    let mut element = Element::view(class, Axis::Vertical, children)
        .size(
            Length::Dp(rect.width() as f32),
            Length::Dp(rect.height() as f32),
        )
        .id(number.to_string())
        .fill(Colour::rgb(number as u32), 0.0);
    let (across, down) = (rect.left - parent.left, rect.top - parent.top);
    element.layout.over = Some([Some(across as f32), Some(down as f32), None, None]);
    element.layout.elevation = way.last().map_or(0.0, |(elevation, _)| *elevation as f32);
    if takes_touch {
        element = element.tap(TouchAction::Nothing);
    }
    element
}

/// Returns the index of the box at a point that is drawn last, among those that count.
fn last_drawn(list: &[PlainBox], at: Point, counts: impl Fn(&PlainBox) -> bool) -> Option<usize> {
    let mut boxes: Vec<usize> = (0..list.len()).collect();
    boxes.retain(|number| list[*number].rect.contains(at) && counts(&list[*number]));
    boxes.into_iter().max_by_key(|number| &list[*number].way)
}

/// Compares the `drawing-order` of a node's children with the order in which the reference draws them.
fn check_order(node: &NodeDump, list: &[PlainBox], seed: u64) {
    let drawing = |child: &NodeDump| child.order.unwrap().drawing;
    let number = |child: &NodeDump| child.resource_id.parse::<usize>().unwrap();
    let mut told: Vec<&NodeDump> = node.children.iter().collect();
    let mut drawn = told.clone();
    told.sort_by_key(|child| drawing(child));
    drawn.sort_by_key(|child| &list[number(child)].way);
    let ids = |nodes: &[&NodeDump]| nodes.iter().map(|node| number(node)).collect::<Vec<_>>();
    assert_eq!(ids(&told), ids(&drawn), "seed {seed}");
    let numbers: Vec<u32> = told.iter().map(|child| drawing(child)).collect();
    assert_eq!(
        numbers,
        (1..=told.len() as u32).collect::<Vec<_>>(),
        "seed {seed}"
    );
    for child in &node.children {
        check_order(child, list, seed);
    }
}

#[test]
fn what_is_drawn_last_is_touched_first_and_dumps_tell_the_order() {
    let fonts = Fonts::new();
    let display = Rect::new(0, 0, SIDE, SIDE);
    for seed in 0..TREES {
        let mut random = Random(seed);
        let mut list = Vec::new();
        let root = PlainBox {
            way: Vec::new(),
            rect: display,
            takes_touch: random.below(3) > 0,
        };
        let element = add(&mut random, display, root, &mut list);
        let placed = place(element, display, METRICS, &fonts, &BTreeMap::new());
        let (width, height) = (display.width(), display.height());
        let mut painter =
            Painter::new(width, height, Colour::rgb(0xff_ffff), &fonts, METRICS).unwrap();
        painter.draw(&placed);
        let picture = painter.finish().unwrap();
        for _ in 0..POINTS {
            let at = Point {
                x: random.below(SIDE),
                y: random.below(SIDE),
            };
            let [red, green, blue, _] = picture.get_pixel(at.x as u32, at.y as u32).0;
            let painted = u32::from_be_bytes([0, red, green, blue]) as usize;
            let last = last_drawn(&list, at, |_| true);
            assert_eq!(Some(painted), last, "seed {seed}, {at:?}: pixels");
            let path = placed.touch_path(at);
            let touched = path.map(|path| path.last().unwrap().element.node.resource_id.clone());
            let expected = last_drawn(&list, at, |plain| plain.takes_touch);
            let expected = expected.map(|number| number.to_string());
            assert_eq!(touched, expected, "seed {seed}, {at:?}: touch");
        }
        let root = dump(&placed).unwrap();
        assert_eq!(root.order.unwrap().drawing, 0);
        check_order(&root, &list, seed);
    }
}
