//! Labels of devices that are unique over all runs.

use std::collections::HashMap;

use runner_device::DeviceInfo;
use runner_event::EventKind;

use super::attempts::identity;
use super::run::Run;

/// Makes labels unique over all runs: another device with the same label, as on another machine, gets the first free
/// number, such as `virtual (2)`. Labels of devices that were never ready stay. The same device keeps its label, and a
/// label means one device within a run, as the run first described it. All events of the run are changed to the new
/// label.
pub(super) fn name_devices(runs: &mut [Run]) {
    let mut known: HashMap<String, DeviceInfo> = HashMap::new();
    for run in runs {
        let mut names: HashMap<String, String> = HashMap::new();
        for event in &run.events {
            let EventKind::Device { label, info } = &event.kind else {
                continue;
            };
            // It was lost and is back, and a flow may have changed its language meanwhile.
            if names.contains_key(label) {
                continue;
            }
            let name = std::iter::once(label.clone())
                .chain((2..).map(|number| format!("{label} ({number})")))
                .find(|name| {
                    known
                        .get(name)
                        .is_none_or(|known| is_same_device(known, info))
                });
            let name = name.unwrap_or_else(|| label.clone());
            known.insert(name.clone(), (**info).clone());
            names.insert(label.clone(), name);
        }
        names.retain(|label, name| label != name);
        if names.is_empty() {
            continue;
        }
        for event in &mut run.events {
            for label in labels(&mut event.kind) {
                if let Some(name) = names.get(label) {
                    label.clone_from(name);
                }
            }
        }
    }
}

/// Returns true if two descriptions have the same serial, manufacturer, model, Android version, language, size and
/// density. Theme, font size and rotation may change while a device runs, so they do not count.
fn is_same_device(one: &DeviceInfo, other: &DeviceInfo) -> bool {
    let size = |info: &DeviceInfo| {
        let display = info.display.value().copied().unwrap_or_default();
        let (a, b) = (display.width, display.height);
        (a.min(b), a.max(b), display.density)
    };
    (&one.serial, &one.model, &one.manufacturer, &one.release)
        == (
            &other.serial,
            &other.model,
            &other.manufacturer,
            &other.release,
        )
        && (&one.sdk, &one.locale, size(one)) == (&other.sdk, &other.locale, size(other))
}

/// Returns all device labels of an event, to be changed in place. A label may occur more than once; most events of
/// a whole run have none.
fn labels(kind: &mut EventKind) -> Vec<&mut String> {
    match kind {
        EventKind::Plan { flows, devices, .. } => {
            let of_flows = flows.iter_mut().map(|id| &mut id.device);
            of_flows.chain(devices).collect()
        }
        EventKind::Device { label, .. } | EventKind::DeviceLost { label, .. } => vec![label],
        kind => identity(kind)
            .into_iter()
            .map(|id| &mut id.device)
            .collect(),
    }
}
