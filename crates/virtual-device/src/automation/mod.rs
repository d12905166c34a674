//! What the automation servers of testing tools share: HTTP, the tree of nodes, finding in it, input.

#[cfg(test)]
pub(crate) mod client;
pub(crate) mod http;
pub(crate) mod input;
pub(crate) mod scroll;
pub(crate) mod selector;
pub(crate) mod tree;
pub(crate) mod xpath;
