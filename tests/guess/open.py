# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs in odd styles, each with its truth: see odd_logs.py."""
import datetime
import json

ZERO = 1714521600  # 2024-05-01 00:00:00 UTC
USERS = ["ann", "bob", "carla", "dmitri", "eve", "fatma"]


class Job:
    """The truth about one job. nodes: nodes of at most 8 GPUs."""

    def __init__(self, draw, number, submit):
        self.id = str(number)
        self.gpus = draw.choice([1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 32])
        self.submit = submit
        self.start = submit + draw.choice([0, 3, 20, 300, 4000])
        self.run = max(61, int(draw.lognormvariate(7.5, 1.5)))
        self.end = self.start + self.run
        self.nodes = max(1, self.gpus // 8)
        self.user = draw.choice(USERS)
        self.part = draw.choice(["gpu", "long"])
        self.ok = draw.random() < 0.8
        self.type = draw.choice(["a100", "a100", "h100"])


def jobs_of(draw, n=240, first=4001):
    submit, jobs = ZERO, []
    for i in range(n):
        submit += int(draw.expovariate(1 / 6000))
        jobs.append(Job(draw, first + i, submit))
    return jobs


def truth_of(jobs, start=True):
    return [(j.id, j.gpus, j.submit, j.start if start else None, j.run)
            for j in jobs]


def date(seconds, form="%Y-%m-%dT%H:%M:%S"):
    return datetime.datetime.fromtimestamp(
        seconds, datetime.timezone.utc).strftime(form)


def clock(seconds):
    days, rest = divmod(seconds, 86400)
    text = "%02d:%02d:%02d" % (rest // 3600, rest // 60 % 60, rest % 60)
    return "%d-%s" % (days, text) if days else text


def table(names, rows, sep=","):
    return "\n".join(sep.join(str(c) for c in row)
                     for row in [names, *rows]) + "\n"


def state(job):
    return "COMPLETED" if job.ok else "FAILED"


# Slurm

def sacct_types(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, j.part, date(j.submit), date(j.start), date(j.end),
             clock(j.run), state(j), "billing=%d,cpu=%d,gres/gpu:%s=%d,node=%d"
             % (j.gpus, 4 * j.gpus, j.type, j.gpus, j.nodes)) for j in jobs]
    return {"sacct.txt": table("JobID User Partition Submit Start End Elapsed "
                               "State AllocTRES".split(), rows, "|")}, \
        truth_of(jobs)


def slurm_commas(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, j.part, date(j.submit), date(j.start), date(j.end),
             j.gpus, state(j)) for j in jobs]
    return {"b.csv": table("JobID User Partition Submit Start End GPUs "
                           "State".split(), rows)}, truth_of(jobs)


def plain_ngpus(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, date(j.submit), date(j.start), date(j.end), j.gpus,
             state(j)) for j in jobs]
    return {"plain.csv": table("JobID Submit Start End NGPUS State".split(),
                               rows)}, truth_of(jobs)


def json_lines(draw):
    jobs = jobs_of(draw)
    return {"jobs.jsonl": "".join(json.dumps({
        "id": j.id, "owner": j.user, "gpus": j.gpus, "submitted": j.submit,
        "started": j.start, "finished": j.end, "status": state(j)}) + "\n"
        for j in jobs)}, truth_of(jobs)




def gres_nodes(draw):
    """Gres counts the GPUs of one node."""
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, date(j.submit), date(j.start), date(j.end),
             "gpu:a100:%d" % (j.gpus // j.nodes), j.nodes, state(j))
            for j in jobs]
    return {"g.csv": table("Job User Submitted Started Ended Gres Nodes "
                           "State".split(), rows)}, truth_of(jobs)


def gpus_each(draw):
    """A plain column that counts the GPUs of one node, which only the jobs of
    several nodes tell."""
    jobs = jobs_of(draw)
    rows = [(j.id, j.submit, j.start, j.end, j.gpus // j.nodes, j.nodes)
            for j in jobs]
    return {"g.csv": table("job submit start end gpus nodes".split(), rows)}, \
        truth_of(jobs)


def gpus_total(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.submit, j.start, j.end, j.gpus, j.nodes) for j in jobs]
    return {"g.csv": table("job submit start end gpus nodes".split(), rows)}, \
        truth_of(jobs)


def row_a_node(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, date(j.submit), date(j.start), date(j.end),
             "node%02d" % (k + 1), j.gpus // j.nodes)
            for j in jobs for k in range(j.nodes)]
    return {"n.csv": table("JobID User Submitted Started Finished Node "
                           "GPUs".split(), rows)}, truth_of(jobs)


