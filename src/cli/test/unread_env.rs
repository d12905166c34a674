//! Notes about variables of `--env` and `--env-file` that no flow reads, and that are nearly named as one that is read.

use std::collections::BTreeSet;

use crate::cli::output;
use crate::config::Config;
use crate::flow::{Flow, Step};
use crate::run::Plan;
use runner_text::suggest::nearest;

/// Prints a note for each variable of the command line that no flow reads, and that is a slip in the name of one that is
/// read and not given. A file of values that many flows share is no reason for any. No value is told. Prints nothing if
/// a flow is one of Maestro's, whose scripts may read any name.
pub(super) fn report(config: &Config, plan: &Plan) {
    let of_devices = [&plan.device_setup, &plan.device_teardown];
    let of_devices = of_devices.into_iter().flatten();
    let flows: Vec<_> = plan.flows().chain(of_devices).collect();
    let is_foreign = flows.iter().any(|flow| flow.maestro().is_some());
    if config.command_env.is_empty() || is_foreign {
        return;
    }
    let mut texts = BTreeSet::new();
    for flow in flows {
        add_texts(flow, &mut texts);
    }
    texts.extend(config.project_source.iter().map(|it| it.text.as_str()));
    let names: Vec<&str> = config.command_env.keys().map(String::as_str).collect();
    for (name, near) in slips(&names, &texts) {
        output::note(&format!(
            "note: nothing reads the variable `{name}`, and `{near}` is read: if that was meant, write `{near}=…`"
        ));
    }
}

/// Adds the texts of a flow and of the flows that it runs.
fn add_texts<'f>(flow: &'f Flow, texts: &mut BTreeSet<&'f str>) {
    if texts.insert(&flow.source.text) {
        for steps in flow.step_lists() {
            add_inner(steps, texts);
        }
    }
}

/// Adds the texts of the flows that steps run, also in blocks.
fn add_inner<'f>(steps: &'f [Step], texts: &mut BTreeSet<&'f str>) {
    for step in steps {
        if let Some(flow) = step.action.sub_flow() {
            add_texts(flow, texts);
        }
        for inner in step.action.lists() {
            add_inner(inner, texts);
        }
    }
}

/// Returns each name that stands in none of the texts, with the nearest one of an expression that is not given. Names
/// that differ in a number at their end are not near: they are of a series.
fn slips<'n>(names: &[&'n str], texts: &BTreeSet<&'n str>) -> Vec<(&'n str, &'n str)> {
    let words = texts
        .iter()
        .flat_map(|text| text.split(|c: char| !is_letter(c)));
    let words: BTreeSet<&str> = words.collect();
    let expressions = texts.iter().flat_map(|text| text.split("${").skip(1));
    let expressions = expressions.filter_map(|text| Some(text.split_once('}')?.0));
    // Only what stands before a dot is a variable: `os.NAME` is one of the environment.
    let paths = expressions.flat_map(|text| text.split(|c: char| !is_letter(c) && c != '.'));
    let read: BTreeSet<&str> = paths
        .filter_map(|path| path.split('.').next())
        .filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .filter(|name| !names.contains(name))
        .collect();
    let unread = names.iter().filter(|name| !words.contains(*name));
    let slip = |name: &&'n str| {
        let near = nearest(name, read.iter().copied())?;
        let without_number = |name: &'n str| name.trim_end_matches(|c: char| c.is_ascii_digit());
        (without_number(name) != without_number(near)).then_some((*name, near))
    };
    unread.filter_map(slip).collect()
}

/// Returns true for a character of the name of a variable.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_slip_in_a_name_that_is_read_is_told() {
        for (names, text, told) in [
            (&["NMAE"][..], "type: ${NAME}", &[("NMAE", "NAME")][..]),
            (
                &["username"],
                "type: ${USERNAME}",
                &[("username", "USERNAME")],
            ),
            (
                &["USERNAME"],
                "if: ${len(USER_NAME) > 2}",
                &[("USERNAME", "USER_NAME")],
            ),
            // A file that many flows share.
            (&["NAME", "PASSWORD", "TOKEN"], "type: ${NAME}", &[]),
            (&["NAME", "NAMES"], "type: ${NAME}", &[]),
            (&["USER_2"], "type: ${USER_1}", &[]),
            // It is read in another way, or the near name is no variable.
            (&["NMAE"], "type: ${NAME}\nskip: NMAE == 1", &[]),
            (&["NMAE"], "type: ${os.NAME}", &[]),
            (&["NMAE"], "type: NAME", &[]),
            (&["NMAE"], "type: ${NAME", &[]),
        ] {
            assert_eq!(
                slips(names, &BTreeSet::from([text])),
                told,
                "{names:?} {text}"
            );
        }
    }
}
