//! Reports flows that need what no device has, before anything runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::fit::DeviceFacts;
use super::pool::{Member, Pool};
use super::state::Run;
use super::work_item::WorkItem;
use crate::devices::Target;
use runner_event::{FlowStatus, SourceLocation, StopReason};
use runner_flow::Needs;
use runner_tools::{Failure, FailureKind};

/// Reason why an item does not run: no device, or not the one that it is bound to, fits its `needs`.
#[derive(Clone)]
pub(super) struct DeviceMismatch {
    /// True if another device of the run fits: the flow runs there.
    is_elsewhere: bool,
    message: String,
    /// Properties of each device, as text.
    devices: Vec<String>,
}

/// Returns the reason why an item does not run on the run's only device, if it does not.
pub(super) fn check_only_device(
    item: &WorkItem,
    target: &Target,
    facts: &DeviceFacts,
) -> Option<DeviceMismatch> {
    let needs = item.flow().needs.as_ref()?;
    let fits = needs.fit(&target.tags, Some(facts.measures));
    (!fits).then(|| nowhere(needs, vec![describe(target, Some(facts))]))
}

/// Returns the mismatch with all devices of the run, each described in `devices`.
fn nowhere(needs: &Needs, devices: Vec<String>) -> DeviceMismatch {
    DeviceMismatch {
        is_elsewhere: false,
        message: format!("it needs {needs}, and no device of the run has that"),
        devices,
    }
}

/// Describes a device in words, such as `device 'tablet' has tags tablet, lab; sdk 34; size 800`. Measures
/// are left out while the device is not open, and `unknown` if it did not tell.
fn describe(target: &Target, facts: Option<&DeviceFacts>) -> String {
    let tags = if target.tags.is_empty() {
        "no tags".to_owned()
    } else {
        format!("tags {}", target.tags.join(", "))
    };
    let measures = facts.map_or_else(String::new, |facts| {
        let measures = facts.measures;
        let number =
            |number: Option<u32>| number.map_or_else(|| "unknown".to_owned(), |it| it.to_string());
        format!(
            "; sdk {}; size {}",
            number(measures.sdk),
            number(measures.size)
        )
    });
    format!("device '{}' has {tags}{measures}", target.label)
}

/// Returns the reason why an item does not run on any of its devices, as far as their properties are known.
/// `None` if one may fit, or if the item needs nothing. An item that is bound to a device may fit elsewhere,
/// which the result says.
fn judge(item: &WorkItem, members: &[Member]) -> Option<DeviceMismatch> {
    let needs = item.flow().needs.as_ref()?;
    let fits = |member: &Member| member.may_fit(item.flow());
    let own = item.bound.and_then(|at| members.get(at));
    if own.map_or_else(|| members.iter().any(fits), fits) {
        return None;
    }
    let say = |member: &Member| describe(&member.target, member.facts.as_ref());
    match own {
        Some(own) if members.iter().any(fits) => Some(DeviceMismatch {
            is_elsewhere: true,
            message: format!("it needs {needs}, and {}", say(own)),
            devices: Vec::new(),
        }),
        _ => Some(nowhere(needs, members.iter().map(say).collect())),
    }
}

impl Run {
    /// Ends the items that fit no device, as far as the devices are known. One that no device can ever fit
    /// stops the whole run, unless `allow_unfit` is set. One that fits elsewhere, and all with `allow_unfit`,
    /// are only skipped.
    pub(super) fn finish_all_unfit(self: &Arc<Self>, pool: &Pool) {
        for (item, device, mismatch) in pool.take_unfit(judge) {
            if !mismatch.is_elsewhere && !self.settings.options.allow_unfit {
                self.is_unfit.store(true, Ordering::Relaxed);
            }
            self.finish_unfit(&item, &device, &mismatch);
        }
        if self.is_unfit.load(Ordering::Relaxed) {
            self.stop(StopReason::Unfit);
        }
    }

    /// Reports an item that does not run because no device fits: as skipped if it fits elsewhere or
    /// `allow_unfit` is set, else as an error at its `needs`.
    pub(super) fn finish_unfit(&self, item: &WorkItem, device: &str, mismatch: &DeviceMismatch) {
        let is_skipped = mismatch.is_elsewhere || self.settings.options.allow_unfit;
        let (status, kind) = if is_skipped {
            (FlowStatus::Skipped, FailureKind::Assertion)
        } else {
            (FlowStatus::Error, FailureKind::Unfit)
        };
        let failure =
            Failure::new(kind, mismatch.message.clone()).with_details(mismatch.devices.clone());
        let needs = item.flow().needs.as_ref().filter(|_| !is_skipped);
        let at =
            needs.map(|needs| SourceLocation::from_offset(&item.flow().source, needs.span.start));
        if at.is_some() {
            // Reports quote the text at this place, so they need the file.
            self.sources
                .emit(item.flow(), &self.settings.config.secrets, &self.emitter);
        }
        self.finish_unstarted(item, device, status, failure, at);
    }
}
