# The timeline shows what failed: a hidden fault of a GPU that heals before its node
# is isolated, a hidden fault that the isolation ends, and node 2, the spare that takes
# the place of node 0. Node 0 is then the spare that takes the place of node 1.
$ cd $OUT && printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,2,a\n0,100,2,b\n' > two.csv; printf 'start_s,end_s,node,class,scope,gpu,cause\n5,9,0,GPU,gpu,1,lost GPU\n6,40,1,Node,node,,"a ""DIMM"""\n' > faults.csv; schedsim two.csv --cluster 3x2 --faults trace:file=faults.csv,after=hidden --recovery isolate:test_s=20,backoff --engine spares=1,swap_s=5 --overhead none --timeline --quiet --out hidden; python3 "$OLDPWD/tests/cli/show_timeline.py" hidden/timeline.json; schedsim verify hidden | sed "s/^.*: //"
0+40 node 2 GPU all, out of service: out of service: spare
5 node 0 GPU all, faults: fault: lost GPU fault=1 scope=gpu after=hidden repair=4 gpu=1 harmless=False missed=False hits=1
5 node 0 GPU all, GPU 0: failure: a fails cause=lost GPU kind=infrastructure fault=1 node=0 attempt=1 failures=1 verdict=resume by=backoff detected=0 delay=30 suspect=0 test=0 lost=0
5+4 node 0 GPU all, faults: hidden fault: lost GPU fault=1 scope=gpu after=hidden repair=4 ends=healed
6 node 1 GPU all, faults: fault: a "DIMM" fault=2 scope=node after=hidden repair=34 harmless=False missed=False hits=1
6 node 1 GPU all, GPU 2: failure: b fails cause=a "DIMM" kind=infrastructure fault=2 node=1 attempt=1 failures=1 verdict=resume by=backoff detected=0 delay=30 suspect=1 test=0 lost=0
6+30 node 1 GPU all, faults: hidden fault: a "DIMM" fault=2 scope=node after=hidden repair=34 ends=isolated
35+0 node 0 GPU all, out of service: out of service: isolated test=0
35+6 node 0 GPU all, out of service: out of service: spare
36+34 node 1 GPU all, out of service: out of service: isolated test=0 cause=a "DIMM" fault=2 scope=node after=hidden repair=34
70+65 node 1 GPU all, out of service: out of service: spare
all checks passed
# The same faults take their nodes out of service.
$ cd $OUT && schedsim two.csv --cluster 3x2 --faults trace:file=faults.csv --recovery backoff --engine spares=1,swap_s=5 --overhead none --timeline --quiet --out down; python3 "$OLDPWD/tests/cli/show_timeline.py" down/timeline.json
0+10 node 2 GPU all, out of service: out of service: spare
5 node 0 GPU all, faults: fault: lost GPU fault=1 scope=gpu after=down repair=4 gpu=1 harmless=False missed=False hits=1
5 node 0 GPU all, GPU 0: failure: a fails cause=lost GPU kind=infrastructure fault=1 node=0 attempt=1 failures=1 verdict=resume by=backoff detected=0 delay=10 lost=0
5+4 node 0 GPU all, out of service: out of service: lost GPU fault=1 scope=gpu after=down repair=4
6 node 1 GPU all, faults: fault: a "DIMM" fault=2 scope=node after=down repair=34 harmless=False missed=False hits=1
6 node 1 GPU all, GPU 2: failure: b fails cause=a "DIMM" kind=infrastructure fault=2 node=1 attempt=1 failures=1 verdict=resume by=backoff detected=0 delay=10 lost=0
6+34 node 1 GPU all, out of service: out of service: a "DIMM" fault=2 scope=node after=down repair=34
40+70 node 1 GPU all, out of service: out of service: spare
# Node 1 leaves by plan and returns. Storage faults have a track of the virtual cluster.
$ cd $OUT && echo '{"nodes":[{"count":2,"gpus":2}],"changes":[{"at_s":20,"node":1,"up":false},{"at_s":60,"node":1,"up":true}]}' > plan.json; schedsim two.csv --cluster plan.json --faults hardware:profile=acme,rate_factor=100000 --recovery backoff --overhead none --seed 1 --timeline --quiet --out plan; python3 "$OLDPWD/tests/cli/show_timeline.py" plan/timeline.json | sed -n 1,4p
3.20004 virtual cluster all, storage faults: fault: storage fault fault=1 scope=storage after=passes repair=0 harmless=False missed=False hits=0
20+40 node 1 GPU all, out of service: out of service: capacity
40.6587 virtual cluster all, storage faults: fault: storage fault fault=2 scope=storage after=passes repair=0 harmless=False missed=False hits=1
40.6587 node 0 GPU all, GPU 0: failure: a fails cause=storage fault kind=infrastructure fault=2 attempt=1 failures=1 verdict=resume by=backoff detected=0 delay=10 lost=0
# Where nothing can fail, it shows attempts, counters and the node that is a spare.
$ cd $OUT && schedsim two.csv --cluster 3x2 --engine spares=1 --timeline --quiet --out well; python3 "$OLDPWD/tests/cli/show_timeline.py" well/timeline.json; grep -c '"X"' well/timeline.json; grep -c 'out of service' well/timeline.json; true
0+100 node 2 GPU all, out of service: out of service: spare
5
3
# An attempt says what it is; the crop cuts it, names only what it shows, and is repeated by rerun.
$ cd $OUT && schedsim two.csv --cluster 3x2 --policy srtf --timeline=from=90s --timeline=to=2min --quiet --out cut; grep -v thread_name cut/timeline.json; schedsim verify --again cut; jq -c .provenance.timeline cut/manifest.json
{"displayTimeUnit":"ms","otherData":{"schedsim":"0.3.0","policy":"srtf","time_zero":"1970-01-01 00:00:00Z","from_s":90,"to_s":120},"traceEvents":[
{"ph":"C","name":"pending jobs","pid":1,"ts":90000000,"args":{"jobs":0}},
{"ph":"C","name":"busy GPUs","pid":1,"ts":90000000,"args":{"GPUs":4}},
{"ph":"C","name":"busy GPUs","pid":1,"ts":100000000,"args":{"GPUs":0}},
...
{"ph":"M","name":"process_name","pid":1,"args":{"name":"virtual cluster all"}},
{"ph":"M","name":"process_name","pid":3,"args":{"name":"node 0 GPU all"}},
{"ph":"M","name":"process_name","pid":4,"args":{"name":"node 1 GPU all"}}
]}
cut: run again, every file has the same bytes
{"from":"90s","to":"2min","vcs":[]}
$ cd $OUT && grep -m1 '"ph":"X"' cut/timeline.json; schedsim two.csv --cluster 3x2 --policy srtf --timeline=gzip --quiet --out packed; schedsim two.csv --cluster 3x2 --policy srtf --timeline --quiet --out plain; zcat packed/timeline.json.gz | cmp - plain/timeline.json; ls packed; schedsim verify --again packed
{"ph":"X","name":"a","cat":"attempt,finished,unknown","pid":3,"tid":263,"ts":90000000,"dur":10000000,"cname":"good","args":{"start_s":0,"end_s":100,"job":"a","gpus":2,"nodes":"0","attempt":1,"waited":0,"how":"finished","outcome":"unknown","work":100}},
jobs.csv
manifest.json
series.csv
summary.json
timeline.json.gz
packed: run again, every file has the same bytes
# What is wrong with a crop is said before the run where it can be.
$ cd $OUT && schedsim two.csv --cluster 3x2 --timeline=from=soon --out none
schedsim: --timeline=from: 'soon' is not a date (2020-04-07 or "2020-04-07 12:00", UTC) or a time since the first submission (5400, 90min, 36h, 2d)
[exit 2]
$ cd $OUT && schedsim two.csv --cluster 3x2 --timeline=from=2h --timeline=to=90min --out none
schedsim: --timeline=to: 90min is 5400.000000 s after the first submission, not later than the start of the timeline at 7200.000000 s
[exit 2]
$ cd $OUT && schedsim two.csv --cluster 3x2 --timeline=vc=prod --out absent; ls absent
schedsim: --timeline=vc: no virtual cluster 'prod'; the cluster has 'all'
ls: cannot access 'absent': No such file or directory
[exit 2]
$ cd $OUT && schedsim two.csv --cluster 3x2 --timeline=gzip
schedsim: --timeline: needs --out DIR
[exit 2]
