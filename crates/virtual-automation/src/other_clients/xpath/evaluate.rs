//! Evaluates expressions over a tree.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::attributes::Attributes;
use super::error::XPathError;
use super::expression::{
    Arithmetic, Axis, Comparison, Expression, NodeTest, Path, PathStart, Step,
};
use super::function::Function;
use super::value::{Node, NodeSet, Value};
use crate::tree::{Tree, TreeNode};

/// Limit for nodes visited by an expression. Chosen: several times the work of usual expressions on large
/// screens.
const MAX_VISITS: usize = 1_000_000;

/// Context of an evaluation.
#[derive(Debug, Clone, Copy)]
struct Context {
    node: Node,
    position: usize,
    size: usize,
}

struct Evaluator<'a> {
    tree: &'a Tree<'a>,
    /// Element that the document is restricted to.
    root: Option<usize>,
    attributes: &'a dyn Attributes,
    visits: usize,
}

type EvalResult<T = Value> = Result<T, XPathError>;

/// Returns the elements that the expression finds, without document, hierarchy and attributes. An error if it gives no
/// set.
pub(super) fn elements(
    expression: &Expression,
    tree: &Tree<'_>,
    root: Option<usize>,
    attributes: &dyn Attributes,
) -> EvalResult<Vec<usize>> {
    let mut evaluator = Evaluator {
        tree,
        root,
        attributes,
        visits: 0,
    };
    let context = Context {
        node: Node::Document,
        position: 1,
        size: 1,
    };
    match evaluator.value(expression, context)? {
        Value::Set(set) => Ok(set
            .nodes
            .into_iter()
            .filter_map(|node| match node {
                Node::Element(at) => Some(at),
                _ => None,
            })
            .collect()),
        _ => Err(XPathError::Evaluation(
            "the expression gives no elements".to_owned(),
        )),
    }
}

