# Words that people bring from other programs are answered by what they mean here.
$ schedsim simulate
schedsim: 'simulate' is not a file, and there is no command 'simulate'; did you mean 'run'?
[exit 2]
$ schedsim policies
schedsim: 'policies' is not a file, and there is no command 'policies'; did you mean 'list policies'?
[exit 2]
$ schedsim -V
schedsim 0.3.0
$ schedsim run --trace traces/samples/itp.csv
schedsim: no option '--trace'; the trace stands alone, without an option
[exit 2]
$ schedsim run traces/samples/itp.csv --gpus=64
schedsim: no option '--gpus'; did you mean '--cluster'? (--cluster 8x8 is 8 nodes of 8 GPUs)
[exit 2]
$ schedsim verify --scheduler fifo DIR
schedsim: no option '--scheduler'; see --help
[exit 2]
$ schedsim run traces/samples/itp.csv -c 8x8 -p las
schedsim: no policy 'las'; did you mean 'tiresias'?
[exit 2]
$ schedsim run traces/samples/itp.csv -c 8x8 -p fifo,srtf
schedsim: no policy 'fifo,srtf'; one run has one policy; `schedsim compare` takes several
[exit 2]
$ schedsim run traces/samples/itp.csv -c 8x8 --overhead 0
schedsim: no overhead model '0'; did you mean 'none'?
[exit 2]
$ schedsim list policy | head -1
  fifo            first in, first out; the first job that does not fit blocks
$ schedsim list srtf | head -1
srtf (policies): shortest believed remaining time first, preemptive
$ schedsim list --explain JCT
JCT (Glossary): job completion time: end minus submission
$ schedsim list --explain queue_delay
queue_delay (jobs.csv, in s): all time pending, until its end or the end of the run; rule: time, law jobs
$ schedsim list traces
schedsim: list: no kind 'traces'; 'list formats' has the formats of traces; traces to try are in traces/samples
[exit 2]
# Counts and lengths of time are read alike everywhere.
$ schedsim run traces/samples/itp.csv -c 8x8 -q --jobs 1k --warmup 1week -o "$OUT/k" && grep -c . "$OUT/k/jobs.csv"
1001
# Several policies in one word, and after the trace.
$ schedsim compare traces/samples/itp.csv -c 8x8 -n 100 -p fifo,srtf --json | grep '"policy"' | sort -u | wc -l
2
$ schedsim compare traces/samples/itp.csv -c 8x8 -n 100 fifo srtf | head -3 | cut -c1-8
policy  
srtf    
fifo    
$ schedsim compare traces/samples/itp.csv -c 8x8 -n 100 2>&1 >/dev/null
note: no policy is named: fifo, backfill and srtf are compared (--policy names others)
# Nothing of the user's is overwritten.
$ cp traces/samples/itp.csv "$OUT/own.csv"; cd "$OUT"; schedsim trace convert own.csv own.csv; schedsim report k -o own.csv 2>&1; cmp own.csv "$OLDPWD/traces/samples/itp.csv" && echo kept
schedsim: own.csv: exists, and another program wrote it: its first line differs (--force replaces it)
kept
schedsim: own.csv: would be read and replaced; name another file to write
$ cd "$OUT"; schedsim report k -o p.html && schedsim report k -o p.html
schedsim: p.html shows 1 result
schedsim: p.html shows 1 result
$ cd "$OUT"; echo mine >m.html; schedsim report k -o m.html --force
schedsim: m.html shows 1 result
# compare --out leaves a directory that report, plot and compare take.
$ cd "$OUT"; schedsim compare own.csv -c 8x8 -n 100 -p fifo,tiresias:promote=4 --out both >two.txt; ls both; schedsim compare both | head -3 | cut -c1-32; schedsim report both -o both.html; schedsim verify both/fifo; schedsim verify --again both/tiresias_promote=4
compare.json
fifo
tiresias_promote=4
result                   policy 
both/fifo                fifo   
both/tiresias_promote=4  tiresia
both/fifo: all checks passed
both/tiresias_promote=4: run again, every file has the same bytes
schedsim: both.html shows 2 results
$ cd "$OUT"; schedsim compare own.csv -c 8x8 -n 100 -p none --out nowhere; ls nowhere
schedsim: no policy 'none'; 'schedsim list' names them
ls: cannot access 'nowhere': No such file or directory
[exit 2]
$ cd "$OUT"; mkdir odd; echo '{"results": ["../x"]}' >odd/compare.json; schedsim compare odd
schedsim: odd/compare.json: results[0]: expected the name of a directory
[exit 3]
