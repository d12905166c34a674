//! Advice for a step that was right for another app, another element or another time.

use super::{NextStep, Reader};
use runner_engine::{FieldChoices, NamedElement};

/// Says that the app must be installed, with the step for it.
pub(super) fn install_first(reader: &dyn Reader) -> String {
    match reader.step(&NextStep::Install) {
        Some(step) => format!("install it first, such as with `{step}`"),
        None => "install it first".to_owned(),
    }
}

/// Says that the flow's app is not in front, with the step that launches it.
pub(super) fn launch_first(app: &str, reader: &dyn Reader) -> String {
    let why =
        format!("{app}, the flow's app, is not in front, and no step before this one launched it");
    match reader.step(&NextStep::Launch) {
        Some(step) => format!("{why}; write `{step}` first"),
        None => why,
    }
}

/// Says that going back may have left the flow's app, with the step that only hides the keyboard.
pub(super) fn back_left(app: &str, reader: &dyn Reader) -> String {
    let why = format!("{app}, the flow's app, is not in front; `back` may have left it");
    match reader.step(&NextStep::HideKeyboard) {
        Some(step) => {
            format!("{why}, and where it was for the keyboard, `{step}` never leaves a screen")
        }
        None => why,
    }
}

/// Says that a step ended the flow's app, with the step that launches it anew.
pub(super) fn ended(app: &str, reader: &dyn Reader) -> String {
    let why = format!("{app}, the flow's app, is not in front: a step before this one ended it");
    match reader.step(&NextStep::Launch) {
        Some(step) => format!("{why}; write `{step}` between the two"),
        None => why,
    }
}

/// Lists the text fields of the screen, or says that there is none, and how to press an element that takes clicks and
/// no text. Fields that the reader cannot name give no line.
pub(super) fn fields(choices: &FieldChoices, reader: &dyn Reader) -> Vec<String> {
    let mut lines = Vec::new();
    match names(&choices.fields, reader) {
        Some(names) => lines.push(format!("text fields of the screen: {names}")),
        None if choices.fields.is_empty() => {
            lines.push("this look has no text field".to_owned());
        }
        None => {}
    }
    if let Some((class, slider)) = &choices.slider {
        let step = reader.step(&NextStep::Slide(&slider.selector));
        lines.extend(step.map(|step| format!("a {class} takes a drag and no text: `{step}`")));
    } else if let Some(clickable) = &choices.clickable {
        let step = reader.step(&NextStep::Click(&clickable.selector));
        lines.extend(step.map(|step| format!("it takes clicks and no text: `{step}`")));
    }
    lines
}

/// Says that the device denies an element an ability, and lists elements that have it.
pub(super) fn able(ability: &str, elements: &[NamedElement], reader: &dyn Reader) -> String {
    let why = format!("the device does not call it `{ability}`");
    match names(elements, reader) {
        Some(names) => format!("{why}; what it calls so here, the nearest first: {names}"),
        None if elements.is_empty() => format!("{why}, nor anything else in this look"),
        None => why,
    }
}

/// Says of each closed list of choices how it is opened, a line each. Those that the reader cannot click give no line.
pub(super) fn open_first(elements: &[NamedElement], reader: &dyn Reader) -> Vec<String> {
    let opening = elements.iter().filter_map(|element| {
        let name = reader.element(&element.selector, Some(&element.id))?;
        let step = reader.step(&NextStep::Click(&element.selector))?;
        let unit = reader.unit();
        Some(format!(
            "{name} is a closed list: what it offers is shown after `{step}` before this {unit}"
        ))
    });
    opening.collect()
}

/// Lists texts that can be read in or beside an element. `None` if there is none that the reader can name.
pub(super) fn texts_beside(elements: &[NamedElement], reader: &dyn Reader) -> Option<String> {
    let names = names(elements, reader)?;
    Some(format!(
        "texts in it and beside it, the nearest first: {names}"
    ))
}

/// Joins the names of elements in the reader's language. `None` if there are none.
fn names(elements: &[NamedElement], reader: &dyn Reader) -> Option<String> {
    let names = elements
        .iter()
        .filter_map(|one| reader.element(&one.selector, Some(&one.id)));
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(" | "))
}
