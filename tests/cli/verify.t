# What verify recomputes, at the edges. The last to end is a job without length:
# the others have left the GPUs by then.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n200,0,1,b\n' > $OUT/zero.csv; schedsim $OUT/zero.csv --policy gavel-las --cluster 1x1 --out $OUT/zero --quiet; cut -d, -f1,9,11 $OUT/zero/jobs.csv; schedsim verify $OUT/zero | sed 's/^.*: //'
job_id,starting_time,finish_time
a,0,100
b,360,360
all checks passed
# Jobs that are counted down hold their GPUs for a second more: overhead.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n200,30,1,b\n' > $OUT/two.csv; schedsim $OUT/two.csv --conventions lucid --policy lucid:sharing=off,profiling=none --cluster 1x1 --profilers 0 --out $OUT/two --quiet; cut -d, -f1,25-27 $OUT/two/jobs.csv; schedsim verify $OUT/two | sed 's/^.*: //'
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
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n' > $OUT/one.csv; schedsim $OUT/one.csv --cluster 1x1 --policy srtf --conventions helios --faults once:at_s=10.5,repair_s=60,node=0 --out $OUT/lag --quiet; cut -d, -f1,11,25-27,35 $OUT/lag/jobs.csv; schedsim verify $OUT/lag | sed 's/^.*: //'
job_id,finish_time,running,work,overhead,outcome
a,10.5,10.5,10,0.5,unknown
all checks passed
# Ends on a grid: work is what was recorded, running time is rounded.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10.4,1,a\n0,3.6,1,b\n' > $OUT/frac.csv; schedsim $OUT/frac.csv --cluster 1x4:T4 --conventions sia --out $OUT/frac --quiet; cut -d, -f1,25-27 $OUT/frac/jobs.csv; schedsim verify $OUT/frac | sed 's/^.*: //'
job_id,running,work,overhead
a,10,10.4,0
b,4,3.6,0
all checks passed
# Counted down, a second that a failure cuts short is no work, and what the
# failure lost is done again.
$ schedsim $OUT/frac.csv --cluster 1x4 --time-law countdown --faults once:at_s=5.3,repair_s=60,node=0 --recovery retry:sigma=0,delay_s=3 --out $OUT/count --quiet; cut -d, -f1,25-28 $OUT/count/jobs.csv; schedsim verify $OUT/count | sed 's/^.*: //'
job_id,running,work,overhead,lost
a,17.3,15.4,1.9,5
b,5,3.6,1.4,0
all checks passed
# Counting whole seconds does not go with a speed that changes within one.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,model,batch_size,elasticity\n0.000002,100,1,a,cifar10,32,rigid\n' > $OUT/cd.csv; schedsim $OUT/cd.csv --cluster 2x4:T4 --quiet --policy lucid --conventions lucid --throughput application:replace=true
schedsim: --throughput application: the speed of job a changes as it trains, but the law of time countdown counts whole seconds of one speed: --time-law exact, or --throughput rigid
[exit 2]
# The run ends at the horizon, not at the last event before it: what runs is
# booked until then, start-up and all, and still holds its GPUs.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n5,100,1,b\n60,50,1,c\n200,5,1,d\n' > $OUT/hz.csv; schedsim $OUT/hz.csv --cluster 1x2 --policy srtf --overhead fixed:start_s=3 --engine horizon_s=60 --series interval=20 --out $OUT/hz --quiet; cut -d, -f1,25-27,36 $OUT/hz/jobs.csv; cut -d, -f1,3 $OUT/hz/series.csv | tail -2; schedsim verify $OUT/hz | sed 's/^.*: //'
job_id,running,work,overhead,shared
a,60,57,3,0
b,55,52,3,0
c,0,0,0,0
d,0,0,0,0
20,2
60,2
all checks passed
schedsim: 4 of 4 jobs unfinished: 1 waiting in virtual cluster all, first job c for 1 GPUs of which 0 are free
# A job that is co-located then has shared a GPU, and an attempt that began at that
# instant has no length but holds its GPU.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n20,100,1,b\n40,9,1,c\n' > $OUT/pair.csv; schedsim $OUT/pair.csv --cluster 1x2 --policy random-pack --engine horizon_s=40 --interference constant:slowdown=1.5 --out $OUT/pair --quiet; cut -d, -f1,25,36 $OUT/pair/jobs.csv; schedsim verify $OUT/pair | sed 's/^.*: //'
job_id,running,shared
a,40,0
b,20,1
c,0,1
all checks passed
schedsim: 3 of 3 jobs unfinished: 3 jobs still running
# Centuries to the microsecond.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,3000000000.000001,1,a\n0,3000000000.5,1,b\n0,3155000000.25,1,c\n0,3155000000.25,1,d\n' > $OUT/long.csv; schedsim $OUT/long.csv --cluster 1x1 --faults once:at_s=2000000000.000001,repair_s=100,node=0 --recovery retry:delay_s=1000,sigma=0 --out $OUT/long --quiet; cut -d, -f1,11 $OUT/long/jobs.csv; grep end_s $OUT/long/manifest.json; schedsim verify $OUT/long | sed 's/^.*: //'
job_id,finish_time
a,12310000301.000002
b,5000000100.500001
c,8155000100.750001
d,11310000101.000001
  "end_s": "12310000301.000002",
