# Nodes set aside for profiling: a share of them where the policy profiles, none
# where it does not; named ones; what cannot be had.
$ schedsim traces/samples/philly.csv --cluster 20x8 -p lucid --workloads lucid --out "$OUT/lucid" 2>"$OUT/words" | grep -A1 ^profiling | cut -d, -f1-2
profiling: 1989 jobs, 226 ended in it
packing: 1612 of 3763 attempts, 9.6 % of the busy GPU time
$ schedsim verify "$OUT/lucid"
...
$ grep -A2 '"profilers": {' "$OUT/lucid/manifest.json" | tr -d ' '
"profilers":{
"nodes":"1",
"asked":"1.48%"
$ schedsim explain "$OUT/lucid" --job 200 | grep -A2 'to be profiled' | head -3
4516 s (day 0.05)  waits 6.12 min to be profiled
    profiler-busy 6.12 min: it waited to be profiled
    meanwhile 71 others were profiled; 8 GPUs are set aside for that
$ schedsim traces/samples/philly.csv --cluster 20x8 -p fifo --quiet --out "$OUT/fifo"
$ grep -c '"profiling": {' "$OUT/fifo/summary.json"
0
[exit 1]
$ schedsim traces/samples/philly.csv --cluster 20x8 -p fifo --profilers 2 | grep ^profiling
profiling: 0 jobs, 0 ended in it, 0.0 GPU h
$ schedsim traces/samples/philly.csv --cluster 1x8 -p fifo --profilers 1
schedsim: --profilers: cluster 1x8 can spare 0 nodes, not 1
[exit 2]
$ schedsim traces/samples/philly.csv --cluster 2x8 -p fifo --profilers 1:prod
schedsim: --profilers: cluster 2x8 has no virtual cluster or GPU type 'prod'
[exit 2]
$ schedsim traces/samples/philly.csv --cluster 2x8+1x8:profiler -p fifo --profilers 1
schedsim: --profilers: cluster 2x8+1x8:profiler has its own profiler nodes
[exit 2]
$ schedsim traces/samples/philly.csv --cluster 2x8:A:profile -p fifo
schedsim: --cluster: '2x8:A:profile' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
[exit 2]

# Profiles, loans, sharing, failures and retries together; a job that is
# submitted again long after others is no new arrival to who learns.
$ schedsim traces/samples/philly.csv -n 120 --cluster 10x8 -p lucid:profile_lend_nodes=3,profile_lend_above=2,profile_return_below=2 --workloads lucid --interference fitted --faults exponential:per_1000_node_days=3000 --recovery retry:delay_s=60 --seed 1 --quiet --out "$OUT/storm"
$ schedsim verify "$OUT/storm" | sed "s|$OUT|OUT|"
OUT/storm: all checks passed

# What Lucid falls back on is said: which nodes were set aside, and that a job of
# 8 GPUs finds one as wide among nodes of several widths.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,gpu_util_percent\n0,200,8,a,20\n0,200,9,b,20\n' > $OUT/two.csv; schedsim $OUT/two.csv --cluster 6x4:T@1+3x8:U@1 -p lucid --remarks | sed -n '/^profiling/p;/^note/,/^$/{/./p}'
note: the policy asks for the run times of 2 jobs, and gets an answer for 0
  (learned: ga2m,history); of the others it knows nothing (--estimators)
profiling: 1 jobs, 0 ended in it, 0.2 GPU h, mean delay 100 s
note: profiling: 1 of 9 nodes set aside (1.48% asked for): 1 with 8 U;
  --profilers changes it
note: jobs that share GPUs are assumed to slow each other down by the model
  'fitted': a formula of GPU utilisation, memory bandwidth and memory
  (--interference)
note: profiling: 1 of 2 jobs ask for more than profile_max_gpus (8) GPUs, so
  their demand stayed unknown and they did not share
# Only narrower nodes profile; no node profiles; nobody is profiled.
$ schedsim $OUT/two.csv --cluster 6x4:T@1+3x8:U@1 -p lucid --profilers 1:T --json | grep -o '"profiling: [^"]*"' | head -1
"profiling: no profiler node was wide enough or of their GPU type for 1 of 2 jobs, of 8 GPUs and more (the widest has 4), so their demand stayed unknown and they did not share (--profilers)"
$ schedsim $OUT/two.csv --cluster 1x16 -p lucid --json | grep -o '"profiling: [^"]*"' | head -2
"profiling: no more than 0 of 1 profiler nodes could be set aside, because each virtual cluster keeps a node of each GPU type (--profilers N:NAME takes the last one)"
"profiling: there was no profiler node for 1 of 2 jobs, so their demand stayed unknown and they did not share (--profilers)"
$ schedsim $OUT/two.csv --cluster 1x16 -p lucid:profiling=none | sed -n '/^note/,/^$/{/./p}'
note: the policy asks for the run times of 2 jobs, and gets an answer for 0
  (learned: ga2m,history); of the others it knows nothing (--estimators)
note: jobs that share GPUs are assumed to slow each other down by the model
  'fitted': a formula of GPU utilisation, memory bandwidth and memory
  (--interference)
note: the estimators tell the demand of 1 of 2 jobs only after a profile, which
  profiling=none gives to no job in this run, so those jobs did not share
  (profiling=before, or --estimators with the layer workload)
$ schedsim $OUT/two.csv --cluster 3x16 -p lucid:profiling=parallel --remarks | sed -n '/^note/,/^$/{/./p}'
note: the policy asks for the run times of 2 jobs, and gets an answer for 0
  (learned: ga2m,history); of the others it knows nothing (--estimators)
note: profiling: 1 of 3 nodes set aside (1.48% asked for): 1 with 16 GPU;
  --profilers changes it
note: jobs that share GPUs are assumed to slow each other down by the model
  'fitted': a formula of GPU utilisation, memory bandwidth and memory
  (--interference)
note: the estimators tell the demand of 1 of 2 jobs only after a profile, which
  profiling=parallel gives to no job in this run, so those jobs did not share
  (profiling=before, or --estimators with the layer workload)
$ schedsim $OUT/two.csv --cluster 1x16 -p lucid:profiling=none --estimators oracle,workload --json | grep -cE '"profiling: |demand of'
0
[exit 1]
# Sharing that is dynamic by name only; jobs of unknown utilisation.
$ schedsim $OUT/two.csv --cluster 1x16 -p lucid:profiling=none --estimators oracle,workload --forecast none | sed -n '/^note/,/^$/{/./p}'
note: jobs that share GPUs are assumed to slow each other down by the model
  'fitted': a formula of GPU utilisation, memory bandwidth and memory
  (--interference)
note: sharing=dynamic without a forecast of submissions means that jobs may
  share at any time (--forecast)
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,200,8,a\n0,200,9,b\n' > $OUT/dark.csv; schedsim $OUT/dark.csv --cluster 1x16 -p lucid:profiling=none --estimators oracle,workload --interference constant | sed -n '/^note/,/^$/{/./p}'
note: no estimator knows the GPU utilisation of 1 of 2 jobs; they count as
  Jumbo, by the relative speed that two of them are expected to have on the same
  GPUs, 0.83 (policy option unknown; --workloads gives jobs a model)
$ schedsim $OUT/dark.csv --cluster 1x16 -p lucid:profiling=none,unknown=util --estimators oracle,workload --interference constant | sed -n '/^note/,/^$/{/./p}'
note: no estimator knows the GPU utilisation of 1 of 2 jobs; they count as
  Medium, by the utilisation that the estimator assumes; two of them on the same
  GPUs are expected to have a relative speed of 0.83 (policy option unknown;
  --workloads gives jobs a model)

# A job that needs all nodes gets them: the node that profiles is lent, and goes back
# for that job once the profile on it is over. Nobody is rejected.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,200,4,a\n10,300,32,all\n150,3000,4,b\n210,50,1,c\n' > $OUT/all.csv; schedsim $OUT/all.csv --cluster 4x8 -p lucid --estimators oracle,profiled --overhead none --out "$OUT/all" 2>"$OUT/words" | sed -n '/^\(profiling\|incomplete\)/p;/^note/,/^$/{/./p}'
note: interference fitted: the GPU utilisation of 4 of 4 jobs is unknown and
  assumed to be 100 %: two such jobs on one GPU have a relative speed of 0.62
  each (fitted:unknown_util, --workloads)
profiling: 3 jobs, 1 ended in it, 0.2 GPU h, mean delay 100 s
note: profiling: 1 of 4 nodes profile (1.48% asked for): 1 with 8 GPU; 1 jobs of
  32 GPUs or more need them and get them, and nothing is profiled there
  meanwhile (--profilers 0 profiles nothing)
note: jobs that share GPUs are assumed to slow each other down by the model
  'fitted': a formula of GPU utilisation, memory bandwidth and memory
  (--interference)
2 more remarks: --remarks
$ schedsim verify "$OUT/all" | sed "s|$OUT|OUT|"
OUT/all: all checks passed
$ cut -d, -f1,9,11 "$OUT/all/jobs.csv"
job_id,starting_time,finish_time
a,0,200
all,250,550
b,150,3450
c,550,600
$ schedsim explain "$OUT/all" --job c | grep -A2 'to be profiled'
210 s (day 0.00)  waits 5.67 min to be profiled
    profiler-busy 5.67 min: it waited to be profiled
    meanwhile 1 others were profiled; 8 GPUs were lent for that
550 s (day 0.01)  is profiled on 1 GPU of node 3, runs 50.0 s: finished
$ schedsim verify --again "$OUT/all" | sed "s|$OUT|OUT|"
OUT/all: run again, every file has the same bytes
$ schedsim $OUT/all.csv --cluster 4x8 -p lucid:profiling=parallel --estimators oracle,profiled --overhead none --json | grep -o '"profiling: [^"]*"'
"profiling: lucid profiles no job: with 1 of the nodes set aside, 1 jobs of 32 GPUs or more would be rejected (--profilers 1 does)"

# A demand that is only assumed does not keep a job from being profiled, if the layer
# that measures is above. If no job is profiled, the result does not say that it was.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,200,2,a\n0,300,2,b\n' > $OUT/few.csv; for chain in oracle,profiled,workload oracle,workload,profiled oracle,profiled; do schedsim $OUT/few.csv --cluster 4x8 -p lucid --estimators $chain --overhead none | sed -n '/^run times/,/^note/{/^note/!p};/^profiling: /p'; done
run times known exactly (oracle, an upper bound); demand measured by profiling
  (profiled), else as the trace gives it (workload)
profiling: 2 jobs, 0 ended in it, 0.1 GPU h, mean delay 100 s
run times known exactly (oracle, an upper bound); demand as the trace gives it
  (workload)
profiling: 0 jobs, 0 ended in it, 0.0 GPU h
run times known exactly (oracle, an upper bound); demand measured by profiling
  (profiled)
profiling: 2 jobs, 0 ended in it, 0.1 GPU h, mean delay 100 s
$ schedsim $OUT/few.csv --cluster 4x8 -p lucid --profilers 0 --estimators oracle,profiled --out "$OUT/few" 2>"$OUT/words" | sed -n '/^run times/,/^note/{/^note/!p}'
run times known exactly (oracle, an upper bound); demand unknown, for no job was
  profiled
$ schedsim verify "$OUT/few" | sed "s|$OUT|OUT|"
OUT/few: all checks passed
$ grep '"demand"' "$OUT/few/summary.json" | tr -d ' ,'
"demand":"none"

# An answer of which nothing is told leaves Lucid as it is.
$ for p in lucid "lucid+advisor --schedmate beliefs=law,tells_times=false,tells_demand=false"; do schedsim traces/samples/philly.csv --jobs 1500 --cluster 4x8 --workloads lucid --forecast none --estimators history,workload -q --out "$OUT/$p" -p $p >/dev/null 2>&1; done; cut -d, -f1-12 "$OUT"/lucid/jobs.csv | cmp - <(cut -d, -f1-12 "$OUT"/lucid+*/jobs.csv) && echo equal
equal
