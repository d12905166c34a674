//! Tests of files on the device, and of their transfer.

use super::*;

#[tokio::test]
async fn files_stay_in_their_location() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let location = Location::new("/sdcard/Download").unwrap();
    let name = "notes/it's a 'test'|x.txt";
    files::write(device, &location, name, b"one\n")
        .await
        .unwrap();
    files::append(device, &location, name, b"two\n")
        .await
        .unwrap();
    assert_eq!(
        files::read(device, &location, name, 100).await.unwrap(),
        b"one\ntwo\n"
    );
    let stat = files::stat(device, &location, name).await.unwrap();
    assert_eq!((stat.size, stat.is_folder), (8, false));
    files::write(device, &location, "b.txt", b"").await.unwrap();
    let names: Vec<String> = files::list(device, &location, "")
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, ["notes", "b.txt"]);
    assert!(matches!(
        files::read(device, &location, name, 7).await,
        Err(FileError::TooLarge { size: 8, .. })
    ));
    assert!(matches!(
        files::read(device, &location, "none.txt", 7).await,
        Err(FileError::NotFound { .. })
    ));
    assert!(matches!(
        files::append(device, &location, "notes", b"x").await,
        Err(FileError::IsFolder { .. })
    ));
    assert!(matches!(
        files::list(device, &location, "b.txt").await,
        Err(FileError::NotFolder { .. })
    ));
    files::delete(device, &location, name).await.unwrap();
    assert!(matches!(
        files::delete(device, &location, name).await,
        Err(FileError::NotFound { .. })
    ));
    assert!(
        files::list(device, &location, "notes")
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_full_storage_is_an_error_and_leaves_the_old_file() {
    let (phone, device) = start().await;
    let device = device.as_ref();
    let location = Location::new("/sdcard/Download").unwrap();
    files::write(device, &location, "a.txt", b"old")
        .await
        .unwrap();
    phone.inject(FaultSpec::always(Fault::StorageFull));
    assert!(
        files::write(device, &location, "a.txt", b"new")
            .await
            .is_err()
    );
    phone.clear_faults();
    assert_eq!(
        files::read(device, &location, "a.txt", 10).await.unwrap(),
        b"old"
    );
}

#[tokio::test]
async fn transfers_larger_than_a_packet() {
    let (_phone, device) = start().await;
    let data: Vec<u8> = (0..3_000_000u32)
        .map(|number| (number % 251) as u8)
        .collect();
    device.push(&data, "/sdcard/big.bin", 0o644).await.unwrap();
    assert_eq!(
        device.pull("/sdcard/big.bin", 4_000_000).await.unwrap(),
        data
    );
    let printed = device
        .shell(&Script::command(["cat", "/sdcard/big.bin"]), LIMIT)
        .await
        .unwrap();
    assert_eq!(printed.stdout, data);
}
