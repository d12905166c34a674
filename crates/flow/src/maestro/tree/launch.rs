//! Launch of an app by a Maestro command.

use super::text::RawText;

#[derive(Debug, Clone, Default)]
pub struct LaunchApp {
    /// The flow's app by default.
    pub app_id: Option<RawText>,
    /// True to clear the app's data first.
    pub clear_state: bool,
    /// iOS only: no effect on Android.
    pub clear_keychain: bool,
    /// True to stop the app first, which is the default.
    pub stop_app: Option<bool>,
    /// Permissions with their values; any value but `allow` and an expression takes the permission away. Without a list
    /// all are granted.
    pub permissions: Option<Vec<(RawText, RawText)>>,
    /// Extras of the intent.
    pub arguments: Vec<(RawText, LaunchArgument)>,
}

/// Value of an extra of the intent.
#[derive(Debug, Clone, PartialEq)]
pub enum LaunchArgument {
    Text(RawText),
    Boolean(bool),
    Integer(i64),
    Decimal(f64),
}
