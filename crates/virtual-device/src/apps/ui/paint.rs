//! Painting of laid out elements.

use std::collections::BTreeMap;

use tiny_skia::{
    FillRule, IntSize, Mask, Paint, Path, PathBuilder, Pixmap, PixmapPaint, PixmapRef,
    Rect as Area, Stroke, Transform,
};

use super::element::{Look, TextLook};
use super::icon;
use super::layout::{LayoutNode, Metrics};
use super::text::Fonts;
use super::theme::Colour;
use runner_picture::Frame;
use runner_screen::{Point, Rect};

/// A canvas of the size of the screen.
pub(crate) struct Painter<'a> {
    canvas: Pixmap,
    fonts: &'a Fonts,
    metrics: Metrics,
    /// Masks for shapes that a scrolling view clips, by its edges.
    masks: BTreeMap<[i32; 4], Mask>,
}

impl<'a> Painter<'a> {
    /// Makes a canvas filled with one colour. `width` and `height` are in pixels. Returns `None` for a size
    /// that no picture can have, such as 0.
    pub fn new(
        width: u32,
        height: u32,
        background: Colour,
        fonts: &'a Fonts,
        metrics: Metrics,
    ) -> Option<Self> {
        let size = IntSize::from_wh(width, height)?;
        let length = usize::try_from(u64::from(width) * u64::from(height) * 4).ok()?;
        let mut memory = Frame::memory(length);
        memory.resize(length, 0);
        let mut canvas = Pixmap::from_vec(memory, size)?;
        canvas.fill(colour(background));
        Some(Self {
            canvas,
            fonts,
            metrics,
            masks: BTreeMap::new(),
        })
    }

    /// Returns the finished picture, with premultiplied pixels; all are opaque if the background was.
    pub fn finish(self) -> Option<Frame> {
        let (width, height) = (self.canvas.width(), self.canvas.height());
        image::RgbaImage::from_raw(width, height, self.canvas.take()).map(Frame::from)
    }

    /// Fills a rectangle with a colour, over what is there. An empty rectangle is ignored.
    pub fn cover(&mut self, rect: Rect, with: Colour) {
        if let Some(area) = area(rect) {
            self.canvas
                .fill_rect(area, &paint(with), Transform::identity(), None);
        }
    }

    /// Fills the whole canvas with a colour, over what is there.
    pub fn cover_all(&mut self, with: Colour) {
        let (width, height) = (self.canvas.width() as i32, self.canvas.height() as i32);
        self.cover(Rect::new(0, 0, width, height), with);
    }

    /// Draws a picture of premultiplied pixels with its top left corner at a point. Parts outside the canvas
    /// are cut off.
    pub fn put(&mut self, picture: &Frame, at: Point) {
        let (width, height) = (picture.width(), picture.height());
        if let Some(pixels) = PixmapRef::from_bytes(picture.as_raw(), width, height) {
            let paint = PixmapPaint::default();
            self.canvas
                .draw_pixmap(at.x, at.y, pixels, &paint, Transform::identity(), None);
        }
    }

    /// Paints an element, all below it in drawing order, and its scroll bar. An invisible element ends its
    /// branch.
    pub fn draw(&mut self, placed: &LayoutNode) {
        let Some(observed) = placed.visible() else {
            return;
        };
        let cut = (observed != placed.rect).then_some(placed.clip);
        self.look(placed, cut);
        for child in placed.drawn() {
            self.draw(&placed.children[child]);
        }
        self.scroll_bar(placed);
    }

