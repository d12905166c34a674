//! Checks names of functions and the texts that call them.

use std::ops::Range;

use super::super::{Report, advice};
use crate::apps::a2ui::catalogue::{self, FUNCTIONS, Property};
use crate::apps::a2ui::function_calls;
use runner_text::diagnostic::Code;
use runner_text::yaml::Node;

pub(super) fn argument(arguments: &'static [Property], name: &str) -> Option<&'static Property> {
    arguments.iter().find(|argument| argument.name == name)
}

/// Checks that a text for `formatString` is well formed and calls known functions only. Their arguments are
/// not checked, nor is a node that is no literal.
pub(super) fn inside_text(node: &Node, report: &mut Report) {
    let Some(scalar) = node.scalar() else {
        return;
    };
    match function_calls(&scalar.text) {
        Ok(names) => {
            for name in names {
                if catalogue::find_function(&name).is_none() {
                    unknown_function(&name, &node.span, report);
                }
            }
        }
        Err(problem) => report.fail(&node.span, Code::Format, problem.to_string(), None),
    }
}

/// Reports an unknown function, with the one that a word of other tools means as help, else with the most similar one
/// if one is similar.
pub(super) fn unknown_function(name: &str, span: &Range<usize>, report: &mut Report) {
    let message = format!("there is no function `{name}`");
    let code = Code::UnknownFunction;
    match advice::function(name) {
        Some(help) => report.fail(span, code, message, Some(help)),
        None => {
            let names = FUNCTIONS.iter().map(|function| function.name);
            report.unknown(span, code, message, names, name);
        }
    }
}

/// Reports a name in place of a `functionCall`: of a function, else of an action of the app.
pub(super) fn function_name(node: &Node, report: &mut Report) {
    let name = advice::shown(node);
    let help = match catalogue::find_function(&name) {
        Some(_) => format!("write `functionCall: {{ call: {name}, args: {{ … }} }}`"),
        None => format!("write `event: {{ name: {name} }}`"),
    };
    let message = format!("`functionCall` must be a map, not {}", node.what());
    report.fail(&node.span, Code::WrongType, message, Some(help));
}
