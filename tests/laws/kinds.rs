//! Model of expressions by docs/guide/flows.md: a value, an error, or nothing that the documents say.

use std::collections::BTreeMap;

use super::expressions::{Expression, Form};

/// A value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Number(f64),
    Boolean(bool),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
    None,
}

/// Reason for which an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    Error,
    /// Missing part of a list or a map, or `else` that is missing: an error, unless `default` or `is defined` stands
    /// behind it.
    Missing,
    /// Result that the documents do not state.
    Unsaid,
}

/// A value, or the reason for which there is none.
pub type Judged = Result<Value, Trouble>;

/// Evaluates a whole expression.
pub fn judge(expression: &Expression) -> Judged {
    match evaluate(expression) {
        Err(Trouble::Missing) => Err(Trouble::Error),
        judged => judged,
    }
}

/// Evaluates all operands. An error of one is an error of the whole, whatever the others are.
fn operands(expression: &Expression) -> Result<Vec<Value>, Trouble> {
    let judged: Vec<Judged> = expression.parts.iter().map(judge).collect();
    let is_error = judged.contains(&Err(Trouble::Error));
    let values: Result<Vec<Value>, Trouble> = judged.into_iter().collect();
    values.map_err(|trouble| if is_error { Trouble::Error } else { trouble })
}

fn evaluate(expression: &Expression) -> Judged {
    let boolean = |judged: Judged| match judged? {
        Value::Boolean(value) => Ok(value),
        _ => Err(Trouble::Error),
    };
    let part = |place: usize| judge(&expression.parts[place]);
    match &expression.form {
        Form::Known(_, value) => Ok(value.clone()),
        Form::And if boolean(part(0))? => boolean(part(1)).map(Value::Boolean),
        Form::And => unless_refused(Value::Boolean(false), boolean(part(1)).map(Value::Boolean)),
        Form::Or if !boolean(part(0))? => boolean(part(1)).map(Value::Boolean),
        Form::Or => unless_refused(Value::Boolean(true), boolean(part(1)).map(Value::Boolean)),
        Form::Choice if boolean(part(1))? => match expression.parts.len() {
            2 => part(0),
            _ => unless_refused(part(0)?, part(2)),
        },
        Form::Choice if expression.parts.len() == 2 => match part(0) {
            Ok(_) => Err(Trouble::Missing),
            Err(_) => Err(Trouble::Unsaid),
        },
        Form::Choice => unless_refused(part(2)?, part(0)),
        Form::Is(test) if ["defined", "undefined"].contains(test) => {
            let found = evaluate(&expression.parts[0]);
            let is_defined = match found {
                Err(Trouble::Missing) => false,
                Err(trouble) => return Err(trouble),
                Ok(_) => true,
            };
            Ok(Value::Boolean(is_defined == (*test == "defined")))
        }
        Form::Filter("default") => match evaluate(&expression.parts[0]) {
            Err(Trouble::Missing) => part(1),
            // The default is an argument: what comes of an error in it is not said.
            Ok(value) => part(1).map(|_| value).map_err(|_| Trouble::Unsaid),
            judged => judged,
        },
        form => apply(form, expression, operands(expression)?),
    }
}

/// Returns the value of an expression with a part that is not evaluated. The documents do not say whether an
/// error in that part is reported on reading.
fn unless_refused(value: Value, other: Judged) -> Judged {
    other.map_err(|_| Trouble::Unsaid).map(|_| value)
}