def days_and_hours(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, "%.6f" % ((j.submit - ZERO) / 86400),
             "%.5f" % (j.run / 3600), j.gpus) for j in jobs]
    return {"d.csv": table("job_id arrival_day runtime_h num_gpus".split(),
                           rows)}, truth_of(jobs, False)


def requeued(draw, sep="|"):
    """sacct -D: a job that a node failed under has one row for each attempt."""
    jobs = jobs_of(draw)
    rows = []
    for j in jobs:
        first = j.submit
        if draw.random() < 0.1:
            lost = draw.randrange(100, 3000)
            rows.append((j.id, j.user, date(first), date(first + 5),
                         date(first + 5 + lost), clock(lost), "NODE_FAIL",
                         "cpu=4,gres/gpu=%d" % j.gpus))
            j.start += lost + 60
            j.end = j.start + j.run
            first = j.submit + 5 + lost
        rows.append((j.id, j.user, date(first), date(j.start), date(j.end),
                     clock(j.run), state(j), "cpu=4,gres/gpu=%d" % j.gpus))
    return {"d.txt": table("JobID User Submit Start End Elapsed State "
                           "AllocTRES".split(), rows, sep)}, truth_of(jobs)


def sacct_json(draw):
    jobs = jobs_of(draw)
    rows = [{"job_id": int(j.id), "user": j.user, "partition": j.part,
             "state": {"current": [state(j)], "reason": "None"},
             "time": {"submission": j.submit, "start": j.start, "end": j.end,
                      "elapsed": j.run},
             "tres": {"allocated": [
                 {"type": "cpu", "name": "", "count": 4},
                 {"type": "gres", "name": "gpu:" + j.type,
                  "count": j.gpus}]}} for j in jobs]
    for k in range(9):  # cancelled before they started
        rows.append({"job_id": 9000 + k, "user": "eve", "partition": "gpu",
                     "state": {"current": ["CANCELLED"]},
                     "time": {"submission": ZERO + k, "start": 0,
                              "end": ZERO + k + 5, "elapsed": 0},
                     "tres": {"allocated": [], "requested": [
                         {"type": "gres", "name": "gpu", "count": 4}]}})
    return {"s.json": json.dumps({"jobs": rows})}, truth_of(jobs)


def json_list(draw):
    jobs = jobs_of(draw)
    return {"l.json": json.dumps([{
        "jobid": j.id, "user": j.user, "ngpu": j.gpus, "submit_time":
        date(j.submit), "start_time": date(j.start), "end_time": date(j.end),
        "state": state(j)} for j in jobs], indent=1)}, truth_of(jobs)


def american(draw):
    jobs = jobs_of(draw)
    form = "%m/%d/%Y %I:%M %p"
    for j in jobs:
        j.submit, j.start = j.submit // 60 * 60, j.start // 60 * 60
        j.end = j.end // 60 * 60
        j.run = j.end - j.start
    rows = [(j.id, date(j.submit, form), date(j.start, form),
             date(j.end, form), j.gpus) for j in jobs]
    return {"a.csv": table(["Job ID", "Submit Time", "Start Time", "End Time",
                            "GPUs"], rows)}, truth_of(jobs)


def blanks(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, j.gpus, date(j.submit, "%Y-%m-%d %H:%M:%S"),
             date(j.start, "%Y-%m-%d %H:%M:%S"),
             date(j.end, "%Y-%m-%d %H:%M:%S")) for j in jobs]
    return {"b.txt": table("job user gpus submit start end".split(), rows,
                           "  ")}, truth_of(jobs)


def sacct_default(draw):
    """sacct without -P: columns of fixed width and a rule."""
    jobs = jobs_of(draw)
    names = "JobID User Submit Start End State ReqTRES".split()
    widths = [12, 9, 19, 19, 19, 10, 24]
    lines = [" ".join(n.rjust(w) for n, w in zip(names, widths)),
             " ".join("-" * w for w in widths)]
    for j in jobs:
        cells = (j.id, j.user, date(j.submit), date(j.start), date(j.end),
                 state(j), "cpu=4,gres/gpu=%d" % j.gpus)
        lines.append(" ".join(c.rjust(w) for c, w in zip(cells, widths)))
    return {"s.txt": "\n".join(lines) + "\n"}, truth_of(jobs)


def german(draw):
    jobs = jobs_of(draw)
    form = "%d.%m.%Y %H:%M:%S"
    rows = [(j.id, j.user, date(j.submit, form), date(j.start, form),
             ("%.4f" % (j.run / 3600)).replace(".", ","), "%dx %s" % (
                 j.gpus, j.type.upper()), "fertig") for j in jobs]
    return {"g.csv": table(["Auftragsnummer", "Benutzer", "Eingereicht am",
                            "Startzeit", "Laufzeit (Std)", "Grafikkarten",
                            "Zustand"], rows, ";")}, truth_of(jobs)


