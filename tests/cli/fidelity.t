# Two jobs of virtual cluster a overlap: 5 of 4 GPUs for half of its 20 s.
$ cd $OUT; printf 'submitted_unix_s,duration_s,gpus,user,vc,end\n0,20,4,u,a,failed\n10,10,1,u,a,completed\n20,10,1,v,a,completed\n30,10,4,u,b,completed\n40,10,4,u,b,completed\n' > t.csv; schedsim trace fidelity t.csv --cluster a=1x4:G,b=1x4:G --only vcs --only chains | grep 'vcs.a\|chains.failed\|bars' | sed 's, *$,,'
chains.failed.within_hour         ?         1  -    -
chains.failed.within_5_min        ?         1  -    -
chains.failed.median_gap_s        ?        10  -    -
chains.failed_minus_completed     ?         1  -    -
vcs.a.job_share                   ?       0.6  -    -
vcs.a.gpu_time_share              ?     0.556  -    -
vcs.a.mean_gpus                   ?         2  -    -
vcs.a.time_above_capacity         ?       0.5  -    -
vcs.a.worst_week                  ?         ?  -    -
0 bars pass, 0 fail, 0 not known; 22 figures have none
# Rows pass their own bars; a bar never excludes the real value.
$ cd $OUT; schedsim trace fidelity t.csv --set rows=t.csv --cluster a=1x4:G,b=1x4:G --only vcs --only waits --set gate | tail -1
15 bars pass, 0 fail, 2 not known; 7 figures have none (--all)
$ cd $OUT; sed 's/,u,b,/,u,a,/' t.csv > moved.csv; schedsim trace fidelity moved.csv t.csv --set rows=t.csv --cluster a=1x4:G,b=1x4:G --only vcs --only waits --set gate | sed 's, *$,,'; exit ${PIPESTATUS[0]}
measure                         real  median     least .. most  bar             verdict    real from
vcs.a.job_share                  0.6     0.8          0.6 .. 1  0.57 .. 0.63    FAIL       rows
vcs.a.gpu_time_share           0.556   0.778        0.556 .. 1  0.526 .. 0.586  FAIL       rows
vcs.a.mean_gpus                    2     2.4          2 .. 2.8  1.6 .. 2.4      pass       rows
vcs.a.time_above_capacity        0.5   0.375       0.25 .. 0.5  -               -          rows
vcs.b.job_share                  0.4     0.2          0 .. 0.4  0.37 .. 0.43    FAIL       rows
vcs.b.gpu_time_share           0.444   0.222        0 .. 0.444  0.414 .. 0.474  FAIL       rows
vcs.b.mean_gpus                    4       4            4 .. 4  3.2 .. 4.8      pass       rows
vcs.b.time_above_capacity          0       0            0 .. 0  -               -          rows
vcs.most_time_above_capacity     0.5   0.375       0.25 .. 0.5  0 .. 0.5        pass       rows
vcs.worst_week                     ?       ?            ? .. ?  0 .. 1.5        not known  not in the rows
waits.fifo_mean                    2       2            2 .. 2  1 .. 4          pass       rows
waits.fifo_p99                    10      10          10 .. 10  4 .. 25         pass       rows
waits.pending_median          0.0312  0.0312  0.0312 .. 0.0312  0 .. 0.0312     pass       rows
waits.fjf_mean                     2       2            2 .. 2  1 .. 4          pass       rows
waits.fjf_p99                     10      10          10 .. 10  -               -          rows
waits.srtf_mean                    2       2            2 .. 2  1 .. 4          pass       rows
waits.srtf_p99                    10      10          10 .. 10  -               -          rows
waits.tiresias_mean                2       2            2 .. 2  1 .. 4          pass       rows
waits.tiresias_p99                10      10          10 .. 10  -               -          rows
waits.fifo_by_srtf                 1       1            1 .. 1  0.5 .. 2        pass       rows
waits.fifo_by_tiresias             1       1            1 .. 1  0.5 .. 2        pass       rows
waits.fifo_mean                    ?       2            2 .. 2  max/min <= 4    pass
12 bars pass, 4 fail, 1 not known; 7 figures have none (--all)
schedsim: 4 bars fail
[exit 6]
$ cd $OUT; schedsim trace fidelity t.csv --set rows=t.csv --cluster a=1x4:G,b=1x4:G --only waits --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["against"], d["traces"], d["failed"], sorted(d["measures"][0]))'
t.csv ['t.csv'] 0 ['bar', 'least', 'measure', 'median', 'most', 'real', 'source', 'status', 'verdict']
$ schedsim trace fidelity $OUT/t.csv --like venuss
schedsim: --like: no bars for 'venuss'; did you mean 'venus'?; there are bars for philly, venus, saturn, seren and kalos
[exit 2]
$ schedsim trace fidelity $OUT/t.csv --only wait
schedsim: --only: no group 'wait'; the groups are margins, arrivals, order, people, users, chains, demand, vcs, waits and learning
[exit 2]
$ schedsim trace fidelity $OUT/t.csv --set rows=$OUT/t.csv --like venus
schedsim: give --like or --set rows, not both
[exit 2]
$ schedsim trace fidelity $OUT/t.csv --set rows=/dev/null
schedsim: /dev/null:1:1: file: empty file
[exit 3]
# The name and the model of a generated job do not tell its run time. A declared limit does.
$ for limits in "" "--set limits"; do schedsim trace generate --like venus --jobs 1500 --seed 3 $limits -o $OUT/g.csv 2>$OUT/words; schedsim trace fidelity $OUT/g.csv --like venus --only learning | awk '/gbdt_leak|ga2m_leak/ {print $1, $NF}'; done
learning.gbdt_leak pass
learning.ga2m_leak pass
learning.gbdt_leak FAIL
learning.ga2m_leak FAIL
