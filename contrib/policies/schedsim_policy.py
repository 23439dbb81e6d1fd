# SPDX-License-Identifier: GPL-3.0-or-later
"""A scheduling policy as a program: write a class, call run().

    import schedsim_policy

    class Fifo(schedsim_policy.Policy):
        def decide(self, state, plan):
            for vc in state.touched:
                plan.queue(state.waiting(vc))

    schedsim_policy.run(Fifo())

and then

    schedsim run TRACE --policy exec:"python3 fifo.py"

This file needs nothing but Python 3.8. docs/policy-protocol.md describes the
lines that it exchanges with the simulator, docs/policy-tutorial.md how to write
a policy. Times are whole microseconds since the start of the run. Print
messages to sys.stderr: standard output belongs to the simulator.
"""
import json
import sys

SECOND = 1000000
NEVER = None


class Job:
    """A job that was submitted.

    Facts from the simulator: id, gpus, vc, submitted_us; if known also
    gpu_type, declared_us, user, name, model, batch_size, deadline_us (a time),
    priority (text, as the trace writes it), cpus, mem_mib (of the whole job),
    kind. Beliefs:
    remaining_us, gpu_util, gpu_memory_mib; None if no estimator can tell.
    `mine` is for the policy to use."""
    __slots__ = ("id", "gpus", "vc", "submitted_us", "gpu_type", "declared_us",
                 "user", "name", "model", "batch_size", "deadline_us",
                 "priority", "cpus", "mem_mib", "kind", "starts",
                 "remaining_us", "gpu_util", "gpu_memory_mib", "state",
                 "started_us", "on", "attained_us", "mine")

    def __init__(self, facts):
        get = facts.get
        self.id = facts["id"]
        self.gpus = facts["gpus"]
        self.vc = facts["vc"]
        self.submitted_us = facts["submitted_us"]
        self.gpu_type = get("gpu_type")
        self.declared_us = get("declared_us")
        self.user = get("user")
        self.name = get("name")
        self.model = get("model")
        self.batch_size = get("batch_size")
        self.deadline_us = get("deadline_us")
        self.priority = get("priority")
        self.cpus = get("cpus")
        self.mem_mib = get("mem_mib")
        self.kind = get("kind")
        self.starts = 0
        self.state = "waiting"
        self.started_us = None
        self.on = None          # [[node, [gpu, ...]], ...] while it runs
        self.attained_us = 0    # GPU-microseconds of its ended attempts
        self.mine = None
        self.believe(facts)

    def believe(self, facts):
        get = facts.get
        self.remaining_us = get("remaining_us")
        self.gpu_util = get("gpu_util")
        self.gpu_memory_mib = get("gpu_memory_mib")

    def attained(self, now_us):
        """Returns the GPU-microseconds that the job has held until now_us."""
        held = now_us - self.started_us if self.on else 0
        return self.attained_us + held * self.gpus


class State:
    """What the policy may know.

    now_us: time of the decision. vcs: names of the virtual clusters. touched:
    numbers of the virtual clusters that changed since the last decision. jobs:
    by id. nodes, gpu_types: as the simulator describes them."""

    def __init__(self, begin):
        self.now_us = 0
        self.seed = begin["seed"]
        self.zero_us = begin["zero_us"]
        self.share_limit = begin["share_limit"]
        self.vcs = begin["vcs"]
        self.gpu_types = begin["gpu_types"]
        self.nodes = begin["nodes"]
        self.touched = []
        self.events = []
        self.jobs = {}
        self._free = [0] * len(self.vcs)
        # dicts, because they keep the order and remove a job in one step
        self._waiting = [{} for _ in self.vcs]
        self._running = [{} for _ in self.vcs]

    def free(self, vc):
        """Returns the number of GPUs of the virtual cluster that no job holds.
        """
        return self._free[vc]

    def waiting(self, vc):
        """Returns the waiting jobs, in the order in which they began to wait.
        """
        return self._waiting[vc].values()

    def running(self, vc):
        """Returns the running jobs, in the order of the starts of their
        attempts."""
        return self._running[vc].values()

    def _leave(self, job, at_us):
        self._waiting[job.vc].pop(job.id, None)
        if self._running[job.vc].pop(job.id, None):
            job.attained_us += (at_us - job.started_us) * job.gpus
            job.on = None

    def _wait(self, job, at_us):
        self._leave(job, at_us)
        job.state = "waiting"
        self._waiting[job.vc][job.id] = job

    def _start(self, job, on, at_us):
        self._leave(job, at_us)
        job.state = "running"
        job.starts += 1
        job.started_us = at_us
        job.on = on
        self._running[job.vc][job.id] = job

    def _move(self, move):
        """Applies an action of the last plan, at the time of that plan."""
        if "stopped" in move:
            self._wait(self.jobs[move["stopped"]], self.now_us)
        else:
            self._start(self.jobs[move["started"]], move["on"], self.now_us)

    def _event(self, event):
        facts, at_us = event.get("job"), event["at_us"]
        if event["event"] == "submitted":
            job = self.jobs.get(facts["id"])
            if job is None:
                job = self.jobs[facts["id"]] = Job(facts)
            else:
                job.believe(facts)
            self._wait(job, at_us)
            event["job"] = job
        elif event["event"] == "running":  # the run begins from a state
            job = event["job"] = self.jobs[facts["id"]] = Job(facts)
            self._start(job, event["on"], at_us)
        elif facts in self.jobs:  # news may come after the end of a job
            job = event["job"] = self.jobs[facts]
            state = event["state"]
            if event["event"] == "belief":
                job.believe(event)
            elif state == "waiting":
                job.believe(event)
                self._wait(job, at_us)
            elif state != "running":
                self._leave(job, at_us)
                job.state = state
                if state in ("finished", "given-up", "rejected"):
                    del self.jobs[job.id]

    def _update(self, message):
        for move in message["moves"]:
            self._move(move)
        self.now_us = message["now_us"]
        self.events = message["events"]
        for event in self.events:
            self._event(event)
        self.touched = []
        for vc in message["vcs"]:
            number = vc["vc"]
            self.touched.append(number)
            self._free[number] = vc["free"]
            for known in vc["running"]:
                if len(known) > 1:
                    self.jobs[known[0]].remaining_us = known[1]


