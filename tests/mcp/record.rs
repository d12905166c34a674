//! What was done becomes a flow.