all checks passed
# Half of its first 100 s on a GPU are undone by a failure: of 150 GPU seconds
# held, 100 gave work that was kept. Of a job that is given up none did.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n' > $OUT/fails.csv; for recovery in retry none; do schedsim $OUT/fails.csv --cluster 1x2 --faults once:at_s=50,repair_s=50,node=0 --recovery $recovery --overhead fixed:checkpoint_s=0 --out $OUT/fails --quiet; grep -m 1 '"goodput"' $OUT/fails/summary.json; cut -d, -f19,25- $OUT/fails/attempts.csv; schedsim verify $OUT/fails | sed 's/^.*: //'; done
    "goodput": 0.666666666666667,
how,idle,work,resume,lost
failed,0,50,0,50
finished,0,100,0,0
all checks passed
    "goodput": 0,
how,idle,work,resume,lost
failed,0,50,0,50
all checks passed
# Elastic jobs on fewer and faster GPUs than they ask for do not use more GPU
# time than there is (it was 1.98 of 1).
$ schedsim traces/samples/sia.csv --jobs 50 --policy pollux --throughput application:replace=true --cluster 4x4:T4 --json | grep -c '"utilisation": 0\.'
1
# The share of a job's GPU time that was useful is whole GPU-microseconds, of which part of one is none.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n110,0.000009,2,j0\n84.788126,0.000005,1,j1\n120,0,3,j2\n10.934342,0,1,j3\n' > $OUT/micro.csv; schedsim $OUT/micro.csv --cluster a=1x4+1x2 --policy gavel-las --time-law grid:step_s=7,lag_s=2955.075 --out $OUT/micro --quiet; schedsim verify $OUT/micro | sed 's/^.*: //'
all checks passed
# The shortest run that there is has a fair time, of a microsecond.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,0.000001,1,a\n' > $OUT/shortest.csv; schedsim $OUT/shortest.csv --cluster 1x1 --out $OUT/shortest --quiet; cut -d, -f11,33 $OUT/shortest/jobs.csv; schedsim verify $OUT/shortest | sed 's/^.*: //'
finish_time,rho
0.000001,1
all checks passed
# A planned return ends no repair; two planned departures and one return bring
# the node back.
$ echo '{"nodes":[{"gpus":4}],"changes":[{"at_s":5,"node":0,"up":true}]}' > $OUT/up.json; schedsim $OUT/one.csv --cluster $OUT/up.json --faults once:at_s=2,repair_s=100 --recovery retry:delay_s=0,sigma=0 --out $OUT/up --quiet; cut -d, -f9,11 $OUT/up/jobs.csv; schedsim verify $OUT/up | sed 's/^.*: //'
starting_time,finish_time
0,112
all checks passed
$ echo '{"nodes":[{"gpus":4}],"changes":[{"at_s":5,"node":0,"up":false},{"at_s":7,"node":0,"up":false},{"at_s":10,"node":0,"up":true}]}' > $OUT/down.json; printf 'submitted_unix_s,duration_s,gpus,job_id\n0,1,1,z\n12,10,1,a\n' > $OUT/down.csv; schedsim $OUT/down.csv --cluster $OUT/down.json --out $OUT/down 2>&1 | grep -A1 planned; cut -d, -f9,11 $OUT/down/jobs.csv; schedsim verify $OUT/down | sed 's/^.*: //'
note: 1 planned change of a node had no effect: by plan the node had left or
  returned before
