# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rows of a log show about dependences: between one gap and the next,
one day and the next, a user and the jobs, the end of a job and the next
submission. A job is (user, GPUs, duration, submit, state) with times in
seconds; the rows are in order of submission."""

import bisect
import math
from collections import Counter, defaultdict
from statistics import NormalDist

SESSION_S = 1800  # a longer pause between submissions ends a session
BURST_S = 60  # a longer gap ends a burst
BURST_JOBS = 10


def mean(values):
    return math.fsum(values) / len(values)


def variance(values):
    m = mean(values)
    return math.fsum((v - m) ** 2 for v in values) / len(values)


def cv(values):
    return math.sqrt(variance(values)) / mean(values)


def autocorrelation(values, lag=1):
    m, v = mean(values), variance(values)
    pairs = zip(values, values[lag:])
    return mean([(a - m) * (b - m) for a, b in pairs]) / v if v else 0.0


def normal_scores(values):
    """Returns the values' ranks as quantiles of the normal distribution; equal
    values get the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    out, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j < len(order) and values[order[j]] == values[order[i]]:
            j += 1
        score = NormalDist().inv_cdf((i + j) / 2 / len(order))
        for k in order[i:j]:
            out[k] = score
        i = j
    return out


def counts(times, width, start, end):
    """Returns the number of submissions in each whole window of `width`
    seconds."""
    out = [0] * int((end - start) // width)
    for t in times:
        i = int((t - start) // width)
        if 0 <= i < len(out):
            out[i] += 1
    return out


def dispersion(times, width, start, end):
    """Returns the index of dispersion: variance over mean of the counts."""
    n = counts(times, width, start, end)
    return variance(n) / mean(n)


def sessions(jobs):
    """Returns (mean, 99th percentile) of the jobs of a session: submissions of
    one user with pauses of at most SESSION_S."""
    last, length, out = {}, {}, []
    for user, _, _, at, _ in jobs:
        if user in last and at - last[user] <= SESSION_S:
            length[user] += 1
        else:
            if user in length:
                out.append(length[user])
            length[user] = 1
        last[user] = at
    out = sorted(out + list(length.values()))
    return mean(out), out[int(0.99 * len(out))]


def burst_share(jobs):
    """Returns the share of the jobs in runs of BURST_JOBS or more of one user
    with equal GPUs and gaps of at most BURST_S."""
    last, inside = {}, 0
    runs = []
    for user, gpus, _, at, _ in jobs:
        run = last.get(user)
        if run and run[0] == gpus and at - run[1] <= BURST_S:
            run[1], run[2] = at, run[2] + 1
        else:
            last[user] = run = [gpus, at, 1]
            runs.append(run)
    inside = sum(run[2] for run in runs if run[2] >= BURST_JOBS)
    return inside / len(jobs)


def chains(jobs, states):
    """Returns, by final state: [P(a submission of the same user and GPUs
    within an hour of the end), P(within five minutes), quartiles of that
    time]. The end is taken as submit + duration."""
    submits, ends = defaultdict(list), []
    for user, gpus, duration, at, state in jobs:
        submits[user, gpus].append(at)
        ends.append(((user, gpus), at, at + duration, state))
    waits = [[] for _ in range(states)]
    for key, at, end, state in ends:
        i = bisect.bisect_left(submits[key], max(end, at + 1))
        waits[state].append(submits[key][i] - end if i < len(submits[key])
                            else math.inf)
    out = []
    for wait in waits:
        hour = sorted(w for w in wait if w <= 3600)
        out.append([len(hour) / len(wait),
                    sum(1 for w in hour if w <= 300) / len(wait)] +
                   [float(hour[int(q * len(hour))])
                    for q in (0.25, 0.5, 0.75)])
    return out


def between_users(jobs, value):
    """Returns the share of the variance of value(job) that lies between
    users."""
    groups = defaultdict(list)
    for job in jobs:
        groups[job[0]].append(value(job))
    whole = [v for group in groups.values() for v in group]
    inner = math.fsum(variance(g) * len(g) for g in groups.values())
    return 1 - inner / (variance(whole) * len(whole))


def busiest_durations(jobs, top=5):
    """Returns, for each of the `top` busiest users, busiest first, the mean of
    the normal scores of the durations."""
    scores = normal_scores([job[2] for job in jobs])
    busiest = [u for u, _ in Counter(j[0] for j in jobs).most_common(top)]
    return [mean([z for z, job in zip(scores, jobs) if job[0] == user])
            for user in busiest]


def log_gpus(job):
    return math.log(job[1])


def log_duration(job):
    return math.log(max(job[2], 1))


def activity(jobs, top=20):
    """Returns (users that submit on a day, share of days on which one of the
    `top` busiest users submits), by days from the first submission."""
    start = jobs[0][3]
    days = int((jobs[-1][3] - start) // 86400) + 1
    seen = {(job[0], int((job[3] - start) // 86400)) for job in jobs}
    busiest = {u for u, _ in Counter(j[0] for j in jobs).most_common(top)}
    active = sum(1 for u, _ in seen if u in busiest)
    return len(seen) / days, active / (len(busiest) * days)


def beta_fit(edges, shares):
    """Returns the parameters (a, b) of the Beta distribution for which the
    shares between the edges are most likely."""
    def likelihood(a, b):
        n, total, mass = 400, 0.0, [0.0] * len(shares)
        scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        for i in range(n):
            x = (i + 0.5) / n
            p = math.exp(scale + (a - 1) * math.log(x) +
                         (b - 1) * math.log(1 - x)) / n
            mass[min(bisect.bisect_right(edges, x) - 1, len(mass) - 1)] += p
            total += p
        return math.fsum(s * math.log(m / total)
                         for s, m in zip(shares, mass))

    at, step = (1.0, 1.0), 1.5
    best = likelihood(*at)
    while step > 1.002:
        near = [(at[0] * f, at[1] * g) for f in (1 / step, 1, step)
                for g in (1 / step, 1, step)]
        top = max((likelihood(a, b), a, b) for a, b in near)
        if top[0] > best:
            best, at = top[0], top[1:]
        else:
            step = math.sqrt(step)
    return at


def dependence(times):
    """Returns how submissions depend on those before, from local times in
    seconds. gap_ac: autocorrelation of the normal scores of the gaps up to a
    day; day_cv, day_ac, week_cv: variation of the jobs of a day and of seven
    days and autocorrelation of the log of the former, once the mean rhythm of
    the week is taken out; hour_cv, hour_ac: the same of hours, relative to
    their day and the mean rhythm of the day, on days with 24 jobs or more;
    dispersion_WIDTH: index of dispersion of the jobs of WIDTH seconds."""
    gaps = [b - a for a, b in zip(times, times[1:]) if b - a <= 86400]
    start = math.ceil(times[0] / 86400) * 86400
    days = counts(times, 86400, start, times[-1])
    hours = counts(times, 3600, start, times[-1])[:24 * len(days)]
    weekday = [mean(days[i::7]) / mean(days) for i in range(7)]
    of_day = [mean(hours[i::24]) / mean(hours) for i in range(24)]
    level = [n / weekday[i % 7] for i, n in enumerate(days)]
    shape = [24 * n / (days[i // 24] * of_day[i % 24])
             for i, n in enumerate(hours) if days[i // 24] >= 24]
    weeks = [mean(level[i:i + 7]) for i in range(0, len(level) - 6, 7)]
    out = {"gap_ac": autocorrelation(normal_scores(gaps)),
           "hour_cv": cv(shape),
           "hour_ac": autocorrelation([math.log(n + 0.5) for n in shape]),
           "day_cv": cv(level),
           "day_ac": autocorrelation([math.log(n + 0.5) for n in level]),
           "week_cv": cv(weeks)}
    for width in (60, 600, 3600, 86400):
        out["dispersion_%d" % width] = dispersion(times, width, times[0],
                                                  times[-1])
    return out
