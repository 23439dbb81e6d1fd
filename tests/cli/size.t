# `size`: what cannot be asked.
$ mkdir $OUT/size; cd $OUT/size; printf 'job_id,submitted_unix_s,duration_s,gpus,vc,user\na,0,1000,1,x,u\nb,10,500,8,y,v\nc,20,700,8,y,v\nd,30,400,4,x,u\n' >t.csv; for target in 'queue_delay' '<3' 'queue_delay.p95' 'queue_dealy.p95 < 1h' 'zzzzzzzzz < 1' 'queue_delay.p42 < 1h' 'queue_delay.p95 < soon' 'allocation > much' 'share_waiting_over_x < 5%' 'share_waiting_over_10min.mean < 5%' 'makespan.mean < 1h' 'makespan < 1 parsec'; do schedsim size t.csv -c 2x8 --target "$target"; done
schedsim: --target: 'queue_delay': expected METRIC[.COLUMN] < VALUE, such as 'queue_delay.p95 < 10min'
schedsim: --target: '<3': expected METRIC[.COLUMN] < VALUE, such as 'queue_delay.p95 < 10min'
schedsim: --target: 'queue_delay.p95': expected METRIC[.COLUMN] < VALUE, such as 'queue_delay.p95 < 10min'
schedsim: --target: 'queue_dealy.p95 < 1h': no metric 'queue_dealy'; did you mean 'queue_delay'?
schedsim: --target: 'zzzzzzzzz < 1': no metric 'zzzzzzzzz'; 'schedsim list columns' has them
schedsim: --target: 'queue_delay.p42 < 1h': no column 'p42': expected mean, p50, p90, p95, p99 or max
schedsim: --target: 'queue_delay.p95 < soon': 'soon' is not a length of time, such as 600, 10min, 2h or 1.5d
schedsim: --target: 'allocation > much': 'much' is not a number or a percentage
schedsim: --target: 'share_waiting_over_x < 5%': 'x' is not a length of time, such as 600s or 10min
schedsim: --target: 'share_waiting_over_10min.mean < 5%': no metric 'share_waiting_over_10min'; 'schedsim list columns' has them
schedsim: --target: 'makespan.mean < 1h': no metric 'makespan'; did you mean 'makespan_s'?
schedsim: --target: 'makespan < 1 parsec': '1 parsec' is not a length of time, such as 600, 10min, 2h or 1.5d
[exit 2]
$ cd $OUT/size; for vary in 'some' 'nodes of' 'nodes in' 'nodes near x' 'vc of V100' 'load in x' 'nodes of V10' 'nodes of 4xV100' 'nodes of quantum' 'nodes in z' 'nodes in elsewhere' 'gpu-type' 'gpu-type of V100'; do schedsim size t.csv -c x=2x8:V100,y=2x8:V100 --target 'queue_delay.p95 < 1h' --vary "$vary"; done; schedsim size t.csv -c 2x8 --target 'jct < 1h' --vary load --most 99999999; schedsim size t.csv -c 2x8 --target 'jct < 1h' --most 99999999
schedsim: --vary: 'some': expected nodes [of [GPUSx]TYPE] [in VC], vc, load or gpu-type [in VC]
schedsim: --vary: 'nodes of': a name is missing after 'of'
schedsim: --vary: 'nodes in': a name is missing after 'in'
schedsim: --vary: 'nodes near x': 'near' is not understood after 'nodes'
schedsim: --vary: 'vc of V100': 'of' is not understood after 'vc'
schedsim: --vary: 'load in x': 'in' is not understood after 'load'
schedsim: --vary: 'nodes of V10': the cluster has no such nodes; did you mean 'V100'?
schedsim: --vary: 'nodes of 4xV100': the cluster has no such nodes; did you mean 'V100'?
schedsim: --vary: 'nodes of quantum': the cluster has no such nodes
schedsim: --vary: 'nodes in z': the cluster has no such nodes
schedsim: --vary: 'nodes in elsewhere': the cluster has no such nodes
schedsim: --vary: 'gpu-type': gpu-type needs --prices FILE, which names the types that can be bought, their prices and speeds
schedsim: --vary: 'gpu-type of V100': 'of' is not understood after 'gpu-type'
schedsim: --most: '99999999' is not a whole number, 1 to 1e+06
schedsim: --most: '99999999' is not a whole number, 1 to 1e+06
[exit 2]
$ cd $OUT/size; schedsim size t.csv -c 2x8; schedsim size --target 'jct < 1h'; schedsim size - --target 'jct < 1h' </dev/null; schedsim size t.csv -c 2x8 --vary vc --target 'jct < 1h'
schedsim: size: --target is missing, such as --target 'queue_delay.p95 < 10min'
schedsim: size: a trace is missing; see --help
schedsim: size: standard input can be read only once
schedsim: --vary: 'vc': the run has one virtual cluster only; vary nodes
[exit 2]
# Prices.
$ cd $OUT/size; echo '{"currency":"EUR","types":[{"name":"V100","per_gpu_hour":1,"gpus":8,"speed":1},{"name":"T4","per_gpu_hour":0.3,"gpus":4,"speed":0.5}]}' >prices.json; python3 -B "$OLDPWD/tests/cli/wrong.py" prices.json "schedsim size t.csv -c 1x8:V100@1 --target 'jct < 1h' --vary gpu-type --prices wrong.json" '=[]' '={}' currency 'currency=""' currency=3 types types=3 types=[] 'types=[3]' types.0.name types.0.name=3 'types.0.name=""' types.0.per_gpu_hour 'types.0.per_gpu_hour="1"' types.0.per_gpu_hour=-1 types.0.gpus=0 types.0.gpus=1.5 types.0.gpus=65 types.0.speed=0 'types.0.speed="x"' 'types.1.name="V100"' types.0.sped=1 currencies=1; schedsim size t.csv -c 1x8:V100 --target 'jct < 1h' --vary gpu-type --prices none.json; sed 's/,"gpus":4//' prices.json >gpus.json; sed 's/,"speed":0.5//' prices.json >speed.json; for p in gpus speed; do schedsim size t.csv -c 1x8:V100@1 --target 'jct < 1h' --vary gpu-type --prices $p.json; done; schedsim size t.csv -c 1x8:V100 --target 'jct < 1h' --vary gpu-type --prices prices.json; schedsim size t.csv -c 1x8:T4@1 --target 'jct < 1h' --vary gpu-type --prices prices.json | grep -v 'on . threads*$'; schedsim size t.csv -c x=1x8:T4@1,y=1x8:T4@1 --target 'jct < 1h' --vary gpu-type --prices prices.json; schedsim size t.csv -c x=1x8:T4@1,y=1x8:T4@1 --target 'jct < 1h' --vary 'gpu-type in z' --prices prices.json
=[]
  wrong.json: expected {"currency": text, "types": [{"name": text, "per_gpu_hour": number}, ...]}
