"""One rank of `eddyline`, on a core of its own: `mpiexec -n N python pinned.py run WORLD ...`"""

from __future__ import annotations

import os

from eddyline.cli import main
from eddyline.ranks import join

cores = sorted(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cores[join().rank % len(cores)]})
main()
