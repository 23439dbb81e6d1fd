# Elastic jobs: an application of one's own (tests/applications), whose run time
# the trace need not tell, and what goes wrong. x works at speed 2 on one GPU of
# the fast type: 100 of 480 by 60, then 4; y 100, 200 and 180 at 2, 4 and 8.
$ printf 'name,time,application,num_replicas,batch_size\nx-0,0,even,2,16\ny-1,30,even,1,8\n' > $OUT/even.csv; schedsim $OUT/even.csv --policy sia:profile_s=0 --throughput application:tables=tests/applications --cluster 1x4:slow+1x4:fast --out $OUT/even --quiet; cut -d, -f1,22 $OUT/even/jobs.csv; cut -d, -f1,9,11,15,19 $OUT/even/attempts.csv; schedsim verify $OUT/even | sed 's/^.*: //'
job_id,duration
x-0,240
y-1,480
job_id,starting_time,finish_time,allocated_resources,how
x-0,0,60,4,stopped
x-0,60,165,4-5,finished
y-1,60,120,6,stopped
y-1,120,180,6-7,stopped
y-1,180,212.5,4-7,finished
all checks passed
$ printf 'name,time,application,num_replicas,batch_size\nx-0,0,gpt9,2,8\n' > $OUT/bad.csv; schedsim $OUT/bad.csv --policy sia
schedsim: no application 'gpt9': give a directory of its tables
[exit 3]
$ printf 'name,time,application,num_replicas,batch_size\nx-0,0,bret,2,8\n' > $OUT/bad.csv; schedsim $OUT/bad.csv --policy sia
schedsim: no application 'bret'; did you mean 'bert': give a directory of its tables
[exit 3]
$ schedsim $OUT/even.csv --policy sia --throughput application:tables=/none
schedsim: /none: No such file or directory
[exit 3]
$ schedsim $OUT/even.csv --policy sia --throughput application:tables=tests/applications --cluster 1x4:other
...
[exit 3]
$ schedsim traces/samples/sia.csv --policy sia:power=2
schedsim: policy sia: power: '2' is not a number from -10 to -0.01
[exit 2]
# The old name of an estimator is found for one release, with a note.
$ schedsim $OUT/even.csv --policy sia:profile_s=0 --throughput application:tables=tests/applications --cluster 1x4:slow+1x4:fast --estimators oracle,kin --json | grep -o '"[^"]* called [^"]*"'
"estimator kin is called same-application now; the old name will be removed in the next release"
# A pipeline cannot run on fewer GPUs than it has stages: two of an A100.
$ printf 'name,time,application,num_replicas,batch_size\np-0,0,gpt_pmp,8,384\n' > $OUT/pipe.csv; schedsim $OUT/pipe.csv --policy sia:profile_s=0 --cluster 1x4:A100 --out $OUT/pipe --quiet; cut -d, -f9,11,15 $OUT/pipe/attempts.csv | sed -n 2p
0,60,0-1
# A recorded run time holds under every policy, whatever a model of the trace is
# called; an application's takes its place only when that is asked for.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,model,batch_size,elasticity\n0,100,1,a,bert,24,\n5,50,2,b,bert,24,adaptive\n' > $OUT/named.csv; for how in "--policy fifo" "--policy sia:profile_s=0" "--policy pollux"; do schedsim $OUT/named.csv $how --cluster 2x4:T4 --out $OUT/named 2>/dev/null | sed -n '/^note/,/^$/{/./p}'; cut -d, -f1,22 $OUT/named/jobs.csv | tail -2; done
a,100
b,50
note: throughput application: 2 jobs are elastic or name a known application,
  but their run times are recorded: they are rigid and run that long;
  --throughput application:replace=true trains them instead
a,100
b,50
note: throughput application: 2 jobs are elastic or name a known application,
  but their run times are recorded: they are rigid and run that long;
  --throughput application:replace=true trains them instead
a,100
b,50
$ schedsim $OUT/named.csv --policy sia --throughput application:replace=true --cluster 2x4:T4 --out $OUT/named 2>/dev/null | sed -n '/^note/,/^$/{/./p}'; test $(cut -d, -f22 $OUT/named/jobs.csv | sed -n 2p | cut -d. -f1) -gt 1000
note: application:replace=true: the recorded run times of 2 jobs are replaced by
  those of the applications that they name
