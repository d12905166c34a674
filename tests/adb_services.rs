//! Services and commands that other tools ask a device for, through a real adb.
//!
//! Needs the `adb` program: a machine without it prints so, and in CI fails. Each test has a server of its
//! own port.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::adb_wire::{Adb, text};
use runner_testing as needs;

/// Limit for each wait for bytes.
const LIMIT: Duration = Duration::from_secs(20);

/// Starts a server on the host that answers each connection with the text that it read, in capitals. Returns
/// its port.
fn shouting_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut bytes = [0; 5];
            if stream.read_exact(&mut bytes).is_ok() {
                let _ = stream.write_all(&bytes.to_ascii_uppercase());
            }
        }
    });
    port
}

/// Sends `hello` to a port of the device through adb's forward, and returns the answer.
async fn say_hello(adb: &Adb, device_port: &str) -> std::io::Result<String> {
    let forwarded = adb.run(&["forward", "tcp:0", device_port]).await;
    let port: u16 = text(&forwarded.stdout).trim().parse().unwrap();
    tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.write_all(b"hello")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    })
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_of_the_device_leads_to_the_host() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let server = format!("tcp:{}", shouting_server());
    // The port of the host's own server is free on the device.
    let added = adb.run(&["reverse", &server, &server]).await;
    assert!(added.status.success(), "{added:?}");
    for _ in 0..2 {
        assert_eq!(say_hello(&adb, &server).await.unwrap(), "HELLO");
    }
    let any = adb.run(&["reverse", "tcp:0", &server]).await;
    let any = format!("tcp:{}", text(&any.stdout).trim());
    assert_eq!(say_hello(&adb, &any).await.unwrap(), "HELLO");
    let name = "localabstract:a.name";
    adb.run(&["reverse", name, &server]).await;
    assert_eq!(say_hello(&adb, name).await.unwrap(), "HELLO");
    let listed = text(&adb.run(&["reverse", "--list"]).await.stdout);
    for local in [server.as_str(), any.as_str(), name] {
        assert!(listed.contains(&format!(" {local} {server}\n")), "{listed}");
    }
    let again = adb.run(&["reverse", "--no-rebind", &any, "tcp:1"]).await;
    assert!(
        text(&again.stderr).contains("cannot rebind existing socket"),
        "{again:?}"
    );
    // Nobody listens there on the host: the connection ends without a byte.
    adb.run(&["reverse", &any, "tcp:1"]).await;
    assert_eq!(say_hello(&adb, &any).await.unwrap_or_default(), "");
    let gone = adb.run(&["reverse", "--remove", &any]).await;
    assert!(gone.status.success(), "{gone:?}");
    let gone = adb.run(&["reverse", "--remove", &any]).await;
    assert!(text(&gone.stderr).contains("not found"), "{gone:?}");
    adb.run(&["reverse", "--remove-all"]).await;
    let listed = text(&adb.run(&["reverse", "--list"]).await.stdout);
    assert_eq!(listed.trim(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leads_to_the_host_ends_with_the_connection() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    adb.run(&["reverse", "tcp:7000", "tcp:1"]).await;
    let listening = text(&adb.shell("cat /proc/net/tcp").await.stdout);
    assert!(listening.contains(":1B58 "), "{listening}");
    adb.reconnect().await;
    let listening = text(&adb.shell("cat /proc/net/tcp").await.stdout);
    assert!(!listening.contains(":1B58 "), "{listening}");
}

/// Opens a service of the device through the adb server, and returns at most `wanted` bytes of its output.
async fn service(adb: &Adb, name: &str, wanted: usize) -> Vec<u8> {
    let (port, serial, name) = (adb.port, adb.serial.clone(), name.to_owned());
    tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        for request in [format!("host:transport:{serial}"), name] {
            let request = format!("{:04x}{request}", request.len());
            stream.write_all(request.as_bytes()).unwrap();
            let mut okay = [0; 4];
            stream.read_exact(&mut okay).unwrap();
            assert_eq!(&okay, b"OKAY", "{request}");
        }
        let mut bytes = Vec::new();
        stream.take(wanted as u64).read_to_end(&mut bytes).unwrap();
        bytes
    })
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_screen_is_had_as_pixels() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let bytes = service(&adb, "framebuffer:", usize::MAX).await;
    let raw = adb.run(&["exec-out", "screencap"]).await.stdout;
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((word(0), word(4), word(8)), (2, 32, 1));
    assert_eq!((word(16), word(20)), (1080, 2400));
    assert_eq!(word(12) as usize, bytes.len() - 56);
    assert!(
        bytes[56..] == raw[16..],
        "the pixels are those of screencap"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_had_in_bytes() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    adb.shell("logcat -c; log -t Peer -p w hello").await;
    let line = b"\x05Peer\0hello\0";
    let entry = service(&adb, "log:main", 20 + line.len()).await;
    assert_eq!(&entry[20..], line);
    let binary = adb.run(&["exec-out", "logcat", "-d", "-B"]).await.stdout;
    assert_eq!(binary[..4], [line.len() as u8, 0, 28, 0]);
    assert_eq!(&binary[28..], line);
    // It goes on, and what comes is in bytes too.
    let follow = service(&adb, "shell:logcat -B Peer:V *:S", 28 + line.len()).await;
    assert_eq!(&follow[28..], line);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_process_may_be_debugged() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let listed = adb.run(&["jdwp"]).await;
    assert_eq!(
        (text(&listed.stdout), listed.status.code()),
        (String::new(), Some(0))
    );
    assert_eq!(service(&adb, "track-jdwp", 4).await, b"0000");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_made_up_are_files() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join("build.prop");
    let local = local.to_str().unwrap();
    let pulled = adb.run(&["pull", "/system/build.prop", local]).await;
    assert!(pulled.status.success(), "{pulled:?}");
    let properties = std::fs::read_to_string(local).unwrap();
    assert!(
        properties.contains("ro.build.version.sdk=34\n"),
        "{properties}"
    );
    let pushed = adb.run(&["push", local, "/dev/null"]).await;
    assert!(pushed.status.success(), "{pushed:?}");
    for (script, out) in [
        (
            "cat /dev/null; wc -c < /dev/null; echo x >> /dev/null; cp /system/build.prop /dev/null; echo $?",
            "0\n0\n",
        ),
        (
            "[ -c /dev/null ] && [ ! -f /dev/null ] && [ -f /system/build.prop ] && echo yes",
            "yes\n",
        ),
        ("ls /proc/net; ls /dev", "tcp\ntcp6\nunix\nnull\n"),
        (
            "rm -f /dev/null; echo x > /system/build.prop; echo $?",
            "1\n",
        ),
    ] {
        assert_eq!(text(&adb.shell(script).await.stdout), out, "{script}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_network_is_described_as_a_phone_does() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let said = async |script: &str| text(&adb.shell(script).await.stdout);
    let route = "192.0.2.0/24 dev wlan0 proto kernel scope link src 192.0.2.2 \n";
    assert_eq!(said("ip route").await, route);
    let addresses = said("ip -f inet addr show wlan0").await;
    assert!(
        addresses.contains("\n    inet 192.0.2.2/24 brd 192.0.2.255 scope global wlan0\n"),
        "{addresses}"
    );
    assert!(!addresses.contains("link/"), "{addresses}");
    let all = said("ip a").await;
    assert!(
        all.starts_with("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536"),
        "{all}"
    );
    assert!(all.contains("\n    link/ether "), "{all}");
    let wifi = said("ifconfig wlan0").await;
    assert!(
        wifi.contains("\n          inet addr:192.0.2.2  Bcast:192.0.2.255  Mask:255.255.255.0 \n"),
        "{wifi}"
    );
    assert!(said("ifconfig").await.starts_with("lo        Link encap:"));
    assert_eq!(
        said("ifconfig nope 2>&1").await,
        "ifconfig: nope: No such device\n"
    );
    assert_eq!(
        said("ip addr show nope 2>&1").await,
        "Device \"nope\" does not exist.\n"
    );
    // Without Wi-Fi there is no address.
    assert_eq!(
        said("svc wifi disable; ip route; ifconfig | grep -c Bcast").await,
        "0\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_the_web_opens_a_browser() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let link = "https://example.org/a?b=c";
    let view = format!("am start -a android.intent.action.VIEW -d '{link}'");
    let started = adb.shell(&view).await;
    assert!(started.status.success(), "{started:?}");
    let dump = adb
        .run(&["exec-out", "uiautomator", "dump", "/dev/tty"])
        .await;
    let dump = text(&dump.stdout);
    assert!(dump.contains("com.android.browser:id/address"), "{dump}");
    assert!(dump.contains(link), "{dump}");
    let nowhere = adb
        .shell("am start -a android.intent.action.VIEW -d nowhere://x")
        .await;
    assert!(!nowhere.status.success(), "{nowhere:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bug_report_is_told_as_missing() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.zip");
    let ran = adb.run(&["bugreport", path.to_str().unwrap()]).await;
    let said = format!("{}{}", text(&ran.stdout), text(&ran.stderr));
    assert!(said.contains("makes no bug reports"), "{said}");
    assert!(!ran.status.success());
}