class Plan:
    """The plan of one decision. The simulator carries out the actions in
    order. A plan that breaks a rule ends the run with the name of the rule."""

    def __init__(self, state):
        self._state = state
        self.actions = []

    def start(self, job, on=None):
        """Starts a job, which must fit. `on`: [[node, [gpu, ...]], ...]; None:
        the placer of the run chooses the GPUs."""
        action = {"start": job.id}
        if on:
            action["on"] = on
        self.actions.append(action)

    def queue(self, jobs):
        """Starts jobs of one virtual cluster in order until one does not fit.
        Looks at no more jobs than can fit."""
        self._list("queue", jobs, 1)

    def fill(self, jobs):
        """Starts each job that fits, in order."""
        self._list("fill", jobs, None)

    def _list(self, verb, jobs, spare):
        """Adds an action with a list of jobs. With `spare` set, the list ends
        before the first job that cannot fit any more: each job needs a GPU."""
        ids, free = [], None
        for job in jobs:
            if free is None and spare:
                free = self._state.free(job.vc)
                for action in self.actions:
                    if "stop" in action:  # a stop frees GPUs
                        free += self._state.jobs[action["stop"]].gpus
            if spare:
                free -= job.gpus
                if free < 0:
                    break
            ids.append(job.id)
        if ids:
            self.actions.append({verb: ids})

    def stop(self, job):
        self.actions.append({"stop": job.id})

    def share(self, job, resident=None, on=None):
        """Starts a job on GPUs that other jobs hold: on those of `resident`,
        or on the GPUs of `on`."""
        if resident is not None:
            self.actions.append({"share": job.id, "with": resident.id})
        else:
            self.actions.append({"share": job.id, "on": on})

    def wake_at(self, at_us):
        """Requests a decision at a time after now, even if nothing happens
        until then."""
        self.actions.append({"wake_us": at_us})

    def rest_until(self, at_us):
        """Requests no decision before a time, except at the next wake."""
        self.actions.append({"rest_until_us": at_us})


class Policy:
    """The base class of a policy.

    needs: the abilities that the run must grant: "duration" (beliefs on run
    times), "demand", "preempt" (to stop jobs), "share" (to share GPUs). asks:
    "possible": a decision is requested when a start can have become possible;
    "always": whenever something happens."""
    name = None
    needs = ()
    asks = "possible"

    def begin(self, state):
        """Called once, with the cluster, before the first job."""

    def decide(self, state, plan):
        raise NotImplementedError


def run(policy):
    """Answers the simulator until it closes standard input."""
    state = None
    read, out = sys.stdin.readline, sys.stdout
    loads, dumps = json.loads, json.JSONEncoder(separators=(",", ":")).encode
    while True:
        line = read()
        if not line:
            return
        message = loads(line)
        say = message["say"]
        if say == "decide":
            state._update(message)
            plan = Plan(state)
            policy.decide(state, plan)
            answer = {"number": message["number"], "plan": plan.actions}
        elif say == "hello":
            if message["protocol"] != 1:
                sys.exit("this helper speaks protocol 1 only")
            answer = {"protocol": 1, "needs": list(policy.needs),
                      "name": policy.name or type(policy).__name__.lower(),
                      "asks": policy.asks}
        else:
            state = State(message)
            policy.begin(state)
            answer = {"ready": True}
        out.write(dumps(answer) + "\n")
        out.flush()
