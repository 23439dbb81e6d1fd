# A monitor looks at the speed of job a 50 s after b has joined it: half of the speed
# before. Job b is evicted, loses its 25 s of work and never shares again.
$ cd $OUT && printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n10,40,1,b\n' > two.csv; schedsim two.csv --policy random-pack --cluster 1x1 --interference constant:slowdown=2 --overhead none --monitor perfect:look_s=50 --timeline --out evicted | grep -A1 -e '^evictions' -e '^GPU time'; cut -d, -f1,9-11,19,23,26,28 evicted/attempts.csv; schedsim verify evicted | sed 's/^.*: //'
GPU time: held = useful 65.1 % + lost 11.6 % + overhead 0.0 % + slowed 23.3 %;
  cluster = busy 100.0 % + idle 0.0 % + down 0.0 %
evictions: 1 beside 1 jobs, at most 1 beside one, lost 0.0 GPU h
packing: 2 of 3 attempts, 30.3 % of the busy GPU time, mean relative speed 0.50
job_id,starting_time,execution_time,finish_time,how,shared,work,lost
a,0,125,125,finished,1,100,0
b,10,50,60,evicted,1,25,25
b,125,40,165,finished,0,40,0
all checks passed
results in evicted
$ cd $OUT && sed -n '/"evictions": {/,/}/p' evicted/summary.json; sed -n '/"gpu_time"/,/jobs_error/p' evicted/summary.json; grep -o '"name":"evicted".*' evicted/timeline.json; schedsim explain evicted --job b | grep evicted
  "evictions": {
    "evictions": 1,
    "jobs": 1,
    "hosts": 1,
    "host_most": 1,
    "lost_gpu_hours": 0.00694444444444444,
    "held_gpu_hours": 0.0138888888888889
  },
  "gpu_time": {
    "held_gpu_hours": 0.0597222222222222,
    "useful_gpu_hours": 0.0388888888888889,
    "lost_gpu_hours": 0.00694444444444444,
    "overhead_gpu_hours": 0,
    "slowed_gpu_hours": 0.0138888888888889,
    "writing_gpu_hours": 0,
    "profiling_gpu_hours": 0,
    "jobs_error": 0,
"name":"evicted","cat":"eviction","pid":3,"tid":261,"ts":60000000,"s":"t","args":{"job":"b","host":"a","why":"slows the resident down","lost":25}},
10 s (day 0.00)  starts on 1 GPU of node 0, runs 50.0 s: evicted by the monitor; it never shares GPUs again
# The manifest names the monitor and its settings, so a run can be repeated and compared.
$ cd $OUT && sed -n '/"monitor/,/}/p' evicted/manifest.json; schedsim verify --again evicted --out again --quiet; cmp evicted/attempts.csv again/attempts.csv; printf '{"trace":"two.csv","policy":"random-pack","cluster":"1x1","interference":"constant:slowdown=2","overhead":"none","monitor":"perfect:look_s=50"}' > run.json; schedsim run --config run.json --quiet --out third; cmp evicted/attempts.csv third/attempts.csv
    "monitor": {
      "name": "perfect"
    },
    "monitor perfect": {
      "look_s": "50",
      "threshold": "0.65",
      "lose_work": "true",
      "bar_host": "false"
    },
      "about": "monitor perfect: look_s",
      "source": "assumed; SchedMate looks after several tens of training steps"
    },
      "about": "monitor perfect: threshold",
      "source": "SchedMate, section 4.1; its evaluation uses 0.5"
    },
      "about": "monitor perfect: lose_work",
      "source": "SchedMate, section 4.1"
    },
      "about": "monitor perfect: bar_host",
      "source": "SchedMate bars the evicted job only"
    }
      "monitor": "perfect:look_s=50"
    },
# Without a monitor, and with one that watches in vain, the results are the same.
$ cd $OUT && schedsim two.csv --policy random-pack --cluster 1x1 --interference constant:slowdown=2 --overhead none --quiet --out without; schedsim two.csv --policy random-pack --cluster 1x1 --interference constant:slowdown=2 --overhead none --monitor perfect:threshold=0 --quiet --out vain; cmp without/attempts.csv vain/attempts.csv && cmp without/jobs.csv vain/jobs.csv; grep -c evictions without/summary.json vain/summary.json
without/summary.json:0
vain/summary.json:2
# Names and settings are checked.
$ cd $OUT && schedsim two.csv --monitor perfct; schedsim two.csv --monitor perfect:look=3; schedsim two.csv --monitor none --quiet
schedsim: no monitor 'perfct'; did you mean 'perfect'?
schedsim: monitor perfect: no option 'look'; did you mean 'look_s'?
$ schedsim list monitors
  perfect  evict a newcomer that slows the resident too much; speeds are known without error
  tracker  SchedMate's Metric Tracker: evict a newcomer that slows the resident too much, by what the resident's log shows (--schedmate)
