"""A world is a small file. Load it, change it, and see what would be run before anything is.

Every value can be overridden by its place in the file; formulas stay formulas.
"""

import eddyline
from eddyline.world import WorldError, describe

# The gallery's dam break, a little coarser. `path` may as well be a file of yours.
world = eddyline.World.load("dam_break", {"domain.spacing": "a/20"})
print(describe(world))

# Names of [let] are numbers now, and so is everything made of them.
print(f"the column is {world.let['a']} m wide; the run ends at t = {world.end:.3f} s")

# What is wrong comes as one line for each problem, with what to change.
try:
    eddyline.World.load("dam_break", {"domain.spacing": -0.1, "fluid.density": 0})
except WorldError as error:
    print(error)
