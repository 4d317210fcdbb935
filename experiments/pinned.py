"""One rank of `eddyline`, on a core of its own: `mpiexec -n N python pinned.py run WORLD ...`"""

from __future__ import annotations

from eddyline.cli import main
from eddyline.ranks import join

join().take_a_core()
main()
