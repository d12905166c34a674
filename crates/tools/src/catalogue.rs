//! Catalogues of tools.

/// Origin of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Catalogue {
    /// The everyday steps of the flow language.
    Everyday,
    /// Catalogue A: the Android tools (`android_…` over MCP, without prefix as steps).
    Android,
    /// Catalogue B: the mobile-agent tools (`mobile_agent.…` as steps).
    MobileAgent,
    /// Catalogue C: the semantic-UI tools (`semantic.…` as steps).
    Semantic,
    /// Catalogue D: the scenario tools (`scenario.…` as steps).
    Scenario,
}
