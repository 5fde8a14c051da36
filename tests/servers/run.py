#!/usr/bin/env python3
"""Start and stop the database servers of the tests: `run.py start|stop|status [NAME ...]`.

Each server listens on loopback only, on a free port, and keeps everything it writes in a
temporary folder of its own. `.servers/` at the root of the repository says what runs: `env` holds
the URLs for the tests, `NAME.json` the process and its folder. Only the standard library is used,
so this runs before anything is installed. `docs/adr/0007-servers-for-tests.md` says why it is so.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORDS = HERE.parents[1] / ".servers"
LOG = "server.log"
LOG_TAIL_LINES = 25
STOP_WITHIN_S = 30.0
POLL_S = 0.1
DEBIAN_PACKAGE = {
    "initdb": "postgresql",
    "pg_ctl": "postgresql",
    "redis-server": "redis-server",
    "java": "default-jre-headless",
    "mvn": "maven",
}


class ServerError(Exception):
    """A server cannot be had or did not start; the message is meant for the person at the desk."""


@dataclass(frozen=True)
class Running:
    """A server that was started, as it is kept in `.servers/NAME.json`."""

    pid: int
    folder: str
    url: str


@dataclass(frozen=True)
class Server:
    """What is particular to one server; everything else below treats them alike."""

    name: str
    url: str
    launch: Callable[[Path, int], int]  # (folder, port) -> process id
    ready: Callable[[int], bool]
    ready_within_s: float
    stop_signal: signal.Signals = signal.SIGTERM

    @property
    def variable(self) -> str:
        return f"REMANENT_TEST_{self.name.upper()}"

    @property
    def record(self) -> Path:
        return RECORDS / f"{self.name}.json"


# --- finding the programs -----------------------------------------------------------------------


def program(name: str) -> str:
    """Return the path of a program, installing its Debian package where that is possible."""
    found = locate(name) or (install(name) and locate(name))
    if not found:
        raise ServerError(
            f"`{name}` is missing: install it (Debian: apt-get install "
            f"{DEBIAN_PACKAGE.get(name, name)}) and see that it is on the PATH"
        )
    return found


def locate(name: str) -> str | None:
    # Debian keeps PostgreSQL's server programs off the PATH, one folder per major version.
    homes = Path("/usr/lib/postgresql").glob("*/bin")
    newest_first = sorted(homes, key=lambda home: version_of(home.parent.name), reverse=True)
    places = [*map(str, newest_first), os.environ.get("PATH", os.defpath)]
    return shutil.which(name, path=os.pathsep.join(places))


def version_of(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def install(name: str) -> bool:
    """Try Debian's package. A service that it starts by itself is never used or touched."""
    apt = shutil.which("apt-get")
    if os.geteuid() != 0 or apt is None or name not in DEBIAN_PACKAGE:
        return False
    package = DEBIAN_PACKAGE[name]
    print(f"{name} is missing; installing the package {package}", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # A stale list may still do; only the installation decides.
    subprocess.run([apt, "-qq", "update"], env=quiet, stdout=subprocess.DEVNULL, check=False)
    command = [apt, "-qq", "install", "-y", "--no-install-recommends", package]
    done = subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)
    return done.returncode == 0


# --- PostgreSQL ---------------------------------------------------------------------------------


def launch_postgres(folder: Path, port: int) -> int:
    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    owner = postgres_owner()
    if owner is not None:
        shutil.chown(folder, owner, pwd.getpwnam(owner).pw_gid)
    data = folder / "data"
    make_cluster = ["--pgdata", str(data), "--username=remanent", "--auth=trust"]
    run_as(owner, [initdb, *make_cluster, "--encoding=UTF8", "--no-locale", "--no-sync"], folder)
    # Tests kill processes, not machines: without fsync a cluster survives that just as well.
    options = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync=off"
    start = ["start", "-D", str(data), "-l", str(folder / LOG), "-o", options, "-w", "-t", "60"]
    try:
        run_as(owner, [pg_ctl, *start], folder)
    except BaseException:  # the server has left our process group: Ctrl-C does not reach it
        with contextlib.suppress(ServerError):
            run_as(owner, [pg_ctl, "stop", "-D", str(data), "-m", "immediate"], folder)
        raise
    return int((data / "postmaster.pid").read_text().split()[0])


