//! What an expression comes to. Each kind of node is evaluated here, and what it makes is measured before it is kept:
//! minijinja's own evaluation folds constants and lets operators and filters grow without a limit.

use std::collections::{BTreeMap, HashMap};

use minijinja::machinery::ast::{
    BinOp, BinOpKind, CallArg, Compare, CompareOpKind, Expr, IfExpr, Map, Slice, UnaryOp,
    UnaryOpKind,
};
use minijinja::value::{Tuple, ValueKind};
use minijinja::{State, Value};

use super::arguments::Arguments;
use super::limits::{Budget, Size};
use super::made::{self, Generator, MADE};
use super::{EvalError, filters, operators, tree};

/// What names stand for.
pub(crate) trait Lookup {
    /// The value at a path such as `["total", "bounds", "left"]`; `None` where that is not a path of maps.
    fn value(&self, path: &[&str]) -> Option<Value>;

    /// Where random data comes from; `None` where nothing runs.
    fn generator(&self) -> Option<&Generator> {
        None
    }
}

/// Evaluates a tree.
pub(crate) fn evaluate(
    tree: &Expr<'_>,
    known: &dyn Lookup,
    meter: &Budget,
) -> Result<Value, EvalError> {
    let mut evaluation = Evaluation {
        known,
        meter,
        state: filters::state(),
        applied: 0,
        looked_up: HashMap::new(),
    };
    let value = evaluation.value(tree)?;
    Size::of(&value)?;
    Ok(value)
}

/// One evaluation under way.
pub(super) struct Evaluation<'a> {
    known: &'a dyn Lookup,
    pub(super) meter: &'a Budget,
    pub(super) state: State<'static, 'static>,
    /// How many filters are being applied, each by the one before.
    pub(super) applied: usize,
    /// What names stood for: what a step left behind may be large, and is copied once however often it is named.
    looked_up: HashMap<String, Option<Value>>,
}

