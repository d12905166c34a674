//! Checks values of properties and arguments: literals, paths, function calls, ids, icons, actions.

mod component;
mod context;
mod function;

use std::ops::Range;

use self::component::{children, component};
pub(super) use self::context::Values;
use self::function::{argument, function_name, inside_text, unknown_function};
use super::{Report, advice, find, literal, other_than_text};
use crate::apps::a2ui::catalogue::{self, ValueKind};
use crate::apps::a2ui::{self, ByteBudget};
use crate::apps::ui::{icon_names, is_known_icon};
use runner_text::diagnostic::Code;
use runner_text::yaml::{Key, Node, NodeKind};

/// Checks a value against its type, and everything in it. Ids of components that the value refers to are added to
/// `values`, to be checked once all are known.
pub(super) fn check(node: &Node, takes: ValueKind, values: &mut Values<'_>, report: &mut Report) {
    match takes {
        ValueKind::Component => component(node, values, report),
        ValueKind::Children => children(node, values, report),
        ValueKind::Tabs => {
            let parts = [("title", ValueKind::Text), ("child", ValueKind::Component)];
            each(node, "`tabs`", &parts, values, report);
        }
        ValueKind::Options => {
            let parts = [("label", ValueKind::Text), ("value", ValueKind::Text)];
            each(node, "`options`", &parts, values, report);
        }
        ValueKind::Checks => {
            let parts = [
                ("condition", ValueKind::Boolean),
                ("message", ValueKind::Text),
            ];
            each(node, "`checks`", &parts, values, report);
        }
        ValueKind::Accessibility => {
            let parts = [("label", ValueKind::Text), ("description", ValueKind::Text)];
            if let Some(fields) = report.map(node, "`accessibility`") {
                parts_of(fields, &parts, values, report);
            }
        }
        ValueKind::Action => action(node, values, report),
        ValueKind::OneOf(words) => {
            if let Some(text) = report.text(node, "this")
                && !words.contains(&text)
            {
                let message = format!("`{text}` is none of the values that are possible here");
                report.unknown(
                    &node.span,
                    Code::UnknownValue,
                    message,
                    words.iter().copied(),
                    text,
                );
            }
        }
        ValueKind::Pattern => pattern(node, values, report),
        ValueKind::Icon => icon(node, values, report),
        ValueKind::Text
        | ValueKind::Number
        | ValueKind::Boolean
        | ValueKind::Texts
        | ValueKind::Booleans
        | ValueKind::Any => {
            dynamic(node, takes, values, report);
        }
    }
}

/// Checks a literal, `{path: …}`, `{call: …}`, or in an action `{context: …}`. A call's result is not checked against
/// the type. A boolean or an empty word in place of text gives only a warning, and a number nothing. A placeholder of
/// other tools in a text gives a warning. A list is allowed only for `Texts`, `Booleans` and `Any`, and each item is
/// checked.
fn dynamic(node: &Node, takes: ValueKind, values: &mut Values<'_>, report: &mut Report) {
    match &node.kind {
        NodeKind::Scalar(scalar) => {
            if matches!(takes, ValueKind::Text | ValueKind::Any)
                && !values.is_template
                && let Some(message) = literal::placeholder(&scalar.text)
            {
                report.warn(&node.span, Code::Doubtful, message);
                return;
            }
            let wanted = match takes {
                ValueKind::Number if scalar.number().is_none() => "a number",
                ValueKind::Boolean if scalar.boolean().is_none() => "`true` or `false`",
                ValueKind::Texts | ValueKind::Booleans => "a list",
                ValueKind::Text if node.is_missing() => "a text",
                ValueKind::Text if scalar.plain => {
                    let other = other_than_text(&scalar.text);
                    if let Some(other) = other.filter(|other| *other != "a number") {
                        let text = &scalar.text;
                        let message =
                            format!("`{text}` without quotes is {other} in YAML: write \"{text}\"");
                        report.warn(&node.span, Code::WrongType, message);
                    }
                    return;
                }
                _ => return,
            };
            let message = format!("{wanted} is expected here, not {}", node.what());
            let help = Some("or `{path: /pointer}`, or `{call: function, args: …}`".to_owned());
            report.fail(&node.span, Code::WrongType, message, help);
        }
        NodeKind::Sequence(items) => {
            let inner = match takes {
                ValueKind::Texts => ValueKind::Text,
                ValueKind::Booleans => ValueKind::Boolean,
                ValueKind::Any => ValueKind::Any,
                _ => {
                    let message = "one value is expected here, not a list";
                    report.fail(&node.span, Code::WrongType, message, None);
                    return;
                }
            };
            for item in items {
                dynamic(item, inner, values, report);
            }
        }
        NodeKind::Map(fields) => {
            if let Some((_, name)) = find(fields, "call") {
                call(fields, name, values, report);
            } else if let ([(key, inner)], true) = (fields.as_slice(), names_a_place(fields)) {
                if key.text == "context" && !values.has_context && takes != ValueKind::Any {
                    let message = "`context` is known in an action's steps only";
                    report.fail(&key.span, Code::Context, message, None);
                }
                let what = format!("`{}`", key.text);
                report.text(inner, &what);
            } else if takes == ValueKind::Any {
                for (_, inner) in fields {
                    dynamic(inner, ValueKind::Any, values, report);
                }
            } else {
                let message = "a literal, `{path: …}` or `{call: …}` is expected here";
                report.fail(&node.span, Code::WrongType, message, None);
            }
        }
    }
}