def postgres_owner() -> str | None:
    """Return the user PostgreSQL runs as, None for the present one: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        raise ServerError("PostgreSQL does not run as root and no user `postgres` exists") from None


def run_as(user: str | None, command: Sequence[str], folder: Path) -> None:
    # `user` may not be allowed into the present working directory, so the folder is made it.
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        user=user,
        group=user and pwd.getpwnam(user).pw_gid,
        extra_groups=user and [],
    )
    if done.returncode != 0:
        raise ServerError(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()}")


def postgres_ready(port: int) -> bool:
    # An SSLRequest is answered by one byte as soon as connections are taken.
    return exchange(port, bytes.fromhex("00000008 04d2162f"), 1) in {b"N", b"S"}


# --- Redis --------------------------------------------------------------------------------------


def launch_redis(folder: Path, port: int) -> int:
    return spawn(redis_command(folder, port), folder)


def redis_command(folder: Path, port: int) -> list[str]:
    listen = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder)]
    # The title stays as it is because `alive` knows a process by the folder it was given.
    durable = ["--appendonly", "yes", "--appendfsync", "always"]
    keep = [*durable, "--save", "", "--set-proc-title", "no", "--daemonize", "no"]
    return [program(redis_program()), *listen, *keep]


def redis_program() -> str:
    """`redis-server`, or whatever `REMANENT_TEST_REDIS_SERVER` names in its place: `valkey-server`, or a path."""
    return os.environ.get("REMANENT_TEST_REDIS_SERVER") or "redis-server"


def redis_ready(port: int) -> bool:
    return exchange(port, b"PING\r\n", 7) == b"+PONG\r\n"


# --- Neo4j Community ----------------------------------------------------------------------------

NEO4J_SETTINGS = """\
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=false
dbms.usage_report.enabled=false
server.memory.pagecache.size=64m
db.tx_log.preallocate=false
"""
JVM_FLAGS = (
    "-Xms128m",
    "-Xmx512m",
    "-XX:+UseSerialGC",
    # As in the configuration Neo4j ships. Our small indexes do without; do not rely on it.
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "-Dfile.encoding=UTF-8",
)
BOLT_HELLO = bytes.fromhex("6060b017 00000405 00000000 00000000 00000000")  # offers Bolt 5.4


def launch_neo4j(folder: Path, port: int) -> int:
    return spawn(neo4j_command(folder, port), folder)


def neo4j_command(folder: Path, port: int) -> list[str]:
    java, jars = program("java"), neo4j_jars()
    conf = folder / "conf"
    conf.mkdir(exist_ok=True)
    (conf / "neo4j.conf").write_text(NEO4J_SETTINGS.format(port=port))
    entry = ["-cp", f"{jars}/*", "org.neo4j.server.CommunityEntryPoint"]
    return [java, *JVM_FLAGS, *entry, f"--home-dir={folder}", f"--config-dir={conf}"]


def neo4j_ready(port: int) -> bool:
    return exchange(port, BOLT_HELLO, 4) == BOLT_HELLO[4:8]


def neo4j_jars() -> Path:
    """Return the folder of Neo4j's jars, fetched once and shared by all clones."""
    pom = HERE / "neo4j" / "pom.xml"
    version = ET.parse(pom).findtext(".//{*}neo4j.version")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "remanent"
    # The digest keeps an older clone, whose POM names other jars, from sharing ours.
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:8]
    jars = home / f"neo4j-{version}-{digest}"
    if not complete(jars):
        print(f"fetching the jars of Neo4j {version} (once; this may take minutes)", flush=True)
        home.mkdir(parents=True, exist_ok=True)
        fetch_jars(pom, jars)
    return jars


def complete(jars: Path) -> bool:
    marker = jars / "COMPLETE"
    return marker.is_file() and all((jars / name).is_file() for name in marker.read_text().split())


