//! Parsed expressions.

use super::function::Function;

#[derive(Debug)]
pub(super) enum Expression {
    Text(String),
    Number(f64),
    Call(Function, Vec<Expression>),
    Or(Box<[Expression; 2]>),
    And(Box<[Expression; 2]>),
    Compare(Comparison, Box<[Expression; 2]>),
    Compute(Arithmetic, Box<[Expression; 2]>),
    Negate(Box<Expression>),
    Union(Box<[Expression; 2]>),
    Path(Path),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Debug)]
pub(super) struct Path {
    pub(super) start: PathStart,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) enum PathStart {
    Document,
    Context,
    Expression(Box<Expression>, Vec<Expression>),
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: NodeTest,
    pub(super) predicates: Vec<Expression>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    This,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NodeTest {
    /// `*`
    Any,
    Name(String),
    /// `node()`
    Node,
    /// `text()`, which matches nothing, as there are no texts between elements.
    Text,
}