def french(draw):
    jobs = jobs_of(draw)
    form = "%d/%m/%Y %H:%M:%S"
    rows = [(j.id, date(j.submit, form), date(j.start, form),
             date(j.end, form), j.gpus, j.user) for j in jobs]
    return {"f.csv": table(["Numéro travail", "Date de soumission", "Début",
                            "Fin", "Nombre de GPU", "Utilisateur"], rows,
                           ";")}, truth_of(jobs)


def spanish(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, date(j.submit), date(j.start), clock(j.run), j.gpus)
            for j in jobs]
    return {"e.csv": table(["id_trabajo", "fecha_envío", "fecha_inicio",
                            "duración", "cantidad_gpus"], rows)}, \
        truth_of(jobs)


def chinese(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, date(j.submit), date(j.start), date(j.end), j.gpus,
             "已完成") for j in jobs]
    return {"c.csv": table(["作业号", "用户", "提交时间", "开始时间",
                            "结束时间", "GPU数", "状态"], rows)}, \
        truth_of(jobs)


def pbs(draw):
    jobs = jobs_of(draw)
    lines = []
    for j in jobs:
        head = date(j.end, "%m/%d/%Y %H:%M:%S")
        lines.append("%s;S;%s.srv;user=%s" % (date(j.start,
                     "%m/%d/%Y %H:%M:%S"), j.id, j.user))
        lines.append(
            "%s;E;%s.srv;user=%s group=g queue=%s ctime=%d qtime=%d etime=%d "
            "start=%d exec_host=n1/0 Resource_List.ngpus=%d "
            "Resource_List.nodect=%d session=1 end=%d Exit_status=0 "
            "resources_used.walltime=%s" % (
                head, j.id, j.user, j.part, j.submit, j.submit, j.submit,
                j.start, j.gpus, j.nodes, j.end, clock(j.run)))
    truth = [(i + ".srv", *rest) for i, *rest in truth_of(jobs)]
    return {"20240501": "\n".join(lines) + "\n"}, truth


def qacct(draw):
    jobs = jobs_of(draw)
    out = []
    for j in jobs:
        out.append("=" * 62)
        for name, value in (
                ("qname", j.part), ("owner", j.user), ("jobname", "train"),
                ("jobnumber", j.id),
                ("qsub_time", date(j.submit, "%a %b %d %H:%M:%S %Y")),
                ("start_time", date(j.start, "%a %b %d %H:%M:%S %Y")),
                ("end_time", date(j.end, "%a %b %d %H:%M:%S %Y")),
                ("slots", 4), ("failed", 0), ("exit_status", 0),
                ("ru_wallclock", j.run), ("gpus", j.gpus)):
            out.append("%-13s%s" % (name, value))
    return {"qacct.txt": "\n".join(out) + "\n"}, truth_of(jobs)


def lsf(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, j.part, "DONE", date(j.submit, "%Y/%m/%d-%H:%M:%S"),
             date(j.start, "%Y/%m/%d-%H:%M:%S"),
             date(j.end, "%Y/%m/%d-%H:%M:%S"), j.gpus) for j in jobs]
    return {"b.csv": table("JOBID USER QUEUE STAT SUBMIT_TIME START_TIME "
                           "FINISH_TIME NGPUS".split(), rows)}, truth_of(jobs)


def pods(draw):
    jobs = jobs_of(draw)
    items = [{"metadata": {"name": "job-" + j.id, "namespace": "ml",
                           "creationTimestamp": date(j.submit) + "Z"},
              "spec": {"containers": [{"name": "main", "resources": {
                  "limits": {"nvidia.com/gpu": str(j.gpus)}}}]},
              "status": {"phase": "Succeeded", "startTime": date(j.start) +
                         "Z", "containerStatuses": [{"state": {"terminated": {
                             "startedAt": date(j.start) + "Z",
                             "finishedAt": date(j.end) + "Z"}}}]}}
             for j in jobs]
    truth = [("job-" + i, *rest) for i, *rest in truth_of(jobs)]
    return {"pods.json": json.dumps({"apiVersion": "v1", "kind": "List",
                                     "items": items})}, truth


def sheet(draw):
    """A spreadsheet with a title, serial days and a total."""
    jobs = jobs_of(draw)
    lines = ["GPU usage 2024;;;;", ";;;;", "Job;Submitted;Started;Finished;GPUs"]
    lines += ["%s;%.6f;%.6f;%.6f;%d" % (
        j.id, *(25569 + t / 86400 for t in (j.submit, j.start, j.end)),
        j.gpus) for j in jobs]
    lines.append("Total;;;;%d" % sum(j.gpus for j in jobs))
    return {"s.csv": "\n".join(lines) + "\n"}, truth_of(jobs)


