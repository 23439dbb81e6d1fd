# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Slurm on one machine: slurmctld and slurmds of Debian's slurm-wlm in
a private directory, on the loopback, with empty files as GPUs. Root is needed;
systemd, munge and a database are not."""
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "jq")


def why_not():
    """Returns why a test cannot start a Slurm here; None if it can."""
    missing = [p for p in PROGRAMS if not shutil.which(p)]
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
    def __init__(self, home, nodes=2, gpus=8, settings=()):
        self.home, self.nodes = home, nodes
        self.env = dict(os.environ, SLURM_CONF=os.path.join(home, "slurm.conf"))
        for name in ("state", "spool", "log", "run", "dev"):
            os.makedirs(os.path.join(home, name))
        for i in range(gpus):
            with open(os.path.join(home, "dev", "gpu%d" % i), "w"):
                pass
        ports = free_ports(nodes + 1)
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
            "AccountingStorageType=accounting_storage/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core",
            "SchedulerType=sched/backfill", "ReturnToService=2",
            "SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,"
            "sched_interval=1,bf_interval=1",
            "GresTypes=gpu")
        yield from settings
        for i in range(self.nodes):
            yield ("NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d "
                   "CPUs=16 Boards=1 SocketsPerBoard=1 CoresPerSocket=16 "
                   "ThreadsPerCore=1 Gres=gpu:%d State=UNKNOWN"
                   % (i + 1, host, ports[i + 1], gpus))
        yield "PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP"

    def run(self, *argv, **more):
        return subprocess.run(argv, env=self.env, capture_output=True,
                              text=True, timeout=60, check=False, **more)

    def daemon(self, *argv):
        """Starts a program that goes to the background. Its output must not be
        a pipe: the program keeps the pipe open, so reading would never end."""
        subprocess.run(argv, env=self.env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=60, check=False)

    def start(self):
        self.daemon("slurmctld")
        for i in range(self.nodes):
            self.daemon("slurmd", "-N", "n%d" % (i + 1))
        states, end = [], time.monotonic() + 30
        while time.monotonic() < end and "slurmctld.pid" in os.listdir(
                os.path.join(self.home, "run")):
            states = self.run("sinfo", "-h", "-N", "-o", "%T").stdout.split()
            if states.count("idle") == self.nodes:
                return None
            time.sleep(0.1)
        with open(os.path.join(self.home, "log", "slurmctld.log"),
                  encoding="utf-8", errors="replace") as log:
            return "not up: %s\n%s" % (states, "".join(log.readlines()[-20:]))

    def stop(self):
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
