# The manifest reproduces its run: `rerun` runs it again and compares bytes.
$ mkdir -p "$OUT/in" && cp traces/samples/venus.csv "$OUT/in/t.csv" && printf '{"nodes": [{"count": 40, "gpus": 8, "type": "V100"}]}' > "$OUT/in/c.json" && printf 'job_id,prediction\n1,60\n' > "$OUT/in/e.csv"
$ cd "$OUT/in" && schedsim run t.csv --cluster c.json --policy tiresias:round_s=60 --estimators file:path=e.csv,history,oracle --train t.csv --from 2020-04-04 --jobs 300 --faults exponential:per_1000_node_days=90 --recovery retry --seed 18446744073709551615 --series interval=300 --decisions --timeline --quiet --out r
$ schedsim verify --again "$OUT/in/r" | sed "s|$OUT|OUT|"
OUT/in/r: run again, every file has the same bytes
$ cd "$OUT" && schedsim verify --again in/r --out again && ls again && cmp in/r/decisions.log again/decisions.log
in/r: run again, every file has the same bytes
attempts.csv
decisions.log
failures.csv
jobs.csv
manifest.json
series.csv
summary.json
timeline.json
$ schedsim verify "$OUT/again" | sed "s|$OUT|OUT|"
OUT/again: all checks passed

# It says by whom and from what.
$ grep -E '"(schema_version|series_interval_s|vc|from|jobs)":' "$OUT/in/r/manifest.json" | tr -d ' '
"schema_version":1,
"series_interval_s":300,
...
"from":"2020-04-04",
"jobs":"300"
...
$ sed -n '/"provenance"/,$p' "$OUT/in/r/manifest.json" | grep -A1 '"what"' | grep -v '^--$'
        "what": "estimator file: path",
        "path": "e.csv",
        "what": "trace",
        "path": "t.csv",
        "what": "cluster",
        "path": "c.json",
        "what": "train",
        "path": "t.csv",
$ grep -c "$(sha256sum < "$OUT/in/c.json" | cut -c1-64)" "$OUT/in/r/manifest.json"
2
$ sed -n '/"provenance"/,$p' "$OUT/in/r/manifest.json" | grep -cE '"(commit|compiler|glibc|gsl|jansson|openssl|zlib|zstd|directory)": "..*"'
9

# Nothing but the provenance tells where the run was made.
$ mkdir -p "$OUT/elsewhere/deep" && cp "$OUT/in/t.csv" "$OUT/in/c.json" "$OUT/in/e.csv" "$OUT/elsewhere/deep" && cd "$OUT/elsewhere" && schedsim run deep/t.csv --cluster deep/c.json --policy tiresias:round_s=60 --estimators file:path=deep/e.csv,history,oracle --train deep/t.csv --from 2020-04-04 --jobs 300 --faults exponential:per_1000_node_days=90 --recovery retry --seed 18446744073709551615 --series interval=300 --decisions --timeline --quiet --out r
$ for i in in elsewhere; do sed '/^  "provenance"/,$d' "$OUT/$i/r/manifest.json" > "$OUT/$i.portable"; done; cmp "$OUT/in.portable" "$OUT/elsewhere.portable" && cmp -s "$OUT/in/r/manifest.json" "$OUT/elsewhere/r/manifest.json"
[exit 1]

# Relative paths lead from where the run was started, or from here.
$ mv "$OUT/elsewhere" "$OUT/moved"; cd "$OUT/moved" && schedsim verify --again r
r: run again, every file has the same bytes
$ cd / && schedsim verify --again "$OUT/moved/r" 2>&1 | sed "s|$OUT|OUT|g"
schedsim: OUT/moved/r/manifest.json: cannot be run again, estimator file: path: ./deep/e.csv: No such file or directory

