//! Describes how a screen of a replay differs from the recorded one, by words that another run shows again.

use runner_screen::{Screen, Selector};

/// Missing elements that are named, and as many new ones. Chosen: enough to see which screen it is.
const MAX_ELEMENTS: usize = 6;

/// Returns sentences about the differences of two screens: first another app or activity in front, if both are known,
/// then up to 6 elements that are gone, then up to 6 new ones. States, places, text fields and elements without words
/// do not count, so an empty result does not say that the screens are equal.
pub fn differences(recorded: &Screen, replayed: &Screen) -> Vec<String> {
    let mut differences = Vec::new();
    let (then, now) = (recorded.foreground(), replayed.foreground());
    if then != now
        && let Some(((package, activity), (other, instead))) = then.zip(now)
    {
        differences.push(format!(
            "{package}/{activity} was in front, and now {other}/{instead} is"
        ));
    }
    let missing = only_in(recorded, replayed);
    differences.extend(missing.map(|on| format!("was there, and is not now: {on}")));
    let new = only_in(replayed, recorded);
    differences.extend(new.map(|on| format!("is there now, and was not: {on}")));
    differences
}

/// Returns selectors for the first 6 elements on `this` screen, of the app in front, that find nothing on the
/// other. Text fields and elements without words do not count.
fn only_in<'a>(this: &'a Screen, other: &'a Screen) -> impl Iterator<Item = Selector> + 'a {
    let package = this.foreground().map(|(package, _)| package);
    this.nodes()
        .filter(move |node| node.is_on_screen() && !node.is_editable())
        .filter(move |node| package.is_none_or(|package| node.package() == package))
        .filter_map(move |node| Selector::by_words(this, node.index()))
        .filter(move |on| on.find(other).is_empty())
        .take(MAX_ELEMENTS)
}
