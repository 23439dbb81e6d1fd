# When waiting jobs start, and a run that begins from a state.
$ printf '{"state": 1, "at_unix_s": 1767600000, "cluster": "2x8",\n "jobs": [{"id": "a", "user": "ann", "gpus": 8, "submitted_unix_s": 1767590000, "started_unix_s": 1767596400, "limit_s": 7200,\n   "where": [{"node": "0", "gpus": 8}]},\n  {"id": "b", "user": "bob", "gpus": 4, "submitted_unix_s": 1767590000, "started_unix_s": 1767590000, "limit_s": 20000,\n   "where": [{"node": "1", "gpus": [0, 1, 2, 3]}]},\n  {"id": "c", "user": "cid", "gpus": 8, "submitted_unix_s": 1767597000, "limit_s": 3600},\n  {"id": "d", "user": "cid", "gpus": 4, "submitted_unix_s": 1767598000, "limit_s": 3600},\n  {"id": "e", "user": "cid", "gpus": 1, "submitted_unix_s": 1767599000, "held": "JobHeldUser"}]}\n' >$OUT/state.json
$ schedsim when $OUT/state.json
starts after 2026-01-05 08:00:00 UTC under backfill; run times: limits alone, because no ended job is known; 100 draws

job           GPUs         p10        p50        p90  why
c                8        4min      31min      54min  waits for 8 GPUs; 1 job of ann holds them, the first ends within 51min with 80 %; 1 job starts before it
d                4          0s         0s         0s  can start now
e                1  may not start yet: JobHeldUser
note: p10 to p90 held 75 to 100 % of the starts in 12 replays beside a real Slurm (docs/when.md)
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
new              8       17min      50min   1h 31min  waits for 8 GPUs; 1 job of ann holds them, the first ends within 51min with 80 %; 2 jobs start before it
note: p10 to p90 held 75 to 100 % of the starts in 12 replays beside a real Slurm (docs/when.md)
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

# What if: who is delayed, and by how much.
$ schedsim when $OUT/state.json --policy fifo --what-if "drain 1 node for 8h"
what if: 'drain 1 node for 8h': node 1, where 1 job runs now: it runs to its end, and no other job starts there
from 2026-01-05 08:00:00 UTC, under fifo; run times: limits alone, because no ended job is known; 100 draws, the same in both worlds

1 of 2 waiting jobs start later by more than a minute (median +28min), 0 sooner
delay of all together: +28min (80 %: +7min to +54min)

user              jobs  later  sooner  delay of all its jobs
cid                  2      1       0  +28min

start later
job          user        GPUs           in          p10         p50         p90
d            cid            4        33min        +7min      +28min      +51min
$ schedsim when $OUT/state.json --policy fifo --what-if "lose 0 for 30min" --limits
what if: 'lose 0 for 30min': node 0, where 1 job runs now: it stops when its node goes, keeps its work and waits again at the back of its queue ('drain' lets it end)
from 2026-01-05 08:00:00 UTC, under fifo; run times: limits alone; 1 draw, the same in both worlds

0 of 2 waiting jobs start later by more than a minute, 2 sooner
delay of all together: -1h 00min (80 %: -1h 00min to -1h 00min)

user              jobs  later  sooner  delay of all its jobs
cid                  2      0       2  -1h 00min

start sooner
job          user        GPUs           in          p10         p50         p90
d            cid            4     1h 00min       -30min      -30min      -30min
c            cid            8     1h 00min       -30min      -30min      -30min

run now, and end later
job          user        GPUs           in          p10         p50         p90
a            ann            8     1h 00min    +1h 30min   +1h 30min   +1h 30min
$ schedsim when $OUT/state.json --policy fifo --versus backfill --job d
from 2026-01-05 08:00:00 UTC, under fifo against backfill; run times: limits alone, because no ended job is known; 100 draws, the same in both worlds

job          user        GPUs           in          p10         p50         p90
d            cid            4           0s        +4min      +33min      +54min
$ schedsim when $OUT/state.json --what-if "+1 node from hour 3" --json --limits | sed -n "2,20p"
  "at_unix_s": 1767600000,
  "policy": "backfill",
  "versus": "backfill",
  "run_times": "limits alone",
  "draws": 1,
  "what_if": [
    "what if: 1 more nodes of 8 GPU in the cluster, from hour 3 (--what-if)"
  ],
  "waiting": {
    "jobs": 2,
    "later": 0,
    "sooner": 0,
    "delay_p10_s": 0,
    "delay_p50_s": 0,
    "delay_p90_s": 0,
    "median_delay_of_later_s": 0,
    "never": 0,
    "only_then": 0
  },
