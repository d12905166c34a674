//! What the commands of an attempt share: names, the clock of Maestro's waits, the app.

use std::time::Duration;

use super::super::attempt::Attempt;
use super::super::settings::Settings;
use super::super::step_result::{FailedStep, FailedTry};
use super::texts::Expressions;
use runner_config::Origin;
use runner_device::{Clock, ClockTime, DeviceInfo};
use runner_event::{FlowId, Shard, SourceLocation};
use runner_flow::maestro::{EnvEntries, Header};
use runner_flow::{Flow, Limits};
use runner_screen::Point;
use runner_script::{MaestroScope, ScriptOptions};

/// What the commands of an attempt share.
pub(crate) struct MaestroState {
    pub(super) scope: MaestroScope,
    pub(super) expressions: Expressions,
    /// Apps of the flow that runs and of those around it, the outermost first.
    pub(super) apps: Vec<String>,
    /// When the last command ended that may have changed the screen.
    last_act: ClockTime,
    clock: Clock,
    /// Something was done since the screen was last seen at rest.
    pub(super) moves: bool,
    /// Where the command that runs has touched, if it was a short touch.
    pub(super) touched: Option<Point>,
    /// Where the command before has touched.
    pub(super) touched_before: Option<Point>,
    /// The video that is being made.
    pub(super) recording: Option<String>,
    /// Sub-flows and rounds around the command that runs.
    depth: usize,
    #[cfg(feature = "maestro")]
    pub(super) random: runner_script::FakeData,
}

/// Returns the `step_timeout` that the flow or the run sets; none where nobody did.
pub(super) fn set_step_timeout(settings: &Settings, flow: &Flow) -> Option<Duration> {
    let of_run = &settings.config.step_timeout;
    let is_set = of_run.origin != Origin::Default;
    let own = flow.step_timeout.map(|own| own.0);
    own.or(is_set.then_some(of_run.value))
}

impl MaestroState {
    /// The names that a flow begins with: of the environment those that begin with `MAESTRO_`, what Maestro knows of
    /// the run, and the run's own. Header and sub-flows come later, and win.
    pub(crate) fn new(
        settings: &Settings,
        flow: &Flow,
        id: &FlowId,
        (info, clock): (&DeviceInfo, &Clock),
        shard: Option<&Shard>,
    ) -> Self {
        let place = format!("{}\0{}\0{}", flow.source.path, id.device, id.attempt);
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
            depth: 0,
            #[cfg(feature = "maestro")]
            random: runner_script::FakeData::new(seed),
        }
    }

    /// The names of the flow that runs and of those around it.
    pub(crate) fn env_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.scope.env_values()
    }

    /// What of a time is left, less what passed since the last command that may have changed the screen.
    pub(super) fn left_of(&self, time: Duration) -> Duration {
        time.saturating_sub(self.clock.since(self.last_act))
    }

    /// A command ended after which time counts anew. The screen may still be in motion where it `moves` that.
    pub(super) fn acted(&mut self, moves: bool) {
        self.last_act = self.clock.now();
        self.moves |= moves;
    }

    /// Into a sub-flow or a round, whose names end with it.
    pub(super) fn enter(&mut self) {
        self.depth += 1;
        self.scope.push();
    }

    /// Out of it.
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.scope.pop();
    }
}

impl Attempt<'_> {
    /// The state of the attempt, made anew where a flow of ours runs Maestro's.
    pub(super) fn maestro_state(&mut self) -> &mut MaestroState {
        let context = &self.context;
        self.maestro.get_or_insert_with(|| {
            let (info, clock) = (context.session.device().info(), context.session.clock());
            let (flow, id) = (context.flow, &context.id);
            let state = MaestroState::new(context.settings, flow, id, (info, clock), None);
            Box::new(state)
        })
    }

    /// Until when scripts may run.
    pub(crate) fn limit_scripts(&mut self, limits: Limits) {
        if let Some(state) = &mut self.maestro {
            state.scope.limit(limits);
        }
    }

    /// Scripts may run so much longer.
    pub(crate) fn delay_scripts(&mut self, by: Duration) {
        if let Some(state) = &mut self.maestro {
            state.scope.delay(by);
        }
    }

    /// Gives the header's names their values, each seeing those before it.
    pub(crate) async fn begin_maestro(&mut self, flow: &Flow) -> Result<(), FailedStep> {
        let Some(header) = flow.maestro() else {
            return Ok(());
        };
        self.maestro_state().acted(true);
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

    /// The names and the app of a flow that begins now.
    pub(super) async fn enter_header(&mut self, header: &Header) -> Result<(), FailedTry> {
        self.set_names(&header.env).await?;
        let app = self.words(&header.app_id).await?;
        self.maestro_state().apps.push(app);
        Ok(())
    }

    /// Gives names their values, each seeing those before it.
    pub(super) async fn set_names(&mut self, env: &EnvEntries) -> Result<(), FailedTry> {
        for (name, raw) in env {
            let value = self.words(raw).await?;
            if self.context.is_secret(name) {
                self.context.emitter.scrubber().add(&value);
            }
            self.maestro_state().scope.set_env(name, value);
        }
        Ok(())
    }

    /// Out of whatever a limit ended amid.
    pub(crate) fn unwind_maestro(&mut self) {
        let Some(state) = &mut self.maestro else {
            return;
        };
        while state.depth > 0 {
            state.leave();
        }
        state.apps.truncate(1);
    }
}
