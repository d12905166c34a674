//! Advice for addresses where hosts alone are taken.

use runner_flow::yaml::Node;

/// Returns advice for addresses in place of `http.hosts` and its items: the hosts alone, or names in place of a `*`.
/// Returns `None` at other places, and if a text has no host.
pub(super) fn hosts_at(place: &[&str], node: &Node) -> Option<String> {
    match place {
        ["http", "hosts"] if node.scalar().is_some_and(|it| it.text.contains('*')) => {
            Some("write each host by its name: `hosts: [api.example.com]`".to_owned())
        }
        ["http", "hosts"] => {
            let hosts = hosts(&node.scalar()?.text)?;
            Some(format!("write a list of hosts alone: `hosts: [{hosts}]`"))
        }
        ["http", "hosts", "*"] => {
            let hosts = hosts(&node.scalar()?.text)?;
            Some(format!("write the host alone: `{hosts}`"))
        }
        _ => None,
    }
}

/// Returns the hosts of a text with addresses, separated by commas, each with its port; `None` if any has none, so for
/// an empty text too.
pub(super) fn hosts(text: &str) -> Option<String> {
    let addresses = text.split(',').map(str::trim);
    let hosts: Option<Vec<&str>> = addresses.map(host).collect();
    hosts
        .filter(|hosts| !hosts.is_empty())
        .map(|hosts| hosts.join(", "))
}

/// Returns the host of an address, with its port and without a user. `None` unless it is `localhost` or a name with a
/// dot, of ASCII letters, digits, `.`, `_` and `-`.
pub(super) fn host(address: &str) -> Option<&str> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next()?;
    let rest = rest.rsplit('@').next()?;
    let (name, port) = rest.split_once(':').unwrap_or((rest, "1"));
    let is_name = (name.contains('.') || name == "localhost")
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let is_port = (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    (is_name && is_port).then_some(rest)
}
