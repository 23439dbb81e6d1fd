# What is said of each mistake in a grid.
$ mkdir $OUT/grids; cd $OUT/grids; printf 'job_id,submitted_unix_s,duration_s,gpus,vc\na,0,1000,1,x\nb,200000,500,2,y\n' >t.csv; echo '{"trace":["t.csv"],"policy":["fifo"],"cluster":["1x8"]}' >grid.json; python3 -B "$OLDPWD/tests/cli/wrong.py" grid.json 'schedsim sweep wrong.json -q' '=[]' '={}' trace trace=3 trace=[] 'trace=["-"]' 'trace=[3]' 'trace=[{}]' 'trace=[{"resample":"t.csv","generate":"venus"}]' 'trace=[{"resample":3,"seeds":2}]' 'trace=[{"resample":"t.csv"}]' 'trace=[{"resample":"t.csv","seeds":0}]' 'trace=[{"resample":"t.csv","seeds":"a"}]' 'trace=[{"resample":"t.csv","seeds":10000000}]' 'trace=[{"resample":"t.csv","seeds":[]}]' 'trace=[{"resample":"t.csv","seeds":[1,-1]}]' 'trace=[{"resample":"t.csv","seeds":[1,"x"]}]' 'trace=[{"resample":"t.csv","seeds":[1,2,1]}]' 'trace=[{"resample":"t.csv","seeds":1,"options":3}]' 'trace=[{"resample":"t.csv","seeds":1,"options":[3]}]' 'trace=[{"resample":"t.csv","seeds":1,"joint":[]}]' 'trace=[{"resample":"t.csv","seeds":1,"jiont":true}]' 'trace=[{"resample":"t.csv","seeds":1,"joint":true,"block":null,"span_days":false,"n":"x"}]' 'trace=[{"resample":"t.csv","seeds":1,"to-format":"philly"}]' 'trace=[{"resample":"t.csv","seeds":1,"as":"philly"}]' 'trace=[{"resample":"t.csv","seeds":1,"out":"x"}]' 'trace=[{"resample":"-","seeds":1}]' 'trace=[{"generate":"venus","seeds":1,"repositories":"r"}]'
=[]
  wrong.json: expected an object of lists
={}
  wrong.json: no key 'trace': expected a list of traces
trace
  wrong.json: no key 'trace': expected a list of traces
trace=3
  wrong.json:1:2: trace: expected a file, {"resample": FILE, "seeds": N}, {"generate": CLUSTER, "seeds": N} or {"windows": FILE, "length": "30d", "n": N or "step": "15d"}
trace=[]
  wrong.json:1:2: trace: expected a list with at least one value
trace=["-"]
  wrong.json:1:2: trace: standard input cannot be read again when the sweep is continued
trace=[3]
  wrong.json:1:2: trace: expected a file, {"resample": FILE, "seeds": N}, {"generate": CLUSTER, "seeds": N} or {"windows": FILE, "length": "30d", "n": N or "step": "15d"}
trace=[{}]
  wrong.json:1:2: trace: expected a file, {"resample": FILE, "seeds": N}, {"generate": CLUSTER, "seeds": N} or {"windows": FILE, "length": "30d", "n": N or "step": "15d"}
trace=[{"resample":"t.csv","generate":"venus"}]
  wrong.json:1:2: trace: expected a file, {"resample": FILE, "seeds": N}, {"generate": CLUSTER, "seeds": N} or {"windows": FILE, "length": "30d", "n": N or "step": "15d"}
trace=[{"resample":3,"seeds":2}]
  wrong.json:1:2: trace: expected a file, {"resample": FILE, "seeds": N}, {"generate": CLUSTER, "seeds": N} or {"windows": FILE, "length": "30d", "n": N or "step": "15d"}
trace=[{"resample":"t.csv"}]
  wrong.json: seeds: expected a number from 1 to 100000, or a list of seeds
trace=[{"resample":"t.csv","seeds":0}]
  wrong.json:1:34: seeds: expected a number from 1 to 100000, or a list of seeds
trace=[{"resample":"t.csv","seeds":"a"}]
  wrong.json:1:34: seeds: expected a number from 1 to 100000, or a list of seeds
trace=[{"resample":"t.csv","seeds":10000000}]
  wrong.json:1:34: seeds: expected a number from 1 to 100000, or a list of seeds
trace=[{"resample":"t.csv","seeds":[]}]
  wrong.json:1:34: seeds: expected a number from 1 to 100000, or a list of seeds
