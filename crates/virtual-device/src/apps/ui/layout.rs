//! Layout of elements in pixels, by the `taffy` crate.

use std::collections::BTreeMap;

use taffy::prelude::*;
use taffy::{Overflow, Rect as Sides};

use super::element::{Align, Axis, Element, Justify, Length, Look, Shrink};
use super::text::Fonts;
use runner_screen::Rect;

/// Flex shrink factor of [`Shrink::First`]. Chosen: large enough that neighbours shrink by less than a pixel.
const SHRINKS_FIRST: f32 = 1000.0;
/// Most passes over rows that are too narrow, since one that shrinks may make another too wide. Chosen:
/// passes cost time, and rows inside rows rarely need more.
const MAX_PASSES: usize = 4;

/// Factors from dp and sp to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Metrics {
    /// Pixels per dp.
    pub scale: f32,
    /// dp per sp: the font size that the person chose.
    pub font_scale: f32,
}

impl Metrics {
    /// Converts a font size from sp to pixels.
    pub fn letters(self, sp: f32) -> f32 {
        sp * self.scale * self.font_scale
    }
}

/// An element with its bounds.
#[derive(Debug, Clone)]
pub(crate) struct LayoutNode {
    /// Its bounds on the display, with the parts that its parents clip.
    pub rect: Rect,
    /// The area in which its parents let it be visible.
    pub clip: Rect,
    /// Greatest scroll offset of its children, in pixels along its scroll axis. 0 if nothing scrolls.
    pub scroll_range: i32,
    pub element: Element,
    pub children: Vec<LayoutNode>,
}

impl LayoutNode {
    /// Returns the part that its parents do not clip, or `None` if there is none. Elements above it do not count.
    pub fn visible(&self) -> Option<Rect> {
        self.rect.intersection(&self.clip)
    }

    /// Visits this element and all below it, parents first, invisible ones too.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }

    /// Returns the first element with a key: this one, else one below it, parents first. An empty key finds the
    /// first element without one.
    pub fn find(&self, key: &str) -> Option<&Self> {
        if self.element.key == key {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.find(key))
    }
}

/// Lays out an element in a rectangle, which it fills. `offsets` are the scroll positions by key, in pixels, and
/// are limited to what can scroll. If the layout fails, the result is the element without its children.
pub(crate) fn place(
    mut root: Element,
    bounds: Rect,
    metrics: Metrics,
    fonts: &Fonts,
    offsets: &BTreeMap<String, i32>,
) -> LayoutNode {
    let mut tree: TaffyTree<TextLeaf> = TaffyTree::new();
    let style = Style {
        size: Size {
            width: Dimension::length(bounds.width() as f32),
            height: Dimension::length(bounds.height() as f32),
        },
        ..style(&root, metrics)
    };
    let Ok(id) = grow(&mut tree, &mut root, metrics, Some(style)) else {
        return empty(root, bounds);
    };
    for _ in 0..MAX_PASSES {
        if compute(&mut tree, id, fonts).is_err() {
            return empty(root, bounds);
        }
        // Words stay whole if there is room for them. Otherwise it matters more that children stay inside their row.
        if !squeeze(&mut tree, id, &root) {
            break;
        }
    }
    settle(&tree, id, root, (bounds.left, bounds.top), bounds, offsets)
}

/// Computes the layout of a tree, in which a text is as large as its lines.
fn compute(tree: &mut TaffyTree<TextLeaf>, id: NodeId, fonts: &Fonts) -> taffy::TaffyResult<()> {
    tree.compute_layout_with_measure(id, Size::MAX_CONTENT, |inputs, _, context, style| {
        taffy::compute_leaf_layout(
            inputs,
            style,
            |_, _| 0.0,
            |known, available| {
                context.map_or(Size::ZERO, |text| text.measure(known, available, fonts))
            },
        )
    })
}

/// Lets children of overfull rows become narrower than their widest words, at any depth. Those that never
/// shrink or were squeezed before are left alone, and so are rows that scroll or wrap. Returns true if any
/// child changed.
fn squeeze(tree: &mut TaffyTree<TextLeaf>, id: NodeId, element: &Element) -> bool {
    let ids = tree.children(id).unwrap_or_default();
    let is_row = element.layout.axis == Axis::Horizontal
        && element.layout.scroll.is_none()
        && !element.layout.wrap;
    let mut squeezed = false;
    if is_row && overflows(tree, id, &ids) {
        for (child, id) in element.children.iter().zip(&ids) {
            let Ok(style) = tree.style(*id) else {
                continue;
            };
            let least = LengthPercentageAuto::length(0.0);
            // One that was squeezed before gives nobody another chance.
            if child.layout.shrink == Shrink::Never || style.min_size.width == least {
                continue;
            }
            let mut style = style.clone();
            style.min_size.width = least;
            squeezed |= tree.set_style(*id, style).is_ok();
        }
    }
    for (child, id) in element.children.iter().zip(ids) {
        squeezed |= squeeze(tree, id, child);
    }
    squeezed
}

