# A baseline is a result of the same trace, cluster, policy and rules.
$ schedsim run traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p srtf -q --out "$OUT/base"
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p srtf --baseline "$OUT/base" --tolerance 0 | sed 's/.*done  //; s/.* all  *//'
jct_s.mean to baseline  makespan_s to baseline
+0 %                    +0 %
srtf: run times known exactly (oracle, an upper bound)
note: offered load 1.51: if no job waited, 291 GPUs would be in use on average,
  and the cluster has 192; waits grow with the length of such a trace
$ schedsim compare traces/samples/venus.csv -n 400 --estimators oracle --cluster 24x8 -p srtf --baseline "$OUT/base/summary.json" 2>&1 | sed "s#$OUT#OUT#"
schedsim: policy srtf: OUT/base/summary.json: is of another number of jobs (500, not 400); --any-baseline compares anyway
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 17x8 -p srtf --baseline "$OUT/base" 2>&1 | sed "s#$OUT#OUT#"
schedsim: policy srtf: OUT/base/summary.json: is of another cluster (24x8, not 17x8); --any-baseline compares anyway
$ schedsim compare traces/samples/kalos.csv -n 500 --estimators oracle --cluster 24x8 -p srtf --baseline "$OUT/base" 2>&1 | grep -o 'is of another trace ([0-9a-f]*, not [0-9a-f]*)'
is of another trace (f0eb0f7bb066, not 58e0c75a3d56)
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p fifo --baseline "$OUT/base" >"$OUT/words"
...
[exit 3]
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p fifo --baseline "$OUT/base" --any-baseline --json | grep -o '"baseline [^"]*"' | sed "s#$OUT#OUT#"
"baseline OUT/base/summary.json: is of another policy (srtf, not fifo)"
# the same nodes, otherwise written; another speed
$ echo '{"nodes": [{"count": 24, "gpus": 8}]}' >"$OUT/same.json"; schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster "$OUT/same.json" -p srtf --baseline "$OUT/base" | grep -c +0
1
# A gate fails where a metric is worse; with --two-sided, where it is better too.
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p srtf -p fifo --tolerance 1 >"$OUT/words"
schedsim: fifo: jct_s.mean is 361002, 850 % worse than 38006 (tolerance 1 %); 1 more fails
[exit 6]
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p fifo -p srtf --tolerance 1 >"$OUT/words"
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p fifo -p srtf --metric jct_s.p50:3 --two-sided >"$OUT/words"
schedsim: srtf: jct_s.p50 is 319, 99.9 % off 449730 (tolerance 3 %)
[exit 6]
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p fifo -p srtf --metric allocation --metric preemptions:50 --json 2>"$OUT/words" | python3 -c 'import json, sys; [print(g["metric"], g["better"], g["tolerance_percent"], g["holds"]) for r in json.load(sys.stdin) for g in r["gates"]]'
allocation higher 0 True
preemptions lower 50 True
allocation higher 0 True
preemptions lower 50 False
$ schedsim compare traces/samples/venus.csv -p fifo --metric makspan_s
schedsim: --metric: no metric 'makspan_s'; did you mean 'makespan_s'?
[exit 2]
$ schedsim compare traces/samples/venus.csv -p fifo --baseline "$OUT/none.json" 2>&1 | sed "s#$OUT#OUT#"
schedsim: OUT/none.json: cannot be opened: No such file or directory
# A difference that chance may explain is called noise.
$ schedsim compare traces/samples/venus.csv -n 500 --estimators oracle --cluster 24x8 -p srtf -p srsf -p sjf -p srtf | tail -10
srtf    makespan                          0 s     +0.0 %  equal
srsf    jct          7.63 min [-48.86, 64.11]     +1.2 %  noise
srsf    queue_delay  7.62 min [-48.93, 64.17]    +10.6 %  noise
srsf    makespan                      -11.9 h     -2.0 %  shorter
sjf     jct               3.32 d [1.94, 4.70]   +754.8 %  worse
sjf     queue_delay       3.32 d [1.94, 4.70]  +6673.2 %  worse
sjf     makespan                       5.53 d    +22.3 %  longer
noise: the interval contains 0, so chance alone may explain the difference
note: offered load 1.51: if no job waited, 291 GPUs would be in use on average,
  and the cluster has 192; waits grow with the length of such a trace
