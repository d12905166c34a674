//! Set of Appium commands that a server supports, taken from its own list.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::shell::ShellAccess;
use runner_device::Ability;

/// Abilities as users know them, each with the `mobile:` commands that it takes.
const COMMANDS: [(&str, &[&str]); 14] = [
    ("looks", &["listWindows"]),
    ("keys", &["pressKey"]),
    ("text of any script", &["replaceElementValue", "type"]),
    (
        "launching and stopping apps",
        &["activateApp", "startActivity", "terminateApp"],
    ),
    ("clearing an app's data", &["clearApp"]),
    (
        "installing and removing apps",
        &["installApp", "removeApp", "listApps"],
    ),
    ("permissions", &["changePermissions"]),
    ("links", &["deepLink"]),
    ("files", &["pushFile", "pullFile"]),
    ("the clipboard", &["getClipboard", "setClipboard"]),
    ("the dark theme", &["getUiMode", "setUiMode"]),
    ("airplane mode", &["getConnectivity", "setConnectivity"]),
    ("location", &["isGpsEnabled", "toggleGps"]),
    ("notifications and quick settings", &["statusBar"]),
];
/// Abilities that only a shell gives.
const SHELL: &str = "a shell, the font size, the language, lists of files, names of app versions";

/// Names of the server's commands, such as `mobile: pressKey`. `None` if the server gives no list; then
/// commands are just tried.
#[derive(Debug, Default)]
pub(crate) struct Commands(Option<BTreeSet<String>>);

impl Commands {
    /// Reads the answer to `GET /session/ID/appium/extensions`. An answer without any `mobile:` command
    /// counts as no list.
    pub(crate) fn parse(listed: &Value) -> Self {
        let mut names = BTreeSet::new();
        collect(listed, &mut names, 0);
        Self((!names.is_empty()).then_some(names))
    }

    /// Returns true if the command is listed, or if there is no list.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|names| names.contains(&format!("mobile: {name}")))
    }

    /// Describes what the server can and cannot do, as far as it reports that: one entry for each group of
    /// commands, and last the shell. A group lacks something if any of its commands is missing; if the server
    /// lists no commands, none counts as missing.
    pub(crate) fn abilities(&self, shell: &ShellAccess) -> Vec<Ability> {
        let by_commands = COMMANDS.iter().map(|(what, names)| {
            let lacking: Vec<String> = names
                .iter()
                .filter(|name| !self.may_have(name))
                .map(|name| format!("`mobile: {name}`"))
                .collect();
            Ability {
                what,
                missing: (!lacking.is_empty())
                    .then(|| format!("its server has no {}", lacking.join(", "))),
            }
        });
        let by_shell = Ability {
            what: SHELL,
            missing: match shell {
                ShellAccess::Open => None,
                ShellAccess::Closed(why) => Some(why.to_string()),
            },
        };
        by_commands.chain(std::iter::once(by_shell)).collect()
    }

    /// Returns the number of commands, if there is a list.
    pub(crate) fn count(&self) -> Option<usize> {
        self.0.as_ref().map(BTreeSet::len)
    }
}

/// Collects the keys that begin with `mobile: ` into `names`. Drivers and plugins each have a map of their
/// own, so it descends, at most four levels below `level` 0.
fn collect(value: &Value, names: &mut BTreeSet<String>, level: usize) {
    for (key, value) in value.as_object().into_iter().flatten() {
        if key.starts_with("mobile: ") {
            names.insert(key.clone());
        } else if level < 4 {
            collect(value, names, level + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_server_lists_it_has() {
        let commands = Commands::parse(&json!({ "rest": {
            "driver": { "mobile: shell": { "command": "mobileShell" }, "mobile: type": {} },
            "plugins": { "images": { "mobile: find": {} } },
        }}));
        assert_eq!(commands.count(), Some(3));
        assert!(commands.may_have("shell") && commands.may_have("find"));
        assert!(!commands.may_have("listWindows"));
        let silent = Commands::parse(&json!({}));
        assert!(silent.may_have("anything") && silent.count().is_none());
    }
}
