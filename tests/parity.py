#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares runs with results of another simulator, job by job.

usage: tests/parity.py KIND DIR [--policy P]... [--show N] [--program PATH]

KIND names the layout of DIR and the conventions to follow:
  lucid     DIR is a case (meta.json, trace.csv, vc_config.csv, results/P.csv)
            or a folder of cases
  tiresias  DIR holds summary.csv, traces/, clusters/ and jobs/

Every case is run with the matching --conventions. A job is equal if its first
start, its end, the time it waited and its number of preemptions are equal; for
lucid also its last placement. Prints a line per case and policy, and the first
jobs that differ; the exit status is 6 if any does.

Policy lucid of kind lucid: for each job, also compares whether it was profiled,
how long it waited for that, whether it ended there and whether it shared GPUs.
A virtual cluster that lends a node (vcYVn) has its nodes relabelled in the
reference: there, GPUs are compared and nodes are not.
"""
import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
from decimal import Decimal

# A job that was preempted thousands of times has a long list of attempts in one
# field.
csv.field_size_limit(1 << 24)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def rows(path):
    if not os.path.exists(path):
        path += '.gz'
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'rt', newline='') as f:
        return list(csv.DictReader(f))


class Job:
    """The compared values of a job. Times are exact seconds since the first
    submission."""

    def __init__(self, start, end, queue, preemptions, where=None,
                 more=None):
        self.values = (Decimal(start), Decimal(end), Decimal(queue),
                       int(preemptions))
        self.where = where
        self.more = more

    def __eq__(self, other):
        return (self.values == other.values and self.more == other.more and
                (self.where is None or other.where is None or
                 self.where == other.where))

    def __str__(self):
        words = zip(('start', 'end', 'queue', 'preemptions'), self.values)
        text = ' '.join(f'{w} {v}' for w, v in words)
        return (text + (f' on {self.where}' if self.where else '') +
                (f' {self.more}' if self.more else ''))


def run(program, trace, cluster, policy, rules, extra=()):
    """Runs the program. Returns the rows of jobs.csv by job id, and the counts
    of the summary."""
    with tempfile.TemporaryDirectory() as folder:
        description = os.path.join(folder, 'cluster.json')
        with open(description, 'w') as f:
            json.dump(cluster, f)
        out = os.path.join(folder, 'out')
        command = [program, 'run', trace, '--cluster', description, '--policy',
                   policy, '--conventions', rules, '--out', out, '--quiet', *extra]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'{" ".join(command)}\n{done.stderr.strip()}')
        ours = {row['job_id']: row for row in
                rows(os.path.join(out, 'jobs.csv'))}
        with open(os.path.join(out, 'summary.json')) as f:
            counts = json.load(f).get('counts', {})
        first = os.path.join(out, 'first_stage.csv')
        for row in rows(first) if os.path.exists(first) else ():
            ours[row['job_id']]['first'] = row
        return ours, counts


def our_job(row, place=None):
    where = place(row) if place else None
    return Job(row['starting_time'], row['finish_time'], row['queue_delay'],
               row['preemptions'], where)


class Report:
    def __init__(self, show):
        self.show, self.cases, self.differ = show, 0, 0

    def compare(self, case, policy, want, got):
        bad = [job for job in want if job not in got or want[job] != got[job]]
        self.cases += 1
        self.differ += bool(bad) or len(want) != len(got)
        times = sum(job not in got or
                    want[job].values[:2] != got[job].values[:2] for job in bad)
        print(f'{case}: {policy}: {len(want)} jobs, {len(bad)} differ' +
              (f', {times} of them in start or end' if bad else ''),
              flush=True)
        bad.sort(key=lambda job: want[job].values[0])
        for job in bad[:self.show]:
            print(f'  job {job}: expected {want[job]}')
            print(f'  {"":>{len(job) + 4}} got      {got.get(job, "nothing")}')

    def count(self, want, got):
        if want != got:
            self.differ += 1
            print(f'  promotions: expected {want}, got {got}')


LUCID_POLICIES = ['fifo', 'sjf', 'srtf', 'qssf', 'tiresias', 'lucid']


def lucid_policy(policy, zero):
    """Returns the policy with its settings. The rounds of tiresias begin at
    whole minutes of the trace's clock, not of the run's clock."""
    return f'tiresias:round_phase_s={-zero % 60}' if policy == 'tiresias' \
        else policy


def lucid_cluster(case):
    """Returns the cluster of a case. The order of the virtual clusters does
    not matter, because they share no nodes."""
    return {'nodes': [{'count': int(row['num']), 'gpus': 8, 'vc': row['']}
                      for row in rows(os.path.join(case, 'vc_config.csv'))]}


def lucid_place(cluster):
    """Returns a function that writes allocated_resources as node:GPUs, with
    nodes numbered within the virtual cluster."""
    first, total = {}, 0
    for group in cluster['nodes']:
        first[group['vc']] = total
        total += group['count']

    def place(row):
        nodes = {}
        for part in row['allocated_resources'].split():
            low, _, high = part.partition('-')
            for gpu in range(int(low), int(high or low) + 1):
                node = gpu // 8 - first[row['vc']]
                nodes.setdefault(node, []).append(str(gpu % 8))
        return ';'.join(f'{n}:{"".join(g)}' for n, g in sorted(nodes.items()))
    return place


def lucid_where(text):
    parts = [part.split(':') for part in text.split(';')]
    return ';'.join(f'{n}:{"".join(sorted(g))}'
                    for n, g in sorted(parts, key=lambda p: int(p[0])))


# How the reference changes a cluster, by the cluster's name. taken: nodes
# removed from each virtual cluster. profiler: nodes that profile. lender: the
# virtual cluster that lends one more node to the profiler while many jobs wait.
# epoch: Unix time of second 0 of the trace.
LUCID_MODES = {
    'Philly': {'taken': {'philly': 2}, 'profiler': 2, 'lender': None,
               'epoch': 1506816000, 'policy': 'lucid:profile_s=80,'
               'profile_max_gpus=4,sharing=on', 'estimates': 'floor_s=-100000000'},
    'Venus': {'taken': {'vc8Gr': 1, 'vcefl': 1}, 'profiler': 3,
              'lender': 'vcYVn', 'epoch': 1598918400,
              'policy': 'lucid:profile_s=200,profile_max_gpus=8,'
              'echo_vc=vcYVn', 'estimates': 'raised_s=1000'},
}
# Number of nodes added to a virtual cluster that lends. They are down from the
# start, and each comes into service once, in place of a node that was lent.
SPARE = 24


def lucid_pack_cluster(case, mode):
    nodes, changes, first = [], [], 0
    for group in lucid_cluster(case)['nodes']:
        group['count'] -= mode['taken'].get(group['vc'], 0)
        first += group['count']
        if group['vc'] == mode['lender']:
            changes = [{'at_s': 0, 'node': first + i, 'up': False}
                       for i in range(SPARE)]
            group['count'] += SPARE
            first += SPARE
        nodes.append(group)
    nodes.append({'count': mode['profiler'], 'gpus': 8, 'vc': 'profiler',
                  'profiler': True})
    return {'nodes': nodes, 'changes': changes}


def lucid_pack_ours(row, place, mode):
    """Converts a row of our result into a Job. The nodes of the profiler have
    the last numbers."""
    first = row.get('first')
    profiled = first is not None
    ended = profiled and first['ended'] == '1'
    waited = Decimal(first['starting_time']) - Decimal(
        row['submission_time']) if profiled else Decimal(0)
    where = place(dict(row, vc='profiler')) if ended else place(row)
    queue = Decimal(row['queue_delay']) + (0 if ended else waited)
    return Job(row['starting_time'], row['finish_time'], queue,
               row['preemptions'], lucid_pack_where(row, where, ended, mode),
               (f'profiled {int(profiled)} after {waited} ended {int(ended)} '
                f'shared {row["shared"]}'))


def lucid_pack_where(row, where, ended, mode):
    parts = [part.split(':') for part in where.split(';')]
    if ended:
        return ';'.join(f'{9999 if n == "2" else n}:{g}' for n, g in parts)
    if row['vc'] == mode['lender']:
        return ';'.join(sorted(g for _, g in parts))
    return where


def lucid_pack_want(row, zero, mode):
    ended = row['ended_in_profiler'] == '1'
    where = lucid_where(row['nodes'])
    if row['vc'] == mode['lender'] and not ended:
        where = ';'.join(sorted(part.split(':')[1]
                                for part in where.split(';')))
    shared = row['last_colocate_s'] or row['last_delocate_s'] or \
        row['final_exclusive'] == '0'
    return Job(int(row['start_s']) - zero, int(row['end_s']) - zero,
               row['queue_s'], row['preemptions'], where,
               f'profiled {row["profiled"]} after {row["profile_queue_s"]} '
               f'ended {row["ended_in_profiler"]} shared {int(bool(shared))}')


def lucid_mode(case):
    with open(os.path.join(case, 'meta.json')) as f:
        return LUCID_MODES[json.load(f)['mode']]


def lucid_pack_options(case, mode):
    """Returns the options that give a run the tables and the settings of the
    reference."""
    trace = os.path.join(case, 'trace.csv')
    tables = os.path.dirname(case)
    return [
        '--format', f'lucid:epoch_s={mode["epoch"]}',
        '--estimators', f'file:path={trace},column=est_lucid,'
        f'{mode["estimates"]},workload',
        '--workloads', f'trace:file={tables}/workload_profile.csv',
        '--interference', f'table:file={tables}/colocation_speed.csv,'
        'nearest=false,none=1,clip=false,self=listed',
        '--forecast', f'file:path={case}/throughput_pred.csv']


def lucid_pack(program, case, report, restore):
    """Compares policy lucid, with its first stage. The reference does not
    restore the speed of a job whose partner has left (A6). With `restore`, our
    run restores the speed, so that some jobs differ."""
    mode = lucid_mode(case)
    policy = mode['policy'] + (',later_alone=true' if restore else '')
    more = ['--time-law', 'countdown:later_stays_slow=false'] if restore else []
    trace = os.path.join(case, 'trace.csv')
    zero = min(int(row['submit_s']) for row in rows(trace))
    cluster = lucid_pack_cluster(case, mode)
    ours, _ = run(program, trace, cluster, policy, 'lucid',
                  lucid_pack_options(case, mode) + more)
    want = {row['job_id']: lucid_pack_want(row, zero, mode)
            for row in rows(os.path.join(case, 'results', 'lucid.csv'))}
    place = lucid_place(cluster)
    report.compare(os.path.basename(case), 'lucid', want,
                   {job: lucid_pack_ours(row, place, mode)
                    for job, row in ours.items()})


def lucid_case(program, case, policies, report, restore):
    trace = os.path.join(case, 'trace.csv')
    zero = min(int(row['submit_s']) for row in rows(trace))
    cluster = lucid_cluster(case)
    place = lucid_place(cluster)
    for policy in policies:
        if policy == 'lucid':
            lucid_pack(program, case, report, restore)
            continue
        want = {}
        for row in rows(os.path.join(case, 'results', policy + '.csv')):
            want[row['job_id']] = Job(
                int(row['start_s']) - zero, int(row['end_s']) - zero,
                row['queue_s'], row['preemptions'], lucid_where(row['nodes']))
        # the run time estimates that the reference used
        extra = ['--estimators', f'file:path={trace},column=est_qssf'
                 ] if policy == 'qssf' else []
        ours, _ = run(program, trace, cluster, lucid_policy(policy, zero),
                      'lucid', extra)
        report.compare(os.path.basename(case), policy, want,
                       {job: our_job(row, place) for job, row in ours.items()})


def lucid(program, folder, policies, report, restore):
    cases = [folder] if os.path.exists(os.path.join(folder, 'meta.json')) else [
        os.path.join(folder, name) for name in sorted(os.listdir(folder))
        if os.path.exists(os.path.join(folder, name, 'meta.json'))]
    if not cases:
        sys.exit(f'{folder}: holds no case (a folder with meta.json)')
    for case in cases:
        lucid_case(program, case, policies or LUCID_POLICIES, report, restore)


# Names of policies in the reference, and our names for them.
TIRESIAS_POLICIES = {
    'fifo': 'fifo',
    'fjf': 'fjf',
    'sjf': 'smallest',
    'shortest': 'srtf',
    'shortest-gpu': 'srsf',
}


def tiresias_policy(folder, case):
    """Converts a schedule of the reference, dlas[-gpu[-gittins][-K]], into a
    policy. K is the starvation factor; 05 means 0.5."""
    words = case['schedule'].split('-')
    if words[0] != 'dlas':
        return TIRESIAS_POLICIES.get(case['schedule'])
    spec = 'tiresias:queues=' + case['queue_limits'].replace('|', '/')
    if words[1:2] != ['gpu']:
        spec += ',service=time'
    if 'gittins' in words:
        samples = f'yarn-gput{case["gittins_samples"]}.csv'
        spec += ',index=simulator,samples=' + os.path.join(
            folder, 'gittins', samples)
    if words[-1].isdigit():
        spec += ',promote=' + words[-1].replace('05', '0.5')
    return spec


def tiresias_cluster(path):
    spec = rows(path)[0]
    return {'nodes': [{'count': int(spec['num_node_p_switch']),
                       'gpus': int(spec['num_gpu_p_node']), 'rack': rack}
                      for rack in range(int(spec['num_switch']))]}


def tiresias(program, folder, policies, report, _):
    for case in rows(os.path.join(folder, 'summary.csv')):
        schedule = case['schedule']
        policy = tiresias_policy(folder, case)
        wanted = schedule in policies if policies else policy
        if not wanted or case['early_ended_jobs'] != '0':
            continue  # the reference ends some jobs before their work is done
        trace = os.path.join(folder, 'traces', case['trace'] + '.csv')
        zero = min(int(row['submit_time']) for row in rows(trace))
        cluster = tiresias_cluster(
            os.path.join(folder, 'clusters', case['cluster'] + '.csv'))
        want = {row['job_id']: Job(int(row['start_time']) - zero,
                                   int(row['end_time']) - zero,
                                   row['pending_time'], row['preempt'])
                for row in rows(os.path.join(folder, 'jobs',
                                             case['run'] + '.csv'))}
        rules = 'tiresias' if case['scheme'] == 'count' else 'tiresias-yarn'
        ours, counts = run(program, trace, cluster, policy, rules)
        report.compare(case['run'], schedule, want,
                       {job: our_job(row) for job, row in ours.items()})
        report.count(int(case['promotions']), counts.get('promotions', 0))


KINDS = {'lucid': lucid, 'tiresias': tiresias}


def main():
    parser = argparse.ArgumentParser(
        description='Compares runs with what another simulator computed.')
    parser.add_argument('kind', choices=KINDS)
    parser.add_argument('dir')
    parser.add_argument('--policy', action='append', default=[],
                        help='of the reference; default: all that are there')
    parser.add_argument('--restore', action='store_true',
                        help='of policy lucid: without the defect of pairs; '
                        'jobs differ then')
    parser.add_argument('--show', type=int, default=3, metavar='N',
                        help='jobs to print of those that differ (3)')
    parser.add_argument('--program', metavar='PATH',
                        default=os.path.join(ROOT, 'schedsim'))
    args = parser.parse_args()
    report = Report(args.show)
    KINDS[args.kind](args.program, args.dir.rstrip('/'), args.policy, report,
                     args.restore)
    print(f'{report.cases} cases, {report.differ} with differences')
    if report.cases == 0:
        sys.exit('nothing was compared')
    sys.exit(6 if report.differ else 0)


if __name__ == '__main__':
    main()