/// Returns true if children of a row reach over its start or end by more than half a pixel.
fn overflows(tree: &TaffyTree<TextLeaf>, id: NodeId, children: &[NodeId]) -> bool {
    let Ok(row) = tree.layout(id) else {
        return false;
    };
    let (start, end) = (row.padding.left, row.size.width - row.padding.right);
    children.iter().any(|child| {
        tree.layout(*child).is_ok_and(|child| {
            // Half a pixel is rounding.
            child.location.x < start - 0.5 || child.location.x + child.size.width > end + 0.5
        })
    })
}

/// Places an element alone, as if it had no children.
fn empty(element: Element, bounds: Rect) -> LayoutNode {
    LayoutNode {
        rect: bounds,
        clip: bounds,
        scroll_range: 0,
        element,
        children: Vec::new(),
    }
}

/// A leaf whose size depends on its text.
struct TextLeaf {
    text: String,
    size: f32,
    weight: super::element::Weight,
    max_lines: Option<usize>,
}

impl TextLeaf {
    /// Returns the size of a text in pixels: as wide as its longest line where it is not limited, and one line high
    /// at least. In a space of nothing it is as wide as its widest word. A known width or height is taken as it is.
    fn measure(
        &self,
        known: Size<Option<f32>>,
        available: Size<AvailableSpace>,
        fonts: &Fonts,
    ) -> Size<f32> {
        let limit = known.width.unwrap_or(match available.width {
            AvailableSpace::Definite(width) => width,
            AvailableSpace::MaxContent => f32::INFINITY,
            AvailableSpace::MinContent => 0.0,
        });
        let lines = if limit <= 0.0 {
            // The narrowest text can be: its widest word.
            let width = self
                .text
                .split_whitespace()
                .map(|word| fonts.width(word, self.size, self.weight))
                .fold(0.0, f32::max);
            fonts.lines(&self.text, self.size, self.weight, width, self.max_lines)
        } else {
            fonts.lines(&self.text, self.size, self.weight, limit, self.max_lines)
        };
        let width = lines.iter().map(|line| line.width).fold(0.0, f32::max);
        Size {
            width: known.width.unwrap_or(width.ceil()),
            height: known
                .height
                .unwrap_or(lines.len().max(1) as f32 * Fonts::line_height(self.size)),
        }
    }
}

/// Adds an element and those below it to the tree. A text is a leaf only if it has no children. `style_override`
/// takes the place of the element's own style, but not of those below.
fn grow(
    tree: &mut TaffyTree<TextLeaf>,
    element: &mut Element,
    metrics: Metrics,
    style_override: Option<Style>,
) -> taffy::TaffyResult<NodeId> {
    let style = style_override.unwrap_or_else(|| style(element, metrics));
    if let (Look::Text(text), true) = (&element.look, element.children.is_empty()) {
        let context = TextLeaf {
            text: text.text.clone(),
            size: metrics.letters(text.size),
            weight: text.weight,
            max_lines: text.max_lines,
        };
        return tree.new_leaf_with_context(style, context);
    }
    let mut children = Vec::with_capacity(element.children.len());
    for child in &mut element.children {
        children.push(grow(tree, child, metrics, None)?);
    }
    tree.new_with_children(style, &children)
}

/// Converts an element's layout to a style, with lengths in whole pixels. Without a limit of its own it is at most
/// as wide as its parent.
fn style(element: &Element, metrics: Metrics) -> Style {
    let layout = &element.layout;
    let px = |dp: f32| (dp * metrics.scale).round();
    let side = |length: Length| match length {
        Length::Wrap => Dimension::auto(),
        Length::Fill => Dimension::percent(1.0),
        Length::Dp(dp) => Dimension::length(px(dp)),
    };
    let overflow = |axis: Axis| {
        if layout.scroll == Some(axis) {
            Overflow::Scroll
        } else {
            Overflow::Visible
        }
    };
    let [left, top, right, bottom] = layout.padding.map(|dp| LengthPercentage::length(px(dp)));
    let [m_left, m_top, m_right, m_bottom] =
        layout.margin.map(|dp| LengthPercentageAuto::length(px(dp)));
    let gap = LengthPercentage::length(px(layout.gap));
    Style {
        display: Display::Flex,
        overflow: taffy::Point {
            x: overflow(Axis::Horizontal),
            y: overflow(Axis::Vertical),
        },
        flex_direction: match layout.axis {
            Axis::Horizontal => FlexDirection::Row,
            Axis::Vertical => FlexDirection::Column,
        },
        flex_wrap: if layout.wrap {
            FlexWrap::Wrap
        } else {
            FlexWrap::NoWrap
        },
        size: Size {
            width: side(layout.width),
            height: side(layout.height),
        },
        min_size: Size {
            width: minimum(px(layout.min_width)),
            height: minimum(px(layout.min_height)),
        },
        max_size: Size {
            // At most as wide as its parent, even if the parent does not stretch it.
            width: layout
                .max_width
                .map_or(LengthPercentageAuto::percent(1.0), |dp| {
                    LengthPercentageAuto::length(px(dp))
                }),
            height: LengthPercentageAuto::AUTO,
        },
        padding: Sides {
            left,
            right,
            top,
            bottom,
        },
        margin: Sides {
            left: m_left,
            right: m_right,
            top: m_top,
            bottom: m_bottom,
        },
        gap: Size {
            width: gap,
            height: gap,
        },
        flex_grow: layout.grow,
        // Contents do not change the shares, as with `layout_weight` and a size of 0.
        flex_basis: if layout.grow > 0.0 {
            Dimension::length(0.0)
        } else {
            Dimension::AUTO
        },
        flex_shrink: match layout.shrink {
            Shrink::Never => 0.0,
            Shrink::First => SHRINKS_FIRST,
            Shrink::Evenly => 1.0,
        },
        justify_content: justify(layout.justify),
        align_items: align(layout.align),
        align_self: layout.align_self.map(align),
        position: if layout.over.is_some() {
            Position::Absolute
        } else {
            Position::Relative
        },
        inset: inset(layout.over.unwrap_or_default(), px),
        ..Style::default()
    }
}

