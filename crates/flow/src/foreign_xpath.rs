//! Translates paths of `XPath` into selectors.

use std::sync::LazyLock;

use regex::Regex;

use super::foreign;
use super::foreign_text::regex;

/// Returns advice for a path: the element that its only condition names, or that of the last step of the path, inside of the
/// one of the step before. Other paths, such as those to a sibling, get advice without an element.
pub(crate) fn instead(path: &str) -> String {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"@(text|resource-id|content-desc)\s*=\s*(?:'([^']+)'|"([^"]+)")"#)
    });
    let found: Vec<_> = VALUE.captures_iter(path).collect();
    let element = |found: &regex::Captures<'_>| {
        let key = match &found[1] {
            "text" => "text",
            "resource-id" => "id",
            _ => "desc",
        };
        let value = found.get(2).or(found.get(3)).map_or("…", |it| it.as_str());
        format!("{key}: {}", foreign::yaml(value))
    };
    let goes_elsewhere = path.contains("/..") || path.contains("::");
    let last = found.last().filter(|_| !goes_elsewhere).map(element);
    // Two conditions in one pair of brackets are of one element.
    let outer = match found.as_slice() {
        [.., outer, last] => {
            let ends = outer.get(0).zip(last.get(0));
            let between = ends.map_or("", |(outer, last)| &path[outer.end()..last.start()]);
            between.contains(']').then(|| element(outer))
        }
        _ => None,
    };
    match (last, outer) {
        (Some(last), Some(outer)) => {
            format!("there is no XPath; write `{{ {last}, inside: {{ {outer} }} }}`")
        }
        (Some(last), None) => format!("there is no XPath; write `{{ {last} }}`"),
        (None, _) => {
            "there is no XPath; write `{ id: … }`, `{ text: … }` or `{ text: …, inside: … }`"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::instead;

    #[test]
    fn the_last_step_of_a_path_is_the_element() {
        for (path, ours) in [
            ("//Button[@text='OK']", "`{ text: OK }`"),
            ("//*[@resource-id=\"save\"]", "`{ id: save }`"),
            (
                "//*[@resource-id='list']//*[@text='Milk']",
                "`{ text: Milk, inside: { id: list } }`",
            ),
            (
                "//*[@class='a' and @content-desc='Save']",
                "`{ desc: Save }`",
            ),
            (
                "//*[@text='Wifi']/../*[@resource-id='switch']",
                "`{ id: … }`",
            ),
            ("//*[@text='Wifi']/following-sibling::Switch", "`{ id: … }`"),
            ("//Button[1]", "`{ id: … }`"),
        ] {
            let told = instead(path);
            assert!(told.contains(ours), "{path}: {told}");
        }
    }
}
