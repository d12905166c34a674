//! Tests of the device behind a real adb server.

use std::path::PathBuf;
use std::process::Stdio;

use super::*;
use crate::adb::{AdbServer, connect_serial, list_devices};

/// Real adb server of one test, ended with it.
struct RealServer(AdbServer);

impl RealServer {
    fn new() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        Self(AdbServer {
            host: "127.0.0.1".to_owned(),
            port: free.local_addr().unwrap().port(),
            program: Some(PathBuf::from("adb")),
        })
    }

    fn adb(&self, arguments: &[&str]) -> bool {
        let program = self.0.program.as_ref().unwrap();
        std::process::Command::new(program)
            .args(["-P", &self.0.port.to_string()])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }
}

impl Drop for RealServer {
    fn drop(&mut self) {
        self.adb(&["kill-server"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_adb_server_serves_the_device_too() {
    if !runner_testing::program("adb") {
        return;
    }
    let server = RealServer::new();
    // Nothing listens yet: the driver starts the server.
    let listed = list_devices(&server.0).await.unwrap();
    assert!(
        listed
            .iter()
            .all(|device| !device.serial.starts_with("127.0.0.1"))
    );
    let phone = VirtualDevice::start(VirtualDeviceOptions::new(stub::factory()))
        .await
        .unwrap();
    let serial = phone.address().to_string();
    assert!(server.adb(&["connect", &serial]));
    let device = connect_serial(&server.0, &serial).await.unwrap();
    assert_eq!(device.info().kind_name(KindNames::PLAIN), "virtual");
    crate::text::type_text(device.as_ref(), "Grüße")
        .await
        .unwrap();
    assert_eq!(field(device.as_ref()).await, "Grüße");
    assert_eq!(
        device
            .picture(PictureOptions::within(LIMIT))
            .await
            .unwrap()
            .pixels()
            .unwrap()
            .dimensions(),
        (1080, 2400)
    );
    let data = vec![5; 200_000];
    device.push(&data, "/sdcard/x", 0o600).await.unwrap();
    assert_eq!(device.pull("/sdcard/x", 300_000).await.unwrap(), data);
    phone.shut_down();
    let gone = device
        .shell(&Script::command(["echo", "x"]), LIMIT)
        .await
        .unwrap_err();
    assert!(gone.is_infrastructure(), "{gone}");
    let nobody = connect_serial(&server.0, "none").await.err().unwrap();
    assert!(matches!(nobody, DeviceError::NotFound { .. }), "{nobody}");
}