/// Applies operations that take values only.
fn apply(form: &Form, expression: &Expression, values: Vec<Value>) -> Judged {
    let truth = |value: Result<bool, Trouble>| value.map(Value::Boolean);
    match (form, &values[..]) {
        (Form::List, _) => Ok(Value::List(values)),
        (Form::Map(keys), _) => Ok(Value::Map(keys.iter().cloned().zip(values).collect())),
        (Form::Not, [Value::Boolean(value)]) => Ok(Value::Boolean(!value)),
        (Form::Compare(sign), [left, right]) => truth(compare(sign, left, right)),
        (Form::Between(first, second), [low, middle, high]) => {
            let low = compare(first, low, middle);
            let high = compare(second, middle, high);
            match (low, high) {
                // What lies behind a comparison that does not hold is perhaps not looked at.
                (Ok(false), Err(_)) => Err(Trouble::Unsaid),
                (low, high) => Ok(Value::Boolean(low? && high?)),
            }
        }
        (Form::In(is_in), [item, all]) => truth(is_among(item, all).map(|found| found == *is_in)),
        (Form::Is(test), [value, more @ ..]) => truth(passes(test, value, more)),
        (Form::Filter(name), [value, more @ ..]) => filter(name, value, more),
        (Form::Arithmetic(sign), [Value::Number(left), Value::Number(right)]) => {
            Ok(Value::Number(match *sign {
                "+" => left + right,
                "-" => left - right,
                _ => left * right,
            }))
        }
        (Form::Arithmetic(_), _) => Err(Trouble::Unsaid),
        (Form::Join, [left, right]) => {
            let written = |value: &Value, place: usize| written(value, &expression.parts[place]);
            Ok(Value::Text(written(left, 0)? + &written(right, 1)?))
        }
        (Form::Part, [whole, key]) => at(whole, key),
        _ => Err(Trouble::Error),
    }
}

/// Returns the text that `~` makes of a value, if the documents leave no doubt.
fn written(value: &Value, source: &Expression) -> Result<String, Trouble> {
    match (value, &source.form) {
        (Value::Text(text), _) => Ok(text.clone()),
        (Value::Number(_), Form::Known(text, _)) if text.chars().all(|c| c.is_ascii_digit()) => {
            Ok(text.clone())
        }
        (Value::None, _) => Err(Trouble::Error),
        _ => Err(Trouble::Unsaid),
    }
}

fn at(whole: &Value, key: &Value) -> Judged {
    match (whole, key) {
        (Value::Map(map), Value::Text(key)) => map.get(key).cloned().ok_or(Trouble::Missing),
        (Value::List(items), Value::Number(place)) if *place >= 0.0 && place.fract() == 0.0 => {
            // The numbers of the generator are small.
            let found = (0_u32..).zip(items);
            let mut found = found.filter(|(number, _)| f64::from(*number) == *place);
            found
                .next()
                .map(|(_, item)| item.clone())
                .ok_or(Trouble::Missing)
        }
        _ => Err(Trouble::Unsaid),
    }
}

/// Compares two values with an operator.
fn compare(sign: &str, left: &Value, right: &Value) -> Result<bool, Trouble> {
    let order = match (left, right) {
        _ if sign == "==" => return equal(left, right),
        _ if sign == "!=" => return equal(left, right).map(|equal| !equal),
        (Value::Number(left), Value::Number(right)) => left.total_cmp(right),
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        _ => return Err(Trouble::Error),
    };
    Ok(match sign {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    })
}

/// Compares two values. All items are compared, so that their order never hides an error.
fn equal(left: &Value, right: &Value) -> Result<bool, Trouble> {
    let all = |pairs: Vec<(&Value, &Value)>, is_whole: bool| {
        let compared: Vec<_> = pairs
            .iter()
            .map(|(left, right)| equal(left, right))
            .collect();
        match compared.iter().find_map(|one| one.err()) {
            // Whether items without a counterpart keep others from being compared is not said.
            Some(_) if !is_whole => Err(Trouble::Unsaid),
            Some(trouble) => Err(trouble),
            None => Ok(is_whole && compared.iter().all(|one| *one == Ok(true))),
        }
    };
    match (left, right) {
        (Value::None, _) | (_, Value::None) => Ok(left == right),
        (Value::Text(left), Value::Text(right)) => Ok(left == right),
        (Value::Number(left), Value::Number(right)) => Ok(left == right),
        (Value::Boolean(left), Value::Boolean(right)) => Ok(left == right),
        (Value::List(left), Value::List(right)) => {
            let is_whole = left.len() == right.len();
            all(left.iter().zip(right).collect(), is_whole)
        }
        (Value::Map(left), Value::Map(right)) => {
            let is_whole = left.keys().eq(right.keys());
            let shared = left.iter();
            let shared = shared.filter_map(|(key, value)| Some((value, right.get(key)?)));
            all(shared.collect(), is_whole)
        }
        _ => Err(Trouble::Error),
    }
}

