# Another trace from the rows of one: the weeks of each virtual cluster change places.
$ awk 'BEGIN{print "submitted_unix_s,duration_s,gpus,job_id,vc,user,end"; for(i=0;i<600;i++) print i*4000+1506902400 "," 60+i*3701%20000 "," 2^(i%4) ",j" i "," (i%3?"big":"small") "," (i%5?"u" i%7:"") ",completed"}' > $OUT/rows.csv; schedsim trace resample $OUT/rows.csv --seed 3 -o $OUT/a.csv; schedsim trace resample $OUT/rows.csv --seed 3 -q | cmp - $OUT/a.csv
600 rows from 600, seed 3: 4 whole blocks of 7 days permuted in each of 2 virtual clusters
note: 120 rows name no user; they stay without one
$ schedsim trace convert $OUT/rows.csv $OUT/all.csv --force; schedsim trace resample $OUT/rows.csv --quiet --set duration-noise=0 -o $OUT/b.csv; for f in all b; do tail -n +2 $OUT/$f.csv | cut -d, -f2-4,6,18 | sort > $OUT/$f.rows; done; cmp $OUT/all.rows $OUT/b.rows; cmp -s $OUT/all.csv $OUT/b.csv || echo other times
other times
$ schedsim trace resample $OUT/rows.csv --set order=draw --set joint --set drop-partial -o $OUT/d.csv
606 rows from 600, seed 1: 4 whole blocks of 7 days drawn with replacement in the whole cluster
note: 122 rows name no user; they stay without one
$ schedsim trace resample $OUT/rows.csv --block-days 40 -o $OUT/d.csv
600 rows from 600, seed 1: 0 whole blocks of 40 days permuted in each of 2 virtual clusters
note: the trace has no whole block of 40 days: nothing changes places; only jitter, run times and names differ
note: the last block is not whole; its 600 rows stay at its end (--set drop-partial leaves them out)
note: blocks of 40 days mix the days of the week
note: 120 rows name no user; they stay without one
# What cannot be resampled, or not so.
$ schedsim trace resample traces/samples/evidence.csv -o $OUT/c.csv
schedsim: traces/samples/evidence.evidence.csv: the evidence beside the trace is of the jobs as they ran and cannot be resampled; --set without-evidence leaves it out
[exit 2]
$ schedsim trace resample traces/samples/evidence.csv --set without-evidence -o $OUT/c.csv 2>&1 | head -1
note: traces/samples/evidence.evidence.csv is left out: run times no longer follow from it
$ schedsim trace resample $OUT/rows.csv --set zone=mars -o $OUT/d.csv
schedsim: --set zone: 'mars' is not one of utc, pacific and +HH:MM
[exit 2]
$ schedsim trace resample $OUT/rows.csv --block-days 0 -o $OUT/d.csv
schedsim: --block-days: '0' is not a number, 0.01 to 3660
[exit 2]
$ schedsim trace resample $OUT/rows.csv --as tiresias -q -o $OUT/d.csv 2>&1 | sed "s|$OUT/||"
schedsim: rows.csv:154: format tiresias cannot hold a user; --lossy leaves it out
$ printf 'submitted_unix_s,duration_s,gpus,job_id,vc,user\n0,10,1,a,x,u\n-3000000000,10,1,b,y,u\n3000000000,10,1,c,,\n' > $OUT/far.csv; cd $OUT; schedsim trace resample far.csv --block-days 0.01
schedsim: the rows were submitted within 6.945e+04 days, which are more than 10000000 blocks of 0.01 days in 3 virtual clusters; is a date wrong?
[exit 3]
# A grid runs each policy on the same replications; the old script calls `sweep`.
$ echo '{"trace": [{"resample": "'$OUT'/rows.csv", "seeds": 3}], "policy": ["fifo", "srtf"], "cluster": ["big=1x8,small=1x8"]}' > $OUT/grid.json; export SCHEDSIM=$OUT/schedsim; python3 -B bench/sweep.py $OUT/grid.json $OUT/sweep 2>&1 | sed "s|$OUT/||g"; python3 -B bench/sweep.py $OUT/grid.json $OUT/sweep --collect | cut -d, -f1-7 | sed "s|$OUT/||g"; python3 -B bench/sweep.py $OUT/grid.json $OUT/sweep --intervals | grep 'policy\|queue_delay' | sed "s|$OUT/||g"
6 runs in sweep/runs.csv, 6 of them made now
trace,policy,cluster,replication,jobs,unfinished,makespan_s
rows.csv,fifo,"big=1x8,small=1x8",1,600,0
rows.csv,srtf,"big=1x8,small=1x8",1,600,0
rows.csv,fifo,"big=1x8,small=1x8",2,600,0
rows.csv,srtf,"big=1x8,small=1x8",2,600,0
rows.csv,fifo,"big=1x8,small=1x8",3,600,0
rows.csv,srtf,"big=1x8,small=1x8",3,600,0
trace,policy,cluster,metric,replications,mean,mean_lo,mean_hi,minus_first,minus_first_lo,minus_first_hi
rows.csv,fifo,"big=1x8,small=1x8",queue_delay_s,3,71394,53708.2,94633.4,,,
rows.csv,srtf,"big=1x8,small=1x8",queue_delay_s,3,34362.4,13415.7,85456.8,-37031.6,-79426,5362.72
$ cd $OUT; schedsim sweep grid.json --out sweep --collect --intervals=of=jct_s.p99 --against policy=srtf -q | cut -d, -f5-; schedsim compare sweep --against policy=fifo | tail -9
metric,replications,mean,mean_lo,mean_hi,minus_first,minus_first_lo,minus_first_hi,change,less,more,cohen_d,verdict,replications_needed
resample,jct_s_p99,3,218196,145833,324559,-737844,-1.4204e+06,-55285.4,-0.771771,1,0,-4.65116,less,
resample,jct_s_p99,3,956040,495943,1.81591e+06,,,,,,,,,
srtf     queue_delay_s_mean   -10.3 h [-22.1, 1.5]  -51.9 %  noise
srtf     slowdown_mean       -6.00 [-58.79, 46.78]  -25.5 %  noise
noise: the interval contains 0, so chance alone may explain the difference
note: of resamples of the same rows, intervals are the spread, which more
  resamples do not narrow; permuted blocks keep all jobs, so that it is that of
  their order only ("order": "weekdays", "block-days": 1 draws jobs too)
