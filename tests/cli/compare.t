# A baseline is a result of the same trace, cluster, policy and rules.
$ schedsim run traces/samples/venus.csv -n 500 --cluster 24x8 -p srtf -q --out "$OUT/base"
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 24x8 -p srtf --baseline "$OUT/base" --tolerance 0 | sed 's/.*done  //; s/.*500  *//'
jct_s.mean to baseline  makespan_s to baseline
+0 %                    +0 %
$ schedsim compare traces/samples/venus.csv -n 400 --cluster 24x8 -p srtf --baseline "$OUT/base/summary.json" 2>&1 | sed "s#$OUT#OUT#"
schedsim: policy srtf: OUT/base/summary.json: is of another number of jobs (500, not 400); --any-baseline compares anyway
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 17x8 -p srtf --baseline "$OUT/base" 2>&1 | sed "s#$OUT#OUT#"
schedsim: policy srtf: OUT/base/summary.json: is of another cluster (24x8, not 17x8); --any-baseline compares anyway
$ schedsim compare traces/samples/kalos.csv -n 500 --cluster 24x8 -p srtf --baseline "$OUT/base" 2>&1 | grep -o 'is of another trace ([0-9a-f]*, not [0-9a-f]*)'
is of another trace (d350eab3f9b0, not 9bdc0ab4e26e)
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 24x8 -p fifo --baseline "$OUT/base" >"$OUT/words"
...
[exit 3]
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 24x8 -p fifo --baseline "$OUT/base" --any-baseline | grep note | sed "s#$OUT#OUT#"
note: baseline OUT/base/summary.json: is of another policy (srtf, not fifo)
# the same nodes, otherwise written; another speed
$ echo '{"nodes": [{"count": 24, "gpus": 8}]}' >"$OUT/same.json"; schedsim compare traces/samples/venus.csv -n 500 --cluster "$OUT/same.json" -p srtf --baseline "$OUT/base" | grep -c +0
1
# A gate fails where a metric is worse; with --two-sided, where it is better too.
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 24x8 -p srtf -p fifo --tolerance 1 >"$OUT/words"
schedsim: fifo: jct_s.mean is 354186, 1918 % worse than 17554.4 (tolerance 1 %)
[exit 6]
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 24x8 -p fifo -p srtf --tolerance 1 >"$OUT/words"
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 24x8 -p fifo -p srtf --metric jct_s.p50:3 --two-sided >"$OUT/words"
schedsim: srtf: jct_s.p50 is 219, 99.9 % off 404007 (tolerance 3 %)
[exit 6]
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 24x8 -p fifo -p srtf --metric allocation --metric preemptions:50 --json 2>"$OUT/words" | python3 -c 'import json, sys; [print(g["metric"], g["better"], g["tolerance_percent"], g["holds"]) for r in json.load(sys.stdin) for g in r["gates"]]'
allocation higher 0 True
preemptions lower 50 True
allocation higher 0 False
preemptions lower 50 False
$ schedsim compare traces/samples/venus.csv -p fifo --metric makspan_s
schedsim: --metric: no metric 'makspan_s'; did you mean 'makespan_s'?
[exit 2]
$ schedsim compare traces/samples/venus.csv -p fifo --baseline "$OUT/none.json" 2>&1 | sed "s#$OUT#OUT#"
schedsim: OUT/none.json: cannot be opened: No such file or directory
# A difference that chance may explain is called noise.
$ schedsim compare traces/samples/venus.csv -n 500 --cluster 24x8 -p srtf -p srsf -p sjf -p srtf | tail -8
policy  metric          minus first [95 %]     change  jobs less  jobs more  Cohen's d  verdict
srsf    jct          11.3 min [-3.4, 32.7]     +3.9 %     17.6 %      3.8 %       0.06  noise (6 needed)
srsf    queue_delay  11.4 min [-3.3, 32.7]    +67.1 %     17.6 %      3.8 %       0.06  noise (6 needed)
sjf     jct            25.4 h [21.8, 28.8]   +520.6 %      4.6 %     73.2 %       1.43  more
sjf     queue_delay    25.4 h [21.8, 28.8]  +8982.0 %      4.6 %     73.2 %       1.43  more
srtf    jct                     0 s [0, 0]     +0.0 %      0.0 %      0.0 %          -  equal
srtf    queue_delay             0 s [0, 0]     +0.0 %      0.0 %      0.0 %          -  equal
noise: the interval contains 0, so chance alone may explain the difference. N needed: with N replications like this the interval would exclude 0 in 4 of 5 cases, if the difference is real (normal approximation)