trace=[{"resample":"t.csv","seeds":[1,-1]}]
  wrong.json:1:34: seeds: element 2 is not a whole number, at least 0
trace=[{"resample":"t.csv","seeds":[1,"x"]}]
  wrong.json:1:34: seeds: element 2 is not a whole number, at least 0
trace=[{"resample":"t.csv","seeds":[1,2,1]}]
  wrong.json:1:34: seeds: 1 is there twice
trace=[{"resample":"t.csv","seeds":1,"options":3}]
  wrong.json:1:46: options: expected a list of texts, such as ["--joint"]
trace=[{"resample":"t.csv","seeds":1,"options":[3]}]
  wrong.json:1:46: options: expected at most 64 texts, such as ["--joint"]
trace=[{"resample":"t.csv","seeds":1,"joint":[]}]
  wrong.json:1:46: joint: expected text, a number, true or false
trace=[{"resample":"t.csv","seeds":1,"jiont":true}]
  wrong.json:1:13: no option '--jiont'; did you mean '--joint'?
trace=[{"resample":"t.csv","seeds":1,"joint":true,"block":null,"span_days":false,"n":"x"}]
  wrong.json:1:13: no option '--n=x'; see --help
trace=[{"resample":"t.csv","seeds":1,"to-format":"philly"}]
  wrong.json:1:13: no option '--to-format=philly'; see --help
trace=[{"resample":"t.csv","seeds":1,"as":"philly"}]
  wrong.json:1:13: --as: only native can be made
trace=[{"resample":"t.csv","seeds":1,"out":"x"}]
  wrong.json:1:13: --out: no file is written
trace=[{"resample":"-","seeds":1}]
  wrong.json:1:13: standard input cannot be resampled here
trace=[{"generate":"venus","seeds":1,"repositories":"r"}]
  wrong.json:1:13: --set repositories: needs a file; 'trace generate' writes one
$ cd $OUT/grids; python3 -B "$OLDPWD/tests/cli/wrong.py" grid.json 'schedsim sweep wrong.json -q' 'trace=[{"windows":"t.csv"}]' 'trace=[{"windows":"-","n":1,"length":"1d"}]' 'trace=[{"windows":3,"n":1,"length":"1d"}]' 'trace=[{"windows":"t.csv","n":1,"step":"1d","length":"1d"}]' 'trace=[{"windows":"t.csv","n":0,"length":"1d"}]' 'trace=[{"windows":"t.csv","n":"2","length":"1d"}]' 'trace=[{"windows":"t.csv","n":99999999,"length":"1d"}]' 'trace=[{"windows":"t.csv","n":1}]' 'trace=[{"windows":"t.csv","n":1,"length":"0.1s"}]' 'trace=[{"windows":"t.csv","n":1,"length":"long"}]' 'trace=[{"windows":"t.csv","n":1,"length":"9d"}]' 'trace=[{"windows":"t.csv","step":"x","length":"1h"}]' 'trace=[{"windows":"t.csv","step":"1s","length":"1h"}]' 'trace=[{"windows":"t.csv","n":100000,"length":"55h"}]' 'trace=[{"windows":"t.csv","lenght":"1h","n":1}]' 'trace=[{"windows":"t.csv","colour":1,"n":1}]' 'trace=[{"windows":"none.csv","n":1,"length":"1h"}]'
trace=[{"windows":"t.csv"}]
  wrong.json:1:2: trace: expected a file, {"resample": FILE, "seeds": N}, {"generate": CLUSTER, "seeds": N} or {"windows": FILE, "length": "30d", "n": N or "step": "15d"}
trace=[{"windows":"-","n":1,"length":"1d"}]
  wrong.json:1:2: trace: expected a file, {"resample": FILE, "seeds": N}, {"generate": CLUSTER, "seeds": N} or {"windows": FILE, "length": "30d", "n": N or "step": "15d"}
trace=[{"windows":3,"n":1,"length":"1d"}]
  3:1:1: file: cannot open: No such file or directory
trace=[{"windows":"t.csv","n":1,"step":"1d","length":"1d"}]
  wrong.json:1:2: trace: expected a file, {"resample": FILE, "seeds": N}, {"generate": CLUSTER, "seeds": N} or {"windows": FILE, "length": "30d", "n": N or "step": "15d"}
trace=[{"windows":"t.csv","n":0,"length":"1d"}]
  wrong.json:1:33: n: expected 1 to 100000 windows
