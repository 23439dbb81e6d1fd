# What a file says and nobody reads is an error, with the nearest known name.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,vcc,rank\n0,10,1,a,vcA,1\n' > $OUT/cols.csv; cd $OUT; schedsim cols.csv --cluster 1x8
schedsim: cols.csv:1:41: vcc: no column is called so; did you mean 'vc'?; to pass over it say native:skip=vcc
[exit 3]
$ cd $OUT; schedsim cols.csv --cluster 1x8 --format native:skip=vcc
schedsim: cols.csv:1:45: rank: no column is called so; to pass over it say native:skip=rank
[exit 3]
$ schedsim $OUT/cols.csv --cluster 1x8 --format native:skip=vcc+rank --quiet; schedsim $OUT/cols.csv --cluster 1x8 --format 'native:skip=*' --quiet
$ cd $OUT; printf 'duration_s,start\n' > lacks.csv; schedsim lacks.csv --format native
schedsim: lacks.csv:1:1: submitted_unix_s: the header lacks this column, and gpus
[exit 3]
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n' > $OUT/one.csv; cd $OUT; printf '{"node":[{"count":8}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json: no key 'node'; did you mean 'nodes'?
[exit 3]
$ cd $OUT; printf '{"nodes":[{"count":8,"gpus":8,"rak":1}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json: nodes[0]: no key 'rak'; did you mean 'rack'?
[exit 3]
$ cd $OUT; printf '{"types":[{"name":"A100","speeed":2}],"nodes":[{"gpus":8,"type":"A100"}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json: types[0]: no key 'speeed'; did you mean 'speed'?
[exit 3]
$ cd $OUT; printf '{"types":[{"name":"A100"}],"nodes":[{"gpus":8,"type":"A10O"}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json: nodes[0]: type: 'A10O' is not among the file's "types"; did you mean 'A100'?
[exit 3]
$ cd $OUT; printf '{"nodes":[{"gpus":8}],"changes":[{"at_s":5,"node":0,"down":true}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json: changes[0]: no key 'down'; there are at_s, node, up, comment
[exit 3]
$ cd $OUT; printf 'job_id,prediction,extra\na,10,1\n' > guess.csv; schedsim one.csv --cluster 1x8 --policy sjf --estimators file:path=guess.csv
schedsim: guess.csv:1:19: extra: no column is called so; to pass over it say file:skip=extra
[exit 3]
$ cd $OUT; schedsim one.csv --cluster 1x8 --policy sjf --estimators file:path=guess.csv,skip=extra --quiet; printf 'job_id,ebm,other\na,10,1\n' > theirs.csv; schedsim one.csv --cluster 1x8 --policy sjf --estimators file:path=theirs.csv,column=ebm --quiet
$ cd $OUT; printf 'time,pred_gpu_job,pred_gpu_num,hour\n' > ahead.csv; schedsim one.csv --cluster 1x8 --policy lucid --forecast file:path=ahead.csv --estimators profiled,oracle
schedsim: ahead.csv:1:32: hour: no column is called so; to pass over it say file:skip=hour
[exit 3]
$ cd $OUT; printf '{"figures":[],"row":[]}' > w.json; schedsim one.csv --cluster 1x8 --workloads schedmate:file=w.json
schedsim: w.json: no key 'row'; did you mean 'rows'?
[exit 3]
$ cd $OUT; printf 'model,dataset,batchsize,amp,gpu_util,gmemutil\n' > w.csv; schedsim one.csv --cluster 1x8 --workloads lucid:file=w.csv
schedsim: w.csv:1:38: gmemutil: no column is called so; did you mean 'gmem_util'?
[exit 3]
$ cd $OUT; printf 'gpu,job,partner,job_speed,partner_speed,note\n' > p.csv; schedsim one.csv --cluster 1x8 --interference table:file=p.csv
schedsim: p.csv:1:41: note: no column is called so
[exit 3]

# Two GPU types of which nobody says how fast they are.
$ schedsim $OUT/one.csv --cluster 1x8:A100+1x8:H200
schedsim: cluster 1x8:A100+1x8:H200: jobs may run on A100 and on H200, and how fast these are is not stated; say it as work per time, such as A100@1 and H200@2.5 in --cluster (1 for both: equally fast)
[exit 2]
$ schedsim $OUT/one.csv --cluster 1x8:H200@2.5+1x8:A100 --policy fifo --json | grep makespan
    "makespan_s": 4,
$ schedsim $OUT/one.csv --cluster 1x8:A100@1+1x8:H200@1 --quiet
$ schedsim $OUT/one.csv --cluster a=1x8:A100,b=1x8:H200 --quiet
schedsim: cluster a=1x8:A100,b=1x8:H200: jobs may run on A100 and on H200, and how fast these are is not stated; say it as work per time, such as A100@1 and H200@2.5 in --cluster (1 for both: equally fast)
[exit 2]
$ printf 'submitted_unix_s,duration_s,gpus,vc,gpu_type\n0,10,1,a,\n0,9,1,b,\n' > $OUT/apart.csv; schedsim $OUT/apart.csv --cluster a=1x8:A100,b=1x8:H200 --quiet
$ printf 'submitted_unix_s,duration_s,gpus,gpu_type\n0,10,1,A100\n0,9,1,H200\n' > $OUT/typed.csv; schedsim $OUT/typed.csv --cluster 1x8:A100+1x8:H200 --quiet
$ schedsim $OUT/one.csv --cluster 1x8:A100@1+1x8:A100@2
schedsim: --cluster: type A100 has two speeds, 1 and 2
[exit 2]
$ schedsim $OUT/one.csv --cluster 1x8:A100@fast
schedsim: --cluster: 'A100@fast': 'fast' is not a speed, which is work per time, 1e-06 to 1e+06
[exit 2]
$ cd $OUT; printf '{"types":[{"name":"A"},{"name":"B"}],"nodes":[{"gpus":8,"type":"A"},{"gpus":8,"type":"B"}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: cluster c.json: jobs may run on A and on B, and how fast these are is not stated; say it as work per time, such as "types": [{"name": "A", "speed": 1}, {"name": "B", "speed": 2.5}] (1 for both: equally fast)
[exit 2]

# A selection that leaves nothing is no success.
$ schedsim traces/samples/venus.csv --vc vcJsv
schedsim: --vc: the trace names no virtual cluster 'vcJsv'; did you mean 'vcJsw'?; it names vcKeu, vcvGl, vcJsw, vcefl, vcYVn, vcKrE, vc8Gr, vchbv, vchA3, vcEwI, vcLTP, vcWoR, vcHvQ, vcvlY, vcgkz
[exit 2]
$ schedsim $OUT/one.csv --vc a
schedsim: --vc: the trace names no virtual clusters, and so not 'a'
[exit 2]
$ schedsim traces/samples/venus.csv --from 2024-01-01
schedsim: traces/samples/venus.csv: no job is left of its 3500 rows: it was submitted 2020-03-31 16:08:20 .. 2020-04-18 09:56:23 UTC; 3500 submitted outside the window
[exit 3]
$ cd $OUT; schedsim compare one.csv --from 7 -p fifo -p srtf
schedsim: one.csv: no job is left of its 1 rows: it was submitted 0 .. 0 s; 1 submitted outside the window
[exit 3]

# What is assumed and what is rejected stands below the table.
$ schedsim $OUT/one.csv | grep note
note: no --cluster is given and the trace does not tell its own: it runs on a800-64 (its largest job asks for 1 GPUs)
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n1,5,9,b\n2,5,9,c\n' > $OUT/wide.csv; schedsim $OUT/wide.csv --cluster 1x8 2>/dev/null | grep note
note: 2 of 3 jobs rejected: each asks for more GPUs than its virtual cluster has; the first is b (9 GPUs)
$ printf 'name,time,application,num_replicas,batch_size\nx-0,0,bert,2,24\n' > $OUT/timeless.csv; schedsim $OUT/timeless.csv | grep note
note: run times are not in the file: 1 are derived from profiles of T4 GPUs, 0 are unknown
note: 1 of 1 jobs run equally fast on every GPU type of cluster sia-hetero, which is assumed: --throughput application has measured speeds, TYPE@SPEED in --cluster states others
