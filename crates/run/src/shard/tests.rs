use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use runner_flow::{Flow, ReadOptions, read_text};

/// Returns a plan of flows with so many cases each. Some run several times.
fn suite(cases: &[(u8, u8)]) -> Plan {
    let flow = |index: usize, rows: u8| -> Arc<Flow> {
        let rows: Vec<String> = (0..rows).map(|row| format!("{{ a: r{row} }}")).collect();
        let each = match rows.as_slice() {
            [] => String::new(),
            rows => format!("each: [ {} ]\n", rows.join(", ")),
        };
        let text = format!("{each}steps: [ back ]\n");
        let path = format!("flows/{index}.yaml");
        let (flow, wrong) = read_text(path.as_str().into(), text, &ReadOptions::default());
        Arc::new(flow.unwrap_or_else(|| panic!("{wrong:?}")))
    };
    let mut plan = Plan::default();
    for (index, (rows, turns)) in cases.iter().enumerate() {
        for case in PlannedCase::all_of(&flow(index, *rows)) {
            plan.cases.extend((0..*turns).map(|turn| PlannedCase {
                repeat: (*turns > 1).then(|| u32::from(turn) + 1),
                ..case.clone()
            }));
        }
    }
    plan
}

fn part(plan: &Plan, index: u32, total: u32, durations: Option<&Durations>) -> Plan {
    let mut part = plan.clone();
    part.keep_shard(ShardNumber { index, total }, durations);
    part
}

fn ids(plan: &Plan) -> Vec<CaseId> {
    plan.cases.iter().map(PlannedCase::id).collect()
}

#[test]
fn only_parts_that_there_are_read() {
    for (text, expected) in [
        (
            "0/4",
            "there is no part 0 of 4: parts are counted from 1 to 4",
        ),
        (
            "5/4",
            "there is no part 5 of 4: parts are counted from 1 to 4",
        ),
        (
            "a/b",
            "invalid shard `a/b`; expected K/N, such as 2/4, or auto",
        ),
        ("2", "invalid shard `2`; expected K/N, such as 2/4, or auto"),
        (
            "-1/4",
            "invalid shard `-1/4`; expected K/N, such as 2/4, or auto",
        ),
        ("1/0", "there are 0 parts; there must be 1 to 1000"),
        (
            "1/99999999999",
            "there are 99999999999 parts; there must be 1 to 1000",
        ),
    ] {
        let error = text.parse::<ShardNumber>().unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!("2/4".parse(), ShardNumber::new(2, 4));
}

#[test]
fn the_parts_of_a_plan_are_the_same_for_ever() {
    let plan = suite(&[(0, 1), (2, 1), (0, 1), (0, 1)]);
    let messages: Vec<String> = (1..=2)
        .flat_map(|index| {
            ids(&part(&plan, index, 2, None))
                .into_iter()
                .map(move |id| format!("{index} {id}"))
        })
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn parts_take_about_as_long_where_durations_are_known() {
    let plan = suite(&[(0, 1); 6]);
    let took = [60, 30, 20, 10, 10, 10];
    let durations = Durations::known(took.iter().enumerate().map(|(index, seconds)| {
        (
            format!("flows/{index}.yaml"),
            std::time::Duration::from_secs(*seconds),
        )
    }));
    let load = |index| {
        let ids = ids(&part(&plan, index, 2, Some(&durations)));
        ids.iter()
            .map(|id| took[id.flow.file_stem().unwrap().parse::<usize>().unwrap()])
            .sum::<u64>()
    };
    assert_eq!((load(1), load(2)), (70, 70));
}

proptest! {
    #[test]
    fn parts_are_disjoint_and_together_all(
        cases in proptest::collection::vec((0_u8..5, 1_u8..4), 0..20),
        total in 1_u32..9,
        seed in any::<u64>(),
        known in proptest::option::of(proptest::collection::vec(0_u64..1000, 20)),
    ) {
        let plan = suite(&cases);
        let durations = known.map(|known| {
            Durations::known(known.into_iter().enumerate().map(|(index, ms)| {
                (format!("flows/{index}.yaml"), std::time::Duration::from_millis(ms))
            }))
        });
        let mut shuffled = plan.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled.cases);
        let mut seen = HashSet::new();
        let mut hashes = HashSet::new();
        let mut sizes = Vec::new();
        for index in 1..=total {
            let one = part(&plan, index, total, durations.as_ref());
            let other = part(&shuffled, index, total, durations.as_ref());
            let of_other: HashSet<CaseId> = ids(&other).into_iter().collect();
            prop_assert_eq!(of_other, ids(&one).into_iter().collect::<HashSet<_>>(), "in whatever order");
            sizes.push(ids(&one).iter().map(|id| CaseId { repeat: None, ..id.clone() }).collect::<HashSet<_>>().len());
            hashes.insert(one.shard.clone().unwrap().plan);
            hashes.insert(other.shard.unwrap().plan);
            for id in ids(&one) {
                prop_assert!(seen.insert(id));
            }
        }
        prop_assert_eq!(seen, ids(&plan).into_iter().collect());
        prop_assert_eq!(hashes.len(), 1);
        if durations.is_none() && cases.iter().all(|(_, turns)| *turns == 1) {
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn another_plan_has_another_hash(cases in proptest::collection::vec((0_u8..3, 1_u8..2), 1..8)) {
        let plan = suite(&cases);
        let mut less = plan.clone();
        less.cases.pop();
        let hash = |plan: &Plan, total| part(plan, 1, total, None).shard.unwrap().plan;
        prop_assert_ne!(hash(&plan, 3), hash(&less, 3));
        prop_assert_ne!(hash(&plan, 3), hash(&plan, 2));
    }
}
