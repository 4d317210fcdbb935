"""The lab's server: worlds, runs and their streams for browsers, under /api."""
