//! Judges the cases of changed pictures that `just bench-pictures` also gives to other tools.

#[path = "../benches/peers/pictures_cases.rs"]
#[expect(dead_code, reason = "the benchmark also times pairs")]
mod cases;

use runner::snapshot::picture::{PixelMask, compare};

#[test]
fn what_a_person_sees_fails_and_what_no_person_sees_passes() {
    for case in cases::cases() {
        let mask = PixelMask::new(case.golden.width(), case.golden.height(), &[]);
        for (one, other) in [(&case.golden, &case.actual), (&case.actual, &case.golden)] {
            let result = compare(one, other, &mask);
            assert_eq!(
                result.changed > 0,
                case.differs,
                "{}: {result:?}",
                case.name
            );
            let judged = result.changed + result.smoothed + result.faint;
            let is_equal = case.golden == case.actual;
            assert_eq!(
                judged == 0,
                is_equal,
                "{}: the case is what it says",
                case.name
            );
        }
    }
}