impl Evaluator<'_> {
    /// Evaluates an expression. `or` and `and` leave their right side out if the left decides.
    fn value(&mut self, expression: &Expression, context: Context) -> EvalResult {
        Ok(match expression {
            Expression::Text(text) => Value::Text(text.clone()),
            Expression::Number(number) => Value::Number(*number),
            Expression::Call(function, arguments) => self.call(*function, arguments, context)?,
            Expression::Or(sides) => Value::Truth(
                self.value(&sides[0], context)?.truth() || self.value(&sides[1], context)?.truth(),
            ),
            Expression::And(sides) => Value::Truth(
                self.value(&sides[0], context)?.truth() && self.value(&sides[1], context)?.truth(),
            ),
            Expression::Compare(comparison, sides) => {
                let (left, right) = (
                    self.value(&sides[0], context)?,
                    self.value(&sides[1], context)?,
                );
                Value::Truth(compares(*comparison, &left, &right))
            }
            Expression::Compute(operator, sides) => {
                let left = self.value(&sides[0], context)?.number();
                let right = self.value(&sides[1], context)?.number();
                Value::Number(match operator {
                    Arithmetic::Add => left + right,
                    Arithmetic::Subtract => left - right,
                    Arithmetic::Multiply => left * right,
                    Arithmetic::Divide => left / right,
                    Arithmetic::Modulo => left % right,
                })
            }
            Expression::Negate(inner) => Value::Number(-self.value(inner, context)?.number()),
            Expression::Union(sides) => {
                let (left, right) = (
                    self.value(&sides[0], context)?,
                    self.value(&sides[1], context)?,
                );
                let (Value::Set(mut left), Value::Set(right)) = (left, right) else {
                    return Err(XPathError::Evaluation(
                        "`|` joins sets of nodes only".to_owned(),
                    ));
                };
                left.nodes.extend(right.nodes);
                left.nodes.sort_unstable();
                left.nodes.dedup();
                left.attributes.extend(right.attributes);
                Value::Set(left)
            }
            Expression::Path(path) => Value::Set(self.path(path, context)?),
        })
    }

    /// Calls a function. Without an argument `name` and `local-name` take the present node, and the others its text,
    /// which is always empty. The name of an empty set or of no set is empty.
    fn call(
        &mut self,
        function: Function,
        arguments: &[Expression],
        context: Context,
    ) -> EvalResult {
        match function {
            Function::Position => return Ok(Value::Number(context.position as f64)),
            Function::Last => return Ok(Value::Number(context.size as f64)),
            Function::Name => {
                let node = match arguments.first() {
                    None => Some(context.node),
                    Some(argument) => match self.value(argument, context)? {
                        Value::Set(set) => set.nodes.first().copied(),
                        _ => None,
                    },
                };
                return Ok(Value::Text(
                    node.map(|node| self.name(node)).unwrap_or_default(),
                ));
            }
            _ => {}
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.value(argument, context)?);
        }
        if let (Function::Count | Function::Sum, [Value::Set(set)]) = (function, values.as_slice())
        {
            return Ok(Value::Number(if function == Function::Count {
                set.len() as f64
            } else {
                set.texts()
                    .map(|text| Value::Text(text.to_owned()).number())
                    .sum()
            }));
        }
        if values.is_empty() {
            // An element's text is empty.
            values.push(Value::Text(String::new()));
        }
        function.apply(&values)
    }

    /// Follows a path from its start; an error if that gives no nodes.
    fn path(&mut self, path: &Path, context: Context) -> EvalResult<NodeSet> {
        let mut set = NodeSet {
            nodes: vec![context.node],
            attributes: Vec::new(),
        };
        match &path.start {
            PathStart::Context => {}
            PathStart::Document => set.nodes = vec![Node::Document],
            PathStart::Expression(expression, predicates) => {
                let Value::Set(found) = self.value(expression, context)? else {
                    return Err(XPathError::Evaluation(
                        "what is before `/` or `[` gives no nodes".to_owned(),
                    ));
                };
                set = found;
                set.nodes = self.filter(set.nodes, predicates)?;
            }
        }
        for step in &path.steps {
            set = self.step(&set, step)?;
        }
        Ok(set)
    }

    /// Follows a step from all nodes. Each node is found once, in document order; attributes may repeat. Fails for
    /// predicates of attributes, as all attributes would be a wrong answer.
    fn step(&mut self, from: &NodeSet, step: &Step) -> EvalResult<NodeSet> {
        if step.axis == Axis::Attribute && !step.predicates.is_empty() {
            return Err(XPathError::Evaluation(
                "predicates of attributes are not supported".to_owned(),
            ));
        }
        let mut nodes = BTreeSet::new();
        let mut attributes = Vec::new();
        for node in &from.nodes {
            if step.axis == Axis::Attribute {
                self.visit(1)?;
                attributes.extend(self.attributes_of(*node, &step.test));
                continue;
            }
            let mut found = self.along(step.axis, *node)?;
            found.retain(|node| self.passes(*node, &step.test));
            nodes.extend(self.filter(found, &step.predicates)?);
        }
        if step.axis == Axis::This {
            attributes.extend(from.attributes.iter().cloned());
        }
        Ok(NodeSet {
            nodes: nodes.into_iter().collect(),
            attributes,
        })
    }

    /// Returns the nodes along an axis, nearest first. The attribute axis has none here. Fails after too many
    /// visited nodes.
    fn along(&mut self, axis: Axis, node: Node) -> EvalResult<Vec<Node>> {
        let mut found = Vec::new();
        match axis {
            Axis::This => found.push(node),
            Axis::Parent => found.extend(self.parent(node)),
            Axis::Child => found = self.children(node),
            Axis::Attribute => {}
            Axis::Ancestor | Axis::AncestorOrSelf => {
                if axis == Axis::AncestorOrSelf {
                    found.push(node);
                }
                let mut above = self.parent(node);
                while let Some(node) = above {
                    found.push(node);
                    above = self.parent(node);
                }
            }
            Axis::Descendant => self.below(node, &mut found),
            Axis::DescendantOrSelf => {
                found.push(node);
                self.below(node, &mut found);
            }
            Axis::FollowingSibling | Axis::PrecedingSibling => {
                let siblings = self
                    .parent(node)
                    .map(|parent| self.children(parent))
                    .unwrap_or_default();
                if axis == Axis::FollowingSibling {
                    found.extend(siblings.into_iter().filter(|other| *other > node));
                } else {
                    found.extend(siblings.into_iter().rev().filter(|other| *other < node));
                }
            }
            Axis::Following => {
                if let Node::Element(at) = node {
                    let all = self.all();
                    found.extend((self.tree.subtree(at).end..all.end).map(Node::Element));
                }
            }
            Axis::Preceding => {
                if let Node::Element(at) = node {
                    let above = self.along(Axis::Ancestor, node)?;
                    let before = (self.all().start..at).rev().map(Node::Element);
                    found.extend(before.filter(|other| !above.contains(other)));
                }
            }
        }
        self.visit(found.len())?;
        Ok(found)
    }

    /// Keeps the nodes that satisfy all predicates in order; a number is the position among those left.
    fn filter(&mut self, mut nodes: Vec<Node>, predicates: &[Expression]) -> EvalResult<Vec<Node>> {
        for predicate in predicates {
            let size = nodes.len();
            let mut stored = Vec::new();
            for (index, node) in nodes.into_iter().enumerate() {
                self.visit(1)?;
                let position = index + 1;
                let context = Context {
                    node,
                    position,
                    size,
                };
                let keeps = match self.value(predicate, context)? {
                    Value::Number(number) => number.to_bits() == (position as f64).to_bits(),
                    value => value.truth(),
                };
                if keeps {
                    stored.push(node);
                }
            }
            nodes = stored;
        }
        Ok(nodes)
    }

    /// Counts visits; an error beyond `MAX_VISITS`.
    fn visit(&mut self, count: usize) -> EvalResult<()> {
        self.visits += count;
        if self.visits > MAX_VISITS {
            return Err(XPathError::Evaluation(
                "the expression takes too long".to_owned(),
            ));
        }
        Ok(())
    }

    /// Returns the parent. It is the document for the hierarchy, and for the element that the document is restricted
    /// to; the document has none.
    fn parent(&self, node: Node) -> Option<Node> {
        match node {
            Node::Document => None,
            Node::Hierarchy => Some(Node::Document),
            Node::Element(at) if self.root == Some(at) => Some(Node::Document),
            Node::Element(at) => Some(
                self.tree
                    .nodes
                    .get(at)?
                    .parent
                    .map_or(Node::Hierarchy, Node::Element),
            ),
        }
    }

    /// Returns the children in their order.
    fn children(&self, node: Node) -> Vec<Node> {
        let elements = |list: &[usize]| list.iter().map(|at| Node::Element(*at)).collect();
        match (node, self.root) {
            (Node::Document, None) => vec![Node::Hierarchy],
            (Node::Document, Some(root)) => vec![Node::Element(root)],
            (Node::Hierarchy, _) => elements(&self.tree.roots),
            (Node::Element(at), _) => self
                .tree
                .nodes
                .get(at)
                .map(|node| elements(&node.children))
                .unwrap_or_default(),
        }
    }

    /// Returns the range of all elements in the document.
    fn all(&self) -> std::ops::Range<usize> {
        match self.root {
            Some(root) => self.tree.subtree(root),
            None => 0..self.tree.nodes.len(),
        }
    }

    /// Collects all nodes below a node, in document order, without the node itself. With a root for the
    /// search, the document holds only that element's subtree.
    fn below(&self, node: Node, found: &mut Vec<Node>) {
        match (node, self.root) {
            (Node::Document, None) => {
                found.push(Node::Hierarchy);
                self.below(Node::Hierarchy, found);
            }
            (Node::Document, Some(root)) => {
                found.extend(self.tree.subtree(root).map(Node::Element));
            }
            (Node::Hierarchy, _) => {
                found.extend((0..self.tree.nodes.len()).map(Node::Element));
            }
            (Node::Element(at), _) => {
                found.extend(self.tree.subtree(at).skip(1).map(Node::Element));
            }
        }
    }

    /// Returns the element's name; empty for the document or a missing element, and `hierarchy` for the root of all
    /// windows.
    fn name(&self, node: Node) -> String {
        match node {
            Node::Document => String::new(),
            Node::Hierarchy => "hierarchy".to_owned(),
            Node::Element(at) => self
                .tree
                .nodes
                .get(at)
                .map(TreeNode::element_name)
                .unwrap_or_default(),
        }
    }

    /// Returns true if the node passes the test. `text()` finds nothing, as all texts are attributes. `*` finds all
    /// but the document.
    fn passes(&self, node: Node, test: &NodeTest) -> bool {
        match test {
            NodeTest::Node => true,
            NodeTest::Text => false,
            NodeTest::Any => node != Node::Document,
            NodeTest::Name(name) => self.name(node) == *name,
        }
    }

    /// Returns the values of the element's attributes that pass the test; empty for document and hierarchy.
    fn attributes_of(&self, node: Node, test: &NodeTest) -> Vec<String> {
        let Node::Element(at) = node else {
            return Vec::new();
        };
        self.attributes
            .list(self.tree, at)
            .into_iter()
            .filter(|(name, _)| match test {
                NodeTest::Any | NodeTest::Node => true,
                NodeTest::Name(wanted) => wanted == name,
                NodeTest::Text => false,
            })
            .map(|(_, value)| value)
            .collect()
    }
}