={}
  wrong.json: expected {"currency": text, "types": [{"name": text, "per_gpu_hour": number}, ...]}
currency
  wrong.json: expected {"currency": text, "types": [{"name": text, "per_gpu_hour": number}, ...]}
currency=""
  wrong.json: expected {"currency": text, "types": [{"name": text, "per_gpu_hour": number}, ...]}
currency=3
  wrong.json: expected {"currency": text, "types": [{"name": text, "per_gpu_hour": number}, ...]}
types
  wrong.json: expected {"currency": text, "types": [{"name": text, "per_gpu_hour": number}, ...]}
types=3
  wrong.json: expected {"currency": text, "types": [{"name": text, "per_gpu_hour": number}, ...]}
types=[]
  --vary: 'gpu-type': gpu-type needs --prices FILE, which names the types that can be bought, their prices and speeds [exit 2]
types=[3]
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.name
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.name=3
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.name=""
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.per_gpu_hour
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.per_gpu_hour="1"
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.per_gpu_hour=-1
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.gpus=0
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.gpus=1.5
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.gpus=65
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.speed=0
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.0.speed="x"
  wrong.json: types[0]: expected {"name": text, "per_gpu_hour": 0 or more, "gpus": whole number from 1 to 64, "speed": factor above 0}
types.1.name="V100"
  wrong.json: types[1]: V100 has a price already
types.0.sped=1
  wrong.json:1:90: types[0]: no key 'sped'; did you mean 'speed'?
currencies=1
  wrong.json:1:154: no key 'currencies'; there are currency, types, comment
fifo on 1x8:T4@1: nodes to buy, of one GPU type
target: jct < 1h

type  today  jct_s.mean  needed    95 %      then  GPUs  EUR a month
V100      0    30.2 min       0  0 to 0  30.2 min     0            0
T4        0    30.2 min       0  0 to 0  30.2 min     0            0

cheapest: V100
today's run meets it
all nodes: 1753 EUR a month, today 1753 (730.5 hours)
note: 95 %: the middle 95 % of the answers of 10 replications: blocks of 1 day
  of each virtual cluster in another order (--replications, --block-days)
schedsim: none.json: cannot be opened: No such file or directory
schedsim: --vary: 'gpu-type': the number of GPUs of a node of T4 is not known; add "gpus" to this type in the file of --prices
schedsim: --vary: 'gpu-type': the speed of T4 is not known; add "speed" to this type in the file of --prices
schedsim: --vary: 'gpu-type': the cluster does not state the speed of V100; state it in --cluster, such as V100@1
schedsim: --vary: 'gpu-type': the cluster has several virtual clusters; name one: gpu-type in VC
schedsim: --vary: 'gpu-type in z': the cluster has no such nodes
[exit 2]
# Answers: of a share, of a scalar, of a least value; one that cannot be met.
$ cd $OUT/size; schedsim size t.csv -c 1x8 --target 'share_waiting_over_10min <= 25%' | grep -v 'on . threads*$'
fifo on 1x8: nodes of 8 GPU
target: share_waiting_over_10min <= 25%

       today  share_waiting_over_600s  needed    95 %  then  GPUs
