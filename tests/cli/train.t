# What estimators learn from the jobs before the first one here (--train): who
# has been taught answers from the first job on, and schedules otherwise.
$ schedsim trace estimate traces/samples/venus.csv --from 2020-04-04 --split 0 --estimators history --json | sed -n '2,3p'
  "jobs": 812,
  "answered": 811,
$ schedsim trace estimate traces/samples/venus.csv --from 2020-04-04 --split 0 --estimators history --train traces/samples/venus.csv --json | sed -n '2,3p'
  "jobs": 812,
  "answered": 812,
$ schedsim traces/samples/venus.csv --from 2020-04-04 --cluster 40x8 -p qssf --estimators history,oracle --quiet --out "$OUT/untaught"
$ schedsim traces/samples/venus.csv --from 2020-04-04 --cluster 40x8 -p qssf --estimators history,oracle --quiet --out "$OUT/taught" --train traces/samples/venus.csv
$ cmp -s "$OUT/untaught/jobs.csv" "$OUT/taught/jobs.csv"
[exit 1]
$ grep -c '"train"' "$OUT/untaught/manifest.json"
0
[exit 1]
$ grep -A1 '"train": {' "$OUT/taught/manifest.json" | grep -c "$(sha256sum <traces/samples/venus.csv | cut -c1-64)"
1
$ schedsim verify "$OUT/taught"
...
$ schedsim trace estimate traces/samples/venus.csv --estimators history --train "$OUT/none.csv" 2>&1 | sed "s|$OUT|OUT|"
schedsim: OUT/none.csv:1:1: file: cannot open: No such file or directory

# What was learned can be read where the estimator can be.
$ schedsim list --explain ga2m
ga2m (estimators): an additive model that a person can read, as Lucid's
...
to write what it learns from a trace, as CSV:
  schedsim trace estimate TRACE --estimators ga2m --learned FILE
...
$ schedsim trace estimate traces/samples/venus.csv --estimators ga2m --learned "$OUT/shapes.csv" >"$OUT/words" && head -2 "$OUT/shapes.csv" | cut -d, -f1-7
term,feature,from,below,feature_2,from_2,below_2
intercept,,,,,,
$ schedsim trace estimate traces/samples/venus.csv --estimators history --learned "$OUT/nothing.csv" >"$OUT/words"
schedsim: --learned: none of these estimators can write what it learned; ga2m can
[exit 2]
$ test -e "$OUT/nothing.csv"
[exit 1]

# The distribution of the errors, for each percent of the jobs. The trace says
# nothing of utilisation.
$ schedsim trace estimate traces/samples/venus.csv --estimators history --errors "$OUT/errors.csv" | sed -n '4,5p'; sed -n '1p;51p;101p' "$OUT/errors.csv"
relative error         median 0.925, 90 % 18.030
  below 100 %          61.5 %
share,run_time_error,utilisation_error
0.50,0.925444,
1.00,4979.454545,
# Errors that are drawn from a published distribution do not confirm it.
$ schedsim trace estimate traces/samples/seren.csv --estimators advisor,history --schedmate beliefs=law,match=1,wrong=0 2>&1 | sed -n '4,5p;/^note/p'
relative error         median 0.420, 90 % 1.525
  below 100 %          83.0 %
note: the errors of 2000 answers were drawn from the published distribution (fidelity=calibrated), so these figures repeat it and do not confirm it
