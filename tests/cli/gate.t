# A gate file: made, checked.
$ mkdir "$OUT/gate"; cp traces/samples/itp.csv "$OUT/gate"; cd "$OUT/gate"; schedsim gate g.json --init itp.csv -c 8x8 -n 200 --estimators oracle -p fifo -p srtf --metric jct_s.p99:2 --metric preemptions
g.json: 2 runs of 2 metrics; 'schedsim gate g.json' checks them
$ sed 's/[0-9a-f]\{64\}/DIGEST/g; s/, commit [^"]*//' "$OUT/gate/g.json"
{
  "schedsim_gate": 1,
  "metrics": [
    {"metric": "jct_s.p99", "tolerance": "2%", "better": "lower"},
    {"metric": "preemptions", "tolerance": "1%", "better": "lower"}
  ],
  "settings": {"cluster": "8x8", "estimators": "oracle", "jobs": "200"},
  "policies": ["fifo", "srtf"],
  "traces": [
    {"trace": "itp.csv", "name": "itp.csv"}
  ],
  "inputs": [
    {"trace": "itp.csv", "sha256": "DIGEST", "jobs": 200, "cluster": "DIGEST"}
  ],
  "expected": [
    {"trace": "itp.csv", "policy": "fifo", "jct_s.p99": 193742, "preemptions": 0, "update": 1},
    {"trace": "itp.csv", "policy": "srtf", "jct_s.p99": 145915, "preemptions": 30, "update": 1}
  ],
  "updates": [
    {"update": 1, "reason": "first values", "program": "schedsim 0.3.0"}
  ]
}
$ schedsim gate "$OUT/gate/g.json"
2 runs; values: 4 equal
$ cd "$OUT/gate"; schedsim gate g.json --init itp.csv -p fifo
schedsim: --init: g.json exists already; --update changes it
[exit 2]
$ cd "$OUT/gate"; schedsim gate - --init itp.csv -c 8x8 -n 100 --tolerance 0 | grep -c better
3
the gate file: 1 run of 3 metrics; 'schedsim gate FILE' checks them
# What moved: outside, better, within.
$ cd "$OUT/gate"; sed -i 's/193742/180000/; s/145915/143500/; s/preemptions": 30/preemptions": 40/' g.json; schedsim gate g.json
trace    policy  metric       expected     now  difference  tolerance  verdict
itp.csv  fifo    jct_s.p99      180000  193742     +7.63 %        2 %  OUTSIDE
itp.csv  srtf    jct_s.p99      143500  145915     +1.68 %        2 %  within
itp.csv  srtf    preemptions        40      30       -25 %        1 %  better
2 runs; values: 1 outside the tolerance, 1 better by more than the tolerance, 1 moved within the tolerance, 1 equal
schedsim: g.json: itp.csv, fifo: jct_s.p99 is 193742, expected 180000 (+7.63 %, tolerance 2 %)
[exit 6]
$ cd "$OUT/gate"; schedsim gate g.json --only srtf
trace    policy  metric       expected     now  difference  tolerance  verdict
itp.csv  srtf    jct_s.p99      143500  145915     +1.68 %        2 %  within
itp.csv  srtf    preemptions        40      30       -25 %        1 %  better
1 run; values: 1 better by more than the tolerance, 1 moved within the tolerance; 1 run left out
$ cd "$OUT/gate"; schedsim gate g.json --only fifo --tolerance 8
trace    policy  metric     expected     now  difference  tolerance  verdict
itp.csv  fifo    jct_s.p99    180000  193742     +7.63 %        8 %  within
1 run; values: 1 moved within the tolerance, 1 equal; 1 run left out
$ cd "$OUT/gate"; schedsim gate g.json --markdown - | sed "s,^,  ,"
  <!-- schedsim gate -->
  ### schedsim gate: failed
  
  2 runs; values: 1 outside the tolerance, 1 better by more than the tolerance, 1 moved within the tolerance, 1 equal
  
  | trace | policy | metric | expected | now | difference | tolerance | verdict |
  | :--- | :--- | :--- | ---: | ---: | ---: | ---: | :--- |
  | itp.csv | fifo | jct\_s.p99 | 180000 | 193742 | +7.63 % | 2 % | OUTSIDE |
  | itp.csv | srtf | jct\_s.p99 | 143500 | 145915 | +1.68 % | 2 % | within |
  | itp.csv | srtf | preemptions | 40 | 30 | -25 % | 1 % | better |
  
  If the change is meant:
  
      schedsim gate g.json --update --reason '...'
