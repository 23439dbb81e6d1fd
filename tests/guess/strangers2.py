# SPDX-License-Identifier: GPL-3.0-or-later
"""More odd logs with their truth, written after those of strangers.py had been
read, by one who had not seen the code. LOGS is as odd_logs.py says."""
import json

from strangers import jobs_of, span, stamp, table, truth_of


def sacct_semicolons(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], "a100", r["submit"], r["start"], r["end"],
            "gres/gpu:a100=%d,cpu=32,mem=200G" % r["gpus"], r["state"]] for r in rows]
    return ({"slurm_export.csv": table(
        ["JobIDRaw", "User", "Partition", "Submit", "Start", "End", "AllocTRES",
         "State"], out, ";")}, truth_of(rows))


def sacct_minutes(draw):
    rows = jobs_of(draw)
    for r in rows:
        r["run"] = max(60, r["run"] // 60 * 60)
    out = [[r["id"], stamp(r["submit"]), stamp(r["start"]), r["run"] // 60, r["gpus"]]
           for r in rows]
    return ({"may.txt": table(["JobID", "Submit", "Start", "ElapsedMinutes", "GPUs"],
                              out, "|")}, truth_of(rows))


def pbs_json(draw):
    rows = jobs_of(draw)
    jobs = {"%s.head1" % r["id"]: {
        "Job_Name": "fit", "Job_Owner": r["user"] + "@login", "job_state": "F",
        "ctime": stamp(r["submit"], "%a %b %d %H:%M:%S %Y"),
        "stime": stamp(r["start"], "%a %b %d %H:%M:%S %Y"),
        "mtime": stamp(r["end"], "%a %b %d %H:%M:%S %Y"),
        "Resource_List": {"ncpus": 8, "ngpus": r["gpus"], "walltime": "24:00:00"},
        "resources_used": {"walltime": "%02d:%02d:%02d" % (
            r["run"] // 3600, r["run"] // 60 % 60, r["run"] % 60)}} for r in rows}
    return ({"qstat.json": json.dumps({"timestamp": 1, "pbs_version": "22",
                                       "Jobs": jobs}, indent=1)},
            truth_of(rows, name=lambda r: "%s.head1" % r["id"]))


def lsf_bacct_csv(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], "gpuq", stamp(r["submit"], "%Y/%m/%d-%H:%M:%S"),
            stamp(r["start"], "%Y/%m/%d-%H:%M:%S"),
            stamp(r["end"], "%Y/%m/%d-%H:%M:%S"),
            '"num=%d:mode=exclusive_process"' % r["gpus"]] for r in rows]
    return ({"bacct.csv": table(["JOBID", "USER", "QUEUE", "SUBMIT_TIME", "START_TIME",
                                 "FINISH_TIME", "GPU_REQ"], out)}, truth_of(rows))


def volcano_jobs(draw):
    rows = jobs_of(draw)
    lines = [json.dumps({"name": "vcjob-%s" % r["id"], "queue": "research",
                         "replicas": max(1, r["gpus"] // 8),
                         "gpusPerReplica": r["gpus"] // max(1, r["gpus"] // 8),
                         "creationTimestamp": stamp(r["submit"]) + "Z",
                         "startTime": stamp(r["start"]) + "Z",
                         "completionTime": stamp(r["end"]) + "Z"}) for r in rows]
    return ({"vcjobs.ndjson": "\n".join(lines) + "\n"},
            truth_of(rows, name=lambda r: "vcjob-%s" % r["id"]))


def prometheus_wide(draw):
    rows = jobs_of(draw)
    out = [[stamp(r["end"], "%Y-%m-%d %H:%M:%S"), r["user"], "wl-" + r["id"], r["gpus"],
            r["start"] - r["submit"], r["run"],
            stamp(r["submit"], "%Y-%m-%d %H:%M:%S")] for r in rows]
    return ({"grafana.csv": table(["Time", "user", "workload", "Value #gpus",
                                   "pending seconds", "running seconds", "created"],
                                  out)},
            truth_of(rows, name=lambda r: "wl-" + r["id"]))


def italian_sheet(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], stamp(r["submit"], "%d/%m/%Y %H:%M:%S"),
            stamp(r["start"], "%d/%m/%Y %H:%M:%S"), stamp(r["end"], "%d/%m/%Y %H:%M:%S"),
            r["gpus"]] for r in rows]
    return ({"lavori.csv": table(["lavoro", "utente", "inviato", "iniziato", "terminato",
                                  "numero GPU"], out, ";")}, truth_of(rows))


def portuguese_base(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], r["submit"], r["start"], r["run"], r["gpus"]]
           for r in rows]
    return ({"tarefas.csv": table(["tarefa", "usuario", "submetido", "inicio",
                                   "duracao_s", "gpus"], out)}, truth_of(rows))


def russian_sheet(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], stamp(r["submit"], "%d.%m.%Y %H:%M:%S"),
            stamp(r["start"], "%d.%m.%Y %H:%M:%S"), stamp(r["end"], "%d.%m.%Y %H:%M:%S"),
            r["gpus"]] for r in rows]
    return ({"zadachi.csv": table(["задача", "пользователь", "отправлено", "начало",
                                   "конец", "число GPU"], out, ";")}, truth_of(rows))


