//! First flow of a project for the app that a connected phone shows.

use std::time::Duration;

use crate::config::{Config, Origin};
use crate::device::uia2::Use;
use crate::device::{DeviceError, VIRTUAL, apps};
use crate::engine::elements::Elements;
use crate::engine::{CaptureOptions, Session};
use crate::harmless;
use crate::run::devices::{self, OpenDevice, OpenOptions, Target};
use crate::screen::{Screen, Selector};
use crate::secret::without_secrets;
use runner_text::flow_text;

/// Limit for finding the app. Chosen: a slow phone answers within it; whoever has no usable one does not wait
/// long.
const LIMIT: Duration = Duration::from_secs(15);

/// Elements suggested in the flow. Chosen: a list that is read at a glance.
const MAX_SUGGESTIONS: usize = 8;

/// App in front on a phone, with elements of its screen.
pub(super) struct AppInFront {
    pub package: String,
    /// Name of the device, as `--device` takes it.
    pub device: String,
    /// Selectors of visible elements, each on one line.
    elements: Vec<String>,
}

/// Finds the app in front on the named device, or on the only connected one. Returns `None` if the device is the
/// virtual one, if no device is named and none is connected, if there are several, if finding the app takes longer than
/// [`LIMIT`], or if a launcher or an app that cannot be launched is in front.
///
/// # Errors
/// Returns a [`DeviceError`] if opening a device that the command line names fails. All other errors give `None`, and
/// so does a named device that does not open within [`LIMIT`].
pub(super) async fn find(config: &Config) -> Result<Option<AppInFront>, DeviceError> {
    let is_named = config.devices.origin == Origin::CommandLine;
    let found = tokio::time::timeout(LIMIT, async {
        match open_only(config).await {
            Ok(Some((open, target))) => Ok(ask(&open, &target).await),
            Ok(None) => Ok(None),
            Err(error) if is_named => Err(error),
            Err(_) => Ok(None),
        }
    });
    found.await.unwrap_or(Ok(None))
}

/// Opens the device of the settings, or the only connected one; `None` for the virtual one and for several named
/// ones. An error if it cannot be opened, and if none is named and not exactly one is connected.
async fn open_only(config: &Config) -> Result<Option<(OpenDevice, Target)>, DeviceError> {
    let targets = devices::resolve(&config.devices.value, &config.adb_server()).await?;
    let mut targets = targets.into_iter();
    let (Some(target), None) = (targets.next(), targets.next()) else {
        return Ok(None);
    };
    if target.address.name() == VIRTUAL {
        return Ok(None);
    }
    let options = OpenOptions::new(config, Use::WhereItRuns);
    let open = devices::open(&target, &options).await?;
    Ok(Some((open, target)))
}

/// Returns the app in front of a device, with elements of its screen. Changes nothing there. `None` on any error,
/// and for a launcher or an app that cannot be launched.
async fn ask(open: &OpenDevice, target: &Target) -> Option<AppInFront> {
    let (package, _) = apps::foreground(open.device.as_ref()).await.ok()??;
    // A launcher, a lock screen or a dialog of the system is nothing to begin with.
    let home = apps::home(open.device.as_ref()).await.ok()?;
    if home.as_ref() == Some(&package) {
        return None;
    }
    apps::launchable(open.device.as_ref(), &package)
        .await
        .ok()??;
    let look = CaptureOptions {
        limit: LIMIT,
        picture: false,
    };
    let session = Session::new(open.device.clone());
    let screen = session.capture(look).await.ok()?.screen;
    Some(AppInFront {
        elements: elements(&screen, &package),
        package,
        device: target.label.clone(),
    })
}

/// Returns selectors of the first visible elements of the app, at most `MAX_SUGGESTIONS`, each harmless in one line. May
/// be empty. Nothing is masked, as there is no project yet; the text of a password field is never in them.
fn elements(screen: &Screen, package: &str) -> Vec<String> {
    let nodes = Elements::new(screen).visible();
    let own = nodes.iter().filter(|node| node.package() == package);
    let selectors = own.map(|node| Selector::picking(screen, node.index()).to_string());
    // Device text in a comment: nothing in it may begin a line.
    let safe = selectors.map(|selector| harmless::line(&without_secrets(&selector)).into_owned());
    safe.take(MAX_SUGGESTIONS).collect()
}

impl AppInFront {
    /// Returns a flow that starts the app and takes its first snapshot.
    pub fn flow(&self) -> String {
        first_flow(&self.package, &self.elements)
    }
}

/// Returns the text of a flow that starts an app, takes its first snapshot and stops the app, with the selectors in
/// `elements` as assertions in comments. Elements must be single lines.
pub(super) fn first_flow(package: &str, elements: &[String]) -> String {
    let package = flow_text::literal(&package.into());
    let mut text = format!(
        "# yaml-language-server: $schema=../runner.schema.json\n\
         name: The app starts\n\
         app: {package}\n\
         tags: [smoke]\n\
         setup: [launch]\n\
         steps:\n\
         \x20 - wait_for_idle\n"
    );
    if !elements.is_empty() {
        text.push_str("  # What was on the screen when this flow was written; `runner inspect` shows it anew:\n");
    }
    for element in elements {
        text.push_str(&format!("  #   - assert visible: {element}\n"));
    }
    text.push_str(
        "  # The first run stores nothing: `runner review` shows the screen, and you accept it as the golden.\n\
         \x20 - snapshot: start\n\
         teardown: [stop]\n",
    );
    text
}
