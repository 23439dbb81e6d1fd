# What verify recomputes, at the edges. The last to end is a job without length:
# the others have left the GPUs by then.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n200,0,1,b\n' > $OUT/zero.csv; schedsim $OUT/zero.csv --policy gavel-las --cluster 1x1 --out $OUT/zero --quiet; cut -d, -f1,9,11 $OUT/zero/jobs.csv; schedsim verify $OUT/zero | sed 's/^.*: //'
job_id,starting_time,finish_time
a,0,100
b,360,360
all checks passed
# Jobs that are counted down hold their GPUs for a second more: overhead.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,1,a\n200,30,1,b\n' > $OUT/two.csv; schedsim $OUT/two.csv --rules lucid --policy lucid:sharing=off,profiling=none --cluster 1x1 --profilers 0 --out $OUT/two --quiet; cut -d, -f1,25-27 $OUT/two/jobs.csv; schedsim verify $OUT/two | sed 's/^.*: //'
job_id,running,work,overhead
a,101,100,1
b,31,30,1
all checks passed
