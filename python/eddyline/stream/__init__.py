"""Files of a run: snapshots for ParaView, frames for pictures and movies. Each file is complete or absent."""
