//! Tests of screen recordings.

use super::*;

#[tokio::test]
async fn a_recording_is_fetched_when_it_is_whole() {
    let (_phone, device) = start().await;
    let mut recording = record::Recording::start(device.as_ref()).await.unwrap();
    recording.stop(device.as_ref(), LIMIT).await.unwrap();
    let video = recording.fetch(device.as_ref()).await.unwrap();
    assert_eq!(video.get(4..8), Some(&b"ftyp"[..]));
    recording.discard(device.as_ref()).await.unwrap();
    assert_eq!(videos(device.as_ref()).await, "");
}

async fn videos(device: &dyn Device) -> String {
    let list = Script::raw("ls /sdcard/ | grep mp4", "ls");
    let listed = device.shell(&list, LIMIT).await.unwrap();
    listed.text().into_owned()
}

#[tokio::test]
async fn a_recording_that_is_not_finished_in_time_is_given_up_without_a_file() {
    let (phone, device) = start().await;
    let mut recording = record::Recording::start(device.as_ref()).await.unwrap();
    assert_ne!(videos(device.as_ref()).await, "");
    phone.inject(FaultSpec::once(Fault::HungCommand));
    let limit = Duration::from_millis(100);
    let hung = recording.stop(device.as_ref(), limit).await.unwrap_err();
    assert!(matches!(hung, DeviceError::Timeout { .. }), "{hung}");
    recording.discard(device.as_ref()).await.unwrap();
    assert_eq!(videos(device.as_ref()).await, "");
}
