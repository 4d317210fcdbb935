"""Pictures, movies and charts of a run."""