# Finished results: the numbers of `compare` on the trace, paired job by job.
$ cd $OUT; T=$OLDPWD/traces/samples/venus.csv; for p in fifo srtf lucid; do schedsim $T -n 500 --estimators oracle -c 24x8 -p $p -q --out done-$p; done; schedsim compare done-fifo done-srtf done-lucid --json >done.json; schedsim compare $T -n 500 --estimators oracle -c 24x8 -p fifo -p srtf -p lucid --json >now.json; python3 -c 'import json; a = json.load(open("done.json")); b = json.load(open("now.json")); [r.pop("result") for r in a]; [d.pop("row") for r in a + b for d in r["differs"]]; print(a == b, len(a), [len(r["differs"]) for r in a])'
True 3 [0, 0, 1]
$ cd $OUT; schedsim $OLDPWD/traces/samples/venus.csv -n 500 --estimators oracle -c 23x8 -p srtf --seed 4 --overhead fixed:stop_1_s=9 -q --out done-other; schedsim compare done-srtf done-other done-fifo | sed 's/ *$//'
result        policy                              JCT h [95 %]  p99  queue h   p99  makespan d  preempts  done
done-srtf     srtf (oracle, an upper bound)  10.6 [5.46, 20.4]  250     1.19  20.7        24.8       428   all
done-other *  srtf (oracle, an upper bound)  10.6 [5.45, 20.7]  256     1.27  25.9        25.3       426   all
done-fifo     fifo                                     100 [-]  258     90.9   183        31.8         0   all
done-srtf, done-other: run times known exactly (oracle, an upper bound)

result      metric         minus done-srtf [95 %]     change  verdict
done-other  jct          4.50 min [-11.55, 20.56]     +0.7 %  noise
done-other  queue_delay  4.50 min [-11.59, 20.58]     +6.3 %  noise
done-other  makespan                       12.0 h     +2.0 %  longer
done-fifo   jct                            3.74 d   +849.9 %  worse by parts
done-fifo   queue_delay                    3.74 d  +7513.5 %  worse by parts
done-fifo   makespan                       7.07 d    +28.5 %  longer
by parts: most of 16 parts of the jobs lie on this side (sign test, 5 %); how
  large the difference is remains open
noise: the interval contains 0, so chance alone may explain the difference
[-]: the mean has no interval, because neighbouring jobs are so much alike that
  all of them amount to fewer than 4 independent ones; `compare --replications`
  has one
* done-other differs in more than the policy: seed 4 (done-srtf: 0); cluster
  23x8 (done-srtf: 24x8); restarts stop_1_s=9 (done-srtf: stop_1_s=7)
note (done-srtf, done-fifo): offered load 1.51: if no job waited, 291 GPUs would
  be in use on average, and the cluster has 192; waits grow with the length of
  such a trace
note (done-other): offered load 1.58: if no job waited, 291 GPUs would be in use
  on average, and the cluster has 184; waits grow with the length of such a
  trace
$ cd $OUT; schedsim $OLDPWD/traces/samples/venus.csv -n 400 --estimators oracle -c 24x8 -p srtf -q --out done-400; schedsim compare done-srtf done-400
schedsim: done-400: has 400 jobs of the trace, done-srtf has 500 (--vc, --from, --to, --jobs)
[exit 3]
$ cd $OUT; schedsim $OLDPWD/traces/samples/venus.csv -n 500 --estimators oracle -c 24x8 -p srtf --warmup 1h -q --out done-warm; schedsim compare done-srtf done-warm
schedsim: done-warm: its metrics count other jobs than those of done-srtf (--warmup, --cooldown)
[exit 3]
$ cd $OUT; schedsim $OLDPWD/traces/samples/kalos.csv -n 500 --estimators oracle -q --out done-kalos; schedsim compare done-srtf done-kalos
schedsim: done-kalos: is of another trace (SHA-256 58e0c75a3d56, not f0eb0f7bb066 of done-srtf); jobs of two traces cannot be paired
[exit 3]
$ cd $OUT; sed -i '2s/1/2/' done-400/jobs.csv; schedsim compare done-400 done-400
schedsim: done-400/jobs.csv: was changed after the run wrote it (its SHA-256 is not that in manifest.json)
[exit 3]
$ cd $OUT; schedsim compare done-srtf -p fifo
schedsim: compare: finished results take no options of a simulation, only --json, --latex and, for a sweep, --metric and --against
[exit 2]
$ cd $OUT; schedsim compare done-srtf
schedsim: compare: 'done-srtf' is one result; name at least two
[exit 2]
$ cd $OUT; schedsim compare done-srtf done-never
schedsim: done-never/manifest.json: cannot be opened: No such file or directory
[exit 3]
$ schedsim compare traces/samples/venus.csv traces/samples/kalos.csv -p fifo
schedsim: compare: expected one trace, or several directories of finished results; 'traces/samples/venus.csv' is not a directory
[exit 2]
# The runs of a sweep: rows that differ in replication and seed only are replications.
$ cd $OUT; (echo trace,policy,cluster,seed,replication,status,error,unfinished,jct_s_mean,jct_s_p99,queue_delay_s_mean,slowdown_mean,run; for c in 8x8 9x8; do for i in 1 2 3; do echo a.csv,fifo,$c,0,$i,0,,0,$((100 + i*i)),300,$((50 + 3*i)),2.$i,x; echo a.csv,srtf,$c,0,$i,0,,0,$((60 + i)),50$i,$((10 + i)),1.$i,x; done; done; echo a.csv,srtf,8x8,0,4,3,no memory,,,,,,x; echo a.csv,srtf,9x8,0,4,4,,7,70,500,9,1.9,x) >runs.csv; schedsim compare runs.csv --against policy=fifo --metric queue_delay_s --metric jct_s.p99
setting                  runs  queue_delay_s_mean [95 %]       jct_s_p99 [95 %]     done
policy=fifo cluster=8x8     3        56.0 s [48.5, 63.5]               5.00 min      all
policy=srtf cluster=8x8     3         12.0 s [9.5, 14.5]  8.37 min [8.33, 8.41]      all
policy=fifo cluster=9x8     3        56.0 s [48.5, 63.5]               5.00 min      all
policy=srtf cluster=9x8     4         11.2 s [8.5, 14.0]  8.36 min [8.32, 8.39]  not all

