"""Plans of runs on many ranks: `eddyline plan`.

mapper: Hammond's table.  blocks, particles: a world divided among ranks, with messages.  forecast: wall time
with an error bar.  calibration: the speed of this machine.  advice: how many ranks pay.
"""

from __future__ import annotations

from eddyline.plan.forecast import Network, PlanError
from eddyline.plan.mesh_files import plan_mesh
from eddyline.plan.planning import plan_world
from eddyline.plan.run_plan import RunPlan

__all__ = ["Network", "PlanError", "RunPlan", "plan_mesh", "plan_world"]