# A changed input, a changed result, a wrong place.
$ printf '2,60\n' >> "$OUT/in/e.csv"; schedsim verify --again "$OUT/in/r" 2>&1 | sed "s|$OUT|OUT|g; s/[0-9a-f]\{64\}/SHA/g"
schedsim: OUT/in/r/manifest.json: cannot be run again, estimator file: path: OUT/in/e.csv has changed: SHA-256 was SHA, is SHA
$ schedsim verify --again "$OUT/in/r" 2>/dev/null
[exit 3]
$ schedsim run traces/samples/native.csv --cluster 16x8 --quiet --out "$OUT/n"; sed -i '7s/,/,1/' "$OUT/n/jobs.csv"; schedsim verify --again "$OUT/n" 2>&1 | sed "s|$OUT|OUT|g"
schedsim: OUT/n: is not what the run gives now: jobs.csv differs from line 7 on
$ schedsim verify --again "$OUT/n" 2>/dev/null
[exit 6]
$ schedsim verify --again "$OUT/n" --json 2>/dev/null | tr -d ' \n' | sed "s|$OUT|OUT|"
{"result":"OUT/n","same":false,"file":"jobs.csv","line":7}
$ schedsim verify --again "$OUT/moved/r" --json --quiet 2>&1 | sed "s|$OUT|OUT|g" | cut -c1-60
{"error": {"exit_status": 3, "meaning": "bad input: the mess
$ cd "$OUT/moved" && schedsim verify --again r --json | tr -d ' \n'
{"result":"r","same":true,"file":null,"line":null}
$ rm "$OUT/n/series.csv"; schedsim verify --again "$OUT/n" --out "$OUT/n2" 2>&1 | sed "s|$OUT|OUT|g"
schedsim: OUT/n: is not what the run gives now: jobs.csv differs from line 7 on
$ schedsim verify --again "$OUT/n" --out "$OUT/n/." 2>&1 | sed "s|$OUT|OUT|g"
schedsim: --out: OUT/n/. would be replaced; name another directory
$ schedsim run - --format native --cluster 16x8 --quiet --out "$OUT/s" < traces/samples/native.csv; schedsim verify --again "$OUT/s" 2>&1 | sed "s|$OUT|OUT|g"
schedsim: OUT/s/manifest.json: its trace was standard input, which is gone; save it as a file and run it with --config OUT/s/manifest.json
$ sed '/^  "provenance"/,$d' "$OUT/n2/manifest.json" | sed '$s/,$/}/' > "$OUT/old.json"; schedsim run --config "$OUT/old.json" 2>&1 | sed "s|$OUT|OUT|g"
schedsim: OUT/old.json: does not say which options its run had (no "provenance"): an older version wrote it, or it has been changed
$ schedsim verify --again "$OUT" 2>&1 | sed "s|$OUT|OUT|g"
schedsim: OUT/manifest.json: cannot be opened: No such file or directory

# A manifest is a configuration; the command line has precedence.
$ schedsim run traces/samples/native.csv --cluster 16x8 --policy sjf --series interval=60 --quiet --out "$OUT/m" && schedsim run --config "$OUT/m/manifest.json" --quiet --out "$OUT/m2" && cmp "$OUT/m/series.csv" "$OUT/m2/series.csv" && cmp "$OUT/m/jobs.csv" "$OUT/m2/jobs.csv"
$ schedsim run --config "$OUT/m/manifest.json" --policy fifo --quiet --out "$OUT/m3" && grep '"policy": ' "$OUT/m3/manifest.json"
  "policy": "fifo",
...
$ schedsim compare --config "$OUT/m/manifest.json" --json | grep '"policy"'
    "policy": "sjf",
$ schedsim compare --config "$OUT/m/manifest.json" --policy srtf --policy fifo --json | grep '"policy"'
    "policy": "srtf",
    "policy": "fifo",
# Only some columns of jobs.csv, in the order of the file; the others are as they
# would be. What needs the rest says so in one line.
$ schedsim run traces/samples/venus.csv -n 200 -c 16x8 -q --out "$OUT/all"; schedsim run traces/samples/venus.csv -n 200 -c 16x8 -q --out "$OUT/some" --columns outcome,queue_delay,turnaround_time --columns deadline,submission_time,job_id; head -1 "$OUT/some/jobs.csv"; schedsim verify --again "$OUT/some" | sed 's/.*: //'
job_id,submission_time,turnaround_time,queue_delay,outcome,deadline
run again, every file has the same bytes
$ schedsim run traces/samples/venus.csv -n 200 -c 16x8 -q --out "$OUT/short" --columns short; for d in some short; do python3 -c 'import csv, sys; a, b = (list(csv.DictReader(open(d + "/jobs.csv"))) for d in sys.argv[1:]); print(len(a) == len(b), len(b[0]), all(x.get(k, "") == y[k] for x, y in zip(a, b) for k in y))' "$OUT/all" "$OUT/$d"; done
True 6 True
True 12 True
$ schedsim compare "$OUT/all" "$OUT/some" | grep -c ' equal$'
3
$ cd "$OUT"; schedsim verify some; schedsim compare all short
schedsim: some/jobs.csv: no column 'requested_number_of_resources', 'success', 'starting_time', 'finish_time', 'allocated_resources', 'user', 'vc', 'gpu_type', 'duration', 'held', 'running', 'work', 'overhead', 'lost', 'preemptions', 'attempts', 'slowdown', 'slowdown_by_load', 'rho', 'shared', which this command needs
schedsim: short/jobs.csv: no column 'queue_delay', 'outcome', which this command needs
[exit 3]
$ schedsim run traces/samples/venus.csv -q --out "$OUT/none" --columns jobid
schedsim: --columns: no column 'jobid'; did you mean 'job_id'?
[exit 2]
$ schedsim run traces/samples/venus.csv -q --columns short
schedsim: --columns: needs --out DIR
[exit 2]
