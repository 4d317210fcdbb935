"""Run a world, then look at what it left: values against published ones, series, arrays of particles."""

import eddyline

# Everything goes to a folder of its own: runs/dam_break/0001, 0002, ...
run = eddyline.run("dam_break", overrides={"domain.spacing": "a/10", "output.pictures": 20}, progress=False)
print(run.folder, run.outcome, run.fingerprint)

# The front of the water against Martin & Moyce's measurements.
print(run.table()[["quantity", "measured", "inside", "note"]])

# A series is a pandas table; its columns have plain names, their units stand beside.
front = run.series("front")
print(front.tail(3), front.attrs["units"])

# A snapshot is a dictionary of arrays, in order of the particles' ids.
last = run.snapshot(-1)
print(f"{len(last['id'])} particles, fastest {abs(last['velocity']).max():.2f} m/s")

# The same folder can be opened again at any time; in a notebook, `run` shows its picture.
again = eddyline.Run.open(run.folder)
assert again.fingerprint == run.fingerprint
