//! `runner mcp config`: prints the configuration that connects a client with this server.

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Map, Value, json};

use super::http::{Address, DEFAULT_PORT};
use super::served_tools::ServedTools;
use super::token::{ACTION_TOKEN_VARIABLE, TOKEN_VARIABLE};
use crate::app_host::process::SEPARATOR;
use crate::cli::error::CliError;
use crate::cli::output;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::mcp::{Dialect, ToolSet};

#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// The client
    #[arg(value_parser = PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name)))]
    client: String,
    #[command(flatten)]
    offer: ServedTools,
    /// For a server that `runner mcp --http` started at HOST:PORT, PORT or HOST
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "")]
    http: Option<Address>,
    /// The server's token [default: `RUNNER_MCP_TOKEN`]
    #[arg(long, value_name = "TOKEN", requires = "http")]
    token: Option<String>,
    /// The token of the tools that act, with `--dialect mobile-agent` [default: `RUNNER_MCP_TOKEN_ACTION`, else the same]
    #[arg(long, value_name = "TOKEN", requires = "http")]
    token_action: Option<String>,
}

/// Language of a client's configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Json,
    Toml,
    Yaml,
}

/// Entry of a client's configuration for a server over HTTP.
#[derive(Debug, Clone, Copy)]
struct Http {
    /// Key of the address.
    url: &'static str,
    /// Value of the key `type`, if the client wants one.
    kind: Option<&'static str>,
}

/// A client program and the form of its configuration.
struct Client {
    name: &'static str,
    file: &'static str,
    language: Language,
    /// Key of the map of servers.
    servers: &'static str,
    /// Key of the program to start.
    command: &'static str,
    /// Further keys of an entry that starts a program, with their values.
    also: &'static [(&'static str, &'static str)],
    http: Option<Http>,
}

impl Client {
    /// Creates a client with a JSON file of the usual keys. `http` is `None` for one that cannot use a server over
    /// HTTP.
    const fn json(name: &'static str, file: &'static str, http: Option<Http>) -> Self {
        Self {
            name,
            file,
            language: Language::Json,
            servers: "mcpServers",
            command: "command",
            also: &[],
            http,
        }
    }
}

const fn http(url: &'static str, kind: Option<&'static str>) -> Http {
    Http { url, kind }
}

const CLIENTS: [Client; 11] = [
    Client::json(
        "claude-desktop",
        "claude_desktop_config.json (Settings > Developer > Edit Config)",
        None,
    ),
    Client {
        also: &[("type", "stdio")],
        ..Client::json(
            "claude-code",
            ".mcp.json in the project",
            Some(http("url", Some("http"))),
        )
    },
    Client::json(
        "cursor",
        ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
        Some(http("url", None)),
    ),
    Client {
        servers: "servers",
        also: &[("type", "stdio")],
        ..Client::json(
            "vscode",
            ".vscode/mcp.json in the project",
            Some(http("url", Some("http"))),
        )
    },
    Client::json(
        "windsurf",
        "~/.codeium/windsurf/mcp_config.json",
        Some(http("serverUrl", None)),
    ),
    Client {
        servers: "context_servers",
        ..Client::json(
            "zed",
            "settings.json (the action `zed: open settings`)",
            Some(http("url", None)),
        )
    },
    Client {
        language: Language::Toml,
        servers: "mcp_servers",
        ..Client::json("codex", "~/.codex/config.toml", Some(http("url", None)))
    },
    Client::json(
        "gemini",
        ".gemini/settings.json in the project, or ~/.gemini/settings.json",
        Some(http("httpUrl", None)),
    ),
    Client::json(
        "cline",
        "cline_mcp_settings.json (MCP Servers > Configure)",
        Some(http("url", Some("streamableHttp"))),
    ),
    Client {
        language: Language::Yaml,
        servers: "extensions",
        command: "cmd",
        also: &[("type", "stdio")],
        ..Client::json(
            "goose",
            "~/.config/goose/config.yaml",
            Some(http("uri", Some("streamable_http"))),
        )
    },
    Client::json(
        "other",
        "the client's configuration",
        Some(http("url", Some("http"))),
    ),
];

/// Prints the client's configuration to standard output. The place for it goes to standard error. Nothing is
/// written to a file. Tokens are printed unmasked. An error for `--http` and a client that cannot use it.
pub fn run(arguments: &ConfigArguments, context: &Context) -> Result<ExitCode, CliError> {
    let client = CLIENTS
        .iter()
        .find(|client| client.name == arguments.client)
        .ok_or_else(|| CliError::Usage(format!("no client `{}`", arguments.client)))?;
    let servers = match &arguments.http {
        Some(address) => over_http(client, arguments, address, context)?,
        None => {
            let program = std::env::current_exe()?;
            let server = over_stdio(
                client,
                &program.to_string_lossy(),
                &arguments.offer,
                context,
            );
            Map::from_iter([("runner".to_owned(), server)])
        }
    };
    output::note(&format!("For {}:", client.file));
    output::verbatim(&written(client, servers));
    Ok(ExitCode::Passed)
}

/// Returns the entry with which the client starts this program, at the path `program`, itself.
fn over_stdio(client: &Client, program: &str, offer: &ServedTools, context: &Context) -> Value {
    let mut server = Map::new();
    for (key, value) in client.also {
        server.insert((*key).to_owned(), json!(value));
    }
    server.insert(client.command.to_owned(), json!(program));
    server.insert("args".to_owned(), json!(server_arguments(offer, context)));
    Value::Object(server)
}

