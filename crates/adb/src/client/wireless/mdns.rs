//! Finds wireless devices by multicast DNS.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use mdns_sd::{ResolvedService, ServiceDaemon, ServiceEvent};

use super::WirelessDevice;

/// Service type of wireless debugging: adbd behind TLS (AOSP `adb_mdns.h`).
const SECURE: &str = "_adb-tls-connect._tcp.local.";
/// Service type of `adb tcpip` and emulators: adbd without TLS (AOSP `adb_mdns.h`).
const PLAIN: &str = "_adb._tcp.local.";
/// Limit of returned devices. Chosen: no lab's network announces as many, and a hostile one must not fill
/// memory.
const MAX_DEVICES: usize = 256;

/// Collects the devices that announce themselves within `time`, sorted by name, each once. Blocks that long,
/// or until 256 devices are found. None found is no error.
///
/// # Errors
/// Returns an error if multicast DNS is not possible, as in a network without multicast.
pub fn wireless_devices(time: Duration) -> io::Result<Vec<WirelessDevice>> {
    let daemon = ServiceDaemon::new().map_err(io::Error::other)?;
    let found = browse(&daemon, Instant::now() + time);
    // The daemon ends in the background.
    let _ = daemon.shutdown();
    found.map_err(io::Error::other)
}

/// Listens to announcements until `end`, or until [`MAX_DEVICES`] are found. Returns each name once, as announced
/// last, sorted by name. Blocks.
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

/// Converts an announcement. `None` if it has no address but link-local ones of IPv6; of several the lowest counts,
/// IPv4 first. The model is `None` if `name` is empty.
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

/// Returns true for a link-local IPv6 address, which means nothing without its network interface.
fn is_link_local(address: &IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.is_unicast_link_local())
}