def fetch_jars(pom: Path, jars: Path) -> None:
    # Beside its place and then moved there: a fetch that breaks off leaves no half-filled folder.
    with tempfile.TemporaryDirectory(dir=jars.parent, prefix="fetching-") as scratch:
        new = Path(scratch) / "jars"
        maven = [program("mvn"), "-B", "-q", "-f", str(pom), "dependency:copy-dependencies"]
        what = ["-DincludeScope=runtime", f"-DoutputDirectory={new}"]
        done = subprocess.run([*maven, *what], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ServerError(f"Maven could not fetch Neo4j's jars:\n{last_lines(done.stdout)}")
        names = sorted(jar.name for jar in new.glob("*.jar"))
        (new / "COMPLETE").write_text("\n".join(names) + "\n")
        if jars.exists():
            shutil.rmtree(jars)
        new.rename(jars)


# --- processes ----------------------------------------------------------------------------------


def spawn(command: Sequence[str], folder: Path) -> int:
    """Start a server that outlives this script and return its process id."""
    with (folder / LOG).open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    # Linux shows an empty command line for a moment after the program was loaded, and `alive`
    # would take that for a process that has ended.
    wait_until(lambda: command_of(process.pid) != "" or process.poll() is not None, within_s=5)
    return process.pid


def alive(running: Running) -> bool:
    """Say whether the process still is the server we started: its command names its folder.

    A process id alone is not enough, since the system may have given it to another process.
    """
    return running.folder in command_of(running.pid)


def command_of(pid: int) -> str:
    """Return the command line of a process, empty when it is gone or a zombie."""
    if Path("/proc/self/cmdline").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            return ""
    listing = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    return subprocess.run(listing, capture_output=True, text=True, check=False).stdout


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def exchange(port: int, question: bytes, answer_bytes: int) -> bytes:
    """Send a greeting to a server and return the first bytes of its answer, or nothing."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(question)
            return connection.recv(answer_bytes, socket.MSG_WAITALL)
    except OSError:
        return b""


def wait_until(condition: Callable[[], bool], *, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def end_of_log(folder: Path) -> str:
    # Neo4j writes logs of its own beside what it prints.
    logs = [(log, log.read_text(errors="replace")) for log in sorted(folder.rglob("*.log"))]
    return "".join(f"\nthe end of {log}:\n{last_lines(text)}" for log, text in logs if text.strip())


def last_lines(text: str) -> str:
    return "\n".join(text.splitlines()[-LOG_TAIL_LINES:])


# --- the three commands -------------------------------------------------------------------------

SERVERS = {
    server.name: server
    for server in (
        Server(
            name="postgres",
            url="postgresql://remanent@127.0.0.1:{port}/postgres",
            launch=launch_postgres,
            ready=postgres_ready,
            ready_within_s=60,
            stop_signal=signal.SIGINT,  # "fast": does not wait for clients to leave
        ),
        Server(
            name="redis",
            url="redis://127.0.0.1:{port}/0",
            launch=launch_redis,
            ready=redis_ready,
            ready_within_s=30,
        ),
        Server(
            name="neo4j",
            url="bolt://127.0.0.1:{port}",
            launch=launch_neo4j,
            ready=neo4j_ready,
            ready_within_s=120,
        ),
    )
}


def start(server: Server) -> str:
    """Start a server unless it runs already and return its URL once it answers."""
    known = recorded(server)
    if known is not None and alive(known):
        return known.url
    stop(server)  # what a crash left behind
    with contextlib.ExitStack() as undo:  # a failure and Ctrl-C alike leave nothing behind
        folder = Path(tempfile.mkdtemp(prefix=f"remanent-{server.name}-"))
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        undo.callback(stop, server)
        try:
            running = launch(server, folder, free_port())
        except ServerError as error:
            raise ServerError(f"{error}{end_of_log(folder)}") from None
        undo.pop_all()
    write_env()
    return running.url


def launch(server: Server, folder: Path, port: int) -> Running:
    running = Running(server.launch(folder, port), str(folder), server.url.format(port=port))
    RECORDS.mkdir(exist_ok=True)
    server.record.write_text(json.dumps(asdict(running), indent=2) + "\n")
    wait_until(lambda: server.ready(port) or not alive(running), within_s=server.ready_within_s)
    if not alive(running):
        raise ServerError("it ended by itself")
    if not server.ready(port):
        raise ServerError(f"it did not answer within {server.ready_within_s:.0f} s")
    return running


def stop(server: Server) -> bool:
    """Stop a server and remove its folder; say whether there was one."""
    running = recorded(server)
    if running is None:
        return False
    for number in (server.stop_signal, signal.SIGKILL):
        if alive(running):
            with contextlib.suppress(ProcessLookupError):
                os.kill(running.pid, number)
            wait_until(lambda: not alive(running), within_s=STOP_WITHIN_S)
    shutil.rmtree(running.folder, ignore_errors=True)
    server.record.unlink(missing_ok=True)
    write_env()
    return True


def recorded(server: Server) -> Running | None:
    try:
        return Running(**json.loads(server.record.read_text()))
    except FileNotFoundError:
        return None


def write_env() -> None:
    """Bring `.servers/env` in line with the records, and remove the folder after the last one."""
    known = {server.variable: recorded(server) for server in SERVERS.values()}
    lines = [f"{variable}={running.url}\n" for variable, running in known.items() if running]
    if lines:
        (RECORDS / "env").write_text("".join(lines))
    else:
        shutil.rmtree(RECORDS, ignore_errors=True)


def start_one(server: Server) -> bool:
    began = time.monotonic()
    try:
        url = start(server)
    except ServerError as error:
        print(f"{server.name}: not started: {error}", file=sys.stderr, flush=True)
        return False
    print(f"{server.name}: {url} ({time.monotonic() - began:.1f} s)", flush=True)
    return True


def stop_one(server: Server) -> bool:
    print(f"{server.name}: {'stopped' if stop(server) else 'was not running'}", flush=True)
    return True


def status_one(server: Server) -> bool:
    running = recorded(server)
    if running is None or not alive(running):
        print(f"{server.name}: not running")
        return False
    print(f"{server.name}: {running.url} (pid {running.pid})")
    return True


COMMANDS = {"start": start_one, "stop": stop_one, "status": status_one}


def main() -> int:
    parser = argparse.ArgumentParser(description="The database servers of the tests.")
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SERVERS)}; or all")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in SERVERS]
    if unknown:
        parser.error(f"no such server: {', '.join(unknown)} (there are {', '.join(SERVERS)})")
    outcomes = [COMMANDS[asked.command](SERVERS[name]) for name in asked.names or SERVERS]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
