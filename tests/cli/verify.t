# What verify recomputes, at the edges. The last to end is a job without length:
# the others have left the GPUs by then.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n200,0,1,b\n' > $OUT/zero.csv; schedsim $OUT/zero.csv --policy gavel-las --cluster 1x1 --out $OUT/zero --quiet; cut -d, -f1,9,11 $OUT/zero/jobs.csv; schedsim verify $OUT/zero | sed 's/^.*: //'
job_id,starting_time,finish_time
a,0,100
b,360,360
all checks passed
# Jobs that are counted down hold their GPUs for a second more: overhead.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n200,30,1,b\n' > $OUT/two.csv; schedsim $OUT/two.csv --rules lucid --policy lucid:sharing=off,profiling=none --cluster 1x1 --profilers 0 --out $OUT/two --quiet; cut -d, -f1,25-27 $OUT/two/jobs.csv; schedsim verify $OUT/two | sed 's/^.*: //'
job_id,running,work,overhead
a,101,100,1
b,31,30,1
all checks passed
# Who never starts is called as the trace calls it.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,2,long\n1,10,4,wide\n' > $OUT/wide.csv; schedsim $OUT/wide.csv --cluster 1x4 --engine horizon_s=50 --quiet
schedsim: 2 of 2 jobs unfinished: 1 waiting in virtual cluster all, first job wide for 4 GPUs of which 2 are free
[exit 4]
# A job whose work is done is finished, not failed, when its node goes during the
# lag; the lag so far is overhead.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n' > $OUT/one.csv; schedsim $OUT/one.csv --cluster 1x1 --policy srtf --rules helios --faults once:at_s=10.5,repair_s=60,node=0 --out $OUT/lag --quiet; cut -d, -f1,11,25-27,34 $OUT/lag/jobs.csv; schedsim verify $OUT/lag | sed 's/^.*: //'
job_id,finish_time,running,work,overhead,outcome
a,10.5,10.5,10,0.5,unknown
all checks passed
# Ends on a grid: work is what was recorded, running time is rounded.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10.4,1,a\n0,3.6,1,b\n' > $OUT/frac.csv; schedsim $OUT/frac.csv --cluster 1x4:T4 --rules sia --out $OUT/frac --quiet; cut -d, -f1,25-27 $OUT/frac/jobs.csv; schedsim verify $OUT/frac | sed 's/^.*: //'
job_id,running,work,overhead
a,10,10.4,0
b,4,3.6,0
all checks passed
# Counted down, a second that a failure cuts short is no work, and what the
# failure lost is done again.
$ schedsim $OUT/frac.csv --cluster 1x4 --engine countdown=true --faults once:at_s=5.3,repair_s=60,node=0 --recovery retry:sigma=0,delay_s=3 --out $OUT/count --quiet; cut -d, -f1,25-28 $OUT/count/jobs.csv; schedsim verify $OUT/count | sed 's/^.*: //'
job_id,running,work,overhead,lost
a,17.3,15.4,1.9,5
b,5,3.6,1.4,0
all checks passed
# Counting whole seconds does not go with a speed that changes within one.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,model,batch_size,elasticity\n0.000002,100,1,a,cifar10,32,rigid\n' > $OUT/cd.csv; schedsim $OUT/cd.csv --cluster 2x4:T4 --quiet --policy lucid --rules lucid --throughput application
schedsim: --throughput application: the speed of job a changes as it trains, but countdown (of the engine, or of the rules lucid) counts whole seconds of one speed: --engine countdown=false, or --throughput rigid
[exit 2]