schedsim: g.json: itp.csv, fifo: jct_s.p99 is 193742, expected 180000 (+7.63 %, tolerance 2 %)
$ cd "$OUT/gate"; schedsim gate g.json --junit -
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="g.json" tests="4" failures="1" errors="0" skipped="0">
  <testsuite name="itp.csv" tests="4" failures="1" errors="0" skipped="0">
    <testcase classname="itp.csv" name="fifo jct_s.p99">
      <failure type="outside" message="is 193742, expected 180000: +7.63 % (tolerance 2 %)">is 193742, expected 180000: +7.63 % (tolerance 2 %)</failure>
    </testcase>
    <testcase classname="itp.csv" name="fifo preemptions"></testcase>
    <testcase classname="itp.csv" name="srtf jct_s.p99">
      <system-out>is 145915, expected 143500: +1.68 % (tolerance 2 %)</system-out>
    </testcase>
    <testcase classname="itp.csv" name="srtf preemptions">
      <system-out>is 30, expected 40: -25 % (tolerance 1 %)</system-out>
    </testcase>
  </testsuite>
</testsuites>
schedsim: g.json: itp.csv, fifo: jct_s.p99 is 193742, expected 180000 (+7.63 %, tolerance 2 %)
[exit 6]
$ cd "$OUT/gate"; schedsim gate g.json --json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["passes"], d["outside"], [(c["policy"], m["metric"], m["verdict"]) for c in d["cases"] for m in c["metrics"]])'
False 1 [('fifo', 'jct_s.p99', 'outside'), ('fifo', 'preemptions', 'equal'), ('srtf', 'jct_s.p99', 'within'), ('srtf', 'preemptions', 'better')]
# An update needs a reason and replaces no more than what moved.
$ cd "$OUT/gate"; schedsim gate g.json --update
schedsim: --update: say with --reason WORDS why the values may change; the file keeps the words
[exit 2]
$ cd "$OUT/gate"; cp g.json before.json; schedsim gate g.json --update --reason "srtf stops fewer jobs" --date 2026-11-22 | tail -1; diff before.json g.json | sed 's/, commit [^"]*//'
g.json: update 2: 3 values replaced, 0 runs added, 0 removed, 0 inputs recorded
16,17c16,17
<     {"trace": "itp.csv", "policy": "fifo", "jct_s.p99": 180000, "preemptions": 0, "update": 1},
<     {"trace": "itp.csv", "policy": "srtf", "jct_s.p99": 143500, "preemptions": 40, "update": 1}
---
>     {"trace": "itp.csv", "policy": "fifo", "jct_s.p99": 193742, "preemptions": 0, "update": 2},
>     {"trace": "itp.csv", "policy": "srtf", "jct_s.p99": 145915, "preemptions": 30, "update": 2}
20c20,21
<     {"update": 1, "reason": "first values", "program": "schedsim 0.3.0"}
---
>     {"update": 1, "reason": "first values", "program": "schedsim 0.3.0"},
>     {"update": 2, "reason": "srtf stops fewer jobs", "program": "schedsim 0.3.0", "date": "2026-11-22"}
$ cd "$OUT/gate"; schedsim gate g.json --update --reason none
2 runs; values: 4 equal
g.json: nothing has changed; the file is left as it is
# New, gone, stale, a changed trace, a run that fails.
$ cd "$OUT/gate"; sed 's/"policies": .*/"policies": ["sjf", "fifo"],/; s/"metric": "preemptions"/"metric": "makespan_s"/; /"inputs"/,/]/s/"sha256": "..../"sha256": "0000/' g.json >other.json; schedsim gate other.json | sed 's/[0-9a-f]\{12\}\.\.\./DIGEST.../g'
trace    policy  metric      expected     now  difference  tolerance  verdict
itp.csv  sjf     jct_s.p99             220127                    2 %  NEW
itp.csv  sjf     makespan_s            764860                    1 %  NEW
itp.csv  fifo    makespan_s            730431                    1 %  NEW
cause: the trace 'itp.csv' has changed: its SHA-256 is DIGEST..., was DIGEST... when its values were recorded
GONE: itp.csv, fifo: other.json:16 expects a value of 'preemptions', which is not among the metrics
GONE: itp.csv, srtf: other.json:17 expects values, but the file no longer has this run
2 runs; values: 3 new, 1 equal; 2 expected, but not measured
schedsim: other.json: itp.csv, sjf: no value of jct_s.p99 is expected yet (--update records it); 4 more fail
$ cd "$OUT/gate"; schedsim gate other.json --update --reason "sjf in place of srtf" | tail -1; grep -A4 '"expected"' other.json
other.json: update 3: 2 values replaced, 1 run added, 1 removed, 1 input recorded
  "expected": [
    {"trace": "itp.csv", "policy": "sjf", "jct_s.p99": 220127, "makespan_s": 764860, "update": 3},
    {"trace": "itp.csv", "policy": "fifo", "jct_s.p99": 193742, "makespan_s": 730431, "update": 3}
  ],
  "updates": [
$ cd "$OUT/gate"; sed 's/"itp.csv", "name": "itp.csv"}/&, {"trace": "none.csv"}/' g.json >fails.json; schedsim gate fails.json
FAILED: none.csv, fifo: none.csv:1:1: file: cannot open: No such file or directory
FAILED: none.csv, srtf: none.csv:1:1: file: cannot open: No such file or directory
4 runs, 2 FAILED; values: 4 equal
schedsim: fails.json: 2 of 4 runs failed; none.csv, fifo: none.csv:1:1: file: cannot open: No such file or directory
[exit 3]
$ cd "$OUT/gate"; schedsim gate fails.json --update --reason "none is there" | tail -1
4 runs, 2 FAILED; values: 4 equal
schedsim: the file is left as it is: fails.json: 2 of 4 runs failed; none.csv, fifo: none.csv:1:1: file: cannot open: No such file or directory
# Replications: means and their intervals.
$ cd "$OUT/gate"; schedsim gate r.json --init itp.csv -c 8x8 --estimators oracle -p srtf --metric jct_s --replications 3; sed -i 's/"1%"/"interval"/' r.json; grep '"policy"' r.json; schedsim gate r.json --all
r.json: 3 runs of 1 metric; 'schedsim gate r.json' checks them
    {"trace": "itp.csv", "policy": "srtf", "seeds": [1, 2, 3], "jct_s.mean": [22169.6664576803, 22154.5347962382, 21950.1993730408], "update": 1}
trace    policy  metric         expected          now  difference  tolerance  verdict
itp.csv  srtf    jct_s.mean  22091.46688  22091.46688        +0 %   interval  equal
3 runs; values: 1 equal
# Ten seconds more in each replication are a difference, in one of them noise.
$ cd "$OUT/gate"; sed '/"policy":/s/22169.6/22159.6/; /"policy":/s/22154.5/22145.1/; /"policy":/s/21950/21939/' r.json >all.json; sed '/"policy":/s/22169.6/22159.6/' r.json >one.json; schedsim gate one.json; schedsim gate all.json
trace    policy  metric         expected          now                  difference  tolerance  verdict
itp.csv  srtf    jct_s.mean  22088.13354  22091.46688  +0.0151 % [-0.0498, +0.08]   interval  within
3 runs; values: 1 moved within the tolerance
trace    policy  metric         expected          now                   difference  tolerance  verdict
itp.csv  srtf    jct_s.mean  22081.33354  22091.46688  +0.0459 % [+0.0368, +0.055]   interval  OUTSIDE
3 runs; values: 1 outside the tolerance
schedsim: all.json: itp.csv, srtf: jct_s.mean is 22091.46688, expected 22081.33354 (+0.0459 % [+0.0368, +0.055], tolerance interval)
[exit 6]
$ cd "$OUT/gate"; sed 's/"interval"/3/' all.json >amount.json; schedsim gate amount.json; schedsim gate all.json --json 2>/dev/null | grep -o '"metric".*'
trace    policy  metric         expected          now               difference  tolerance  verdict
itp.csv  srtf    jct_s.mean  22081.33354  22091.46688  +10.13 s [+8.13, +12.1]        3 s  OUTSIDE
3 runs; values: 1 outside the tolerance
"metric": "jct_s.mean",
schedsim: amount.json: itp.csv, srtf: jct_s.mean is 22091.46688, expected 22081.33354 (+10.13 s [+8.13, +12.1], tolerance 3 s)
# More seeds, and seeds that are none.
$ cd "$OUT/gate"; sed 's/"replications": 3/"replications": 4/' r.json >four.json; schedsim gate four.json; schedsim gate four.json --update --reason "a fourth" | tail -1; grep '"policy"' four.json; schedsim gate four.json
note: 1 value of replications is judged over a part of the seeds, because the
  file does not have that of each seed;
  'schedsim gate four.json --update --reason WORDS' records them
4 runs; values: 1 equal
four.json: update 2: 1 value replaced, 0 runs added, 0 removed, 0 inputs recorded
    {"trace": "itp.csv", "policy": "srtf", "seeds": [1, 2, 3, 4], "jct_s.mean": [22169.6664576803, 22154.5347962382, 21950.1993730408, 22114.4338557994], "update": 2}
4 runs; values: 1 equal
$ cd "$OUT/gate"; sed 's/\[1, 2, 3\]/[1, 3, 2]/' r.json >bad.json; schedsim gate bad.json
schedsim: bad.json:16:60: expected[0].seeds[2]: expected rising whole numbers from 1
[exit 3]
$ cd "$OUT/gate"; sed 's/\[1, 2, 3\]/[1, 3]/' r.json >bad.json; schedsim gate bad.json
schedsim: bad.json:16:75: expected[0].jct_s.mean: expected a number, null, or a list of 2 values, one for each of "seeds"
[exit 3]
# A file of an older version has mean and interval; it is judged without pairs.
$ cd "$OUT/gate"; sed -i '/"policy":/s/"seeds.*\]/"jct_s.mean": [15000, 14000, 16000]/' r.json; schedsim gate r.json
trace    policy  metric                  expected                              now  difference  tolerance  verdict
itp.csv  srtf    jct_s.mean  15000 [14000, 16000]  22091.467 [21786.974, 22395.96]     +47.3 %   interval  OUTSIDE
note: 1 value of replications is judged unpaired, because the file does not have
  that of each seed; 'schedsim gate r.json --update --reason WORDS' records them
3 runs; values: 1 outside the tolerance
schedsim: r.json: itp.csv, srtf: jct_s.mean is 22091.467 [21786.974, 22395.96], expected 15000 [14000, 16000] (+47.3 %, tolerance interval)
[exit 6]
# Mistakes.
$ cd "$OUT/gate"; schedsim gate g.json --only srft
schedsim: --only: 'srft' matches no trace and no policy of g.json; did you mean 'srtf'?
[exit 2]
$ cd "$OUT/gate"; schedsim gate g.json -c 8x8
schedsim: --cluster: is only for --init; without it the gate file says what is run
[exit 2]
$ cd "$OUT/gate"; schedsim gate none.json
schedsim: none.json: cannot be opened: No such file or directory
[exit 3]
$ cd "$OUT/gate"; schedsim gate itp.csv
schedsim: itp.csv:1:3: is not JSON: '[' or '{' expected near 'job'
[exit 3]
$ cd "$OUT/gate"; sed 's/"preemptions"/"premptions"/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:5:16: metrics[1].metric: no metric 'premptions'; did you mean 'preemptions'?
[exit 3]
$ cd "$OUT/gate"; sed 's/"fifo", "srtf"/"fifo", "srft"/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:8:24: policies[1]: no policy 'srft'; did you mean 'srtf'?
[exit 3]
$ cd "$OUT/gate"; sed 's/"2%"/"2 s"/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:4:42: metrics[0].tolerance: expected a percentage such as "2%", a number in s of at least 0, or "interval"
[exit 3]
$ cd "$OUT/gate"; sed 's/"lower"/"less"/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:4:58: metrics[0].better: expected "lower", "higher" or "either"
[exit 3]
$ cd "$OUT/gate"; sed 's/"cluster": "8x8"/"clster": "8x8"/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:7:26: settings.clster: no option 'clster'; did you mean 'cluster'?
[exit 3]
$ cd "$OUT/gate"; sed 's/"tolerance": "2%", //' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:4:5: metrics[0]: "tolerance" is missing: a percentage such as "2%", a number in s, or "interval"
[exit 3]
$ cd "$OUT/gate"; sed 's/"policies"/"polices"/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:8:14: no key 'polices'; did you mean 'policies'?
[exit 3]
$ cd "$OUT/gate"; sed 's/"2%"/"interval"/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:10:5: traces[0]: the tolerance "interval" of jct_s.p99 needs "replications" of at least 2
[exit 3]
$ cd "$OUT/gate"; sed 's/"policy": "srtf"/"policy": "fifo"/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:17:5: expected[1]: 'fifo' on 'itp.csv' is expected twice
[exit 3]
$ cd "$OUT/gate"; sed 's/: 1,/: 2,/' g.json >bad.json; schedsim gate bad.json
schedsim: bad.json:2:20: schedsim_gate: expected 1
[exit 3]
$ cd "$OUT/gate"; schedsim gate none.json --init itp.csv -c 8x8 -n 50 --metric by_vc.al.jct_s; ls none.json
schedsim: the file is left as it is: no run has the metric by_vc.al.jct_s.mean; did you mean 'by_vc.all'?
ls: cannot access 'none.json': No such file or directory
[exit 2]
$ cd "$OUT/gate"; schedsim gate none.json --init itp.csv -c 8x8 -n 50 --metric by_vc.all.jct_s; grep expected -A1 none.json
none.json: 1 run of 1 metric; 'schedsim gate none.json' checks them
  "expected": [
    {"trace": "itp.csv", "policy": "fifo", "by_vc.all.jct_s.mean": 1659.32, "update": 1}
$ cd "$OUT/gate"; schedsim gate wait.json --init itp.csv -c 8x8 -n 50 --metric share_waiting_over_600s
schedsim: the file is left as it is: no run has the metric share_waiting_over_600s; --wait-over and --by, as settings, make such metrics
[exit 2]
$ cd "$OUT/gate"; schedsim gate wait.json --init itp.csv -c 8x8 -n 50 --wait-over 10min --metric share_waiting_over_600s; grep -e settings -e '"policy"' wait.json
wait.json: 1 run of 1 metric; 'schedsim gate wait.json' checks them
  "settings": {"cluster": "8x8", "jobs": "50", "wait-over": "10min"},
    {"trace": "itp.csv", "policy": "fifo", "share_waiting_over_600s": 0, "update": 1}
# A run that finishes other jobs than those of which the values were recorded is
# not comparable, be its mean lower or not.
$ cd "$OUT/gate"; schedsim gate d.json --init itp.csv -c 8x8 -p fifo --estimators oracle --metric jct_s --metric preemptions; sed -i 's/"8x8"/"7x8"/' d.json; schedsim gate d.json
d.json: 1 run of 2 metrics; 'schedsim gate d.json' checks them
trace    policy  metric         expected          now  difference  tolerance  verdict
itp.csv  fifo    jct_s.mean  144201.3555  32001.66539                    1 %  not comparable
cause: 'itp.csv': the nodes of the cluster are not those for which the values were recorded
itp.csv, fifo: not comparable: 26 jobs did not finish (46.3 % of GPU h done), 0 expected
note: 26 of 1595 jobs rejected: each asks for more GPUs than its virtual cluster
  has; the first is 965d744f-0445-c1a8-12af-97e4c536c66e (64 GPUs)
1 run, 1 not comparable; values: 1 equal
schedsim: d.json: itp.csv, fifo: not comparable: 26 jobs did not finish (46.3 % of GPU h done), 0 expected
[exit 6]
$ cd "$OUT/gate"; schedsim gate d.json --junit - 2>/dev/null | grep -o 'failures="1.*\|type=.* message="[^"]*"'; schedsim gate d.json --json 2>/dev/null | grep '"comparable\|_share\|"verdict\|"holds\|"differ'
type="incomparable" message="is 32001.66539, expected 144201.3555: not comparable (tolerance 1 %)"
type="incomparable" message="not comparable: 26 jobs did not finish (46.3 % of GPU h done), 0 expected"
      "finished_share": 0.463056230278605,
      "comparable": false,
          "difference": null,
          "difference_percent": null,
          "verdict": "not comparable",
          "holds": false
          "difference": 0,
          "difference_percent": 0,
          "verdict": "equal",
          "holds": true
$ cd "$OUT/gate"; schedsim gate d.json --update --reason "a node less" | tail -1; grep '"policy"' d.json; schedsim gate d.json; sed 's/0.463056/0.463156/' d.json >share.json; schedsim gate share.json
d.json: update 2: 3 values replaced, 0 runs added, 0 removed, 1 input recorded
    {"trace": "itp.csv", "policy": "fifo", "jct_s.mean": 32001.6653919694, "preemptions": 0, "unfinished": 26, "finished_share": 0.463056230278605, "update": 2}
note: 1 run is incomplete, as expected ("unfinished")
note: 26 of 1595 jobs rejected: each asks for more GPUs than its virtual cluster
  has; the first is 965d744f-0445-c1a8-12af-97e4c536c66e (64 GPUs)
1 run; values: 2 equal
itp.csv, fifo: not comparable: 26 jobs did not finish (46.3 % of GPU h done), 26 expected (46.3 % of GPU h done)
note: 26 of 1595 jobs rejected: each asks for more GPUs than its virtual cluster
  has; the first is 965d744f-0445-c1a8-12af-97e4c536c66e (64 GPUs)
1 run, 1 not comparable; values: 2 equal
schedsim: share.json: itp.csv, fifo: not comparable: 26 jobs did not finish (46.3 % of GPU h done), 26 expected (46.3 % of GPU h done)
[exit 6]
$ cd "$OUT/gate"; sed -i 's/"7x8"/"8x8"/' d.json; schedsim gate d.json; schedsim gate d.json --update --reason "a node more" | tail -1; grep '"policy"' d.json
trace    policy  metric         expected          now  difference  tolerance  verdict
itp.csv  fifo    jct_s.mean  32001.66539  144201.3555                    1 %  not comparable
cause: 'itp.csv': the nodes of the cluster are not those for which the values were recorded
itp.csv, fifo: not comparable: 0 jobs did not finish, 26 expected (46.3 % of GPU h done)
1 run, 1 not comparable; values: 1 equal
d.json: update 3: 3 values replaced, 0 runs added, 0 removed, 1 input recorded
    {"trace": "itp.csv", "policy": "fifo", "jct_s.mean": 144201.355485893, "preemptions": 0, "unfinished": 0, "update": 3}
schedsim: d.json: itp.csv, fifo: not comparable: 0 jobs did not finish, 26 expected (46.3 % of GPU h done)
