//! Announcements by multicast DNS.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use mdns_sd::{ResolvedService, ServiceDaemon, ServiceEvent};

use super::WirelessDevice;

/// What wireless debugging announces: adbd behind TLS.
const SECURE: &str = "_adb-tls-connect._tcp.local.";
/// What `adb tcpip` and emulators announce: adbd as it is.
const PLAIN: &str = "_adb._tcp.local.";
/// Most devices that are returned.
const MAX_DEVICES: usize = 256;

/// The devices that announce themselves within `time`. Blocks as long.
///
/// # Errors
/// Why nobody can be listened to, such as a network without multicast.
pub fn wireless_devices(time: Duration) -> io::Result<Vec<WirelessDevice>> {
    let daemon = ServiceDaemon::new().map_err(io::Error::other)?;
    let found = browse(&daemon, Instant::now() + time);
    // It ends by itself; nobody waits for it.
    let _ = daemon.shutdown();
    found.map_err(io::Error::other)
}

fn browse(daemon: &ServiceDaemon, end: Instant) -> Result<Vec<WirelessDevice>, mdns_sd::Error> {
    let mut found: Vec<WirelessDevice> = Vec::new();
    let answers = [SECURE, PLAIN]
        .into_iter()
        .map(|service| Ok((service, daemon.browse(service)?)))
        .collect::<Result<Vec<_>, mdns_sd::Error>>()?;
    while Instant::now() < end && found.len() < MAX_DEVICES {
        for (service, answers) in &answers {
            while let Ok(event) = answers.try_recv() {
                if let ServiceEvent::ServiceResolved(resolved) = event
                    && let Some(device) = read(&resolved, service)
                {
                    found.retain(|known| known.name != device.name);
                    found.push(device);
                }
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn read(service: &ResolvedService, kind: &str) -> Option<WirelessDevice> {
    let mut addresses: Vec<IpAddr> = service
        .addresses
        .iter()
        .map(mdns_sd::ScopedIp::to_ip_addr)
        .filter(|address| !is_link_local(address))
        .collect();
    // IPv4 first, which adbd announces everywhere.
    addresses.sort();
    let name = service.fullname.strip_suffix(kind)?.strip_suffix('.')?;
    Some(WirelessDevice {
        name: name.to_owned(),
        address: SocketAddr::new(*addresses.first()?, service.port),
        model: service
            .txt_properties
            .get_property_val_str("name")
            .filter(|model| !model.is_empty())
            .map(str::to_owned),
        secure: kind == SECURE,
    })
}

/// Such an address of IPv6 means nothing without the network interface it belongs to.
fn is_link_local(address: &IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.is_unicast_link_local())
}
