# -p recorded: job a starts at 5 as recorded, although the GPUs are free before.
# c is due at 20 and starts at 25, when a has ended; b is due at 31 and starts at
# 35, when c has. d has no recorded wait.
$ printf 'job_id,submitted_unix_s,duration_s,gpus,queue_s\na,0,20,2,5\nb,1,10,1,30\nc,2,10,2,18\nd,40,5,1,\n' >"$OUT/waits.csv"
$ schedsim "$OUT/waits.csv" -c 1x2 -p recorded -q -o "$OUT/kept"
$ cut -d, -f1,4,9 "$OUT/kept/jobs.csv"
job_id,submission_time,starting_time
a,0,5
b,1,35
c,2,25
d,40,40
$ schedsim verify "$OUT/kept" | sed "s|$OUT|OUT|"
OUT/kept: all checks passed
$ schedsim "$OUT/waits.csv" -c 1x2 -p recorded 2>&1 | sed -n '/^note/,/^$/{/./p}'
note: the trace does not tell when 1 of 4 jobs started; they start as soon as
  they fit
note: 2 of 4 jobs start later than the trace says, by 4.5 s on average: their
  GPUs were not free in the simulated cluster
