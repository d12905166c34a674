//! Tools for a report of the scenario, which is kept in memory (D21–D23).

use schemars::JsonSchema;
use serde::Deserialize;

use super::run::Run;
use super::scenario_report::Report;
use crate::arguments::Arguments;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, FrontEffect, Outcome, StepSyntax, Tool, Words};
use runner_engine::Session;

fn now() -> String {
    chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, false)
}

fn no_report() -> Failure {
    Failure::usage(
        "Failed to parse scenario JSON: there is no report; call initializeTestScenarioReport first",
    )
}

/// Arguments of `initializeTestScenarioReport`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InitializeArgs {
    /// What the scenario is to show.
    #[schemars(length(min = 1))]
    pub goal: String,
}

#[derive(Debug)]
pub struct InitializeTestScenarioReport;

impl Tool for InitializeTestScenarioReport {
    const NAME: &'static str = "scenario.initializeTestScenarioReport";
    const SUMMARY: &'static str =
        "Begins the report of a scenario with its goal; an earlier report is forgotten.";
    const WRITING: StepSyntax = StepSyntax::Scalar("goal");
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = InitializeArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("goal").map(drop)
    }

    /// Begins a report for this run in place of any earlier one. It is kept in memory only.
    async fn call(_: &Session, args: InitializeArgs, call: &Call) -> Result<Outcome, Failure> {
        let text = Words::format(
            "OK: Test scenario report created with goal: {}",
            &[&args.goal],
        );
        let run = call.caller.remembered::<Run>();
        run.now(&call.caller).await.report_on(Report {
            goal: args.goal,
            began: now(),
            steps: Vec::new(),
        });
        Ok(Outcome::text(text))
    }
}

/// Arguments of `updateTestScenarioReport`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateArgs {
    /// What was done, and what came of it.
    #[schemars(length(min = 1))]
    pub description: String,
}

#[derive(Debug)]
pub struct UpdateTestScenarioReport;

impl Tool for UpdateTestScenarioReport {
    const NAME: &'static str = "scenario.updateTestScenarioReport";
    const SUMMARY: &'static str = "Adds a step to the report of the scenario.";
    const WRITING: StepSyntax = StepSyntax::Scalar("description");
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = UpdateArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("description").map(drop)
    }

    /// Adds a step to the report; without a report it is a failure of usage.
    async fn call(_: &Session, args: UpdateArgs, call: &Call) -> Result<Outcome, Failure> {
        let text = Words::format("OK: Test step added: {}", &[&args.description]);
        let run = call.caller.remembered::<Run>();
        let mut state = run.now(&call.caller).await;
        state
            .report
            .as_mut()
            .ok_or_else(no_report)?
            .steps
            .push(args.description);
        Ok(Outcome::text(text))
    }
}

#[derive(Debug)]
pub struct GenerateTestScenarioReport;

impl Tool for GenerateTestScenarioReport {
    const NAME: &'static str = "scenario.generateTestScenarioReport";
    const SUMMARY: &'static str =
        "Gives the report of the scenario: its goal, start, end and steps.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = NoArgs;

    /// Returns the report. For a caller without a session it also ends the run, and the report can still be read until
    /// the next begins. Without a report it is a failure of usage.
    async fn call(_: &Session, _: NoArgs, call: &Call) -> Result<Outcome, Failure> {
        let run = call.caller.remembered::<Run>();
        let mut state = run.now(&call.caller).await;
        let report = state.report.as_ref().ok_or_else(no_report)?;
        let text = report.text(&now());
        state.end();
        Ok(Outcome::value(text.clone(), text.into()))
    }
}
