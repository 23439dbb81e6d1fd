# SPDX-License-Identifier: GPL-3.0-or-later
"""priorities.py PROGRAM: compares the policy multifactor with a real slurmctld.
A Slurm with slurmdbd and MariaDB, in a private directory and on the loopback,
runs jobs of eight users in six accounts at ten times the speed of the clock; 20
jobs wait. Shares and usage of `sshare`, factors and priorities of `sprio` must
be those of PROGRAM (priority_table.c) to the last digit that they print, with
fair tree and with the classic factor.

Settled here: Slurm 22.05 does not merge sibling accounts that tie, whatever its
page on fair tree says. The accounts e and f have equal shares and usage; the
factors are those of factor=fair-tree, not those of fair-tree-document. The
account added last comes first."""
import calendar
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import one_node  # noqa: E402
from tap import Tap  # noqa: E402

TABLE = sys.argv[1] if len(sys.argv) > 1 else "priority_table"
PROGRAMS = ("faketime", "mariadbd", "mariadb-install-db", "slurmdbd", "sacctmgr",
            "sshare", "sprio")
SPEED, CPUS, GPUS, TICK = 10, 32, 8, 60
WEIGHTS = {"Age": 10000, "Fairshare": 100000, "JobSize": 5000, "QOS": 1000}
SETTINGS = ("max_age_s=3600,half_life_s=1800,calc_period_s=60,bill_gpu=2,bill_cpu=1")
QOS = {"normal": 0, "low": 10, "mid": 50, "high": 100}
# account: parent, shares, users with shares
ACCOUNTS = {"a": ("root", 3, {"daemon": 1, "bin": 2}),
            "b": ("root", 1, {"sys": 1}),
            "d": ("b", 1, {"games": 1}),
            "c": ("root", 2, {"man": 1}),
            "e": ("root", 1, {"lp": 1, "mail": 1}),
            "f": ("root", 1, {"news": 1, "uucp": 1})}
ACCOUNT_OF = {user: name for name, row in ACCOUNTS.items() for user in row[2]}
# user, GPUs, CPUs, run time in seconds of the daemons
ENDED = [("daemon", 2, 4, 60), ("bin", 1, 2, 100), ("sys", 1, 1, 40),
         ("games", 2, 2, 80), ("man", 3, 3, 50)]
WAITING = 20
RUNNING = [("lp", 4, 4), ("news", 4, 4), ("man", 8, 8)]


def why_not():
    missing = [p for p in PROGRAMS if not shutil.which(p)]
    users = {u.pw_name for u in pwd.getpwall()}
    missing += sorted("the user " + u for u in ACCOUNT_OF if u not in users)
    if missing:
        return "not installed: " + ", ".join(missing)
    return one_node.why_not()


def write(path, *lines):
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    os.chmod(path, 0o600 if path.endswith("dbd.conf") else 0o644)


