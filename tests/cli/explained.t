# Why jobs waited, by name: who held the GPUs, and who stood in front.
$ mkdir $OUT/why; cd $OUT/why; printf 'job_id,submitted_unix_s,duration_s,gpus,user\nalpha,0,1000,6,anna\nbeta,10,500,8,v\ngamma,20,700,1,v\ndelta,30,400,1,anna\nepsilon,40,300,4,w\nepsilom,50,100,1,w\nidle,9000,10,1,anna\nhuge,9000,10,99,anna\n' >why.csv; schedsim run why.csv -c 1x8 -p fifo -q -o fifo; schedsim explain fifo --job gamma
job gamma: 1 GPU in all (8 GPUs), runs 11.7 min, unknown
20 s (day 0.00)  submitted
20 s (day 0.00)  waits 24.7 min
    needs 1 GPU; 2 were free in its virtual cluster, 1 earlier job waited already
    blocked-by 16.3 min: it could be placed, but a job in front of it could not; in front: job beta (8 GPUs) 16.3 min
    too-few-gpus 8.33 min: fewer of its GPUs were free than it asks for, even if jobs submitted later had held none
    meanwhile other jobs held 2.744 GPU h of the GPUs that it could use, most of them users anna (1 job, 60 %), v (1 job, 40 %)
    most of them jobs alpha (60 %), beta (40 %)
1500 s (day 0.02)  starts on 1 GPU of node 0, runs 11.7 min: finished
schedsim: 1 of 8 jobs unfinished: 1 rejected, first job huge (99 GPUs): asks for more GPUs than its virtual cluster has
$ cd $OUT/why; schedsim explain fifo --job alpha; schedsim explain fifo --job epsilon; schedsim explain fifo --worst 2; schedsim explain fifo --user w; schedsim explain fifo --job huge; schedsim explain fifo --job gamma --json | jq -c '.events[0].blocked_by, .events[0].holders'
job alpha: 6 GPUs in all (8 GPUs), runs 16.7 min, unknown
0 s (day 0.00)  submitted
0 s (day 0.00)  starts on 6 GPUs of node 0, runs 16.7 min: finished
job epsilon: 4 GPUs in all (8 GPUs), runs 5.00 min, unknown
40 s (day 0.00)  submitted
40 s (day 0.00)  waits 24.3 min
    needs 4 GPUs; 2 were free in its virtual cluster, 3 earlier jobs waited already
    too-few-gpus 24.3 min: fewer of its GPUs were free than it asks for, even if jobs submitted later had held none
    meanwhile other jobs held 2.711 GPU h of the GPUs that it could use, most of them users anna (1 job, 59 %), v (1 job, 41 %)
    most of them jobs alpha (59 %), beta (41 %)
1500 s (day 0.02)  starts on 4 GPUs of node 0, runs 5.00 min: finished
job    user  vc   GPUs    waited  reason           of it  outcome
gamma  v     all     1  24.7 min  blocked-by beta   66 %  unknown
delta  anna  all     1  24.5 min  blocked-by beta   66 %  unknown
2 of 2 jobs waited, 49.2 min in all
why: too-few-gpus 33.9 %, blocked-by 66.1 %
job      user  vc   GPUs    waited  reason        of it  outcome
epsilon  w     all     4  24.3 min  too-few-gpus  100 %  unknown
epsilom  w     all     1  24.2 min  blocked-by     66 %  unknown
2 of 2 jobs waited, 48.5 min in all
why: too-few-gpus 67.4 %, blocked-by 32.6 %
job huge: 99 GPUs in all (8 GPUs), runs 10.0 s, rejected
9000 s (day 0.10)  submitted
[{"job":"beta","seconds":980}]
[{"user":"anna","jobs":1,"gpu_h":1.63333333333333},{"user":"v","jobs":1,"gpu_h":1.11111111111111}]
$ cd $OUT/why; schedsim run why.csv -c 1x8 -p backfill --estimators oracle -q -o backfill; schedsim explain backfill --job epsilon; schedsim run why.csv -c 1x8 -p sjf --estimators oracle -q -o sjf; schedsim explain sjf --job beta; schedsim explain sjf --job beta --json | jq -c '.events[0].reasons, .events[0].later_jobs, .events[0].holding_jobs'; schedsim explain sjf --all
job epsilon: 4 GPUs in all (8 GPUs), runs 5.00 min, unknown
40 s (day 0.00)  submitted
40 s (day 0.00)  waits 24.3 min
    needs 4 GPUs; 0 were free in its virtual cluster, 1 earlier job waited already
    too-few-gpus 24.3 min: fewer of its GPUs were free than it asks for, even if jobs submitted later had held none
    meanwhile 1 start of jobs submitted later, on 1 GPU
    meanwhile other jobs held 3.036 GPU h of the GPUs that it could use, most of them users anna (2 jobs, 56 %), v (2 jobs, 43 %), w (1 job, 1 %)
    most of them jobs alpha (53 %), beta (37 %), gamma (6 %)
