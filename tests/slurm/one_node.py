# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Slurm on one machine: slurmctld and slurmds of Debian's slurm-wlm in
a private directory, on the loopback, with empty files as GPUs. Root is needed;
systemd, munge and a database are not. With `speed` its daemons live in a time
of their own that begins at BEGIN and runs `speed` times as fast as ours; the
jobs and the commands live in ours."""
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "jq")
BEGIN = 1767571200  # 2026-01-05 00:00:00 UTC


def why_not(more=()):
    """Returns why a test cannot start a Slurm here, which may need `more`
    programs; None if it can."""
    missing = [p for p in (*PROGRAMS, *more) if not shutil.which(p)]
    if missing:
        return "not installed: " + ", ".join(missing)
    if os.geteuid() != 0:
        return "slurmd needs root"
    return None


def free_ports(n):
    taken = [socket.socket() for _ in range(n)]
    for s in taken:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in taken]
    for s in taken:
        s.close()
    return ports


class Slurm:
    def __init__(self, home, nodes=2, gpus=8, settings=(), speed=None,
                 cpus=16, shares=None):
        """`shares`: {account: shares}, kept by a slurmdbd, for a fast Slurm."""
        self.home, self.nodes, self.speed, self.cpus = home, nodes, speed, cpus
        self.shares, self.database = shares, None
        self.world = None  # the process around all daemons, if time runs fast
        self.env = dict(os.environ, SLURM_CONF=os.path.join(home, "slurm.conf"))
        for name in ("state", "spool", "log", "run", "dev"):
            os.makedirs(os.path.join(home, name))
        for i in range(gpus):
            with open(os.path.join(home, "dev", "gpu%d" % i), "w"):
                pass
        ports = free_ports(nodes + 3)
        self.ports = ports[nodes + 1:]  # of slurmdbd and of its database
        host = socket.gethostname().split(".")[0]
        with open(os.path.join(home, "gres.conf"), "w",
                  encoding="utf-8") as out:
            out.write("Name=gpu File=%s/dev/gpu[0-%d]\n" % (home, gpus - 1))
        with open(self.env["SLURM_CONF"], "w", encoding="utf-8") as out:
            out.write("\n".join(self.lines(host, ports, gpus, settings)) + "\n")

    def lines(self, host, ports, gpus, settings):
        home = self.home
        yield from (
            "ClusterName=ci", "SlurmctldHost=%s(127.0.0.1)" % host,
            "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/none",
            # After a requeue, a job waits until its credential has expired.
            "AuthInfo=cred_expire=5",
            "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny",
            "CredType=cred/none", "SlurmctldPort=%d" % ports[0],
            "SlurmctldPidFile=%s/run/slurmctld.pid" % home,
            "SlurmctldLogFile=%s/log/slurmctld.log" % home,
            "StateSaveLocation=%s/state" % home,
            "SlurmdPidFile=%s/run/slurmd-%%n.pid" % home,
            "SlurmdLogFile=%s/log/slurmd-%%n.log" % home,
            "SlurmdSpoolDir=%s/spool/%%n" % home,
            "SlurmdParameters=config_overrides",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
            "JobAcctGatherType=jobacct_gather/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core",
            "ReturnToService=2", "GresTypes=gpu")
        if self.shares:
            yield from (
                "AccountingStorageType=accounting_storage/slurmdbd",
                "AccountingStorageHost=localhost",
                "AccountingStoragePort=%d" % self.ports[0],
                "AccountingStorageEnforce=associations")
        else:
            yield "AccountingStorageType=accounting_storage/none"
        if not self.speed:
            yield from (
                "SchedulerType=sched/backfill",
                "SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,"
                "sched_interval=1,bf_interval=1")
        yield from settings
        for i in range(self.nodes):
            yield ("NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d "
                   "CPUs=%d Boards=1 SocketsPerBoard=1 CoresPerSocket=%d "
                   "ThreadsPerCore=1 Gres=gpu:%d State=UNKNOWN"
                   % (i + 1, host, ports[i + 1], self.cpus, self.cpus, gpus))
        yield ("PartitionName=main Nodes=ALL Default=YES MaxTime=%s State=UP"
               % ("INFINITE" if self.speed else "60"))

    def run(self, *argv, **more):
        return subprocess.run(argv, env=self.env, capture_output=True,
                              text=True, timeout=60, check=False, **more)

    def daemon(self, *argv):
        """Starts a program that goes to the background. Its output must not be
        a pipe: the program keeps the pipe open, so reading would never end."""
        subprocess.run(argv, env=self.env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=60, check=False)

    def start_database(self):
        """Starts a MariaDB, in our time: it only keeps what slurmdbd tells it.
        Returns the commands that start slurmdbd and name the accounts."""
        place = os.path.join(self.home, "db")
        subprocess.run(["mariadb-install-db", "--datadir=" + place,
                        "--auth-root-authentication-method=normal"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=120, check=True)
        log = os.path.join(self.home, "log", "mariadbd")
        with open(log, "w", encoding="utf-8") as out:
            self.database = subprocess.Popen(
                ["mariadbd", "--no-defaults", "--datadir=" + place,
                 "--user=root", "--skip-grant-tables",
                 "--bind-address=127.0.0.1", "--port=%d" % self.ports[1],
                 "--socket=" + os.path.join(self.home, "db.sock")],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        conf = os.path.join(self.home, "slurmdbd.conf")
        with open(conf, "w", encoding="utf-8") as out:
            os.chmod(conf, 0o600)
            out.write("\n".join((
                "AuthType=auth/none", "DbdHost=localhost",
                "DbdAddr=127.0.0.1", "DbdPort=%d" % self.ports[0],
                "SlurmUser=root", "StorageType=accounting_storage/mysql",
                "StorageHost=127.0.0.1", "StoragePort=%d" % self.ports[1],
                "StorageUser=root", "StorageLoc=slurm",
                "PidFile=%s/run/slurmdbd.pid" % self.home,
                "LogFile=%s/log/slurmdbd.log" % self.home)) + "\n")
        yield "slurmdbd -D &"
        yield "for i in $(seq 3000); do sacctmgr -n show cluster && break"
        yield "sleep 1; done"
        yield "sacctmgr -i add cluster ci"
        for name, share in self.shares.items():
            yield "sacctmgr -i add account %s fairshare=%d" % (name, share)
            yield "sacctmgr -i add user root account=%s fairshare=1" % name

    def start_fast(self):
        """Starts all daemons in one faketime, because two would have different
        times."""
        clock = os.path.join(self.home, "clock")
        first = self.start_database() if self.shares else ()
        lines = ["date +%%s.%%N >%s" % clock, *first, "slurmctld -D &",
                 "for i in $(seq %d); do slurmd -D -N n$i & done" % self.nodes,
                 "wait"]
        log = os.path.join(self.home, "log", "daemons")
        with open(log, "w", encoding="utf-8") as out:
            self.world = subprocess.Popen(
                ["faketime", "-f", "@2026-01-05 00:00:00 x%g" % self.speed,
                 "bash", "-c", "\n".join(lines)],
                env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def now(self):
        """The time of the daemons, in seconds since 1970."""
        if not self.speed:
            return time.time()
        clock = os.path.join(self.home, "clock")
        with open(clock, encoding="ascii") as text:
            begin = float(text.read())
        return begin + (time.time() - os.stat(clock).st_mtime) * self.speed

    def start(self):
        if self.speed:
            self.start_fast()
        else:
            self.daemon("slurmctld")
            for i in range(self.nodes):
                self.daemon("slurmd", "-N", "n%d" % (i + 1))
        return self.wait_until_up()

    def wait_until_up(self):
        states, end = [], time.monotonic() + 60
        while time.monotonic() < end and (
                self.speed or "slurmctld.pid" in os.listdir(
                    os.path.join(self.home, "run"))):
            states = self.run("sinfo", "-h", "-p", "main", "-N", "-o",
                              "%T").stdout.split()
            if states.count("idle") == self.nodes:
                return None
            time.sleep(0.1)
        with open(os.path.join(self.home, "log", "slurmctld.log"),
                  encoding="utf-8", errors="replace") as log:
            return "not up: %s\n%s" % (states, "".join(log.readlines()[-20:]))

    def stop(self):
        self.stop_daemons()
        for child in (self.database, self.world):
            if child:
                child.terminate()
                child.wait()

    def stop_daemons(self):
        run = os.path.join(self.home, "run")
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for name in os.listdir(run):
                try:
                    with open(os.path.join(run, name), encoding="ascii") as pid:
                        os.kill(int(pid.read()), sign)
                except (OSError, ValueError):
                    pass
            for _ in range(100):
                if not os.listdir(run):
                    return
                time.sleep(0.1)

    def submit(self, script, *options):
        done = self.run("sbatch", "--parsable", *options, input=script)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def state_of(self, job):
        words = self.run("scontrol", "show", "job", job).stdout.split()
        return next((w[9:] for w in words if w.startswith("JobState=")), "")

    def node_state(self, node):
        return self.run("sinfo", "-h", "-n", node, "-o", "%T").stdout.strip()
