# What the policy knew is said beside its numbers: the truth is an upper bound,
# and a policy that asks for nothing says nothing.
$ cd $OUT; (echo submitted_unix_s,duration_s,gpus,job_id,user,name; for i in $(seq 300); do echo $((i*50)),$((100+i*37%400)),$((1+i%3)),j$i,u$((i%5)),n$((i%7)); done) >jobs.csv; schedsim jobs.csv --cluster 1x8 -p srtf --estimators oracle | head -2
srtf on 1x8: 300 jobs, all done
run times known exactly (oracle, an upper bound)
$ cd $OUT; schedsim jobs.csv --cluster 1x8 -p fifo | head -2 | cut -c1-8
fifo on 
note: of
$ cd $OUT; schedsim compare jobs.csv --cluster 1x8 -p fifo -p srtf -p sjf -p horus --estimators history,workload | sed -n '1,7p' | cut -c1-65
policy     JCT min [95 %]   p99  queue min   p99  makespan h  pre
horus            33.9 [-]  66.2       25.9  57.0        5.22     
srtf    60.2 [50.2, 72.2]   308       55.1   302        6.46     
sjf     80.5 [64.8, 99.9]   314       75.5   307        6.74     
fifo             94.6 [-]   186       89.6   180        7.29     
srtf, sjf: run times learned from ended jobs (history)
horus: demand as the trace gives it (workload)
$ cd $OUT; schedsim compare jobs.csv --cluster 1x8 -p fifo -p srtf --estimators oracle --json | grep -A6 '"knowledge"'
    "knowledge": {
      "run_times": "oracle",
      "mark": "oracle, an upper bound",
      "words": "run times known exactly (oracle, an upper bound)",
      "answered": 1
    },
    "remarks": [
$ cd $OUT; schedsim jobs.csv --cluster 1x8 -p srtf --estimators noisy:law=lognormal,oracle -q -o noisy; schedsim jobs.csv --cluster 1x8 -p srtf --estimators oracle -q -o exact; schedsim compare noisy exact | sed -n '/^\*/,/^[^* ]/{/^[* ]/p}; s/\([^ ]\)  .*/\1/; 1,6p'
result
exact *
noisy
noisy: run times with random errors (noisy) of those known exactly (oracle, an
  upper bound)
exact: run times known exactly (oracle, an upper bound)
* exact differs in more than the policy: believed run times oracle (noisy:
  noisy,oracle)
$ cd $OUT; schedsim verify noisy >words && schedsim verify exact >words; schedsim plot noisy exact --kind cdf --script plot.gp >words 2>&1; grep -o "srtf[^']*" plot.gp | sort -u
srtf (oracle, an upper bound)
srtf (truth with errors)
# Few answers are said: no job of this trace declares a run time.
$ cd $OUT; schedsim jobs.csv --cluster 1x8 -p sjf --estimators declared | sed -n '/^run times/p;/^note/,/^$/{/./p};/^\[-\]/,$p'
run times declared by the users (declared), for 0 % of the jobs
note: offered load 1.48: if no job waited, 12 GPUs would be in use on average,
  and the cluster has 8; waits grow with the length of such a trace
note: the policy asks for the run times of 300 jobs, and gets an answer for 0
  (declared); of the others it knows nothing (--estimators)
[-]: the mean has no interval, because neighbouring jobs are so much alike that
  all of them amount to fewer than 4 independent ones; `compare --replications`
  has one
# A capacity answer that rests on the truth is a lower bound.
$ cd $OUT; schedsim size jobs.csv --cluster 4x8 -p srtf --estimators oracle --target 'queue_delay.p95 < 10min' --replications 0 | sed -n 3,4p
run times known exactly (oracle, an upper bound): a scheduler that knows less
  needs at least these nodes
$ cd $OUT; schedsim size jobs.csv --cluster 4x8 -p srtf --estimators history --target 'queue_delay.p95 < 10min' --replications 0 --json | grep -A3 '"knowledge"'
  "knowledge": {
    "run_times": "learned: history",
    "words": "run times learned from ended jobs (history)",
    "answered": 0.99
# SchedMate's beliefs by the law of errors are drawn from the truth.
$ cd $OUT; schedsim compare jobs.csv --cluster 1x8 -p srtf -p srtf+advisor --estimators history --schedmate beliefs=law,match=1,wrong=0 2>&1 | sed -n '2,6p' | cut -c1-150
srtf+advisor (truth with errors)  57.2 [47.3, 69.1]  320       51.9  312        6.64       316   all
srtf                              60.2 [50.2, 72.2]  308       55.1  302        6.46       115   all
srtf: run times learned from ended jobs (history)
srtf+advisor: run times known with the published errors for 100 % of the jobs
  (advisor), else learned from ended jobs (advisor, history)
$ cd $OUT; echo '{"trace": ["jobs.csv"], "cluster": ["1x8"], "policy": ["fifo", "srtf"], "estimators": ["history", "oracle"]}' >grid.json; schedsim sweep grid.json --out sweep -q >words 2>&1; cut -d, -f3,4,7,8 sweep/runs.csv
policy,estimators,knowledge,knowledge_mark
fifo,history,,
fifo,oracle,,
srtf,history,run times learned from ended jobs (history),
srtf,oracle,"run times known exactly (oracle, an upper bound)"
$ cd $OUT; schedsim compare sweep/runs.csv | sed 's/\([^ ]\)  .*/\1/' | sed -n '1,8p'
setting
policy=fifo estimators=history
policy=fifo estimators=oracle
policy=srtf estimators=history
policy=srtf estimators=oracle (oracle, an upper bound)
policy=srtf estimators=history: run times learned from ended jobs (history)
policy=srtf estimators=oracle (oracle, an upper bound): run times known exactly
  (oracle, an upper bound)