trace=[{"windows":"t.csv","n":"2","length":"1d"}]
  wrong.json:1:33: n: expected 1 to 100000 windows
trace=[{"windows":"t.csv","n":99999999,"length":"1d"}]
  wrong.json:1:33: n: expected 1 to 100000 windows
trace=[{"windows":"t.csv","n":1}]
  wrong.json: length: expected a length of time of at least a second, such as "30d"
trace=[{"windows":"t.csv","n":1,"length":"0.1s"}]
  wrong.json:1:41: length: expected a length of time of at least a second, such as "30d"
trace=[{"windows":"t.csv","n":1,"length":"long"}]
  wrong.json:1:41: length: expected a length of time of at least a second, such as "30d"
trace=[{"windows":"t.csv","n":1,"length":"9d"}]
  wrong.json:1:13: windows: t.csv is shorter than a window of 9d
trace=[{"windows":"t.csv","step":"x","length":"1h"}]
  wrong.json:1:33: step: expected a length of time of at least a second, such as "30d"
trace=[{"windows":"t.csv","step":"1s","length":"1h"}]
  wrong.json:1:33: step: more than 100000 windows
trace=[{"windows":"t.csv","n":100000,"length":"55h"}]
  wrong.json:1:33: n: too many windows
trace=[{"windows":"t.csv","lenght":"1h","n":1}]
  wrong.json:1:33: no key 'lenght' of windows; did you mean 'length'?
trace=[{"windows":"t.csv","colour":1,"n":1}]
  wrong.json:1:33: no key 'colour' of windows
trace=[{"windows":"none.csv","n":1,"length":"1h"}]
  none.csv:1:1: file: cannot open: No such file or directory
$ cd $OUT/grids; python3 -B "$OLDPWD/tests/cli/wrong.py" grid.json 'schedsim sweep wrong.json -q' policy=[] policy={} 'policy=[{}]' 'policy=["fif"]' 'policy=["fif","fifo"]' 'policy=[3]' 'polcy=["fifo"]' 'zzzzzzzzzzzz=["fifo"]' 'seed=["x"]' 'seed=[1.5]' 'load=["fast"]' 'load=[0]' 'load=[true]' 'tuples=3' 'tuples=[]' 'tuples=[3]' 'tuples=[{}]' 'tuples=[[]]' 'tuples=[[3]]' 'tuples=[[{"seed":1}],3]' 'tuples=[[{"seed":1}],[]]' 'tuples=[{"policy":"sjf"}]' 'tuples=[{"sed":1}]' 'tuples=[{"seed":"x"}]' 'tuples=[[{"seed":1}],[{"seed":2}]]'
policy=[]
  wrong.json:1:22: policy: expected a list with at least one value
policy={}
  wrong.json:1:22: policy: expected a text, a number or null
policy=[{}]
  wrong.json:1:22: policy: expected a text, a number or null
policy=["fif"]
  wrong.json: no policy 'fif'; did you mean 'fifo'? [exit 2]
policy=["fif","fifo"]
  wrong.json: 'policy', value 1: no policy 'fif'; did you mean 'fifo'? [exit 2]
policy=[3]
  wrong.json: no policy '3'; 'schedsim list' names them [exit 2]
polcy=["fifo"]
  wrong.json:1:62: no key 'polcy'; did you mean 'policy'?
zzzzzzzzzzzz=["fifo"]
  wrong.json:1:62: no key 'zzzzzzzzzzzz': expected trace, tuples, name, load or a long option of 'schedsim run'
seed=["x"]
  wrong.json:1:62: --seed: 'x' is not a whole number
seed=[1.5]
  wrong.json:1:62: --seed: '1.5' is not a whole number
load=["fast"]
  wrong.json:1:62: load: 'fast' is not a number above 0
load=[0]
  wrong.json:1:62: load: '0' is not a number above 0
load=[true]
  wrong.json:1:62: load: expected a text, a number or null
tuples=3
  wrong.json:1:62: tuples: expected a list of objects, or a list of such lists
tuples=[]
  wrong.json:1:62: tuples: expected a list of objects, or a list of such lists
tuples=[3]
  wrong.json:1:62: tuples: element 1: expected an object of settings that hold together
tuples=[{}]
  wrong.json:1:62: tuples: element 1: expected an object of settings that hold together
tuples=[[]]
  wrong.json:1:62: tuples: element 1: expected a list of objects, as the first element is
tuples=[[3]]
  wrong.json:1:62: tuples: element 1: expected an object of settings that hold together