setting                  metric                  minus first [95 %]   change  verdict
policy=srtf cluster=8x8  queue_delay_s_mean  -44.0 s [-49.0, -39.0]  -78.6 %  better
policy=srtf cluster=8x8  jct_s_p99            3.37 min [3.33, 3.41]  +67.3 %  worse
policy=srtf cluster=9x8  queue_delay_s_mean  -44.0 s [-49.0, -39.0]  -78.6 %  better
policy=srtf cluster=9x8  jct_s_p99            3.37 min [3.33, 3.41]  +67.3 %  worse
incomplete: 1 runs failed and are left out
incomplete: in 1 runs some jobs did not finish (column unfinished)
note: settings have 3 to 4 replications; differences are over those that both
  have
note: each setting is compared with the one that differs from it in policy=fifo
note: means are over replications, paired by replication and seed; intervals:
  Student's t
$ cd $OUT; schedsim compare runs.csv --json | python3 -c 'import json, sys; [print(r["setting"]["policy"], r["setting"]["cluster"], r["runs"], r.get("slowdown_mean_minus_first", {}).get("verdict")) for r in json.load(sys.stdin)]'
fifo 8x8 3 None
srtf 8x8 3 less
fifo 9x8 3 equal
srtf 9x8 4 less
$ cd $OUT; schedsim compare runs.csv --against polcy=fifo
schedsim: --against: runs.csv has no setting 'polcy'; did you mean 'policy'?
[exit 2]
$ cd $OUT; schedsim compare runs.csv --against policy=lifo
schedsim: --against: no run of runs.csv has policy 'lifo'
[exit 2]
$ cd $OUT; schedsim compare runs.csv --metric jct_s.p98
schedsim: runs.csv: no column 'jct_s.p98'; did you mean 'jct_s_p99'?
[exit 3]
# Results of which one refused jobs are not compared: the share of the work that
# it did stands in its row, and the cause is the first line below.
$ schedsim run traces/samples/itp.csv -c 8x8 -p fifo -q --out $OUT/whole; schedsim run traces/samples/itp.csv -c 8x8 -p lucid --profilers 1 -q --out $OUT/part 2>/dev/null; cd $OUT; schedsim compare whole part | head -11
result  policy       JCT h [95 %]   p99  queue h   p99  makespan d  preempts                         done
whole   fifo    40.1 [21.1, 76.0]  66.1     36.5  61.6        34.2         0                          all
part *  lucid   9.10 [6.52, 12.7]  27.1     5.62  24.0        34.6         0  1569/1595 (46.3 % of GPU h)
incomplete: part: 26 jobs did not finish: 26 rejected, first job
  965d744f-0445-c1a8-12af-97e4c536c66e (64 GPUs): needs the node set aside for
  profiling (--profilers 0 sets none aside)
part: run times learned from ended jobs (ga2m, history); demand measured by
  profiling (profiled)

