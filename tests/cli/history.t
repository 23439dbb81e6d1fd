# The job history: added to, imported once, listed; mistakes are one line.
$ schedsim mate history import --history $OUT/h.db traces/samples/native.csv
2000 jobs added, 0 known already, 0 left out (no GPU or no run time)
$ schedsim mate history import --history $OUT/h.db traces/samples/native.csv
0 jobs added, 2000 known already, 0 left out (no GPU or no run time)
$ schedsim mate history add --history $OUT/h.db --set duration=3600 --user anna --gpus 8 --command "python train.py" --set metadata="model_name=resnet50 batch_size=256" --set submitted=2026-01-02T03:04:05Z
$ schedsim mate history list --history $OUT/h.db --user anna
  id  submitted (UTC)      user  GPUs       ran  end        what
2001  2026-01-02 03:04:05  anna     8  60.0 min  completed  model_name=resnet50 batch_size=256

2001 jobs in the history
$ schedsim mate history list --history $OUT/h.db --user anna --json
{"id":2001,"user":"anna","command":"python train.py","metadata":"model_name=resnet50 batch_size=256","end":"completed","submitted_unix_s":1767323045,"duration_s":3600,"gpus":8}
$ schedsim mate history list --history README.md
schedsim: README.md: cannot read the history: file is not a database
[exit 3]
$ schedsim mate history add --history $OUT/h.db --user anna
schedsim: mate history add: --set duration= is missing
[exit 2]
$ schedsim mate history add --history $OUT/h.db --set duration=soon
schedsim: --duration: 'soon' is not a time, such as 90, 10min, 2h or 1d, 0 or more
[exit 2]
$ schedsim mate history lst
schedsim: mate history: no command 'lst'; did you mean 'list'?
[exit 2]
# What is kept may hold secrets: only the owner reads it.
$ umask 022; XDG_DATA_HOME="$OUT/data" schedsim mate history add --set duration=5; stat -c %a "$OUT/data/schedsim/history.db" "$OUT/data/schedsim" "$OUT/data"; schedsim mate advise --workdir tests/advise/repos/vision --command "python main.py -a resnet50" --cache "$OUT/cache.json" --quiet >"$OUT/words"; stat -c %a "$OUT/cache.json"
600
700
700
600
# A program killed before the tables were there leaves a journal, or nothing.
$ python3 -c 'import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.executescript("PRAGMA cache_size=1; BEGIN; CREATE TABLE t(a); CREATE TABLE u(a)"); c.executemany("INSERT INTO t VALUES(?)", [("x" * 3000,)] * 50); os._exit(0)' "$OUT/killed.db"; test -s "$OUT/killed.db-journal" && schedsim mate history list --history "$OUT/killed.db" | tail -1
0 jobs in the history
$ : >"$OUT/empty.db"; schedsim mate history list --history "$OUT/empty.db" | tail -1; schedsim mate history import --history "$OUT/empty.db" traces/samples/lucid.csv
0 jobs in the history
2000 jobs added, 0 known already, 0 left out (no GPU or no run time)
$ python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("CREATE TABLE t(a)")' "$OUT/other.db"; schedsim mate history list --history "$OUT/other.db" 2>&1 | sed 's/.*: is/is/'
is not a job history of schedsim; name another file with --history
