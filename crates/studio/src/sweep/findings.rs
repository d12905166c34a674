//! Finds what looks wrong on a screen, from its elements and its picture, without I/O. It leaves out doubtful
//! cases: with false ones, nobody would read the list.

use image::RgbaImage;
use serde::Serialize;

use super::contrast_sampler::ContrastSampler;
use runner_screen::{Node, Rect, Screen};
use runner_text::secret::Excerpt;

/// Size of a touch target, in dp. Source: Android's accessibility guidance asks for 48 × 48 dp at least.
const MIN_TOUCH_DP: f64 = 48.0;

/// Tolerance for rounded pixels, in dp. Chosen: sizes in pixels are rounded by less than one.
const ROUNDING_DP: f64 = 1.0;

/// Contrast of text, and of large text (18 pt, or 14 pt bold). Source: WCAG 2.1, criterion 1.4.3.
const MIN_TEXT_RATIO: f64 = 4.5;
const MIN_LARGE_TEXT_RATIO: f64 = 3.0;

/// Share of the required contrast below which an estimate counts: the smooth edges of small letters make it a
/// little too low. Chosen: with 1, correct texts would be reported.
const ESTIMATE_TOLERANCE: f64 = 0.93;

/// Height of a line of letters, in dp, below which it is certainly no large text: capitals of that are
/// higher. Chosen: 14 pt are 18.7 dp, of which capitals take about 0.7.
const MIN_LARGE_LINE_DP: f64 = 13.0;

/// Height of an element, in dp, below which no text can be read. Chosen: smaller than any legible font.
const MIN_TEXT_DP: f64 = 9.0;

/// Share of the smaller text's area above which two texts overlap. Chosen: boxes of texts touch by some
/// pixels in correct layouts.
const MIN_OVERLAP: f64 = 0.1;

/// Texts of a screen that are compared with each other. Chosen: it bounds the time for huge lists.
const MAX_TEXTS: usize = 2000;

/// Density if the display's is unknown, at which 1 dp is 1 pixel. Source: Android's `DENSITY_DEFAULT`.
const DEFAULT_DENSITY: u32 = 160;

/// Letters that a text needs to count as words. Chosen: shorter ones are often the same in all languages.
const MIN_LETTERS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FindingKind {
    Target,
    Label,
    Contrast,
    Clipped,
    Overlap,
    Untranslated,
}

/// Problem of an element.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finding {
    pub(super) kind: FindingKind,
    /// Class and text of the element, for a person.
    pub(super) element: String,
    pub(super) bounds: Rect,
    pub(super) message: String,
}

/// Problem for the page.
#[derive(Serialize)]
pub(super) struct FindingReport {
    kind: &'static str,
    element: String,
    message: String,
    bounds: [i32; 4],
}

impl FindingKind {
    /// Returns the name of the kind that the page shows, such as `touch target`.
    fn name(self) -> &'static str {
        match self {
            Self::Target => "touch target",
            Self::Label => "no label",
            Self::Contrast => "contrast",
            Self::Clipped => "clipped text",
            Self::Overlap => "overlapping text",
            Self::Untranslated => "not translated",
        }
    }
}

impl Finding {
    /// Creates a finding with the bounds of the element. The element is named by its words, or those of an element in
    /// it, or its id, or its class alone. Words are marked to be cut after 60 characters.
    fn new(kind: FindingKind, node: Node<'_>, message: String) -> Self {
        let within = || node.descendants().find_map(own_words);
        let words = own_words(node).or_else(within);
        let words = words.unwrap_or_else(|| node.resource_name());
        let words = Excerpt::new(words, 60).to_string();
        let element = match words.as_str() {
            "" => node.short_class().to_owned(),
            words => format!("{} “{words}”", node.short_class()),
        };
        Self {
            kind,
            element,
            bounds: node.bounds(),
            message,
        }
    }

    /// Converts the finding for the page; bounds are left, top, right and bottom. Masks no secrets.
    pub(super) fn report(&self) -> FindingReport {
        let Rect {
            left,
            top,
            right,
            bottom,
        } = self.bounds;
        FindingReport {
            kind: self.kind.name(),
            element: self.element.clone(),
            message: self.message.clone(),
            bounds: [left, top, right, bottom],
        }
    }
}

