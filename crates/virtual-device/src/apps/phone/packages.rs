//! The installed apps and their processes.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::{KEYBOARD, LAUNCHER, PERMISSIONS, SYSTEM_UI};
use crate::apps::app::{App, AppError};
use crate::{ActivityDump, ApkPath, LinkDump, PackageDump, PhoneError, SchemaCheck};

pub(super) struct Packages {
    schema_check: SchemaCheck,
    apps: BTreeMap<String, App>,
    next_pid: u32,
}

impl Packages {
    /// Returns no packages yet. `schema_check` is for apps that [`Self::load`] reads.
    pub fn new(schema_check: SchemaCheck) -> Self {
        Self {
            schema_check,
            apps: BTreeMap::new(),
            next_pid: 2001,
        }
    }

    pub fn load(&self, folder: &Utf8Path) -> Result<App, AppError> {
        App::load(folder, self.schema_check)
    }

    pub fn add(&mut self, app: App) {
        self.apps.insert(app.manifest.package.clone(), app);
    }

    /// Returns true for packages that cannot be removed or replaced: those of the system, and built-in apps.
    pub fn is_system(&self, package: &str) -> bool {
        [LAUNCHER, SYSTEM_UI, KEYBOARD, PERMISSIONS].contains(&package)
            || self.get(package).is_some_and(|app| app.system)
    }

    /// Removes an app. Returns false, and removes nothing, if there is none or it is of the system. Its process and
    /// screens are not ended here.
    pub fn remove(&mut self, package: &str) -> bool {
        !self.is_system(package) && self.apps.remove(package).is_some()
    }

    pub fn get(&self, package: &str) -> Option<&App> {
        self.apps.get(package)
    }

    pub fn get_mut(&mut self, package: &str) -> Option<&mut App> {
        self.apps.get_mut(package)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&String, &mut App)> {
        self.apps.iter_mut()
    }

    /// Iterates over the apps by package.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &App)> {
        self.apps.iter()
    }

    /// Returns the process id of an app, or `None` if it does not run.
    pub fn pid(&self, package: &str) -> Option<u32> {
        self.get(package)?.pid
    }

    /// Starts a process for an app. Returns its id, or `None` if the app has one already or does not exist.
    /// Ids are not used again.
    pub fn start_process(&mut self, package: &str) -> Option<u32> {
        let next = self.next_pid;
        let app = self.apps.get_mut(package)?;
        if app.pid.is_some() {
            return None;
        }
        app.pid = Some(next);
        self.next_pid += 17;
        Some(next)
    }

    /// Grants or revokes a permission. Fails for an unknown package, or one that does not list the
    /// permission. A running app is not told.
    pub fn set_permission(
        &mut self,
        package: &str,
        permission: &str,
        granted: bool,
    ) -> Result<(), PhoneError> {
        let app = self
            .get_mut(package)
            .ok_or_else(|| PhoneError::UnknownPackage(package.to_owned()))?;
        let state =
            app.permissions
                .get_mut(permission)
                .ok_or_else(|| PhoneError::NotRequested {
                    package: package.to_owned(),
                    permission: permission.to_owned(),
                })?;
        *state = granted;
        Ok(())
    }

    /// Returns all packages, sorted, with four of the system that have no app here.
    pub fn dump(&self) -> Vec<PackageDump> {
        let system = [
            (LAUNCHER, "Launcher", Some(".Home")),
            (KEYBOARD, "Keyboard", None),
            (PERMISSIONS, "Permissions", None),
            (SYSTEM_UI, "System UI", None),
        ];
        let mut all: Vec<PackageDump> = system
            .into_iter()
            .map(|(package, label, activity)| PackageDump {
                package: package.into(),
                label: label.into(),
                system: true,
                launchable: activity.map(Into::into),
                activities: Vec::new(),
                version: "14".into(),
                version_code: 34,
                permissions: Vec::new(),
                apk: None,
            })
            .collect();
        all.extend(self.apps.iter().map(|(package, app)| {
            PackageDump {
                package: package.clone(),
                label: app.manifest.label.clone(),
                system: app.system,
                launchable: app.manifest.launchable().map(Into::into),
                activities: activities(app),
                version: app.manifest.version.clone(),
                version_code: app.manifest.version_code,
                permissions: app
                    .permissions
                    .iter()
                    .map(|(name, granted)| (name.clone(), *granted))
                    .collect(),
                apk: app.apk.clone(),
            }
        }));
        all.sort_by(|a, b| a.package.cmp(&b.package));
        all
    }

    /// Returns the running processes in the order of their ids, with three of the system, which always run.
    pub fn processes(&self) -> Vec<(u32, String)> {
        let mut all = vec![
            (812, SYSTEM_UI.to_owned()),
            (934, KEYBOARD.to_owned()),
            (1101, LAUNCHER.to_owned()),
        ];
        all.extend(
            self.apps
                .iter()
                .filter_map(|(package, app)| Some((app.pid?, package.clone()))),
        );
        all.sort_unstable();
        all
    }
}

