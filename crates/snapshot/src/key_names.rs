//! Names of keys for people, with the render class only if there are several.

use super::name::{GoldenKey, RenderClass};

/// Names for a set of keys that are shown together, such as those of a run or all pending ones.
#[derive(Debug, Clone, Default)]
pub struct KeyNames {
    first: Option<RenderClass>,
    shows_class: bool,
}

impl KeyNames {
    /// Creates names for these keys. The names include the class only if the keys have two or more different ones.
    /// Keys without class do not count.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a GoldenKey>) -> Self {
        let mut names = Self::default();
        for key in keys {
            names.add(key);
        }
        names
    }

    /// Returns names that are always the full keys, whatever keys are added, for programs.
    pub fn with_class() -> Self {
        Self {
            first: None,
            shows_class: true,
        }
    }

    /// Adds a key to the set. From the second class on, all names include the class. A key without class changes
    /// nothing.
    pub fn add(&mut self, key: &GoldenKey) {
        if let Some(class) = key.class() {
            self.shows_class |= self.first.get_or_insert_with(|| class.clone()) != class;
        }
    }

    /// Adds a key in the form of an event. A text that is no key is ignored.
    pub fn add_text(&mut self, key: &str) {
        if let Ok(key) = key.parse() {
            self.add(&key);
        }
    }

    /// Returns the name of a key: the key without class, or the full key if the known keys have several
    /// classes. A name without class stands for all classes, also where a person types it.
    pub fn name(&self, key: &GoldenKey) -> String {
        if self.shows_class {
            key.to_string()
        } else {
            key.shared().to_string()
        }
    }

    /// Returns the name of a key in the form of an event. A text that is no key is returned as it is.
    pub fn name_of_text(&self, key: &str) -> String {
        key.parse()
            .map_or_else(|_| key.to_owned(), |key| self.name(&key))
    }

    /// Returns `text` with all `keys` in it replaced by their names. With several classes nothing is replaced. Keys
    /// that cannot be parsed stay, and keys in the name of a file, such as `home~lab.png`. Keys are replaced one after
    /// the other, wherever their text stands.
    pub fn shorten(&self, text: &str, keys: &[&str]) -> String {
        if self.shows_class {
            return text.to_owned();
        }
        let is_file = |rest: &str| {
            let extension = rest.strip_prefix('.').unwrap_or_default();
            extension.starts_with(|c: char| c.is_ascii_alphanumeric())
        };
        let short = |text: String, key: &&str| {
            let name = self.name_of_text(key);
            let mut parts = text.split(*key);
            let mut shortened = parts.next().unwrap_or_default().to_owned();
            for rest in parts {
                shortened.push_str(if is_file(rest) { key } else { &name });
                shortened.push_str(rest);
            }
            shortened
        };
        keys.iter().fold(text.to_owned(), short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(all: &[&str]) -> Vec<GoldenKey> {
        all.iter().map(|key| key.parse().unwrap()).collect()
    }

    #[test]
    fn the_class_is_named_where_there_are_several() {
        for (all, names) in [
            (
                &["login/home~lab", "login/about~lab", "login/home"][..],
                &["login/home", "login/about", "login/home"][..],
            ),
            // A flow's path may hold the same sign.
            (
                &["old~new/home@dark~lab", "old~new/home"],
                &["old~new/home@dark", "old~new/home"],
            ),
            (
                &["login/home~lab", "login/about~desk"],
                &["login/home~lab", "login/about~desk"],
            ),
            (&[], &[]),
        ] {
            let keys = keys(all);
            let known = KeyNames::new(&keys);
            let named: Vec<String> = keys.iter().map(|key| known.name(key)).collect();
            assert_eq!(named, names);
        }
    }

    #[test]
    fn keys_in_a_text_are_shortened() {
        let keys = keys(&["a/home~lab", "b/home~lab"]);
        let file = "its picture goldens/a/home~lab.png is gone";
        let known = KeyNames::new(&keys);
        assert_eq!(known.shorten(file, &["a/home~lab"]), file);
        assert_eq!(known.shorten("a/home~lab.", &["a/home~lab"]), "a/home.");
        let text = "a/home~lab differs; b/home~lab does not";
        let known = KeyNames::new(&keys);
        assert_eq!(
            known.shorten(text, &["a/home~lab"]),
            "a/home differs; b/home~lab does not"
        );
    }
}