def psql(draw):
    jobs = jobs_of(draw)
    rows = [" %s | %s | %s | %s | %d" % (j.id, date(j.submit), date(j.start),
                                         date(j.end), j.gpus) for j in jobs]
    return {"q.txt": " id | created_at | started_at | finished_at | gpu_count\n"
            "----+------------+------------+-------------+----------\n" +
            "\n".join(rows) + "\n(%d rows)\n" % len(rows)}, truth_of(jobs)


def markdown(draw):
    jobs = jobs_of(draw)
    rows = ["| %s | %s | %d | %s |" % (j.id, date(j.submit), j.gpus,
                                       clock(j.run)) for j in jobs]
    return {"m.md": "| job | submitted | gpus | elapsed |\n|---|---|--:|---|\n"
            + "\n".join(rows) + "\n"}, truth_of(jobs, False)


def minutes(draw):
    """A run time in minutes, which only the start and the end tell."""
    jobs = jobs_of(draw)
    rows = [(j.id, date(j.submit), date(j.start), date(j.end),
             "%.2f" % (j.run / 60), j.gpus) for j in jobs]
    return {"m.csv": table("job submitted started ended runtime gpus".split(),
                           rows)}, truth_of(jobs)


def untold_unit(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, date(j.submit), "%.3f" % (j.run / 60), j.gpus)
            for j in jobs]
    return {"m.csv": table("job submitted runtime gpus".split(), rows)}, \
        truth_of(jobs, False)


def millis(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.submit * 1000, j.start * 1000, j.end * 1000,
             ",".join(str(k) for k in range(j.gpus))) for j in jobs]
    return {"m.tsv": table("uuid created started finished gpu_ids".split(),
                           rows, "\t")}, truth_of(jobs)


def logfmt(draw):
    jobs = jobs_of(draw)
    return {"l.log": "".join(
        "time=%sZ job=%s user=%s gpus=%d submitted=%d started=%d ended=%d\n" % (
            date(j.end), j.id, j.user, j.gpus, j.submit, j.start, j.end)
        for j in jobs)}, truth_of(jobs)


def commented(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.submit, j.run, j.gpus) for j in jobs]
    return {"c.csv": "# exported by cron\n# site: lab\n" + table(
        ["#job_id", "submit_time", "duration_seconds", "gpu_num"], rows)}, \
        truth_of(jobs, False)


def arrays(draw):
    """Tasks of arrays: users know them as 4001_7."""
    jobs = jobs_of(draw)
    rows, truth = [], []
    for k, j in enumerate(jobs):
        name = "%d_%d" % (5000 + k // 10, k % 10)
        rows.append((name, j.id, j.user, date(j.submit), date(j.start),
                     date(j.end), j.run, state(j), "gres/gpu=%d" % j.gpus))
        truth.append((name, j.gpus, j.submit, j.start, j.run))
    return {"a.txt": table("JobID JobIDRaw User Submit Start End ElapsedRaw "
                           "State ReqTRES".split(), rows, "|")}, truth


def worded(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, date(j.submit), "%dh %dm %ds" % (
        j.run // 3600, j.run // 60 % 60, j.run % 60),
        "%s x %d" % (j.type.upper(), j.gpus)) for j in jobs]
    return {"w.csv": table(["job", "submitted", "elapsed", "GPU"], rows)}, \
        truth_of(jobs, False)


def no_header(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, j.user, j.submit, j.start, j.end, j.gpus) for j in jobs]
    return {"n.csv": "\n".join(",".join(map(str, r)) for r in rows) + "\n"}, \
        truth_of(jobs)


def tres_column(draw):
    jobs = jobs_of(draw)
    rows = [(j.id, date(j.submit), date(j.start), date(j.end),
             '"cpu=8,mem=64G,gres/gpu=%d"' % j.gpus) for j in jobs]
    return {"t.csv": table("job submitted started ended tres".split(), rows)}, \
        truth_of(jobs)


LOGS = [sacct_types, slurm_commas, gres_nodes, row_a_node, days_and_hours,
        requeued, sacct_json, json_lines, json_list, american, blanks, german,
        tres_column, plain_ngpus, gpus_each, gpus_total, sacct_default, french,
        spanish, chinese, pbs, qacct, lsf, pods, sheet, psql, markdown,
        minutes, untold_unit, millis, logfmt, commented, arrays, worded,
        no_header]
