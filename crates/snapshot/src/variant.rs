//! Assigns variants of goldens to devices by rules of the project.

use globset::{GlobBuilder, GlobMatcher};

use super::name::check_variant;
use super::{RenderClass, SnapshotError};
use runner_device::{DeviceInfo, KindNames};

/// Rules in order; the first that matches decides.
#[derive(Debug, Clone, Default)]
pub struct Variants {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    name: String,
    patterns: Vec<GlobMatcher>,
}

impl Variants {
    /// Adds a rule after the others: devices that match one of the patterns have the variant `name`. Patterns
    /// are globs that ignore case, and `*` also matches `/`. A rule without patterns matches nothing. Names
    /// may repeat.
    ///
    /// # Errors
    /// The name cannot be a file name, or a pattern is not a valid glob; then no rule is added.
    pub fn add(&mut self, name: &str, patterns: &[String]) -> Result<(), SnapshotError> {
        check_variant(name)?;
        let patterns = patterns
            .iter()
            .map(|pattern| {
                GlobBuilder::new(pattern)
                    .case_insensitive(true)
                    .build()
                    .map(|glob| glob.compile_matcher())
                    .map_err(|_| SnapshotError::Name {
                        what: "pattern of devices",
                        given: pattern.clone(),
                        why: "it is not a glob (`*`, `?`, `[a-z]`, `{a,b}`)",
                    })
            })
            .collect::<Result<_, _>>()?;
        self.rules.push(Rule {
            name: name.to_owned(),
            patterns,
        });
        Ok(())
    }

    /// Returns the variant of a device: that of the first rule of which a pattern matches, else `None`. A pattern
    /// must match the whole of one word; it is compared with each of `virtual`, `emulator` or `phone`, the platform
    /// (`android-34`), the model, and the render class.
    pub fn find(&self, info: &DeviceInfo, class: &RenderClass) -> Option<&str> {
        let kind = info.kind_name(KindNames::PLAIN);
        let platform = format!("android-{}", info.sdk);
        let model = info.model.to_string();
        let is = [kind, &platform, &model, class.as_str()];
        let fits = |rule: &&Rule| {
            rule.patterns
                .iter()
                .any(|pattern| is.iter().any(|word| pattern.is_match(word)))
        };
        self.rules.iter().find(fits).map(|rule| rule.name.as_str())
    }

    /// Describes names and patterns for people, in order: `tablet: *Tab*, Pixel C; small: phone`. Without
    /// rules it is empty.
    pub fn describe(&self) -> String {
        let rules = self.rules.iter().map(|rule| {
            let patterns: Vec<&str> = rule.patterns.iter().map(|it| it.glob().glob()).collect();
            format!("{}: {}", rule.name, patterns.join(", "))
        });
        rules.collect::<Vec<_>>().join("; ")
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{class, info};

    #[test]
    fn the_first_rule_that_fits_decides() {
        let variants = |rules: &[(&str, &str)]| {
            let mut variants = Variants::default();
            for (name, pattern) in rules {
                variants.add(name, &[(*pattern).to_owned()]).unwrap();
            }
            variants
        };
        let info = DeviceInfo {
            model: runner_device::Reading::Said("Pixel Tablet".into()),
            virtual_device: runner_device::VirtualMark::new(false),
            features: runner_device::Features::default(),
            driver: None,
            ..info()
        };
        let class = class("lab-2560x1600");
        for (pattern, fits) in [
            ("phone", true),
            ("virtual", false),
            ("android-34", true),
            ("android-3?", true),
            ("android-3", false),
            ("pixel tab*", true),
            ("*2560*", true),
            ("lab", false),
            ("{emulator,*Tablet}", true),
        ] {
            let found = variants(&[("no", "nothing"), ("yes", pattern), ("late", "*")]);
            let expected = if fits { "yes" } else { "late" };
            assert_eq!(found.find(&info, &class), Some(expected), "{pattern}");
        }
        assert_eq!(Variants::default().find(&info, &class), None);
        assert_eq!(
            variants(&[("a", "b"), ("c", "d*")]).describe(),
            "a: b; c: d*"
        );
        for (name, pattern) in [("a b", "x"), ("", "x"), ("a", "[")] {
            assert!(
                Variants::default()
                    .add(name, &[pattern.to_owned()])
                    .is_err()
            );
        }
    }
}
