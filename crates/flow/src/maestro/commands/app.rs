//! Parses commands about an app: how it is launched, and what it may do.

use std::sync::Arc;

use crate::maestro::options::Options;
use crate::maestro::reader::Reader;
use crate::maestro::tree::{LaunchApp, LaunchArgument, MaestroCommand, RawText};
use crate::maestro::vocabulary::PERMISSION_GROUPS;
use crate::report::nearest;
use crate::yaml::Key;
use runner_device::permissions::is_manage_storage;
use runner_text::diagnostic::Code;

/// Values of a permission.
const PERMIT: [&str; 3] = ["allow", "deny", "unset"];

impl Reader<'_> {
    /// Reads a command about an app; the app is `None` without `appId`, which means the flow's own. Names that are
    /// none of `stopApp`, `killApp`, `clearState` and `setPermissions` count as `launchApp`. Only missing permissions
    /// of `setPermissions` are reported and return `None`.
    pub(super) fn app_command(
        &mut self,
        name: &str,
        options: &Options<'_>,
    ) -> Option<MaestroCommand> {
        let app_id = self.option_text(options, "appId");
        match name {
            "stopApp" => Some(MaestroCommand::StopApp(app_id)),
            "killApp" => Some(MaestroCommand::KillApp(app_id)),
            "clearState" => Some(MaestroCommand::ClearState(app_id)),
            "setPermissions" => {
                let Some(permissions) = self.permissions(options) else {
                    self.missing(options, "permissions");
                    return None;
                };
                Some(MaestroCommand::SetPermissions {
                    app_id,
                    permissions,
                })
            }
            _ => Some(MaestroCommand::LaunchApp(LaunchApp {
                app_id,
                clear_state: self.option_bool(options, "clearState", false),
                clear_keychain: self.option_bool(options, "clearKeychain", false),
                stop_app: self.maybe_bool(options, "stopApp"),
                permissions: self.permissions(options),
                arguments: self.launch_arguments(options),
            })),
        }
    }

    /// Reads permissions in their order, and warns of doubtful names and values, which are kept. Values that are no
    /// text are reported and left out. Returns `None` if the option is missing.
    fn permissions(&mut self, options: &Options<'_>) -> Option<Vec<(RawText, RawText)>> {
        let node = options.get("permissions")?;
        let texts = self.texts(node);
        for (key, value) in &texts {
            self.permission(key, value);
        }
        let entries = texts
            .into_iter()
            .map(|(key, value)| (self.key_text(key), value));
        Some(entries.collect())
    }

    /// Warns of permissions that Maestro accepts silently: a value other than `allow`, `deny` and `unset` denies the
    /// permission, and a name that Android does not know has no effect. Any name with a dot or `$` and `all` count as
    /// known, and values with `${…}` are not checked. Never an error.
    fn permission(&mut self, key: &Key, value: &RawText) {
        let word = value.text.as_str();
        if !value.has_script() && !PERMIT.contains(&word) {
            let message =
                format!("`{word}` is none of allow, deny and unset: it takes the permission away");
            let name = &key.text;
            let help = match word {
                "true" | "yes" | "granted" | "grant" | "always" => {
                    Some(format!("write `{name}: allow`"))
                }
                "false" | "no" | "denied" | "never" => Some(format!("write `{name}: deny`")),
                _ => {
                    nearest(word, PERMIT).map(|suggestion| format!("did you mean `{suggestion}`?"))
                }
            };
            self.doubtful(value.span.clone(), message, help);
        }
        let name = key.text.as_str();
        let groups = || PERMISSION_GROUPS.iter().map(|(group, _)| *group);
        let is_known = name.contains(['.', '$']) || groups().any(|group| group == name);
        if !is_known && name != "all" && !is_manage_storage(name) {
            let message = format!("Android knows no permission `{name}`: nothing is changed");
            let intended = nearest(name, groups()).map_or_else(
                || format!("android.permission.{}", name.to_uppercase()),
                str::to_owned,
            );
            let help = Some(format!("did you mean `{intended}`?"));
            self.doubtful(key.span.clone(), message, help);
        }
    }

    /// Reads the option `arguments`, in order and with their types. A number or boolean in quotes is text; wrong and
    /// missing values are reported and left out. Returns none if the option is missing.
    fn launch_arguments(&mut self, options: &Options<'_>) -> Vec<(RawText, LaunchArgument)> {
        let Some(node) = options.get("arguments") else {
            return Vec::new();
        };
        let mut arguments = Vec::new();
        for (key, value) in self.entries(node) {
            let Some(scalar) = value.scalar().filter(|_| !value.is_missing()) else {
                let message = format!("`{}` takes a text, a number or a boolean", key.text);
                self.fail(value, Code::WrongType, message, None);
                continue;
            };
            let number = scalar.number();
            let argument = if let Some(flag) = scalar.boolean() {
                LaunchArgument::Boolean(flag)
            } else if let Some(whole) = number.as_ref().and_then(serde_json::Number::as_i64) {
                LaunchArgument::Integer(whole)
            } else if let Some(decimal) = number.as_ref().and_then(serde_json::Number::as_f64) {
                LaunchArgument::Decimal(decimal)
            } else if let Some(text) = self.text(value) {
                LaunchArgument::Text(text)
            } else {
                continue;
            };
            arguments.push((self.key_text(key.clone()), argument));
        }
        arguments
    }

    /// Converts a key to a text with its place in the source.
    fn key_text(&self, key: Key) -> RawText {
        RawText {
            text: key.text,
            source: Arc::clone(&self.source),
            span: key.span,
        }
    }
}