class Site:
    """Daemons in one faketime, because two would have different times."""

    def __init__(self, home, factor):
        self.home, self.factor, self.started = home, factor, []
        self.env = dict(os.environ, TZ="UTC",
                        SLURM_CONF=os.path.join(home, "slurm.conf"))
        for name in ("state", "spool", "log", "run", "dev"):
            os.makedirs(os.path.join(home, name))
        for i in range(GPUS):
            write(os.path.join(home, "dev", "gpu%d" % i))
        write(os.path.join(home, "gres.conf"),
              "Name=gpu File=%s/dev/gpu[0-%d]" % (home, GPUS - 1))
        self.ports = one_node.free_ports(5)
        write(os.path.join(home, "slurmdbd.conf"), *self.dbd_lines())
        write(self.env["SLURM_CONF"], *self.lines())

    def dbd_lines(self):
        yield from ("AuthType=auth/none", "DbdHost=localhost",
                    "DbdAddr=127.0.0.1", "DbdPort=%d" % self.ports[3],
                    "SlurmUser=root", "StorageType=accounting_storage/mysql",
                    "StorageHost=127.0.0.1", "StoragePort=%d" % self.ports[4],
                    "StorageUser=slurm", "StoragePass=slurm",
                    "StorageLoc=slurm_acct", "PidFile=%s/run/dbd" % self.home,
                    "LogFile=%s/log/dbd" % self.home)

    def lines(self):
        home, host = self.home, os.uname().nodename.split(".")[0]
        yield from (
            "ClusterName=ci", "SlurmctldHost=%s(127.0.0.1)" % host,
            "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/none",
            "CredType=cred/none",
            "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny",
            "SlurmctldPort=%d" % self.ports[0], "MinJobAge=100000",
            "SlurmctldPidFile=%s/run/ctld" % home,
            "SlurmctldLogFile=%s/log/ctld" % home, "SlurmctldDebug=verbose",
            "DebugFlags=Priority",
            "StateSaveLocation=%s/state" % home, "MessageTimeout=100",
            "SlurmdPidFile=%s/run/slurmd-%%n" % home, "SlurmdTimeout=0",
            "SlurmdLogFile=%s/log/slurmd-%%n" % home,
            "SlurmdSpoolDir=%s/spool/%%n" % home,
            "SlurmdParameters=config_overrides", "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none", "JobAcctGatherType=jobacct_gather/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core",
            "SchedulerType=sched/builtin", "ReturnToService=2", "GresTypes=gpu",
            "AccountingStorageType=accounting_storage/slurmdbd",
            "AccountingStorageHost=127.0.0.1", "AccountingStorageTRES=gres/gpu",
            "AccountingStoragePort=%d" % self.ports[3],
            "AccountingStorageEnforce=associations,limits,qos",
            "PriorityType=priority/multifactor", "PriorityCalcPeriod=1",
            "PriorityDecayHalfLife=30", "PriorityMaxAge=60")
        if self.factor == "classic":
            yield "PriorityFlags=NO_FAIR_TREE"
        yield from ("PriorityWeight%s=%d" % row for row in WEIGHTS.items())
        for i in (1, 2):
            yield ("NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d "
                   "CPUs=%d Boards=1 SocketsPerBoard=1 CoresPerSocket=%d "
                   "ThreadsPerCore=1 Gres=gpu:%d State=UNKNOWN"
                   % (i, host, self.ports[i], CPUS, CPUS, GPUS))
        yield ("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE "
               "State=UP TRESBillingWeights=CPU=1.0,GRES/gpu=2.0")

    def run(self, *argv, user=None):
        who = {} if user in (None, "root") else {
            "user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        done = subprocess.run(argv, env=self.env, capture_output=True, text=True,
                              timeout=60, check=False, cwd="/", **who)
        if done.returncode:
            raise RuntimeError("%s: %s%s" % (" ".join(argv), done.stdout,
                                             done.stderr))
        return done.stdout

    def popen(self, *argv):
        with open(os.path.join(self.home, "log", "daemons"), "a",
                  encoding="utf-8") as out:
            self.started.append(subprocess.Popen(
                argv, env=self.env, stdin=subprocess.DEVNULL, stdout=out,
                stderr=out, start_new_session=True))

    def until(self, what, limit_s=40):
        """Waits until what() is true, or does not fail."""
        end, why = time.monotonic() + limit_s, "no"
        while time.monotonic() < end:
            try:
                answer = what()
                if answer:
                    return answer
            except (RuntimeError, OSError) as error:
                why = error
            time.sleep(0.1)
        raise RuntimeError("waited in vain: %s" % why)

    def start(self):
        data = os.path.join(self.home, "data")
        self.run("mariadb-install-db", "--no-defaults", "--user=root",
                 "--auth-root-authentication-method=normal", "--skip-test-db",
                 "--datadir=" + data)
        write(os.path.join(self.home, "first.sql"),
              "CREATE USER slurm@'%' IDENTIFIED BY 'slurm';",
              "GRANT ALL ON slurm_acct.* TO slurm@'%';")
        self.popen("mariadbd", "--no-defaults", "--user=root",
                   "--datadir=" + data, "--bind-address=127.0.0.1",
                   "--port=%d" % self.ports[4], "--skip-name-resolve",
                   "--socket=%s/run/sql" % self.home,
                   "--init-file=%s/first.sql" % self.home)
        self.until(lambda: os.path.exists(self.home + "/run/sql"))
        go = os.path.join(self.home, "go")
        self.popen("faketime", "-f", "@2026-01-05 00:00:00 x%d" % SPEED,
                   "bash", "-c", "slurmdbd -D & until [ -e %s ]; do sleep 1; done;"
                   "slurmctld -D & for i in 1 2; do slurmd -D -N n$i & done; wait"
                   % go)
        self.until(lambda: self.run("sacctmgr", "-i", "add", "cluster", "ci"))
        self.add_accounts()
        write(go)
        self.until(lambda: self.run("sinfo", "-h", "-N", "-o",
                                    "%T").split() == ["idle", "idle"])

    def add_accounts(self):
        for name, priority in QOS.items():
            if name != "normal":
                self.run("sacctmgr", "-i", "add", "qos", name,
                         "priority=%d" % priority)
        for name, (parent, shares, users) in ACCOUNTS.items():
            self.run("sacctmgr", "-i", "add", "account", name, "cluster=ci",
                     "parent=" + parent, "fairshare=%d" % shares,
                     "qos=" + ",".join(QOS), "defaultqos=normal")
            for user, part in users.items():
                self.run("sacctmgr", "-i", "add", "user", user, "account=" + name,
                         "cluster=ci", "fairshare=%d" % part)

    def stop(self):
        for process in reversed(self.started):
            for sign in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(process.pid, sign)
                    process.wait(20)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    continue
                break

    def submit(self, user, gpus, cpus, seconds, *words):
        nodes = -(-gpus // GPUS)
        return self.run(
            "sbatch", "--parsable", "-J", "j", "-o", "/dev/null", "-D", "/",
            "--export=NONE", "-A", ACCOUNT_OF[user], "-N", str(nodes), "-n",
            str(nodes), "-c", str(cpus // nodes), "--gres=gpu:%d" % (gpus // nodes),
            *words, "--wrap", "exec sleep %g" % (seconds / SPEED),
            user=user).strip()

    def job(self, job):
        fields = dict(w.split("=", 1) for w in self.run(
            "scontrol", "show", "job", job).split() if "=" in w)
        when = {k: calendar.timegm(time.strptime(fields[k], "%Y-%m-%dT%H:%M:%S"))
                for k in ("StartTime", "EndTime", "AccrueTime")
                if fields[k].startswith("2")}
        return fields["JobState"], when

    def ticks(self):
        """The times at which Slurm computed usage and priorities."""
        with open(self.home + "/log/ctld", encoding="utf-8") as log:
            found = re.findall(r"\[(\S+)\.\d+\].*Decay factor over (\d+) sec",
                               log.read())
        return [(calendar.timegm(time.strptime(t, "%Y-%m-%dT%H:%M:%S")), int(n))
                for t, n in found]


def queue(site):
    """Lets jobs run, run on and wait. Returns the rows of a trace."""
    rows, waiting = [], []
    ended = [(row, site.submit(*row)) for row in ENDED]
    for row, job in ended:
        state, when = site.until(lambda j=job: (lambda s: s[0] == "COMPLETED" and s)(
            site.job(j)))
        rows.append((job, when["StartTime"], when["EndTime"] - when["StartTime"],
                     *row[:3], "normal", 0))
    running = [(row, site.submit(*row, 1e6, "-H")) for row in RUNNING]
    site.run("scontrol", "release", ",".join(job for _, job in running))
    for row, job in running:
        state, when = site.until(lambda j=job: (lambda s: s[0] == "RUNNING" and s)(
            site.job(j)))
        rows.append((job, when["StartTime"], 1000000, *row, "normal", 0))
    users = list(ACCOUNT_OF)
    for i in range(WAITING):
        user, qos = users[i % len(users)], list(QOS)[i * 7 % len(QOS)]
        gpus, nice = (16, 8, 1, 3, 5)[i % 5], i * 37 % 5 * 100
        row = (user, gpus, 2 + 2 * (i * 5 % 13))
        waiting.append((row, qos, nice, site.submit(
            *row, 60, "--qos=" + qos, "--nice=%d" % nice)))
    for row, qos, nice, job in waiting:
        accrued = site.until(lambda j=job: site.job(j)[1].get("AccrueTime"))
        rows.append((job, accrued, 100, *row, qos, nice))
    return rows


def write_input(home, rows, zero):
    for kind in ("qos", "nice"):
        lines = ["job_id,submitted_unix_s,duration_s,user,vc,gpus,cpus,priority",
                 "anchor,%d,0,root,,1,1," % zero]
        lines += ["%s,%d,%d,%s,%s,%d,%d,%d"
                  % (job, start, span, user, ACCOUNT_OF[user], gpus, cpus,
                     QOS[qos] if kind == "qos" else nice)
                  for job, start, span, user, gpus, cpus, qos, nice in rows]
        write(os.path.join(home, kind + ".csv"), *lines)
    accounts = [{"name": "root", "users": {"root": 1}}]
    accounts += [{"name": name, "parent": parent, "shares": shares, "users": users}
                 for name, (parent, shares, users) in ACCOUNTS.items()]
    with open(os.path.join(home, "cluster.json"), "w", encoding="utf-8") as out:
        json.dump({"nodes": [{"count": 2, "gpus": GPUS, "cpus": CPUS}],
                   "accounts": accounts}, out)


def table(home, kind, at, weights, more):
    """Returns priorities by job, and nodes of the tree by (word, job)."""
    policy = "multifactor:%s,trace_priority=%s,%s%s" % (
        SETTINGS, kind, ",".join("weight_%s=%d" % (k.lower(), v)
                                 for k, v in weights.items()
                                 if k != "QOS" or kind == "qos"), more)
    done = subprocess.run(
        [TABLE, os.path.join(home, kind + ".csv"), home + "/cluster.json", policy,
         str(at)], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    rows = [line.split() for line in done.stdout.splitlines()]
    return ({r[1]: int(r[2]) for r in rows if r[0] == "waits"},
            {(r[0] == "above", r[1]): [float(x) for x in r[3:]] for r in rows})


def leaf_of(rows, account, user):
    """Returns a job of the user, or of any user of the account."""
    return next((r[0] for r in rows
                 if r[3] == user or not user and ACCOUNT_OF[r[3]] == account), None)


def differing_shares(site, rows, at, more):
    """Yields 'whose: ours, that of sshare' for each number that differs."""
    _, nodes = table(site.home, "qos", at, WEIGHTS, more)
    for line in site.run("sshare", "-a", "-l", "-P", "-n", "-o",
                         "account,user,normshares,rawusage,normusage,effectvusage,"
                         "levelfs,fairshare").splitlines():
        account, user, *printed = [word.strip() for word in line.split("|")]
        job = leaf_of(rows, account, user)
        if not job:
            continue  # the root and its user, who has no job
        share, raw, norm, used, level, factor = nodes[(not user, job)]
        ours = ["%.6f" % share, "%d" % raw, "%.6f" % norm, "%.6f" % used,
                "inf" if level < 0 else "%.6f" % level,
                "%.6f" % factor if user else ""]
        for mine, slurm in zip(ours, printed):
            if mine != slurm:
                yield "%s/%s: %s, %s" % (account, user, mine, slurm)


class NotSteady(Exception):
    """A job began to wait after the tick, as when Slurm lost a node for a moment or
    took its time to let it accrue: the run cannot be compared."""


def differing_priorities(site, at, more):
    """Yields 'job: ours, that of sprio' for each priority that differs. A trace
    has one kind of priority, so that QOS and nice are compared in turn."""
    found = [line.split() for line in site.run(
        "sprio", "-h", "-o", "%i %Y %Q %N").splitlines()]
    qos, nice = (table(site.home, kind, at, WEIGHTS, more)[0]
                 for kind in ("qos", "nice"))
    if len(found) != WAITING:
        yield "sprio prints %d jobs" % len(found)
    for job, priority, of_qos, of_nice in found:
        if job not in qos:
            raise NotSteady
        pair = (qos[job] - int(of_nice), nice[job] + int(of_qos))
        if pair != (int(priority), int(priority)):
            yield "%s: %s, %s" % (job, pair, priority)


def differing_factors(site, at, more):
    """Yields the same for the factors, each of which is weighed alone."""
    found = [line.split() for line in site.run(
        "sprio", "-h", "-n", "-o", "%i %a %f %j %q").splitlines()]
    for i, name in enumerate(WEIGHTS):
        ours, _ = table(site.home, "qos", at,
                        {n: 10**9 if n == name else 0 for n in WEIGHTS}, more)
        for job, *factors in found:
            if job not in ours:
                raise NotSteady
            # A priority is at least 1, and cut, not rounded.
            if abs(ours[job] / 1e9 - float(factors[i])) > 0.5e-7 + 1e-9:
                yield "%s: %s %d, %s" % (job, name, ours[job], factors[i])


def next_tick(site):
    n = len(site.ticks())
    return site.until(lambda: len(site.ticks()) > n and site.ticks()[-1][0])


def is_steady(site, rows):
    """False if this run cannot be compared: a tick came late, because the
    machine was busy, or two jobs that must tie started a second apart."""
    lp, news = (r[1] for r in rows[len(ENDED):len(ENDED) + 2])
    return lp == news and all(n == TICK for _, n in site.ticks())


def compare(tap, site, rows, tick):
    zero = min(r[1] for r in rows)
    zero = tick - (tick - zero + TICK - 1) // TICK * TICK
    at, more = tick - zero, ",factor=" + site.factor
    write_input(site.home, rows, zero)
    found = {"priorities": differing_priorities(site, at, more),
             "factors": differing_factors(site, at, more)}
    if site.factor == "fair-tree":
        found["shares and usage"] = differing_shares(site, rows, at, more)
    found = {name: list(lines) for name, lines in found.items()}
    for name, lines in found.items():
        tap.result(not lines, "%s of 20 jobs, %s" % (name, site.factor),
                   "\n".join(lines))
    if site.factor == "fair-tree":
        merged = [line.split(":")[0] for line in differing_shares(
            site, rows, at, more + "-document")]
        tap.result(merged == ["e/lp", "e/mail", "f/news"],
                   "Slurm does not merge tied accounts", merged)


def attempt(tap, factor):
    """Returns false if the run of Slurm cannot be compared."""
    home = tempfile.mkdtemp()
    os.chmod(home, 0o755)  # the users of the jobs read slurm.conf
    site = Site(home, factor)
    try:
        site.start()
    except RuntimeError as error:
        print("# Slurm did not start: %s" % error)
        site.stop()
        shutil.rmtree(home, ignore_errors=True)
        return False
    try:
        rows = queue(site)
        tick = next_tick(site)
        steady = is_steady(site, rows)
        if steady:
            compare(tap, site, rows, tick)
        return steady
    except NotSteady:
        return False
    finally:
        site.stop()
        shutil.rmtree(home, ignore_errors=True)


def main():
    tap, why = Tap(), why_not()
    if why:
        print("# skipped: " + why)
        tap.skip("priorities of a real Slurm", why)
        return tap.exit_status()
    for factor in ("fair-tree", "classic"):
        if not any(attempt(tap, factor) for _ in range(3)):
            tap.result(False, "Slurm computes priorities each minute",
                       "three runs of Slurm had late ticks or did not start")
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
