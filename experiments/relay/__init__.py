"""Two sites on one machine: network namespaces, and a relay between them that is as slow as it is told."""