/// Returns the activities of an app in the order of its manifest, with their links.
fn activities(app: &App) -> Vec<ActivityDump> {
    if let Some(apk) = &app.apk {
        let classes = apk.activities.iter();
        let activities = classes.map(|class| {
            let links = apk.links.iter().filter(|link| link.activity == *class);
            let filters = links.clone().map(|link| LinkDump {
                schemes: link.schemes.clone(),
                hosts: link.hosts.clone(),
                paths: link.paths.iter().map(path_of_apk).collect(),
            });
            let inside = class.strip_prefix(&apk.package);
            let short = inside.filter(|rest| rest.starts_with('.'));
            ActivityDump {
                name: short.unwrap_or(class).to_owned(),
                links: filters.collect(),
                schemes: each_once(links.flat_map(|link| &link.schemes).map(String::as_str)),
            }
        });
        return activities.collect();
    }
    let activities = app.manifest.activities.iter();
    let activities = activities.map(|(name, activity)| {
        let links = activity.links.iter();
        let schemes = links.filter_map(|link| Some(link.split_once(':')?.0));
        ActivityDump {
            name: name.clone(),
            schemes: each_once(schemes),
            links: activity
                .links
                .iter()
                .filter_map(|link| link_filter(link))
                .collect(),
        }
    });
    activities.collect()
}

/// Returns a pattern for paths as Android prints it.
fn path_of_apk(path: &ApkPath) -> String {
    match path {
        ApkPath::Whole(path) => format!("LITERAL: {path}"),
        ApkPath::Prefix(path) => format!("PREFIX: {path}"),
        ApkPath::Pattern(path) => format!("GLOB: {path}"),
    }
}

/// Returns the intent filter of a link in `app.yaml`, such as `notes://note/{id}`: a part in braces is any text. `None`
/// for a text without a scheme.
fn link_filter(link: &str) -> Option<LinkDump> {
    let (scheme, rest) = link.split_once(':')?;
    let place = rest.strip_prefix("//");
    let (host, path) = place.map_or(("", ""), |place| {
        place.find('/').map_or((place, ""), |at| place.split_at(at))
    });
    let host = if host.contains('{') { "*" } else { host };
    let path = if path.contains('{') {
        let mut parts = path.split('{');
        let first = parts.next().unwrap_or_default().to_owned();
        let behind = parts.map(|part| part.split_once('}').map_or("", |(_, behind)| behind));
        let whole = behind.fold(first, |whole, behind| format!("{whole}.*{behind}"));
        format!("GLOB: {whole}")
    } else {
        format!("LITERAL: {path}")
    };
    let list = |text: &str, is_given: bool| Vec::from_iter(is_given.then(|| text.to_owned()));
    Some(LinkDump {
        schemes: vec![scheme.to_owned()],
        hosts: list(host, !host.is_empty()),
        paths: list(&path, path != "LITERAL: "),
    })
}

/// Returns each name once, in the order of their first places.
fn each_once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for name in names {
        if !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
    }
    list
}
