//! Tests that no event shows a secret, and that names of the program stay.

use proptest::prelude::*;

use super::*;
use crate::testing::any_event_with;

proptest! {
    #[test]
    fn no_event_shows_a_secret(
        mut event in any_event_with("[a-z]{0,3}(S3CR\"T& x)[a-z]{0,3}", "[a-z]{1,9}")
    ) {
        let scrubber = Scrubber::default();
        scrubber.add("S3CR\"T& x");
        let before = event.clone();
        scrub_event(&scrubber, &mut event);
        let line = serde_json::to_string(&event).unwrap();
        prop_assert!(!line.contains("S3CR"), "{line}");
        let clean = event.clone();
        scrub_event(&scrubber, &mut event);
        prop_assert_eq!(&event, &clean, "scrubbing twice is scrubbing once");
        prop_assert_eq!((event.seq, event.t_ms), (before.seq, before.t_ms));
    }

    #[test]
    fn s1_what_the_program_names_stays_whatever_is_secret(
        mut event in any_event_with("[A-M]{1,9}", "[a-z]{4,9}/[a-z]{1,9}"),
        declared in "[n-z]{4,6}",
        typed in "[n-z0-9]{1,6}",
    ) {
        let scrubber = Scrubber::default();
        scrubber.add(&declared);
        scrubber.add_typed(&typed);
        let before = serde_json::to_value(&event).unwrap();
        scrub_event(&scrubber, &mut event);
        // Values and secrets share no letters, in whatever case, so nothing may change.
        prop_assert_eq!(before, serde_json::to_value(&event).unwrap());
    }
}

#[test]
fn s1_a_typed_word_is_masked_where_it_is_a_value_and_in_no_path() {
    let scrubber = Scrubber::default();
    scrubber.add_typed("maestro");
    scrubber.add_typed("12");
    scrubber.begin_step();
    let id = FlowId {
        flow: ".maestro/login.yaml".into(),
        case: None,
        repeat: None,
        device: "maestro".to_owned(),
        attempt: 0,
    };
    let mut event = Event {
        seq: 12,
        t_ms: 12,
        kind: EventKind::Log {
            id: Some(id.clone()),
            level: crate::LogLevel::Info,
            message: "room 412 of maestro, maestros".to_owned(),
        },
    };
    scrub_event(&scrubber, &mut event);
    let EventKind::Log {
        id: reported,
        message,
        ..
    } = event.kind
    else {
        unreachable!("it was a log");
    };
    assert_eq!(reported, Some(id));
    assert_eq!(message, "room 412 of ***, maestros");
}