/// Compares two values by the rules of `XPath`: a set satisfies a comparison if one of its nodes does, so an
/// empty set never does. Against a boolean, a set counts as a whole: true unless it is empty.
fn compares(comparison: Comparison, left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Set(_), Value::Truth(_)) | (Value::Truth(_), Value::Set(_)) => simple(
            comparison,
            &Value::Truth(left.truth()),
            &Value::Truth(right.truth()),
        ),
        (Value::Set(set), other) => set
            .texts()
            .any(|text| compares(comparison, &Value::Text(text.to_owned()), other)),
        (other, Value::Set(set)) => set
            .texts()
            .any(|text| simple(comparison, other, &Value::Text(text.to_owned()))),
        _ => simple(comparison, left, right),
    }
}

/// Compares two values. Order is that of numbers. Equality compares truths if one is a truth, texts if both are, and
/// otherwise numbers. NaN differs from all.
fn simple(comparison: Comparison, left: &Value, right: &Value) -> bool {
    let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    let order = match (left, right) {
        (Value::Truth(_), _) | (_, Value::Truth(_)) if equality => {
            Some(left.truth().cmp(&right.truth()))
        }
        (Value::Text(left), Value::Text(right)) if equality => Some(left.cmp(right)),
        _ => left.number().partial_cmp(&right.number()),
    };
    match comparison {
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}
