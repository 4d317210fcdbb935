"""One run across two sites that are far from each other, on one machine (Linux, as root):

  python experiments/two_sites.py --latency 3.75 --bandwidth 24 run cylinder --steps 200
  python experiments/two_sites.py --latency 3.75 --bandwidth 24 --ranks 2,2 run cylinder --combine site
  python experiments/two_sites.py --latency 3.75 --bandwidth 24            measures the link, and no more

Each site is a network namespace; between them relay/relay.py carries what goes from one to the other, as late
as a link of that latency (one way, ms) and bandwidth (each way, Mbit/s) would. Ranks talk TCP across it, and
memory inside a site. The link is measured first. Nothing is left, however this ends.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

RELAY = Path(__file__).resolve().parent / "relay"
sys.path.insert(0, str(RELAY))

from relay import ADDRESSES, DEVICE, remove_left_over  # noqa: E402

PROBE_BYTES = 1_000_000


class NotAllowedError(RuntimeError):
    """This machine does not permit two sites on it."""


@dataclass(frozen=True)
class Link:
    """latency: one way [s]; bandwidth: each way [bit/s]."""

    latency: float
    bandwidth: float

    def __str__(self) -> str:
        return f"{1e3 * self.latency:g} ms, {1e-6 * self.bandwidth:g} Mbit/s"


NO_LIMIT = Link(0.0, 1e11)


class TwoSites:
    """Two sites while they stand: `with TwoSites(link) as sites: ...`.

    Raises NotAllowedError if there cannot be any here.
    """

    def __init__(self, link: Link) -> None:
        self.link = link
        self.carried: Mapping[str, Any] = {}  # by the relay, once it has ended

    def __enter__(self) -> TwoSites:
        missing = [tool for tool in ("ip", "sh") if shutil.which(tool) is None]
        if missing or not hasattr(os, "geteuid") or os.geteuid() != 0 or not Path("/dev/net/tun").exists():
            raise NotAllowedError("two sites need Linux, root, /dev/net/tun and the command ip")
        words = ["--latency", str(self.link.latency), "--bandwidth", str(self.link.bandwidth)]
        self._relay = subprocess.Popen(
            [sys.executable, str(RELAY / "relay.py"), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        assert self._relay.stdout is not None
        said, *names = self._relay.stdout.readline().split()
        if said != "ready":
            self._close()
            raise NotAllowedError(f"two sites are not allowed here: {' '.join(names)}")
        self.names = names
        self._folder = tempfile.TemporaryDirectory(prefix="eddyline-sites-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        self._folder.cleanup()

    def _close(self) -> None:
        """The relay removes the sites when its input ends; if it has been killed, that is done here."""
        said, _ = self._relay.communicate()
        lines = said.splitlines()
        if lines and lines[-1].startswith("{"):
            self.carried = json.loads(lines[-1])
        remove_left_over()

    def at(self, site: int, *words: str) -> list[str]:
        """A command at a site."""
        return ["ip", "netns", "exec", self.names[site], *words]

    def measure(self) -> tuple[float, float, float]:
        """Median round trip of a byte [s], and bit/s of a megabyte each way, over TCP."""
        probe = [sys.executable, str(RELAY / "probe.py")]
        server = subprocess.Popen(
            self.at(1, *probe, "serve", ADDRESSES[1]), stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        server.stdout.readline()
        asked = subprocess.run(
            self.at(0, *probe, "ask", ADDRESSES[1], str(PROBE_BYTES)),
            capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
        server.communicate()
        trip, there, back = json.loads(asked.stdout)
        return trip, there, back

    def launcher(self, ranks: Sequence[int]) -> tuple[list[str], dict[str, str]]:
        """The command that starts so many ranks at each site, like `mpiexec -n N`, and its environment."""
        from eddyline.ranks.launch import find_launcher

        local = Path(find_launcher()[0])
        script = Path(self._folder.name, "reach")
        script.write_text(REACH.format(ADDRESSES[0], self.names[0], ADDRESSES[1], self.names[1]))
        script.chmod(0o755)
        hosts = ",".join(f"{address}:{number}" for address, number in zip(ADDRESSES, ranks, strict=True))
        hydra = local.with_name("mpiexec.hydra")
        if hydra.is_file():
            words = [str(hydra), "-launcher", "ssh", "-launcher-exec", str(script), "-hosts", hosts,
                     "-localhost", ADDRESSES[0], "-n", str(sum(ranks))]  # fmt: skip
            return self.at(0, *words), os.environ | MPICH
        words = [str(local), "--host", hosts, "--oversubscribe", "--bind-to", "none", "--allow-run-as-root",
                 "-n", str(sum(ranks))]  # fmt: skip
        return self.at(0, *words), os.environ | OPEN_MPI | {"PRTE_MCA_plm_ssh_agent": str(script)}


REACH = """#!/bin/sh
# In place of ssh: [options] ADDRESS COMMAND
while [ "${{1#-}}" != "$1" ]; do shift; done
address=$1
shift
case $address in
  {0}) site={1} ;;
  {2}) site={3} ;;
esac
exec ip netns exec "$site" sh -c "$*"
"""
MPICH = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": DEVICE, "FI_PROVIDER": "tcp", "FI_TCP_IFACE": DEVICE}
OPEN_MPI = {
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "tcp,self,sm",
    "OMPI_MCA_btl_tcp_if_include": DEVICE,
    "OMPI_MCA_osc": "^ucx",
    "PRTE_MCA_oob_tcp_if_include": DEVICE,
    "PMIX_MCA_ptl_base_if_include": "lo",
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--latency", type=float, required=True, metavar="MS", help="one way")
    parser.add_argument("--bandwidth", type=float, required=True, metavar="MBIT", help="a second, each way")
    parser.add_argument("--ranks", default="1,1", metavar="N,N", help="at each site; default 1,1")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="of eddyline, e.g. run WORLD")
    wanted = parser.parse_args()
    link = Link(1e-3 * wanted.latency, 1e6 * wanted.bandwidth)
    try:
        with TwoSites(link) as sites:
            print(describe(link, *sites.measure()), flush=True)
            if not wanted.command:
                return 0
            command, environment = sites.launcher([int(word) for word in wanted.ranks.split(",")])
            words = [*command, sys.executable, "-m", "eddyline", *wanted.command]
            with contextlib.suppress(KeyboardInterrupt):
                return subprocess.run(
                    words, env=environment, stdin=subprocess.DEVNULL, check=False
                ).returncode
            return 130
    except NotAllowedError as error:
        print(error, file=sys.stderr)
        return 2


def describe(link: Link, trip: float, there: float, back: float) -> str:
    return (
        f"requested link: {link}; measured: {500 * trip:.2f} ms one way, {1e-6 * there:.1f} Mbit/s forward, "
        f"{1e-6 * back:.1f} Mbit/s back"
    )


if __name__ == "__main__":
    sys.exit(main())
