//! Tests of apps that are installed, launched and stopped.

use super::*;

#[tokio::test]
async fn apps_are_launched_stopped_and_listed() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    apps::stop(device, APP).await.unwrap();
    assert!(!apps::is_running(device, APP).await.unwrap());
    let extras = indexmap::IndexMap::from([("who".to_owned(), serde_json::json!("Ada Lovelace"))]);
    let permissions = indexmap::IndexMap::from([("CAMERA".to_owned(), false)]);
    let launch = apps::Launch {
        package: APP,
        clear: true,
        extras: Some(&extras),
        permissions: Some(&permissions),
        ..apps::Launch::default()
    };
    apps::launch(device, &launch).await.unwrap();
    assert_eq!(apps::process_ids(device, APP, LIMIT).await.unwrap(), [501]);
    let front = apps::foreground(device).await.unwrap();
    assert_eq!(front, Some((APP.to_owned(), ".Main".to_owned())));
    let user = apps::list(device, apps::AppFilter::User).await.unwrap();
    assert_eq!(user.len(), 1);
    assert_eq!(user[0].package, APP);

    let unknown = apps::Launch {
        package: "com.example.none",
        ..apps::Launch::default()
    };
    let error = apps::launch(device, &unknown).await.unwrap_err();
    assert!(error.to_string().contains("not installed"), "{error}");
    let error = apps::open_link(device, "nowhere://x", None)
        .await
        .unwrap_err();
    assert!(matches!(error, DeviceError::Command { .. }), "{error}");
    assert!(apps::clear(device, "com.example.none").await.is_err());
    assert!(
        apps::grant(device, "com.example.none", "CAMERA")
            .await
            .is_err()
    );
    apps::uninstall(device, APP).await.unwrap();
    assert!(apps::uninstall(device, "com.example.none").await.is_err());
}

#[tokio::test]
async fn a_folder_is_installed_as_an_app() {
    let (_phone, device) = start().await;
    let folder = tempfile::tempdir().unwrap();
    let error = apps::install(device.as_ref(), folder.path())
        .await
        .unwrap_err();
    assert!(matches!(error, DeviceError::Command { .. }), "{error}");
    fs_err::create_dir(folder.path().join("screens")).unwrap();
    fs_err::write(folder.path().join("screens/home.json"), b"{}").unwrap();
    fs_err::write(folder.path().join("app.yaml"), b"package: x").unwrap();
    apps::install(device.as_ref(), folder.path()).await.unwrap();
    let left = device
        .shell(&Script::raw("ls /data/local/tmp", "ls"), LIMIT)
        .await
        .unwrap();
    assert_eq!(left.text().trim(), "");
}
