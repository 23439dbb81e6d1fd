# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of each section that behaviour.py does not write: measured,
published, fitted, assumed or unknown, as explained there."""

COLUMNS = ["philly", "philly-2017-all", "venus", "saturn", "seren", "kalos"]
M, P, F, A, U = "measured", "published", "fitted", "assumed", "unknown"
STATUS = {
    "cluster": [P, P, P, P, P, P],
    "arrivals.jobs_per_day": [M, F, P, P, P, P],
    "arrivals.hours": [M, A, P, P, A, A],
    "arrivals.weekdays_mon_to_sun": [M, A, M, A, A, A],
    "arrivals.gap_published": [M, A, M, A, F, F],
    "gpu_count": [M, P, P, P, P, P],
    "duration_cdf": [M, P, P, P, P, P],
    "states": [F, P, P, P, P, P],
    "kinds": [U, U, U, U, P, P],
    "gpu_time": [M, P, P, P, P, P],
    "joint": [F, F, F, F, F, F],
    "users": [A, A, F, A, A, A],
    "vcs": [M, F, F, U, U, U],
    "recurrence": [M, M, M, A, A, A],
    "attempts": [M, M, U, U, U, U],
    "causes": [P, P, A, A, P, P],
}


def add(out):
    """Gives every section its status. A number without source or status
    stops the derivation."""
    column = COLUMNS.index(out["name"])
    for path, row in STATUS.items():
        at = out
        for key in path.split("."):
            at = at[key]
        at["status"] = row[column]
    check(out, out["name"])
    return out


def check(value, path):
    if isinstance(value, dict) and "source" in value:
        if value.get("status") not in (M, P, F, A, U):
            raise ValueError(path + ": no status")
        value = {k: v for k, v in value.items() if isinstance(v, dict)
                 and "source" in v}
    if isinstance(value, dict):
        for key, inner in value.items():
            check(inner, path + "." + key)
    elif path.split(".")[-1] not in ("name", "workloads"):
        raise ValueError(path + ": no source")
