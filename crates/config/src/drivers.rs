//! Folders outside of a project in which drivers are searched for.

use camino::Utf8PathBuf;

use runner_base::context::Context;

/// Folders outside of the project in which drivers are searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DriverHomes {
    /// `$APPIUM_HOME`, or else `~/.appium`.
    pub appium: Option<Utf8PathBuf>,
    /// Folder into which `runner driver install` downloads.
    pub own: Option<Utf8PathBuf>,
}

/// Derives the folders of drivers from variables, the platform's rules and the home folder; `None` for one
/// that these do not give. Does not check that they exist. Relative paths of variables are relative to the
/// working folder.
pub(super) fn homes(context: &Context) -> DriverHomes {
    let folder = |name: &str| {
        let path = context.variable(name)?;
        // A relative path is relative to the working folder.
        Some(context.working_folder.join(path))
    };
    let home = folder("HOME").or_else(|| folder("USERPROFILE"));
    let in_home = |below: &str| home.as_ref().map(|home| home.join(below));
    let data = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        in_home("Library/Application Support")
    } else {
        folder("XDG_DATA_HOME").or_else(|| in_home(".local/share"))
    };
    DriverHomes {
        appium: folder("APPIUM_HOME").or_else(|| in_home(".appium")),
        own: data.map(|data| data.join("runner/uia2")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn folders_are_where_the_environment_says() {
        let of = |variables: &[(&str, &str)]| {
            let variables: BTreeMap<String, String> = variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            let homes = homes(&Context::fixed("/work".into(), variables));
            let displayed = |path: Option<Utf8PathBuf>| path.map(Utf8PathBuf::into_string);
            (displayed(homes.appium), displayed(homes.own))
        };
        let some = |path: &str| Some(path.to_owned());
        assert_eq!(of(&[]), (None, None));
        assert_eq!(
            of(&[("HOME", "/home/ada")]),
            (
                some("/home/ada/.appium"),
                some("/home/ada/.local/share/runner/uia2")
            )
        );
        assert_eq!(
            of(&[("APPIUM_HOME", "here"), ("XDG_DATA_HOME", "/data")]),
            (some("/work/here"), some("/data/runner/uia2"))
        );
    }
}