    /// Paints an element alone. A path or an icon that cannot be parsed is left out.
    fn look(&mut self, placed: &LayoutNode, cut: Option<Rect>) {
        let rect = placed.rect;
        match &placed.element.look {
            Look::None => {}
            Look::Box {
                fill,
                border,
                radius,
            } => self.boxed(rect, *fill, *border, *radius, cut),
            Look::Text(text) => {
                let px = |dp: f32| (dp * self.metrics.scale).round() as i32;
                let [left, top, right, bottom] = placed.element.layout.padding.map(px);
                let inside = Rect::new(
                    rect.left + left,
                    rect.top + top,
                    rect.right - right,
                    rect.bottom - bottom,
                );
                self.text(inside, text, cut);
            }
            Look::Icon { name, colour } => {
                if let Some(path) = icon::shape(name) {
                    self.icon(rect, &path, *colour, cut);
                }
            }
            Look::Path { data, colour } => {
                if let Some(path) = icon::parse(data) {
                    self.icon(rect, &path, *colour, cut);
                }
            }
            Look::Picture { seed } => self.picture(rect, *seed, cut),
            Look::Check { on, round, colour } => self.check(rect, *on, *round, *colour, cut),
            Look::Slider {
                fraction,
                colour,
                rest,
            } => self.slider(rect, *fraction, *colour, *rest, cut),
        }
    }

    /// Fills a path at a place, inside of `cut` if it is given. Masks are made once for each `cut`, and kept. An empty
    /// `cut` hides nothing.
    fn fill(&mut self, path: &Path, ink: Colour, place: Transform, cut: Option<Rect>) {
        let paint = paint(ink);
        let size = (self.canvas.width(), self.canvas.height());
        let mask = cut.and_then(|cut| {
            let key = [cut.left, cut.top, cut.right, cut.bottom];
            if let std::collections::btree_map::Entry::Vacant(entry) = self.masks.entry(key) {
                let mut mask = Mask::new(size.0, size.1)?;
                let area = PathBuilder::from_rect(area(cut)?);
                mask.fill_path(&area, FillRule::Winding, false, Transform::identity());
                entry.insert(mask);
            }
            self.masks.get(&key)
        });
        self.canvas
            .fill_path(path, &paint, FillRule::Winding, place, mask);
    }

    /// Paints a box with round corners, its border on the inside, at least a pixel wide. Radius and border are in
    /// dp.
    fn boxed(
        &mut self,
        rect: Rect,
        fill: Option<Colour>,
        border: Option<(Colour, f32)>,
        radius: f32,
        cut: Option<Rect>,
    ) {
        let radius = radius * self.metrics.scale;
        if let Some(fill) = fill {
            if radius <= 0.0 {
                // Cut by its corners: a mask is as large as the screen.
                let observed = cut.map_or(Some(rect), |cut| rect.intersection(&cut));
                if let Some(clipped) = observed {
                    self.cover(clipped, fill);
                }
            } else if let Some(path) = rounded(rect, radius, 0.0) {
                self.fill(&path, fill, Transform::identity(), cut);
            }
        }
        if let Some((colour, width)) = border {
            let width = (width * self.metrics.scale).max(1.0);
            if let Some(outline) = rounded(rect, radius, width / 2.0).and_then(|path| {
                let stroke = Stroke {
                    width,
                    ..Stroke::default()
                };
                path.stroke(&stroke, 1.0)
            }) {
                self.fill(&outline, colour, Transform::identity(), cut);
            }
        }
    }

    /// Paints a text in lines, and its caret in the line that has it. Centred text is centred both ways. What does
    /// not fit is painted beyond the rectangle, up to `cut`, and the caret even beyond that.
    fn text(&mut self, rect: Rect, text: &TextLook, cut: Option<Rect>) {
        let size = self.metrics.letters(text.size);
        let width = rect.width() as f32;
        let lines = self
            .fonts
            .lines(&text.text, size, text.weight, width, text.max_lines);
        let height = Fonts::line_height(size);
        let spare = rect.height() as f32 - height * lines.len() as f32;
        let mut top = rect.top as f32 + if text.centred { spare / 2.0 } else { 0.0 };
        let mut caret_drawn = false;
        for (index, line) in lines.iter().enumerate() {
            let left = rect.left as f32
                + if text.centred {
                    ((width - line.width) / 2.0).max(0.0)
                } else {
                    0.0
                };
            let mut path = PathBuilder::new();
            self.fonts
                .outline(&mut path, &line.text, size, text.weight, left, top.round());
            if let Some(path) = path.finish() {
                self.fill(&path, text.colour, Transform::identity(), cut);
            }
            let last = index + 1 == lines.len();
            if let Some(caret) = text.caret
                && !caret_drawn
                && caret >= line.start
                && (last || caret < lines.get(index + 1).map_or(usize::MAX, |next| next.start))
            {
                caret_drawn = true;
                let before: String = line.text.chars().take(caret - line.start).collect();
                let x = (left + self.fonts.width(&before, size, text.weight)).round() as i32;
                let thick = (2.0 * self.metrics.scale).round() as i32;
                let (top, bottom) = (top.round() as i32, (top + height).round() as i32);
                self.cover(Rect::new(x, top, x + thick, bottom), text.colour);
            }
            top += height;
        }
    }