def japanese_sheet(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], stamp(r["submit"], "%Y/%m/%d %H:%M:%S"),
            stamp(r["start"], "%Y/%m/%d %H:%M:%S"), stamp(r["end"], "%Y/%m/%d %H:%M:%S"),
            r["gpus"]] for r in rows]
    return ({"jobs_ja.csv": table(["ジョブID", "ユーザー", "投入時刻", "開始時刻", "終了時刻",
                                   "GPU数"], out)}, truth_of(rows))


def korean_tabs(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], r["submit"], r["start"], r["end"], r["gpus"]]
           for r in rows]
    return ({"jobs_ko.tsv": table(["작업", "사용자", "제출시간", "시작시간", "종료시간",
                                   "GPU 개수"], out, "\t")}, truth_of(rows))


def polish_quotes(draw):
    rows = jobs_of(draw)
    out = [['"%s"' % c for c in (r["id"], r["user"], stamp(r["submit"], "%Y-%m-%d %H:%M:%S"),
                                 stamp(r["start"], "%Y-%m-%d %H:%M:%S"),
                                 stamp(r["end"], "%Y-%m-%d %H:%M:%S"), r["gpus"])]
           for r in rows]
    return ({"zadania.csv": table(['"zadanie"', '"użytkownik"', '"zgłoszono"',
                                   '"rozpoczęto"', '"zakończono"', '"liczba GPU"'],
                                  out, ";")}, truth_of(rows))


def swapped_columns(draw):
    """The first two time columns are of the accounting, not of the job."""
    rows = jobs_of(draw)
    out = [[stamp(r["end"] + 60), r["id"], r["gpus"], stamp(r["end"]), stamp(r["start"]),
            stamp(r["submit"])] for r in rows]
    return ({"audit.csv": table(["recorded_at", "job", "gpus", "end", "start", "submit"],
                                out)}, truth_of(rows))


def spans_in_words(draw):
    rows = jobs_of(draw)
    out = [[r["id"], stamp(r["submit"], "%Y-%m-%d %H:%M:%S"),
            "%dh %dm %ds" % ((r["start"] - r["submit"]) // 3600,
                             (r["start"] - r["submit"]) // 60 % 60,
                             (r["start"] - r["submit"]) % 60),
            "%dh %dm %ds" % (r["run"] // 3600, r["run"] // 60 % 60, r["run"] % 60),
            r["gpus"]] for r in rows]
    return ({"report.csv": table(["job", "submitted", "queue time", "run time", "GPUs"],
                                 out)}, truth_of(rows))


def spans_with_days(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["submit"], span(r["start"] - r["submit"]), span(r["run"]),
            r["gpus"]] for r in rows]
    return ({"usage.csv": table(["jobid", "submit_epoch", "wait", "elapsed", "ngpu"],
                                out)}, truth_of(rows))


def fractional_seconds(draw):
    rows = jobs_of(draw)
    out = [[r["id"], "%d.000" % r["submit"], "%d.000" % r["start"], "%d.000" % r["end"],
            "%d" % r["gpus"]] for r in rows]
    return ({"floats.csv": table(["job_id", "submit", "begin", "finish", "gpu_cnt"],
                                 out)}, truth_of(rows))


