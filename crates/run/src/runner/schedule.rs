//! Hands the work of a run to its devices: to a task for each, or to one that is open already.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::device_steps::DeviceSteps;
use super::fit::DeviceFacts;
use super::pool::Pool;
use super::state::Run;
use super::work_item::{ItemNext, WorkItem};
use super::{device_mismatch, order};
use crate::PlannedCase;
use crate::app_versions::AppVersions;
use crate::artifacts::ArtifactNames;
use crate::context::header_properties;
use crate::devices::{self, Target};
use runner_device::{Device, DeviceError};
use runner_event::{EventKind, FlowId, SourceLocation};
use runner_flow::{CaseName, Flow};
use runner_history::Durations;

impl Run {
    /// Returns all work items in order. If any device may take a flow, each case is there once, longest first by the
    /// history, or in the shuffled order. Otherwise each device has all cases, in the plan's order. A sequence is one
    /// item, with its other flows as its rest; problems with the history are warnings.
    pub(super) fn items(&self, devices: usize) -> Vec<WorkItem> {
        let units = |device: Option<usize>| {
            let items = self.plan.cases.iter();
            let items = items.map(move |case| WorkItem::new(case, device));
            let units = self.plan.units(items, |item| &item.flow().source.path);
            units.into_iter().filter_map(WorkItem::unit)
        };
        if self.spreads() {
            let items: Vec<_> = units(None).collect();
            // A shuffled order stays as it is.
            if self.settings.options.shuffle.is_some() {
                return items;
            }
            let (took, warnings) = Durations::read(&self.settings.config.history.value);
            for warning in warnings {
                self.emitter.warn(None, warning.to_string());
            }
            let of_case = |item: &WorkItem| {
                let id = item.case.id();
                let case = id.case.as_ref().map(CaseName::as_str);
                took.get(id.flow.as_str(), case)
            };
            // A sequence takes the sum of the known durations of its flows.
            return order::longest_first(items, |item| {
                let all = std::iter::once(item).chain(&item.rest);
                all.filter_map(of_case).reduce(Duration::saturating_add)
            });
        }
        (0..devices)
            .flat_map(|device| units(Some(device)))
            .collect()
    }

    /// Runs all work, with a task for each device. Dropping the future ends them all. If the devices cannot
    /// be determined, each item ends with that error. If no flow can be read, no device is asked for.
    pub(super) async fn on_all_devices(self: &Arc<Self>) {
        // If no flow can be read, no device is needed to report it.
        let (wanted, server) = (
            &self.settings.config.devices.value,
            self.settings.config.adb_server(),
        );
        let resolved = if self.plan.cases.is_empty() {
            Ok(Vec::new())
        } else if self.spreads() {
            devices::resolve_all(wanted, &server).await
        } else {
            devices::resolve(wanted, &server).await
        };
        let (targets, missing) = match resolved {
            Ok(targets) => (targets, None),
            Err(error) => (vec![Target::missing()], Some(error)),
        };
        self.emit_plan(&targets);
        let items = self.items(targets.len());
        if let Some(error) = missing {
            let device = if self.spreads() { "" } else { "none" };
            for item in items.into_iter().flat_map(WorkItem::all) {
                self.no_device(&item, device, &error);
            }
            return;
        }
        let pool = Arc::new(Pool::new(items, targets));
        self.work_through(&pool).await;
    }

    /// Reports the plan: what will run on which devices, its warnings, and the flows that cannot be read. Assigns
    /// the names of artifact folders, and counts the runs of each flow for [`Self::count_done`].
    pub(super) fn emit_plan(&self, targets: &[Target]) {
        let cases: Vec<_> = self.plan.cases.iter().map(PlannedCase::id).collect();
        let labels: Vec<_> = targets.iter().map(|target| target.label.as_str()).collect();
        self.artifact_names
            .get_or_init(|| ArtifactNames::new(&cases, &labels));
        let spreads = self.spreads();
        let on: Vec<&str> = if spreads { vec![""] } else { labels.clone() };
        let identities: Vec<FlowId> = on
            .into_iter()
            .flat_map(|device| cases.iter().map(move |case| case.attempt(device, 1)))
            .collect();
        let mut to_do = self.to_do.lock().unwrap_or_else(PoisonError::into_inner);
        let times = if spreads { 1 } else { targets.len() };
        for case in &self.plan.cases {
            *to_do
                .entry(self.settings.golden_folder(&case.flow.key))
                .or_default() += times;
        }
        drop(to_do);
        let named = |flow: &Arc<Flow>| (flow.source.path.clone(), flow.name.clone());
        let told = |flow: &Arc<Flow>| {
            let properties = header_properties(flow);
            (!properties.is_empty()).then(|| (flow.source.path.clone(), properties))
        };
        let labels = labels.into_iter().filter(|_| spreads);
        self.emitter.emit(EventKind::Plan {
            flows: identities,
            devices: labels.map(str::to_owned).collect(),
            names: self.plan.flows().map(named).collect(),
            properties: self.plan.flows().filter_map(told).collect(),
        });
        for warning in &self.plan.warnings {
            self.emitter
                .warn(None, runner_text::diagnostic::render_line(warning));
        }
        for (path, diagnostics) in &self.plan.unreadable {
            let at = diagnostics
                .first()
                .map(|first| SourceLocation::from_offset(&first.source, first.span.start));
            let message = runner_text::diagnostic::render(diagnostics, false, 120);
            self.emitter.emit(EventKind::Unreadable {
                flow: path.clone(),
                message,
                at,
            });
        }
    }

    /// Runs all flows on a device that somebody else opened, one after the other, with its setup before and its
    /// teardown after. Once the device is lost, or its setup failed, the remaining flows end with an error; there is no
    /// teardown of a lost device. Flows that are left when the run stops end as interrupted, and the teardown runs.
    /// Flows to be retried later run after all others.
    pub(crate) async fn on_open_device(&self, target: &Target, device: &Arc<dyn Device>) {
        self.emit_device(target, device.info());
        let facts = DeviceFacts::new(device.info(), target);
        let mut is_lost = false;
        let apps = AppVersions::default();
        let mut around = DeviceSteps::new(self, device);
        let mut not_set_up = None;
        let items = self.items(1).into_iter();
        let mut waiting: VecDeque<_> = items.flat_map(WorkItem::all).collect();
        while let Some(mut item) = waiting.pop_front() {
            if !self.stops() && not_set_up.is_none() && !is_lost {
                not_set_up = around.set_up(self, target, &apps).await.err();
            }
            if let Some(error) = &not_set_up {
                self.no_device(&item, &target.label, error);
            } else if self.stops() {
                self.not_run(&item, &target.label);
            } else if is_lost {
                let lost = DeviceError::Lost {
                    serial: target.label.clone(),
                    cause: "an earlier flow lost it".to_owned(),
                };
                self.no_device(&item, &target.label, &lost);
            } else if let Some(reason) = device_mismatch::check_only_device(&item, target, &facts) {
                self.finish_unfit(&item, &target.label, &reason);
            } else {
                let ended = self.item(&mut item, target, device, &apps).await;
                is_lost = ended.lost.is_some();
                if ended.next == ItemNext::Later {
                    waiting.push_back(item);
                }
            }
        }
        if !is_lost {
            around.tear_down(self, target, &apps).await;
        }
    }
}
