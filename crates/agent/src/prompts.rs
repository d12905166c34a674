//! Prompts that tell an agent how to begin. Each names the tools in the order of their use: look, act, record
//! or save, lint, run, snapshot.
//!
//! A server that lists fewer tools offers only the prompts that can do without the others.

use std::borrow::Cow;
use std::collections::BTreeMap;

use runner_tools::Failure;

/// Prompt as it is listed.
#[derive(Debug, Clone, Copy)]
pub struct Prompt {
    pub name: &'static str,
    /// One line about its purpose.
    pub description: &'static str,
    pub arguments: &'static [PromptArgument],
    /// Text with `{NAME}` for each argument.
    text: &'static str,
}

/// Argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub struct PromptArgument {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
    /// Replacement in the text if the argument is left out.
    default: &'static str,
    /// Kind of values that a client may complete.
    pub(super) values: ArgumentValues,
}

/// Kind of an argument's values, for completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentValues {
    /// Any text, which cannot be completed.
    Free,
    /// Path of a flow.
    Flows,
    /// Package of an app that flows test.
    Apps,
    /// Key of a snapshot that waits for review.
    Pending,
}

/// Tools that prompts can do without, each with the words that replace it.
const REPLACEMENTS: [(&str, &str); 2] = [
    ("runner_list_flows", "the resource runner://flows"),
    ("runner_diff_snapshot", "the failure says what changed"),
];

/// Replaces the names of the tools of [`REPLACEMENTS`] that the server lacks, by words without the tool. A text without
/// such a name is borrowed.
fn adapted<'a>(text: &'a str, has: &dyn Fn(&str) -> bool) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for (tool, instead) in REPLACEMENTS {
        if !has(tool) && text.contains(tool) {
            text = Cow::Owned(text.replace(tool, instead));
        }
    }
    text
}

impl Prompt {
    /// Returns true if the server has all tools that the prompt names, after replacements.
    fn has_tools(&self, has: &dyn Fn(&str) -> bool) -> bool {
        adapted(self.text, has)
            .split(|letter: char| !letter.is_ascii_lowercase() && letter != '_')
            .filter(|word| word.starts_with("runner_"))
            .all(has)
    }
}

/// Creates a required argument, which has no default.
const fn required(
    name: &'static str,
    description: &'static str,
    values: ArgumentValues,
) -> PromptArgument {
    PromptArgument {
        name,
        description,
        required: true,
        default: "",
        values,
    }
}

const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "write_flow",
        description: "Write a flow for a goal, by doing it once on the device.",
        arguments: &[
            required("goal", "What the flow must show, such as: a note can be deleted.", ArgumentValues::Free),
            PromptArgument {
                name: "app",
                description: "Package of the app; default: the one the project's flows are for.",
                required: false,
                default: "the app of the project's flows (runner_list_flows)",
                values: ArgumentValues::Apps,
            },
        ],
        text: "\
Write a test flow for this goal: {goal}
App: {app}

