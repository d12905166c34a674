//! State that the commands of an attempt share: names, the clock of Maestro's waits, the app.

use std::collections::HashMap;
use std::time::Duration;

use camino::Utf8Path;

use super::super::settings::Settings;
use super::super::step_result::{FailedStep, FailedTry};
use super::Interpreter;
use super::texts::Expressions;
use runner_config::Origin;
use runner_device::{Clock, ClockTime, DeviceInfo};
use runner_event::{FlowId, Shard, SourceLocation};
use runner_flow::maestro::{EnvEntries, Header};
use runner_flow::{Flow, Limits};
use runner_screen::Point;
use runner_script::{MaestroScope, ScriptOptions};

/// State that the commands of an attempt share.
pub(crate) struct MaestroState {
    pub(super) scope: MaestroScope,
    pub(super) expressions: Expressions,
    /// Apps of the running flow and of those around it, outermost first.
    pub(super) apps: Vec<String>,
    /// Time at which the last command that may have changed the screen ended.
    last_act: ClockTime,
    clock: Clock,
    /// True if a command may have changed the screen since it was last seen at rest.
    pub(super) moves: bool,
    /// Point of a short touch by the current command.
    pub(super) touched: Option<Point>,
    /// Point of a short touch by the command before.
    pub(super) touched_before: Option<Point>,
    /// Name of the video that is being recorded.
    pub(super) recording: Option<String>,
    /// File of the newest picture for each file name that `takeScreenshot` asked for.
    pub(super) pictures: HashMap<String, String>,
    /// Number of sub-flows and rounds around the current command.
    depth: usize,
    #[cfg(feature = "maestro")]
    pub(super) random: runner_script::FakeData,
}

/// Returns the `step_timeout` that the flow sets, else the one that the run sets; `None` if it is the default.
pub(super) fn set_step_timeout(settings: &Settings, flow: &Flow) -> Option<Duration> {
    let of_run = &settings.config.step_timeout;
    let is_set = of_run.origin != Origin::Default;
    let own = flow.step_timeout.map(|own| own.0);
    own.or(is_set.then_some(of_run.value))
}

/// Returns what the random data of an attempt depends on beside the seed, so that no two attempts sign up as the same
/// person: flow, case, turn, device and attempt; where any device may take a flow, not the device.
fn random_place(flow: &Utf8Path, id: &FlowId, any_device: bool) -> String {
    let device = if any_device { "" } else { &id.device };
    let mut place = format!("{flow}\0{device}\0{}", id.attempt);
    if let Some(case) = &id.case {
        place.push_str(&format!("\0case {case}"));
    }
    if let Some(turn) = id.repeat {
        place.push_str(&format!("\0turn {turn}"));
    }
    place
}

impl MaestroState {
    /// Creates the state with the names that a flow begins with, later ones taking precedence: `MAESTRO_…`
    /// variables of the environment, names of `runner.yaml` and of the command line, and Maestro's own names.
    /// Header and sub-flows override them. Random values depend on the seed and on [`random_place`]. A run that is not
    /// divided is the first part.
    pub(crate) fn new(
        settings: &Settings,
        flow: &Flow,
        id: &FlowId,
        (info, clock): (&DeviceInfo, &Clock),
        shard: Option<&Shard>,
    ) -> Self {
        let place = random_place(&flow.source.path, id, settings.config.spread.value);
        let seed = xxhash_rust::xxh3::xxh3_64_with_seed(place.as_bytes(), settings.seed.into());
        let usual = ScriptOptions::default();
        let options = ScriptOptions {
            http_hosts: settings.config.http_hosts.value.clone(),
            seed,
            // The usual ten seconds are for elements; a script may ask a server.
            time: set_step_timeout(settings, flow).unwrap_or(usual.time),
            ..usual
        };
        let of_run = [&settings.config.file_env, &settings.config.command_env];
        let own = of_run.into_iter().flatten();
        let os = settings.os.iter();
        let of_maestro = os.filter(|(name, _)| name.starts_with("MAESTRO_"));
        let file = flow.source.path.file_stem().unwrap_or_default();
        // A run that is not divided is the first part, as with Maestro.
        let part = shard.map_or(1, |shard| shard.index);
        let built_in = [
            ("MAESTRO_FILENAME", file.to_owned()),
            ("MAESTRO_DEVICE_UDID", info.serial.clone()),
            ("MAESTRO_SHARD_ID", part.to_string()),
            ("MAESTRO_SHARD_INDEX", part.saturating_sub(1).to_string()),
        ];
        let built_in = built_in
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        let env = of_maestro
            .chain(own)
            .map(|(name, value)| (name.clone(), value.clone()))
            .chain(built_in);
        Self {
            scope: MaestroScope::new(env, options),
            expressions: Expressions::default(),
            apps: Vec::new(),
            last_act: clock.now(),
            clock: clock.clone(),
            moves: true,
            touched: None,
            touched_before: None,
            recording: None,
            pictures: HashMap::new(),
            depth: 0,
            #[cfg(feature = "maestro")]
            random: runner_script::FakeData::new(seed),
        }
    }

