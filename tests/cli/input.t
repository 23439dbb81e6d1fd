# What a file says and nobody reads is an error, with the nearest known name.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,vcc,rank\n0,10,1,a,vcA,1\n' > $OUT/cols.csv; cd $OUT; schedsim cols.csv --cluster 1x8
schedsim: cols.csv:1:41: vcc: no such column; did you mean 'vc'?; to skip it, say native:skip=vcc
[exit 3]
$ cd $OUT; schedsim cols.csv --cluster 1x8 --format native:skip=vcc
schedsim: cols.csv:1:45: rank: no such column; to skip it, say native:skip=rank
[exit 3]
$ schedsim $OUT/cols.csv --cluster 1x8 --format native:skip=vcc+rank --quiet; schedsim $OUT/cols.csv --cluster 1x8 --format 'native:skip=*' --quiet
$ cd $OUT; printf 'duration_s,start\n' > lacks.csv; schedsim lacks.csv --format native
schedsim: lacks.csv:1:1: submitted_unix_s: the header lacks this column, and gpus
[exit 3]
# A key that stands twice has no place of its own.
$ printf '{"poliy": 1}' > $OUT/k.json; schedsim traces/samples/venus.csv --config $OUT/k.json 2>&1 | sed "s|$OUT|OUT|"
schedsim: OUT/k.json:1:2: no key 'poliy'; did you mean 'policy'?
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n' > $OUT/one.csv; cd $OUT; printf '{"nodes":[{"gpus":8,"rak":1},{"gpus":8,"rak":1}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json: nodes[0]: no key 'rak'; did you mean 'rack'?
[exit 3]
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n' > $OUT/one.csv; cd $OUT; printf '{"node":[{"count":8}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json:1:2: no key 'node'; did you mean 'nodes'?
[exit 3]
$ cd $OUT; printf '{"nodes":[{"count":8,"gpus":8,"rak":1}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json:1:31: nodes[0]: no key 'rak'; did you mean 'rack'?
[exit 3]
$ cd $OUT; printf '{"types":[{"name":"A100","speeed":2}],"nodes":[{"gpus":8,"type":"A100"}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json:1:26: types[0]: no key 'speeed'; did you mean 'speed'?
[exit 3]
$ cd $OUT; printf '{"types":[{"name":"A100"}],"nodes":[{"gpus":8,"type":"A10O"}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json: nodes[0]: type: 'A10O' is not among the file's "types"; did you mean 'A100'?
[exit 3]
$ cd $OUT; printf '{"nodes":[{"gpus":8}],"changes":[{"at_s":5,"node":0,"down":true}]}' > c.json; schedsim one.csv --cluster c.json
schedsim: c.json:1:53: changes[0]: no key 'down'; there are at_s, node, up, comment
[exit 3]
$ cd $OUT; printf 'job_id,prediction,extra\na,10,1\n' > guess.csv; schedsim one.csv --cluster 1x8 --policy sjf --estimators file:path=guess.csv
schedsim: guess.csv:1:19: extra: no such column; to skip it, say file:skip=extra
[exit 3]
$ cd $OUT; schedsim one.csv --cluster 1x8 --policy sjf --estimators file:path=guess.csv,skip=extra --quiet; printf 'job_id,ebm,other\na,10,1\n' > theirs.csv; schedsim one.csv --cluster 1x8 --policy sjf --estimators file:path=theirs.csv,column=ebm --quiet
$ cd $OUT; printf 'time,pred_gpu_job,pred_gpu_num,hour\n' > ahead.csv; schedsim one.csv --cluster 1x8 --policy lucid --forecast file:path=ahead.csv --estimators profiled,oracle
schedsim: ahead.csv:1:32: hour: no such column; to skip it, say file:skip=hour
[exit 3]
$ cd $OUT; printf '{"figures":[],"row":[]}' > w.json; schedsim one.csv --cluster 1x8 --workloads schedmate:file=w.json
schedsim: w.json:1:15: no key 'row'; did you mean 'rows'?
[exit 3]
$ cd $OUT; printf 'model,dataset,batchsize,amp,gpu_util,gmemutil\n' > w.csv; schedsim one.csv --cluster 1x8 --workloads lucid:file=w.csv
schedsim: w.csv:1:38: gmemutil: no such column; did you mean 'gmem_util'?
[exit 3]
$ cd $OUT; printf 'gpu,job,partner,job_speed,partner_speed,note\n' > p.csv; schedsim one.csv --cluster 1x8 --interference table:file=p.csv
schedsim: p.csv:1:41: note: no such column
[exit 3]

# Two GPU types of which nobody says how fast they are.
$ schedsim $OUT/one.csv --cluster 1x8:A100+1x8:H200
schedsim: cluster 1x8:A100+1x8:H200: jobs may run on A100 and on H200, whose speeds are not stated; state them as work per time, such as A100@1 and H200@2.5 in --cluster (1 for both: equally fast)
[exit 2]
$ schedsim $OUT/one.csv --cluster 1x8:H200@2.5+1x8:A100 --policy fifo --json | grep makespan
    "makespan_s": 4,
$ schedsim $OUT/one.csv --cluster 1x8:A100@1+1x8:H200@1 --quiet
$ schedsim $OUT/one.csv --cluster a=1x8:A100,b=1x8:H200 --quiet
schedsim: cluster a=1x8:A100,b=1x8:H200: jobs may run on A100 and on H200, whose speeds are not stated; state them as work per time, such as A100@1 and H200@2.5 in --cluster (1 for both: equally fast)
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
schedsim: cluster c.json: jobs may run on A and on B, whose speeds are not stated; state them as work per time, such as "types": [{"name": "A", "speed": 1}, {"name": "B", "speed": 2.5}] (1 for both: equally fast)
[exit 2]

# A selection that leaves nothing is no success.
$ schedsim traces/samples/venus.csv --vc vcJsv
schedsim: --vc: the trace names no virtual cluster 'vcJsv'; did you mean 'vcJsw'?; it names vcKeu, vc8Gr, vcWoR, vchA3, vcefl, vcEwI, vcvGl, vcHvQ, vcJsw, vcYVn, vcKrE, vchbv, vcgkz, vcLTP, vcvlY
[exit 2]
$ schedsim $OUT/one.csv --vc a
schedsim: --vc: the trace names no virtual clusters, and so not 'a'
[exit 2]
$ schedsim traces/samples/venus.csv --from 2024-01-01
schedsim: traces/samples/venus.csv: no job is left of its 3500 rows: it was submitted 2020-03-31 16:00:03 .. 2020-04-05 14:07:09 UTC; 3500 submitted outside the window
[exit 3]
$ cd $OUT; schedsim compare one.csv --from 7 -p fifo -p srtf
schedsim: one.csv: no job is left of its 1 rows: it was submitted 0 .. 0 s; 1 submitted outside the window
[exit 3]

# What is assumed and what is rejected stands below the table.
$ schedsim $OUT/one.csv | sed -n '/^note/,/^$/{/./p}'
note: no --cluster is given and the trace does not name one: it runs on 1x8:
  nodes of 8 GPUs (assumed), as many as hold the largest job, which exceeds the
  mean demand at 80 % (1 GPU)
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n1,5,9,b\n2,5,9,c\n' > $OUT/wide.csv; schedsim $OUT/wide.csv --cluster 1x8 2>/dev/null | sed -n '/^note/,/^$/{/./p}'
note: 2 of 3 jobs rejected: each asks for more GPUs than its virtual cluster
  has; the first is b (9 GPUs)
$ printf 'name,time,application,num_replicas,batch_size\nx-0,0,bert,2,24\n' > $OUT/timeless.csv; schedsim $OUT/timeless.csv | sed -n '/^note/,/^$/{/./p}'
note: run times are not in the file: 1 are derived from profiles of T4 GPUs, 0
  are unknown
note: 1 of 1 jobs run equally fast on every GPU type of cluster sia-hetero,
  which is assumed: --throughput application has measured speeds, TYPE@SPEED in
  --cluster states others

# What a cluster makes of a trace, before any run.
$ schedsim trace validate traces/samples/venus.csv --cluster venus | sed -n '1p;4,5p;$p'
3500 rows of format helios, 0 suspicious
virtual cluster  GPU type       GPUs     jobs  GPU h asked  GPU h there    demand
vcEwI            V100             72     1053       6226.8       8504.5    73.2 %
no job would be dropped or rejected
$ cd $OUT; printf 'submitted_unix_s,duration_s,gpus,job_id,vc,gpu_type\n0,3600,2,a,x,\n0,3600,9,b,x,\n1800,3600,1,c,y,\n3600,1800,1,d,x,H200\n3600,60,1,e,z,T4\n3600,60,1,e,z,T4\n' > ask.csv; schedsim trace validate ask.csv --cluster x=1x8:A100@1+2x4:H200@2,z=1x8:A100
ask.csv:7: repeats the id of an earlier row
6 rows of format native, 1 suspicious
       1 repeats the id of an earlier row

on cluster x=1x8:A100@1+2x4:H200@2,z=1x8:A100, over the 1.0 h in which jobs are submitted:
virtual cluster  GPU type       GPUs     jobs  GPU h asked  GPU h there    demand
x                A100              8        0          0.0          8.0     0.0 %
x                H200              8        1          0.5          8.0     6.2 %
x                any              16        2         11.0         16.0    68.8 %
z                A100              8        0          0.0          8.0     0.0 %
       1 jobs would be dropped: each names a virtual cluster that the cluster does not have, the first 'y'
       1 jobs would be rejected: the virtual cluster has no GPU of the type asked for, the first 'T4'
       1 jobs would be rejected: each asks for more GPUs than the virtual cluster has of one type, the first for 9
$ schedsim trace validate $OUT/ask.csv --cluster x=1x8:A100@1+2x4:H200@2,z=1x8:A100 --json | python3 -c 'import json, sys; d = json.load(sys.stdin)["demand"]; print(len(d["pools"]), d["pools"][0], d["dropped_for_vc"], d["rejected_for_gpu_type"], d["rejected_for_width"])'
4 {'vc': 'x', 'gpu_type': 'A100', 'gpus': 8, 'jobs': 0, 'asked_gpu_hours': 0, 'cluster_gpu_hours': 8} 1 1 1
$ schedsim trace validate $OUT/ask.csv --cluster nosuch
schedsim: --cluster: 'nosuch' is not a preset, not NODESxGPUS[:TYPE] (8x8 is 8 nodes of 8 GPUs) and not a readable file
[exit 2]

# What can be read is told by the tables that the readers use.
$ schedsim list --explain native | sed -n '6,8p'
columns that are read, found by name in the header (a|b: either):
  submitted_unix_s  (required; s)
      when the job was submitted, since 1970 UTC; traces without dates count from 0
$ schedsim list formats --explain philly | tail -1 | cut -c1-42
layout: a JSON array with one object for e
$ schedsim list files
  cluster-file   a cluster as a JSON object, for --cluster FILE; keys of other names are an error
  config         options of a run as a JSON object, for --config FILE: text or whole numbers, null for the default; options of the command line take precedence; --dump-config writes one, with series_interval_s as a number
  decisions.log  one line per action of the policy, in the order planned: TIME ACTION JOB NODE:GPUS ..., or TIME ACTION NODE
  side-car       what each job submitted and what its log looks like, as CSV, for --evidence FILE; columns of other names are an error
  state-file     the present state of a cluster as a JSON object, for --state FILE and `when`; keys of other names are an error
  what-if        clauses of --what-if, separated by ';': +N nodes or -N nodes [of [GPUSx]TYPE[@SPEED]] [in VC] [TIMES], -N racks or lose rack R [in VC] [TIMES], -node NAME,... [TIMES], or xF load [TIMES]; TIMES are [from WHEN] [until WHEN, or for DURATION]. P% or N GPUs may stand for N nodes, 'lose' or 'drain' for '
$ schedsim list files --explain config --json | grep -c '"name": "series'
0
[exit 1]
$ schedsim list files --explain cluster-file --json | grep -A3 'types\[\].speed' | head -3
          "name": "types[].speed",
          "required": false,
          "unit": "factor",
$ schedsim trace info README.md 2>&1 | cut -c1-109
schedsim: README.md:1:1: format: not in a known trace format: looked for the columns or the layout of native,

# The traces of Chronus are of format tiresias with times in minutes. The first of
# several deadlines counts, a best-effort job has none, and a run says so.
$ cd $OUT; printf 'job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type\n0,u1,1,10,55,vgg16,96,5,159-189-229,10-8-5,0,soft\n1,u2,1,20,76,alexnet,106,6,235,10,0,strict\n2,u1,4,30,34,vgg16,26,14,30,10,1,best\n' > chronus.csv; schedsim trace convert chronus.csv deadlines.csv; cut -d, -f1-5,23 deadlines.csv; schedsim trace info chronus.csv | tail -1
submitted_unix_s,duration_s,gpus,job_id,user,deadline_s
600,5760,1,0,u1,9540
1200,6360,1,1,u2,14100
1800,1560,4,2,u1,
note         times are minutes, as in the traces of Chronus (tiresias:times=seconds); 1 job has several deadlines, of which the first is read; 1 best-effort job has no deadline
note: chronus.csv: times are minutes, as in the traces of Chronus (tiresias:times=seconds); 1 job has several deadlines, of which the first is read; 1 best-effort job has no deadline
$ cd $OUT; schedsim trace convert chronus.csv deadlines.csv --format tiresias:times=seconds; cut -d, -f1-5,23 deadlines.csv | tail -3
10,96,1,0,u1,159
20,106,1,1,u2,235
30,26,4,2,u1,
note: chronus.csv: 1 job has several deadlines, of which the first is read; 1 best-effort job has no deadline
$ cd $OUT; sed s/235/235s/ chronus.csv > wrong.csv; schedsim trace info wrong.csv; sed s/interval/due/ chronus.csv > more.csv; schedsim trace info more.csv; schedsim trace info more.csv -f tiresias:skip=due | head -1
format       tiresias
schedsim: wrong.csv:3:28: expect_time_list: '235s' is not a number of seconds, or several joined with '-'
schedsim: more.csv:1:64: due: no such column; to skip it, say tiresias:skip=due

# Every sample runs on its default cluster, to the end.
$ for f in $(ls traces/samples/*.csv | grep -v evidence.csv) traces/samples/evidence.csv traces/samples/*.json traces/samples/*.swf; do schedsim $f --quiet || echo "$f: $?"; done
# Without --cluster, generate, guess and run name one cluster.
$ cd $OUT; for like in "philly" "venus" "saturn --gpus 20"; do schedsim trace generate --like $like --jobs 300 --out made.csv 2>&1 | sed -n 's/^cluster: //p'; schedsim trace guess made.csv | sed -n 's/^cluster: the trace comes from //p'; schedsim made.csv --json --quiet | sed -n 's/.*"cluster": "\([^"]*[xs][^"]*\)".*/\1/p'; done
6214e9=64x8,6c71a0=32x8,b436b2=64x8,103959=8x8,ed69ec=8x8,7f04ca=32x8,2869ce=16x8,e13805=16x8
6214e9=64x8,6c71a0=32x8,b436b2=64x8,103959=8x8,ed69ec=8x8,7f04ca=32x8,2869ce=16x8,e13805=16x8
6214e9=64x8,6c71a0=32x8,b436b2=64x8,103959=8x8,ed69ec=8x8,7f04ca=32x8,2869ce=16x8,e13805=16x8
venus
venus
venus
2x8+1x4
2x8+1x4
2x8+1x4
