"""What a run writes: snapshots for ParaView, frames for pictures and movies; complete files or none."""