starting_time,finish_time
0,1
12,22
all checks passed
# Jobs and series may name virtual clusters and types without nodes.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,vc\n0,10,1,x,a\n0,10,1,y,b\n' > $OUT/vc.csv; schedsim $OUT/vc.csv --cluster a=1x4,b=1x4 --what-if '-1 nodes in a' --series by=vc --out $OUT/vc --quiet 2>&1; for what in verify 'explain --all' "report --out $OUT/vc.html"; do schedsim $what $OUT/vc > $OUT/said 2>&1; echo $what $?; done | sed "s|$OUT/||"
schedsim: 1 of 2 jobs unfinished: 1 rejected, first job x (1 GPUs): its virtual cluster has no GPU of the type it asks for
verify 0
explain --all 0
report --out vc.html 0
$ echo '{"types":[{"name":"A100"},{"name":"T4","speed":0.5}],"nodes":[{"gpus":4,"type":"A100"}]}' > $OUT/unused.json; schedsim $OUT/one.csv --cluster $OUT/unused.json --series by=type --out $OUT/unused --quiet; schedsim verify $OUT/unused | sed 's/^.*: //'; sed -i s/T4/T5/ $OUT/unused/series_type.csv; schedsim verify $OUT/unused | sed "s|$OUT/||"
all checks passed
series_type.csv: was changed after the run wrote it (its SHA-256 is not that in manifest.json)
series_type.csv:3: gpu_type: is 'T5', but no group of the cluster has this name
...
# A fault comes in the microsecond in which the node failed and was repaired.
$ printf 'start_s,end_s,node,class\n2,2,n0,x\n2,4,n0,x\n' > $OUT/instant.csv; schedsim $OUT/one.csv --cluster 1x4 --faults trace:file=$OUT/instant.csv --recovery retry --out $OUT/instant --quiet; cut -d, -f1-6 $OUT/instant/failures.csv; schedsim verify $OUT/instant | sed 's/^.*: //'
time,fault,scope,after,node,gpu
2,1,node,down,0,
2,2,node,down,0,
all checks passed
# Two faults come in the microsecond in which the node is back.
$ printf 'start_s,end_s,node,class\n5,9,0,x\n0,5,0,x\n5,5.1,0,x\n' > $OUT/back.csv; schedsim $OUT/one.csv --cluster 1x4 --faults trace:file=$OUT/back.csv --recovery retry --out $OUT/back --quiet; cut -d, -f1,2,11 $OUT/back/failures.csv; schedsim verify $OUT/back | sed 's/^.*: //'
time,fault,missed
0,1,0
5,2,1
5,3,1
all checks passed
# On a GPU of speed 0.1 a microsecond of work takes ten.
$ for speed in 0.1 0.37; do echo '{"types":[{"name":"A100","speed":'$speed'},{"name":"T4"}],"nodes":[{"gpus":4,"type":"A100"},{"gpus":4,"type":"T4"}]}' > $OUT/slow.json; printf 'submitted_unix_s,duration_s,gpus,job_id,gpu_type\n0,10,1,a,A100\n' > $OUT/slow.csv; for horizon in 5.614063 6.636653; do schedsim $OUT/slow.csv --cluster $OUT/slow.json --faults once:at_s=900,node=1 --engine horizon_s=$horizon --out $OUT/slow --quiet; schedsim verify $OUT/slow | sed 's/^.*: //'; done; done 2> $OUT/said; wc -l < $OUT/said
all checks passed
all checks passed
all checks passed
all checks passed
4
# A time that no clock holds is refused, and no microsecond is made of it.
$ schedsim $OUT/one.csv --cluster 1x4 --out $OUT/never --quiet; sed -i 's/"changes": \[\]/"changes": [[9.22337e18, 0, "down", "planned"]]/' $OUT/never/manifest.json; cd $OUT; for what in verify 'explain --all'; do schedsim $what never; done 2>&1
schedsim: never: 1 violations
manifest.json: cluster.changes[0] is not [time, node, up|down|lent|back, why]
schedsim: manifest.json: cluster.changes[0] is not [time, node, up|down|lent|back, why]
[exit 3]
$ schedsim trace generate --like venus --jobs 30 --load 1e-300
schedsim: the jobs would come within 8.67e+295 years, at most 100 can be generated: raise --load, or give fewer days or jobs
[exit 2]

# A user none of whose jobs ran is not in Jain's index.
$ cd "$OUT"; printf 'job_id,submitted_unix_s,duration_s,gpus,user\na,0,10,1,u\nb,0,10,1,v\nc,0,10,64,w\n' >users.csv; schedsim users.csv -c 1x4 --by user -q -o users
schedsim: 1 of 3 jobs unfinished: 1 rejected, first job c (64 GPUs): asks for more GPUs than its virtual cluster has
[exit 4]
$ cd "$OUT"; schedsim verify users && grep -c jain_users users/summary.json
users: all checks passed
1