    /// Paints an icon of 24 units as the largest square in the middle of a rectangle.
    fn icon(&mut self, rect: Rect, path: &Path, colour: Colour, cut: Option<Rect>) {
        let side = rect.width().min(rect.height()) as f32;
        let left = rect.left as f32 + (rect.width() as f32 - side) / 2.0;
        let top = rect.top as f32 + (rect.height() as f32 - side) / 2.0;
        let scale = side / 24.0;
        let place = Transform::from_row(scale, 0.0, 0.0, scale, left, top);
        self.fill(path, colour, place, cut);
    }

    /// Paints a landscape in place of a picture. Equal seeds give equal colours; its shapes are always the same.
    fn picture(&mut self, rect: Rect, seed: u64, cut: Option<Rect>) {
        let hue = |shift: u32, base: u8| base.wrapping_add(((seed >> shift) & 0x3F) as u8);
        let sky = Colour {
            red: hue(0, 150),
            green: hue(6, 170),
            blue: hue(12, 190),
            alpha: 255,
        };
        let far = sky.mix(Colour::rgb(0x00_30_40_60), 120);
        let near = sky.mix(Colour::rgb(0x00_20_30_30), 190);
        let radius = 8.0;
        self.boxed(rect, Some(sky), None, radius, cut);
        let (w, h) = (rect.width() as f32, rect.height() as f32);
        let (l, t) = (rect.left as f32, rect.top as f32);
        let hill = |from: f32, peak: f32, to: f32, high: f32| {
            let mut path = PathBuilder::new();
            path.move_to(l + w * from, t + h);
            path.line_to(l + w * peak, t + h * high);
            path.line_to(l + w * to, t + h);
            path.close();
            path.finish()
        };
        let sun = PathBuilder::from_circle(l + w * 0.74, t + h * 0.28, w.min(h) * 0.1);
        for (path, colour) in [
            (sun, sky.mix(Colour::rgb(0x00_FF_FF_FF), 190)),
            (hill(0.3, 0.66, 0.96, 0.42), far),
            (hill(0.05, 0.35, 0.7, 0.32), near),
        ] {
            if let Some(path) = path {
                self.fill(&path, colour, Transform::identity(), cut);
            }
        }
    }

    /// Paints a box, with a tick if `on`; or a round one, with a dot if `on`.
    fn check(&mut self, rect: Rect, on: bool, round: bool, colour: Colour, cut: Option<Rect>) {
        let dp = self.metrics.scale;
        let inset = (3.0 * dp) as i32;
        let inner = Rect::new(
            rect.left + inset,
            rect.top + inset,
            rect.right - inset,
            rect.bottom - inset,
        );
        let radius = if round { 12.0 } else { 2.0 };
        let fill = (on && !round).then_some(colour);
        self.boxed(inner, fill, Some((colour, 2.0)), radius, cut);
        if !on {
            return;
        }
        if round {
            let dot = (5.0 * dp) as i32;
            let core = Rect::new(
                inner.left + dot,
                inner.top + dot,
                inner.right - dot,
                inner.bottom - dot,
            );
            self.boxed(core, Some(colour), None, 12.0, cut);
        } else if let Some(tick) = icon::shape("check") {
            let bright = u32::from(colour.red) + u32::from(colour.green) + u32::from(colour.blue);
            let ink = if bright > 420 {
                0x00_12_18_22
            } else {
                0x00_FF_FF_FF
            };
            self.icon(inner, &tick, Colour::rgb(ink), cut);
        }
    }