    /// Returns the names of the current flow and of those around it, with their values.
    pub(crate) fn env_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.scope.env_values()
    }

    /// Returns what is left of a time that counts from the last command that may have changed the screen; zero if it is
    /// over.
    pub(super) fn left_of(&self, time: Duration) -> Duration {
        time.saturating_sub(self.clock.since(self.last_act))
    }

    /// Notes the end of a command from which waits count anew. `moves` says that the screen may still move.
    pub(super) fn acted(&mut self, moves: bool) {
        self.last_act = self.clock.now();
        self.moves |= moves;
    }

    /// Enters a sub-flow or a round with a scope of its own.
    pub(super) fn enter(&mut self) {
        self.depth += 1;
        self.scope.push();
    }

    /// Leaves a sub-flow or a round.
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.scope.pop();
    }

    /// Leaves all sub-flows and rounds that a limit interrupted, so that the names and the app of the
    /// outermost flow apply again.
    pub(crate) fn unwind(&mut self) {
        while self.depth > 0 {
            self.leave();
        }
        self.apps.truncate(1);
    }

    /// Sets the deadlines of scripts.
    pub(crate) fn limit_scripts(&mut self, limits: Limits) {
        self.scope.limit(limits);
    }

    /// Moves the deadlines of scripts later by this much.
    pub(crate) fn delay_scripts(&mut self, by: Duration) {
        self.scope.delay(by);
    }
}

impl Interpreter<'_, '_> {
    /// Returns the state of the attempt. An attempt that began without one, at a flow that is not Maestro's, gets it on
    /// first use; then it knows of no shard.
    pub(super) fn state(&mut self) -> &mut MaestroState {
        let context = self.context;
        self.attempt.stack().maestro_or_insert(|| {
            let (info, clock) = (context.session.device().info(), context.session.clock());
            let (flow, id) = (context.flow, context.reporter.id());
            MaestroState::new(context.settings, flow, id, (info, clock), None)
        })
    }

    /// Evaluates the names of the header, each seeing those before it, and enters its app. Does nothing for a
    /// flow that is not Maestro's. A failure without a place is at the flow's first line. The screen counts
    /// as moving.
    pub(crate) async fn begin(&mut self, flow: &Flow) -> Result<(), FailedStep> {
        let Some(header) = flow.maestro() else {
            return Ok(());
        };
        self.state().acted(true);
        self.enter_header(header).await.map_err(|failed| {
            let at = failed
                .at
                .unwrap_or_else(|| SourceLocation::from_offset(&flow.source, 0));
            FailedStep {
                failure: failed.failure,
                at,
            }
        })
    }

    /// Enters a flow's header: sets its names, then its app, which may use them. The caller leaves it.
    pub(super) async fn enter_header(&mut self, header: &Header) -> Result<(), FailedTry> {
        self.set_names(&header.env).await?;
        let app = self.words(&header.app_id).await?;
        self.state().apps.push(app);
        Ok(())
    }

    /// Sets names in order, each value seeing the names before it. Values of names that are secret are masked
    /// from now on. Stops at the first failure; names before it stay set.
    pub(super) async fn set_names(&mut self, env: &EnvEntries) -> Result<(), FailedTry> {
        for (name, raw) in env {
            let value = self.words(raw).await?;
            if self.context.is_secret(name) {
                self.context.reporter.scrubber().add(&value);
            }
            self.state().scope.set_env(name, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use runner_event::CaseId;
    use runner_flow::CaseName;

    #[test]
    fn no_two_attempts_make_the_same_data() {
        let mut ids = Vec::new();
        for flow in ["a.yaml", "b.yaml"] {
            for case in [None, Some("one"), Some("two")] {
                for repeat in [None, Some(1), Some(2)] {
                    let id = CaseId {
                        flow: flow.into(),
                        case: case.map(CaseName::new),
                        repeat,
                    };
                    for device in ["x", "y"] {
                        ids.extend([1, 2].map(|attempt| id.attempt(device, attempt)));
                    }
                }
            }
        }
        let count = |any_device: bool| {
            let places = ids.iter().map(|id| random_place(&id.flow, id, any_device));
            places.collect::<BTreeSet<_>>().len()
        };
        assert_eq!(count(false), ids.len());
        // Another device that takes the flow makes the same data.
        assert_eq!(count(true), ids.len() / 2);
    }
}
