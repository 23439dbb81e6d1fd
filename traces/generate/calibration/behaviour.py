# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of a calibration that say how jobs depend on each other: on
the last gap and the last day, on their user, on the end of the job before and
on what already runs. Each number has its source and a status:

measured   computed here from rows of the log
published  stands in a paper, its artifact or its figures
fitted     chosen so that generated traces meet measured or published figures
assumed    nothing is known of this cluster; the source says what was taken
"""

STATES = ["completed", "failed", "cancelled"]


def entry(value, source, status):
    return {"value": value, "source": source, "status": status}


def three(x):
    return float("%.3g" % x)


def section(source, status, **values):
    """Entries with one source and status; a pair (value, source, status)
    has its own."""
    return {name: entry(*value) if isinstance(value, tuple)
            else entry(value, source, status)
            for name, value in values.items()}


def people(measure, jobs, users, completion, gpu_time, source, status):
    """`users` and `completion` are entries; `gpu_time`: entry of [percent of
    users, percent of GPU time]."""
    a_day, active = measure.activity(jobs)
    out = {"n_users": users, "completion_beta": completion,
           "top_gpu_time": gpu_time}
    out.update(section(
        source, status, users_a_day=three(a_day), active_days=three(active),
        between_r2_gpus=three(measure.between_users(jobs, measure.log_gpus)),
        between_r2_duration=three(
            measure.between_users(jobs, measure.log_duration))))
    return out


def sessions(measure, jobs, source, status):
    mean, p99 = measure.sessions(jobs)
    return {
        "mean": entry(three(mean), source, status),
        "p99": entry(p99, source, status),
        "burst_share": entry(three(measure.burst_share(jobs)), source, status),
        "next": {
            "columns": ["p_hour", "p_5min", "gap_q25", "gap_q50", "gap_q75"],
            "value": {name: [three(v) for v in row] for name, row in
                      zip(STATES, measure.chains(jobs, len(STATES)))},
            "source": source, "status": status},
    }
