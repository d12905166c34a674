//! `--shard`: finds the part of the plan that this machine runs, from the argument or from its CI's
//! variables.

use std::str::FromStr;

use super::error::CliError;
use crate::context::Context;
use crate::run::{ShardError, ShardNumber};

/// Value of `--shard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardArgument {
    Number(ShardNumber),
    /// Part that the CI's variables name.
    Auto,
}

impl FromStr for ShardArgument {
    type Err = ShardError;

    /// Parses `auto`, in lower case, or a number such as `1/3`. An error for anything else and for a part that is
    /// not within 1 to the total.
    fn from_str(text: &str) -> Result<Self, ShardError> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        text.parse().map(Self::Number)
    }
}

/// A CI that runs a job several times, and its variables for the number of this one and the total.
struct Ci {
    name: &'static str,
    index: &'static str,
    total: &'static str,
    /// Number of the first job: 0 or 1.
    first: u64,
}

/// Known CIs, in the order in which they are tried. `RUNNER_SHARDS` comes first: it is only there if somebody
/// set it on purpose.
const KNOWN_CIS: [Ci; 5] = [
    Ci {
        name: "Kubernetes (Indexed Job)",
        index: "JOB_COMPLETION_INDEX",
        total: "RUNNER_SHARDS",
        first: 0,
    },
    Ci {
        name: "GitLab",
        index: "CI_NODE_INDEX",
        total: "CI_NODE_TOTAL",
        first: 1,
    },
    Ci {
        name: "CircleCI",
        index: "CIRCLE_NODE_INDEX",
        total: "CIRCLE_NODE_TOTAL",
        first: 0,
    },
    Ci {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        total: "BUILDKITE_PARALLEL_JOB_COUNT",
        first: 0,
    },
    Ci {
        name: "Azure Pipelines",
        index: "SYSTEM_JOBPOSITIONINPHASE",
        total: "SYSTEM_TOTALJOBSINPHASE",
        first: 1,
    },
];

impl ShardArgument {
    /// Returns the part that was given; for `auto` that of the CI's variables in the environment.
    ///
    /// # Errors
    /// Returns an error for `auto` without the variables of a known CI, or with impossible ones.
    pub fn resolve(self, context: &Context) -> Result<ShardNumber, CliError> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Auto => from_ci(context),
        }
    }
}

/// Reads the part from the variables of the first CI in [`KNOWN_CIS`] that has any; the result counts from one.
/// Later CIs are not tried if its variables are wrong. An error without one, and if a variable is missing or is no
/// number in its range. A total of one needs no index.
fn from_ci(context: &Context) -> Result<ShardNumber, CliError> {
    let is_set = |name: &str| context.variable(name).is_some();
    let known = KNOWN_CIS
        .iter()
        .find(|ci| is_set(ci.index) || is_set(ci.total));
    let Some(ci) = known else {
        let known: Vec<String> = KNOWN_CIS
            .iter()
            .map(|ci| format!("  {}: {} and {}", ci.name, ci.index, ci.total))
            .collect();
        return Err(CliError::Usage(format!(
            "--shard auto: no variable says which part this is; it reads\n{}\nelsewhere write --shard K/N",
            known.join("\n")
        )));
    };
    let number = |name: &str| {
        let text = context.variable(name).unwrap_or_default();
        text.trim().parse::<u64>().map_err(|_| {
            let what = if text.is_empty() {
                "is not set"
            } else {
                "is not a number"
            };
            CliError::Usage(format!("--shard auto: {name} {what} ({})", ci.name))
        })
    };
    let total = number(ci.total)?;
    // GitLab counts the only job of a kind as one of one, and gives it no number.
    if total == 1 && !is_set(ci.index) {
        return ShardNumber::new(1, 1).map_err(|error| CliError::Usage(error.to_string()));
    }
    let index = number(ci.index)?;
    let wrong = |why: &str| {
        CliError::Usage(format!(
            "--shard auto: {}={index}, {}={total} ({}): {why}",
            ci.index, ci.total, ci.name
        ))
    };
    let index = (index + 1)
        .checked_sub(ci.first)
        .ok_or_else(|| wrong("it counts from 1"))?;
    ShardNumber::new(index, total).map_err(|error| wrong(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)]) -> Result<ShardNumber, String> {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let context = Context::fixed("/".into(), variables);
        let resolved = ShardArgument::Auto.resolve(&context);
        resolved.map_err(|error| error.to_string())
    }

    #[test]
    fn each_ci_says_which_part_it_is() {
        for (variables, expected) in [
            (
                [("JOB_COMPLETION_INDEX", "0"), ("RUNNER_SHARDS", "4")],
                (1, 4),
            ),
            ([("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "4")], (1, 4)),
            ([("CI_NODE_INDEX", "4"), ("CI_NODE_TOTAL", "4")], (4, 4)),
            (
                [("CIRCLE_NODE_INDEX", "0"), ("CIRCLE_NODE_TOTAL", "2")],
                (1, 2),
            ),
            (
                [
                    ("BUILDKITE_PARALLEL_JOB", "2"),
                    ("BUILDKITE_PARALLEL_JOB_COUNT", "3"),
                ],
                (3, 3),
            ),
            (
                [
                    ("SYSTEM_JOBPOSITIONINPHASE", "1"),
                    ("SYSTEM_TOTALJOBSINPHASE", "2"),
                ],
                (1, 2),
            ),
        ] {
            let expected = ShardNumber::new(expected.0, expected.1).unwrap();
            assert_eq!(auto(&variables), Ok(expected), "{variables:?}");
        }
        assert_eq!(
            auto(&[("CI_NODE_TOTAL", "1")]),
            Ok(ShardNumber::new(1, 1).unwrap())
        );
    }

    #[test]
    fn what_no_ci_says_is_told_with_all_that_are_known() {
        let message = auto(&[]).unwrap_err();
        for name in [
            "CI_NODE_INDEX",
            "CIRCLE_NODE_TOTAL",
            "BUILDKITE_PARALLEL_JOB",
            "SYSTEM_TOTALJOBSINPHASE",
            "RUNNER_SHARDS",
        ] {
            assert!(message.contains(name), "{message}");
        }
        for (variables, expected) in [
            (
                vec![("JOB_COMPLETION_INDEX", "0")],
                "--shard auto: RUNNER_SHARDS is not set (Kubernetes (Indexed Job))",
            ),
            (
                vec![("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "2")],
                "--shard auto: CI_NODE_INDEX is not a number (GitLab)",
            ),
            (
                vec![("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "2")],
                "--shard auto: CI_NODE_INDEX=0, CI_NODE_TOTAL=2 (GitLab): there is no part 0 of 2: parts are counted from 1 to 2",
            ),
            (
                vec![("CIRCLE_NODE_INDEX", "2"), ("CIRCLE_NODE_TOTAL", "2")],
                "--shard auto: CIRCLE_NODE_INDEX=2, CIRCLE_NODE_TOTAL=2 (CircleCI): there is no part 3 of 2: parts are counted from 1 to 2",
            ),
        ] {
            assert_eq!(auto(&variables).unwrap_err(), expected);
        }
    }
}
