"""Step through a world and read the particles: the beginning of an experiment of your own."""

import numpy as np

import eddyline

world = eddyline.World.load("dam_break", {"domain.spacing": "a/10"})
simulation = eddyline.Simulation(world)

# Views into the simulation's memory: no copies, read-only, valid until the next step.
particles = simulation.particles
momentum = []
for _ in range(10):
    simulation.step(5)
    momentum.append((particles.mass[:, None] * particles.velocity).sum(axis=0))
print(f"t = {simulation.time:.4f} s, momentum {momentum[-1]} kg m/s per metre")

# Particles change their places in memory from time to time; copies by id keep theirs.
before = particles.by_id()
simulation.step(20)
after = particles.by_id()
moved = np.linalg.norm(after.position - before.position, axis=1)
print(f"the particle that moved most is {after.id[moved.argmax()]}: {1000 * moved.max():.2f} mm")

# A picture as an array: rows from the bottom up, NaN where there is no fluid.
speed = simulation.raster("speed")
print(f"{np.isfinite(speed).mean():.0%} of the picture is water, up to {np.nanmax(speed):.2f} m/s")
