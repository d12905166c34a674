//! Draws expressions meant to have a kind of value, with some parts of another kind at any depth.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::expressions::{Expression, Form};
use super::kinds::Value;

/// Kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Boolean,
    List,
    Map,
    None,
}

const KINDS: [Kind; 6] = [
    Kind::Text,
    Kind::Number,
    Kind::Boolean,
    Kind::List,
    Kind::Map,
    Kind::None,
];
const TEXTS: [&str; 9] = ["ada", "Ada", "", "10", "9", "3", "true", "4 items", "it is"];
const NUMBERS: [&str; 7] = ["0", "1", "2", "3", "9", "10", "2.5"];
const ORDERS: [&str; 4] = ["<", "<=", ">", ">="];
const ORDER_TESTS: [&str; 4] = ["lt", "le", "gt", "ge"];

/// Number of forms that are true or false.
pub const ROOTS: usize = 18;

/// Draws expressions over these names.
pub struct Generator<'a> {
    pub rng: &'a mut Rng,
    pub names: &'a [(&'static str, Value)],
}

fn kind(value: &Value) -> Kind {
    match value {
        Value::Text(_) => Kind::Text,
        Value::Number(_) => Kind::Number,
        Value::Boolean(_) => Kind::Boolean,
        Value::List(_) => Kind::List,
        Value::Map(_) => Kind::Map,
        Value::None => Kind::None,
    }
}

