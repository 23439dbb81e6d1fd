# When waiting jobs start, and a run that begins from a state.
$ printf '{"state": 1, "at_unix_s": 1767600000, "cluster": "2x8",\n "jobs": [{"id": "a", "user": "ann", "gpus": 8, "submitted_unix_s": 1767590000, "started_unix_s": 1767596400, "limit_s": 7200,\n   "where": [{"node": "0", "gpus": 8}]},\n  {"id": "b", "user": "bob", "gpus": 4, "submitted_unix_s": 1767590000, "started_unix_s": 1767590000, "limit_s": 20000,\n   "where": [{"node": "1", "gpus": [0, 1, 2, 3]}]},\n  {"id": "c", "user": "cid", "gpus": 8, "submitted_unix_s": 1767597000, "limit_s": 3600},\n  {"id": "d", "user": "cid", "gpus": 4, "submitted_unix_s": 1767598000, "limit_s": 3600},\n  {"id": "e", "user": "cid", "gpus": 1, "submitted_unix_s": 1767599000, "held": "JobHeldUser"}]}\n' >$OUT/state.json
$ schedsim when $OUT/state.json
starts after 2026-01-05 08:00:00 UTC under backfill; run times: limits alone, because no ended job is known; 100 draws

job           GPUs         p10        p50        p90  why
c                8        6min      28min      53min  waits for 8 GPUs; 1 job of ann holds them, the first ends within 50min with 80 %; 1 job starts before it
d                4          0s         0s         0s  can start now
e                1  may not start yet: JobHeldUser
$ schedsim when $OUT/state.json --limits --job c
starts after 2026-01-05 08:00:00 UTC under backfill; run times: limits alone; 1 draw

job           GPUs         p10        p50        p90  why
c                8    1h 00min   1h 00min   1h 00min  waits for 8 GPUs; 1 job of ann holds them, the first ends within 1h 00min with 80 %; 1 job starts before it
$ schedsim when $OUT/state.json --job e
schedsim: --job: job e may not start yet: JobHeldUser
[exit 2]
$ schedsim when $OUT/state.json --job x
...
[exit 2]
$ schedsim when
schedsim: when: give a state file, or --slurm, or --squeue and --sinfo
[exit 2]
$ printf '#!/bin/sh\n#SBATCH --gres=gpu:4 --time=2:00:00\ntrain\n' >$OUT/job.sh; schedsim when $OUT/state.json -- -N2 -C big $OUT/job.sh
starts after 2026-01-05 08:00:00 UTC under backfill; run times: limits alone, because no ended job is known; 100 draws

job           GPUs         p10        p50        p90  why
new              8       24min      50min   1h 23min  waits for 8 GPUs; 1 job of ann holds them, the first ends within 50min with 80 %; 2 jobs start before it
note: the new job: --constraint=big is not followed
note: the new job is taken to come last, after the jobs that wait
$ schedsim when $OUT/state.json -- --gpu-per-node=4
schedsim: sbatch: no option 'gpu-per-node'; did you mean 'gpus-per-node'?
[exit 2]
$ schedsim when $OUT/state.json -- -N2
schedsim: sbatch: the job asks for no GPU (--gres=gpu:N, --gpus, --gpus-per-node, --gpus-per-task)
[exit 2]
$ schedsim run --state $OUT/state.json --policy backfill
backfill on 2x8: 4 jobs, all done
run times declared by the users (declared)
note: the run begins from a state and has no true run times: each job runs for
  the median of what is believed of it, from limits alone, because no ended job
  is known; `when` has the spread of the starts

               mean [95 %]   p50   p90   p95   p99   max
jct h                 2.58  1.83  4.17  4.17  4.17  4.17
queue_delay h         0.92  0.56  1.78  1.78  1.78  1.78
slowdown              2.24  2.11  3.67  3.67  3.67  3.67

makespan 4.17 h, allocation 52.0 %, fragmentation 45.8 %
note: state: 1 job may not start yet ("held") and stays out of the run
$ schedsim run --state $OUT/state.json --cluster 3x8
schedsim: --state: the cluster is that of the state; leave out --cluster
[exit 2]
$ schedsim list --explain state-file | head -8
state-file (files): the present state of a cluster as a JSON object, for --state FILE and `when`; keys of other names are an error

  state  (required; number)
      version of the format: 1
  at_unix_s  (required; s)
      the present, since 1970 UTC
  cluster  (required; text or object)
      the cluster: a preset or shorthand as for --cluster, or an object with the keys of a cluster file
