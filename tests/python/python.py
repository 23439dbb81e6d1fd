# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the Python package: its results equal the files of the program, and a
policy as a class, the environment, tables for pandas and notebooks, and the wheel
in an empty virtual environment work."""
import ast
import contextlib
import csv
import datetime
import importlib.util
import inspect
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, ROOT, Tap  # noqa: E402

BUILD = os.path.dirname(PROGRAM)
os.environ["SCHEDSIM_LIBRARY"] = os.path.join(BUILD, "lib", "libschedsim.so.1")
sys.path.insert(0, os.path.join(ROOT, "lib", "python"))
sys.dont_write_bytecode = True
import schedsim  # noqa: E402

TRACE = os.path.join(ROOT, "traces/samples/native.csv")
CLUSTER, JOBS = "8x8", 300


def run(policy, **options):
    return schedsim.run(TRACE, policy, CLUSTER, jobs=JOBS, **options)


class First(schedsim.Policy):
    """Starts jobs strictly in the order of arrival."""

    def decide(self, view):
        blocked = set()
        for job in view.waiting():
            if job.vc not in blocked and not view.start(job):
                blocked.add(job.vc)


class Shortest(schedsim.Policy):
    preempts = True

    def decide(self, view):
        for job in sorted(view.waiting(), key=lambda job: job.remaining):
            if view.start(job):
                continue
            for other in view.running():
                if other.gpus >= job.gpus and \
                        other.remaining > 2 * job.remaining and \
                        view.stop(other):
                    view.start(job)
                    break


class Idle(schedsim.Policy):
    def decide(self, view):
        pass


class Broken(schedsim.Policy):
    def decide(self, view):
        raise KeyError("mine")


def same(a, b):
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


def equal_jobs(one, other):
    return [name for name in one.jobs if not all(
        map(same, one.jobs[name], other.jobs[name]))]


def refuses(call, kind, words):
    try:
        call()
    except kind as error:
        return words in str(error)
    return False


def results(tap):
    result = run("srtf")
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([PROGRAM, "run", TRACE, "-p", "srtf", "-c", CLUSTER,
                        "-n", str(JOBS), "-q", "--out", out + "/program"],
                       check=True)
        result.write(out + "/library")
        bad = [name for name in ("jobs.csv", "series.csv", "summary.json")
               if read(out + "/program/" + name) !=
               read(out + "/library/" + name)]
        tap.result(not bad, "files that the library writes are those of the "
                   "program", bad)
        with open(out + "/program/jobs.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        summary = json.loads(read(out + "/program/summary.json"))
    bad = []
    for name, column in result.jobs.items():
        for row, cell in zip(rows, column):
            want = row[name]
            if column.is_number:
                want = float(want) if want else math.nan
            if not same(want, cell):
                bad.append((name, want, cell))
    tap.result(len(rows) == JOBS == len(result.jobs) and not bad,
               "columns are those of jobs.csv", bad[:5])
    tap.result(result.summary == summary, "the summary is summary.json")
    tap.result(result.metric("metrics.jct_s.mean") > 0 and
               refuses(lambda: result.metric("metrics.jct"), KeyError, "jct_s"),
               "metric finds a number, and names what there is")
    try:
        import numpy
    except ImportError:
        tap.skip("numpy takes a column without a copy", "no numpy")
        return
    column = result.jobs["turnaround_time"]
    array = numpy.asarray(column)
    tap.result(not array.flags.owndata and not array.flags.writeable and
               array[3] == column[3], "numpy takes a column without a copy")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def policies(tap):
    fifo = run("fifo")
    tap.result(equal_jobs(run(First()), fifo) == [],
               "a class that decides as fifo gives the jobs.csv of fifo",
               equal_jobs(run(First()), fifo))
    with tempfile.TemporaryDirectory() as out:
        run(First()).write(out + "/first")
        said = subprocess.run([PROGRAM, "verify", "--again", out + "/first"],
                              capture_output=True, text=True)
    tap.result(said.returncode == 2 and "no policy 'First'" in said.stderr,
               "a rerun misses the class that decided", said.stderr)
    shortest = run(Shortest())
    tap.result(shortest.complete and sum(shortest.jobs["preemptions"]) > 0,
               "a class may stop jobs", shortest)
    tap.result("mean=nan" in repr(run(Idle())) and not run(Idle()).complete,
               "a run in which no job ends has a text")
    tap.result(refuses(lambda: run(Broken()), KeyError, "mine"),
               "an error of a class reaches its caller")
    tap.result(refuses(lambda: run("fiffo"), schedsim.UsageError, "fifo"),
               "an unknown policy is refused with the nearest name")
    missing = all(refuses(lambda: schedsim.run("absent.csv"), kind, "absent.csv")
                  for kind in (schedsim.InputError, FileNotFoundError, ValueError))
    tap.result(missing and refuses(lambda: schedsim.load("absent"),
                                   FileNotFoundError, "absent"),
               "a missing trace is a FileNotFoundError")
    tap.result(refuses(lambda: run("fifo", seed="x"), ValueError, "'x'") and
               refuses(lambda: run("fifo", jobz=3), ValueError, "jobs"),
               "a wrong value is a ValueError")
    table = schedsim.compare(TRACE, ["fifo", First()], CLUSTER, jobs=JOBS)
    tap.result(list(table) == ["fifo", "First"] and len(
        set(str(values) for _, values in table.rows())) == 1 and
        "*" in repr(table), "compare has a row for each policy", table)
    alone = schedsim.compare(TRACE, "fifo", CLUSTER, jobs=JOBS)
    tap.result(list(alone) == ["fifo"] and "*" not in repr(alone),
               "one policy is a comparison of one, in which nothing is best")
    seen = []
    simulation = schedsim.Simulation(TRACE, "fifo", cluster=CLUSTER, jobs=JOBS)
    simulation.watch(lambda now, ended, jobs: seen.append((ended, jobs)))
    simulation.run()
    tap.result(seen[-1] == (JOBS, JOBS) and len(seen) > 50,
               "progress ends at all jobs", seen[-1:])


def stop(now, ended, jobs):
    raise KeyboardInterrupt


def stopping(tap):
    simulation = schedsim.Simulation(TRACE, "fifo", cluster=CLUSTER, jobs=JOBS)
    simulation.watch(stop)
    tap.result(refuses(simulation.run, KeyboardInterrupt, ""),
               "an exception of the watcher ends the run")


def closing(tap):
    """Checks that columns read from a run stay valid after the run is closed,
    and that a call on a closed run raises an error."""
    with schedsim.Simulation(TRACE, First(), cluster=CLUSTER,
                             jobs=JOBS) as simulation:
        view = simulation.view
        result = simulation.run()
        column = result.jobs["turnaround_time"]
        total = sum(column)
    again = run("srtf")  # would use memory that was freed too early
    tap.result(sum(column) == total and len(result.jobs) == JOBS and
               len(result.attempts) >= JOBS and view.waiting()[:] == [] and
               again.complete, "results outlive a closed simulation", total)
    tap.result(refuses(simulation.step, RuntimeError, "is closed") and
               refuses(lambda: simulation.set("seed", 1), RuntimeError,
                       "is closed"), "a closed simulation says that it is")


def episode(environment, seed):
    _, info = environment.reset(seed=seed)
    total, steps, ended = 0.0, 0, False
    while not ended:
        _, reward, ended, _, info = environment.step(info["mask"].index(True))
        total, steps = total + reward, steps + 1
    return total, steps, environment.result


def submitted(environment):
    """Plays an episode that has begun. Returns the facts of its jobs."""
    ended = False
    while not ended:
        _, _, ended, _, _ = environment.step(
            list(environment.action_masks()).index(True))
    return facts(environment.result.jobs)


def facts(jobs):
    """Returns the submissions, the run times and the GPUs of jobs."""
    return [tuple(jobs[name]) for name in (
        "submission_time", "duration", "requested_number_of_resources")]


def seeds(tap):
    trace = os.path.join(ROOT, "traces/samples/itp.csv")
    make = lambda i=0: schedsim.Environment(  # noqa: E731
        trace, k=8, cluster=CLUSTER, jobs=JOBS)

    def play(environment, **how):
        environment.reset(**how)
        return submitted(environment)
    every = facts(schedsim.run(trace, "fifo", CLUSTER).jobs)
    recorded = [part[:JOBS] for part in every]
    one, other = make(), make()
    tap.result(play(one) == play(one) == recorded and one.episode_seed is None,
               "without a seed an episode is the trace")
    first = [play(one, seed=7), play(one), play(one)]
    again = [play(other, seed=7), play(other), play(other)]
    tap.result(first == again, "a seed decides all episodes after it")
    sizes = [set(map(len, jobs)) for jobs in first]
    different = [first[0], first[1], first[2], recorded, play(one, seed=8)]
    tap.result(sizes == [{JOBS}] * 3 and all(
        a[part] != b[part] for i, a in enumerate(different)
        for b in different[:i] for part in range(3)),
        "episodes with different seeds have other jobs", sizes)
    near = [min(abs(math.log(time / old)) for old, wanted in
                zip(every[1], every[2]) if wanted == gpus)
            for time, gpus in zip(first[0][1], first[0][2])]
    tap.result(max(near) < 0.1, "each job of an episode is one of the trace, "
               "its run time changed by some per cent", max(near))
    tap.result(play(one, options={"resample": None}) == recorded,
               "an episode of the trace itself can be asked for after a seed")
    tap.result(play(one, seed=7) == first[0] and refuses(
        lambda: one.reset(seed=-1), Exception, "-1"),
        "a seed is a whole number of at least 0")
    vector = schedsim.Vector(make, 2)
    _, infos = vector.reset(seed=7)
    ends = [[], []]
    while min(map(len, ends)) < 2:
        _, _, ended, _, infos = vector.step(
            [info["mask"].index(True) for info in infos])
        for i, over in enumerate(ended):
            if over:
                ends[i].append(vector.environments[i].episode_seed)
    other.reset(seed=7)
    stream = [other.reset() and other.episode_seed for _ in range(2)]
    tap.result(ends[0][:2] == stream and ends[1][:2] != stream,
               "a vector goes on with the streams of its seeds", (ends, stream))
    vector.close()
    evidence = schedsim.Environment(os.path.join(
        ROOT, "traces/samples/evidence.csv"), cluster=CLUSTER)
    tap.result(refuses(lambda: evidence.reset(seed=1), schedsim.UsageError,
                       "cannot be resampled"),
               "a trace with evidence is not resampled")


def environments(tap):
    make = lambda i=0: schedsim.Environment(  # noqa: E731
        TRACE, k=8, cluster=CLUSTER, jobs=JOBS)
    environment = make()
    observation, info = environment.reset(seed=1)
    shape = (len(observation), len(observation[0]))
    tap.result(shape == environment.observation_space.shape == (9, 5) and
               environment.action_space.n == 9 == len(info["mask"]),
               "an observation has the shape of its space", shape)
    total, steps, result = episode(environment, 1)
    want = -result.metric("metrics.queue_delay_s.mean") * JOBS / 3600
    tap.result(result.complete and math.isclose(total, want, rel_tol=1e-9),
               "the reward of an episode is the queueing delay of its jobs",
               (total, want, steps))
    tap.result(episode(environment, 1)[:2] == (total, steps),
               "an episode with the same seed is the same")
    seeds(tap)
    # column 2 is remaining_s. At the first decision no job has ended, so nothing
    # can have been learned.
    first = [schedsim.Environment(TRACE, k=8, cluster=CLUSTER, jobs=JOBS,
                                  **more).reset(seed=1)[0][0][2]
             for more in ({}, {"estimators": "oracle"})]
    tap.result(not first[0] > 0 and first[1] > 0,
               "remaining_s is the truth only if the oracle is named", first)
    environment.reset()
    tap.result(refuses(lambda: environment.step(99), ValueError, "99"),
               "an action outside of the space is refused")
    impossible(tap, make)
    vector = schedsim.Vector(make, 3)
    _, infos = vector.reset(seed=5)
    finals = 0
    for _ in range(steps + 1):
        _, _, ended, _, infos = vector.step(
            [info["mask"].index(True) for info in infos])
        finals += sum("final" in info for info in infos)
    tap.result(finals == 3, "a vector begins new episodes by itself", finals)
    vector.close()


def impossible(tap, make):
    """Plays two environments. Where one tries an impossible action, the other
    waits; else both start the first job that fits."""
    one, other = make(), make()
    _, info = one.reset()
    other.reset()
    tried, ended, alike = 0, False, True
    while not ended:
        wrong = info["mask"].index(False) if not all(info["mask"]) else None
        action = info["mask"].index(True) if wrong is None or tried % 2 else wrong
        seen, reward, ended, _, info = one.step(action)
        want, earned, _, _, _ = other.step(8 if action == wrong else action)
        alike &= repr(seen) == repr(want) and reward == earned and info[
            "impossible"] == (action == wrong)
        tried += wrong is not None
    tap.result(alike and tried > 100,
               "an impossible action waits, and info says so", tried)
    space = one.action_space
    seen = {int(space.sample()) for _ in range(300)}
    masked = {int(space.sample(mask=one.action_masks().astype("int8")))
              for _ in range(9)} if hasattr(
        one.action_masks(), "astype") else {8}
    tap.result(seen == set(range(9)) and all(one.action_masks()[action]
                                             for action in masked),
               "a space gives random actions within a mask", (seen, masked))


GYMNASIUM = """
class Env:
    def reset(self, *, seed=None, options=None):
        Env.seeds = getattr(Env, "seeds", []) + [seed]
