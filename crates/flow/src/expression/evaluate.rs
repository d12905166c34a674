//! Evaluates expressions. Each kind of node is evaluated here and its result is measured. minijinja's own
//! evaluation folds constants, and lets operators and filters grow without a limit.

use std::collections::{BTreeMap, HashMap};

use minijinja::Value;
use minijinja::machinery::ast::{
    BinOp, BinOpKind, CallArg, Compare, CompareOpKind, Expr, IfExpr, Map, Slice, UnaryOp,
    UnaryOpKind,
};
use minijinja::value::{Tuple, ValueKind};

use super::arguments::Arguments;
use super::compare;
use super::evaluation::{Evaluation, Lookup};
use super::generator::{self, VOLATILE};
use super::kind::Kind;
use super::limits::{Budget, Size};
use super::missing_part::with_context;
use super::operands::items;
use super::{EvalError, arithmetic, filters, operators, predicates, slices, tree};

/// Evaluates a tree within the limits of `meter`. Names have their values from `known`.
///
/// # Errors
/// An undefined result or operand, wrong kinds, and a result above the limits of size. The time of `meter` is over,
/// or the run is stopped.
pub(crate) fn evaluate(
    tree: &Expr<'_>,
    known: &dyn Lookup,
    meter: &Budget,
) -> Result<Value, EvalError> {
    let mut evaluation = Evaluation {
        known,
        meter,
        state: filters::state(),
        filter_depth: 0,
        cache: HashMap::new(),
    };
    let value = evaluation.value(tree)?;
    Size::measure(&value)?;
    Ok(value)
}