fn is_among(item: &Value, all: &Value) -> Result<bool, Trouble> {
    match (item, all) {
        (Value::Text(part), Value::Text(whole)) => Ok(whole.contains(part.as_str())),
        (Value::Text(key), Value::Map(map)) => Ok(map.contains_key(key)),
        (_, Value::List(items)) => {
            let compared: Vec<_> = items.iter().map(|one| equal(item, one)).collect();
            let found = compared.contains(&Ok(true));
            let trouble = compared.into_iter().find_map(Result::err);
            trouble.map_or(Ok(found), Err)
        }
        _ => Err(Trouble::Error),
    }
}

/// Evaluates a test that stands after `is`.
fn passes(test: &str, value: &Value, more: &[Value]) -> Result<bool, Trouble> {
    match (test, value, more) {
        ("eq", left, [right]) => compare("==", left, right),
        ("ne", left, [right]) => compare("!=", left, right),
        ("lt", left, [right]) => compare("<", left, right),
        ("le", left, [right]) => compare("<=", left, right),
        ("gt", left, [right]) => compare(">", left, right),
        ("ge", left, [right]) => compare(">=", left, right),
        ("in", item, [all]) => is_among(item, all),
        ("string", value, []) => Ok(matches!(value, Value::Text(_))),
        ("number", value, []) => Ok(matches!(value, Value::Number(_))),
        ("boolean", value, []) => Ok(matches!(value, Value::Boolean(_))),
        ("none", value, []) => Ok(matches!(value, Value::None)),
        ("mapping", value, []) => Ok(matches!(value, Value::Map(_))),
        ("true", Value::Boolean(value), []) => Ok(*value),
        ("false", Value::Boolean(value), []) => Ok(!value),
        ("startingwith", Value::Text(whole), [Value::Text(part)]) => {
            Ok(whole.starts_with(part.as_str()))
        }
        ("endingwith", Value::Text(whole), [Value::Text(part)]) => {
            Ok(whole.ends_with(part.as_str()))
        }
        ("even", Value::Number(number), []) if number.fract() == 0.0 => Ok(number % 2.0 == 0.0),
        ("odd", Value::Number(number), []) if number.fract() == 0.0 => Ok(number % 2.0 != 0.0),
        _ => Err(Trouble::Unsaid),
    }
}

