"""Live runs: streaming to a hub, and steering by commands."""
