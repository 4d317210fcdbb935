"""The lab's server against hostile clients: what they ask to read, hold, flood and leave half done."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import struct
import subprocess
import threading
import time
import zlib
from pathlib import Path

import fuzz_server
import pytest
from fastapi.testclient import TestClient
from lab_server import TANK, WORKERS, Client, hear, lab_in_thread, say, until
from test_serve_api import HOST, NoJobs
from test_serve_streams import HELLO, RUN, frame, simulation
from websockets.exceptions import ConnectionClosed

from eddyline.live import stream_pb2 as pb
from eddyline.live.address import Address
from eddyline.live.publisher import Publisher, packed
from eddyline.plot import metadata
from eddyline.serve import protocol, workers
from eddyline.serve.app import create_app
from eddyline.serve.channel import Channel, Outbox
from eddyline.serve.hub import _refuse
from eddyline.serve.lab import Lab
from eddyline.serve.limits import Limits
from eddyline.serve.tokens import Gate, Permission
from eddyline.serve.workers import Workers

SECRET = "the secret of another user"
LONGEST_GAP = 0.3 * 5  # s; of a machine that is not busy 0.3


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with lab_in_thread(tmp_path_factory.mktemp("runs")) as found:
        yield found


@pytest.fixture
def view_only(lab):
    client, gate, _ = lab
    return Client(client.base, gate.look)


# --- what can be read ---------------------------------------------------------------------------------------


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.csv"
    path.write_text(f"{SECRET}\n" * 9)
    return path


@pytest.mark.parametrize("way", ["absolute", "relative", "missing", "null"])
def test_a_world_cannot_ask_what_files_there_are(lab, view_only, secret, way):
    """A curve is a bare name: whether a file exists elsewhere, and what it holds, is not told."""
    folder = lab[2].folder
    name = {
        "absolute": str(secret),
        "relative": os.path.relpath(secret, Path(workers.__file__).parent.parent / "data"),
        "missing": str(secret.with_name("no_such_file.csv")),
        "null": "a\\u0000b",
    }[way]
    expect = f'[[expect]]\nquantity = "front"\ncurve = "{name}"\nagainst = "time"\nband = 0.1\nsource = "x"\n'
    answer = view_only.call("POST", "check", {"toml": TANK + expect})
    told = json.dumps(answer)
    assert answer[0] == 200 and SECRET not in told and str(folder) not in told
    curves = [fault["message"] for fault in answer[1]["problems"] if "curve = " in fault["message"]]
    assert len(curves) == 1 and "bare name" in curves[0]


def linked(lab, name, target, link):
    """A run from elsewhere, one of whose files is a link."""
    folder = lab.folder / name / "0001"
    (folder / "series").mkdir(parents=True)
    (folder / "pictures").mkdir()
    (folder / "world.toml").write_text(TANK)
    (folder / "report.html").write_text("<h1>Report</h1>")
    record = {"outcome": "finished", "message": "", "fingerprint": "a-b", "world": name, "quantity": "speed"}
    (folder / "run.json").write_text(json.dumps(record))
    place = folder / link
    place.unlink(missing_ok=True)
    if target == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(target)
    lab._looked = -1e9
    return folder


PARTS = ("world", "results", "series", "frames", "particles", "journal", "present", "report", "movie",
         "picture", "series/a", "series/a.csv", "frames/0", "particles/0")  # fmt: skip


LINKS = ("world.toml", "results.json", "series/a.csv", "report.html", "journal.jsonl", "pictures/final.png",
         "pictures/frames.index", "snapshots")  # fmt: skip


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_a_run_from_elsewhere_leads_to_no_file_of_this_machine(lab, view_only, secret, link, kind):
    name = f"{kind}_{link.replace('/', '_').replace('.', '_')}"
    linked(lab[2], name, secret if kind == "file" else "pipe", link)
    (row,) = [row for row in view_only.call("GET", "runs")[1] if row["world"] == name]
    began = time.monotonic()
    for part in PARTS:
        status, told = view_only.call("GET", f"runs/{row['id']}/{part}")
        assert status == 409 and SECRET not in str(told), (part, told)
        assert "a link" in str(told) or "neither" in str(told) or part == "world"
    with view_only.socket(f"runs/{row['id']}/stream") as viewer, pytest.raises(ConnectionClosed):
        viewer.recv(timeout=20)
    assert time.monotonic() - began < 20


def test_a_record_leads_to_no_file_of_this_machine(lab, view_only, secret, tmp_path):
    """run.json as a link, a folder elsewhere, a name with dots, and numbers that no list can hold."""
    server = lab[2]
    folder = linked(server, "dots", "/dev/null", "x")
    (folder / "x").unlink()
    (folder / "world.toml").unlink()
    (tmp_path / "theirs.toml").write_text(SECRET)
    up = "../" * 12
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"world": f"{up}{tmp_path}/theirs"}))
    odd = {
        "large": {"fluid_particles": 10**40},
        "infinite": {"wall_seconds": float("inf")},
        "surrogate": {"title": "\ud800"},
        "late": {"started": "never"},
        "nested": None,
    }
    for name, change in odd.items():
        place = server.folder / name / "0001"
        place.mkdir(parents=True)
        text = json.dumps(record | {"world": name} | change) if change else "[" * 100_000
        (place / "run.json").write_text(text)
    (server.folder / "outside").mkdir()
    (tmp_path / "0001").mkdir()
    (tmp_path / "0001" / "run.json").write_text(json.dumps(record | {"world": "outside"}))
    (server.folder / "outside" / "0001").symlink_to(tmp_path / "0001")
    server._looked = -1e9
    status, rows = view_only.call("GET", "runs")
    assert status == 200
    assert "outside" not in {row["world"] for row in rows}
    (row,) = [row for row in rows if row["world"].endswith("theirs")]
    status, told = view_only.call("GET", f"runs/{row['id']}/world")
    assert status == 409 and SECRET not in str(told)
    assert lab[0].call("DELETE", f"runs/{row['id']}")[0] == 204 and (tmp_path / "theirs.toml").exists()


def test_a_snapshot_cannot_take_its_numbers_from_another_file(tmp_path):
    import h5py
    import numpy as np

    from eddyline.serve.stored_runs import particles
    from eddyline.stream.corrupt import CorruptFileError

    (tmp_path / "secret").write_bytes(bytes(range(64)))
    for way in ("external", "link"):
        folder = tmp_path / way
        for kind in ("fluid", "walls"):
            (folder / "snapshots" / kind).mkdir(parents=True)
            with h5py.File(folder / "snapshots" / kind / "000000.vtkhdf", "w") as file:
                root = file.create_group("VTKHDF")
                root.attrs.update(dimensions=2, time=0.0, step=0)
                if way == "link":
                    root["Points"] = h5py.ExternalLink(str(tmp_path / "secret"), "/")
                else:
                    root.create_dataset(
                        "Points", (2, 3), np.float64, external=[(str(tmp_path / "secret"), 0, 48)]
                    )
        (folder / "world.toml").write_text(TANK)
        with pytest.raises(CorruptFileError, match=r"is a link|in another file"):
            particles(folder, 0, "speed", 0)


def test_the_folder_of_all_runs_cannot_be_deleted(lab):
    server = lab[2]
    (server.folder / "run.json").write_text("{}")
    assert server._inside(str(server.folder)) == ""
    (server.folder / "run.json").unlink()
    (server.folder / ".lab" / "run.json").write_text("{}")
    assert server._inside(str(server.folder / ".lab")) == ""
    assert server._inside("a\0b") == ""


# --- files that are opened ----------------------------------------------------------------------------------


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*chunks: bytes, size: int = 4) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + chunk(b"IEND", b"")


def box(kind: bytes, data: bytes = b"", length: int | None = None) -> bytes:
    return struct.pack(">I", 8 + len(data) if length is None else length) + kind + data


WORLD_KEY = b"eddyline_world\0"
BOMB = zlib.compress(bytes(200_000_000), 9)
MOVIE = box(b"ftyp", b"isom\0\0\2\0isomiso2mp41")
ILL = {
    "a text that inflates to 200 MB": png(chunk(b"iTXt", WORLD_KEY + b"\1\0\0\0" + BOMB)),
    "the same in the old way": png(chunk(b"zTXt", WORLD_KEY + b"\0" + BOMB)),
    "two million chunks": png(chunk(b"abCd", b"") * 500_000),
    "many texts": png(*(chunk(b"tEXt", b"k%d\0" % k + b"x" * 900_000) for k in range(5))),
    "a huge picture": png(chunk(b"IDAT", BOMB), size=2**31 - 1),
    "a chunk beyond the end": b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**31) + b"iTXt",
    "a text that is cut off": png(chunk(b"iTXt", WORLD_KEY + b"\1\0\0\0" + BOMB[:100])),
    "a text of no Unicode": png(chunk(b"iTXt", WORLD_KEY + b"\0\0\0\0\xff\xfe")),
    "another checksum": png(chunk(b"iTXt", WORLD_KEY + b"\0\0\0\0x")[:-1] + b"!"),
    "tables of a movie without end": MOVIE + box(b"moov", box(b"trak", bytes(4_000_000))),
    "a box beyond the end": MOVIE + box(b"moov", b"", 2**31 - 1),
    "boxes of no length": MOVIE + box(b"free", b"", 8) * 100_000,
    "a playlist": MOVIE[:8] + b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
    "a movie of nothing": MOVIE,
    "neither": b"\xff\xfe\x00rubbish",
    "a text without end": b"# " + b"x" * 3_000_000,
}


@pytest.mark.parametrize("case", ILL)
def test_a_file_that_is_no_picture_of_ours_is_refused_at_once(view_only, case):
    began = time.monotonic()
    with gaps(view_only) as found:
        status, told = view_only.call("POST", "open", ILL[case])
    assert status in (413, 422) and told["problems"][0]["message"], told
    assert max(found) < LONGEST_GAP and time.monotonic() - began < 10


def test_pictures_and_movies_give_their_worlds_without_their_pixels(view_only, tmp_path):
    import imageio_ffmpeg

    given = metadata.Metadata(TANK + "# ü = \\ ; # \n", "0", "a-b", "A title")
    words = tmp_path / "words"
    words.write_text(metadata.ffmetadata(given))
    film = tmp_path / "film.mp4"
    source = [
        "-f",
        "lavfi",
        "-i",
        "color=s=64x64:d=0.2",
        "-i",
        str(words),
        "-map",
        "0:v",
        "-map_metadata",
        "1",
    ]
    program = imageio_ffmpeg.get_ffmpeg_exe()
    subprocess.run(
        [program, "-v", "error", *source, "-movflags", "+faststart+use_metadata_tags", film], check=True
    )
    assert metadata.read(film) == given
    assert view_only.call("POST", "open", film.read_bytes()) == (200, {"toml": given.world})
    packed_text = WORLD_KEY + b"\1\0en\0\0" + zlib.compress(given.world.encode())
    late = png(chunk(b"IDAT", b"no pixels at all"), chunk(b"iTXt", packed_text))
    assert view_only.call("POST", "open", late) == (200, {"toml": given.world})


# --- one client does not stop the others --------------------------------------------------------------------


@contextlib.contextmanager
def gaps(client, every=0.02):
    """Times that the server took to answer a client that asks again and again [s]."""
    found: list[float] = []
    over = threading.Event()

    def ask():
        import http.client

        place = client.base.split("/")[2]
        link = http.client.HTTPConnection(place, timeout=60)
        while not over.is_set() or not found:
            began = time.monotonic()
            link.request("GET", "/api/version")
            link.getresponse().read()
            found.append(time.monotonic() - began)
            time.sleep(every)
        link.close()

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join(70)


SLOW = {
    "a polygon of many corners": TANK
    + '[bodies.much]\nshape = "polygon"\npoints = ['
    + ",".join(f"[{0.25 + 0.02 * k / 9000:.9f}, {0.1 + 0.01 * (k % 2)}]" for k in range(9000))
    + "]\n",
    "tables in tables": "[" + "a." * 20_000 + "b]\nx = 1\n",
    "a number of many digits": TANK + "[let]\nA = " + "9" * 100_000 + "\n",
    "many bodies": TANK
    + "".join(
        f'[bodies.b{k}]\nshape = "circle"\ncenter = [{0.3 + 1e-6 * k}, 0.1]\ndiameter = 0.01\n'
        for k in range(1500)
    ),
    "a spacing that nobody can count": TANK.replace("spacing = 0.01", "spacing = 1e-12"),
}


def test_slow_worlds_delay_no_other_request(tmp_path):
    """Many requests come at once with a view-only token: others are answered, and the control token still
    checks a world."""
    own = Workers(seconds=1.0)
    with lab_in_thread(tmp_path) as (client, gate, server):
        server.workers = own
        view_only = Client(client.base, gate.look)
        answers: list[tuple[int, object]] = []

        def ask(text):
            answers.append(view_only.call("POST", "check", {"toml": text}))

        assert client.call("POST", "check", {"toml": TANK})[0] == 200
        threads = [threading.Thread(target=ask, args=(text,)) for text in SLOW.values()]
        with gaps(client) as found:
            for thread in threads:
                thread.start()
            assert client.call("POST", "check", {"toml": TANK + "# another\n"})[0] == 200
            assert any(thread.is_alive() for thread in threads)
            for thread in threads:
                thread.join(60)
        own.close()
    assert {status for status, _ in answers} <= {200, 422, 503} and len(answers) == len(SLOW)
    assert max(found) < LONGEST_GAP
    assert 422 in {status for status, _ in answers}


def test_a_task_without_end_or_with_too_much_memory_ends_with_its_process():
    own = Workers(seconds=1.0)
    lane = own._lanes[Permission.VIEW]
    try:
        with lane.worker() as worker:
            process = worker._started()
            os.kill(process.pid, 19)  # it answers no more
            with pytest.raises(workers.Refusal, match=r"more than 0.2 s"):
                worker.do("nothing", {}, 0.2)
            assert process.poll() is not None
            assert worker.do("nothing", {}, 5.0).status == 200  # another has taken its place
            worker._process.kill()
            with contextlib.suppress(workers.Refusal):
                worker.do("nothing", {}, 5.0)
            assert worker.do("nothing", {}, 5.0).status == 200
    finally:
        own.close()


def test_a_list_of_a_thousand_runs_delays_no_other_request(tmp_path):
    record = json.dumps({"outcome": "finished", "message": "", "fingerprint": "a-b", "quantity": "speed"})
    for number in range(1000):
        place = tmp_path / "many" / f"{number:04d}"
        place.mkdir(parents=True)
        (place / "run.json").write_text(record)
    with lab_in_thread(tmp_path) as (client, _, _), gaps(client) as found:
        for _ in range(3):
            assert len(client.call("GET", "runs")[1]) == 1000
    assert max(found) < LONGEST_GAP


# --- whatever is sent ---------------------------------------------------------------------------------------


DEEP = {
    "lists in lists": "x = " + "[" * 50_000 + "]" * 50_000,
    "a formula in brackets": TANK + '[let]\nA = "' + "(" * 20_000 + "1" + ")" * 20_000 + '"\n',
    "a power of powers": TANK + '[let]\nA = "9^9^9^9"\nB = "10^(10^10)"\n',
}
_NESTED = "{c = " * 900 + "1" + "}" * 900


def _edit(path: list[object], value: str) -> bytes:
    """value: as JSON."""
    change = f'{{"op": "set", "path": {json.dumps(path)}, "value": {value}}}'
    return f'{{"toml": "a = 1", "edits": [{change}]}}'.encode()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "check", b'{"toml": "\\ud800"}'),
        ("POST", "check", b'{"toml": "", "\\ud800": 1}'),
        ("POST", "check", b'{"toml": "", "sets": {"let.A": NaN, "let.B": 1e999}}'),
        ("POST", "check", b"[" * 200_000),
        ("POST", "check", b'{"toml": "x = inf\\ny = 2024-01-01\\n[let]\\nRe = inf\\n"}'),
        ("POST", "check", json.dumps({"toml": "a = " + "[" * 5000}).encode()),
        ("POST", "check", json.dumps({"toml": "[bodies.a]\nb = " + _NESTED}).encode()),
        ("POST", "edit", _edit(["a"], "[" * 400 + "]" * 400)),
        ("POST", "edit", _edit([10**20], "1")),
        ("POST", "edit", _edit(["\0"], '{"": null}')),
        ("POST", "runs", b'{"toml": "", "ranks": 1e300}'),
        ("GET", "runs/000000000000/particles/0?quantity=nothing", None),
        ("GET", "runs/000000000000/frames/0?quantity=%00", None),
        ("GET", "runs/000000000000/series/%00", None),
        ("GET", "openapi.json/%00", None),
    ],
)  # fmt: skip
def test_no_request_makes_the_server_fail(lab, method, path, body):
    status, _ = lab[0].call(method, path, body)
    assert status < 500


@pytest.mark.parametrize("case", DEEP)
def test_a_world_without_bottom_is_answered(lab, case):
    status, told = lab[0].call("POST", "check", {"toml": DEEP[case]})
    assert status in (200, 422) and told["problems"]


def test_a_quantity_that_particles_do_not_have_is_refused(tmp_path):
    from eddyline.serve.stored_runs import UnknownQuantityError, particles

    with pytest.raises(UnknownQuantityError, match="no shade"):
        particles(tmp_path, 0, "shade", 0)


def test_a_hundred_hostile_requests_and_messages_of_each_kind():
    told = fuzz_server.main(100, seed=1)
    assert told.failures == [] and told.tried > 300


# --- half-open connections ----------------------------------------------------------------------------------


@contextlib.contextmanager
def raw(client):
    place = client.base.split("/")[2].split(":")
    with socket.create_connection((place[0], int(place[1])), 10) as link:
        link.settimeout(10)
        yield link


def is_closed_within(link, seconds):
    link.settimeout(seconds)
    try:
        while link.recv(65536):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.fixture
def impatient(monkeypatch):
    for name in ("HEADERS", "BODY", "READING", "PARTS"):
        monkeypatch.setattr(protocol, name, 0.5)


def upgrade(client, path, token):
    return (
        f"GET /api/{path}?token={token} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n"
    ).encode()


POST = b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\n"
SILENT = {
    "says nothing": b"",
    "half a header": b"GET /api/version HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
    "no body": POST + b"Content-Length: 9\r\n\r\n{",
    "half a chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
    "a second request, half": b"GET /api/version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /api",
}


@pytest.mark.parametrize("case", SILENT)
def test_a_client_that_does_not_finish_a_request_is_cut_off(lab, impatient, case):
    with raw(lab[0]) as link:
        link.sendall(SILENT[case])
        assert is_closed_within(link, 8)


def test_a_client_that_sends_a_header_slowly_is_cut_off(lab, impatient):
    with raw(lab[0]) as link:
        began = time.monotonic()
        with contextlib.suppress(OSError):
            link.sendall(b"GET /api/version HTTP/1.1\r\n")
            while time.monotonic() < began + 8:
                link.sendall(b"X: y\r\n")
                time.sleep(0.05)
        assert time.monotonic() < began + 6


def test_a_message_in_parts_without_end_is_cut_off(lab, impatient):
    client = lab[0]
    first = bytes([0x02, 0x81]) + bytes(4) + b"x"  # binary, not the last part
    with simulation(client), raw(client) as link:
        link.sendall(upgrade(client, f"runs/{RUN}/stream", client.token))
        until(lambda: b"101" in link.recv(65536))
        link.sendall(first)
        assert is_closed_within(link, 8)


def test_a_simulation_without_hello_is_refused(lab, monkeypatch):
    monkeypatch.setattr("eddyline.serve.hub._HELLO", 0.3)
    with lab[0].socket("simulations/0123456789ee") as silent, pytest.raises(ConnectionClosed) as closed:
        silent.recv(timeout=10)
    assert closed.value.rcvd.code == 4400


def test_a_client_that_answers_no_ping_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr("eddyline.serve.command.PING", 0.3)
    with lab_in_thread(tmp_path) as (client, _, server), simulation(client), raw(client) as link:
        link.sendall(upgrade(client, f"runs/{RUN}/stream", client.token))
        until(lambda: server.hub.channels[RUN].viewers)
        assert is_closed_within(link, 8)
        until(lambda: not server.hub.channels[RUN].viewers)


def test_connections_are_counted_and_silent_ones_make_room(tmp_path):
    """Somebody opens as many as there may be and says nothing: others come in all the same."""
    with contextlib.ExitStack() as stack:
        limits = {"connections": 30, "connections_of_client": 20}
        client, _, server = stack.enter_context(lab_in_thread(tmp_path, **limits))
        for _ in range(60):
            stack.enter_context(raw(client))
        assert client.call("GET", "version")[0] == 200
        flow = stack.enter_context(simulation(client))
        say(flow, progress=pb.Progress(step=1))
        for _ in range(19):
            hear(stack.enter_context(client.look(RUN, pb.View())), "progress")
        with raw(client) as link:  # no silent one is left
            assert is_closed_within(link, 8)
        assert len(server.hub.channels[RUN].viewers) == 19


def test_a_body_of_unknown_length_is_refused(lab):
    with raw(lab[0]) as link:
        head = f"POST /api/check?token={lab[0].token} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        link.sendall(head.encode() + b"Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n")
        assert b" 411 " in link.recv(200) and is_closed_within(link, 5)


# --- floods -------------------------------------------------------------------------------------------------


def masked(opcode: int, data: bytes) -> bytes:
    assert len(data) < 126
    return bytes([0x80 | opcode, 0x80 | len(data)]) + bytes(4) + data


FLOODS = {
    "pings": masked(9, b"x"),
    "views": masked(2, packed(view=pb.View(quantities=["speed"], frames_per_second=3)).SerializeToString()),
    "commands": masked(2, packed(command=pb.Command(id="x", pause=pb.Pause())).SerializeToString()),
    "rubbish": masked(2, b"\xff\xff"),
    "text": masked(1, b"hello"),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_of_messages_delays_no_other_client(lab, kind):
    client, gate, _ = lab
    with simulation(client) as flow, client.look(RUN, pb.View()) as other, gaps(client) as found:
        hear(other, "hello")
        with raw(client) as link:
            link.sendall(upgrade(client, f"runs/{RUN}/stream", gate.look))
            end = time.monotonic() + 0.5
            with contextlib.suppress(OSError):
                while time.monotonic() < end:
                    link.sendall(FLOODS[kind] * 500)
            say(flow, progress=pb.Progress(step=77))
            assert hear(other, "progress").step == 77
            say(other, command=pb.Command(id="mine", resume=pb.Resume()))
            while hear(flow, "command").id != "mine":
                pass
    assert max(found) < LONGEST_GAP


ILL_HELLOS = [
    {"dimensions": 9},
    {"upper": [float("inf"), 1.0]},
    {"upper": [1e-9, 1.0]},
    {"spacing": 0.0},
    {"lower": []},
]


@pytest.mark.parametrize("change", ILL_HELLOS)
def test_a_hello_of_which_nothing_can_be_drawn_is_refused(lab, change):
    hello = pb.Hello()
    hello.CopyFrom(HELLO)
    for name, value in change.items():
        if isinstance(value, list):
            del getattr(hello, name)[:]
            getattr(hello, name).extend(value)
        else:
            setattr(hello, name, value)
    with lab[0].socket("simulations/0123456789ef") as bad, pytest.raises(ConnectionClosed) as closed:
        say(bad, hello=hello)
        bad.recv(timeout=10)
    assert closed.value.rcvd.code == 4400


def test_frames_whose_numbers_do_not_fit_harm_no_viewer(lab):
    client = lab[0]
    wrong = []
    for change in ("count", "codes", "ids", "axis", "velocity"):
        bad = frame(1)
        parts = bad.frame.particles
        if change == "count":
            parts.count = 10**6
        elif change == "codes":
            parts.position[0].data = b"x"
        elif change == "ids":
            parts.ids = b"12345678"
        elif change == "axis":
            del parts.position[1]
        else:
            del parts.carried[0]
        wrong.append(bad)
    everything = pb.View(quantities=["speed", "vorticity", "pressure"], frames_per_second=30, particles=True)
    for bad in wrong:
        with simulation(client) as flow, client.look(RUN, everything) as viewer:
            hear(viewer, "hello")
            flow.send(bad.SerializeToString())
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    flow.recv(timeout=10)
            assert closed.value.rcvd.code == 4400
            say(viewer, view=everything)  # it is still there
    with simulation(client) as flow, client.look(RUN, everything) as viewer:
        flow.send(frame(5).SerializeToString())
        assert hear(viewer, "frame").index == 5


# --- the page and foreign reports ---------------------------------------------------------------------------


def test_no_script_but_the_page_s_own_may_run(tmp_path):
    server = Lab(tmp_path, Limits(), workers=WORKERS)
    server.jobs = NoJobs()
    gate = Gate()
    client = TestClient(create_app(server, gate), HOST, headers={"Authorization": f"Bearer {gate.look}"})
    folder = tmp_path / "foreign" / "0001"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text('{"outcome": "finished", "message": "", "fingerprint": ""}')
    (folder / "report.html").write_text("<script>alert(1)</script>")
    (row,) = client.get("/api/runs").json()
    report = client.get(f"/api/runs/{row['id']}/report")
    page = client.get("/")
    refused = TestClient(client.app, HOST).get("/api/runs")
    for answer in (report, page, refused):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
    policy = report.headers["content-security-policy"]
    assert report.status_code == 200 and policy.startswith("sandbox")
    assert "allow-scripts" not in policy and "allow-same-origin" not in policy and "script-src" not in policy
    assert "script-src 'self';" in page.headers["content-security-policy"]
    server.store.close()


# --- commands that come late --------------------------------------------------------------------------------


class Relay:
    """Passes bytes between a client and a server; holds them back while it is `dead`."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.alive = threading.Event()
        self.alive.set()
        self._links = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target)
                self._links += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.alive.wait(60)
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.alive.set()
        for link in self._links:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()


