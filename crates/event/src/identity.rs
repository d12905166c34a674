//! Identities in a run: a case (flow, case name, repetition), a result (a case on a device) and an attempt at
//! it.

use std::collections::HashSet;
use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use runner_flow::CaseName;

/// An attempt's identity: in events, artifact paths, pending files and JUnit.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct FlowId {
    /// The flow's path below the root, with extension, `/` as separator.
    #[schemars(with = "String")]
    pub flow: Utf8PathBuf,
    /// Which case of the flow, where its matrix or its table gives it several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<CaseName>,
    /// Which turn, from 1, where each flow is run several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// Label of the device: its serial, or `virtual`, `virtual-2`, … Empty where a flow runs on any device and none has
    /// taken it: in the plan of such a run, and of a flow that never began.
    pub device: String,
    /// From 1.
    pub attempt: u32,
}

impl FlowId {
    /// Returns the identity without device and attempt. The turn of a repetition stays.
    pub fn case_id(&self) -> CaseId {
        CaseId {
            flow: self.flow.clone(),
            case: self.case.clone(),
            repeat: self.repeat,
        }
    }

    /// Returns the identity without the attempt.
    pub fn result_key(&self) -> ResultKey {
        ResultKey {
            id: self.case_id(),
            device: self.device.clone(),
        }
    }

    /// Returns true if both are attempts at the same case on the same device.
    pub fn is_of_same_result(&self, other: &Self) -> bool {
        (&self.flow, &self.case, self.repeat, &self.device)
            == (&other.flow, &other.case, other.repeat, &other.device)
    }
}

/// What is run: a flow, its case, its turn. Shown as `flows/pay.yaml [de-dark #2]`.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct CaseId {
    /// The flow's path below the root, with extension, `/` as separator.
    #[schemars(with = "String")]
    pub flow: Utf8PathBuf,
    /// Which case of the flow, where it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<CaseName>,
    /// Which turn, from 1, where each flow is run several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
}

impl CaseId {
    /// Adds a device's label and an attempt's number.
    pub fn attempt(&self, device: &str, attempt: u32) -> FlowId {
        FlowId {
            flow: self.flow.clone(),
            case: self.case.clone(),
            repeat: self.repeat,
            device: device.to_owned(),
            attempt,
        }
    }

    /// Returns the suffix that tells cases of one flow apart: `de-dark`, `de-dark #2`, `#2`. None if the flow
    /// has only one case and is not repeated.
    pub fn distinction(&self) -> Option<String> {
        match (&self.case, self.repeat) {
            (None, None) => None,
            (Some(case), None) => Some(case.to_string()),
            (None, Some(turn)) => Some(format!("#{turn}")),
            (Some(case), Some(turn)) => Some(format!("{case} #{turn}")),
        }
    }

    /// Appends the case's suffix to `name`: `Pay [de-dark]`. Without a suffix the name stays.
    pub fn display_name(&self, name: &str) -> String {
        match self.distinction() {
            Some(distinction) => format!("{name} [{distinction}]"),
            None => name.to_owned(),
        }
    }
}

impl From<&Utf8Path> for CaseId {
    /// Identifies a flow that has only one case.
    fn from(flow: &Utf8Path) -> Self {
        Self {
            flow: flow.to_owned(),
            case: None,
            repeat: None,
        }
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display_name(self.flow.as_str()))
    }
}

/// Identity of a result: a case and the device it ran on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultKey {
    pub id: CaseId,
    /// Label of the device. Empty if the flow may run on any device.
    pub device: String,
}

/// Groups attempts into results. If the plan gives a case no device, its attempts on all devices belong to
/// one result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultKeys {
    anywhere: HashSet<CaseId>,
}

impl ResultKeys {
    /// Registers planned attempts. Those with an empty device label belong to any device.
    pub fn plan(&mut self, planned: &[FlowId]) {
        let anywhere = planned.iter().filter(|id| id.device.is_empty());
        self.anywhere.extend(anywhere.map(FlowId::case_id));
    }

    /// Returns the result that an attempt belongs to. Its device is empty if the plan names none for the
    /// case; otherwise, also without a plan, it is the attempt's own. The number of the attempt does not
    /// count.
    pub fn result_key(&self, id: &FlowId) -> ResultKey {
        let mut key = id.result_key();
        if self.anywhere.contains(&key.id) {
            key.device.clear();
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_say_nothing_are_left_out_and_need_not_be_there() {
        let plain = r#"{"flow":"flows/a.yaml","device":"virtual","attempt":1}"#;
        let id: FlowId = serde_json::from_str(plain).unwrap();
        assert_eq!((&id.case, id.repeat), (&None, None));
        assert_eq!(serde_json::to_string(&id).unwrap(), plain);
        let whole =
            r#"{"flow":"flows/a.yaml","case":"de-dark","repeat":2,"device":"virtual","attempt":1}"#;
        let other: FlowId = serde_json::from_str(whole).unwrap();
        assert_eq!(serde_json::to_string(&other).unwrap(), whole);
        assert!(!id.is_of_same_result(&other));
        assert_eq!(other.case_id().to_string(), "flows/a.yaml [de-dark #2]");
        assert_eq!(id.case_id().display_name("Pay"), "Pay");
    }

    #[test]
    fn where_no_device_is_planned_all_attempts_are_of_one_result() {
        let attempt =
            |flow: &str, device, number| CaseId::from(Utf8Path::new(flow)).attempt(device, number);
        let mut keys = ResultKeys::default();
        keys.plan(&[attempt("a.yaml", "", 1), attempt("b.yaml", "x", 1)]);
        let of = |flow, device, number| keys.result_key(&attempt(flow, device, number));
        assert_eq!(of("a.yaml", "x", 1), of("a.yaml", "y", 2));
        assert_eq!(of("b.yaml", "x", 1), of("b.yaml", "x", 2));
        assert_ne!(of("b.yaml", "x", 1), of("b.yaml", "y", 1));
    }

    // A case name read from another machine's file becomes part of paths, so it must be harmless.
    #[test]
    fn a_case_that_was_read_leads_nowhere() {
        let text = r#"{"flow":"a.yaml","case":"../../etc","device":"virtual","attempt":1}"#;
        let id: FlowId = serde_json::from_str(text).unwrap();
        assert_eq!(id.case.unwrap().as_str(), "_.._.._etc");
    }
}