$ schedsim when $OUT/state.json --what-if "drain 0,5"
schedsim: --what-if: 'drain 0,5': column 9: no node '5'; the nodes have the numbers 0 to 1
[exit 2]
$ sed 's:"cluster":"names"\: ["gpu01", "gpu02"], &:; s:"node"\: "\(.\)":"node"\: "gpu0X\1":; s:X0:1:; s:X1:2:' $OUT/state.json >$OUT/named.json; schedsim when $OUT/named.json --what-if "drain gpu3"
schedsim: --what-if: 'drain gpu3': column 7: no node 'gpu3'; did you mean 'gpu01'?
[exit 2]
$ schedsim when $OUT/state.json --what-if "drain 1 nodee for 8h"
schedsim: --what-if: 'drain 1 nodee for 8h': column 9: expected 'nodes' or 'GPUs', found 'nodee'; did you mean 'node'?
[exit 2]
$ schedsim when $OUT/state.json --what-if "drain 1 node for ever"
schedsim: --what-if: 'drain 1 node for ever': column 18: expected a length of time such as 8h, found 'ever'
[exit 2]
$ schedsim when $OUT/state.json --what-if "drain 1 node for 8h until hour 9"
schedsim: --what-if: 'drain 1 node for 8h until hour 9': column 21: expected 'until' or 'for', not both, found 'until'
[exit 2]
$ schedsim when $OUT/state.json --what-if "drain 0 from 2026-01-05"
schedsim: --what-if: 'drain 0 from 2026-01-05': column 14: expected now, day D, hour H, a duration such as 36h or a date, not before the present, found '2026-01-05'
[exit 2]
$ schedsim when $OUT/state.json --what-if "drain 0; lose 0"
schedsim: --what-if: 'lose 0': column 6: node '0' is taken already
[exit 2]
$ schedsim when $OUT/state.json --what-if "-12 GPUs"
schedsim: --what-if: '-12 GPUs': 12 GPUs are not whole nodes, which have 8 GPUs
[exit 2]
$ schedsim when $OUT/state.json --what-if "x2 load"
schedsim: --what-if: 'x2 load': no job comes after the present, so that the load cannot change
[exit 2]
$ schedsim when $OUT/state.json --versus backfil
schedsim: no policy 'backfil'; did you mean 'backfill'?
[exit 2]
$ schedsim run --state $OUT/state.json --policy fifo --what-if "drain 1 node for 8h" | grep -A1 "what if"
note: what if: 'drain 1 node for 8h': node 1, where 1 job runs now: it runs to
  its end, and no other job starts there

# Reservations: a maintenance of both nodes in half an hour; f has another one.
$ sed 's%"jobs": \[%"reservations": [{"name": "maint", "from_unix_s": 1767601800, "until_unix_s": 1767605400, "nodes": ["0", "1"]}, {"name": "f", "from_unix_s": 1767607200, "until_unix_s": 1767610800, "nodes": ["1"]}],\n "jobs": [{"id": "f", "gpus": 2, "submitted_unix_s": 1767597001, "limit_s": 60, "reservation": "f"}, {"id": "g", "gpus": 2, "submitted_unix_s": 1767598002, "limit_s": 1800},%' $OUT/state.json >$OUT/reserved.json; schedsim when $OUT/reserved.json --limits
starts after 2026-01-05 08:00:00 UTC under backfill; run times: limits alone; 1 draw

job           GPUs         p10        p50        p90  why
f                2    2h 00min   2h 00min   2h 00min  may begin in 2h 00min, with reservation f; waits for 2 GPUs; 2 jobs start before it
g                2          0s         0s         0s  can start now
c                8    1h 30min   1h 30min   1h 30min  waits for 8 GPUs; may not reach into reservation maint, which begins in 30min; 1 job of ann holds them, the first ends within 1h 00min with 80 %; 1 job starts before it
d                4    2h 30min   2h 30min   2h 30min  waits for 4 GPUs; may not reach into reservation f, which begins in 2h 00min; 1 job of ann holds GPUs that it gets, the first ends within 1h 00min with 80 %; 3 jobs start before it
e                1  may not start yet: JobHeldUser
$ schedsim when $OUT/reserved.json --limits -p fifo --json | grep why
      "why": "may begin in 2h 00min, with reservation f; waits for 2 GPUs; 2 jobs start before it"
      "why": "can start now"
      "why": "waits for 8 GPUs; may not reach into reservation maint, which begins in 30min; 1 job of ann holds them, the first ends within 1h 00min with 80 %; 1 job starts before it"
      "why": "waits for 4 GPUs; may not reach into reservation f, which begins in 2h 00min; 1 job of ann holds GPUs that it gets, the first ends within 1h 00min with 80 %; 2 jobs start before it"
      "why": "JobHeldUser"