tuples=[[{"seed":1}],3]
  wrong.json:1:62: tuples: element 2: expected a list of objects, as the first element is
tuples=[[{"seed":1}],[]]
  wrong.json:1:62: tuples: element 2: expected a list of objects, as the first element is
tuples=[{"policy":"sjf"}]
  wrong.json: 'policy' is in two axes: a run can have one value
tuples=[{"sed":1}]
  wrong.json:1:74: no key 'sed'; did you mean 'seed'?
tuples=[{"seed":"x"}]
  wrong.json:1:74: --seed: 'x' is not a whole number
tuples=[[{"seed":1}],[{"seed":2}]]
  wrong.json: 'seed' is in two axes: a run can have one value
$ cd $OUT/grids; echo '{"trace":[{"windows":"t.csv","n":1,"length":"1h"}],"from":["0s"]}' >spans.json; schedsim sweep spans.json; python3 -c 'import json; print(json.dumps({"trace": ["t.csv"], "seed": list(range(2000)), "tuples": [[{"policy": "fifo"}, {"policy": "sjf"}], [{"jobs": n} for n in range(1, 600)]]}))' >many.json; schedsim sweep many.json
schedsim: spans.json:1:52: 'from' cannot be combined with windows of a trace
schedsim: many.json: more than 1000000 runs
[exit 3]
# A value of each axis that fits together with those of the others.
$ cd $OUT/grids; echo '{"trace":"t.csv","tuples":[[{"policy":"fifo","load":2,"name":"fast"},{"policy":"sjf","estimators":"oracle"}],[{"cluster":"x=1x8,y=1x8"},{"cluster":"2x8"}]]}' >tuples.json; schedsim sweep tuples.json; echo '{"tuples":[{"trace":"t.csv","policy":"fifo","name":"a","load":2,"cluster":"1x8"},{"trace":"t.csv","policy":"fifo","name":"b","cluster":"1x8","seed":null}]}' >traces.json; schedsim sweep traces.json
all runs: trace t.csv
policy  load  name  estimators  cluster      JCT mean  queue mean   JCT p99  makespan  runs
fifo    2     fast  -           x=1x8,y=1x8  12.5 min         0 s  16.7 min    27.9 h     1
fifo    2     fast  -           2x8          12.5 min         0 s  16.7 min    27.9 h     1
sjf     -     -     oracle      x=1x8,y=1x8  12.5 min         0 s  16.7 min    2.32 d     1
sjf     -     -     oracle      2x8          12.5 min         0 s  16.7 min    2.32 d     1
note (2 of 4 runs): what if: submissions come 2 times as fast: the last one
  comes on day 1.157 instead of 2.315 (--what-if)
all runs: trace t.csv, policy fifo, cluster 1x8
name  JCT mean  queue mean   JCT p99  makespan  runs
a     12.5 min         0 s  16.7 min    27.9 h     1
b     12.5 min         0 s  16.7 min    2.32 d     1
note (1 of 2 runs): what if: submissions come 2 times as fast: the last one
  comes on day 1.157 instead of 2.315 (--what-if)
