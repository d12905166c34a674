//! The golden that a snapshot step asks for: the step's options, the golden's key, the render class of the device.

use super::error::snapshot_failure;
use crate::call_stack::CallStack;
use crate::context::AttemptContext;
use runner_device::{DeviceError, DeviceInfo, Reading};
use runner_flow::{Combination, SnapshotStep};
use runner_screen::Orientation;
use runner_snapshot::{GoldenKey, RenderClass, StepOptions};
use runner_tools::{Failure, FailureKind};

impl AttemptContext<'_> {
    /// Evaluates the step's options. Those that it does not give come from `runner.yaml`, one by one. With `each` the
    /// name gets the numbers of the surrounding rounds. Wrong options are a failure of usage.
    pub(super) async fn snapshot_options(
        &self,
        stack: &CallStack,
        snapshot: &SnapshotStep,
    ) -> Result<StepOptions, Failure> {
        let mut value = stack.resolve(&snapshot.options).await?;
        if let (Some(options), Some(defaults)) = (
            value.as_object_mut(),
            self.settings.config.snapshot_defaults.as_object(),
        ) {
            for (name, default) in defaults {
                options
                    .entry(name.as_str())
                    .or_insert_with(|| default.clone());
            }
        }
        let mut options: StepOptions = serde_json::from_value(value)
            .map_err(|error| Failure::new(FailureKind::Usage, format!("snapshot: {error}")))?;
        if options.each {
            for round in stack.rounds() {
                options.name = options.name.nth(*round);
            }
        }
        Ok(options)
    }

    /// Returns the key of the golden. Goldens belong to the flow that was started; those of a sub-flow are below the
    /// label of the step that runs it, and those of a row of data below its name. The variant is the step's, else the
    /// device's, else the one that `runner.yaml` gives, followed by that of the case's matrix. Asks the device for its
    /// render class. A name that cannot be a key is a failure.
    pub(super) async fn golden_key(
        &self,
        stack: &CallStack,
        options: &StepOptions,
    ) -> Result<GoldenKey, Failure> {
        let mut flow = self.settings.golden_folder(&self.flow.key);
        if let Some(row) = self.case.and_then(|case| case.row.as_ref()) {
            flow.push(row.name.as_str());
        }
        for caller in stack.callers() {
            flow.push(caller);
        }
        let (info, class) = self.render_class_now().await?;
        let variant = options
            .variant
            .as_deref()
            .or(self.target.variant.as_deref())
            .or_else(|| self.settings.config.variants.find(&info, &class));
        let of_case = self.combination().map(Combination::variant);
        let parts: Vec<&str> = variant.into_iter().chain(of_case.as_deref()).collect();
        let variant = (!parts.is_empty()).then(|| parts.join("-"));
        GoldenKey::new(&flow, &options.name, variant.as_deref(), Some(&class))
            .map_err(|error| snapshot_failure(&error))
    }

    /// Returns the device and its current render class: theme, language, font and orientation may have changed since
    /// the flow began. The orientation is that of the last look; without one, a look is taken. A class that
    /// `runner.yaml` names for the device takes precedence, with the variant of the case's matrix added. An error if
    /// the display's size, or a part of the class, is unknown.
    pub(super) async fn render_class_now(&self) -> Result<(DeviceInfo, RenderClass), Failure> {
        let screen = match self.session.last_screen() {
            Some(screen) => screen,
            None => self.session.look().await?,
        };
        if screen.display().bounds().is_empty() {
            // The orientation is part of every class, also of one that is named.
            let why = "neither `dumpsys window displays` nor `wm size` says its size".to_owned();
            return Err(DeviceError::NotAnswered(why).into());
        }
        let landscape = screen.display().orientation() == Orientation::Landscape;
        let mut info = self.session.current_info().await;
        let combination = self.combination();
        // Where only the app's language can be set, the system does not report it.
        if let Some(locale) = combination.and_then(|it| it.locale.clone()) {
            info.locale = Reading::Said(locale);
        }
        let named = self
            .target
            .render_class
            .as_ref()
            .map(|named| match combination {
                Some(combination) => format!("{named}-{}", combination.variant()),
                None => named.clone(),
            });
        let class = RenderClass::from_device(&info, landscape, named.as_deref())?;
        Ok((info, class))
    }
}
