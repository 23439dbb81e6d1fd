# What a log says: how fast a job trains, why it failed.
$ schedsim mate track tests/logs/key_error.log
step time    312 ms (printed: median of 20 values, 0.312 after time)
loss         3.6803
step         790 of 1251
method       rules, confidence 0.99
             half of its lines also give a loss
             a line near them gives a loss
             half of its lines give a metric of training
             a step counter advances from line to line
             three quarters of the values are within a quarter of their median
read         20 progress lines of 30 looked at, 1980 bytes
$ schedsim mate track tests/logs/storage_io.log
step time    not found
...
$ schedsim mate track --json tests/logs/time_limit.log
{"log":"tests/logs/time_limit.log","found":true,"seconds_per_step":2.3135,"value":2313.5,"unit":"ms","source":"printed","basis":"printed","evidence":["said","loss_line","loss_near","metric","advances","agrees"],"words":"elapsed time per iteration ms","values":20,"loss":5.419022,"throughput":null,"throughput_unit":null,"step":490,"steps":50000,"method":"rules","confidence":0.99,"why":null,"clock_s":null,"answers":null,"lines_walked":21,"progress_lines":20,"bytes_read":4060,"read_as":[],"tokens":0,"latency_s":0}
$ schedsim mate diagnose tests/logs/ib_completion.log
failure      infrastructure, network: InfiniBand error
first error  line 99 of 111
cause        line 99
host         node-7 (it reports the failure, which may be elsewhere, line 99)
action       test-network: run nccl-tests to find the node, isolate it, restart the job
method       rules (signature), confidence 0.88
signature    got-completion-status (built in)
read         33 lines from line 79
$ schedsim mate diagnose tests/logs/well.log
failure      none found in 109 lines
$ schedsim mate diagnose --classes tests/logs/key_error.log | tail -2
96 error 0.95
97 error 0.88
$ schedsim mate track
schedsim: mate track: a log is missing; see --help
[exit 2]
$ schedsim mate diagnose tests/logs/none.log
schedsim: tests/logs/none.log: No such file or directory
[exit 3]
$ schedsim mate diagnose tests/logs/well.log --set locator=scam
schedsim: mate diagnose: locator: 'scam' is not one of scan, binary, last
[exit 2]
$ schedsim mate diagnose tests/logs/well.log --set survive=2
schedsim: mate diagnose: no option 'survive'; did you mean 'survived'?
[exit 2]
$ schedsim mate track tests/logs/well.log --set lines=5 | tail -1
read         5 progress lines of 5 looked at, 355 bytes
$ schedsim list logs
...