1500 s (day 0.02)  starts on 4 GPUs of node 0, runs 5.00 min: finished
job beta: 8 GPUs in all (8 GPUs), runs 8.33 min, unknown
10 s (day 0.00)  submitted
10 s (day 0.00)  waits 21.5 min
    needs 8 GPUs; 2 were free in its virtual cluster, 0 earlier jobs waited already
    too-few-gpus 16.5 min: fewer of its GPUs were free than it asks for, even if jobs submitted later had held none
    overtaken 5.00 min (3 jobs, 0.4722 GPU h): fewer were free than it asks for, but not if jobs submitted later had held none
    meanwhile 3 starts of jobs submitted later, on 6 GPUs
    meanwhile other jobs held 2.122 GPU h of the GPUs that it could use, most of them users anna (2 jobs, 83 %), w (2 jobs, 17 %)
    most of them jobs alpha (78 %), epsilon (16 %), delta (5 %)
1300 s (day 0.02)  starts on 8 GPUs of node 0, runs 8.33 min: finished
{"too-few-gpus":990,"overtaken":300}
3
[{"job":"alpha","gpu_h":1.65},{"job":"epsilon","gpu_h":0.333333333333333},{"job":"delta","gpu_h":0.111111111111111}]
job      user  vc   GPUs    waited  reason        of it  outcome
beta     v     all     8  21.5 min  too-few-gpus   77 %  unknown
gamma    v     all     1  29.7 min  blocked-by     66 %  unknown
epsilon  w     all     4  16.0 min  too-few-gpus  100 %  unknown
huge     anna  all    99       0 s  rejected          -  rejected
3 of 8 jobs waited, 67.2 min in all; 1 was rejected
why: too-few-gpus 60.8 %, overtaken 9.9 %, blocked-by 29.3 %
schedsim: 1 of 8 jobs unfinished: 1 rejected, first job huge (99 GPUs): asks for more GPUs than its virtual cluster has
schedsim: 1 of 8 jobs unfinished: 1 rejected, first job huge (99 GPUs): asks for more GPUs than its virtual cluster has
$ cd $OUT/why; for words in fifo 'fifo --job x --user u' 'fifo --job x --worst 2' 'fifo --job x --all' 'fifo --job zzzzzzzz' 'fifo --job gamm' 'fifo --job epsilo' 'fifo --user x' 'fifo --user ana' 'fifo --user zzzzz' 'none --all' 'fifo/jobs.csv --all' - 'fifo sjf --all' 'fifo --worst 0'; do schedsim explain $words; done
schedsim: explain: which jobs? Give --job ID, --user NAME, --worst N or --all
schedsim: explain: --job names its jobs; leave out --user
schedsim: explain: --job names its jobs; leave out --worst
schedsim: explain: --job names its jobs; leave out --all
schedsim: fifo: has no job 'zzzzzzzz'
schedsim: fifo: has no job 'gamm'; nearest: 'gamma'
schedsim: fifo: has no job 'epsilo'; nearest: 'epsilon', 'epsilom'
schedsim: fifo: has no jobs of user 'x'
schedsim: fifo: has no jobs of user 'ana'; did you mean 'anna'?
schedsim: fifo: has no jobs of user 'zzzzz'
schedsim: unable to open none/manifest.json: No such file or directory
schedsim: unable to open fifo/jobs.csv/manifest.json: Not a directory
schedsim: explain: which jobs? Give --job ID, --user NAME, --worst N or --all
schedsim: explain: give one result directory only: 'fifo' and 'sjf'
schedsim: --worst: '0' is not a whole number, 1 to 1e+09
[exit 2]
# A job that fails, one that is given up, and questions to the model.
$ cd $OUT/why; printf 'job_id,submitted_unix_s,duration_s,gpus,user,name,end\na1,0,600,1,u,train,failed\na2,900,900,1,u,train,completed\nc,2000,10,1,v,train,failed\n' >fails.csv; schedsim fails.csv -c 1x2 --chains linked --recovery retry -q -o fails; schedsim explain fails --job a1; schedsim explain fails --job a1 --json | jq -c '.events[].failure'; schedsim explain fails --job c
job a1: 1 GPU in all (2 GPUs), runs 25.0 min, completed
0 s (day 0.00)  submitted
0 s (day 0.00)  starts on 1 GPU of node 0, runs 10.0 min: failed
    failure 1 of the job: file not found (script), lost 0 s of work
    the recovery rule 'retry': noticed after 0 s, pending again after 5.00 min, from the last checkpoint
