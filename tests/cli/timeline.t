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
# Where nothing can fail, it shows the attempts alone.
$ cd $OUT && schedsim two.csv --cluster 3x2 --engine spares=1 --timeline --quiet --out well; python3 "$OLDPWD/tests/cli/show_timeline.py" well/timeline.json; grep -c '"X"' well/timeline.json; grep -c 'out of service' well/timeline.json; true
4
0
