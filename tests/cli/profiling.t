# Nodes set aside for profiling: one by default where the policy profiles, none
# where it does not; named ones; what cannot be had.
$ schedsim traces/samples/philly.csv --cluster 20x8 -p lucid --workloads lucid --out "$OUT/lucid" 2>"$OUT/words" | grep -A1 ^profiling | cut -d, -f1-2
profiling: 1995 jobs, 495 ended in it
...
$ schedsim verify "$OUT/lucid"
...
$ grep -A1 '"profilers": {' "$OUT/lucid/manifest.json" | tr -d ' '
"profilers":{
"nodes":"1"
$ schedsim explain "$OUT/lucid" --job 37 | sed -n '3,4p'
1946.000000 s  waits 4.00 min to be profiled
    meanwhile 15 others were profiled; 8 GPUs are set aside for that
$ schedsim traces/samples/philly.csv --cluster 20x8 -p fifo --quiet --out "$OUT/fifo"
$ grep -c '"profiling": {' "$OUT/fifo/summary.json"
0
[exit 1]
$ schedsim traces/samples/philly.csv --cluster 20x8 -p fifo --profilers 2 | tail -1
profiling: 0 jobs, 0 ended in it, 0.0 GPU h
$ schedsim traces/samples/philly.csv --cluster 1x8 -p fifo --profilers 1
schedsim: --profilers: cluster 1x8 can spare 0 nodes, not 1
[exit 2]
$ schedsim traces/samples/philly.csv --cluster 2x8 -p fifo --profilers 1:prod
schedsim: --profilers: cluster 2x8 has no virtual cluster 'prod'
[exit 2]
$ schedsim traces/samples/philly.csv --cluster 2x8+1x8:profiler -p fifo --profilers 1
schedsim: --profilers: cluster 2x8+1x8:profiler has its own profiler nodes
[exit 2]
$ schedsim traces/samples/philly.csv --cluster 2x8:A:profile -p fifo
schedsim: --cluster: '2x8:A:profile' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
[exit 2]

# Profiles, loans, sharing, failures and retries together; a job that is
# submitted again long after others is no new arrival to who learns.
$ schedsim traces/samples/philly.csv -n 500 --cluster 10x8 -p lucid:profile_lend_nodes=3,profile_lend_above=2,profile_return_below=2 --workloads lucid --interference fitted --faults exponential:per_1000_node_days=3000 --recovery retry:delay_s=60 --seed 1 --quiet --out "$OUT/storm"
$ schedsim verify "$OUT/storm" | sed "s|$OUT|OUT|"
OUT/storm: all checks passed