1. runner_list_flows: see what is there. Read a flow like the one you need (resource runner://flows/PATH) and runner://docs/flows; \
runner://docs/steps names every step, runner://docs/selectors how a step names its element. Use a sub-flow that is there \
(`run: _sign-in.yaml`) rather than writing its steps again.
2. runner_record with `action: start`. Look before you act: runner_look. Do the goal once by hand with the device tools, \
asking runner_changes after each act; runner_do does several steps and looks once.
3. runner_record with `action: stop` gives what you did as a flow. Edit it, or write the YAML yourself. Name elements by \
text or id, never by pixels. Begin from a known state (`launch: { clear: true }`). After each act assert what a person would see; a \
flow without `assert` proves nothing. No sleeps: steps wait by themselves.
4. runner_lint_flow with `text`, until there are no errors.
5. runner_run_flow with `text`, and with `env` for passwords (`${os.NAME}`). Where it fails, read reason, line, screen and picture, mend, run again. Do not weaken an \
assertion to make it pass: where the app is wrong, say so.
6. runner_save_flow, then runner_run_flow with `path` twice: it must pass both times.
7. Where the look matters, add `snapshot: NAME` with masks for what changes by itself (clocks, dates). Its first run leaves \
it pending; report the key, a person accepts it.
",
    },
    Prompt {
        name: "fix_flow",
        description: "Find out why a flow fails, and mend the flow or report the app's error.",
        arguments: &[required("path", "The flow, such as flows/login.yaml.", ArgumentValues::Flows)],
        text: "\
Mend the flow {path}.

1. Read it: resource runner://flows/{path}. Then runner_run_flow with path {path}.
2. Read the failure: reason, file and line, near misses, the look at the screen, the picture. If that does not tell, runner_look \
shows the screen as it is now, and runner_run_flow with a shortened `text` stops where you want to look.
3. Decide which it is. The app changed on purpose: the flow must follow. The app is wrong: do not touch the flow, report what \
you saw. The flow races or guesses: name the element better, assert what must be there first.
4. Change as little as possible. runner_lint_flow with `text`, then runner_run_flow with `text`.
5. runner_save_flow with `overwrite: true`, then runner_run_flow with path {path}: it must pass twice.
6. A snapshot that differs: runner_diff_snapshot. Say whether the change is meant; a person accepts it.
Report the cause in one sentence, and what you changed.
",
    },
    Prompt {
        name: "explore_app",
        description: "Find out what an app does, and leave flows behind that test it.",
        arguments: &[required("app", "Package of the app.", ArgumentValues::Apps)],
        text: "\
Explore the app {app} and leave flows behind that test it.

1. runner_list_flows: what is tested already is not to be done again.
2. Start the app with the device tools and call runner_look. Go from screen to screen: look, act, look. Note for each screen \
how it is reached, what can be done on it, and what it shows then. Try empty and wrong input, back, rotation.
3. Do not send, buy, call or delete anything that leaves the device.
4. For each thing worth testing write a short flow as soon as you have done it once: runner_record, or the YAML from \
runner://docs/flows. One purpose a flow; steps that several begin with go into a sub-flow `_NAME.yaml`.
5. For each: runner_lint_flow, runner_run_flow with `text`, runner_save_flow, runner_run_flow with `path`.
6. Take a snapshot of each main screen with a step `snapshot: NAME`; mask what changes by itself.
7. End with a list: the flows, what each shows, what you did not test, and what looked wrong.
",
    },
    Prompt {
        name: "review_snapshots",
        description: "Go through the snapshots that wait for review.",
        arguments: &[PromptArgument {
            name: "key",
            description: "Only this snapshot, such as login/welcome; default: all.",
            required: false,
            default: "each key",
            values: ArgumentValues::Pending,
        }],
        text: "\
Review the pending snapshots.

1. runner_list_pending.
2. For {key}: runner_diff_snapshot. Read the rows that change, then the picture; red is what changed.
3. Say for each: meant (which change of the app explains it), an error (what is wrong, and where), or noise (what should be \
masked, and with which selector). New snapshots: does the screen show what the flow says it should, whole and unobscured?
4. Noise: add the mask to the flow (runner_save_flow with `overwrite: true`) and run it again.
5. runner_accept_snapshot only for what was meant, and only if you were asked to accept; otherwise give the commands \
`runner accept KEY` and `runner reject KEY` for a person.
",
    },
];

/// Returns the prompts of a server whose tools `has` accepts, in a fixed order. One that needs a tool that
/// the server lacks is left out, unless its text does without.
pub fn prompts(has: &dyn Fn(&str) -> bool) -> Vec<&'static Prompt> {
    let for_these = PROMPTS.iter().filter(|prompt| prompt.has_tools(has));
    for_these.collect()
}

/// Returns the text of a prompt with its arguments filled in. An argument that is missing or blank has its
/// default. Unknown arguments are ignored. Optional tools that the server lacks, by `has`, are replaced in
/// the text. `None` if the server has no prompt of this name.
///
/// # Errors
/// A required argument is missing or blank.
pub fn fill(
    name: &str,
    arguments: &BTreeMap<String, String>,
    has: &dyn Fn(&str) -> bool,
) -> Result<Option<String>, Failure> {
    let Some(prompt) = prompts(has).into_iter().find(|prompt| prompt.name == name) else {
        return Ok(None);
    };
    let mut values = Vec::new();
    for argument in prompt.arguments {
        let given = arguments
            .get(argument.name)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty());
        match given {
            Some(value) => values.push((argument.name, Cow::Borrowed(value))),
            None if argument.required => {
                return Err(Failure::usage(format!(
                    "prompt `{name}` needs the argument `{}`: {}",
                    argument.name, argument.description
                )));
            }
            None => values.push((argument.name, adapted(argument.default, has))),
        }
    }
    Ok(Some(filled(&adapted(prompt.text, has), &values)))
}

/// Replaces every `{NAME}` of `values`, in one pass: braces in a value, and all other braces, stay as they are.
fn filled(text: &str, values: &[(&str, Cow<'_, str>)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let found = values.iter().find_map(|(name, value)| {
            let tail = rest[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((value, tail))
        });
        match found {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}
