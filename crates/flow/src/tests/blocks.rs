//! Tests of expressions in blocks of YAML, which end with a line feed.

use super::read;

#[test]
fn a_block_may_hold_one_expression() {
    for flow in [
        "skip: >\n  ${device.virtual}\nsteps: [ back ]\n",
        "steps:\n  - assert:\n      that: >\n        ${device.sdk > 30\n        and device.virtual}\n",
        "steps:\n  - back:\n    when: |\n      ${device.virtual}\n",
        "steps:\n  - if: >\n      ${device.virtual}\n    then: [ back ]\n",
        "steps:\n  - repeat:\n      times: >\n        ${device.sdk}\n      steps: [ back ]\n",
        "steps:\n  - repeat: { while: \" ${device.virtual} \", steps: [ back ] }\n",
    ] {
        let (read, found) = read(flow);
        assert!(read.is_some() && found.is_empty(), "{flow}{found:?}");
    }
    for flow in [
        "steps:\n  - back:\n    when: >\n      ${device.virtual} and more\n",
        "steps:\n  - repeat:\n      times: >\n        ${device.sdk} times\n      steps: [ back ]\n",
    ] {
        let (read, found) = read(flow);
        assert!(read.is_none() && found.len() == 1, "{flow}{found:?}");
    }
}
