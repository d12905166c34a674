//! Elements by whose words a screen is recognised.

use runner_screen::{Node, Screen, Selector};

/// Returns true if the selector finds at least one element on this screen.
pub(super) fn is_visible(on: &Selector, screen: &Screen) -> bool {
    !on.find(screen).is_empty()
}

/// Returns true if the element is on the screen, of the app in front, has words and is no text field. If the
/// device reports no app, elements of all windows but the keyboard's count.
pub(super) fn says_something(node: Node<'_>, screen: &Screen) -> bool {
    let package = screen.foreground().map(|(package, _)| package);
    let says = !node.text().trim().is_empty() || !node.desc().trim().is_empty();
    says && node.is_on_screen()
        && !node.is_editable()
        && package.is_none_or(|package| node.package() == package)
        && node.window().kind != "INPUT_METHOD"
}

/// Returns a selector by words for an element of the last screen. It prefers words that are new since
/// `before`, then titles over buttons, then the first. Without `before` all words are new. `None` if no
/// element has words that identify it.
pub(super) fn distinguishing_selector(last: &Screen, before: Option<&Screen>) -> Option<Selector> {
    let is_new = |on: &Selector| before.is_none_or(|before| !is_visible(on, before));
    let mut best: Option<((bool, bool), Selector)> = None;
    for node in last.nodes().filter(|node| says_something(*node, last)) {
        let Some(on) = Selector::by_words(last, node.index()) else {
            continue;
        };
        let rank = (is_new(&on), !node.flags().clickable);
        if best.as_ref().is_none_or(|(top, _)| rank > *top) {
            best = Some((rank, on));
        }
        if rank == (true, true) {
            break;
        }
    }
    best.map(|(_, on)| on)
}
