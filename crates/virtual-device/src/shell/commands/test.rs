//! `test` and `[`: conditions of files, texts and numbers.

use super::{Call, Outcome};

/// Error of a malformed condition.
#[derive(Debug, thiserror::Error)]
enum ConditionError {
    #[error("{0}: unexpected operator/operand")]
    Operator(String),
    #[error("{0}: bad number")]
    Number(String),
}

pub(super) fn test(call: &mut Call) -> Outcome {
    let args = call.owned_args();
    decide(call, &args)
}

/// `[ CONDITION ]`, as `test`. Gives 2 without the `]`.
pub(super) fn bracket(call: &mut Call) -> Outcome {
    let mut args = call.owned_args();
    if args.pop().as_deref() != Some("]") {
        return call.fail(2, "/system/bin/sh: [: missing ]");
    }
    decide(call, &args)
}

/// Gives 0 if the condition holds, 1 if not, and 2 with a message if it is malformed.
fn decide(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match any_of(call, &words) {
        Ok(truth) => Outcome::Exit(i32::from(!truth)),
        Err(problem) => {
            let name = call.name();
            call.fail(2, format!("/system/bin/sh: {name}: {problem}"))
        }
    }
}

/// Evaluates `-o`, then `-a`, then a single condition. Words on both sides of the first such word are split there,
/// even inside a malformed one; with at most three words it is an operand.
fn any_of(call: &Call, words: &[&str]) -> Result<bool, ConditionError> {
    // Up to three words it may be an operand, as in `[ -n -o ]`.
    if words.len() > 3
        && let Some(at) = words.iter().position(|word| *word == "-o")
    {
        return Ok(any_of(call, &words[..at])? || any_of(call, &words[at + 1..])?);
    }
    if words.len() > 3
        && let Some(at) = words.iter().position(|word| *word == "-a")
    {
        return Ok(any_of(call, &words[..at])? && any_of(call, &words[at + 1..])?);
    }
    one(call, words)
}

/// Evaluates a condition of at most three words, or the negation of any. No word is false, one is true if it is
/// not empty.
fn one(call: &Call, words: &[&str]) -> Result<bool, ConditionError> {
    match words {
        [] => Ok(false),
        [text] => Ok(!text.is_empty()),
        ["!", rest @ ..] => Ok(!any_of(call, rest)?),
        [operator, operand] => unary(call, operator, operand),
        [left, operator, right] => binary(left, operator, right),
        [_, operator, ..] => Err(ConditionError::Operator((*operator).to_owned())),
    }
}

/// Evaluates a test of one operand. A file that exists can be read and written; only folders can be executed, and
/// there are no links.
fn unary(call: &Call, operator: &str, operand: &str) -> Result<bool, ConditionError> {
    let stat = || call.device.stat(&call.path(operand));
    Ok(match operator {
        "-n" => !operand.is_empty(),
        "-z" => operand.is_empty(),
        "-e" | "-a" | "-r" | "-w" => stat().is_ok(),
        "-f" => stat().is_ok_and(|stat| stat.is_file()),
        "-c" => stat().is_ok_and(|stat| !stat.is_file() && !stat.is_folder()),
        "-d" | "-x" => stat().is_ok_and(|stat| stat.is_folder()),
        "-s" => stat().is_ok_and(|stat| stat.size > 0),
        "-L" | "-h" | "-t" | "-p" | "-S" => false,
        _ => return Err(ConditionError::Operator(operator.to_owned())),
    })
}

/// Compares two operands, as texts or as whole numbers. `<` and `>` compare bytes.
fn binary(left: &str, operator: &str, right: &str) -> Result<bool, ConditionError> {
    let number = |text: &str| {
        text.trim()
            .parse::<i64>()
            .map_err(|_| ConditionError::Number(text.to_owned()))
    };
    Ok(match operator {
        "=" | "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        ">" => left > right,
        "-eq" => number(left)? == number(right)?,
        "-ne" => number(left)? != number(right)?,
        "-lt" => number(left)? < number(right)?,
        "-le" => number(left)? <= number(right)?,
        "-gt" => number(left)? > number(right)?,
        "-ge" => number(left)? >= number(right)?,
        _ => return Err(ConditionError::Operator(operator.to_owned())),
    })
}
