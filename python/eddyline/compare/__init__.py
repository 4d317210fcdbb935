"""Two runs side by side: are they the same to the last bit, and if not, from when on and by how much?"""

from eddyline.compare.comparison import Comparison, compare_runs
from eddyline.compare.particles import Divergence, Moment
from eddyline.compare.series import SeriesDifference

__all__ = ["Comparison", "Divergence", "Moment", "SeriesDifference", "compare_runs"]