$ cd $OUT/grids; schedsim sweep tuples.json -o kept --keep -q; ls kept; schedsim sweep tuples.json -o kept --keep --dry-run | sed 's/  [0-9a-f]*  / KEY /'
journal
runs
runs.csv
seconds.csv
sweep.json
done  KEY trace=t.csv policy=fifo load=2 name=fast cluster=x=1x8,y=1x8
done  KEY trace=t.csv policy=fifo load=2 name=fast cluster=2x8
done  KEY trace=t.csv policy=sjf estimators=oracle cluster=x=1x8,y=1x8
done  KEY trace=t.csv policy=sjf estimators=oracle cluster=2x8
4 runs, 4 done, 0 to do
# Options of the command.
$ cd $OUT/grids; for words in '--shard 3' '--shard x/2' '--shard 1/y' '--shard 0/2' '--shard 3/2' '--shard 1/2' --collect --keep '--collect --shard 1/2 -o d' '--collect --dry-run -o d' '-- --partition=x' --slurm --intervals '-o d --slurm --shard 1/2' '-o d --slurm --collect' '-o d --slurm --intervals' '--against sjf' '--intervals=of=jct_s' '-o d --intervals --json' '-o d --intervals --dry-run' '-o d --slurm -- cpu' '-o d --slurm -- --array=3' '-o d --slurm -- -d x' '-o d --slurm -- --wrap' '-o d --slurm -- --dependency'; do schedsim sweep grid.json $words; done; schedsim sweep grid.json -o ''; schedsim sweep none.json; ls d
schedsim: --shard: '3' is not I/N with 1 <= I <= N, such as 3/8
schedsim: --shard: 'x/2' is not I/N with 1 <= I <= N, such as 3/8
schedsim: --shard: '1/y' is not I/N with 1 <= I <= N, such as 3/8
schedsim: --shard: '0/2' is not I/N with 1 <= I <= N, such as 3/8
schedsim: --shard: '3/2' is not I/N with 1 <= I <= N, such as 3/8
schedsim: --shard: needs --out DIR
schedsim: --collect: needs --out DIR
schedsim: --keep: needs --out DIR
schedsim: --collect makes no runs: it takes neither --shard nor --dry-run
schedsim: --collect makes no runs: it takes neither --shard nor --dry-run
schedsim: sweep: '--partition=x': words after GRID are options of sbatch, for --slurm
schedsim: --slurm: needs --out DIR
schedsim: --intervals: needs --out DIR
schedsim: --slurm takes neither --shard nor --collect nor --intervals
schedsim: --slurm takes neither --shard nor --collect nor --intervals
schedsim: --slurm takes neither --shard nor --collect nor --intervals
schedsim: --against is for --intervals
schedsim: --intervals: needs --out DIR
{"error": {"exit_status": 2, "meaning": "usage: an unknown option, policy or value", "message": "--intervals takes neither --shard nor --dry-run nor --json ('compare DIR --json' has the numbers)"}}
schedsim: --intervals takes neither --shard nor --dry-run nor --json ('compare DIR --json' has the numbers)
schedsim: --slurm: 'cpu' is not an option of sbatch, such as --partition=cpu
schedsim: --slurm: sweep sets sbatch's --array itself
schedsim: --slurm: sweep sets sbatch's -d itself
schedsim: --slurm: sweep sets sbatch's --wrap itself
schedsim: --slurm: sweep sets sbatch's --dependency itself
schedsim: --out: the path is empty
schedsim: none.json: cannot be opened: No such file or directory
ls: cannot access 'd': No such file or directory
[exit 2]
# What a submission to Slurm would be.
$ cd $OUT/grids; PATH=$OUT schedsim sweep tuples.json -o "a'b" --slurm --dry-run -- --partition=cpu --arrays=3 | sed "s|$OUT|OUT|; s|'/.*schedsim'|SCHEDSIM|; s|^|  |"
  # scontrol does not answer here: MaxArraySize is assumed to be 1001, Slurm's default
  sbatch '--parsable' '--job-name=schedsim-sweep' '--array' '1' '--requeue' '--open-mode=append' '--ntasks=1' '--cpus-per-task=1' '--output=a'\''b/slurm/%A_%a.log' '--partition=cpu' '--arrays=3' <<'END'
  #!/bin/sh
  # Written by schedsim sweep --slurm.
  cd 'OUT/grids' || exit 1
  SCHEDSIM sweep 'tuples.json' --out 'a'\''b' --quiet --other-version refuse --shard "$((SLURM_ARRAY_TASK_ID + 0))/1" --threads "${SLURM_CPUS_PER_TASK:-1}"
  status=$?
  [ $status -eq 4 ] && status=0
  exit $status
  END
  sbatch '--parsable' '--job-name=schedsim-collect' '--dependency=afterany:JOB' '--requeue' '--output=a'\''b/slurm/collect-%j.log' '--partition=cpu' '--arrays=3' <<'END'
  #!/bin/sh
  # Written by schedsim sweep --slurm.
  cd 'OUT/grids' || exit 1
  SCHEDSIM sweep 'tuples.json' --out 'a'\''b' --quiet --other-version refuse --collect
  END
  # would submit 4 runs as 1 task in 1 array; a task takes an unknown time, because no run was timed
$ cd $OUT/grids; PATH=$OUT schedsim sweep grid.json -o d --keep --slurm --dry-run -q | grep -o 'SLURM_ARRAY[^"]*"\|--keep'; PATH=$OUT schedsim sweep grid.json -o e --slurm
--keep
SLURM_ARRAY_TASK_ID + 0))/1"
--keep
all runs: trace t.csv, policy fifo, cluster 1x8
JCT mean  queue mean   JCT p99  makespan  runs
12.5 min         0 s  16.7 min    2.32 d     1
no run has been timed yet: one is made here, to find out how many runs make a task
all runs are done: nothing is submitted
1 run in e/runs.csv, 0 of them made now