    /// Paints a slider: its track, the part up to the thumb, and the thumb. `fraction` is limited to 0 to 1.
    fn slider(
        &mut self,
        rect: Rect,
        fraction: f32,
        colour: Colour,
        track: Colour,
        cut: Option<Rect>,
    ) {
        let dp = self.metrics.scale;
        let (thumb, half) = ((10.0 * dp) as i32, (2.0 * dp) as i32);
        let middle = rect.center().y;
        let room = rect.width() as i32 - 2 * thumb;
        let x = rect.left + thumb + (room as f32 * fraction.clamp(0.0, 1.0)).round() as i32;
        let bar = |from: i32, to: i32| Rect::new(from, middle - half, to, middle + half);
        self.boxed(
            bar(rect.left + thumb, rect.right - thumb),
            Some(track),
            None,
            2.0,
            cut,
        );
        self.boxed(bar(rect.left + thumb, x), Some(colour), None, 2.0, cut);
        let knob = Rect::new(x - thumb, middle - thumb, x + thumb, middle + thumb);
        self.boxed(knob, Some(colour), None, 10.0, cut);
    }

    /// Paints the scroll bar of a view that scrolls down and is higher than its room: its length shows the visible
    /// part. Other views get none.
    fn scroll_bar(&mut self, placed: &LayoutNode) {
        if placed.scroll_range == 0
            || placed.element.layout.scroll != Some(super::element::Axis::Vertical)
        {
            return;
        }
        let Some(observed) = placed.visible() else {
            return;
        };
        let offset = placed
            .children
            .first()
            .map_or(0, |first| (placed.rect.top - first.rect.top).max(0));
        let all = observed.height() as i32 + placed.scroll_range;
        let displayed = observed.height() as i32;
        let high = (i64::from(displayed) * i64::from(displayed) / i64::from(all.max(1))) as i32;
        let top = observed.top
            + (i64::from(offset) * i64::from(displayed) / i64::from(all.max(1))) as i32;
        let wide = (3.0 * self.metrics.scale) as i32;
        let bottom = (top + high).min(observed.bottom);
        let bar = Rect::new(
            observed.right - 2 * wide,
            top,
            observed.right - wide,
            bottom,
        );
        self.boxed(
            bar,
            Some(Colour::rgb(0x00_80_84_8C).with_alpha(110)),
            None,
            1.5,
            None,
        );
    }
}

fn colour(colour: Colour) -> tiny_skia::Color {
    tiny_skia::Color::from_rgba8(colour.red, colour.green, colour.blue, colour.alpha)
}

/// Returns a smooth paint of one colour.
fn paint(with: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(with));
    paint.anti_alias = true;
    paint
}

/// Converts a rectangle, or returns `None` if it is empty.
fn area(rect: Rect) -> Option<Area> {
    Area::from_ltrb(
        rect.left as f32,
        rect.top as f32,
        rect.right as f32,
        rect.bottom as f32,
    )
}

/// Returns a rounded rectangle, `inset` pixels inside. The radius is limited to half of the shorter side.
/// Returns `None` if nothing is left inside.
fn rounded(rect: Rect, radius: f32, inset: f32) -> Option<Path> {
    let (left, top) = (rect.left as f32 + inset, rect.top as f32 + inset);
    let (right, bottom) = (rect.right as f32 - inset, rect.bottom as f32 - inset);
    if right <= left || bottom <= top {
        return None;
    }
    let radius = (radius - inset).clamp(0.0, (right - left).min(bottom - top) / 2.0);
    if radius <= 0.0 {
        return Area::from_ltrb(left, top, right, bottom).map(PathBuilder::from_rect);
    }
    // Distance of the control points from the corner, in the usual approximation of a quarter circle.
    let near = radius * (1.0 - 0.552_284_8);
    let mut path = PathBuilder::new();
    path.move_to(left + radius, top);
    path.line_to(right - radius, top);
    path.cubic_to(right - near, top, right, top + near, right, top + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(
        right,
        bottom - near,
        right - near,
        bottom,
        right - radius,
        bottom,
    );
    path.line_to(left + radius, bottom);
    path.cubic_to(
        left + near,
        bottom,
        left,
        bottom - near,
        left,
        bottom - radius,
    );
    path.line_to(left, top + radius);
    path.cubic_to(left, top + near, left + near, top, left + radius, top);
    path.close();
    path.finish()
}