nodes      1                     0.75       2  2 to 2  0.00    16

the run that meets it has the options of this one and --what-if
  '+1 node of 8xGPU'
note: 95 %: the middle 95 % of the answers of 10 replications: blocks of 1 day
  of each virtual cluster in another order (--replications, --block-days)
$ cd $OUT/size; schedsim size t.csv -c 4x8 --target 'allocation > 30%' --target 'makespan_s < 1h' | grep -v 'on . threads*$'
fifo on 4x8: nodes of 8 GPU
target: allocation > 30%
target: makespan_s < 1h

       today  allocation  makespan_s  needed    95 %  then      then  GPUs
nodes      4        0.38    16.7 min       1  1 to 1  0.59  43.3 min     8

not monotone: nodes: 1 meets the target, 6 does not, of 8 that were tried; at
  the end of the range it is missed
the run that meets it has the options of this one and --what-if
  '-3 nodes of 8xGPU'
note: 95 %: the middle 95 % of the answers of 10 replications: blocks of 1 day
  of each virtual cluster in another order (--replications, --block-days)
$ cd $OUT/size; schedsim size t.csv -c 2x8 --what-if '+1 node' --target 'queue_delay <= 0s' --most 2 | grep -v 'on . threads*$'; schedsim size t.csv -c 2x8 --target 'jct < 1s' | grep -v 'on . threads*$'
fifo on 2x8: nodes of 8 GPU
target: queue_delay <= 0s

       today  queue_delay_s.mean  needed  95 %  then  GPUs
nodes      3                 0 s    none     -     -     -

cannot be met: nodes: with 2 nodes, the most that were tried (--most),
  queue_delay_s.mean is 4.04 min
but 3 meets it, which is more than --most
note: 95 %: the middle 95 % of the answers of 10 replications: blocks of 1 day
  of each virtual cluster in another order (--replications, --block-days)
note: what if: 1 more nodes of 8 GPU in the cluster (--what-if)
fifo on 2x8: nodes of 8 GPU
target: jct < 1s

       today  jct_s.mean  needed  95 %  then  GPUs
nodes      2    14.9 min    none     -     -     -

cannot be met: nodes: with 64 nodes no job waits, and jct_s.mean is 10.8 min:
  run times alone miss the target
note: 95 %: the middle 95 % of the answers of 10 replications: blocks of 1 day
  of each virtual cluster in another order (--replications, --block-days)
schedsim: the target cannot be met
schedsim: the target cannot be met
$ cd $OUT/size; schedsim size t.csv -c x=1x8,y=1x8 --target 'queue_delay.max < 100s' --vary vc | grep -v 'on . threads*$'
fifo on x=1x8,y=1x8: nodes of each virtual cluster by itself
target: queue_delay.max < 100s

vc  today  queue_delay_s.max  needed    95 %  then  GPUs
x       1                0 s       1  1 to 1   0 s     8
y       1           8.17 min       2  2 to 2   0 s    16

all: 3 nodes of 24 GPUs, today 2, 95 %: 3 to 3
of all jobs, queue_delay_s.max is then 0 s

the run that meets it has the options of this one and --what-if
  '+1 node of 8xGPU in y'
note: 95 %: the middle 95 % of the answers of 10 replications: blocks of 1 day
  of each virtual cluster in another order (--replications, --block-days)
$ cd $OUT/size; schedsim size t.csv -c x=1x8:V100@1,y=1x8:V100@1 --target 'queue_delay.max < 100s' --vary 'gpu-type in y' --prices prices.json --json | jq -c '[.cheapest, .what_if, .gpus, .per_month, .units[].answer]'
["T4","+2 nodes of 4xT4@0.5 in y",24,13441.2,1,2]
$ cd $OUT/size; schedsim size t.csv -c 2x8 --target 'queue_delay.mean < 5min' --vary load | grep -v 'on . threads*$'
fifo on 2x8: load: how many times as fast submissions come
target: queue_delay.mean < 5min

      today  queue_delay_s.mean  at most                95 %      then
load  x1.00            4.04 min  x100.00  x100.00 to x100.00  4.17 min

the run that meets it has the options of this one and --what-if 'x100.00 load'
note: 95 %: the middle 95 % of the answers of 10 replications: blocks of 1 day
  of each virtual cluster in another order (--replications, --block-days)
