//! Try-out: serves a virtual device with one real app, everything named by hand. Not kept.
use std::sync::Arc;

use runner_app_host::device::{DeviceHosts, LaunchFolders};
use runner_app_host::process::{HostSpec, START_LIMIT};
use runner_virtual_device::hosted::HostedApp;
use runner_virtual_device::{ApkManifest, VirtualDevice, VirtualDeviceOptions};

#[tokio::main]
async fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let [port, apk, package, activities, class_path, parts] = &a[..] else {
        panic!("PORT APK PACKAGE ACTIVITIES CLASSPATH PARTS")
    };
    let activities: Vec<String> = activities.split(',').map(Into::into).collect();
    let manifest = ApkManifest {
        package: package.clone(),
        launchable: activities.first().cloned(),
        activities,
        version_name: "1.0".into(),
        ..ApkManifest::default()
    };
    let class_path: Vec<camino::Utf8PathBuf> = class_path.split(':').map(Into::into).collect();
    let (package, parts) = (package.clone(), parts.clone());
    let hosts = DeviceHosts::new("/tmp".into(), true, Box::new(move |_: &HostedApp, folders: &LaunchFolders| {
        Ok(HostSpec {
            java: "/usr/lib/jvm/temurin-25-jdk-amd64/bin/java".into(),
            class_path: class_path.clone(),
            parts: parts.clone().into(),
            folder: folders.processes.clone(),
            data_dir: Some(folders.data.clone()),
            package: package.clone(),
            config: serde_json::json!({"width":1080,"height":2400,"density":480,"rotation":0,"dark":false,"font_scale":1.0,"locale":"en","insets":{"status":72,"navigation":144,"ime":0}}),
            real_time: false,
            heap_mib: 700,
            options: Vec::new(),
            variables: Vec::new(),
            limit: START_LIMIT,
        })
    })).unwrap();
    let options = VirtualDeviceOptions {
        port: port.parse().unwrap(),
        ..VirtualDeviceOptions::default()
    }
    .with_hosted(vec![HostedApp { apk: apk.into(), manifest: Arc::new(manifest) }], Arc::new(hosts));
    let device = VirtualDevice::start(options).await.unwrap();
    println!("at {}", device.address());
    device.ended().await;
}
