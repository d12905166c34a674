//! Tests of what the newest results say: names, durations, trends and failures.

use super::*;

#[test]
fn within_a_run_too_the_newest_results_count() {
    let folder = Folder::new();
    let mut writer = folder.begin(1);
    for ms in 1..=20 {
        let mut steps = steps();
        steps[0].ms = ms;
        writer
            .flow(result("a", Outcome::Passed, ms), steps, None)
            .unwrap();
    }
    writer.finish(1, 0, false).unwrap();
    let details = Details::StepsOf("flows/a.yaml");
    let history = History::read_with(&folder.path(), details, MAX_RUNS);
    let key = case("a").key();
    let durations = Durations::from_history(&history);
    let duration = durations.get(&key.flow, None).unwrap();
    assert_eq!(duration.as_millis(), 16, "of 12 to 20");
    let of_flow = Trends::from_history(&history, None);
    let of_flow = of_flow.get(&key.flow, None).unwrap().slower;
    assert_eq!(of_flow, Some(2.0), "15 against 5");
    assert_eq!(step_trends(&history, &key)[0].slower, of_flow);
}

#[test]
fn names_that_are_known_take_no_room_of_others() {
    let met = |names: std::ops::Range<usize>| ScreenNames {
        ids: names.map(|name| format!("{name:04}")).collect(),
        ..ScreenNames::default()
    };
    let folder = Folder::new();
    for (minute, names) in [(1, 0..1100), (2, 0..800)] {
        let mut writer = folder.begin(minute);
        let met = Some(met(names));
        writer
            .flow(result("a", Outcome::Passed, 1), Vec::new(), met)
            .unwrap();
        writer.finish(1, 0, false).unwrap();
    }
    let (names, _) = ScreenNamesByFlow::read(&folder.path());
    let names = names.get("flows/a.yaml").unwrap();
    assert_eq!(names.len(), 1000);
    assert!(names.contains("0999"));
}

#[test]
fn a_run_is_none_of_those_before_it_and_neither_are_the_runs_it_was_merged_from() {
    let folder = Folder::new();
    for minute in 1..=3 {
        folder.run(minute, &[("a", Outcome::Passed, 1)]);
    }
    let history = folder.read();
    let [first, second, _] = [0, 1, 2].map(|run: usize| history.runs[run].id.as_str());
    let merged = format!("{first}{RUN_ID_SEPARATOR}{second}");
    for (without, results) in [(None, 3), (Some(first), 2), (Some(merged.as_str()), 1)] {
        let trends = Trends::from_history(&history, without);
        let trend = trends.get("flows/a.yaml", None).unwrap();
        assert_eq!(trend.results, results, "{without:?}");
    }
}

#[test]
fn a_flow_with_cases_that_reads_again_failed_no_longer() {
    let folder = Folder::new();
    let of_case = || {
        let mut passed = result("a", Outcome::Passed, 1);
        passed.id.case = Some("de".into());
        passed
    };
    let mut unreadable = result("a", Outcome::Error, 1);
    unreadable.id.device = None;
    for (minute, result, failed) in [
        (1, of_case(), 0),
        (2, unreadable.clone(), 1),
        (3, of_case(), 0),
        (4, unreadable, 1),
    ] {
        let mut writer = folder.begin(minute);
        writer.flow(result, Vec::new(), None).unwrap();
        writer.finish(1, 0, false).unwrap();
        let failures = LastFailed::from_history(&folder.read());
        assert_eq!(failures.count(), failed);
        // Whichever case it was, and also a new one.
        for case in [None, Some("de"), Some("en")] {
            assert_eq!(
                failures.has("flows/a.yaml", case),
                failed > 0,
                "{minute}: {case:?}"
            );
        }
    }
}
