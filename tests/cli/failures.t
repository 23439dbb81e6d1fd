# A job on 64 nodes fails by a hidden fault of one of them: that node alone is
# suspected and goes out of service, so the job goes on with the 65th node.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,1000,64,big\n' > $OUT/big.csv; schedsim $OUT/big.csv --cluster 65x1 --faults once:at_s=500,node=17,after=hidden,repair_s=7200 --recovery isolate:test_s=300,backoff --series-interval 500 --out $OUT/big --quiet; cut -d, -f1,3-5,14,17,18,20-22,24,26 $OUT/big/failures.csv; cut -d, -f1,9-11,19 $OUT/big/attempts.csv; schedsim verify $OUT/big | sed 's/^.*: //'
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
$ for policy in fifo srtf lucid; do schedsim traces/samples/native.csv --jobs 300 --cluster 8x8 --policy $policy --faults exponential:per_1000_node_days=3000,repair_mu=0 --recovery person:attempts=1000 --quiet --out $OUT/$policy; cut -d, -f1,5,8 $OUT/$policy/failures.csv | uniq | head -20 > $OUT/$policy.faults; done; cmp $OUT/fifo.faults $OUT/srtf.faults && cmp $OUT/fifo.faults $OUT/lucid.faults && wc -l < $OUT/fifo.faults
20
