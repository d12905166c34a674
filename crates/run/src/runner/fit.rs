//! Decides which device fits a flow: by the flow's needs, and by the devices that its goldens have pictures
//! of.

use std::collections::{BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};

use crate::devices::Target;
use runner_device::{DeviceError, DeviceInfo};
use runner_flow::{DeviceMeasures, Needs};
use runner_snapshot::{FileKind, RenderClass, Store};

/// Suitability of a device for a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    /// The device fits, but others have pictures of the flow's goldens.
    Possibly,
    /// No device fits better.
    Well,
}

/// Properties of a device, known once it is open.
#[derive(Debug, Clone)]
pub(super) struct DeviceFacts {
    pub measures: DeviceMeasures,
    /// Render class at the time of opening, upright. None if the device did not answer a part of it.
    pub class: Option<String>,
}

impl DeviceFacts {
    /// Returns what decides whether the device fits: API level, the shorter side in dp, and the render class in
    /// portrait. What the device did not answer is `None`.
    pub fn new(info: &DeviceInfo, target: &Target) -> Self {
        let size = info.display.value().map(|display| {
            let narrow = u64::from(display.width.min(display.height));
            // 160 dots an inch make a dp a pixel.
            let size = narrow * 160 / u64::from(display.density.max(1));
            u32::try_from(size).unwrap_or(u32::MAX)
        });
        let class = RenderClass::from_device(info, false, target.render_class.as_deref());
        Self {
            measures: DeviceMeasures {
                sdk: info.sdk.value().copied(),
                size,
            },
            class: class.ok().map(|class| upright(&class)),
        }
    }
}

/// Checks that the device answered the properties that a flow's `needs` use: API level and size. Their values
/// are not compared.
///
/// # Errors
/// [`DeviceError::NotAnswered`] if it did not: then nobody knows whether it fits.
pub(super) fn check_answered(needs: Option<&Needs>, info: &DeviceInfo) -> Result<(), DeviceError> {
    let Some(needs) = needs else {
        return Ok(());
    };
    if needs.sdk.is_some() {
        info.sdk.needed()?;
    }
    if needs.size.is_some() {
        info.display.needed()?;
    }
    Ok(())
}

/// Returns a render class without its orientation: a device draws both.
fn upright(class: &RenderClass) -> String {
    class.as_str().replace("-land", "")
}

/// Render classes for which the goldens of each flow have pictures.
#[derive(Debug, Default)]
pub(super) struct PictureClasses(HashMap<Utf8PathBuf, BTreeSet<String>>);

impl PictureClasses {
    /// Reads from the store for which render classes each folder of goldens, or one below it, has pictures.
    /// Pending ones and other files do not count, and both orientations are the same class. An unreadable
    /// store has none here: the flows that use it report the error.
    pub fn from_store(store: &Store) -> Self {
        let mut classes: HashMap<Utf8PathBuf, BTreeSet<String>> = HashMap::new();
        for (key, kind, pending) in store.files().unwrap_or_default() {
            if pending || kind != FileKind::Picture {
                continue;
            }
            if let Some(class) = key.class() {
                let upright = upright(class);
                // Goldens of sub-flows are in folders below.
                for folder in key.flow().ancestors() {
                    let of_flow = classes.entry(folder.to_owned()).or_default();
                    of_flow.insert(upright.clone());
                }
            }
        }
        Self(classes)
    }

    /// Returns the classes of the goldens below a folder. None if they have no pictures at all.
    pub fn below(&self, folder: &Utf8Path) -> Option<&BTreeSet<String>> {
        self.0.get(folder)
    }
}
