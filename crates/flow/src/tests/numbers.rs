//! Whole numbers of a flow keep every digit.

use proptest::prelude::*;

use crate::{Control, ReadOptions, Scope, StepAction, read_text, resolve};

/// Returns the value that `set` gives in a flow, or the first error and its help.
fn set(written: &str) -> Result<String, (String, String)> {
    let text = format!("steps:\n  - set: {{ A: {written} }}\n");
    let (flow, diagnostics) = read_text("a.yaml".into(), text, &ReadOptions::default());
    if let Some(wrong) = diagnostics.into_iter().next() {
        return Err((wrong.message, wrong.help.unwrap_or_default()));
    }
    let flow = flow.unwrap();
    let StepAction::Control(control) = &flow.steps[0].action else {
        panic!("{written}");
    };
    let Control::Set { values } = &**control else {
        panic!("{written}");
    };
    Ok(resolve(&values["A"], &Scope::default())
        .unwrap()
        .to_string())
}

proptest! {
    #[test]
    fn a_whole_number_is_what_is_written_or_an_error(written in "-?[1-9][0-9]{0,24}") {
        let fits = written.parse::<i64>().is_ok() || written.parse::<u64>().is_ok();
        match set(&written) {
            Ok(value) => {
                prop_assert!(fits, "{written}");
                prop_assert_eq!(&value, &written);
            }
            Err((message, help)) => {
                prop_assert!(!fits, "{written}: {message}");
                prop_assert!(message.contains("is possible") && help.contains("in quotes"));
                prop_assert!(!message.contains(&written), "{message}");
            }
        }
        prop_assert_eq!(set(&format!("'{written}'")), Ok(format!("\"{written}\"")));
    }
}

#[test]
fn a_number_that_is_written_as_a_float_is_one() {
    for (written, value) in [
        ("-0", "-0.0"),
        ("1e30", "1e+30"),
        ("36893488147419103232.0", "3.6893488147419103e+19"),
    ] {
        assert_eq!(set(written), Ok(value.to_owned()), "{written}");
    }
}