$ sed 's%"reservation": "f"%"reservation": "x"%' $OUT/reserved.json >$OUT/no.json; cd $OUT; schedsim when no.json
schedsim: no.json:3:96: jobs[0]: reservation: expected a name of the list "reservations"
[exit 3]
$ sed 's%"until_unix_s": 1767605400%"until_unix_s": 1767601800%' $OUT/reserved.json >$OUT/no.json; cd $OUT; schedsim when no.json
schedsim: no.json:2:80: reservations[0]: until_unix_s: expected a time after from_unix_s
[exit 3]
$ sed 's%\["0", "1"\]%["0", "7"]%' $OUT/reserved.json >$OUT/no.json; cd $OUT; schedsim when no.json
schedsim: no.json: reservation maint: the cluster has no node '7'
[exit 3]
# The same from what Slurm prints.
$ printf '{"jobs": [{"job_id": 5, "job_state": "PENDING", "state_reason": "Reservation", "tres_per_node": "gres:gpu:8", "node_count": 1, "time_limit": 60, "submit_time": 1767590000, "partition": "a", "user_name": "ann", "last_sched_evaluation": 1767600000},\n {"job_id": 6, "job_state": "PENDING", "state_reason": "Reservation", "resv_name": "own", "tres_per_node": "gres:gpu:8", "node_count": 1, "time_limit": 60, "submit_time": 1767590000, "partition": "a", "user_name": "bob"},\n {"job_id": 7, "job_state": "PENDING", "state_reason": "Reservation", "resv_name": "gone", "tres_per_node": "gres:gpu:8", "node_count": 1, "time_limit": 60, "submit_time": 1767590000, "partition": "a", "user_name": "bob"}]}' >$OUT/squeue.json; printf '{"nodes": [{"name": "n1", "gres": "gpu:8", "partitions": ["a"], "state": "idle", "state_flags": []}, {"name": "n2", "gres": "gpu:8", "partitions": ["a"], "state": "reserved", "state_flags": ["RESERVED"]}]}' >$OUT/nodes.json; printf 'ReservationName=maint StartTime=2026-01-05T08:30:00 EndTime=2026-01-05T10:00:00 Duration=01:30:00 Nodes=n1 NodeCnt=1 CoreCnt=16 Features=(null) PartitionName=(null) Flags=MAINT,DAILY,SPEC_NODES TRES=cpu=16 Users=root Accounts=(null) State=INACTIVE\nReservationName=own StartTime=2026-01-05T07:00:00 EndTime=2026-01-05T12:00:00 Nodes=n2 Flags=SPEC_NODES Users=bob State=ACTIVE\nReservationName=cores StartTime=2026-01-05T07:00:00 EndTime=2026-01-05T12:00:00 Nodes=n1 NodeName=n1 CoreIDs=0-3 Flags=SPEC_NODES Users=bob State=ACTIVE\nReservationName=over StartTime=2026-01-05T06:00:00 EndTime=2026-01-05T07:00:00 Nodes=n1 Flags=\n' >$OUT/reservations; schedsim when --squeue $OUT/squeue.json --sinfo $OUT/nodes.json --reservations $OUT/reservations --limits
starts after 2026-01-05 08:00:01 UTC under backfill; run times: limits alone; 1 draw

job           GPUs         p10        p50        p90  why
5                8    1h 59min   1h 59min   1h 59min  waits for 8 GPUs; may not reach into reservation maint, which begins in 29min; 1 job starts before it
6                8          0s         0s         0s  can start now
7                8  may not start yet: Reservation gone
note: reservation maint: its flag DAILY is not followed
note: reservation cores keeps some CPUs of its nodes alone, and is not followed
note: reservation maint keeps n1 from 2026-01-05 08:30:00 until 2026-01-05 10:00:00 UTC
note: reservation own keeps n2 from 2026-01-05 07:00:00 until 2026-01-05 12:00:00 UTC
$ schedsim when --squeue $OUT/squeue.json --sinfo $OUT/nodes.json
starts after 2026-01-05 08:00:01 UTC under backfill; run times: limits alone, because no ended job is known; 100 draws

job           GPUs         p10        p50        p90  why
no job waits
5                8  may not start yet: Reservation
6                8  may not start yet: Reservation own
7                8  may not start yet: Reservation gone
$ head -c 60 $OUT/reservations >$OUT/cut_line; cd $OUT; schedsim when --squeue squeue.json --sinfo nodes.json --reservations cut_line
schedsim: cut_line:1: expected ReservationName=, StartTime= and EndTime=, as scontrol -o show reservation prints them
[exit 3]
$ schedsim when $OUT/state.json --reservations $OUT/reservations
schedsim: --reservations: needs --squeue and --sinfo
[exit 2]

