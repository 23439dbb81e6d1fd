# A policy in place of Slurm's: what would be done, on saved output of squeue.
$ printf '%s' '{"meta":{"Slurm":{"version":{"major":22,"micro":8,"minor":5}}},"jobs":[{"job_id":1,"job_state":"RUNNING", "state_reason":"None", "partition":"main", "user_name":"ann", "comment":"schedsim", "nice":null,"priority":90,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":-3600,"submit_time":1767596400,"start_time":1767599400,"time_limit":120,"tres_per_node":"gres:gpu:8", "nodes":"n1", "node_count":1,"gres_detail":["gpu:8(IDX:0-7)"]},{"job_id":21,"job_state":"PENDING", "state_reason":"JobHeldUser", "partition":"main", "user_name":"ann", "comment":"schedsim", "nice":null,"priority":0,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599100,"start_time":0,"time_limit":60,"tres_per_node":"gres:gpu:8", "nodes":"", "node_count":2,"gres_detail":[]},{"job_id":22,"job_state":"PENDING", "state_reason":"JobHeldUser", "partition":"main", "user_name":"bob", "comment":"a run; schedsim x", "nice":null,"priority":0,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599200,"start_time":0,"time_limit":60,"tres_per_node":"gres:gpu:8", "nodes":"", "node_count":1,"gres_detail":[]},{"job_id":23,"job_state":"PENDING", "state_reason":"JobHeldUser", "partition":"main", "user_name":"ann", "comment":"schedsim", "nice":null,"priority":0,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599300,"start_time":0,"time_limit":10,"tres_per_node":"gres:gpu:4", "nodes":"", "node_count":1,"gres_detail":[]},{"job_id":24,"job_state":"PENDING", "state_reason":"JobHeldUser", "partition":"main", "user_name":"ann", "comment":"schedsim", "nice":null,"priority":0,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"afterok:1(unfulfilled)", "eligible_time":0,"submit_time":1767599400,"start_time":0,"time_limit":60,"tres_per_node":"gres:gpu:1", "nodes":"", "node_count":1,"gres_detail":[]},{"job_id":25,"job_state":"PENDING", "state_reason":"JobHeldUser", "partition":"main", "user_name":"ann", "comment":"schedsim", "nice":null,"priority":0,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599500,"start_time":0,"time_limit":60,"tres_per_node":"", "nodes":"", "node_count":1,"gres_detail":[]},{"job_id":26,"job_state":"PENDING", "state_reason":"JobHeldAdmin", "partition":"main", "user_name":"ann", "comment":"schedsim", "nice":null,"priority":0,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599600,"start_time":0,"time_limit":60,"tres_per_node":"gres:gpu:1", "nodes":"", "node_count":1,"gres_detail":[]},{"job_id":27,"job_state":"PENDING", "state_reason":"JobHeldUser", "partition":"main", "user_name":"ann", "comment":"", "nice":null,"priority":0,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599700,"start_time":0,"time_limit":60,"tres_per_node":"gres:gpu:1", "nodes":"", "node_count":1,"gres_detail":[]}]}' >$OUT/held.json
$ printf '%s' '{"meta":{"Slurm":{"version":{"major":22,"micro":8,"minor":5}}},"jobs":[{"job_id":1,"job_state":"RUNNING", "state_reason":"None", "partition":"main", "user_name":"ann", "comment":"schedsim", "nice":null,"priority":90,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":-3600,"submit_time":1767596400,"start_time":1767599400,"time_limit":120,"tres_per_node":"gres:gpu:8", "nodes":"n1", "node_count":1,"gres_detail":["gpu:8(IDX:0-7)"]},{"job_id":32,"job_state":"PENDING", "state_reason":"Priority", "partition":"main", "user_name":"bob", "comment":"", "nice":null,"priority":80,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599200,"start_time":0,"time_limit":60,"tres_per_node":"gres:gpu:8", "nodes":"", "node_count":1,"gres_detail":[]},{"job_id":33,"job_state":"PENDING", "state_reason":"Priority", "partition":"main", "user_name":"ann", "comment":"", "nice":5,"priority":70,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599300,"start_time":0,"time_limit":10,"tres_per_node":"gres:gpu:4", "nodes":"", "node_count":1,"gres_detail":[]},{"job_id":36,"job_state":"PENDING", "state_reason":"Priority", "partition":"main", "user_name":"ann", "comment":"", "nice":null,"priority":60,"batch_flag":true,"requeue":true,"restart_cnt":0,"dependency":"", "eligible_time":0,"submit_time":1767599600,"start_time":0,"time_limit":60,"tres_per_node":"gres:gpu:1", "nodes":"", "node_count":1,"gres_detail":[]}]}' >$OUT/free.json
$ schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy fifo
2026-01-05 07:55:01 would release 25 (asks for no GPU): no policy plans it
keep 21 (16 GPUs, user ann, has waited for 10min): the policy does not start it now
keep 22 (8 GPUs, user bob, has waited for 8min): the policy does not start it now
keep 23 (4 GPUs, user ann, has waited for 6min): the policy does not start it now
keep 24 (1 GPU, user ann, has waited for 5min): may not begin yet, by its dependency or begin time
leave 26 (1 GPU, user ann, has waited for 1min): held by JobHeldAdmin
$ schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy sjf --user ann --decision-log $OUT/log.jsonl
2026-01-05 07:55:01 would release 25 (asks for no GPU): no policy plans it
2026-01-05 07:55:01 would release 23 (4 GPUs, user ann, has waited for 6min): sjf starts it now; 16 of 24 GPUs are free; 1 that came before waits, the first is 21 (16 GPUs)
keep 21 (16 GPUs, user ann, has waited for 10min): the policy does not start it now
keep 24 (1 GPU, user ann, has waited for 5min): may not begin yet, by its dependency or begin time
leave 26 (1 GPU, user ann, has waited for 1min): held by JobHeldAdmin
$ schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy srtf
schedsim: drive: srtf stops running jobs, which then lose their work; --requeue allows it
[exit 2]
$ schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy srtf --requeue
2026-01-05 07:55:01 would release 25 (asks for no GPU): no policy plans it
2026-01-05 07:55:01 would requeue 1 (8 GPUs, user ann, has run for 5min): srtf stops it, and starts 23; its work is lost
2026-01-05 07:55:01 would release 23 (4 GPUs, user ann, has waited for 6min): srtf starts it now; 16 of 24 GPUs are free; 1 that came before waits, the first is 21 (16 GPUs)
2026-01-05 07:55:01 would release 22 (8 GPUs, user bob, has waited for 8min): srtf starts it now; 16 of 24 GPUs are free; 1 that came before waits, the first is 21 (16 GPUs)
keep 21 (16 GPUs, user ann, has waited for 10min): the policy does not start it now
keep 24 (1 GPU, user ann, has waited for 5min): may not begin yet, by its dependency or begin time
leave 26 (1 GPU, user ann, has waited for 1min): held by JobHeldAdmin
# A SchedMate that makes its answers up orders no real job.
$ schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy sjf+schedmate
schedsim: drive: sjf+schedmate with fidelity=calibrated makes up what SchedMate says; give --schedmate fidelity=replay and --evidence
[exit 2]
# Nothing is held: a nice gives the waiting jobs the order of the policy.
$ schedsim drive --squeue $OUT/free.json --sinfo tests/state/sinfo22.json --partition main --policy sjf --form nice --decision-log $OUT/log.jsonl
2026-01-05 07:53:21 would nice 32 from 0 to 11: sjf starts it as number 2 of 3
$ schedsim drive --squeue $OUT/free.json --sinfo tests/state/sinfo22.json --partition main --policy sjf --form nice --nice-max 3
2026-01-05 07:53:21 would nice 32 from 0 to 3: sjf starts it as number 2 of 3; more is not allowed (--nice-max)
schedsim: 1 job would need a nice above --nice-max: the order there stays Slurm's
# The plans of a log are made again.
$ cd $OUT; schedsim drive --replay log.jsonl
log.jsonl: 2 plans made again, all equal
$ cd $OUT; sed 's/"starts":."23"/"starts":["22"/' log.jsonl >other.jsonl; schedsim drive --replay other.jsonl
schedsim: other.jsonl:2: the plan of 2026-01-05 07:55:01 differs: start 1 is 22 in the log and 23 now
[exit 6]
# A log that is damaged.
$ cd $OUT; for s in 's/"drive":1/"drive":2/' 's/"by":/"bi":/' 's/"options":{/"options":[],"o":{/' '1d' 's/"state":{/"state":7,"s":{/' 's/"plan":{/"plan":7,"p":{/' 's/"starts":."23"./"starts":[]/' 's/"starts":."23"./"starts":["23","22"]/' 's/"starts":."23"./"starts":[7]/' 's/"jobs":/"jabs":/' '2s/$/x/' '2s/.*/{}/' 'd'; do sed "$s" log.jsonl >other.jsonl; schedsim drive --replay other.jsonl 2>&1 | cut -c11-; done; schedsim drive --replay absent
other.jsonl:1: expected "drive": 1, "by", "options"
other.jsonl:1: expected "drive": 1, "by", "options"
other.jsonl:1: expected "drive": 1, "by", "options"
other.jsonl:1: expected a plan with its state, after a line with "drive": 1
other.jsonl:2: expected a plan with its state, after a line with "drive": 1
other.jsonl:2: expected a plan with its state, after a line with "drive": 1
other.jsonl:2: the plan of 2026-01-05 07:55:01 differs: start 1 is missing in the log and 23 now
other.jsonl:2: the plan of 2026-01-05 07:55:01 differs: start 2 is 22 in the log and missing now
other.jsonl:2: the plan of 2026-01-05 07:55:01 differs: start 1 is missing in the log and 23 now
other.jsonl: no key 'jabs'; did you mean 'jobs'?
other.jsonl:2:1464: end of file expected near 'x'
other.jsonl:2: is no line of a log of drive
other.jsonl: is no log of drive: it has no line with "drive": 1
schedsim: absent: No such file or directory
[exit 3]
# What a kill has left of a line is cut off; a file of something else is not.
$ printf '{"cycle":9,"time_u' >>$OUT/log.jsonl; schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy fifo --decision-log $OUT/log.jsonl >/dev/null
$ cd $OUT; schedsim drive --replay log.jsonl
log.jsonl: 3 plans made again, all equal
$ printf notes >$OUT/notes; cp tests/state/sinfo22.json $OUT/sinfo.json; cd $OUT; schedsim drive --squeue held.json --sinfo sinfo.json --partition main --policy fifo --decision-log notes; cat notes; echo
notes
schedsim: notes: cannot be read, or its last line is not whole and not of drive: nothing is added to it
# A policy that does what Slurm has no commands for.
$ schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy lucid
schedsim: drive: lucid profiles jobs on nodes of their own, which Slurm cannot follow; give --profilers 0
[exit 2]
$ schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy horus
schedsim: drive: horus lets jobs share GPUs, which Slurm cannot follow; give --engine share_limit=1
[exit 2]
$ schedsim drive --squeue $OUT/held.json --sinfo tests/state/sinfo22.json --partition main --policy pollux
schedsim: drive: pollux changes the number of GPUs of jobs, which Slurm cannot follow
[exit 2]
$ schedsim drive --squeue tests/state/squeue22.json --sinfo tests/state/sinfo22.json --partition main --policy fifo
schedsim: squeue prints a job without "comment": nothing is done
[exit 1]
$ sed 's/"major":22/"major":31/' $OUT/held.json >$OUT/next.json; schedsim drive --squeue $OUT/next.json --sinfo tests/state/sinfo22.json --partition main --policy fifo
schedsim: Slurm 31.05 is not known to drive, which has been checked for 22.05 to 26.05: nothing is done
[exit 1]
$ for s in 's/"major":22/"major":"22"/' 's/"major":22/"major":"x"/' 's/"major":22/"major":-1/' 's/"major":22,//' 's/"meta"/"mata"/'; do sed "$s" $OUT/held.json >$OUT/next.json; schedsim drive --squeue $OUT/next.json --sinfo tests/state/sinfo22.json --partition main --policy fifo 2>&1 | head -1; done
2026-01-05 07:55:01 would release 25 (asks for no GPU): no policy plans it
schedsim: Slurm -1.05 is not known to drive, which has been checked for 22.05 to 26.05: nothing is done
schedsim: Slurm -1.05 is not known to drive, which has been checked for 22.05 to 26.05: nothing is done
schedsim: Slurm 0.05 is not known to drive, which has been checked for 22.05 to 26.05: nothing is done
schedsim: squeue does not say its version (meta, Slurm, version): nothing is done
$ schedsim drive --slurm --policy fifo
schedsim: drive: name the partitions whose jobs it may touch (--partition)
[exit 2]
$ schedsim drive --policy fifo --partition main
schedsim: drive: give --slurm, or --squeue and --sinfo, or --replay LOG
[exit 2]