note: each setting is compared with the one that differs from it in policy=fifo
note: means are over replications, paired by replication and seed; intervals:
  their spread
$ sed -i 's/"seeds": 3/"seed": 3/' $OUT/grid.json; SCHEDSIM=$OUT/schedsim python3 -B bench/sweep.py $OUT/grid.json $OUT/sweep 2>&1 | sed "s|$OUT/||g"
schedsim: grid.json: seeds: expected a number from 1 to 100000, or a list of seeds
# `compare` makes replications of its own: the same ones, paired.
$ schedsim compare $OUT/rows.csv --cluster big=1x8,small=1x8 -p fifo -p srtf --replications 3 | sed 's/ *$//'; schedsim compare $OUT/rows.csv --cluster big=1x8,small=1x8 -p fifo -p srtf --replications 3 --json | grep -A1 minus_first | grep -c '"replications": 3'
policy     JCT mean [95 %]   queue mean [95 %]
srtf    14.1 h [6.8, 28.5]  11.3 h [4.6, 26.8]
fifo    20.1 h [4.6, 81.1]  17.3 h [3.1, 88.3]
srtf: run times learned from ended jobs (ga2m, history)

policy  metric             minus fifo [95 %]   change  verdict
srtf    jct          -6.01 h [-28.34, 16.33]  -29.9 %  noise
srtf    queue_delay  -6.01 h [-28.35, 16.33]  -34.7 %  noise
noise: the interval contains 0, so chance alone may explain the difference
3 replications: blocks of 1 day of the trace, drawn with replacement; intervals
  are the spread of the replications, which is the uncertainty of the trace