fn names_a_place(fields: &[(Key, Node)]) -> bool {
    matches!(fields, [(key, inner)] if matches!(key.text.as_str(), "path" | "context") && inner.scalar().is_some())
}

/// Checks `{call: NAME, args: {…}}`: the name, unknown keys, and unknown, wrong and missing arguments. A
/// function that this device does not carry out gives a warning.
fn call(fields: &[(Key, Node)], name: &Node, values: &mut Values<'_>, report: &mut Report) {
    let Some(text) = report.text(name, "`call`") else {
        return;
    };
    for (key, _) in fields {
        if !matches!(key.text.as_str(), "call" | "args" | "returnType") {
            let message = format!("`{}` is not known here", key.text);
            report.unknown(
                &key.span,
                Code::UnknownKey,
                message,
                ["call", "args"],
                &key.text,
            );
        }
    }
    let Some(function) = catalogue::find_function(text) else {
        unknown_function(text, &name.span, report);
        return;
    };
    if !function.known {
        let message = format!("the function `{text}` is not done here: the log says so");
        report.warn(&name.span, Code::NotDone, message);
    }
    let empty = Vec::new();
    let args = match find(fields, "args") {
        Some((_, args)) => report.map(args, "`args`").unwrap_or_default(),
        None => &empty,
    };
    for (key, value) in args {
        match argument(function.arguments, &key.text) {
            Some(argument) => {
                let is_template = text == "formatString";
                let outer = std::mem::replace(&mut values.is_template, is_template);
                check(value, argument.takes, values, report);
                values.is_template = outer;
            }
            None => report.unknown(
                &key.span,
                Code::UnknownArgument,
                format!("`{text}` has no argument `{}`", key.text),
                function.arguments.iter().map(|argument| argument.name),
                &key.text,
            ),
        }
    }
    for argument in function.arguments {
        if argument.required && find(args, argument.name).is_none() {
            let message = format!("`{text}` needs `{}`: {}", argument.name, argument.about);
            report.fail(&name.span, Code::MissingArgument, message, None);
        }
    }
    if let (true, Some((_, value))) = (text == "formatString", find(args, "value")) {
        inside_text(value, report);
    }
}

/// Checks a list of maps that each need exactly these parts. Missing and unknown parts are reported, and the
/// values are checked.
fn each(
    node: &Node,
    what: &str,
    parts: &[(&str, ValueKind)],
    values: &mut Values<'_>,
    report: &mut Report,
) {
    let Some(items) = report.list(node, what) else {
        return;
    };
    for item in items {
        let Some(fields) = report.map(item, &format!("each of {what}")) else {
            continue;
        };
        for (name, _) in parts {
            if find(fields, name).is_none() {
                let message = format!("each of {what} needs `{name}`");
                report.fail(&item.span, Code::MissingKey, message, None);
            }
        }
        parts_of(fields, parts, values, report);
    }
}

/// Checks the known parts of a map, and reports unknown ones. Missing ones are not reported.
fn parts_of(
    fields: &[(Key, Node)],
    parts: &[(&str, ValueKind)],
    values: &mut Values<'_>,
    report: &mut Report,
) {
    for (key, value) in fields {
        match parts.iter().find(|(name, _)| *name == key.text) {
            Some((_, takes)) => check(value, *takes, values, report),
            None => {
                let message = format!("`{}` is not known here", key.text);
                let names = parts.iter().map(|(name, _)| *name);
                report.unknown(&key.span, Code::UnknownKey, message, names, &key.text);
            }
        }
    }
}