600 s (day 0.01)  waits 5.00 min
    held-back 5.00 min: a recovery rule held it back after a failure
900 s (day 0.01)  starts on 1 GPU of node 0, runs 15.0 min: finished
{"number":1,"cause":"file not found","kind":"script","by":"retry","verdict":"resume","detected_s":0,"delay_s":300,"lost_s":0}
null
null
job c: 1 GPU in all (2 GPUs), runs 10.0 s, failed
2000 s (day 0.02)  submitted
2000 s (day 0.02)  starts on 1 GPU of node 0, runs 10.0 s: finished
$ cd $OUT/why; schedsim why.csv -c 1x8 -p fifo --faults exponential:per_week=3000 --recovery retry --seed 4 -q -o faults; schedsim explain faults --job alpha | sed -n 1,12p; schedsim explain faults --job alpha --json | jq -c '.events[].failure // empty' | sed -n 1,2p
job alpha: 6 GPUs in all (8 GPUs), runs 16.7 min, given-up
0 s (day 0.00)  submitted
0 s (day 0.00)  starts on 6 GPUs of node 0, runs 6.80 min: failed
    failure 1 of the job: node failure (injected) (infrastructure) of node 0, lost 6.80 min of work
    the recovery rule 'retry': noticed after 0 s, pending again after 25.9 h, from the last checkpoint
408.098844 s (day 0.00)  waits 29.3 d
    needs 6 GPUs; 0 were free in its virtual cluster, 0 earlier jobs waited already
    nodes-out 28.2 d: the nodes in service had fewer GPUs than it asks for
    held-back 25.9 h: a recovery rule held it back after a failure
    overtaken 4.24 min (6 jobs, 0.468 GPU h): fewer were free than it asks for, but not if jobs submitted later had held none
    meanwhile 6 starts of jobs submitted later, on 16 GPUs
    meanwhile other jobs held 0.468 GPU h of the GPUs that it could use, most of them users w (2 jobs, 60 %), v (2 jobs, 25 %), anna (2 jobs, 14 %)
{"number":1,"cause":"node failure (injected)","kind":"infrastructure","fault":1,"node":0,"by":"retry","verdict":"resume","detected_s":0,"delay_s":93311.88646,"lost_s":408.098844}
{"number":2,"cause":"node failure (injected)","kind":"infrastructure","fault":12385,"node":0,"by":"retry","verdict":"resume","detected_s":0,"delay_s":5927.581001,"lost_s":67.409804}
schedsim: 1 of 8 jobs unfinished: 1 rejected, first job huge (99 GPUs): asks for more GPUs than its virtual cluster has
$ schedsim run traces/samples/evidence.csv -c 2x8 -p lucid+schedmate -q -o $OUT/why/mate; schedsim explain $OUT/why/mate --job 44 | cut -c1-160; schedsim explain $OUT/why/mate --job 44 --json | jq -c '[.events[] | [.event, .module, .basis, .k, .beside]]'
job 44: 2 GPUs in all (16 GPUs), runs 2.13 min, cancelled
26804 s (day 0.31)  submitted
26804 s (day 0.31)  the advisor asks the language model: answer after 16.7 s (8.75 s in the queue), nothing was found
26804 s (day 0.31)  waits 62.9 min to be profiled
    profiler-busy 62.9 min: it waited to be profiled
    meanwhile 0 others were profiled; 8 GPUs were lent for that