result  metric       minus whole [95 %]  change  verdict
part    jct                           -       -  not comparable
# A policy that fails is a row and a line; the others keep theirs. The status is
# that of the failure, and differences are to the first that finished.
$ schedsim compare traces/samples/itp.csv -c 8x8 -n 300 -p exec:false -p srtf -p sjf --estimators oracle | sed 's/ (the program may.*//' | grep -v '^note'; exit ${PIPESTATUS[0]}
policy                              JCT h [95 %]   p99  queue h   p99  makespan d  preempts    done
srtf (oracle, an upper bound)  4.50 [1.78, 11.4]  28.8     1.86  18.8        8.34        47     all
sjf (oracle, an upper bound)   5.22 [1.22, 22.2]  49.1     2.57  37.9        8.98         0     all
exec:false                                     -     -        -     -           -         -  failed
failed: exec:false: policy exec: the program 'false' ended with exit status 1
srtf, sjf: run times known exactly (oracle, an upper bound)

policy  metric             minus srtf [95 %]   change  verdict
sjf     jct          42.8 min [-14.6, 100.2]  +15.9 %  noise
sjf     queue_delay  42.9 min [-14.6, 100.3]  +38.4 %  noise
sjf     makespan                      15.4 h   +7.7 %  longer
noise: the interval contains 0, so chance alone may explain the difference
[exit 1]
$ schedsim compare traces/samples/itp.csv -c 8x8 -n 50 -p fifo -p srft --json 2>/dev/null | python3 -c 'import json, sys; print([(r["policy"], r.get("error"), r.get("exit_status"), "jct_s" in r.get("metrics", {}) or "metrics" in r) for r in json.load(sys.stdin)])'
[('fifo', None, None, True), ('srft', "no policy 'srft'; did you mean 'srtf'?", 2, False)]
$ schedsim compare none.csv -c 8x8 -p fifo -p srtf
schedsim: none.csv:1:1: file: cannot open: No such file or directory
[exit 3]
# No percentage of a metric where the finished jobs differ.
$ schedsim compare traces/samples/itp.csv -c 8x8 --engine horizon_s=900000 --estimators oracle -p fifo -p srtf --metric jct_s:2 | sed 's/.*  done/done/; s/.*[0-9]  *\([0-9]*\/1595\)/\1/; s/ *$//' | head -3
done   jct_s.mean to first
548/1595 (46.1 % of GPU h)
549/1595 (46.4 % of GPU h)  not comparable fails
schedsim: srtf: jct_s.mean is not comparable: the first run did not finish the same jobs
$ schedsim compare traces/samples/itp.csv -c 8x8 --engine horizon_s=900000 --estimators oracle -p fifo -p srtf --metric jct_s:2 >/dev/null
schedsim: srtf: jct_s.mean is not comparable: the first run did not finish the same jobs
[exit 6]
# The number of threads changes nothing: not the order of the rows, not which
# policy is the first, not what is said of one that fails.
$ for j in 1 2 5; do schedsim compare traces/samples/venus.csv -n 60 --cluster 2x8 -p none -p srtf -p sia -p fifo --json --threads $j >"$OUT/$j.json" 2>"$OUT/$j.err"; echo $?; done; cmp "$OUT/1.json" "$OUT/2.json" && cmp "$OUT/1.json" "$OUT/5.json" && cmp "$OUT/1.err" "$OUT/5.err" && grep -c . "$OUT/1.err"
2
2
2
1
$ for j in 1 3; do schedsim compare traces/samples/venus.csv -n 400 --cluster 2x8 -p none -p srtf -p fifo --replications 4 --threads $j >"$OUT/$j.txt" 2>&1; echo $?; done; cmp "$OUT/1.txt" "$OUT/3.txt" && grep -c failed "$OUT/1.txt"
2
2
2
# A sweep in LaTeX and JSON, and words that name nothing in it.
$ mkdir $OUT/pairs; cd $OUT/pairs; printf 'job_id,submitted_unix_s,duration_s,gpus,user\na,0,1000,6,u_1\nb,10,500,8,v\nc,20,700,1,v\n' >p_1.csv; echo '{"trace":"p_1.csv","policy":["fifo","sjf"],"estimators":"oracle","cluster":["1x8","2x8"]}' >g.json; schedsim sweep g.json -o sw -q; schedsim compare sw --latex | sed -n 1,12p; schedsim compare sw --metric jct_s_mean --against policy=fifo; schedsim compare sw --metric makespan_s --against policy=sjf --json | jq -c '[.[] | keys]' | head -3
% \usepackage{booktabs}
\begin{tabular}{lrrlrrlrrl}
\toprule
 & jct\_s\_mean (min) & change & verdict & queue\_delay\_s\_mean (min) & change & verdict & slowdown\_mean & change & verdict \\
