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
sia  
sia  
unkno
* sia
note:
note 
$ schedsim compare traces/samples/sia.csv --jobs 20 -p fifo -p srtf -p sia | grep '^\* '
* sia differs in more than the policy: speeds application (fifo: rigid); restarts application (fifo: fixed)
$ schedsim compare traces/samples/sia.csv --jobs 20 -p fifo -p srtf -p sia --throughput application | grep '^\* '
[exit 1]
$ schedsim compare traces/samples/venus.csv -p srtf -p sjf -p lucid --interference none --profilers 0 --estimators oracle,workload | grep '^\* '
[exit 1]
$ schedsim compare traces/samples/venus.csv -p fifo -p srtf --conventions lucid | grep '^\* '
* srtf differs in more than the policy: law of time lag_s=1 (fifo: lag_s=0)

# What sharing costs is assumed unless somebody says it, and said; under the
# conventions of another simulator it stays what it was.
$ schedsim traces/samples/venus.csv --policy horus | grep 'note: .*\(assumed to slow\|utilisation\)'
note: interference fitted: the GPU utilisation of 3500 of 3500 jobs is unknown and assumed to be 100 %: two such jobs on one GPU have a relative speed of 0.62 each (fitted:unknown_util, --workloads)
note: jobs that share GPUs are assumed to slow each other down by the model 'fitted': a formula of GPU utilisation, memory bandwidth and memory (--interference)
$ schedsim traces/samples/venus.csv --policy horus --interference constant | grep 'assumed to slow'
[exit 1]
$ schedsim traces/samples/venus.csv --policy fifo | grep 'assumed to slow'
[exit 1]
$ schedsim traces/samples/venus.csv --policy horus --conventions lucid | grep 'assumed to slow'
note: jobs that share GPUs are assumed to slow each other down by the model 'constant': a constant slowdown for each job on the same GPUs (--interference)