class spaces:
    class Box:
        def __init__(self, low, high, shape, dtype):
            self.shape = shape
    class Discrete:
        def __init__(self, n):
            self.n = n
"""
CHECKED = """
import warnings
import gymnasium.utils.env_checker as checker
import schedsim
for options in ({}, {"resample": 3, "seed": 3}):
    environment = schedsim.Environment(%r, k=4, cluster=%r, jobs=60, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # An observation has no bounds, and no spec says how it was made.
        warnings.filterwarnings("ignore", message=".*(infinity|a spec).*")
        checker.check_env(environment)
"""


def with_gymnasium(tap):
    code = """
import sys, types
module = types.ModuleType("gymnasium")
exec(%r, module.__dict__)
sys.modules["gymnasium"] = module
import schedsim
environment = schedsim.Environment(%r, k=4, cluster=%r, jobs=20)
environment.reset(seed=7)
assert isinstance(environment, module.Env) and module.Env.seeds == [7]
assert isinstance(environment.action_space, module.spaces.Discrete)
""" % (GYMNASIUM, TRACE, CLUSTER)
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True,
        env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "lib", "python")))
    tap.result(done.returncode == 0,
               "with gymnasium it is one of its environments", done.stderr)


def checker(tap):
    name = "gymnasium's own check_env finds no fault"
    done = subprocess.run(
        [sys.executable, "-B", "-c", CHECKED % (TRACE, CLUSTER)],
        capture_output=True, text=True,
        env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "lib", "python")))
    if "No module named 'gymnasium'" in done.stderr:
        tap.skip(name, "no gymnasium")
        return
    tap.result(done.returncode == 0, name, done.stderr)


def loading(tap):
    """Checks that what the program wrote is loaded as what the library gives."""
    result = run("srtf", faults="exponential:per_1000_node_days=300",
                 recovery="retry")
    with tempfile.TemporaryDirectory() as out:
        result.write(out + "/one")
        other = schedsim.load(out + "/one")
        other.write(out + "/copy")
        same_files = sorted(os.listdir(out + "/one")) == sorted(
            os.listdir(out + "/copy"))
        other.attempts, other.series  # before the files go
        subprocess.run([PROGRAM, "compare", TRACE, "-p", "srtf,fifo", "-c",
                        CLUSTER, "-n", str(JOBS), "-q", "--out", out + "/two"],
                       check=True, stdout=subprocess.DEVNULL)
        pair = schedsim.load(out + "/two")
        said = repr(pair)
        with open(out + "/grid.json", "w", encoding="utf-8") as file:
            json.dump({"trace": [TRACE], "cluster": [CLUSTER], "jobs": [50],
                       "policy": ["fifo", "srtf"]}, file)
        subprocess.run([PROGRAM, "sweep", out + "/grid.json", "-q", "--out",
                        out + "/sweep"], check=True,
                       stdout=subprocess.DEVNULL)
        sweep = schedsim.load(out + "/sweep")
        bad = [(name, column) for name in ("jobs", "attempts", "series")
               for column in result.table(name)
               if not columns_equal(result.table(name)[column],
                                    other.table(name)[column])]
    tap.result(not bad and other.summary == result.summary and same_files and
               list(other.jobs) == list(result.jobs),
               "a loaded result is the result that was written", bad[:5])
    tap.result(list(pair) == ["srtf", "fifo"] and
               said == repr(schedsim.compare(
                   TRACE, ["srtf", "fifo"], CLUSTER, jobs=JOBS)),
               "a folder of compare is loaded as a comparison", pair)
    tap.result(len(sweep) == 2 and list(sweep["policy"]) == ["fifo", "srtf"],
               "a sweep is loaded as the table of its runs", list(sweep))


def columns_equal(one, other):
    return (one.unit, one.help, one.is_number, len(one)) == (
        other.unit, other.help, other.is_number, len(other)) and all(
            map(same, one, other))


def options(tap):
    made = subprocess.run(
        [sys.executable, "-B", os.path.join(ROOT, "lib/python/make_options.py"),
         PROGRAM], capture_output=True, text=True)
    tap.result(made.stdout == read(os.path.join(
        ROOT, "lib/python/schedsim/options.py")),
        "options.py is what lib/python/make_options.py prints", made.stderr)
    names = schedsim.options.Options.__annotations__
    unknown = []
    for name in names:
        try:
            schedsim.Simulation(TRACE).set(name, "\n")
        except schedsim.UsageError as error:
            if "no option" in str(error):
                unknown.append(name)
    helps = [inspect.getdoc(call) for call in (
        schedsim.run, schedsim.compare, schedsim.Simulation)]
    tap.result(len(names) > 30 and not unknown and all(
        "\n    %s " % name in text or "\n%s " % name in text
        for name in names for text in helps),
        "help names each option, and the library knows it", unknown)
    joined = run("srtf", estimators=["oracle"], what_if=["x2 load", "-1 nodes"])
    tap.result(equal_jobs(joined, run("srtf", estimators="oracle",
                                      what_if="x2 load; -1 nodes")) == [],
               "a list is several values of one option")
    first = run("fifo", from_="2h")
    tap.result(len(first.jobs) == JOBS and first.jobs["job_id"][0] != "1",
               "from_ stands for the option from")
    tap.result(schedsim.__version__ == schedsim.version() and refuses(
        lambda: schedsim.nothing, AttributeError, "nothing"),
        "the package knows its version")


def frames(tap):
    """Checks traces that are columns, and tables for pandas and notebooks."""
    when = datetime.datetime(2024, 5, 1, tzinfo=datetime.timezone.utc)
    columns = {"submitted_unix_s": [when + datetime.timedelta(hours=i)
                                    for i in range(4)],
               "duration_s": [3600.0, 1800.5, 60, 7],
               "gpus": [8, 4, 8, 1], "job_id": ["a", "b", "c", "d"],
               "user": [None, "u", "u", ""]}
    result = schedsim.run(columns, "fifo", "1x8")
    tap.result(list(result.jobs["job_id"]) == ["a", "b", "c", "d"] and
               list(result.jobs["duration"]) == [3600, 1800.5, 60, 7] and
               list(result.jobs["submission_time"]) == [0, 3600, 7200, 10800],
               "a dict of columns is a trace", result)
    page = result.jobs._repr_html_() + schedsim.compare(
        columns, ["fifo", "srtf"], "1x8")._repr_html_() + result._repr_html_()
    tap.result(page.count("<table>") == 3 and "<th>job_id</th>" in page and
               "<td>srtf</td>" in page and "4 of 4 rows" in page,
               "tables, comparisons and results show as HTML", page)
    table = schedsim.compare(TRACE, ["srtf", "fifo"], CLUSTER, jobs=JOBS,
                             engine="horizon_s=100000")
    tap.result("*" not in repr(table) and not table["srtf"].complete,
               "nothing is best where other jobs finished", table)
    try:
        import pandas
    except ImportError:
        tap.skip("a DataFrame is a trace, and tables become one", "no pandas")
        return
    frame = pandas.DataFrame(columns)
    again = schedsim.run(frame, "fifo", "1x8")
    jobs = again.jobs.to_pandas()
    table = schedsim.compare(frame, ["fifo", "srtf"], "1x8").to_pandas()
    tap.result(equal_jobs(again, result) == [] and jobs.shape == (
        4, len(list(result.jobs))) and
        jobs["turnaround_time"].mean() == table["jct_s.mean"]["fifo"] and
        list(table.index) == ["fifo", "srtf"],
        "a DataFrame is a trace, and tables become one", table)


def notebook(tap):
    """Runs the cells of the notebook in order, and shows the last value of each."""
    name = "the cells of the notebook run"
    try:
        import pandas  # noqa: F401
    except ImportError:
        tap.skip(name, "no pandas")
        return
    path = os.path.join(ROOT, "lib/python/examples/schedsim.ipynb")
    cells = json.loads(read(path))["cells"]
    space, shown, before = {}, [], os.getcwd()
    os.chdir(os.path.dirname(path))  # as Jupyter does
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            tree = ast.parse("".join(cell["source"]))
            last = tree.body[-1]
            if isinstance(last, ast.Expr):
                tree.body[-1] = ast.copy_location(ast.Assign(
                    [ast.Name("_", ast.Store())], last.value), last)
            exec(compile(ast.fix_missing_locations(tree), path, "exec"), space)
            value = space.pop("_", None)
            for way in ("_repr_svg_", "_repr_html_", "__repr__"):
                if hasattr(value, way):
                    shown.append(getattr(value, way)())
                    break
    os.chdir(before)
    tap.result(len(cells) == 12 and shown[-1] == "True" and
               sum("<svg" in text for text in shown) == 1 and
               sum("<table" in text for text in shown) >= 6 and
               "600 jobs;" in printed.getvalue() and
               "100 steps" in printed.getvalue(), name,
               [text[:100] for text in shown])
    name = "nbconvert runs the notebook"
    if not all(map(importlib.util.find_spec, ("nbconvert", "ipykernel"))):
        tap.skip(name, "no nbconvert and ipykernel")
        return
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run(
            [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute",
             "--output-dir", work, "--ExecutePreprocessor.kernel_name=python3",
             path], capture_output=True, text=True,
            env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "lib/python")))
        tap.result(done.returncode == 0, name, done.stderr)


def agent(tap):
    """Trains one agent of the example, shorter than the page says."""
    name = "an agent learns in NumPy to wait less than fifo"
    try:
        import numpy  # noqa: F401
    except ImportError:
        tap.skip(name, "no numpy")
        return
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(
            ROOT, "lib/python/examples/policy_gradient.py"), "--seeds", "1",
         "--episodes", "80", "--tests", "4"], capture_output=True, text=True,
        env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "lib", "python")))
    ratios = [float(ratio) for ratio in re.findall(
        r"^agent, (?:seed \d+|not trained) +(\S+)", done.stdout, re.M)]
    tap.result(len(ratios) == 2 and 0 < ratios[1] < ratios[0] < 1, name,
               done.stdout + done.stderr)


def wheel(tap):
    """Installs the package as a user does, with the build that is tested."""
    python = "/usr/bin/python3"
    with tempfile.TemporaryDirectory() as work:
        clean = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        bin_ = work + "/venv/bin/"
        script = ("import schedsim; print(schedsim.run(%r, 'srtf', %r, "
                  "jobs=%d).metric('metrics.jct_s.mean'))"
                  % (TRACE, CLUSTER, JOBS))
        said = ""
        for command in ([python, "-m", "venv", work + "/venv"],
                        [bin_ + "pip", "install", "-q", "--no-index",
                         "--config-settings", "build=" + BUILD,
                         os.path.join(ROOT, "lib", "python")],
                        [bin_ + "python", "-c", script],
                        [bin_ + "schedsim", "--version"]):
            done = subprocess.run(command, capture_output=True, text=True,
                                  env=clean, cwd=work)
            said += done.stdout + done.stderr
            if done.returncode:
                break
        want = repr(run("srtf").metric("metrics.jct_s.mean"))
        tap.result(done.returncode == 0 and want in said and
                   "schedsim " + schedsim.version() in said,
                   "the wheel runs in an empty virtual environment", said)


def main():
    tap = Tap()
    for part in (results, policies, stopping, closing, loading, options, frames,
                 environments, with_gymnasium, checker, notebook, agent, wheel):
        part(tap)
    return tap.exit_status()


if __name__ == "__main__":
    sys.exit(main())
