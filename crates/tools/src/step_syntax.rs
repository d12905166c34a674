//! Form in which a tool's step is written in a flow.

/// Form of a step in a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepSyntax {
    /// Only `- name: { … }`.
    Map,
    /// A scalar is short for this property: `- launch: com.example` means `{ app: com.example }`.
    Scalar(&'static str),
    /// The value is a selector, with the tool's own options beside the selector's keys; `on:` is the long
    /// form. The arguments then contain the selector as the property `on`.
    Element,
    /// A scalar is short for this property: `type: hello` means `{ text: hello }`; the long form is `type: {
    /// into: …, text: … }`.
    Sequence(&'static str),
}