\midrule
fifo, 1x8 & 25.9 & -- &  & 13.7 & -- &  & 2.36 & -- &  \\
fifo, 2x8 & 12.2 & $-52.9$\,\% & unknown & 0 & $-100.0$\,\% & unknown & 1.00 & $-57.7$\,\% & unknown \\
sjf, 1x8 & 25.9 & $+0.0$\,\% & equal & 13.7 & $+0.0$\,\% & equal & 2.36 & $+0.0$\,\% & equal \\
sjf, 2x8 & 12.2 & $-52.9$\,\% & unknown & 0 & $-100.0$\,\% & unknown & 1.00 & $-57.7$\,\% & unknown \\
\bottomrule
\end{tabular}

setting                                          runs  jct_s_mean [95 %]
policy=fifo cluster=1x8                             1           25.9 min
policy=fifo cluster=2x8                             1           12.2 min
policy=sjf cluster=1x8 (oracle, an upper bound)     1           25.9 min
policy=sjf cluster=2x8 (oracle, an upper bound)     1           12.2 min
policy=sjf cluster=1x8 (oracle, an upper bound), policy=sjf cluster=2x8 (oracle,
  an upper bound): run times known exactly (oracle, an upper bound)

setting                                          metric      minus first [95 %]  change  verdict
policy=sjf cluster=1x8 (oracle, an upper bound)  jct_s_mean                 0 s  +0.0 %  equal
policy=sjf cluster=2x8 (oracle, an upper bound)  jct_s_mean                 0 s  +0.0 %  equal
note: each setting is compared with the one that differs from it in policy=fifo
note: means are over replications, paired by replication and seed; intervals:
  none, because there is one replication
[["makespan_s","makespan_s_minus_first","runs","setting"],["makespan_s","makespan_s_minus_first","runs","setting"],["knowledge","makespan_s","runs","setting"],["knowledge","makespan_s","runs","setting"]]
$ cd $OUT/pairs; for words in 'sw --against policy' 'sw --against polcy=fifo' 'sw --against zzzzzz=1' 'sw --against policy=srtf' 'sw --metric jct' 'sw --metric zzzzzzzz' 'sw sw' 'sw -p fifo' 'sw --out x' 'sw --tolerance 3' 'sw --baseline sw' 'sw/runs.csv g.json' 'none' '-' 'p_1.csv -p fifo --against policy=fifo' 'p_1.csv -p fifo -p sjf --replications 2 --out x --tolerance 1' 'p_1.csv -p fifo -p sjf --json --latex' '- -p fifo -p sjf'; do schedsim compare $words </dev/null; done
schedsim: --against: 'policy' is not KEY=VALUE
schedsim: --against: sw/runs.csv has no setting 'polcy'; did you mean 'policy'?
schedsim: --against: sw/runs.csv has no setting 'zzzzzz'
schedsim: --against: no run of sw/runs.csv has policy 'srtf'
schedsim: sw/runs.csv: no column 'jct'
schedsim: sw/runs.csv: no column 'zzzzzzzz'
schedsim: sw/manifest.json: cannot be opened: No such file or directory
schedsim: compare: finished results take no options of a simulation, only --json, --latex and, for a sweep, --metric and --against
schedsim: compare: finished results take no options of a simulation, only --json, --latex and, for a sweep, --metric and --against
schedsim: compare: finished results take no options of a simulation, only --json, --latex and, for a sweep, --metric and --against
schedsim: compare: finished results take no options of a simulation, only --json, --latex and, for a sweep, --metric and --against
schedsim: sw/runs.csv/manifest.json: cannot be opened: Not a directory
note: no policy is named: fifo, backfill and srtf are compared (--policy names others)
schedsim: none:1:1: file: cannot open: No such file or directory
note: no policy is named: fifo, backfill and srtf are compared (--policy names others)
schedsim: compare: standard input can be read only once
schedsim: --against: is only for a sweep (its directory or its runs.csv)
schedsim: compare: --replications writes no results (--out); `sweep --keep` does
{"error": {"exit_status": 2, "meaning": "usage: an unknown option, policy or value", "message": "compare: --json and --latex exclude each other"}}
schedsim: compare: standard input can be read only once
[exit 2]
