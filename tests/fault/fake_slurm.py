# SPDX-License-Identifier: GPL-3.0-or-later
"""A Slurm of two nodes of 8 GPUs, played by shell scripts in the folder in which
they are called: job 1 runs, and 21, 22 and 23 are held and marked for `drive`.
What is released runs at once. The file slurm/started has a line for each start,
slurm/twice one for each release of a job that was not held."""
import json
import os

HELD = ("21", "22", "23")
META = {"Slurm": {"version": {"major": 22, "micro": 8, "minor": 5}}}
CONF = """Configuration data as of 2026-01-05T08:00:00
PriorityType            = priority/basic
SchedulerType           = sched/backfill
"""
PARTITION = "PartitionName=main MaxTime=1-00:00:00 Nodes=n[1-2] State=UP\n"
COMMANDS = {
    "squeue": """cat slurm/head
for id in 21 22 23; do
    if [ -d slurm/$id.free ]; then cat slurm/$id.runs; else cat slurm/$id.held; fi
done
echo ']}'
""",
    "scontrol": """case "$*" in
release*)
    IFS=,
    for id in $2; do
        if mkdir slurm/$id.free 2>/dev/null; then echo $id >>slurm/started
        else echo $id >>slurm/twice; fi
    done;;
*nodes*) cat slurm/nodes;;
*config*) cat slurm/config;;
*partition*) cat slurm/partition;;
*reservation*) ;;
*) exit 1;;
esac
""",
}


def job(number, node="", first=0):
    """The record of a job of 4 GPUs, which runs if it has a node."""
    runs = bool(node)
    return dict(
        job_id=int(number), job_state="RUNNING" if runs else "PENDING",
        state_reason="None" if runs else "JobHeldUser", partition="main",
        user_name="ann", comment="schedsim", nice=None,
        priority=90 if runs else 0, batch_flag=True, requeue=True,
        restart_cnt=0, dependency="", eligible_time=0,
        submit_time=1767599000 + int(number),
        start_time=1767599400 if runs else 0, time_limit=60,
        tres_per_node="gres:gpu:4", nodes=node, node_count=1,
        gres_detail=["gpu:4(IDX:%d-%d)" % (first, first + 3)] if runs else [])


def write(*path, text):
    with open(os.path.join(*path), "w", encoding="utf-8") as out:
        out.write(text)


def make(folder):
    """Makes the commands, bin/, and what they print, slurm/; also held.json and
    nodes.json, which the commands print before anything is released."""
    for name in ("bin", "slurm"):
        os.makedirs(os.path.join(folder, name))
    for name, script in COMMANDS.items():
        write(folder, "bin", name, text="#!/bin/sh\n" + script)
        os.chmod(os.path.join(folder, "bin", name), 0o755)
    others = [job(1, "n1"), dict(
        job(31), state_reason="Resources", priority=50, comment="",
        time_limit=600, tres_per_node="gres:gpu:8", node_count=2)]
    write(folder, "slurm", "head", text='{"meta": %s, "jobs": [%s' % (
        json.dumps(META), json.dumps(others)[1:-1]))
    for number, node, gpu in zip(HELD, ("n1", "n2", "n2"), (4, 0, 4)):
        write(folder, "slurm", number + ".held",
              text=", " + json.dumps(job(number)))
        write(folder, "slurm", number + ".runs",
              text=", " + json.dumps(job(number, node, gpu)))
    nodes = json.dumps({"meta": META, "nodes": [
        dict(name=name, gres="gpu:8", gres_used="gpu:0", state="mixed",
             state_flags=[], partitions=["main"], reason="", cpus=16)
        for name in ("n1", "n2")]})
    write(folder, "slurm", "nodes", text=nodes)
    write(folder, "nodes.json", text=nodes)
    write(folder, "held.json", text=json.dumps(
        {"meta": META, "jobs": others + [job(number) for number in HELD]}))
    write(folder, "slurm", "config", text=CONF)
    write(folder, "slurm", "partition", text=PARTITION)


def env(folder):
    return {"PATH": os.path.join(folder, "bin") + ":/usr/bin:/bin"}


def lines(folder, name):
    try:
        with open(os.path.join(folder, "slurm", name), encoding="ascii") as text:
            return text.read().split()
    except FileNotFoundError:
        return []
