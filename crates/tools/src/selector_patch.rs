//! Proposal of a new value for one key of a selector. A person must accept it; no run writes it into a flow.

use runner_text::flow_text;

/// What to write instead of a selector that matches nothing any more.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct SelectorPatch {
    /// The flow's file, or a sub-flow's, below the root.
    pub file: String,
    /// Line of the value, from 1.
    pub line: usize,
    /// Column of the value, from 1, in characters.
    pub column: usize,
    /// The property: `id`, `text`, `desc`, `hint`, or `any` where the selector is its text alone.
    pub property: String,
    /// The value that is written there.
    pub from: String,
    /// The value that selects the element now.
    pub to: String,
    /// The element that it most likely was, as a selector.
    pub element: String,
    /// Why it is most likely that element.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

impl SelectorPatch {
    /// Returns two lines shown with a failure: the probable element with the reasons, then the place and edit
    /// in the flow. `command` is the command that offers the edit; nothing is changed here.
    pub fn lines(&self, command: &str) -> Vec<String> {
        let value = |text: &str| flow_text::literal(&text.into());
        let key = match self.property.as_str() {
            "any" => String::new(),
            property => format!("{property}: "),
        };
        vec![
            format!(
                "most likely it is {} now: {}",
                self.element,
                self.reasons.join("; ")
            ),
            format!(
                "{}:{}:{}: {key}{} → {key}{}; `{command}` offers it",
                self.file,
                self.line,
                self.column,
                value(&self.from),
                value(&self.to)
            ),
        ]
    }
}