/// Returns the text, description or hint of a node, whichever is there first. `None` if all are blank.
fn own_words(node: Node<'_>) -> Option<&str> {
    let words = [node.display_text(), node.desc(), node.hint()];
    words.into_iter().find(|words| !words.trim().is_empty())
}

/// Returns all problems of a screen in the order of its elements, then overlapping texts. Only visible elements of the
/// app are judged, and not their translation. One element may have several. Without a picture, contrast and cut letters
/// are left out.
pub(super) fn find(screen: &Screen, pixels: Option<&RgbaImage>) -> Vec<Finding> {
    let nodes: Vec<Node<'_>> = screen.nodes().filter(|node| is_judged(*node)).collect();
    let mut found = Vec::new();
    for &node in &nodes {
        found.extend(target(node));
        found.extend(label(node));
        found.extend(clipped(node, pixels));
        found.extend(pixels.and_then(|pixels| low_contrast(node, pixels)));
    }
    found.extend(overlaps(&nodes));
    found
}

/// Returns a finding for each text of `screen`, in order, that `other`, the same screen in another language, has
/// too, anywhere. Empty if there is none. If all are equal, returns a single finding, as the language was probably
/// not set. Only words of the app count, not numbers or typed text.
pub(super) fn untranslated(other: &Screen, screen: &Screen) -> Vec<Finding> {
    let texts = |screen: &'_ Screen| -> Vec<String> {
        let nodes = screen
            .nodes()
            .filter(|node| is_judged(*node) && has_words(*node));
        nodes.map(|node| node.display_text().to_owned()).collect()
    };
    let before = texts(other);
    let here: Vec<Node<'_>> = screen
        .nodes()
        .filter(|node| is_judged(*node) && has_words(*node))
        .collect();
    let (same, changed): (Vec<Node<'_>>, Vec<Node<'_>>) = here
        .iter()
        .partition(|node| before.iter().any(|text| text == node.display_text()));
    let Some(first) = same.first() else {
        return Vec::new();
    };
    if changed.is_empty() {
        let message = "no text of this screen changed with the language: the app is not translated into it, or its language was not set";
        return vec![Finding::new(
            FindingKind::Untranslated,
            *first,
            message.to_owned(),
        )];
    }
    let finding = |node: &Node<'_>| {
        let message = "this text did not change with the language; a name may be the same in all";
        Finding::new(FindingKind::Untranslated, *node, message.to_owned())
    };
    same.iter().map(finding).collect()
}

/// Returns true for visible elements of the app: not of the keyboard or the system's bars, not below another window,
/// even in part, and not without area or outside of the display.
fn is_judged(node: Node<'_>) -> bool {
    let window = node.window();
    let is_of_system = matches!(
        window.kind.as_str(),
        "INPUT_METHOD" | "SYSTEM" | "ACCESSIBILITY_OVERLAY"
    ) || matches!(node.package(), "com.android.systemui" | "android");
    let bounds = node.bounds();
    let mut windows = node.screen().windows().iter();
    let is_beneath = windows.any(|other| {
        other.layer > window.layer
            && other
                .bounds
                .intersection(&bounds)
                .is_some_and(|part| !part.is_empty())
    });
    !is_of_system && !is_beneath && node.is_on_screen() && !bounds.is_empty()
}

/// Converts pixels to dp by the density of the node's display; an unknown density is `DEFAULT_DENSITY`.
fn dp(node: Node<'_>, pixels: u32) -> f64 {
    let density = match node.screen().display().density {
        0 => DEFAULT_DENSITY,
        density => density,
    };
    f64::from(pixels) * 160.0 / f64::from(density)
}

/// Returns true for an enabled element that reacts to a touch.
fn is_touched(node: Node<'_>) -> bool {
    let flags = node.flags();
    flags.enabled && (flags.clickable || flags.long_clickable || flags.checkable)
}

/// Returns true if only a part of a node may be visible: it touches the upper or lower edge of the scroller around
/// it or reaches over one of its sides, or reaches over an edge of the display. Touching the display's lower edge
/// counts too.
fn is_cut_by_edge(node: Node<'_>) -> bool {
    let bounds = node.bounds();
    let touches = |edge: Rect| {
        bounds.top <= edge.top
            || bounds.bottom >= edge.bottom
            || bounds.left < edge.left
            || bounds.right > edge.right
    };
    let display = node.screen().display().bounds();
    let at_display = !display.is_empty()
        && (bounds.top < display.top
            || bounds.bottom >= display.bottom
            || bounds.left < display.left
            || bounds.right > display.right);
    let scrolled = node.ancestors().find(|above| above.flags().scrollable);
    at_display || scrolled.is_some_and(|above| touches(above.bounds()))
}

