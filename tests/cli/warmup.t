# Jobs of the warm-up and of the cool-down run, and metrics of jobs leave them out. One job
# a 100 s on one GPU; each runs 150 s, so that job i waits 50 i s.
$ cd $OUT; (echo submitted_unix_s,duration_s,gpus,job_id,vc; for i in 0 1 2 3 4 5 6 7 8 9 10; do echo $((100*i)),150,1,j$i,$((i%2)); done) >ten.csv; schedsim ten.csv --cluster 1x1 --overhead none --warmup 200s --cooldown 30% --quiet --out warm; schedsim verify warm
warm: all checks passed
# 200 to 700 s: the jobs 2 to 7, mean wait 50 x 4.5 s; sums include all jobs
$ cd $OUT; python3 -c 'import json; m = json.load(open("warm/manifest.json"))["counted"]; s = json.load(open("warm/summary.json")); q = s["metrics"]["queue_delay_s"]; print(m, q["count"], q["mean"], q["max"], s["metrics"]["jobs"], s["metrics"]["makespan_s"], list(s["by_vc"].values())[0]["jct_s"]["count"], s["identity"]["counted"]); print(s["remarks"][0])'
{'warmup': '200s', 'cooldown': '30%', 'from_s': 200, 'to_s': 700, 'jobs': 6} 6 225 350 11 1650 6 200 to 700
metrics of jobs count 6 of 11 jobs: those submitted from 200 s to 700 s (--warmup 200s, --cooldown 30%); the others were simulated, and sums, makespan, utilisation and what is measured over time include them
$ cd $OUT; schedsim verify --again warm; sed -i 's/"warmup": "200s"/"warmup": "300s"/' warm/manifest.json; schedsim verify warm 2>/dev/null | head -3
warm: run again, every file has the same bytes
manifest.counted.from_s: is 200, the files give 300
manifest.counted.jobs: is 6, the files give 5
summary.identity.counted: is '200 to 700', the files give '300 to 700'
$ cd $OUT; schedsim compare ten.csv --cluster 1x1 --overhead none --warmup 200s --cooldown 30% -p fifo --baseline warm | grep ^note | cut -c1-50; schedsim compare ten.csv --cluster 1x1 --overhead none --warmup 300s --cooldown 30% -p fifo --baseline warm
note: metrics of jobs count 6 of 11 jobs: those su
schedsim: policy fifo: warm/summary.json: is of another warm-up or cool-down (200 to 700, not 300 to 700); --any-baseline compares anyway
[exit 3]
$ schedsim compare traces/samples/sia.csv -p fifo -p sia --warmup 50% --json | python3 -c 'import json, sys; [print(r["metrics"]["jct_s"]["count"], r["jct_s_minus_first"]["count"]) for r in json.load(sys.stdin)]'
106 106
106 106
$ schedsim traces/samples/venus.csv --warmup 4d --cooldown 4d
schedsim: --warmup 4d, --cooldown 4d: no job is left to count; all jobs were submitted within 425226 s
[exit 2]
$ schedsim traces/samples/venus.csv --warmup 2dais
schedsim: --warmup: '2dais' is not a length of time, such as 12h or 7d, or a percentage from 0% to below 100%
[exit 2]
$ schedsim trace estimate traces/samples/venus.csv --cooldown 1d --estimators history
schedsim: trace estimate: --cooldown is for metrics of a simulation; --split says which jobs are tested
[exit 2]
