# A row of `compare` whose physics differ from the first row's is marked, and
# one sentence says what differs. Settings of a policy are its own.
$ schedsim compare traces/samples/sia.csv --jobs 20 -p fifo -p srtf -p sia | cut -c1-5
polic
fifo 
srtf 
sia *
srtf:

polic
srtf 
srtf 
srtf 
sia  
sia  
sia  
unkno
* sia
  res
note 
  app
  lon
note:
  whi
  --c
$ schedsim compare traces/samples/sia.csv --jobs 20 -p fifo -p srtf -p sia | grep -A1 '^\* '
* sia differs in more than the policy: speeds application (fifo: rigid);
  restarts application (fifo: fixed)
$ schedsim compare traces/samples/sia.csv --jobs 20 -p fifo -p srtf -p sia --throughput application | grep -A1 '^\* '
[exit 1]
$ schedsim compare traces/samples/venus.csv -p srtf -p sjf -p lucid --interference none --profilers 0 --estimators oracle,workload | grep -A1 '^\* '
[exit 1]
$ schedsim compare traces/samples/venus.csv -p fifo -p srtf --conventions lucid | grep -A1 '^\* '
* srtf differs in more than the policy: law of time lag_s=1 (fifo: lag_s=0)

# What sharing costs is assumed unless somebody says it, and said; under the
# conventions of another simulator it stays what it was.
$ schedsim traces/samples/venus.csv --policy horus --json | grep -o '"[^"]*\(assumed to slow\|utilisation of\)[^"]*"'
"interference fitted: the GPU utilisation of 3500 of 3500 jobs is unknown and assumed to be 100 %: two such jobs on one GPU have a relative speed of 0.62 each (fitted:unknown_util, --workloads)"
"jobs that share GPUs are assumed to slow each other down by the model 'fitted': a formula of GPU utilisation, memory bandwidth and memory (--interference)"
$ schedsim traces/samples/venus.csv --policy horus --interference constant | grep 'assumed to slow'
[exit 1]
$ schedsim traces/samples/venus.csv --policy fifo | grep 'assumed to slow'
[exit 1]
$ schedsim traces/samples/venus.csv --policy horus --conventions lucid --json | grep -o '"[^"]*assumed to slow[^"]*"'
"jobs that share GPUs are assumed to slow each other down by the model 'constant': a constant slowdown for each job on the same GPUs (--interference)"