/// Converts distances from the parent's sides to pixels. A side without a distance is free.
fn inset(
    [left, top, right, bottom]: [Option<f32>; 4],
    px: impl Fn(f32) -> f32,
) -> Sides<LengthPercentageAuto> {
    let side = |dp: Option<f32>| {
        dp.map_or(LengthPercentageAuto::AUTO, |dp| {
            LengthPercentageAuto::length(px(dp))
        })
    };
    Sides {
        left: side(left),
        right: side(right),
        top: side(top),
        bottom: side(bottom),
    }
}

/// Returns a minimum of pixels, or none in place of 0.
fn minimum(px: f32) -> LengthPercentageAuto {
    if px > 0.0 {
        LengthPercentageAuto::length(px)
    } else {
        LengthPercentageAuto::AUTO
    }
}

fn justify(justify: Justify) -> JustifyContent {
    match justify {
        Justify::Start => JustifyContent::FLEX_START,
        Justify::Center => JustifyContent::CENTER,
        Justify::End => JustifyContent::FLEX_END,
        Justify::Between => JustifyContent::SPACE_BETWEEN,
        Justify::Around => JustifyContent::SPACE_AROUND,
        Justify::Evenly => JustifyContent::SPACE_EVENLY,
    }
}

fn align(align: Align) -> AlignItems {
    match align {
        Align::Stretch => AlignItems::STRETCH,
        Align::Start => AlignItems::FLEX_START,
        Align::Center => AlignItems::CENTER,
        Align::End => AlignItems::FLEX_END,
    }
}

/// Turns the layout of an element, and of those below it, to places on the screen. `origin` is the parent's
/// corner, scrolled. Scroll positions are limited to the range, and only views that can scroll now are reported as
/// scrollable.
fn settle(
    tree: &TaffyTree<TextLeaf>,
    id: NodeId,
    mut element: Element,
    origin: (i32, i32),
    clip: Rect,
    offsets: &BTreeMap<String, i32>,
) -> LayoutNode {
    let Ok(layout) = tree.layout(id) else {
        return empty(element, clip);
    };
    let left = origin.0 + layout.location.x as i32;
    let top = origin.1 + layout.location.y as i32;
    let (width, height) = (layout.size.width as i32, layout.size.height as i32);
    let rect = Rect::new(left, top, left + width, top + height);
    let (mut inner, mut child_clip, mut scroll_range) = ((left, top), clip, 0);
    if let Some(axis) = element.layout.scroll {
        // Every scrolling view has children in one box, so the last edge of a child is the end of the contents.
        let mut end = 0.0_f32;
        for child in tree.children(id).unwrap_or_default() {
            if let Ok(child) = tree.layout(child) {
                end = end.max(match axis {
                    Axis::Horizontal => child.location.x + child.size.width + layout.padding.right,
                    Axis::Vertical => child.location.y + child.size.height + layout.padding.bottom,
                });
            }
        }
        let displayed = match axis {
            Axis::Horizontal => width,
            Axis::Vertical => height,
        };
        scroll_range = (end as i32 - displayed).max(0);
        let offset = offsets
            .get(&element.key)
            .copied()
            .unwrap_or(0)
            .clamp(0, scroll_range);
        match axis {
            Axis::Horizontal => inner.0 -= offset,
            Axis::Vertical => inner.1 -= offset,
        }
        child_clip = clip
            .intersection(&rect)
            .unwrap_or(Rect::new(left, top, left, top));
        // Android reports a view as scrollable only if it can be scrolled now.
        element.node.scrollable = scroll_range > 0;
    }
    let ids = tree.children(id).unwrap_or_default();
    let children = std::mem::take(&mut element.children)
        .into_iter()
        .zip(ids)
        .map(|(child, id)| settle(tree, id, child, inner, child_clip, offsets))
        .collect();
    LayoutNode {
        rect,
        clip,
        scroll_range,
        element,
        children,
    }
}
