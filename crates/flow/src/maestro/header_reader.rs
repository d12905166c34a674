//! Reads the header of a Maestro file, the map before `---`, and reports its unknown keys.

use super::super::foreign;
use super::super::report::nearest;
use super::super::yaml::Document;
use super::options::Options;
use super::reader::Reader;
use super::tree::Header;
use super::vocabulary::HEADER;
use runner_text::diagnostic::Code;

impl Reader<'_> {
    /// Reads `appId`, `env` and `properties` of the header, and reports unknown keys. Returns `None` after a report
    /// without `appId` or with one that is no text; `url` is reported and taken in its place. Wrong variables are
    /// reported and left out. `second` is the place of a missing `appId`.
    pub(super) fn header(
        &mut self,
        options: &Options<'_>,
        second: Option<&Document>,
    ) -> Option<Header> {
        self.header_keys(options);
        let page = options.key("url");
        if let Some(key) = page {
            self.unsupported(key, "opens a web page; flows here test apps");
        }
        let app_id = match options.get("appId").or_else(|| options.get("url")) {
            Some(node) => self.text(node)?,
            None => {
                let span = second.map_or(0..0, |document| document.start.clone());
                let help = Some("add `appId: com.example.app` before `---`".to_owned());
                self.fail_at(span, Code::MissingKey, "this header has no `appId`", help);
                return None;
            }
        };
        let texts = |reader: &mut Self, name: &str| {
            let node = options.get(name);
            node.map(|node| reader.env(node)).unwrap_or_default()
        };
        Some(Header {
            app_id,
            env: texts(self, "env"),
            properties: texts(self, "properties")
                .into_iter()
                .map(|(name, value)| (name, value.text))
                .collect(),
        })
    }

    /// Reports unknown keys of the header: as an error if one resembles a known key, else as a warning. Maestro
    /// ignores all unknown keys. Also warns of a `jsEngine` other than `graaljs`.
    fn header_keys(&mut self, options: &Options<'_>) {
        for (key, value) in self.entries(options.node) {
            let name = key.text.as_str();
            let is_graal = || value.scalar().is_some_and(|it| it.text == "graaljs");
            if name == "jsEngine" && !is_graal() {
                // Scripts run as in Maestro's newer engine, so only the older one is missing.
                self.ignored(key, "all scripts run as with `graaljs`");
            }
            if HEADER.contains(&name) {
                continue;
            }
            match nearest(name, HEADER.iter().copied()) {
                Some(suggestion) => {
                    let message = format!("a header has no key `{name}`");
                    let help = Some(format!("did you mean `{suggestion}`?"));
                    self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
                }
                None => {
                    let message =
                        format!("`{name}` changes nothing: no key of a header has this name");
                    let help = foreign::maestro::header_key(name);
                    self.fail_at(key.span.clone(), Code::Ignored, message, help);
                }
            }
        }
    }

    /// Reads the tags as they are written, with duplicates; none if the key is missing. Items that are no text, and a
    /// value that is no list, are reported and left out.
    pub(super) fn tags(&mut self, options: &Options<'_>) -> Vec<String> {
        let Some(node) = options.get("tags") else {
            return Vec::new();
        };
        let items = self.items(node);
        items
            .iter()
            .filter_map(|item| self.text(item))
            .map(|tag| tag.text)
            .collect()
    }
}