/// Checks `{event: {name: …, context: {…}}}` or `{functionCall: {call: …}}`. An empty action is an error; both keys
/// together are none.
fn action(node: &Node, values: &mut Values<'_>, report: &mut Report) {
    if node.scalar().is_some() {
        let message = format!("`action` must be a map, not {}", node.what());
        let name = advice::shown(node);
        let help = Some(format!("write `action: {{ event: {{ name: {name} }} }}`"));
        report.fail(&node.span, Code::WrongType, message, help);
        return;
    }
    let Some(fields) = report.map(node, "`action`") else {
        return;
    };
    for (key, value) in fields {
        match key.text.as_str() {
            "event" => event(value, values, report),
            "functionCall" if value.scalar().is_some() => function_name(value, report),
            "functionCall" => dynamic(value, ValueKind::Any, values, report),
            other => {
                let message = format!("`{other}` is not known here");
                let names = ["event", "functionCall"];
                match advice::action(other, value) {
                    Some(help) => report.fail(&key.span, Code::UnknownKey, message, Some(help)),
                    None => report.unknown(&key.span, Code::UnknownKey, message, names, other),
                }
            }
        }
    }
    if fields.is_empty() {
        let help = Some("write `{event: {name: …}}`".to_owned());
        report.fail(
            &node.span,
            Code::MissingKey,
            "this action says nothing",
            help,
        );
    }
}

/// Checks `{name: …, context: {…}}`. The name is required, and must be an action of the app if it has any.
fn event(node: &Node, values: &mut Values<'_>, report: &mut Report) {
    if node.scalar().is_some() {
        let message = format!("`event` must be a map, not {}", node.what());
        let help = Some(format!(
            "write `event: {{ name: {} }}`",
            advice::shown(node)
        ));
        report.fail(&node.span, Code::WrongType, message, help);
        return;
    }
    let Some(fields) = report.map(node, "`event`") else {
        return;
    };
    for (key, value) in fields {
        match key.text.as_str() {
            "name" => {
                let Some(name) = report.text(value, "`name`") else {
                    continue;
                };
                if let Some(actions) = values.actions
                    && !actions.contains(name)
                {
                    report.unknown(
                        &value.span,
                        Code::UnknownEvent,
                        format!("app.yaml has no action `{name}`; the event would do nothing"),
                        actions.iter().map(String::as_str),
                        name,
                    );
                }
            }
            "context" => dynamic(value, ValueKind::Any, values, report),
            other => {
                let message = format!("`{other}` is not known here");
                report.unknown(
                    &key.span,
                    Code::UnknownKey,
                    message,
                    ["name", "context"],
                    other,
                );
            }
        }
    }
    if find(fields, "name").is_none() {
        report.fail(&node.span, Code::MissingKey, "an event needs `name`", None);
    }
}

/// Checks a regular expression, or a dynamic value for one, which is not parsed.
fn pattern(node: &Node, values: &mut Values<'_>, report: &mut Report) {
    if matches!(node.kind, NodeKind::Map(_)) {
        dynamic(node, ValueKind::Any, values, report);
        return;
    }
    if let Some(text) = report.text(node, "a regular expression")
        && let Err(problem) = a2ui::pattern(text, &ByteBudget::default())
    {
        let message = format!("this regular expression cannot be read: {problem}");
        report.fail(&node.span, Code::Pattern, message, None);
    }
}

/// Checks an icon: a name, `{svgPath: …}`, or a dynamic value for the name. An unknown name is reported. The
/// path's drawing commands are not checked.
fn icon(node: &Node, values: &mut Values<'_>, report: &mut Report) {
    match &node.kind {
        NodeKind::Map(fields) if find(fields, "svgPath").is_none() => {
            dynamic(node, ValueKind::Text, values, report);
        }
        NodeKind::Map(fields) => {
            for (key, value) in fields {
                if key.text == "svgPath" {
                    report.text(value, "`svgPath`");
                } else {
                    let message = format!("`{}` is not known here", key.text);
                    report.unknown(&key.span, Code::UnknownKey, message, ["svgPath"], &key.text);
                }
            }
        }
        _ => {
            if let Some(name) = report.text(node, "an icon's name") {
                check_icon(name, &node.span, report);
            }
        }
    }
}

/// Reports an icon that is not in the catalogue. It would be drawn as a crossed-out frame.
pub(super) fn check_icon(name: &str, span: &Range<usize>, report: &mut Report) {
    if !is_known_icon(name) {
        let message = format!("there is no icon `{name}`");
        match advice::icon(name) {
            Some(help) => report.fail(span, Code::UnknownIcon, message, Some(help)),
            None => report.unknown(span, Code::UnknownIcon, message, icon_names(), name),
        }
    }
}