4
$ schedsim compare $OUT/rows.csv -p fifo --replications 3 --tolerance 1
schedsim: compare: --replications cannot be combined with --baseline, --metric and --tolerance
[exit 2]
$ schedsim compare traces/samples/evidence.csv -p fifo --replications 2
schedsim: --replications: the evidence beside the trace is of the jobs as they ran and cannot be resampled; --evidence generated makes other evidence
[exit 2]
$ schedsim compare - -p fifo --replications 2 < $OUT/rows.csv
schedsim: --replications: standard input can be read only once
[exit 2]
# Replications in which a policy finished other jobs have no differences.
$ schedsim compare traces/samples/itp.csv -c 8x8 --estimators oracle --engine horizon_s=900000 -p fifo -p fifo -p srtf --replications 2 | sed '/ replications: blocks/,$d'; schedsim compare traces/samples/itp.csv -c 8x8 --estimators oracle --engine horizon_s=900000 -p fifo -p srtf --replications 2 --json 2>/dev/null | grep '_share\|verdict\|change'
policy                              JCT mean [95 %]       queue mean [95 %]             done
fifo                            31.5 h [1.5, 638.1]     27.4 h [0.9, 831.7]  41.9 % of GPU h
fifo                            31.5 h [1.5, 638.1]     27.4 h [0.9, 831.7]  41.9 % of GPU h
srtf (oracle, an upper bound)  6.24 h [0.59, 64.94]  2.08 h [0.00, 1251.76]  44.2 % of GPU h
srtf: run times known exactly (oracle, an upper bound)

policy  metric       minus fifo [95 %]  change  verdict
fifo    jct                 0 s [0, 0]  +0.0 %  equal
fifo    queue_delay         0 s [0, 0]  +0.0 %  equal
srtf    jct                          -       -  not comparable
srtf    queue_delay                  -       -  not comparable
not comparable: the two did not finish the same jobs
incomplete: fifo: 2099 jobs of all replications did not finish
incomplete: fifo: 2099 jobs of all replications did not finish
incomplete: srtf: 2096 jobs of all replications did not finish
    "finished_share": 0.418545270633379,
      "change": 0,
      "verdict": "equal",
      "change": 0,
      "verdict": "equal",
    "finished_share": 0.441849108626406,
      "change": null,
      "verdict": "not comparable",
      "change": null,
      "verdict": "not comparable",
schedsim: 1253 of 1966 jobs unfinished: 0 jobs still running
$ echo '{"trace": [{"resample": "itp.csv", "seeds": 2}], "policy": ["fifo", "srtf"], "cluster": ["8x8"], "estimators": ["oracle"], "engine": ["horizon_s=900000"]}' > $OUT/part.json; cp traces/samples/itp.csv $OUT; cd $OUT; schedsim sweep part.json --out lesser | sed '/^note/,/^[^ n]/{/^note\|^ /d}'; schedsim sweep part.json --out lesser --json 2>/dev/null | grep _share; schedsim compare lesser --metric jct_s | sed '/^note/,/^[^ n]/{/^note\|^ /d}'
all runs: trace itp.csv (resample), cluster 8x8, estimators oracle, engine horizon_s=900000
policy              JCT mean            queue mean  JCT p99  makespan  runs  
fifo    32.6 h [0.3, 2918.5]  28.7 h [0.1, 5051.7]   2.60 d    10.4 d     2  2 incomplete (30.5 % of GPU h)
srtf    5.66 h [2.26, 14.12]     108 min [5, 2192]   28.4 h    10.4 d     2  2 incomplete (30.8 % of GPU h)
not comparable: settings with incomplete runs did not finish the same jobs as
  others
      "finished_share": 0.304568238803385,
      "finished_share": 0.307749495335457,
setting                        runs     jct_s_mean [95 %]             done
fifo                              2  32.6 h [0.3, 2918.5]  30.5 % of GPU h
srtf (oracle, an upper bound)     2  5.66 h [2.26, 14.12]  30.8 % of GPU h
srtf (oracle, an upper bound): run times known exactly (oracle, an upper bound)