/// Returns the arguments with which a client starts this server, from whatever working folder. Options with their
/// default are left out, and so is `--record`. Paths are absolute. `--project` is there if it was given or the working
/// folder has a `runner.yaml`.
fn server_arguments(offer: &ServedTools, context: &Context) -> Vec<String> {
    let mut arguments = vec!["mcp".to_owned()];
    let mut option =
        |name: &str, value: &str| arguments.extend([name.to_owned(), value.to_owned()]);
    for device in &offer.device.devices {
        option("--device", device);
    }
    let folder = offer.context(context).working_folder;
    for app in &offer.device.apps {
        option("--app", folder.join(app).as_str());
    }
    if let Some(classes) = &offer.device.classes {
        let entries = classes.split(SEPARATOR).filter(|entry| !entry.is_empty());
        let entries: Vec<String> = entries
            .map(|entry| folder.join(entry).into_string())
            .collect();
        option("--classes", &entries.join(SEPARATOR));
    }
    if let Some(driver) = offer.device.settings.given().driver {
        option("--driver", driver.name());
    }
    if let Some(host) = &offer.device.server.host {
        option("--adb-host", host);
    }
    if let Some(port) = offer.device.server.port {
        option("--adb-port", &port.to_string());
    }
    if offer.dialect != Dialect::default() {
        option("--dialect", offer.dialect.name());
    }
    if offer.tools != ToolSet::default() {
        option("--tools", offer.tools.name());
    }
    if let Some(slug) = &offer.slug {
        option("--slug", &slug.to_string());
    }
    // A client starts the server in a folder of its own choice.
    if offer.project.is_some() || folder.join("runner.yaml").is_file() {
        option("--project", folder.as_str());
    }
    if offer.no_agent_tools {
        arguments.push("--no-agent-tools".to_owned());
    }
    if offer.allow_accept {
        arguments.push("--allow-accept".to_owned());
    }
    arguments
}

/// Returns the entries for a server at this address by their names, two if the tools have two addresses, the second
/// at the next port. An error for a client that only starts its servers itself. Tokens come from the command line,
/// else from the environment. Without one a placeholder stands in its place, which a note says.
fn over_http(
    client: &Client,
    arguments: &ConfigArguments,
    address: &Address,
    context: &Context,
) -> Result<Map<String, Value>, CliError> {
    let Some(http) = client.http else {
        return Err(CliError::Usage(format!(
            "{} starts its servers itself; leave `--http` out",
            client.name
        )));
    };
    let token = arguments
        .token
        .as_deref()
        .or_else(|| context.variable(TOKEN_VARIABLE));
    if token.is_none() {
        output::note(&format!(
            "TOKEN stands for the token that `runner mcp --http` prints; `--token` or {TOKEN_VARIABLE} puts one in."
        ));
    }
    let port = address.port.unwrap_or(DEFAULT_PORT);
    let acting = arguments
        .token_action
        .as_deref()
        .or_else(|| context.variable(ACTION_TOKEN_VARIABLE))
        .or(token);
    let named = if arguments.offer.has_two_addresses() {
        vec![
            ("runner-data", port, token),
            ("runner-action", port.saturating_add(1), acting),
        ]
    } else {
        vec![("runner", port, token)]
    };
    let host = if address.host.contains(':') {
        format!("[{}]", address.host)
    } else {
        address.host.clone()
    };
    Ok(named
        .into_iter()
        .map(|(name, port, token)| {
            let mut server = Map::new();
            if let Some(kind) = http.kind {
                server.insert("type".to_owned(), json!(kind));
            }
            let url = format!("http://{host}:{port}/mcp");
            server.insert(http.url.to_owned(), json!(url));
            let key = if client.language == Language::Toml {
                "http_headers"
            } else {
                "headers"
            };
            let bearer = format!("Bearer {}", token.unwrap_or("TOKEN"));
            server.insert(key.to_owned(), json!({ "Authorization": bearer }));
            (name.to_owned(), Value::Object(server))
        })
        .collect())
}

/// Returns the text for the client's file, in its language, with only this program's entries. It ends with a line
/// end; the existing file is not read.
fn written(client: &Client, servers: Map<String, Value>) -> String {
    match client.language {
        Language::Json => {
            let whole = json!({ client.servers: servers });
            format!("{whole:#}\n")
        }
        Language::Toml => servers
            .iter()
            .map(|(name, server)| toml(client.servers, name, server))
            .collect::<Vec<_>>()
            .join("\n"),
        Language::Yaml => {
            let mut text = format!("{}:\n", client.servers);
            for (name, server) in servers {
                text.push_str(&format!("  {name}:\n    name: {name}\n    enabled: true\n"));
                for (key, value) in server.as_object().into_iter().flatten() {
                    // JSON is YAML too.
                    text.push_str(&format!("    {key}: {value}\n"));
                }
            }
            text
        }
    }
}

/// Returns the table `servers.name` in TOML, a line for each key. Strings and lists have the same form as in JSON,
/// objects become inline tables; deeper ones are not supported.
fn toml(servers: &str, name: &str, server: &Value) -> String {
    let mut text = format!("[{servers}.{name}]\n");
    for (key, value) in server.as_object().into_iter().flatten() {
        let value = match value {
            Value::Object(map) => {
                let pairs: Vec<String> = map
                    .iter()
                    .map(|(key, value)| format!("{key} = {value}"))
                    .collect();
                format!("{{ {} }}", pairs.join(", "))
            }
            value => value.to_string(),
        };
        text.push_str(&format!("{key} = {value}\n"));
    }
    text
}
