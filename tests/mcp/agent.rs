//! The tools for agents: lint, run, snapshots; resources and prompts.