impl Evaluation<'_> {
    /// Evaluates a node. An undefined result is an error at the node's place.
    fn value(&mut self, tree: &Expr<'_>) -> Result<Value, EvalError> {
        let value = self.value_or_undefined(tree)?;
        if value.is_undefined() {
            return Err(self.missing(tree).at(tree.span()));
        }
        Ok(value)
    }

    /// Evaluates a node. The result may be undefined.
    fn value_or_undefined(&mut self, tree: &Expr<'_>) -> Result<Value, EvalError> {
        self.meter.tick()?;
        self.node(tree).map_err(|wrong| wrong.at(tree.span()))
    }

    /// Builds the error for an undefined value: its name, and the names that exist in its place, except those
    /// of the process environment. An empty list before `first`, `last`, `min` or `max`, and an `if` without
    /// `else`, have their own messages. Evaluates the parent once more.
    fn missing(&mut self, tree: &Expr<'_>) -> EvalError {
        let name = tree::written(tree);
        let parent = match tree {
            // Does not list other variables of the environment, which may be secret.
            Expr::GetAttr(node) if tree::is_environment(&node.expr) => {
                return EvalError::missing(&format!("the environment variable `{}`", node.name));
            }
            Expr::GetItem(node) if tree::is_environment(&node.expr) => {
                let name = tree::written(tree).unwrap_or_else(|| "os[…]".to_owned());
                return EvalError::missing(&format!("the environment variable `{name}`"));
            }
            Expr::GetAttr(node) => Some(&node.expr),
            Expr::GetItem(node) => Some(&node.expr),
            Expr::Filter(node) if ["first", "last", "max", "min"].contains(&node.name) => {
                return EvalError::new(format!(
                    "`| {}` has no value: the list is empty",
                    node.name
                ));
            }
            Expr::IfExpr(_) => {
                let message = "this `if` does not hold and has no `else`, so there is no value";
                return EvalError::new(message);
            }
            _ => None,
        };
        let missing = EvalError::missing(&match &name {
            Some(name) => format!("`{name}`"),
            None => "a part that the expression uses".to_owned(),
        });
        let Some(parent) = parent else {
            return missing;
        };
        let known = self.value_or_undefined(parent).unwrap_or(Value::UNDEFINED);
        let of = tree::written(parent).unwrap_or_else(|| "the value".to_owned());
        let part = match tree {
            Expr::GetAttr(node) => Some(node.name),
            _ => None,
        };
        with_context(missing, &of, &known, part)
    }

    /// Evaluates a node. A missing name, and a missing part of a value that exists, are undefined; a part of a
    /// missing value is an error. Only new values are measured.
    fn node(&mut self, tree: &Expr<'_>) -> Result<Value, EvalError> {
        if let Some(path) = tree::path(tree)
            && let Some(value) = self.known_value(&path)
        {
            // Results of steps already exist, so they do not count as new values.
            return Ok(value);
        }
        let made = match tree {
            Expr::Var(_) => return Ok(Value::UNDEFINED),
            Expr::Const(constant) => constant.value.clone(),
            Expr::GetAttr(node) => {
                let inner = self.value(&node.expr)?;
                // A part of an existing value.
                return list_of(inner.get_attr(node.name)?);
            }
            Expr::GetItem(node) => {
                let inner = self.value(&node.expr)?;
                let key = self.value(&node.subscript_expr)?;
                if !matches!(key.kind(), ValueKind::String | ValueKind::Number) {
                    let message = format!(
                        "what stands in `[…]` is a number or a text, not {}",
                        Kind::name_of(&key)
                    );
                    return Err(EvalError::new(message));
                }
                return list_of(inner.get_item(&key)?);
            }
            Expr::IfExpr(node) => return self.choice(node),
            Expr::Slice(node) => self.slice(node)?,
            Expr::UnaryOp(node) => return self.unary(node),
            Expr::BinOp(node) => self.binary(node)?,
            Expr::Compare(node) => return self.chain(node),
            Expr::Filter(node) => {
                let mut values = Vec::new();
                if let Some(inner) = &node.expr {
                    values.push(self.subject(tree, inner)?);
                }
                let arguments = self.arguments(values, &node.args)?;
                filters::apply(self, node.name, arguments)?
            }
            Expr::Test(node) => {
                let inner = self.subject(tree, &node.expr)?;
                let arguments = self.arguments(vec![inner], &node.args)?;
                return Ok(predicates::test(node.name, arguments)?.into());
            }
            Expr::Call(node) => {
                let arguments = self.arguments(Vec::new(), &node.args)?;
                match &node.expr {
                    Expr::Var(name) => self.call(name.id, arguments)?,
                    _ => return Err(EvalError::new("values cannot be called")),
                }
            }
            Expr::List(node) => Value::from(self.values(&node.items)?),
            Expr::Tuple(node) => Value::from(Tuple::from(self.values(&node.items)?)),
            Expr::Map(node) => self.map(node)?,
        };
        let made = list_of(made)?;
        Size::measure(&made)?;
        Ok(made)
    }

    /// Evaluates `inner`, the subject of the filter or test `tree`. Before `default`, `is defined` and `is
    /// undefined` a missing name is undefined; else it is an error.
    fn subject(&mut self, tree: &Expr<'_>, inner: &Expr<'_>) -> Result<Value, EvalError> {
        if tree::optional_subject(tree).is_none() {
            return self.value(inner);
        }
        if let Some(path) = tree::path(inner)
            && self.known_value(&path).is_none()
        {
            return Ok(Value::UNDEFINED);
        }
        self.value_or_undefined(inner)
    }

    /// Calls a function. Those in [`VOLATILE`] need a generator, which only a run has; elsewhere they are an error.
    fn call(&self, name: &str, arguments: Arguments) -> Result<Value, EvalError> {
        if !VOLATILE.contains(&name) {
            return filters::call(name, arguments);
        }
        let nowhere = || EvalError::new(format!("`{name}()` is known only while a flow runs"));
        generator::call(name, arguments, self.known.generator().ok_or_else(nowhere)?)
    }

    /// Looks up a name with its attributes, once for each path. Returns `None` if there is no such value.
    fn known_value(&mut self, path: &[&str]) -> Option<Value> {
        let known = self.known;
        let found = self.cache.entry(path.join("."));
        found.or_insert_with(|| known.value(path)).clone()
    }

    /// Evaluates items in order. Together they may only be as large as one value.
    fn values(&mut self, items: &[Expr<'_>]) -> Result<Vec<Value>, EvalError> {
        let mut size = Size::default();
        let items = items.iter();
        items.map(|item| self.counted(item, &mut size)).collect()
    }

    /// Evaluates one of several values that are held at the same time, and adds it to `size`, because
    /// together they may only be as large as one value. Values of names already exist and are not counted.
    fn counted(&mut self, tree: &Expr<'_>, size: &mut Size) -> Result<Value, EvalError> {
        let value = self.value(tree)?;
        // Results of steps already exist.
        if tree::path(tree).is_none() {
            size.value(&value, 0)?;
        }
        Ok(value)
    }

    /// Evaluates a map. Keys must be texts; of equal keys the last counts.
    fn map(&mut self, node: &Map<'_>) -> Result<Value, EvalError> {
        let mut entries = BTreeMap::new();
        let mut size = Size::default();
        for (key, value) in node.keys.iter().zip(&node.values) {
            let key = self.counted(key, &mut size)?;
            if key.as_str().is_none() {
                let kind =
                    Kind::from_value(&key).map_or("no value".to_owned(), |kind| kind.to_string());
                let message = format!("the keys of a map are texts, not {kind}");
                return Err(EvalError::new(message));
            }
            entries.insert(key, self.counted(value, &mut size)?);
        }
        Ok(Value::from_object(entries))
    }

    /// Evaluates an operand that must be a boolean. Any other kind is an error with advice for `op`.
    fn truth(&mut self, op: &str, tree: &Expr<'_>) -> Result<bool, EvalError> {
        let value = self.value(tree)?;
        compare::truth(&value)
            .map_err(|kind| compare::not_a_boolean(op, &tree::side(tree, kind)).at(tree.span()))
    }

    /// Evaluates only the branch that the condition selects; without `else` the result may be undefined. The
    /// condition must be a boolean.
    fn choice(&mut self, node: &IfExpr<'_>) -> Result<Value, EvalError> {
        if self.truth("if", &node.test_expr)? {
            return self.value(&node.true_expr);
        }
        match &node.false_expr {
            Some(other) => self.value(other),
            None => Ok(Value::UNDEFINED),
        }
    }

    /// Evaluates a slice; its step is 1 by default. Bounds that are `none` count as missing.
    fn slice(&mut self, node: &Slice<'_>) -> Result<Value, EvalError> {
        let value = self.value(&node.expr)?;
        let mut bound = |part: &Option<Expr<'_>>| match part {
            Some(part) => slices::bound(&self.value(part)?),
            None => Ok(None),
        };
        let (start, stop, step) = (bound(&node.start)?, bound(&node.stop)?, bound(&node.step)?);
        slices::slice(&value, start, stop, step.unwrap_or(1))
    }

    /// Evaluates `not` of a boolean, or the negative of a number. Other kinds are an error.
    fn unary(&mut self, node: &UnaryOp<'_>) -> Result<Value, EvalError> {
        match node.op {
            UnaryOpKind::Not => Ok((!self.truth("not", &node.expr)?).into()),
            UnaryOpKind::Neg => arithmetic::negative(&self.value(&node.expr)?),
        }
    }

    /// Evaluates an operator with two operands. `and` and `or` take booleans only, and leave out the right one if
    /// the left one decides.
    fn binary(&mut self, node: &BinOp<'_>) -> Result<Value, EvalError> {
        let junction = match node.op {
            BinOpKind::ScAnd => Some(("and", false)),
            BinOpKind::ScOr => Some(("or", true)),
            _ => None,
        };
        if let Some((op, decides)) = junction {
            let left = self.truth(op, &node.left)?;
            if left == decides {
                return Ok(left.into());
            }
            return Ok(self.truth(op, &node.right)?.into());
        }
        let (left, right) = (self.value(&node.left)?, self.value(&node.right)?);
        if let Some(holds) = compare::compare(node.op, &left, &right) {
            return holds.map(Value::from).map_err(|wrong| {
                incomparable(wrong, node.op, (&node.left, &left), (&node.right, &right))
            });
        }
        operators::binary(node.op, &left, &right)
    }

    /// Evaluates a chain such as `0 < n < 9` from left to right, each operand once. All its links are
    /// compared even after a false one, so that none hides an error.
    fn chain(&mut self, node: &Compare<'_>) -> Result<Value, EvalError> {
        let mut left = (&node.expr, self.value(&node.expr)?);
        let mut all = true;
        for link in &node.ops {
            let right = (&link.expr, self.value(&link.expr)?);
            let op = match link.op {
                CompareOpKind::Eq => BinOpKind::Eq,
                CompareOpKind::Ne => BinOpKind::Ne,
                CompareOpKind::Lt => BinOpKind::Lt,
                CompareOpKind::Lte => BinOpKind::Lte,
                CompareOpKind::Gt => BinOpKind::Gt,
                CompareOpKind::Gte => BinOpKind::Gte,
                CompareOpKind::In | CompareOpKind::NotIn => BinOpKind::In,
            };
            let holds = compare::compare(op, &left.1, &right.1).unwrap_or(Ok(false));
            let holds = holds
                .map_err(|wrong| incomparable(wrong, op, (left.0, &left.1), (right.0, &right.1)))?;
            all &= holds != matches!(link.op, CompareOpKind::NotIn);
            left = right;
        }
        Ok(all.into())
    }

    /// Evaluates arguments behind `values`, with lists after `*` and maps after `**` spread out. Of equal names the
    /// last counts. Other kinds behind `*` and `**`, and too many arguments, are errors.
    fn arguments(
        &mut self,
        values: Vec<Value>,
        given: &[CallArg<'_>],
    ) -> Result<Arguments, EvalError> {
        let mut arguments = Arguments::new(values);
        let mut size = Size::default();
        for argument in given {
            match argument {
                CallArg::Pos(value) => {
                    arguments.values.push(self.counted(value, &mut size)?);
                }
                CallArg::PosSplat(value) => {
                    let list = self.counted(value, &mut size)?;
                    for item in items(&list)? {
                        arguments.values.push(item?);
                        arguments.check()?;
                    }
                }
                CallArg::Kwarg(name, value) => {
                    let value = self.counted(value, &mut size)?;
                    arguments.named.insert((*name).to_owned(), value);
                }
                CallArg::KwargSplat(value) => {
                    let map = self.counted(value, &mut size)?;
                    if map.kind() != ValueKind::Map {
                        return Err(EvalError::new("`**` wants a map"));
                    }
                    for key in items(&map)? {
                        let key = key?;
                        let value = map.get_item(&key)?;
                        arguments.named.insert(key.to_string(), value);
                        arguments.check()?;
                    }
                }
            }
        }
        Ok(arguments)
    }
}

/// Builds the error for operands that cannot be compared, with their source text.
fn incomparable(
    wrong: compare::CompareError,
    op: BinOpKind,
    left: (&Expr<'_>, &Value),
    right: (&Expr<'_>, &Value),
) -> EvalError {
    let side = |(tree, value)| tree::side(tree, Kind::from_value(value).unwrap_or(Kind::None));
    wrong.between(compare::sign(op), &side(left), &side(right))
}

/// Collects a lazy iterator into a list, so that it is computed once and can be measured. Any other value is
/// returned as it is. More items than a value may have are an error.
fn list_of(value: Value) -> Result<Value, EvalError> {
    if value.kind() != ValueKind::Iterable {
        return Ok(value);
    }
    let mut size = Size::default();
    let mut list = Vec::new();
    for item in items(&value)? {
        size.items(1)?;
        list.push(item?);
    }
    Ok(Value::from(list))
}