30579 s (day 0.35)  is profiled on 2 GPUs of node 1, runs 100 s: profiling over
30679 s (day 0.36)  starts on 2 GPUs of node 0, runs 17.4 s: evicted by the monitor; it never shares GPUs again
    beside job 41, whose log was last read at 30685.302833 s (day 0.36)
30696.4 s (day 0.36)  waits 3.61 d
    needs 2 GPUs; 0 were free in its virtual cluster, 5 earlier jobs waited already
    overtaken 2.18 d (67 jobs, 649.8 GPU h): fewer were free than it asks for, but not if jobs submitted later had held none
    blocked-by 32.8 h: it could be placed, but a job in front of it could not; in front: job 20 (4 GPUs) 22.9 h, job 100 (8 GPUs) 3.84 h, job 99 (8 GPUs) 3.72 h
    too-few-gpus 94.5 min: fewer of its GPUs were free than it asks for, even if jobs submitted later had held none
    meanwhile 84 starts of jobs submitted later, on 253 GPUs
    meanwhile other jobs held 1054 GPU h of the GPUs that it could use, most of them users u19 (4 jobs, 33 %), u11 (4 jobs, 19 %), u8 (3 jobs, 8 %)
    most of them jobs 12 (8 %), 13 (8 %), 15 (8 %)
342613.616464 s (day 3.97)  starts on 2 GPUs of node 0 and others, runs 2.13 min: finished
[["asks","advisor","nothing",0,null],["waits for a profile",null,null,null,null],["is profiled",null,null,null,null],["runs",null,null,null,["41"]],["waits",null,null,null,null],["runs",null,null,null,null]]
schedsim: 3 of 200 jobs unfinished: 3 rejected, first job 23 (32 GPUs): asks for more GPUs than its virtual cluster has
$ for basis in resubmission,1 resubmission,3 similar,1 similar,3 nothing; do schedsim explain $OUT/why/mate --job $(grep -m1 ",advisor,$basis," $OUT/why/mate/advice.csv | cut -d, -f1) | grep -m1 advisor; done
16124 s (day 0.19)  the advisor answers at once, from 1 earlier run of the user
26915 s (day 0.31)  the advisor answers at once, from 3 earlier runs of the user
15846 s (day 0.18)  the advisor asks the language model: answer after 8.12 s (0 s in the queue), from 1 ended job of the kind
25691 s (day 0.30)  the advisor asks the language model: answer after 8.35 s (0 s in the queue), from 3 ended jobs of the kind
0 s (day 0.00)  the advisor asks the language model: answer after 8.49 s (0 s in the queue), nothing was found
$ schedsim explain $OUT/why/mate --worst 3; schedsim explain $OUT/why/mate --all --json | jq -c '[.n_jobs, .n_waited, .reasons]'
job  user  vc   GPUs  waited  reason                               of it  outcome
38   u10   all    16  9.94 d  overtaken (148 starts, 1017 GPU h)    53 %  cancelled
43   u10   all    16  9.73 d  overtaken (131 starts, 961.5 GPU h)   52 %  failed
90   u3    all     1  9.62 d  blocked-by 145                        75 %  completed
3 of 3 jobs waited, 29.3 d in all
why: too-few-gpus 37.0 %, overtaken 38.2 %, blocked-by 24.8 %
[200,190,{"too-few-gpus":18139044.501252,"overtaken":4688215.814326,"blocked-by":17965627.339215,"passed-over":26423.353573,"profiler-busy":589588.611592}]
