//! The arguments of the whole program.

use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};

#[cfg(feature = "mcp")]
use super::mcp;
#[cfg(feature = "review")]
use super::review;
#[cfg(feature = "studio")]
use super::studio;
use super::{
    accept, compare, completions, config, devices, doctor, driver, foreign, history, import, init,
    inspect, lint, man, pending, prune, reject, report, schema, test, undo, virtual_device,
};

/// Run declarative test flows on Android devices and compare screens with goldens.
#[derive(Debug, Parser)]
#[command(
    name = "runner",
    version,
    arg_required_else_help = true,
    max_term_width = 110
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Write a log of what was done, and how long each part took
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        value_parser = foreign::log_path,
        help_heading = "Global options"
    )]
    pub log: Option<Utf8PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run flows and compare their snapshots
    Test(Box<test::TestArguments>),
    /// Read flows and show every error, without running anything
    Lint(lint::LintArguments),
    /// Look at what changed, and accept or reject it, in the terminal or a browser
    #[cfg(feature = "review")]
    Review(review::ReviewArguments),
    /// Open a live page of a device: look, pick selectors, write a flow and run it
    #[cfg(feature = "studio")]
    Studio(Box<studio::StudioArguments>),
    /// List snapshots that wait for review; exit 1 if there are any
    Pending(pending::PendingArguments),
    /// Accept pending snapshots: they become the goldens
    Accept(accept::AcceptArguments),
    /// Reject pending snapshots: the goldens stay
    Reject(reject::RejectArguments),
    /// Take back the last accept, reject or prune
    Undo(undo::UndoArguments),
    /// List or remove goldens that no flow names; say what old pictures cost
    Prune(prune::PruneArguments),
    /// Make reports again from saved events, and merge several runs
    Report(report::ReportArguments),
    /// Print how flows did in earlier runs: rates, durations, trends
    History(history::HistoryArguments),
    /// Print what is on the screen
    Inspect(inspect::InspectArguments),
    /// List the devices that can be reached, and how
    Devices(devices::DevicesArguments),
    /// Serve the virtual device until interrupted
    Virtual(virtual_device::VirtualArguments),
    /// Compare two pictures by the rules of snapshots; exit 1 if they differ
    Compare(compare::CompareArguments),
    /// Print the JSON Schema of a file, for editors
    Schema(schema::SchemaArguments),
    /// Serve AI agents: an MCP server over standard input and output, or HTTP
    #[cfg(feature = "mcp")]
    Mcp(Box<mcp::McpArguments>),
    /// Write a starter project into this folder
    Init(init::InitArguments),
    /// Take over the flows of another tool
    Import(import::ImportArguments),
    /// Say what is wrong with adb, devices and permissions
    Doctor(doctor::DoctorArguments),
    /// List, install and remove drivers: ways to look at devices and to touch them
    Driver(driver::DriverArguments),
    /// Print each setting and where it came from
    Config(config::ConfigArguments),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArguments),
    /// Print the man page, or write those of all subcommands
    Man(man::ManArguments),
}