impl Generator<'_> {
    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.rng.usize(..all.len())]
    }

    fn leaf(&mut self, wanted: Kind) -> Expression {
        let named = self.names.iter().filter(|(_, value)| kind(value) == wanted);
        let named: Vec<_> = named.collect();
        if !named.is_empty() && self.rng.bool() {
            let (name, value) = self.pick(&named);
            return Expression::known(name, value.clone());
        }
        match wanted {
            Kind::Text => {
                let text = self.pick(&TEXTS);
                Expression::known(&format!("'{text}'"), Value::Text(text.to_owned()))
            }
            Kind::Number => {
                let number = self.pick(&NUMBERS);
                let value = number.parse().expect("a number");
                Expression::known(number, Value::Number(value))
            }
            Kind::Boolean => {
                let value = self.rng.bool();
                Expression::known(&value.to_string(), Value::Boolean(value))
            }
            Kind::List => Expression::new(Form::List, Vec::new()),
            Kind::Map => self.map(Kind::Number, 0),
            Kind::None => Expression::known("none", Value::None),
        }
    }

    /// Draws an expression meant to be of this kind. A part of it may be of any kind.
    fn draw(&mut self, wanted: Kind, depth: u8) -> Expression {
        let wanted = match self.rng.u8(..12) {
            0 => self.pick(&KINDS),
            _ => wanted,
        };
        if depth == 0 || self.rng.u8(..6) == 0 {
            return self.leaf(wanted);
        }
        let depth = depth - 1;
        match (wanted, self.rng.u8(..5)) {
            (Kind::Boolean, _) => {
                let root = self.rng.usize(..ROOTS);
                self.root(root, depth)
            }
            (_, 0) => {
                let parts = [wanted, Kind::Boolean, wanted];
                // Without `else`, now and then.
                let count = if self.rng.u8(..4) == 0 { 2 } else { 3 };
                Expression::new(Form::Choice, self.all(&parts[..count], depth))
            }
            (_, 1) => self.part(wanted, depth),
            (_, 2) => {
                let default = self.draw(wanted, depth);
                let whole = self.part(wanted, depth);
                Expression::new(Form::Filter("default"), vec![whole, default])
            }
            (Kind::Number, _) => self.number(depth),
            (Kind::Text, 3) => Expression::new(Form::Join, self.all(&[Kind::Text; 2], depth)),
            (Kind::Text, _) => {
                let filter = self.pick(&["upper", "lower", "trim", "max", "min"]);
                let of = if ["max", "min"].contains(&filter) {
                    self.list(Kind::Text, depth)
                } else {
                    self.draw(Kind::Text, depth)
                };
                Expression::new(Form::Filter(filter), vec![of])
            }
            (Kind::List, 3) => {
                let of = self.pick(&[Kind::Number, Kind::Text]);
                let filter = self.pick(&["sort", "select eq", "reject eq"]);
                let mut parts = vec![self.list(of, depth)];
                if filter != "sort" {
                    parts.push(self.draw(of, depth));
                }
                Expression::new(Form::Filter(filter), parts)
            }
            (Kind::List, _) => {
                let of = self.pick(&KINDS);
                self.list(of, depth)
            }
            (Kind::Map, _) => {
                let of = self.pick(&KINDS);
                self.map(of, depth)
            }
            (Kind::None, _) => self.leaf(Kind::None),
        }
    }

    fn all(&mut self, kinds: &[Kind], depth: u8) -> Vec<Expression> {
        kinds.iter().map(|kind| self.draw(*kind, depth)).collect()
    }

    fn number(&mut self, depth: u8) -> Expression {
        let filter = |name, part| Expression::new(Form::Filter(name), vec![part]);
        match self.rng.u8(..7) {
            6 => {
                // A part that each item has; `refusals` asks for one that none has.
                let keys = vec!["a".to_owned()];
                let items = (0..2).map(|_| {
                    let part = self.leaf(Kind::Number);
                    Expression::new(Form::Map(keys.clone()), vec![part])
                });
                let items = Expression::new(Form::List, items.collect());
                let key = Expression::known("'a'", Value::Text("a".to_owned()));
                if self.rng.bool() {
                    return Expression::new(Form::Filter("sum of"), vec![items, key]);
                }
                let parts = Expression::new(Form::Filter("parts"), vec![items, key]);
                filter("max", parts)
            }
            0 | 1 => {
                let sign = self.pick(&["+", "-", "*"]);
                Expression::new(Form::Arithmetic(sign), self.all(&[Kind::Number; 2], depth))
            }
            2 => {
                let of = self.pick(&[Kind::Text, Kind::List, Kind::Map]);
                filter("length", self.draw(of, depth))
            }
            3 => filter("int", self.draw(Kind::Text, depth)),
            4 => {
                let parts = self.all(&[Kind::Text, Kind::Number], depth);
                Expression::new(Form::Filter("int"), parts)
            }
            _ => {
                let name = self.pick(&["max", "min", "sum", "first", "last"]);
                filter(name, self.list(Kind::Number, depth))
            }
        }
    }

    /// Draws a list of items of one kind, where possible.
    fn list(&mut self, of: Kind, depth: u8) -> Expression {
        let parts = vec![of; self.rng.usize(1..4)];
        Expression::new(Form::List, self.all(&parts, depth.min(1)))
    }

    fn map(&mut self, of: Kind, depth: u8) -> Expression {
        let keys: &[&str] = self.pick(&[&["a"], &["a", "b"], &["ada", "3"]]);
        let parts = self.all(&vec![of; keys.len()], depth.min(1));
        let keys = keys.iter().map(|key| (*key).to_owned());
        Expression::new(Form::Map(keys.collect()), parts)
    }

    /// Draws a part of a list or a map, or one that does not exist.
    fn part(&mut self, of: Kind, depth: u8) -> Expression {
        let (whole, key) = if self.rng.bool() {
            let place = self.pick(&["0", "1", "7"]);
            let number = place.parse().expect("a number");
            (
                self.list(of, depth),
                Expression::known(place, Value::Number(number)),
            )
        } else {
            let key = self.pick(&["a", "b", "zz"]);
            let written = format!("'{key}'");
            (
                self.map(of, depth),
                Expression::known(&written, Value::Text(key.to_owned())),
            )
        };
        Expression::new(Form::Part, vec![whole, key])
    }

    /// Draws an expression of this form, meant to be true or false.
    pub fn root(&mut self, form: usize, depth: u8) -> Expression {
        use Kind::{Boolean, Number, Text};
        let any = self.pick(&KINDS);
        let ordered = self.pick(&[Number, Text]);
        let (form, parts) = match form {
            0 => (Form::Not, self.all(&[Boolean], depth)),
            1 => (Form::And, self.all(&[Boolean; 2], depth)),
            2 => (Form::Or, self.all(&[Boolean; 2], depth)),
            3 => (Form::Choice, self.all(&[Boolean; 3], depth)),
            4 => (Form::Compare("=="), self.all(&[any; 2], depth)),
            5 => (Form::Compare("!="), self.all(&[any; 2], depth)),
            6 => (
                Form::Compare(self.pick(&ORDERS)),
                self.all(&[ordered; 2], depth),
            ),
            7 => {
                let signs = [self.pick(&["<", "<="]), self.pick(&["<", "<="])];
                (
                    Form::Between(signs[0], signs[1]),
                    self.all(&[Number; 3], depth),
                )
            }
            8 => (Form::In(self.rng.bool()), self.all(&[Text; 2], depth)),
            9 => {
                let parts = vec![self.draw(any, depth), self.list(any, depth)];
                (Form::In(self.rng.bool()), parts)
            }
            10 => {
                let parts = vec![self.draw(Text, depth), self.map(any, depth)];
                (Form::In(self.rng.bool()), parts)
            }
            11 => (
                Form::Is(self.pick(&["eq", "ne"])),
                self.all(&[any; 2], depth),
            ),
            12 => (
                Form::Is(self.pick(&ORDER_TESTS)),
                self.all(&[ordered; 2], depth),
            ),
            13 => {
                let tests = ["string", "number", "boolean", "none", "mapping"];
                (Form::Is(self.pick(&tests)), self.all(&[any], depth))
            }
            14 => (
                Form::Is(self.pick(&["true", "false"])),
                self.all(&[Boolean], depth),
            ),
            15 => {
                let parts = vec![self.part(any, depth)];
                (Form::Is(self.pick(&["defined", "undefined"])), parts)
            }
            16 => {
                let tests = ["startingwith", "endingwith"];
                (Form::Is(self.pick(&tests)), self.all(&[Text; 2], depth))
            }
            _ => {
                let of = self.pick(&[Boolean, Text, Number]);
                (Form::Filter("bool"), self.all(&[of], depth))
            }
        };
        Expression::new(form, parts)
    }
}

/// Returns a map of these values.
pub fn map<const N: usize>(values: [(&str, Value); N]) -> Value {
    let values = values.map(|(key, value)| (key.to_owned(), value));
    Value::Map(BTreeMap::from(values))
}
