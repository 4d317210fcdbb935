"""Worlds, reference curves and runs at URLs, with servers on loopback."""

from __future__ import annotations

import functools
import http.server
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from typer.testing import CliRunner

import eddyline
from eddyline import remote
from eddyline.cli import app

WORLD = """
format = 1
title = "Still water"
[domain]
size = [1, 1]
spacing = 0.1
gravity = [0, -1]
[fluid]
density = 1000
kinematic_viscosity = 1e-3
[regions.water]
shape = "rectangle"
min = [0, 0]
max = [1, 0.5]
pressure = "hydrostatic"
[observe.side]
type = "gauge"
position = [0.5, 0]
[time]
end = 0.05
[output]
pictures = 1
snapshots = 1
[[expect]]
quantity = "side.height"
against = "time"
curve = "level.csv"
band = 10
source = "a test"
"""
CURVE = "time,level\n0,0.5\n0.02,0.5\n0.05,0.5\n"


def call(*words: object) -> tuple[int, str]:
    """(exit code, all output) of a command."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.startswith("/secret"):
            self.send_error(403)
            return
        super().do_GET()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world, its curve and a finished run of it."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "still.toml").write_text(WORLD)
    (folder / "level.csv").write_text(CURVE)
    (folder / "broken.toml").write_text(WORLD.replace("spacing = 0.1", "spacing = -1"))
    (folder / "alone.toml").write_text(WORLD.replace("level.csv", "missing.csv"))
    eddyline.run(
        folder / "still.toml", out=folder / "runs" / "0001", progress=False, movie=False, report=False
    )
    return folder


@pytest.fixture(scope="module")
def web(place: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(place))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def ftp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The URL of a server, with user and password, and its folder; `locked` in it is read-only."""
    authorizers = pytest.importorskip("pyftpdlib.authorizers")
    from pyftpdlib.handlers import FTPHandler
    from pyftpdlib.servers import ThreadedFTPServer

    folder = tmp_path_factory.mktemp("ftp")
    authorizer = authorizers.DummyAuthorizer()
    authorizer.add_user("ann", "river", str(folder), perm="elradfmw")
    (folder / "locked").mkdir()
    authorizer.override_perm("ann", str(folder / "locked"), "elr", recursive=True)

    class Handler(FTPHandler):
        log_prefix = ""
        auth_failed_timeout = 0

        def log(self, *words: object, **more: object) -> None:
            pass

    Handler.authorizer = authorizer
    server = ThreadedFTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"handle_exit": False}, daemon=True)
    thread.start()
    yield f"ftp://ann:river@127.0.0.1:{server.address[1]}", folder
    server.close_all()
    thread.join(5)


# --- worlds -----------------------------------------------------------------------------------------


def test_a_world_and_its_curve_at_a_url(place, web, tmp_path):
    code, said = call("run", f"{web}/still.toml", "--out", tmp_path / "run", "--quiet")
    assert code == 0, said
    run, here = eddyline.Run.open(tmp_path / "run"), eddyline.Run.open(place / "runs")
    assert run.fingerprint == here.fingerprint and run.name == "still"
    assert run.record["source"] == f"{web}/still.toml"
    assert (run.folder / "level.csv").read_text() == CURVE


def test_a_curve_at_a_url_stays_with_the_run(place, web, tmp_path, monkeypatch):
    world = tmp_path / "still.toml"
    world.write_text(WORLD.replace('"level.csv"', f'"{web}/level.csv"'))
    run = eddyline.run(world, out=tmp_path / "run", progress=False, movie=False, report=False)
    assert (run.folder / "level.csv").read_text() == CURVE
    monkeypatch.setattr(remote, "file", lambda url: pytest.fail(f"fetched {url} again"))
    assert len(eddyline.Run.open(run.folder).world.expectations) == 1
    assert run.table()["inside"].all()


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_worlds_in_other_places(place, scheme, tmp_path):
    url = place.as_uri() if scheme == "file" else "memory://tanks"
    if scheme == "memory":
        for name in ("still.toml", "level.csv"):
            fsspec.filesystem("memory").pipe(f"/tanks/{name}", (place / name).read_bytes())
    assert eddyline.World.load(f"{url}/still.toml").source == eddyline.World.load(place / "still.toml").source


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nothing.toml", "/nothing.toml: no such file or folder"),
        ("secret/tank.toml", "/secret/tank.toml: access denied; check your credentials and rights"),
        ("broken.toml", "/broken.toml:6: domain.spacing = -1"),
        ("alone.toml", "missing.csv"),
        ("", ": names no file"),
    ],
)
def test_worlds_that_cannot_be_read(web, name, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, said = call("run", f"{web}/{name}")
    assert code == 2 and told in said and "eddyline-remote-" not in said, said
    assert len(said.splitlines()) == 1 and not list(tmp_path.iterdir())


def test_places_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:  # a port on which nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        for scheme in ("http", "ftp"):
            code, said = call("check", f"{scheme}://127.0.0.1:{port}/tank.toml")
            assert code == 2 and f"{scheme}://127.0.0.1:{port}/tank.toml: cannot be reached" in said, said
    code, said = call("check", "gopher://127.0.0.1/tank.toml")
    assert code == 2 and "the protocol is unknown; must be one of file://" in said, said


def test_worlds_of_others_name_no_urls(web):
    with pytest.raises(eddyline.WorldError, match="must be the bare name of a file"):
        eddyline.World.from_text(WORLD.replace('"level.csv"', f'"{web}/level.csv"'))


# --- runs -------------------------------------------------------------------------------------------


def test_runs_at_a_url(place, web, tmp_path):
    code, said = call("export", f"{web}/runs", "--png", "--csv", "--report", "--out", tmp_path / "figures")
    assert code == 0, said
    made = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"speed.png", "side.csv", "expectations.csv", "report.html"} <= made
    code, said = call("compare", f"{web}/runs/0001", place / "runs")
    assert code == 0 and f"A  {web}/runs/0001  " in said and "identical: 2 moments" in said, said
    assert not (eddyline.Run.open(f"{web}/runs").folder / "checkpoints").exists()