setting                        metric      minus first [95 %]  change  verdict
srtf (oracle, an upper bound)  jct_s_mean                   -       -  not comparable
not comparable: the two did not finish the same jobs
incomplete: in 4 runs some jobs did not finish (column unfinished)
4 runs in lesser/runs.csv, 4 of them made now
schedsim: in 4 of 4 runs some job did not finish
# A policy that fails is a row and a line, as without replications.
$ schedsim compare traces/samples/itp.csv -c 8x8 --estimators oracle -p exec:false -p fifo -p srft -p srtf --replications 2 | sed 's/ (the program may.*//; / replications: blocks/,$d'; exit ${PIPESTATUS[0]}
policy                              JCT mean [95 %]    queue mean [95 %]    done
srtf (oracle, an upper bound)  6.30 h [1.19, 32.96]  2.32 h [0.64, 8.37]     all
fifo                            22.8 h [19.1, 27.3]  18.9 h [15.8, 22.5]     all
exec:false                                        -                    -  failed
srft                                              -                    -  failed
failed: exec:false: policy exec: the program 'false' ended with exit status 1
failed: srft: no policy 'srft'; did you mean 'srtf'?
srtf: run times known exactly (oracle, an upper bound)

policy  metric            minus fifo [95 %]   change  verdict
srtf    jct          -16.5 h [-22.9, -10.2]  -72.4 %  better
srtf    queue_delay  -16.5 h [-22.9, -10.2]  -87.7 %  better
[exit 1]
$ schedsim compare traces/samples/itp.csv -c 8x8 -p srft --replications 2
schedsim: no policy 'srft'; did you mean 'srtf'?
[exit 2]
# Zones, and what is said of the length of a block.
$ cd $OUT; for zone in utc pacific +05:30 -09:00 +5:30 +15:00 +05:60 05:30z +0530x; do schedsim trace resample rows.csv --set zone=$zone -q --force -o z.csv 2>&1 && sha256sum <z.csv | cut -c1-8; done
91617014
d96af1fc
5834604e
c96b6ed6
schedsim: --set zone: '+5:30' is not one of utc, pacific and +HH:MM
schedsim: --set zone: '+15:00' is not one of utc, pacific and +HH:MM
schedsim: --set zone: '+05:60' is not one of utc, pacific and +HH:MM
schedsim: --set zone: '05:30z' is not one of utc, pacific and +HH:MM
schedsim: --set zone: '+0530x' is not one of utc, pacific and +HH:MM
[exit 2]
$ cd $OUT; schedsim trace resample rows.csv --block-days 1.5 --force -o z.csv; schedsim trace resample rows.csv --block-days 20 --set order=draw --set joint --force -o z.csv; schedsim trace resample rows.csv --block-days 1 --set order=weekdays --force -o z.csv; schedsim trace resample rows.csv --block-days 2 --set order=weekdays --as philly --lossy --force -o z.json; head -c 80 z.json; echo; schedsim trace resample - --as csvv </dev/null; schedsim trace resample - </dev/null; schedsim trace resample rows.csv -o rows.csv --force; schedsim trace resample rows.csv -o z.csv
[
{"status": "Pass", "vc": "big", "jobid": "j520", "attempts": [{"start_time": "
600 rows from 600, seed 1: 18 whole blocks of 1.5 days permuted in each of 2 virtual clusters
note: the last block is not whole; its 16 rows stay at its end (--set drop-partial leaves them out)
note: blocks of 1.5 days mix the days of the week and the hours of the day
note: 120 rows name no user; they stay without one
605 rows from 600, seed 1: 1 whole block of 20 days drawn with replacement in the whole cluster
note: 259 rows left out: drawn for the last place, but after the end of the trace
note: the trace has one whole block of 20 days: each place gets the same one; only jitter, run times and names differ
note: blocks of 20 days mix the days of the week
note: 122 rows name no user; they stay without one
602 rows from 600, seed 1: 28 whole blocks of 1 days drawn with replacement in each of 2 virtual clusters
note: blocks of 1 days mix the days of the week
note: 121 rows name no user; they stay without one
601 rows from 600, seed 1: 14 whole blocks of 2 days drawn with replacement in each of 2 virtual clusters
note: blocks of 2 days mix the days of the week
note: 121 rows name no user; they stay without one
schedsim: no trace format 'csvv'; 'schedsim help trace' lists them
schedsim: standard input:1:1: file: empty file
schedsim: rows.csv: would be read and replaced; name another file to write
600 rows from 600, seed 1: 4 whole blocks of 7 days permuted in each of 2 virtual clusters
note: 120 rows name no user; they stay without one