@pytest.fixture
def relay(lab):
    made = Relay(int(lab[0].base.rsplit(":", 1)[1].strip("/")))
    yield made
    made.close()


def test_a_command_of_a_viewer_that_a_dead_link_held_back_is_not_obeyed(lab, relay, monkeypatch):
    monkeypatch.setattr("eddyline.serve.channel.LIFETIME", 0.5)
    client = lab[0]
    through = Client(f"http://127.0.0.1:{relay.port}/", client.token)
    with simulation(client) as flow, through.look(RUN, pb.View()) as viewer:
        ahead = hear(viewer, "tick").clock - time.monotonic()
        say(viewer, command=pb.Command(id="in time", asked_at=time.monotonic() + ahead, pause=pb.Pause()))
        found = hear(flow, "command")
        assert found.id == "in time" and 0 < found.not_after - found.asked_at <= 0.5
        relay.alive.clear()
        say(viewer, command=pb.Command(id="late", asked_at=time.monotonic() + ahead, stop=pb.Stop()))
        time.sleep(1.0)
        relay.alive.set()
        said = hear(viewer, "acknowledged")
        assert (said.id, said.command) == ("late", "stop") and "expired, not applied" in said.refusal
        say(viewer, command=pb.Command(id="again", asked_at=time.monotonic() + ahead, pause=pb.Pause()))
        assert hear(flow, "command").id == "again"


