# Quotas that lend: x starts b on what y does not use, and y takes it back.
$ cd "$OUT"; printf 'job_id,submitted_unix_s,duration_s,gpus,vc\na,0,100,8,x\nb,10,100,8,x\nc,20,50,8,y\n' >jobs.csv
$ cd "$OUT"; echo '{"nodes":[{"gpus":8,"count":2}],"queues":[{"vc":"x","nominal":8,"cohort":"all"},{"vc":"y","nominal":8,"cohort":"all"}],"cohorts":[{"name":"all"}]}' >lend.json
$ cd "$OUT"; schedsim jobs.csv -c lend.json -p fifo+quota -q -o lend
$ cd "$OUT"; cut -d, -f1,9 lend/jobs.csv
job_id,starting_time
a,0
b,10
c,20
$ cd "$OUT"; schedsim verify lend
lend: all checks passed
$ cd "$OUT"; jq -c '.. | objects | select(has("quota_reclaims"))' lend/summary.json
{"quota_borrowed_starts":2,"quota_reclaims":1,"quota_victims":1,"quota_victim_gpu_s":80}
# Queues without a cohort: each has the GPUs of its own quota.
$ cd "$OUT"; echo '{"nodes":[{"gpus":8,"count":2}],"queues":[{"vc":"x","nominal":12},{"vc":"y","nominal":4}]}' >own.json; schedsim jobs.csv -c own.json -p fjf+quota -q --series by=vc -o own; cut -d, -f1-4 own/series_vc.csv; schedsim verify own
time,vc,gpus_up,gpus_busy
0,x,12,8
0,y,4,0
own: all checks passed
schedsim: 1 of 3 jobs unfinished: 1 rejected, first job c (8 GPUs): asks for more GPUs than its virtual cluster can ever use by the quotas
# A mistake in a file gets one line.
$ cd "$OUT"; for wrong in '"queues":[{"vc":"x","nominal":8,"cohort":"a"}],"cohorts":[{"name":"a","parent":"b"},{"name":"b","parent":"a"}]' '"queues":[{"vc":"x","nominal":8,"lending_limit":9}]' '"queues":[{"vc":"xx","nominal":8}]' '"queues":[{"vc":"x","nominal":8,"cohort":"physics"}],"cohorts":[{"name":"phisics"}]' '"queues":[{"vc":"x","nominal":8}],"cohorts":[{"name":"physics","parent":"sites"},{"name":"site"}]' '"queues":[{"vc":"x","nominal":8,"cohort":7}]' '"queues":[{"vc":"x","nominal":8},{"vc":"x","nominal":4}]' '"queues":[{"vc":"x","nominal":8}],"cohorts":[{"name":"a"},{"name":"a"}]' '"cohorts":[{"name":"a"}]' '"queues":[{"vc":"x","nominal":-1}]' '"queues":[{"vc":"x","nominal":8,"borrowing_limit":-1}]' '"queues":[{"vc":"x","nominal":8,"lending_limit":1.5}]' '"queues":[{"vc":"x","nominal":8,"weight":-1}]' '"queues":[{"vc":"x","nominal":8,"reclaim":"sometimes"}]' '"queues":[{"vc":"x","nominl":8}]'; do echo "{\"nodes\":[{\"gpus\":8,\"vc\":\"x\"},{\"gpus\":8,\"vc\":\"y\"}],$wrong}" >wrong.json; schedsim jobs.csv -c wrong.json -p fifo+quota -q; done
schedsim: wrong.json: cohorts[0]: its parents form a cycle, so it has no root
schedsim: wrong.json: queues[0]: lending_limit 9 is more than the nominal quota 8
schedsim: wrong.json: queues[0]: vc: no virtual cluster 'xx'; did you mean 'x'?
schedsim: wrong.json: queues[0]: cohort: no cohort 'physics'; did you mean 'phisics'?
schedsim: wrong.json: cohorts[0]: parent: no cohort 'sites'; did you mean 'site'?
schedsim: wrong.json: queues[0]: cohort: expected the name of a cohort
schedsim: wrong.json: queues[1]: vc: 'x' is listed before
schedsim: wrong.json: cohorts[1]: name: 'a' is listed before
schedsim: wrong.json: "cohorts" without "queues"
schedsim: wrong.json: queues[0]: nominal: expected GPUs, a whole number of 0 to 2147483647
schedsim: wrong.json: queues[0]: borrowing_limit: expected GPUs, a whole number of 0 to 2147483647
schedsim: wrong.json: queues[0]: lending_limit: expected GPUs, a whole number of 0 to 2147483647
schedsim: wrong.json: queues[0]: weight: expected a number of 0 or more
schedsim: wrong.json: queues[0]: expected "within" and "reclaim" as never, lower, lower-or-newer or any, and "borrow_within" as a whole number
schedsim: wrong.json:1:72: queues[0]: no key 'nominl'; did you mean 'nominal'?
[exit 3]
# Policies that cannot keep quotas, and settings without the layer.
$ cd "$OUT"; schedsim jobs.csv -c lend.json -p pollux+quota
schedsim: policy pollux+quota: pollux plans all nodes of a virtual cluster at once, so virtual clusters cannot share nodes under it
[exit 2]
$ cd "$OUT"; schedsim jobs.csv -c lend.json -p fifo --quota fair=both
schedsim: --quota: the policy has no layer quota; try --policy fifo+quota
[exit 2]
# Who is stopped must have borrowed what another may reclaim: a result in which a
# victim had enough of its own is refused.
$ schedsim run traces/samples/philly.csv --cluster traces/samples/clusters/groups.json --policy backfill+quota -q --out $OUT/victims; sed -i -z 's/\("vc": "b436b2",[^}]*"nominal": \)[0-9]*/\1999/' $OUT/victims/manifest.json; schedsim verify $OUT/victims 2>/dev/null | grep stopped
attempts.csv:136: how: job 176, attempt at 4507.000000 s: is stopped, but no job waits that may have it stopped
$ cd $OUT; sed -i 's/"quota_victims": 1/"quota_victims": 2/' victims/summary.json; schedsim verify victims 2>/dev/null | grep quota_victims
summary.counts.quota_victims, quota_reclaims: 2 in 1 reclaims, but the policy stopped 1 attempts
