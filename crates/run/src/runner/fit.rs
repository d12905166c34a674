//! Which device fits which flow: what the flow needs of it, and of which device it has pictures.

use std::collections::{BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};

use crate::devices::Target;
use runner_device::{DeviceError, DeviceInfo};
use runner_flow::{DeviceMeasures, Needs};
use runner_snapshot::{FileKind, RenderClass, Store};

/// How well a device fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It does not.
    No,
    /// It does, but another would be better.
    Possibly,
    /// There is no better one.
    Well,
}

/// What is known of a device once it is open.
#[derive(Debug, Clone)]
pub(super) struct DeviceFacts {
    pub measures: DeviceMeasures,
    /// Its render class when it was opened, upright; none where it did not answer what that is made of.
    pub class: Option<String>,
}

impl DeviceFacts {
    pub fn of(info: &DeviceInfo, target: &Target) -> Self {
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

/// Checks that the device answered what a flow's `needs` are judged by.
///
/// # Errors
/// [`DeviceError::NotAnswered`] where it did not: whether it fits, nobody knows.
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

/// A class whichever way round: a device draws both.
fn upright(class: &RenderClass) -> String {
    class.as_str().replace("-land", "")
}

/// Of which render classes the flows' goldens have pictures.
#[derive(Debug, Default)]
pub(super) struct PictureClasses(HashMap<Utf8PathBuf, BTreeSet<String>>);

impl PictureClasses {
    /// As the store has them. The flows that use a store report that it cannot be read.
    pub fn of(store: &Store) -> Self {
        let mut classes: HashMap<Utf8PathBuf, BTreeSet<String>> = HashMap::new();
        for (key, kind, pending) in store.files().unwrap_or_default() {
            if pending || kind != FileKind::Picture {
                continue;
            }
            if let Some(class) = key.class() {
                let upright = upright(class);
                // Sub-flows keep theirs in folders below.
                for folder in key.flow().ancestors() {
                    let of_flow = classes.entry(folder.to_owned()).or_default();
                    of_flow.insert(upright.clone());
                }
            }
        }
        Self(classes)
    }

    /// Those of the goldens below a folder; none where they have no pictures at all.
    pub fn below(&self, folder: &Utf8Path) -> Option<&BTreeSet<String>> {
        self.0.get(folder)
    }
}
