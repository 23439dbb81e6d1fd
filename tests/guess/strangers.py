# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd logs of jobs with their truth, written by one who had not seen how `trace
guess` works. LOGS has functions name(draw) -> (files, truth): files is a dict
{name: text}, whose first file is given to `guess`; truth has one row for each
job with GPUs that ended: (job_id, gpus, submit_unix_s, start_unix_s or None,
run_s)."""
import datetime
import heapq
import json

UTC = datetime.timezone.utc
USERS = ["amara", "bjorn", "chen", "dolores", "emeka", "farid", "greta", "hana"]


def jobs_of(draw, count=300, base=1712923200, sizes=(1, 1, 1, 2, 2, 4, 8, 8, 16),
            largest=None, zero=0.0):
    """Jobs of one cluster of 128 GPUs, first in, first out."""
    now, free, running, rows = base, 128, [], []
    head = base
    for i in range(count):
        now += max(1, int(draw.expovariate(1 / 420.0)))
        gpus = 0 if draw.random() < zero else draw.choice(sizes)
        if largest:
            gpus = min(gpus, largest)
        run = max(20, int(draw.lognormvariate(8.2, 1.4)))
        head = max(head, now)
        while running and running[0][0] <= head:
            free += heapq.heappop(running)[1]
        while free < gpus:
            end, back = heapq.heappop(running)
            head = max(head, end)
            free += back
        free -= gpus
        start = head + (draw.randrange(2, 9) if gpus else 1)
        heapq.heappush(running, (start + run, gpus))
        rows.append({"id": str(48210 + 3 * i), "user": draw.choice(USERS),
                     "gpus": gpus, "submit": now, "start": start,
                     "end": start + run, "run": run,
                     "state": "COMPLETED" if draw.random() < .8 else "FAILED"})
    return rows


def truth_of(rows, starts=True, name=lambda r: r["id"]):
    return [(name(r), r["gpus"], r["submit"], r["start"] if starts else None,
             r["run"]) for r in rows if r["gpus"] > 0]


def stamp(seconds, pattern="%Y-%m-%dT%H:%M:%S", zone=0):
    when = datetime.datetime.fromtimestamp(
        seconds, datetime.timezone(datetime.timedelta(hours=zone)))
    return when.strftime(pattern)


def span(seconds):
    days, rest = divmod(seconds, 86400)
    text = "%02d:%02d:%02d" % (rest // 3600, rest // 60 % 60, rest % 60)
    return "%d-%s" % (days, text) if days else text


def table(header, rows, sep=","):
    return "\n".join([sep.join(header)] + [sep.join(str(c) for c in row)
                                           for row in rows]) + "\n"


def sacct_all_fields(draw):
    rows, out = jobs_of(draw, zero=.1), []
    for r in rows:
        tres = "billing=%d,cpu=%d,mem=64G,node=1" % (r["gpus"] * 4 + 1, r["gpus"] * 8 + 4)
        if r["gpus"]:
            tres += ",gres/gpu:v100=%d,gres/gpu=%d" % (r["gpus"], r["gpus"])
        head = [r["id"], "train_%s" % r["user"], r["user"], "ml", "gpu", r["state"],
                stamp(r["submit"]), stamp(r["start"]), stamp(r["end"]), r["run"],
                tres, tres, "0:0"]
        out.append(head)
        for step in ("batch", "extern", "0"):
            out.append(["%s.%s" % (r["id"], step), step, "", "ml", "", r["state"],
                        stamp(r["start"]), stamp(r["start"]), stamp(r["end"]),
                        r["run"], "", tres, "0:0"])
    names = ("JobID|JobName|User|Account|Partition|State|Submit|Start|End|"
             "ElapsedRaw|ReqTRES|AllocTRES|ExitCode").split("|")
    return {"sacct.txt": table(names, out, "|")}, truth_of(rows)


def sacct_screen(draw):
    rows = jobs_of(draw)
    names = ["JobID", "User", "Submit", "Start", "End", "Elapsed", "State", "AllocTRES"]
    wide = [12, 9, 19, 19, 19, 10, 10, 44]
    lines = [" ".join(n.rjust(w) for n, w in zip(names, wide)) + " ",
             " ".join("-" * w for w in wide) + " "]
    for r in rows:
        cells = [r["id"], r["user"], stamp(r["submit"]), stamp(r["start"]),
                 stamp(r["end"]), span(r["run"]), r["state"],
                 "billing=9,cpu=16,gres/gpu=%d,mem=128G,node=1" % r["gpus"]]
        lines.append(" ".join(c.rjust(w) for c, w in zip(cells, wide)) + " ")
    return {"jobs_april.txt": "\n".join(lines) + "\n"}, truth_of(rows)


def sacct_gres_per_node(draw):
    rows, out = jobs_of(draw), []
    for r in rows:
        nodes = max(1, r["gpus"] // 8)
        out.append([r["id"], r["user"], stamp(r["submit"]), stamp(r["start"]),
                    span(r["run"]), r["state"], nodes,
                    "gpu:a100:%d" % (r["gpus"] // nodes)])
    names = ["JobIDRaw", "User", "Submit", "Start", "Elapsed", "State", "NNodes",
             "ReqGRES"]
    return {"sacct_old.psv": table(names, out, "|")}, truth_of(rows)


def sacct_commas(draw):
    rows = jobs_of(draw, zero=.2)
    out = [[r["id"], r["user"], "a100", r["state"] if r["state"] == "COMPLETED"
            else "CANCELLED by 1007", stamp(r["submit"]), stamp(r["start"]),
            stamp(r["end"]), r["gpus"] * 8 + 2, r["gpus"]] for r in rows]
    names = ["jobid", "user", "partition", "state", "submit", "start", "end",
             "ncpus", "ngpus"]
    return {"export.csv": table(names, out)}, truth_of(rows)


def slurm_jobcomp(draw):
    rows = jobs_of(draw)
    lines = ["JobId=%s UserId=%s(10%02d) GroupId=ml(500) Name=run.sh JobState=%s "
             "Partition=gpu TimeLimit=2880 StartTime=%s EndTime=%s NodeList=gn%02d "
             "NodeCnt=1 ProcCnt=%d WorkDir=/home/%s SubmitTime=%s EligibleTime=%s "
             "Tres=cpu=%d,gres/gpu=%d ExitCode=0:0"
             % (r["id"], r["user"], USERS.index(r["user"]), r["state"],
                stamp(r["start"]), stamp(r["end"]), draw.randrange(16), r["gpus"] * 8,
                r["user"], stamp(r["submit"]), stamp(r["submit"]), r["gpus"] * 8,
                r["gpus"]) for r in rows]
    return {"slurm_jobcomp.log": "\n".join(lines) + "\n"}, truth_of(rows)


def pbs_accounting(draw):
    rows, events = jobs_of(draw), []
    for r in rows:
        name = "%s.pbs01" % r["id"]
        events.append((r["submit"], "%s;Q;%s;queue=gpu" % (
            stamp(r["submit"], "%m/%d/%Y %H:%M:%S"), name)))
        nodes = max(1, r["gpus"] // 8)
        ask = ("user=%s group=ml jobname=fit queue=gpu ctime=%d qtime=%d etime=%d "
               "start=%d exec_host=%s Resource_List.ngpus=%d Resource_List.nodect=%d "
               "Resource_List.select=%d:ncpus=8:ngpus=%d Resource_List.walltime=48:00:00"
               % (r["user"], r["submit"], r["submit"], r["submit"], r["start"],
                  "+".join("gn%02d/0*8" % (k + 1) for k in range(nodes)), r["gpus"],
                  nodes, nodes, r["gpus"] // nodes))
        events.append((r["start"], "%s;S;%s;%s" % (
            stamp(r["start"], "%m/%d/%Y %H:%M:%S"), name, ask)))
        events.append((r["end"], "%s;E;%s;%s session=99 end=%d Exit_status=0 "
                       "resources_used.cput=00:10:00 resources_used.walltime=%s" % (
                           stamp(r["end"], "%m/%d/%Y %H:%M:%S"), name, ask, r["end"],
                           "%02d:%02d:%02d" % (r["run"] // 3600, r["run"] // 60 % 60,
                                               r["run"] % 60))))
    return ({"20240412": "\n".join(t for _, t in sorted(events)) + "\n"},
            truth_of(rows, name=lambda r: "%s.pbs01" % r["id"]))


def pbs_select(draw):
    rows, out = jobs_of(draw), []
    for r in rows:
        nodes = max(1, r["gpus"] // 8)
        out.append([r["id"] + ".hpc", r["user"], "gpuq", r["submit"], r["start"],
                    r["end"], '%d:ncpus=16:ngpus=%d' % (nodes, r["gpus"] // nodes), 0])
    names = ["Job_Id", "Job_Owner", "queue", "qtime", "stime", "mtime", "select",
             "Exit_status"]
    return ({"pbs_hist.csv": table(names, out)},
            truth_of(rows, name=lambda r: r["id"] + ".hpc"))


def lsf_bhist(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], "DONE" if r["state"] == "COMPLETED" else "EXIT",
            "gpu_long", stamp(r["submit"], "%b %d %H:%M:%S %Y"),
            stamp(r["start"], "%b %d %H:%M:%S %Y"),
            stamp(r["end"], "%b %d %H:%M:%S %Y"), r["gpus"] * 4, r["gpus"]]
           for r in rows]
    names = ["JOBID", "USER", "STAT", "QUEUE", "SUBMIT_TIME", "START_TIME",
             "FINISH_TIME", "SLOTS", "GPU_NUM"]
    return {"bhist_export.csv": table(names, out)}, truth_of(rows)


def lsf_json(draw):
    rows = jobs_of(draw)
    records = [{"JOBID": r["id"], "USER": r["user"],
                "STAT": "DONE" if r["state"] == "COMPLETED" else "EXIT",
                "QUEUE": "gpu", "SUBMIT_TIME": str(r["submit"]),
                "START_TIME": str(r["start"]), "FINISH_TIME": str(r["end"]),
                "RUN_TIME": "%d second(s)" % r["run"], "GPU_NUM": str(r["gpus"])}
               for r in rows]
    return ({"bjobs.json": json.dumps({"COMMAND": "bjobs", "JOBS": len(rows),
                                       "RECORDS": records}, indent=2)},
            truth_of(rows))


def kubernetes_pods(draw):
    rows, items = jobs_of(draw, sizes=(1, 1, 2, 4, 8)), []
    for r in rows:
        r["name"] = "train-%s-%s" % (r["user"], r["id"])
        items.append({
            "metadata": {"name": r["name"], "namespace": r["user"],
                         "creationTimestamp": stamp(r["submit"]) + "Z"},
            "spec": {"containers": [{"name": "main", "resources": {
                "limits": {"cpu": "8", "nvidia.com/gpu": str(r["gpus"])}}}]},
            "status": {"phase": "Succeeded", "startTime": stamp(r["start"]) + "Z",
                       "containerStatuses": [{"state": {"terminated": {
                           "startedAt": stamp(r["start"]) + "Z",
                           "finishedAt": stamp(r["end"]) + "Z"}}}]}})
    return ({"pods.json": json.dumps({"apiVersion": "v1", "kind": "List",
                                      "items": items}, indent=1)},
            truth_of(rows, name=lambda r: r["name"]))


def kubernetes_csv(draw):
    rows = jobs_of(draw, sizes=(1, 1, 2, 4, 8))
    for r in rows:
        r["name"] = "job-%s-%s" % (r["id"], "".join(draw.choice("bcdfghjkl") for _ in range(5)))
    out = [[r["name"], r["user"], stamp(r["submit"]) + "Z", stamp(r["start"]) + "Z",
            stamp(r["end"]) + "Z", r["gpus"], "%dm" % (r["gpus"] * 4000),
            "Succeeded" if r["state"] == "COMPLETED" else "Failed"] for r in rows]
    names = ["pod", "namespace", "created", "started", "finished",
             "nvidia.com/gpu", "cpu", "phase"]
    return ({"pods_q2.csv": table(names, out)},
            truth_of(rows, name=lambda r: r["name"]))


def grid_engine_accounting(draw):
    rows = jobs_of(draw, sizes=(1, 1, 2, 4, 8))
    lines = ["gpu.q:gn%02d:ml:%s:fit.sh:%s:sge:0:%d:%d:%d:0:0:%d:%d.0:1.5:0:0:0:0:0:0:0:"
             "0:0:0:0:0:0:0:NONE:defaultdepartment:NONE:8:0:10.5:0.1:0.2:-q gpu.q -l "
             "gpu=%d,h_vmem=32G -pe smp 8:0.0:NONE:0:0:0"
             % (draw.randrange(16), r["user"], r["id"], r["submit"], r["start"],
                r["end"], r["run"], r["run"] - 1, r["gpus"]) for r in rows]
    return {"accounting": "\n".join(lines) + "\n"}, truth_of(rows)


def grid_engine_csv(draw):
    rows = jobs_of(draw, sizes=(1, 1, 2, 4, 8))
    out = [[r["id"], r["user"], stamp(r["submit"], "%a %b %d %H:%M:%S %Y"),
            stamp(r["start"], "%a %b %d %H:%M:%S %Y"),
            stamp(r["end"], "%a %b %d %H:%M:%S %Y"), r["run"], 8,
            '"gpu=%d,h_vmem=32G"' % r["gpus"]] for r in rows]
    names = ["jobnumber", "owner", "qsub_time", "start_time", "end_time",
             "ru_wallclock", "slots", "hard_resources"]
    return {"qacct.csv": table(names, out)}, truth_of(rows)


def german_sheet(draw):
    rows = jobs_of(draw)
    for r in rows:  # the sheet has minutes
        for key in ("submit", "start", "end"):
            r[key] -= r[key] % 60
        r["end"] = max(r["end"], r["start"] + 60)
        r["run"] = r["end"] - r["start"]
    out = [[r["id"], r["user"], stamp(r["submit"], "%d.%m.%Y %H:%M"),
            stamp(r["start"], "%d.%m.%Y %H:%M"), stamp(r["end"], "%d.%m.%Y %H:%M"),
            r["gpus"], ("%.2f" % (r["run"] / 3600)).replace(".", ","),
            "fertig" if r["state"] == "COMPLETED" else "Fehler"] for r in rows]
    names = ["Auftrag", "Benutzer", "Eingereicht", "Gestartet", "Beendet",
             "Anzahl GPUs", "Laufzeit (h)", "Status"]
    return {"Auswertung.csv": "\ufeff" + table(names, out, ";")}, truth_of(rows)


def american_sheet(draw):
    rows = jobs_of(draw)
    mark = "%m/%d/%Y %I:%M:%S %p"
    out = [['"%s"' % r["id"], r["user"], stamp(r["submit"], mark),
            stamp(r["start"], mark), stamp(r["end"], mark), r["gpus"],
            '"$%s"' % format(int(r["gpus"] * r["run"] / 900), ",")] for r in rows]
    names = ["Job #", "Requested By", "Submitted At", "Started At", "Ended At",
             "# GPUs", "Cost"]
    return {"cluster usage.csv": table(names, out)}, truth_of(rows)


def french_base(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], stamp(r["submit"], "%Y-%m-%d %H:%M:%S"),
            stamp(r["start"], "%Y-%m-%d %H:%M:%S"),
            stamp(r["end"], "%Y-%m-%d %H:%M:%S"), r["gpus"], "terminé"] for r in rows]
    names = ["identifiant", "utilisateur", "soumission", "début", "fin", "nb_gpu",
             "état"]
    return {"taches.csv": table(names, out, ";")}, truth_of(rows)


def spanish_tabs(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], r["submit"], r["start"], r["end"], r["gpus"]]
           for r in rows]
    names = ["trabajo", "usuario", "enviado", "inicio", "fin", "tarjetas"]
    return {"trabajos.tsv": table(names, out, "\t")}, truth_of(rows)


def chinese_sheet(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], stamp(r["submit"], "%Y/%m/%d %H:%M:%S"),
            stamp(r["start"], "%Y/%m/%d %H:%M:%S"),
            stamp(r["end"], "%Y/%m/%d %H:%M:%S"), r["gpus"], "已完成"] for r in rows]
    names = ["作业ID", "用户", "提交时间", "开始时间", "结束时间", "GPU数", "状态"]
    return {"jobs.csv": table(names, out)}, truth_of(rows)


def own_base_milliseconds(draw):
    rows, out = jobs_of(draw), []
    for r in rows:
        nodes = max(1, r["gpus"] // 8)
        out.append([r["id"], r["user"], r["submit"] * 1000, r["start"] * 1000,
                    r["end"] * 1000, nodes, r["gpus"] // nodes, 64 * nodes, "done"])
    names = ["id", "owner", "created_at", "started_at", "finished_at", "num_nodes",
             "gpus_per_node", "total_cpus", "status"]
    return {"jobs_dump.csv": table(names, out)}, truth_of(rows)


def json_lines_waits(draw):
    rows = jobs_of(draw)
    lines = [json.dumps({"job": r["id"], "user": r["user"], "submit_ts": r["submit"],
                         "wait_s": r["start"] - r["submit"], "runtime_s": r["run"],
                         "gpus": r["gpus"], "tags": ["nightly"]}) for r in rows]
    return {"events.jsonl": "\n".join(lines) + "\n"}, truth_of(rows)


def json_by_id(draw):
    rows = jobs_of(draw)
    return ({"jobs.json": json.dumps({r["id"]: {
        "user": r["user"], "submitted": stamp(r["submit"]) + "+00:00",
        "started": stamp(r["start"]) + "+00:00",
        "ended": stamp(r["end"]) + "+00:00", "gpu_count": r["gpus"]}
        for r in rows})}, truth_of(rows))


def json_nested_list(draw):
    rows = jobs_of(draw)
    return ({"history.json": json.dumps([{
        "id": int(r["id"]), "spec": {"gpus": r["gpus"], "image": "torch:2"},
        "times": {"queued": r["submit"], "running": r["start"], "done": r["end"]}}
        for r in rows], indent=1)}, truth_of(rows))


def nanoseconds(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["submit"] * 10**9, r["start"] * 10**9, r["end"] * 10**9,
            r["gpus"]] for r in rows]
    names = ["task_id", "submit_ns", "start_ns", "end_ns", "gpu_num"]
    return {"tasks.csv": table(names, out)}, truth_of(rows)


def tracker_minutes(draw):
    rows = jobs_of(draw)
    for r in rows:
        r["run"] = max(60, r["run"] - r["run"] % 60)
    out = [["run-%s" % r["id"], stamp(r["submit"], "%Y-%m-%d %H:%M:%S"),
            r["run"] // 60, r["gpus"], "NVIDIA A100-SXM4-80GB", "finished"]
           for r in rows]
    names = ["run_id", "created", "duration_minutes", "gpu_count", "gpu_type", "state"]
    return ({"runs.csv": table(names, out)},
            truth_of(rows, starts=False, name=lambda r: "run-%s" % r["id"]))


def hours_from_zero(draw):
    rows = jobs_of(draw, base=0)
    for r in rows:  # in steps of 36 s = 0.01 h
        for key in ("submit", "start"):
            r[key] -= r[key] % 36
        r["run"] = max(36, r["run"] - r["run"] % 36)
    out = [[r["id"], "%.2f" % (r["submit"] / 3600),
            "%.2f" % ((r["start"] - r["submit"]) / 3600), "%.2f" % (r["run"] / 3600),
            r["gpus"]] for r in rows]
    names = ["job", "t_arrive_h", "queue_h", "run_h", "devices"]
    return {"sim_input.csv": table(names, out)}, truth_of(rows)


def row_for_each_node(draw):
    rows, out = jobs_of(draw), []
    for r in rows:
        nodes = max(1, r["gpus"] // 8)
        for k in range(nodes):
            out.append([r["id"], "node%03d" % ((int(r["id"]) + k) % 16),
                        r["gpus"] // nodes, stamp(r["submit"], "%Y-%m-%d %H:%M:%S"),
                        stamp(r["start"], "%Y-%m-%d %H:%M:%S"),
                        stamp(r["end"], "%Y-%m-%d %H:%M:%S")])
    names = ["job_id", "node", "gpus_on_node", "submit_time", "start_time", "end_time"]
    return {"allocations.csv": table(names, out)}, truth_of(rows)


def array_tasks(draw):
    rows = jobs_of(draw, largest=8)
    for i, r in enumerate(rows):
        r["name"] = "%d_%d" % (9000 + i // 6, i % 6)
    out = [[r["name"], r["user"], "gpu", stamp(r["submit"]), stamp(r["start"]),
            stamp(r["end"]), r["state"], "cpu=8,mem=32G,node=1,billing=8,gres/gpu=%d"
            % r["gpus"]] for r in rows]
    names = ["JobID", "User", "Partition", "Submit", "Start", "End", "State",
             "ReqTRES"]
    return ({"arrays.txt": table(names, out, "|")},
            truth_of(rows, name=lambda r: r["name"]))


def japanese_zone(draw):
    rows = jobs_of(draw)
    out = [[r["id"], stamp(r["submit"], "%Y-%m-%dT%H:%M:%S", 9) + "+09:00",
            stamp(r["start"], "%Y-%m-%dT%H:%M:%S", 9) + "+09:00",
            stamp(r["end"], "%Y-%m-%dT%H:%M:%S", 9) + "+09:00", "%d.0" % r["gpus"]]
           for r in rows]
    names = ["workload", "submission", "allocation_time", "completion",
             "requested_gpus"]
    return {"workloads.csv": table(names, out)}, truth_of(rows)


def wiki_table(draw):
    rows = jobs_of(draw)
    lines = ["| id | user | submitted | started | ended | gpus |",
             "|----|------|-----------|---------|-------|-----:|"]
    lines += ["| %s | %s | %s | %s | %s | %d |" % (
        r["id"], r["user"], stamp(r["submit"], "%Y-%m-%d %H:%M:%S"),
        stamp(r["start"], "%Y-%m-%d %H:%M:%S"), stamp(r["end"], "%Y-%m-%d %H:%M:%S"),
        r["gpus"]) for r in rows]
    return {"page.md": "\n".join(lines) + "\n"}, truth_of(rows)


def lists_of_devices(draw):
    rows = jobs_of(draw, sizes=(1, 1, 2, 4, 8))
    out = [[r["id"], r["user"], r["submit"], r["start"], r["end"], r["gpus"] * 6,
            '"%s"' % ",".join(str(k) for k in range(r["gpus"]))] for r in rows]
    names = ["job_id", "user", "submit_time", "start_time", "end_time", "cores",
             "gpu_ids"]
    return {"assignments.csv": table(names, out)}, truth_of(rows)


def unfinished_jobs(draw):
    rows, out = jobs_of(draw), []
    last = rows[-1]["submit"]
    ended = []
    for r in rows:
        if r["start"] > last:
            out.append([r["id"], r["user"], "PENDING", r["submit"], "", "", r["gpus"]])
        elif r["end"] > last:
            out.append([r["id"], r["user"], "RUNNING", r["submit"], r["start"], "",
                        r["gpus"]])
        else:
            out.append([r["id"], r["user"], r["state"], r["submit"], r["start"],
                        r["end"], r["gpus"]])
            ended.append(r)
    names = ["id", "user", "state", "submit", "start", "end", "gpus"]
    return {"snapshot.csv": table(names, out)}, truth_of(ended)


def many_gpu_columns(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], r["submit"], r["start"], r["end"],
            draw.choice((40, 80)), draw.randrange(100), r["gpus"], draw.randrange(8),
            "A100"] for r in rows]
    names = ["JobID", "Owner", "QueuedAt", "StartedAt", "FinishedAt", "gpu_mem_gb",
             "gpu_util_pct", "gpu_alloc", "gpu_index", "gpu_model"]
    return {"telemetry.csv": table(names, out)}, truth_of(rows)


def european_dates(draw):
    rows = jobs_of(draw)
    out = [[r["id"], stamp(r["submit"], "%d/%m/%Y %H:%M:%S"),
            stamp(r["start"], "%d/%m/%Y %H:%M:%S"),
            stamp(r["end"], "%d/%m/%Y %H:%M:%S"), r["gpus"]] for r in rows]
    names = ["Job", "Submitted", "Started", "Completed", "GPU cards"]
    return {"gpu_bookings.csv": table(names, out)}, truth_of(rows)


def days_of_excel(draw):
    rows, out = jobs_of(draw), []
    for r in rows:  # days since 1899-12-30, with enough digits for a second
        out.append([r["id"], "%.6f" % (25569 + r["submit"] / 86400),
                    "%.6f" % (25569 + r["start"] / 86400),
                    "%.6f" % (25569 + r["end"] / 86400), r["gpus"]])
    names = ["job", "submit date", "start date", "end date", "gpus"]
    return {"sheet1.csv": table(names, out)}, truth_of(rows)


def types_in_the_count(draw):
    rows, out = jobs_of(draw, sizes=(1, 1, 2, 4, 8)), []
    for r in rows:
        out.append([r["id"], r["user"], stamp(r["submit"]), stamp(r["start"]),
                    stamp(r["end"]), "%dx%s" % (r["gpus"], draw.choice(("A100", "V100")))])
    names = ["job", "who", "submitted", "began", "finished", "gpu"]
    return {"log.csv": table(names, out)}, truth_of(rows)


def spaced_columns(draw):
    rows = jobs_of(draw)
    lines = ["# gpu cluster, all jobs since April", "job user submit start stop gpus"]
    lines += ["%s %s %d %d %d %d" % (r["id"], r["user"], r["submit"], r["start"],
                                     r["end"], r["gpus"]) for r in rows]
    return {"joblog.txt": "\n".join(lines) + "\n"}, truth_of(rows)


LOGS = [sacct_all_fields, sacct_screen, sacct_gres_per_node, sacct_commas,
        slurm_jobcomp, pbs_accounting, pbs_select, lsf_bhist, lsf_json,
        kubernetes_pods, kubernetes_csv, grid_engine_accounting, grid_engine_csv,
        german_sheet, american_sheet, french_base, spanish_tabs, chinese_sheet,
        own_base_milliseconds, json_lines_waits, json_by_id, json_nested_list,
        nanoseconds, tracker_minutes, hours_from_zero, row_for_each_node, array_tasks,
        japanese_zone, wiki_table, lists_of_devices, unfinished_jobs,
        many_gpu_columns, european_dates, days_of_excel, types_in_the_count,
        spaced_columns]
