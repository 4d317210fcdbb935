"""A run while it runs: what it shows to a hub, and what it lets itself be told."""
