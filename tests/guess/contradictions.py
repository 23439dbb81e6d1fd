# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what `trace guess` says about logs whose values contradict a map or
leave it open: units, days and months, repeated ids, times that cannot be."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import PROGRAM, Tap  # noqa: E402


def log(header, line, n=3):
    """A header, and n rows: what line(i) returns, joined by commas."""
    rows = [",".join(str(cell) for cell in line(i)) for i in range(n)]
    return "\n".join([header] + rows) + "\n"


def at(s, day=1):
    """A date of May 2024, s seconds after the beginning of the day."""
    s += 86400 * (day - 1)
    return "2024-05-%02d %02d:%02d:%02d" % (
        1 + s // 86400, s // 3600 % 24, s // 60 % 60, s % 60)


RUN = "job_id,submit_time,start_time,end_time,gpus"
# (name, log, words that the answer must have)
CASES = [
    # Days and months.
    ("the day comes first if another column says so",
     log("submit_time,start_time,end_time,gpus", lambda i: (
         "05/04/2024 10:00:00", "05/04/2024 11:00:00", "13/04/2024 10:00:00",
         1)), ["date %d/%m/%Y %H:%M:%S"]),
    ("the month comes first if another column says so",
     log("submit_time,start_time,end_time,gpus", lambda i: (
         "04/05/2024 10:00:00", "04/05/2024 11:00:00", "04/13/2024 10:00:00",
         1)), ["date %m/%d/%Y %H:%M:%S"]),
    ("dates that come in order by one reading only",
     log("submit_time,duration_s,gpus", lambda i: (
         "0%d/0%d/2024 10:00:00" % (5 - i, i + 1), 60, 1)),
     ["date %d/%m/%Y %H:%M:%S"]),
    ("AM and PM follow a month",
     log("submit_time,duration_s,gpus", lambda i: (
         "05/04/2024 10:0%d:00 AM" % i, 60, 1)), ["%m/%d/%Y %I:%M:%S %p"]),
    ("days and months that nothing tells apart",
     log("submit_time,duration_s,gpus", lambda i: (
         "05/04/2024 10:0%d:00" % i, 60, 1)),
     ["whether the month or the day comes first; date="]),
    ("digits without a mark are a date",
     log("submit_time,duration_s,gpus", lambda i: (
         20240501100000 + i, 60, 1)), ["date %Y%m%d%H%M%S"]),
    # Units.
    ("days of a spreadsheet",
     log("submit_time,start_time,end_time,duration,gpus", lambda i: (
         45413.25 + i, 45413.5 + i, 45414.25 + i, 18, 1)),
     ["submit_time:d", "duration:h", "end - start agrees"]),
    ("a unit of run time that the ends contradict",
     log("submit_time,start_time,end_time,duration,gpus", lambda i: (
         at(60 * i), at(60 * i), at(60 * i + 7000), 1000, 1)),
     ["duration: a unit of it is 7 s by the start and the end of the jobs, "
      "which is no known unit; without duration="]),
    ("clocks that the ends contradict",
     log("submit_time,start_time,end_time,duration,gpus", lambda i: (
         at(60 * i), at(60 * i), at(60 * i + 7200), "01:00:00", 1)),
     ["duration: a unit of it is 2 s by the start"]),
    ("clocks of hours and minutes, by the ends",
     log("submit_time,start_time,end_time,elapsed,gpus", lambda i: (
         at(60 * i), at(60 * i), at(60 * i + 5400), "01:30", 1)),
     ["elapsed:hm", "the values are HH:MM"]),
    ("clocks of two numbers that nothing tells apart",
     log("submit_time,elapsed,gpus", lambda i: (at(60 * i), "01:30", 1)),
     ["elapsed: its values may be minutes and seconds or hours and minutes; "
      "duration=elapsed:clock or duration=elapsed:hm says it"]),
    ("times from an instant that is not told, with the unit of their name",
     log("submit_ms,start_ms,end_ms,gpus", lambda i: (
         1000 * i, 1000 * i + 500, 1000 * i + 900500, 1)),
     ["submit_ms:ms", "ms from an instant that the file does not tell"]),
    ("minutes of the first column hold for the next ones",
     log("submit_min,start,end,duration,gpus", lambda i: (
         i, i + 1, i + 61, 3600, 1)), ["start:min", "end:min"]),
    ("a unit of submissions that is not told",
     log("submit,duration_s,gpus", lambda i: (1000000 * i, 60, 1), 8),
     ["submit: its unit is not told, and as seconds the jobs would use"]),
    ("a unit of run times that is not told",
     log("submit_time,duration,gpus", lambda i: (at(60 * i), 5 + i % 3, 1), 30),
     ["duration: its unit is not told: half of the values are below 6 and the "
      "largest is 7"]),
    ("memory with its unit",
     log("submit_time,duration_s,gpus,memory", lambda i: (
         at(60 * i), 60, 1, "64G")), ["the values end with their unit"]),
    ("memory without a unit",
     log("submit_time,duration_s,gpus,memory", lambda i: (
         at(60 * i), 60, 1, 4096)),
     ["the unit of memory: taken as MiB; :gib or :b after the column"]),
    # States.
    ("a job that runs and has a run time",
     log("submit_time,duration_s,gpus,state", lambda i: (
         at(60 * i), 60, 1, "RUNNING" if i else "COMPLETED")),
     ["RUNNING = has not ended", "could not be told:", "'RUNNING'"]),
    # Ids that repeat.
    ("rows of one id at one time are its parts",
     log(RUN, lambda i: (i // 2, at(60 * (i // 2)), at(60 * (i // 2)),
                         at(3600), 4), 8),
     ["4 rows repeat an id at the same time: parts of one job, such as "
      "nodes"]),
    ("rows of one id that each have all of its GPUs",
     log(RUN, lambda i: (i // 2, at(60 * (i // 2)), at(60 * (i // 2)),
                         at(3600), 16), 8),
     ["rows repeat an id, its time and its GPUs, which are more than a node "
      "has"]),
    ("wide rows of one id that differ",
     log(RUN, lambda i: (i // 2, at(60 * (i // 2)), at(60 * (i // 2)),
                         at(3600), 16 + i), 8),
     ["4 rows repeat an id: 4 at the same time, 0 later, 0 overlapping; "
      "same=attempts, same=parts or same=first"]),
    ("rows of one id that overlap",
     log(RUN, lambda i: (i // 2, at(60 * i), at(60 * i), at(3600 + 60 * i),
                         4), 8),
     ["4 rows repeat an id: 0 at the same time, 0 later, 4 overlapping"]),
    # Times and demands that cannot be.
    ("jobs that end before they start",
     log("submit_time,start_time,end_time,gpus", lambda i: (
         at(60 * i), at(7200), at(60 + 60 * i), 1)),
     ["start_time and end_time: 3 of 3 jobs end before they start"]),
    ("jobs that start before they are submitted",
     log("submit_time,start_time,end_time,gpus", lambda i: (
         at(7200 + 60 * i), at(60 * i), at(14400), 1)),
     ["submit_time and start_time: 3 of 3 jobs start before they are "
      "submitted"]),
    ("waits below zero",
     log("submit_time,wait_s,duration_s,gpus", lambda i: (
         at(60 * i), -300, 60, 1)),
     ["submit_time and the waiting time: 3 of 3 jobs start before"]),
    ("run times below zero",
     log("submit_time,duration_s,gpus", lambda i: (at(60 * i), -300, 1)),
     ["submit_time and duration_s: 3 of 3 jobs end before they start"]),
    ("one time of submission",
     log("submit_time,duration_s,gpus", lambda i: (at(60), 600, 1), 8),
     ["submit_time: all jobs have one time of submission"]),
    ("submissions that tell days only",
     log("submit_time,duration_s,gpus", lambda i: (
         at(0, 1 + i), 40000, 1), 25),
     ["submit_time: it tells days only"]),
    ("jobs that run for no time",
     log("submit_time,duration_s,gpus", lambda i: (at(60 * i), 0, 1), 25),
     ["duration_s: 25 of 25 jobs run for no time"]),
    ("ends that are the starts",
     log("submit_time,start_time,end_time,gpus", lambda i: (
         at(60 * i), at(60 * i), at(60 * i), 1), 25),
     ["end_time: 25 of 25 jobs run for no time"]),
    ("a job of two years",
     log("submit_time,duration_s,gpus", lambda i: (at(60 * i), 63072000, 1)),
     ["duration_s: a job runs for 730 days"]),
    ("a job from one year to another",
     log("submit_time,start_time,end_time,gpus", lambda i: (
         at(60 * i), at(60 * i), at(60 * i).replace("2024", "2026"), 1)),
     ["end_time: a job runs for 730 days"]),
    ("jobs that would need more GPUs than any cluster has",
     log("submit_time,duration_s,gpus", lambda i: (at(i), 86400, 4096), 25),
     ["submit_time and duration_s: the jobs would use"]),
    ("the same by starts and ends",
     log("submit_time,start_time,end_time,gpus", lambda i: (
         at(i), at(i), at(86400), 4096), 25),
     ["submit_time and end_time: the jobs would use"]),
    ("a job of more GPUs than any has",
     log("submit_time,duration_s,gpus", lambda i: (at(60 * i), 60, 100000)),
     ["gpus: a job has 100000 GPUs; gpus= names another column"]),
    ("no job has a GPU",
     log("submit_time,duration_s,gpus", lambda i: (at(60 * i), 60, 0)),
     ["gpus: 3 of 3 rows have no GPU by it, and 0 have no run time"]),
    # Columns without names.
    ("four columns of times without names",
     log("a,b,c,d,e", lambda i: (at(i), at(i + 60), at(i + 90), at(i + 99), 4)),
     ["when a job was submitted: submit=COLUMN says it"]),
    ("three columns of times that come in no order",
     log("a,b,c,d", lambda i: (at(60), at(60 + (-1) ** i), at(90), 4), 4),
     ["when a job was submitted: submit=COLUMN says it"]),
    ("two columns that may count GPUs",
     log("when,a,b,duration_s", lambda i: (at(i), 4, 8, 60)),
     ["how many GPUs a job has"]),
    ("lists of GPUs without a name",
     log("when,a,duration_s", lambda i: (at(i), "gpu:a100:4", 60)),
     ["a:gres", "its values are Slurm's lists of GPUs"]),
    ("GPUs of a node, without a number of nodes",
     log("submit_time,duration_s,gpus_per_node", lambda i: (at(i), 60, 4)),
     ["gpus_per_node: it counts the GPUs of one node or worker, and no column "
      "says how many a job has; gpus=COLUMN*gpus_per_node says it"]),
    # Rows that cannot be read by the map.
    ("a row that the map cannot read",
     log("submit_time,duration_s,gpus", lambda i: (
         at(i % 60), 60, 4 if i < 1200 else "four"), 1300),
     ["1202:24: gpus: 'four' is not a number of GPUs"]),
]


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, text, words in CASES:
            with open(os.path.join(folder, "log.csv"), "w",
                      encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([PROGRAM, "trace", "guess", "log.csv"],
                                  cwd=folder, capture_output=True, text=True,
                                  timeout=60, check=False)
            said = " ".join((done.stdout + done.stderr).split())
            tap.result(all(" ".join(one.split()) in said for one in words)
                       and done.returncode in (0, 3), name,
                       "%s\n%s%s" % (words, done.stdout, done.stderr))
    sys.exit(tap.exit_status())


main()
