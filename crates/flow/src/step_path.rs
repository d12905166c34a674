//! Path of a step in its flow: `[2,"then",0]`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a step stands: `[2,"then",0]`. The steps of the flow itself have no list's name before their number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepPath(Vec<PathSegment>);

/// One segment of a step's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PathSegment {
    /// The step's place in its list, from 0; behind `repeat` and `retry` first the round, from 1.
    Number(usize),
    /// The list that the next number counts in.
    List(StepList),
}

/// A list of steps, beside the flow's own. Readers of event streams refuse words that they do not know, so a new one
/// needs a new schema of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepList {
    /// `setup` of the flow.
    Setup,
    /// `on_failure` of the flow.
    OnFailure,
    /// `teardown` of the flow.
    Teardown,
    /// Of `if`, where its condition holds.
    Then,
    /// Of `if`, where it does not.
    Else,
    /// Of `group`.
    Group,
    /// Of the flow that `run` runs.
    Run,
    /// Of `repeat`; its round follows.
    Repeat,
    /// Of `retry`; its round follows.
    Retry,
}

impl StepPath {
    /// Returns this path with a list behind it.
    #[must_use]
    pub fn list(&self, list: StepList) -> Self {
        self.with(PathSegment::List(list))
    }

    /// Returns this path with the index of a step, or the number of a round, behind it.
    #[must_use]
    pub fn number(&self, number: usize) -> Self {
        self.with(PathSegment::Number(number))
    }

    /// Returns the segments, outermost first.
    pub fn segments(&self) -> &[PathSegment] {
        &self.0
    }

    /// Returns the last segment, and the path before it; `None` for an empty path.
    pub fn split_last(&self) -> Option<(PathSegment, Self)> {
        let (last, before) = self.0.split_last()?;
        Some((*last, Self(before.to_vec())))
    }

    fn with(&self, segment: PathSegment) -> Self {
        let mut path = self.clone();
        path.0.push(segment);
        path
    }

    /// Returns the list at the start of the path; `None` for the flow's own steps and for an empty path.
    pub fn first_list(&self) -> Option<StepList> {
        match self.0.first()? {
            PathSegment::List(list) => Some(*list),
            PathSegment::Number(_) => None,
        }
    }

    /// Returns the nesting of the step: 0 for `[2]` and `["setup",2]`, 1 for `[2,"then",0]` and
    /// `[2,"repeat",1,0]`.
    ///
    /// Each list is one level, except one at the start of a path.
    pub fn depth(&self) -> usize {
        let inner = self.0.iter().skip(1);
        inner
            .filter(|segment| matches!(segment, PathSegment::List(_)))
            .count()
    }

    /// Returns true if `other` is this step or inside of it. An empty path leads to every step.
    pub fn leads_to(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }
}

impl fmt::Display for StepPath {
    /// Formats like `2.then.0` and `setup.2`; an empty path is empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            match segment {
                PathSegment::Number(number) => write!(f, "{number}")?,
                PathSegment::List(list) => f.write_str(list.as_str())?,
            }
        }
        Ok(())
    }
}

impl StepList {
    /// Returns the name of the list in event streams, which is that of the key in a flow.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::OnFailure => "on_failure",
            Self::Teardown => "teardown",
            Self::Then => "then",
            Self::Else => "else",
            Self::Group => "group",
            Self::Run => "run",
            Self::Repeat => "repeat",
            Self::Retry => "retry",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_is_a_list_of_numbers_and_words() {
        for (path, depth, name) in [
            (json!([2]), 0, "2"),
            (json!(["setup", 2]), 0, "setup.2"),
            (json!([2, "then", 0]), 1, "2.then.0"),
            (json!([2, "else", 0]), 1, "2.else.0"),
            (json!(["teardown", 0, "group", 1]), 1, "teardown.0.group.1"),
            (
                json!([0, "run", 1, "repeat", 3, 0]),
                2,
                "0.run.1.repeat.3.0",
            ),
            (json!([0, "retry", 2, 1]), 1, "0.retry.2.1"),
        ] {
            let read: StepPath = serde_json::from_value(path.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), path);
            assert_eq!((read.depth(), read.to_string().as_str()), (depth, name));
        }
        for wrong in [json!([-1]), json!([1.5]), json!(["elsewhere", 0]), json!(2)] {
            assert!(
                serde_json::from_value::<StepPath>(wrong.clone()).is_err(),
                "{wrong}"
            );
        }
    }
}