def test_replay_of_a_run_at_a_url(web, tmp_path):
    code, said = call("replay", f"{web}/runs", "--out", tmp_path / "again", "--quiet")
    assert code == 0, said
    assert eddyline.Run.open(tmp_path / "again").record["replay_of"]["folder"] == f"{web}/runs/0001"


def test_a_run_at_a_url_is_not_changed(web, tmp_path):
    for words in (["resume", f"{web}/runs"], ["export", f"{web}/runs"], ["export", f"{web}/runs", "--png"]):
        code, said = call(*words)
        assert code == 2 and "eddyline-remote-" not in said, said
    code, said = call("run", f"{web}/still.toml", "--out", "s3://bucket/run")
    assert code == 2 and "a run is written to a local folder" in said, said
    code, said = call("export", f"{web}/nowhere", "--png", "--out", tmp_path)
    assert code == 2 and f"{web}/nowhere: " in said and not list(tmp_path.iterdir()), said


def test_a_run_goes_to_a_server_and_comes_back(place, ftp, tmp_path):
    url, folder = ftp
    code, said = call("export", place / "runs", "--run", "--png", "--out", f"{url}/tanks/one")
    assert code == 0 and "river" not in said, said
    assert (folder / "tanks" / "one" / "run.json").is_file()
    assert not list(folder.rglob("*.part")) and not list(folder.rglob("checkpoints"))
    code, said = call("compare", f"{url}/tanks/one", place / "runs")
    assert code == 0 and "river" not in said, said
    code, said = call("export", f"{url}/tanks/one", "--csv", "--out", "memory://figures")
    assert code == 0 and "memory://figures/side.csv" in said, said
    assert fsspec.filesystem("memory").cat("/figures/side.csv").startswith(b"time")


def test_places_that_take_no_files(place, web, ftp):
    url, folder = ftp
    for target, told in (
        (f"{web}/new", "web servers take no files"),
        (f"{url}/locked/new", "access denied; check your credentials and rights"),
        (f"{url.replace('river', 'lake')}/new", "access denied; check your credentials and rights"),
    ):
        code, said = call("export", place / "runs", "--png", "--out", target)
        assert code == 4 and told in said and len(said.splitlines()) == 1, said
        assert "river" not in said and "lake" not in said
    assert not list((folder / "locked").iterdir()) and not (folder / "new").exists()


def test_a_transfer_that_breaks_leaves_nothing(ftp, tmp_path, monkeypatch):
    from fsspec.implementations.ftp import FTPFileSystem

    url, folder = ftp
    path = tmp_path / "a.csv"
    path.write_text("1\n" * 1000)
    remote.upload(path, f"{url}/a.csv")
    path.write_text("2\n" * 1000)
    put = FTPFileSystem.put_file

    def broken(self: FTPFileSystem, source: str, target: str, **options: object) -> None:
        put(self, source, target, **options)
        raise ConnectionResetError("the line is dead")

    monkeypatch.setattr(FTPFileSystem, "put_file", broken)
    with pytest.raises(remote.RemoteError, match="cannot be reached"):
        remote.upload(path, f"{url}/a.csv")
    assert (folder / "a.csv").read_text().startswith("1") and not list(folder.glob(".a*"))


def test_s3(place, tmp_path, monkeypatch):
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(key, "testing")
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        code, said = call("export", place / "runs", "--run", "--out", "s3://bucket/runs/0001")
        assert code == 4 and said.startswith("s3://bucket/runs/0001"), said
        fsspec.filesystem("s3").mkdir("bucket")
        code, said = call("export", place / "runs", "--run", "--out", "s3://bucket/runs/0001")
        assert code == 0 and "s3://bucket/runs/0001/run.json" in said, said
        code, said = call("compare", "s3://bucket/runs", place / "runs")
        assert code == 0 and "identical: 2 moments" in said, said
        code, said = call("check", "s3://bucket/nothing.toml")
        assert code == 2 and said.startswith("s3://bucket/nothing.toml: no such file"), said
    finally:
        server.stop()
