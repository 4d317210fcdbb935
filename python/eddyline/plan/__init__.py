"""Plans of runs on many ranks: `eddyline plan`.

mapper: Hammond's table.  blocks, meshes, levels, particles: a world divided among ranks, with messages.
calibration: the speed of this machine.  rehearsal: how steps change over a run.  speed: both, by solver.
forecast: wall time with an error bar.  advice: how many ranks pay.  traffic: messages, for reports.
"""

from __future__ import annotations

from eddyline.plan.forecast import Network, PlanError
from eddyline.plan.mesh_files import plan_mesh
from eddyline.plan.planning import plan_world
from eddyline.plan.run_plan import RunPlan

__all__ = ["Network", "PlanError", "RunPlan", "plan_mesh", "plan_world"]
