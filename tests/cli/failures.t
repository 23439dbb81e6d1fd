# A job on 64 nodes fails by a hidden fault of one of them: that node alone is
# suspected and goes out of service, so the job goes on with the 65th node.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,1000,64,big\n' > $OUT/big.csv; schedsim $OUT/big.csv --cluster 65x1 --faults once:at_s=500,node=17,after=hidden,repair_s=7200 --recovery isolate:test_s=300,backoff --series interval=500 --out $OUT/big --quiet; cut -d, -f1,3-5,14,17,18,20-22,24,26 $OUT/big/failures.csv; cut -d, -f1,9-11,19 $OUT/big/attempts.csv; schedsim verify $OUT/big | sed 's/^.*: //'
time,scope,after,node,job_id,verdict,by,detected,delay,suspect,lost,restarted
500,node,hidden,17,big,resume,backoff,0,310,17,500,810
job_id,starting_time,execution_time,finish_time,how
big,0,500,500,failed
big,810,1000,1810,finished
all checks passed
# Nobody isolates it: the job fails again on the same node, until it is given up.
$ schedsim $OUT/big.csv --cluster 65x1 --faults once:at_s=500,node=17,after=hidden,repair_s=720000 --recovery backoff --quiet --out $OUT/again; cut -d, -f14-18 $OUT/again/failures.csv; schedsim verify $OUT/again | sed 's/^.*: //'
job_id,attempt,failures,verdict,by
big,1,1,resume,backoff
big,2,2,resume,backoff
big,3,3,resume,backoff
big,4,4,resume,backoff
big,5,5,resume,backoff
big,6,6,resume,backoff
big,7,7,give-up,none
all checks passed
# The list of faults and the delays are the same under every policy.
$ for policy in fifo srtf lucid; do schedsim traces/samples/native.csv --jobs 300 --cluster 8x8 --policy $policy --faults exponential:per_1000_node_days=1200,repair_mu=0 --recovery person:attempts=1000 --quiet --out $OUT/$policy; cut -d, -f1,5,8 $OUT/$policy/failures.csv | uniq | head -20 > $OUT/$policy.faults; done; cmp $OUT/fifo.faults $OUT/srtf.faults && cmp $OUT/fifo.faults $OUT/lucid.faults && wc -l < $OUT/fifo.faults
20
# compare has the mean time from failure to restart, of runs and of results,
# which is that of failures.csv; a table without a restart has no such column.
$ schedsim compare $OUT/fifo $OUT/srtf | head -3 | sed 's/.*  //'; awk -F, '$NF ~ /^[0-9]/ && $15 { sum += $NF - $1; n++ } END { printf "%.2f h of %d\n", sum / n / 3600, n }' $OUT/fifo/failures.csv
failure to restart
2.63 h
3.42 h
3.42 h of 16
$ schedsim compare $OUT/fifo $OUT/srtf --json | grep -A 2 restart_s | grep -o 'mean.*'; schedsim compare traces/samples/native.csv --jobs 300 --cluster 8x8 --policy fifo --policy srtf --faults exponential:per_1000_node_days=1200,repair_mu=0 --recovery person:attempts=1000 --quiet --json | grep -A 2 restart_s | grep -o 'mean.*'; schedsim compare traces/samples/native.csv --jobs 300 --cluster 8x8 --policy fifo --quiet --json | grep -c restart_s
mean": 12307.2208155,
mean": 9453.4520085,
mean": 12307.2208155,
mean": 9453.4520085,
0
[exit 1]
# explain tells each failure of a job, as words and as JSON.
$ schedsim explain $OUT/big --job big
job big: 64 GPUs in all (65 GPUs), runs 16.7 min, unknown
0 s (day 0.00)  submitted
0 s (day 0.00)  starts on 64 GPUs of node 0, runs 8.33 min: failed
    failure 1 of the job: failure (infrastructure) of node 17, lost 8.33 min of work; node 17 was suspected
    the recovery rule 'backoff': noticed after 0 s, pending again after 5.17 min, from the last checkpoint
500 s (day 0.01)  waits 5.17 min
    held-back 5.17 min: a recovery rule held it back after a failure
810 s (day 0.01)  starts on 64 GPUs of node 0 and others, runs 16.7 min: finished
$ schedsim explain $OUT/big --job big --json | tr -d ' \n' | grep -o '"failure":{[^}]*}'
"failure":{"number":1,"cause":"failure","kind":"infrastructure","fault":1,"node":17,"suspect":17,"by":"backoff","verdict":"resume","detected_s":0,"delay_s":310,"lost_s":500}
$ schedsim explain $OUT/again --job big | tail -2
    failure 7 of the job: failure (infrastructure) of node 17, lost 6.03 min of work
    the recovery rule 'none' gave the job up
# A hidden fault that hits nobody at first stands at its own time, before the
# failures that it causes later.
$ schedsim traces/samples/native.csv --jobs 300 --cluster 8x8 --faults hardware:profile=acme,rate_factor=300,hidden=0.5 --recovery isolate,person --engine spares=1 --out $OUT/hidden --quiet; schedsim verify $OUT/hidden | sed 's/^.*: //'
all checks passed
$ schedsim traces/samples/native.csv --jobs 300 --cluster 8x8 --policy lucid --faults hardware:profile=h100-pretrain,rate_factor=500,hidden=1,relapse_s=10 --recovery isolate,backoff --out $OUT/relapse --quiet; schedsim verify $OUT/relapse | sed 's/^.*: //'
all checks passed

# A real log that the side-car names is read by the handler; a link is not
# followed.
$ mkdir $OUT/real; printf 'submitted_unix_s,duration_s,gpus,job_id,user,name,end\n0,600,8,a,u1,n1,failed\n900,900,8,a2,u1,n1,completed\n0,600,8,b,u2,n2,failed\n900,900,8,b2,u2,n2,completed\n0,600,8,c,u3,n3,failed\n900,900,8,c2,u3,n3,completed\n' > $OUT/real/t.csv; cp tests/logs/xid_79.log tests/logs/key_error.log $OUT/real; ln -s xid_79.log $OUT/real/link.log; printf 'job_id,directory,command,branch,log\na,.,python a.py,,xid_79.log\nb,.,python b.py,,key_error.log\nc,.,python c.py,,link.log\n' > $OUT/real/t.evidence.csv; schedsim $OUT/real/t.csv --cluster 8x8:A100 --chains linked --recovery person --policy fifo+handler --schedmate fidelity=replay --out $OUT/real/o --json | grep -o 'left 1 failures'; cut -d, -f14-16,18,19 $OUT/real/o/failures.csv | head -4; schedsim verify $OUT/real/o | sed 's/^.*: //'
left 1 failures
job_id,attempt,failures,by,told
a,1,1,handler,Xid 79: off the bus
b,1,1,person,OS error
c,1,1,person,model loading error
all checks passed

# A rate in words is a rate of the whole cluster.
$ schedsim traces/samples/philly.csv -n 100 --cluster 4x8 --faults '2 nodes per day' --recovery retry --quiet --out $OUT/weekly; schedsim traces/samples/philly.csv -n 100 --cluster 4x8 --faults exponential:per_week=14 --recovery retry --quiet --out $OUT/rate; cmp $OUT/weekly/jobs.csv $OUT/rate/jobs.csv; schedsim traces/samples/philly.csv -n 100 --cluster 4x8 --faults '2 nodes per day' --recovery retry | grep -A1 'nodes per day'
note: --faults '2 nodes per day' is exponential:per_week=14: a failure of a node
  of the cluster every 12 hours
