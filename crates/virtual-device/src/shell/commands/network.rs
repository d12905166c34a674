//! `ip` and `ifconfig`: a loopback interface, and a Wi-Fi without a network.
//!
//! Its address is in the network reserved for documentation (192.0.2.0/24), so a client that connects to it
//! reaches nobody.

use super::{Call, Outcome};

/// A network interface.
struct Interface {
    index: u32,
    name: &'static str,
    /// `ip`'s flags.
    flags: &'static str,
    mtu: u32,
    queue: &'static str,
    state: &'static str,
    /// `link/` with the hardware address.
    link: &'static str,
    /// Address, prefix, broadcast part and scope.
    inet: Option<[&'static str; 4]>,
    inet6: Option<[&'static str; 2]>,
}

const LOOPBACK: Interface = Interface {
    index: 1,
    name: "lo",
    flags: "LOOPBACK,UP,LOWER_UP",
    mtu: 65536,
    queue: "noqueue",
    state: "UNKNOWN",
    link: "loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00",
    inet: Some(["127.0.0.1", "8", "", "host lo"]),
    inet6: Some(["::1/128", "host"]),
};
const WIFI: Interface = Interface {
    index: 2,
    name: "wlan0",
    flags: "BROADCAST,MULTICAST,UP,LOWER_UP",
    mtu: 1500,
    queue: "mq",
    state: "UP",
    link: "ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff",
    inet: Some(["192.0.2.2", "24", " brd 192.0.2.255", "global wlan0"]),
    inet6: Some(["fe80::ff:fe00:2/64", "link"]),
};
const WIFI_OFF: Interface = Interface {
    flags: "BROADCAST,MULTICAST",
    state: "DOWN",
    inet: None,
    inet6: None,
    ..WIFI
};

fn is_on(call: &Call) -> bool {
    let system = call.device.system();
    let is = |key: &str, value: &str| system.setting("global", key) == Some(value);
    !is("wifi_on", "0") && !is("airplane_mode_on", "1")
}

fn interfaces(call: &Call) -> [Interface; 2] {
    [LOOPBACK, if is_on(call) { WIFI } else { WIFI_OFF }]
}

/// `ip [-4 | -6 | -f FAMILY] addr | link | route [show [dev] INTERFACE]`. An object may be shortened, such as `a`.
/// Unknown options and objects, and no object, give 255.
pub(super) fn ip(call: &mut Call) -> Outcome {
    let args = call.owned_args();
    let mut words = args.iter().map(String::as_str).peekable();
    let (mut four, mut six) = (true, true);
    while let Some(option) = words.next_if(|word| word.starts_with('-')) {
        let family = match option {
            "-4" => "inet",
            "-6" => "inet6",
            "-f" | "-family" => words.next().unwrap_or_default(),
            "-o" | "-d" | "-s" => continue,
            _ => {
                return call.fail(
                    255,
                    format!("Option \"{option}\" is unknown, try \"ip -help\"."),
                );
            }
        };
        (four, six) = (family == "inet", family == "inet6");
    }
    let object = words.next().unwrap_or_default();
    let rest: Vec<&str> = words
        .filter(|word| !["show", "list", "ls", "dev", "s"].contains(word))
        .collect();
    let is = |name: &str| !object.is_empty() && name.starts_with(object);
    if is("address") {
        return addresses(call, rest.first().copied(), [four, six]);
    }
    if is("link") {
        return addresses(call, rest.first().copied(), [false, false]);
    }
    if is("route") {
        return routes(call, &rest, four);
    }
    if object.is_empty() {
        return call.fail(
            255,
            "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\nwhere  OBJECT := { address | link | route }",
        );
    }
    call.fail(
        255,
        format!("Object \"{object}\" is unknown, try \"ip help\"."),
    )
}

/// Prints interfaces, or the named one, with their addresses of these families. With exactly one family the link
/// is left out. An unknown interface gives 1.
fn addresses(call: &mut Call, name: Option<&str>, [four, six]: [bool; 2]) -> Outcome {
    let all = interfaces(call);
    if let Some(name) = name.filter(|name| all.iter().all(|of| of.name != *name)) {
        return call.fail(1, format!("Device \"{name}\" does not exist."));
    }
    for of in all {
        if name.is_some_and(|name| name != of.name) {
            continue;
        }
        call.say(format!(
            "{}: {}: <{}> mtu {} qdisc {} state {} group default qlen 1000",
            of.index, of.name, of.flags, of.mtu, of.queue, of.state
        ));
        // With a family of addresses, `ip` leaves out the link.
        if four == six {
            call.say(format!("    link/{}", of.link));
        }
        let forever = "       valid_lft forever preferred_lft forever";
        if let Some([address, prefix, broadcast, scope]) = of.inet.filter(|_| four) {
            call.say(format!(
                "    inet {address}/{prefix}{broadcast} scope {scope}\n{forever}"
            ));
        }
        if let Some([address, scope]) = of.inet6.filter(|_| six) {
            call.say(format!("    inet6 {address} scope {scope} \n{forever}"));
        }
    }
    Outcome::Exit(0)
}

/// Prints the only route, if the network is on and IPv4 asked for. `get` always fails with 2. Other words leave it
/// out.
fn routes(call: &mut Call, rest: &[&str], four: bool) -> Outcome {
    if let ["get", target, ..] = rest {
        return call.fail(
            2,
            format!("RTNETLINK answers: Network is unreachable ({target})"),
        );
    }
    let wanted = rest
        .iter()
        .all(|word| *word == "wlan0" || *word == "table" || *word == "all");
    if four && wanted && is_on(call) {
        call.say("192.0.2.0/24 dev wlan0 proto kernel scope link src 192.0.2.2 ");
    }
    Outcome::Exit(0)
}

/// `ifconfig [-a] [INTERFACE]`, as toybox prints it; without `-a` only interfaces with an IPv4 address, or
/// the named one. An unknown interface gives 1.
pub(super) fn ifconfig(call: &mut Call) -> Outcome {
    let args = call.owned_args();
    let all = args.iter().any(|word| word == "-a");
    let name = args.iter().find(|word| !word.starts_with('-'));
    let interfaces = interfaces(call);
    if let Some(name) = name
        && interfaces.iter().all(|of| of.name != name)
    {
        return call.fail(1, format!("ifconfig: {name}: No such device"));
    }
    for of in interfaces {
        let wanted = match name {
            Some(name) => name == of.name,
            None => all || of.inet.is_some(),
        };
        if wanted {
            describe(call, &of);
        }
    }
    Outcome::Exit(0)
}

/// Prints an interface as `ifconfig` does. Counters are 0.
fn describe(call: &mut Call, of: &Interface) {
    let kind = match of.link.split_whitespace().nth(1) {
        Some(address) if of.name != "lo" => format!("Ethernet  HWaddr {address}  Driver virtual"),
        _ => "UNSPEC  ".to_owned(),
    };
    call.say(format!("{:<10}Link encap:{kind}", of.name));
    if let Some([address, prefix, broadcast, _]) = of.inet {
        let broadcast = broadcast
            .strip_prefix(" brd ")
            .map_or_else(String::new, |text| format!("  Bcast:{text}"));
        let mask = if prefix == "8" {
            "255.0.0.0"
        } else {
            "255.255.255.0"
        };
        call.say(format!(
            "          inet addr:{address}{broadcast}  Mask:{mask} "
        ));
    }
    if let Some([address, scope]) = of.inet6 {
        let scope = if scope == "host" { "Host" } else { "Link" };
        call.say(format!("          inet6 addr: {address} Scope: {scope}"));
    }
    let flags = match (of.name, of.inet.is_some()) {
        ("lo", _) => "UP LOOPBACK RUNNING",
        (_, true) => "UP BROADCAST RUNNING MULTICAST",
        (_, false) => "BROADCAST MULTICAST",
    };
    call.say(format!("          {flags}  MTU:{}  Metric:1", of.mtu));
    call.say("          RX packets:0 errors:0 dropped:0 overruns:0 frame:0 \n          TX packets:0 errors:0 dropped:0 overruns:0 carrier:0 \n          collisions:0 txqueuelen:1000 \n          RX bytes:0 TX bytes:0 \n");
}
