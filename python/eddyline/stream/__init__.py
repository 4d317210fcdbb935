"""Files of a run: snapshots for ParaView, frames for pictures and films. Each file is complete or absent."""
