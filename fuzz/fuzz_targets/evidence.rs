#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| runner_fuzz::evidence(data));