# What jobs wait for besides GPUs: an end, ten minutes after a start, one of two ends.
$ sed 's%"jobs": \[%"jobs": [{"id": "x", "gpus": 1, "submitted_unix_s": 1767597001, "limit_s": 60, "after": [{"start_of": "c", "delay_s": 600}]}, {"id": "y", "gpus": 1, "submitted_unix_s": 1767598002, "limit_s": 60, "after": ["b", "a"], "after_any": true}, {"id": "z", "gpus": 1, "submitted_unix_s": 1767598002, "limit_s": 60, "after": ["b", {"start_of": "x"}]},%' $OUT/state.json >$OUT/after.json; schedsim when $OUT/after.json --limits | grep -E "^(job|[a-z]  )"
job           GPUs         p10        p50        p90  why
x                1    1h 10min   1h 10min   1h 10min  after the start of c; waits for 1 GPU; 3 jobs start before it
y                1    1h 00min   1h 00min   1h 00min  after the end of b or another; waits for 1 GPU; 1 job starts before it
z                1    2h 46min   2h 46min   2h 46min  after the end of b and others; waits for 1 GPU; 1 job of ann holds GPUs that it gets, the first ends within 1h 00min with 80 %; 4 jobs start before it
c                8    1h 00min   1h 00min   1h 00min  waits for 8 GPUs; 1 job of ann holds them, the first ends within 1h 00min with 80 %; 1 job starts before it
d                4          0s         0s         0s  can start now
e                1  may not start yet: JobHeldUser
$ sed 's%"delay_s": 600%"delay": 600%' $OUT/after.json >$OUT/no.json; cd $OUT; schedsim when no.json
schedsim: no.json:2:90: jobs[0]: after: expected a list of identifiers, and of {"start_of": identifier, "delay_s": seconds}
[exit 3]
$ sed 's%"after": \["b", "a"\], %%' $OUT/after.json >$OUT/no.json; cd $OUT; schedsim when no.json
schedsim: no.json:2:211: jobs[1]: after_any: expected true or false, beside "after"
[exit 3]

# Text in place of JSON: columns by their names.
$ printf 'JOBID   |ARRAY_JOB_ID|ARRAY_TASK_ID|STATE   |REASON  |PARTITION|USER|RESERVATION|SUBMIT_TIME|START_TIME|TIME_LIMIT|PRIORITY|NODELIST|NODES|TRES_PER_JOB|TRES_PER_NODE|TRES_PER_TASK|DEPENDENCY|NAME\n1       |1|N/A|RUNNING |None    |a|ann|(null)|2026-01-05T07:00:00|2026-01-05T07:30:00|1:00:00|9|n1|1|N/A|gpu:8|N/A|(null)|x|y\n2       |2|N/A|PENDING |Resource|a|bob|(null)|2026-01-05T07:00:00|N/A|30:00|8||1|gres:gpu:4|N/A|N/A|(null)|z\n' >$OUT/squeue.txt; printf 'NODELIST|PARTITION|STATE|GRES|REASON\nn1|a*|mixed|gpu:8(S:0)|none\nn1|b|mixed|gpu:8(S:0)|none\nn2|b|drained*|gpu:8|broken\n' >$OUT/sinfo.txt; cd $OUT; schedsim when --squeue squeue.txt --sinfo sinfo.txt --limits
schedsim: squeue.txt:3: a value is cut off, so make it wider: REASON
[exit 3]
$ cd $OUT; sed 's/Resource|/Resources |/' squeue.txt >whole.txt; schedsim when --squeue whole.txt --sinfo sinfo.txt --limits
starts after 2026-01-05 07:30:01 UTC under backfill; run times: limits alone; 1 draw

job           GPUs         p10        p50        p90  why
2                4       59min      59min      59min  waits for 4 GPUs; 1 job of ann holds GPUs that it gets, the first ends within 59min with 80 %
note: partitions a+b share nodes: their jobs are taken to run on any of them
note: 1 job: run on GPUs that squeue does not name; only their number is known
$ cd $OUT; sed 's/|PRIORITY//' squeue.txt >bad.txt; schedsim when --squeue bad.txt --sinfo sinfo.txt
schedsim: bad.txt:1: expected JSON, or columns separated by '|' under their names (docs/when.md); there is no column PRIORITY
[exit 3]
$ cd $OUT; head -c 400 whole.txt >bad.txt; schedsim when --squeue bad.txt --sinfo sinfo.txt
schedsim: bad.txt: the last line is cut off, or this is no output of squeue
[exit 3]
$ cd $OUT; sed '2s/|x|y//' whole.txt >bad.txt; schedsim when --squeue bad.txt --sinfo sinfo.txt
schedsim: bad.txt:2: the line is cut off before column NAME
[exit 3]
$ cd $OUT; sed 's/|30:00/|soon/' whole.txt >bad.txt; schedsim when --squeue bad.txt --sinfo sinfo.txt
schedsim: bad.txt:3: a value is not understood in column TIME_LIMIT
[exit 3]