/// Returns a finding for an enabled element that reacts to a touch and is smaller than [`MIN_TOUCH_DP`] in either
/// direction, with [`ROUNDING_DP`] of tolerance. No finding for an element cut off by an edge, or for one that is alone
/// in a larger element that can be touched.
fn target(node: Node<'_>) -> Option<Finding> {
    if !is_touched(node) || is_cut_by_edge(node) {
        return None;
    }
    let size = |node: Node<'_>| {
        let bounds = node.bounds();
        (dp(node, bounds.width()), dp(node, bounds.height()))
    };
    let is_large = |node: Node<'_>| {
        let (width, height) = size(node);
        width + ROUNDING_DP >= MIN_TOUCH_DP && height + ROUNDING_DP >= MIN_TOUCH_DP
    };
    // A switch in a row that is clickable as a whole.
    let in_larger = |above: Node<'_>| {
        is_touched(above)
            && is_large(above)
            && above
                .descendants()
                .filter(|below| is_touched(*below))
                .count()
                == 1
    };
    if is_large(node) || node.ancestors().any(in_larger) {
        return None;
    }
    let (width, height) = size(node);
    let message = format!(
        "{width:.0} × {height:.0} dp; Android's guidance asks for {MIN_TOUCH_DP:.0} × {MIN_TOUCH_DP:.0} dp"
    );
    Some(Finding::new(FindingKind::Target, node, message))
}

/// Returns a finding for an element without words for a screen reader, which reads an element together with those in
/// it. Only enabled elements that can be touched count. Words are a text, a description or a hint, here or in an
/// element within. Fields, whose label may be an element next to them, and elements in a touchable row with words are
/// left out.
fn label(node: Node<'_>) -> Option<Finding> {
    let says = |node: Node<'_>| own_words(node).is_some();
    if !is_touched(node) || node.is_editable() || says(node) || node.descendants().any(says) {
        return None;
    }
    // A switch in a row with words that is clickable as a whole.
    let row = node.ancestors().find(|above| is_touched(*above));
    if row.is_some_and(|row| says(row) || row.descendants().any(says)) {
        return None;
    }
    let message = "it can be touched, but a screen reader has nothing to say of it: no text and no description";
    Some(Finding::new(FindingKind::Label, node, message.to_owned()))
}

/// Returns true if a node draws a text of its own: a text that is not blank, of an element without children that is no
/// password field.
fn draws_text(node: Node<'_>) -> bool {
    let text = node.text();
    !text.trim().is_empty() && node.child_count() == 0 && !node.flags().password
}

/// Returns a finding for text whose contrast is clearly too low for its height, by the picture. Disabled elements,
/// hints and passwords do not count, nor text whose colours cannot be told.
fn low_contrast(node: Node<'_>, pixels: &RgbaImage) -> Option<Finding> {
    // WCAG makes no demand on disabled elements, and a hint is no text of its own.
    if !draws_text(node) || !node.flags().enabled || node.shows_hint() {
        return None;
    }
    let ink = ContrastSampler::new(pixels, node.bounds())?;
    let is_small = dp(node, ink.line_height()) < MIN_LARGE_LINE_DP;
    let wanted = if is_small {
        MIN_TEXT_RATIO
    } else {
        MIN_LARGE_TEXT_RATIO
    };
    if ink.contrast >= ESTIMATE_TOLERANCE * wanted {
        return None;
    }
    let message = format!(
        "about {:.1} : 1, estimated from the picture; WCAG 2.1 asks for {MIN_TEXT_RATIO} : 1, and {MIN_LARGE_TEXT_RATIO:.0} : 1 of large text",
        ink.contrast
    );
    Some(Finding::new(FindingKind::Contrast, node, message))
}

