# On a terminal, commands that take long draw how far they are, on one line.
$ mkdir $OUT/terminals; cd $OUT/terminals; printf 'job_id,submitted_unix_s,duration_s,gpus\na,0,1000,1\nb,1000,500,2\nc,1100,50,8\n' >three.csv; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim compare three.csv -c 1x8 -p fifo -p srtf --estimators oracle' | sed -n 1,4p
N of N runs
policy                         JCT min [95 %]   p99  queue s   p99  makespan min  preempts  done
srtf (oracle, an upper bound)            9.06  16.7     16.7  50.0          26.3         1   all
fifo                                     10.8  16.7      133   400          25.8         0   all
$ cd $OUT/terminals; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim compare three.csv -c 1x8 -p fifo -p srtf --estimators oracle --replications 2' | sed -n 1,4p
policy                               JCT mean [95 %]      queue mean [95 %]
srtf (oracle, an upper bound)  8.96 min [8.15, 9.85]                 16.7 s
fifo                            10.7 min [7.2, 15.7]  2.14 min [0.46, 9.98]
srtf: run times known exactly (oracle, an upper bound)
$ cd $OUT/terminals; echo '{"trace":["three.csv"],"policy":["fifo","sjf"],"cluster":["1x8","2x8"],"estimators":["oracle"]}' >drawn.json; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim sweep drawn.json -o drawn'
sweep: N of N runs, T left
all runs: trace three.csv, estimators oracle
policy  cluster  JCT mean  queue mean   JCT p99  makespan  runs
fifo    1x8      10.8 min    2.22 min  16.7 min  25.8 min     1
fifo    2x8      8.61 min         0 s  16.7 min  25.0 min     1
sjf     1x8      10.8 min    2.22 min  16.7 min  25.8 min     1
sjf     2x8      8.61 min         0 s  16.7 min  25.0 min     1
4 runs in drawn/runs.csv, 4 of them made now
$ cd $OUT/terminals; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim sweep drawn.json -o drawn' | tail -2
sjf     2x8      8.61 min         0 s  16.7 min  25.0 min     1
4 runs in drawn/runs.csv, 0 of them made now
$ cd $OUT/terminals; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim gate drawn_gate.json --init three.csv -c 1x8 -p fifo -p sjf --estimators oracle && schedsim gate drawn_gate.json'
N of N runs
drawn_gate.json: 2 runs of 3 metrics; 'schedsim gate drawn_gate.json' checks them
2 runs; values: 6 equal
$ cd $OUT/terminals; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim run three.csv -c 1x8 -p fifo -q -o drawn_run; schedsim verify --again drawn_run'
drawn_run: run again, every file has the same bytes
$ cd $OUT/terminals; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim run three.csv -c 1x8 -p nowhere'
schedsim: no policy 'nowhere'; 'schedsim list' names them
[exit 2]
$ cd $OUT/terminals; echo '{"trace":["three.csv","none.csv"],"policy":["fifo","sjf"],"cluster":["1x8"],"estimators":["oracle"]}' >fails.json; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim sweep fails.json --threads 1' | sed 's/ *$//'; exit ${PIPESTATUS[0]}
sweep: N of N runs, T left
all runs: cluster 1x8, estimators oracle
trace      policy  JCT mean  queue mean   JCT p99  makespan  runs
three.csv  fifo    10.8 min    2.22 min  16.7 min  25.8 min     1
three.csv  sjf     10.8 min    2.22 min  16.7 min  25.8 min     1
none.csv   fifo           -           -         -         -     0  1 failed, 0 missing
none.csv   sjf            -           -         -         -     0  1 failed, 0 missing
failed: trace=none.csv policy=fifo cluster=1x8 estimators=oracle: none.csv:1:1: file: cannot open: No such file or directory
failed: trace=none.csv policy=sjf cluster=1x8 estimators=oracle: none.csv:1:1: file: cannot open: No such file or directory
schedsim: 2 of 4 runs failed
[exit 3]
$ cd $OUT/terminals; echo '{"nodes":[{"gpus":4}]}' >small.json; python3 -B "$OLDPWD/tests/cli/terminal.py" 'schedsim compare three.csv -c small.json -p fifo -p sjf --estimators oracle --threads 1' | sed -n 1,4p
N of N runs, N failed, N incomplete
policy                        JCT min [95 %]   p99  queue s  p99  makespan min  preempts                   done
fifo                                    12.5  16.7        0    0          25.0         0  2/3 (83.3 % of GPU h)
sjf (oracle, an upper bound)            12.5  16.7        0    0          25.0         0  2/3 (83.3 % of GPU h)