impl Evaluation<'_> {
    fn value(&mut self, tree: &Expr<'_>) -> Result<Value, EvalError> {
        self.meter.tick()?;
        self.node(tree).map_err(|wrong| wrong.at(tree.span()))
    }

    fn node(&mut self, tree: &Expr<'_>) -> Result<Value, EvalError> {
        if let Some(path) = tree::path(tree)
            && let Some(value) = self.known_value(&path)
        {
            // What steps left behind is not a value that the expression makes.
            return Ok(value);
        }
        let made = match tree {
            Expr::Var(_) => return Ok(Value::UNDEFINED),
            Expr::Const(constant) => constant.value.clone(),
            Expr::GetAttr(node) => {
                let inner = self.value(&node.expr)?;
                // A part of what is there already.
                return list_of(inner.get_attr(node.name)?);
            }
            Expr::GetItem(node) => {
                let inner = self.value(&node.expr)?;
                let key = self.value(&node.subscript_expr)?;
                return list_of(inner.get_item(&key)?);
            }
            Expr::IfExpr(node) => return self.choice(node),
            Expr::Slice(node) => self.slice(node)?,
            Expr::UnaryOp(node) => return self.unary(node),
            Expr::BinOp(node) => self.binary(node)?,
            Expr::Compare(node) => return self.compare(node),
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
                return Ok(filters::test(self, node.name, arguments)?.into());
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
        Size::of(&made)?;
        Ok(made)
    }

    /// What a filter or a test is applied to. `default` and `is defined` may be asked of what does not exist.
    fn subject(&mut self, tree: &Expr<'_>, inner: &Expr<'_>) -> Result<Value, EvalError> {
        if tree::asked_for(tree).is_some()
            && let Some(path) = tree::path(inner)
            && self.known_value(&path).is_none()
        {
            return Ok(Value::UNDEFINED);
        }
        self.value(inner)
    }

    fn call(&self, name: &str, arguments: Arguments) -> Result<Value, EvalError> {
        if !MADE.contains(&name) {
            return filters::call(name, arguments);
        }
        let nowhere = || EvalError::new(format!("`{name}()` is known only while a flow runs"));
        made::call(name, arguments, self.known.generator().ok_or_else(nowhere)?)
    }

    fn known_value(&mut self, path: &[&str]) -> Option<Value> {
        let known = self.known;
        let found = self.looked_up.entry(path.join("."));
        found.or_insert_with(|| known.value(path)).clone()
    }

    fn values(&mut self, items: &[Expr<'_>]) -> Result<Vec<Value>, EvalError> {
        let mut size = Size::default();
        let items = items.iter();
        items.map(|item| self.counted(item, &mut size)).collect()
    }

    /// Evaluates one of several that are kept beside each other: together they may be as much as one value.
    fn counted(&mut self, tree: &Expr<'_>, size: &mut Size) -> Result<Value, EvalError> {
        let value = self.value(tree)?;
        // What steps left behind is there anyway.
        if tree::path(tree).is_none() {
            size.value(&value, 0)?;
        }
        Ok(value)
    }

    fn map(&mut self, node: &Map<'_>) -> Result<Value, EvalError> {
        let mut entries = BTreeMap::new();
        let mut size = Size::default();
        for (key, value) in node.keys.iter().zip(&node.values) {
            let key = self.counted(key, &mut size)?;
            entries.insert(key, self.counted(value, &mut size)?);
        }
        Ok(Value::from_object(entries))
    }

    /// An `if` without an `else` is nothing where it does not hold; joined to text or asked for truth it is empty.
    fn or_empty(&mut self, tree: &Expr<'_>) -> Result<Value, EvalError> {
        let value = self.value(tree)?;
        let silent = matches!(tree, Expr::IfExpr(node) if node.false_expr.is_none());
        if value.is_undefined() && silent {
            return Ok(Value::from(""));
        }
        Ok(value)
    }

    fn truth(&mut self, tree: &Expr<'_>) -> Result<bool, EvalError> {
        let value = self.or_empty(tree)?;
        Ok(operators::defined(&value)?.is_true())
    }

    fn choice(&mut self, node: &IfExpr<'_>) -> Result<Value, EvalError> {
        if self.truth(&node.test_expr)? {
            return self.value(&node.true_expr);
        }
        match &node.false_expr {
            Some(other) => self.value(other),
            None => Ok(Value::UNDEFINED),
        }
    }

    fn slice(&mut self, node: &Slice<'_>) -> Result<Value, EvalError> {
        let value = self.value(&node.expr)?;
        let mut bound = |part: &Option<Expr<'_>>| match part {
            Some(part) => operators::bound(&self.value(part)?),
            None => Ok(None),
        };
        let (start, stop, step) = (bound(&node.start)?, bound(&node.stop)?, bound(&node.step)?);
        operators::slice(&value, start, stop, step.unwrap_or(1))
    }

    fn unary(&mut self, node: &UnaryOp<'_>) -> Result<Value, EvalError> {
        match node.op {
            UnaryOpKind::Not => Ok((!self.truth(&node.expr)?).into()),
            UnaryOpKind::Neg => operators::negative(&self.value(&node.expr)?),
        }
    }

    fn binary(&mut self, node: &BinOp<'_>) -> Result<Value, EvalError> {
        let (and, or) = (
            matches!(node.op, BinOpKind::ScAnd),
            matches!(node.op, BinOpKind::ScOr),
        );
        if and || or {
            let left = self.or_empty(&node.left)?;
            if operators::defined(&left)?.is_true() == or {
                return Ok(left);
            }
            return self.value(&node.right);
        }
        if matches!(node.op, BinOpKind::Concat) {
            let (left, right) = (self.or_empty(&node.left)?, self.or_empty(&node.right)?);
            return operators::concat(&left, &right);
        }
        let (left, right) = (self.value(&node.left)?, self.value(&node.right)?);
        operators::binary(node.op, &left, &right)
    }

    fn compare(&mut self, node: &Compare<'_>) -> Result<Value, EvalError> {
        let mut left = self.value(&node.expr)?;
        for link in &node.ops {
            let right = self.value(&link.expr)?;
            let op = match link.op {
                CompareOpKind::Eq => BinOpKind::Eq,
                CompareOpKind::Ne => BinOpKind::Ne,
                CompareOpKind::Lt => BinOpKind::Lt,
                CompareOpKind::Lte => BinOpKind::Lte,
                CompareOpKind::Gt => BinOpKind::Gt,
                CompareOpKind::Gte => BinOpKind::Gte,
                CompareOpKind::In | CompareOpKind::NotIn => BinOpKind::In,
            };
            let holds = operators::binary(op, &left, &right)?.is_true();
            if holds == matches!(link.op, CompareOpKind::NotIn) {
                return Ok(false.into());
            }
            left = right;
        }
        Ok(true.into())
    }

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
                    for item in operators::items(&list)? {
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
                    for key in operators::items(&map)? {
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

/// What is made only while it is read becomes a list, so that it is made once and can be measured.
fn list_of(value: Value) -> Result<Value, EvalError> {
    if value.kind() != ValueKind::Iterable {
        return Ok(value);
    }
    let mut size = Size::default();
    let mut list = Vec::new();
    for item in operators::items(&value)? {
        size.items(1)?;
        list.push(item?);
    }
    Ok(Value::from(list))
}