/// Returns a finding for text whose element is lower than [`MIN_TEXT_DP`], or whose letters reach its right or
/// lower edge. Text that an edge of its scroller or the display may cut off is fine. Without a picture only the
/// height is judged; the edges of fields are not.
fn clipped(node: Node<'_>, pixels: Option<&RgbaImage>) -> Option<Finding> {
    if !draws_text(node) || is_cut_by_edge(node) {
        return None;
    }
    let height = dp(node, node.bounds().height());
    if height < MIN_TEXT_DP {
        let message = format!("only {height:.0} dp are left of its height");
        return Some(Finding::new(FindingKind::Clipped, node, message));
    }
    // A field may show a part of a long text.
    if node.is_editable() {
        return None;
    }
    let edge = ContrastSampler::new(pixels?, node.bounds())?.crossed_edge()?;
    let message = format!("letters reach its {edge} edge, so that they may be cut off");
    Some(Finding::new(FindingKind::Clipped, node, message))
}

/// Returns findings for texts that lie over each other in one window and one scroller, by more than [`MIN_OVERLAP`] of
/// the smaller one. Text that scrolls below a bar does not count. The finding is of the text with the higher upper
/// edge, and names the other; a text has at most one, and they are in the order of upper edges. Only the first
/// [`MAX_TEXTS`] texts are looked at.
fn overlaps(nodes: &[Node<'_>]) -> Vec<Finding> {
    let scroller = |node: Node<'_>| {
        let mut above = node.ancestors();
        above
            .find(|above| above.flags().scrollable)
            .map(Node::index)
    };
    let mut texts: Vec<_> = nodes
        .iter()
        .filter(|node| draws_text(**node))
        .take(MAX_TEXTS)
        .map(|node| (*node, scroller(*node)))
        .collect();
    texts.sort_by_key(|(node, _)| node.bounds().top);
    let mut found = Vec::new();
    for (at, (one, scrolled)) in texts.iter().enumerate() {
        let lower = texts[at + 1..]
            .iter()
            .take_while(|(other, _)| other.bounds().top < one.bounds().bottom);
        for (other, by) in lower {
            let is_beside = scrolled == by && one.window().id == other.window().id;
            if is_beside && overlap(one.bounds(), other.bounds()) {
                let words = Excerpt::new(other.display_text(), 40);
                let message = format!("“{words}” lies over it");
                found.push(Finding::new(FindingKind::Overlap, *one, message));
                break;
            }
        }
    }
    found
}

/// Returns true if both overlap by more than `MIN_OVERLAP` of the smaller one's area. False if they only touch.
fn overlap(one: Rect, other: Rect) -> bool {
    let Some(both) = one.intersection(&other) else {
        return false;
    };
    let smaller = one.area().min(other.area()) as f64;
    both.area() as f64 > MIN_OVERLAP * smaller
}