def iso_fractions(draw):
    rows = jobs_of(draw)
    out = [[r["id"], stamp(r["submit"]) + ".250Z", stamp(r["start"]) + ".250Z",
            stamp(r["end"]) + ".250Z", r["gpus"]] for r in rows]
    return ({"api.csv": table(["jobId", "submittedAt", "startedAt", "completedAt",
                               "numGpus"], out)}, truth_of(rows))


def nodes_of_eight(draw):
    """Whole nodes only: the log has node counts, and says 8 GPUs per node."""
    rows = jobs_of(draw, sizes=(8, 8, 16, 24))
    out = [[r["id"], r["user"], r["gpus"] // 8, 8, r["submit"], r["start"], r["end"]]
           for r in rows]
    return ({"capacity_blocks.csv": table(["job", "team", "nodes", "gpus/node", "submit",
                                           "start", "end"], out)}, truth_of(rows))


def event_log(draw):
    """One row for each event: no map of columns can read it."""
    rows, events = jobs_of(draw), []
    for r in rows:
        events += [(r["submit"], r["id"], "SUBMIT", r["gpus"]),
                   (r["start"], r["id"], "START", r["gpus"]),
                   (r["end"], r["id"], "END", r["gpus"])]
    return ({"events.csv": table(["time", "job", "event", "gpus"], sorted(events))},
            truth_of(rows))


def intervals_between(draw):
    """Arrivals as gaps to the job before."""
    rows, out, last = jobs_of(draw), [], None
    for r in rows:
        out.append([r["id"], 0 if last is None else r["submit"] - last, r["run"],
                    r["gpus"]])
        last = r["submit"]
    return ({"workload.csv": table(["job", "interarrival_s", "service_s", "gpus"], out)},
            truth_of(rows, starts=False))


def memory_not_gpus(draw):
    """No column has the number of GPUs."""
    rows = jobs_of(draw)
    out = [[r["id"], r["submit"], r["start"], r["end"], draw.choice((16, 32, 64)),
            draw.randrange(5, 100)] for r in rows]
    return ({"cpu_jobs.csv": table(["job", "submit", "start", "end", "cpus",
                                    "gpu_util"], out)}, truth_of(rows))


def two_types(draw):
    rows = jobs_of(draw)
    out = []
    for r in rows:
        v = draw.random() < .5
        out.append([r["id"], r["user"], stamp(r["submit"]), stamp(r["start"]),
                    stamp(r["end"]), r["gpus"] if v else 0, 0 if v else r["gpus"]])
    return ({"mixed.csv": table(["id", "user", "submitted", "started", "ended",
                                 "v100_gpus", "a100_gpus"], out)}, truth_of(rows))


def html_like_tsv(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], stamp(r["submit"], "%d-%b-%Y %H:%M:%S"),
            stamp(r["start"], "%d-%b-%Y %H:%M:%S"), stamp(r["end"], "%d-%b-%Y %H:%M:%S"),
            "%d GPU" % r["gpus"]] for r in rows]
    return ({"oracle_db.tsv": table(["JOB_NO", "OWNER", "SUBMIT_DT", "START_DT", "END_DT",
                                     "RESOURCE"], out, "\t")}, truth_of(rows))


def jobs_with_title(draw):
    rows = jobs_of(draw)
    out = [[r["id"], r["user"], r["submit"], r["start"], r["end"], r["gpus"], r["state"]]
           for r in rows]
    body = table(["Job", "User", "Queued", "Started", "Finished", "GPUs", "Status"], out)
    return ({"monthly.csv": "GPU cluster report, April 2024\nprepared by ops\n\n" + body},
            truth_of(rows))


LOGS = [sacct_semicolons, sacct_minutes, pbs_json, lsf_bacct_csv, volcano_jobs,
        prometheus_wide, italian_sheet, portuguese_base, russian_sheet, japanese_sheet,
        korean_tabs, polish_quotes, swapped_columns, spans_in_words, spans_with_days,
        fractional_seconds, iso_fractions, nodes_of_eight, event_log, intervals_between,
        memory_not_gpus, two_types, html_like_tsv, jobs_with_title]