def test_a_command_to_a_run_that_a_dead_link_held_back_is_not_obeyed(lab, relay, monkeypatch):
    monkeypatch.setattr("eddyline.serve.channel.LIFETIME", 0.5)
    client, run = lab[0], "0123456789ad"
    address = Address(f"ws://127.0.0.1:{relay.port}/api/simulations/{run}", client.token, run)
    publisher = Publisher(address, HELLO, lambda: None)
    try:
        until(lambda: publisher.connected and client.call("GET", f"runs/{run}")[1].get("live"))
        until(lambda: publisher._hub_ahead > float("-inf"))
        with client.look(run, pb.View()) as viewer:
            say(viewer, command=pb.Command(id="in time", pause=pb.Pause()))
            (taken,) = until(publisher.take_commands)
            assert taken == pb.Command(id="in time", pause=pb.Pause())  # as the journal has it
            relay.alive.clear()
            say(viewer, command=pb.Command(id="late", stop=pb.Stop()))
            time.sleep(1.0)
            relay.alive.set()
            said = hear(viewer, "acknowledged")
            assert (said.id, said.command) == ("late", "stop") and "expired, not applied" in said.refusal
            say(viewer, command=pb.Command(id="again", pause=pb.Pause()))
            assert [each.id for each in until(publisher.take_commands)] == ["again"]
    finally:
        publisher.close(packed(ended=pb.Ended(outcome="finished")))


def test_commands_that_were_not_sent_are_refused_at_once():
    channel, outbox = Channel(RUN), Outbox()
    channel.begin(HELLO, outbox)
    assert channel.command(packed(command=pb.Command(id="x", pause=pb.Pause())))
    _refuse(channel, outbox.left())
    (said,) = channel.acknowledged
    assert said.acknowledged.id == "x" and "not applied" in said.acknowledged.refusal


def test_views_push_no_command_out():
    """Only the newest view waits for a simulation, however many there were."""
    outbox = Outbox()
    for number in range(1000):
        assert outbox.put(packed(view=pb.View(columns=number)))
    assert outbox.put(packed(command=pb.Command(id="x")))

    async def all_of_it():
        return [await outbox.take(0.01) for _ in range(3)]

    first, second, nothing = asyncio.run(all_of_it())
    assert (first.command.id, second.view.columns, nothing) == ("x", 999, None)