/// Returns true for words of the app: a displayed text with at least [`MIN_LETTERS`] letters, whatever else is in
/// it, not in a field. Elements with children do not count.
fn has_words(node: Node<'_>) -> bool {
    let letters = node
        .display_text()
        .chars()
        .filter(|one| one.is_alphabetic());
    letters.count() >= MIN_LETTERS && !node.is_editable() && node.child_count() == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::{Display, DisplayContext};

    /// Builds a screen of 360 × 640 dp at 160 dpi with these nodes.
    fn screen(nodes: &str) -> Screen {
        let dump = format!(
            r#"<hierarchy rotation="0"><node class="android.widget.FrameLayout" package="com.app" bounds="[0,0][360,640]">{nodes}</node></hierarchy>"#
        );
        let display = Display {
            width: 360,
            height: 640,
            density: 160,
            rotation: 0,
        };
        let around = DisplayContext {
            display: Some(display),
            ..DisplayContext::default()
        };
        Screen::parse(dump.as_bytes(), &around).unwrap()
    }

    fn node(more: &str, bounds: &str) -> String {
        format!(
            r#"<node package="com.app" class="android.widget.TextView" enabled="true" {more} bounds="{bounds}"/>"#
        )
    }

    fn kinds(nodes: &str) -> Vec<&'static str> {
        let screen = screen(nodes);
        find(&screen, None)
            .iter()
            .map(|found| found.kind.name())
            .collect()
    }

    #[test]
    fn rows_tell_what_is_wrong() {
        let within = |outer: &str, inner: &str| {
            format!(
                r#"<node package="com.app" class="a.View" enabled="true" {outer}>{inner}</node>"#
            )
        };
        let switch = node(r#"checkable="true" clickable="true""#, "[300,110][340,140]");
        let words = node(r#"text="Wi-Fi""#, "[10,110][200,140]");
        let row = r#"clickable="true" bounds="[0,100][360,160]""#;
        let list = r#"scrollable="true" bounds="[0,100][360,600]""#;
        for (name, nodes, found) in [
            ("a large button", node(r#"text="Go" clickable="true""#, "[10,10][90,60]"), vec![]),
            ("a small one", node(r#"text="Go" clickable="true""#, "[10,10][90,50]"), vec!["touch target"]),
            ("one pixel less", node(r#"text="Go" clickable="true""#, "[10,10][90,57]"), vec![]),
            (
                "a small one that is off",
                r#"<node package="com.app" text="Go" clickable="true" enabled="false" bounds="[10,10][90,50]"/>"#.to_owned(),
                vec![],
            ),
            ("nothing to say", node(r#"clickable="true""#, "[10,10][90,90]"), vec!["no label"]),
            ("a description", node(r#"content-desc="Save" clickable="true""#, "[10,10][90,90]"), vec![]),
            ("only white space", node(r#"content-desc=" " clickable="true""#, "[10,10][90,90]"), vec!["no label"]),
            ("a switch in its row", within(row, &format!("{words}{switch}")), vec![]),
            ("a switch alone", switch.clone(), vec!["touch target", "no label"]),
            (
                "a row that is half scrolled away",
                within(list, &node(r#"text="Row" clickable="true""#, "[0,100][360,110]")),
                vec![],
            ),
            ("a text without height", node(r#"text="Low""#, "[10,10][90,15]"), vec!["clipped text"]),
            (
                "two texts in one place",
                format!("{}{}", node(r#"text="One""#, "[10,10][90,40]"), node(r#"text="Two""#, "[50,20][140,50]")),
                vec!["overlapping text"],
            ),
            (
                "two that touch",
                format!("{}{}", node(r#"text="One""#, "[10,10][90,40]"), node(r#"text="Two""#, "[10,39][90,70]")),
                vec![],
            ),
            (
                "a list beneath a bar",
                format!("{}{}", within(list, &node(r#"text="Row""#, "[0,200][360,240]")), node(r#"text="Bar""#, "[0,190][360,250]")),
                vec![],
            ),
        ] {
            assert_eq!(kinds(&nodes), found, "{name}");
        }
    }

    #[test]
    fn the_picture_tells_the_contrast() {
        let nodes = node(r#"text="Pale""#, "[10,10][110,40]");
        let screen = screen(&nodes);
        let mut pixels = RgbaImage::from_pixel(360, 640, image::Rgba([255, 255, 255, 255]));
        for (grey, found) in [(0_u8, 0), (110, 0), (150, 1), (200, 1)] {
            for x in (20..80).filter(|x| x % 5 < 2) {
                for y in 20..30 {
                    pixels.put_pixel(x, y, image::Rgba([grey, grey, grey, 255]));
                }
            }
            assert_eq!(find(&screen, Some(&pixels)).len(), found, "{grey}");
        }
    }

    #[test]
    fn texts_are_compared_with_another_language() {
        let texts = |texts: &[&str]| {
            let nodes = texts.iter().enumerate().map(|(at, text)| {
                let top = at * 50;
                node(
                    &format!(r#"text="{text}""#),
                    &format!("[0,{top}][200,{}]", top + 40),
                )
            });
            screen(&nodes.collect::<String>())
        };
        let reported = |one: &[&str], other: &[&str]| {
            let found = untranslated(&texts(one), &texts(other));
            found
                .into_iter()
                .map(|found| found.element)
                .collect::<Vec<_>>()
        };
        let english = ["Settings", "Sign out", "1.4.2", "OK"];
        let german = ["Einstellungen", "Sign out", "1.4.2", "OK"];
        assert_eq!(reported(&english, &german), ["TextView “Sign out”"]);
        assert_eq!(reported(&english, &english).len(), 1, "one word for all");
        assert_eq!(reported(&english, &["Einstellungen", "Abmelden"]), [""; 0]);
    }

    #[test]
    fn two_thousand_rows_are_judged() {
        let rows: String = (0..2000)
            .map(|at| {
                node(
                    &format!(r#"text="Row {at}" clickable="true""#),
                    "[0,100][360,120]",
                )
            })
            .collect();
        assert!(find(&screen(&rows), None).len() >= 2000);
    }
}