fn filter(name: &str, value: &Value, more: &[Value]) -> Judged {
    let text = |text: String| Ok(Value::Text(text));
    match (name, value, more) {
        ("upper", Value::Text(value), []) => text(value.to_uppercase()),
        ("lower", Value::Text(value), []) => text(value.to_lowercase()),
        ("trim", Value::Text(value), []) => text(value.trim().to_owned()),
        ("length", _, []) => length(value),
        ("int", Value::Text(digits), default) => match (whole_number(digits)?, default) {
            (Some(number), _) => Ok(Value::Number(number)),
            (None, [default @ Value::Number(_)]) => Ok(default.clone()),
            (None, [_]) => Err(Trouble::Unsaid),
            (None, _) => Err(Trouble::Error),
        },
        ("int", Value::Number(number), []) if number.fract() == 0.0 => Ok(value.clone()),
        ("bool", Value::Boolean(_), []) => Ok(value.clone()),
        ("bool", Value::Text(word), []) => match word.as_str() {
            "true" => Ok(Value::Boolean(true)),
            "false" => Ok(Value::Boolean(false)),
            _ => Err(Trouble::Error),
        },
        ("bool", Value::Number(number), []) if [0.0, 1.0].contains(number) => {
            Ok(Value::Boolean(*number == 1.0))
        }
        ("abs", Value::Number(number), []) => Ok(Value::Number(number.abs())),
        ("first", Value::List(items), []) => items.first().cloned().ok_or(Trouble::Unsaid),
        ("last", Value::List(items), []) => items.last().cloned().ok_or(Trouble::Unsaid),
        ("max", Value::List(items), []) => sorted(items)?.pop().ok_or(Trouble::Unsaid),
        ("min", Value::List(items), []) => {
            let least = sorted(items)?.into_iter().next();
            least.ok_or(Trouble::Unsaid)
        }
        ("sort", Value::List(items), []) => sorted(items).map(Value::List),
        ("sum", Value::List(items), []) => sum(items),
        ("parts", Value::List(items), [Value::Text(key)]) => parts(items, key).map(Value::List),
        ("sum of", Value::List(items), [Value::Text(key)]) => sum(&parts(items, key)?),
        ("select", Value::List(items), []) => {
            if items.iter().all(|item| matches!(item, Value::Boolean(_))) {
                let held = items.iter().filter(|item| **item == Value::Boolean(true));
                return Ok(Value::List(held.cloned().collect()));
            }
            Err(Trouble::Error)
        }
        ("select eq", Value::List(items), [wanted]) => chosen(items, wanted, true),
        ("reject eq", Value::List(items), [wanted]) => chosen(items, wanted, false),
        _ => Err(Trouble::Unsaid),
    }
}

fn sum(items: &[Value]) -> Judged {
    let add = |sum: f64, item: &Value| match item {
        Value::Number(number) => Ok(sum + number),
        _ => Err(Trouble::Unsaid),
    };
    items.iter().try_fold(0.0, add).map(Value::Number)
}

/// Returns the part of this name of each item. All must have it.
fn parts(items: &[Value], key: &str) -> Result<Vec<Value>, Trouble> {
    let part = |item: &Value| match item {
        Value::Map(map) => map.get(key).cloned().ok_or(Trouble::Error),
        _ => Err(Trouble::Unsaid),
    };
    items.iter().map(part).collect()
}

fn chosen(items: &[Value], wanted: &Value, is_equal: bool) -> Judged {
    let mut found = Vec::new();
    for item in items {
        if equal(item, wanted)? == is_equal {
            found.push(item.clone());
        }
    }
    Ok(Value::List(found))
}

fn length(value: &Value) -> Judged {
    let length = match value {
        Value::Text(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        _ => return Err(Trouble::Unsaid),
    };
    let length = u32::try_from(length).map_err(|_| Trouble::Unsaid)?;
    Ok(Value::Number(length.into()))
}

/// Parses a text as a number. The documents do not say whether a text such as `1.5` is one.
fn whole_number(text: &str) -> Result<Option<f64>, Trouble> {
    if !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()) {
        return Ok(text.parse().ok());
    }
    let is_plain = text
        .chars()
        .all(|c| c.is_alphabetic() || c == ' ' || c.is_ascii_digit());
    let is_word = is_plain && text.chars().any(char::is_alphabetic);
    if is_word {
        Ok(None)
    } else {
        Err(Trouble::Unsaid)
    }
}

/// Sorts items: numbers, or texts.
fn sorted(items: &[Value]) -> Result<Vec<Value>, Trouble> {
    if items.len() < 2 {
        // Nothing is compared.
        return match items {
            [Value::Number(_) | Value::Text(_)] => Ok(items.to_vec()),
            _ => Err(Trouble::Unsaid),
        };
    }
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    for item in items {
        match item {
            Value::Text(text) => texts.push(text.clone()),
            Value::Number(number) => numbers.push(*number),
            _ => return Err(Trouble::Error),
        }
    }
    if !texts.is_empty() && !numbers.is_empty() {
        return Err(Trouble::Error);
    }
    texts.sort();
    numbers.sort_by(f64::total_cmp);
    let texts = texts.into_iter().map(Value::Text);
    Ok(texts
        .chain(numbers.into_iter().map(Value::Number))
        .collect())
}
