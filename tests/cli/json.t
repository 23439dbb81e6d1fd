# --json of the commands that read results; figures for people.
$ schedsim traces/samples/venus.csv -n 200 --cluster 24x8 -q --out "$OUT/j" && schedsim verify "$OUT/j" --json
{
  "violations": 0,
  "told": []
}
$ sed -i 's/"makespan_s": [0-9]*/"makespan_s": 7/' "$OUT/j/summary.json"; schedsim verify "$OUT/j" --json 2>"$OUT/words" | grep -c makespan; cut -c1-28 "$OUT/words"
1
{"error": {"exit_status": 5,
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,2,long\n1,10,4,wide\n' >"$OUT/w.csv"; schedsim "$OUT/w.csv" --cluster 1x4 -q --out "$OUT/w"; schedsim explain "$OUT/w" --job wide --json | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["job"], r["gpus"], [(e["event"], e["from_s"], e["to_s"], e.get("free_gpus")) for e in r["events"]])'
wide 4 [('waits', 1, 100, 2), ('runs', 100, 110, None)]
$ schedsim explain "$OUT/w" --job nosuch -j 2>&1 | cut -c1-60
{"error": {"exit_status": 2, "meaning": "usage: an unknown o
$ schedsim trace estimate traces/samples/venus.csv 2>&1 | sed 's/of oracle, .* (/of oracle, ... (/'
schedsim: trace estimate: --estimators is missing; give one or more of oracle, ... ('schedsim list estimators')
$ schedsim list llms --explain http | grep '  model='
  model=Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8
$ schedsim list --explain llms
schedsim: list: 'llms' is a kind; 'schedsim list llms' lists its names, and --explain takes one of them
[exit 2]
$ schedsim trace info traces/samples/venus.csv | grep 'run time  \|load'
run time     mean 3.95 h, median 3.57 min, 90 % 5.12 h, 99 % 3.48 d
load         95790 GPU h, mean demand 811.0 GPUs
# no figure of more than four digits that count
$ schedsim traces/samples/venus.csv --cluster 16x8 | grep '^slowdown'
slowdown       116300 [67100, 201600]  10550  157000  470900  2469000  4238000
$ schedsim traces/samples/venus.csv --config "$OUT/nofile.json" 2>&1 | sed "s#$OUT#OUT#"
schedsim: OUT/nofile.json: cannot be opened: No such file or directory
# programs of bench
$ export SCHEDSIM=$OUT/schedsim; echo '{"trace": ["a.csv"], ' >"$OUT/grid.json"; python3 -B bench/sweep.py "$OUT/grid.json" "$OUT/sweep" 2>&1 | sed "s#$OUT#OUT#" | cut -c1-31
schedsim: OUT/grid.json:2:0: st
$ echo '[1]' >"$OUT/grid.json"; python3 -B bench/sweep.py "$OUT/grid.json" "$OUT/sweep" 2>&1 | sed "s#$OUT#OUT#"
schedsim: OUT/grid.json: expected an object of lists
$ python3 -c 'import json, sys; json.dump({"trace": ["traces/samples/itp.csv"], "jobs": [1], "cluster": ["8x8"], "seed": list(range(500))}, sys.stdout)' >"$OUT/grid.json"; python3 -B bench/sweep.py "$OUT/grid.json" "$OUT/many" --workers 2 2>&1 | sed "s#$OUT#OUT#"; python3 -B bench/sweep.py "$OUT/grid.json" "$OUT/many" --collect | sh -c 'exec <&-; sleep 1'
note: on a recorded trace the 500 seeds change nothing unless something is
  drawn, such as failures; for replications write "trace": [{"resample":
  "traces/samples/itp.csv", "seeds": 500}] without "seed"
500 runs in OUT/many/runs.csv, 500 of them made now
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,2,a\n0,x,2,b\n0,0,2,a\n' >"$OUT/v.csv"; schedsim trace validate "$OUT/v.csv" --json 2>"$OUT/words" | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["rows"], r["suspicious"], [f.get("line") for f in r["found"]], r["reasons"])'; cut -c1-28 "$OUT/words"
3 2 [None, 4, 4] {'cannot be read': 1, 'ran for no time': 1, 'repeats the id of an earlier row': 1}
{"error": {"exit_status": 3,
