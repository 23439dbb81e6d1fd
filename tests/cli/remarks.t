# What was dropped stands below the table, once, and names the rows it concerns.
$ printf '{"nodes":[{"count":8,"gpus":8,"vc":"vcA"},{"count":1,"gpus":8,"vc":"vcB"}]}' > $OUT/two.json; printf 'submitted_unix_s,duration_s,gpus,job_id,vc\n0,10,1,a,vcA\n0,10,1,b,vcB\n0,10,1,c,vcC\n' > $OUT/t.csv; schedsim $OUT/t.csv --cluster $OUT/two.json | sed -n '/^note/,/^$/{/./p}'
note: 1 of 3 rows of the trace dropped: each names a virtual cluster that the
  cluster does not have
$ schedsim compare $OUT/t.csv --cluster $OUT/two.json -p fifo -p srtf | sed -n '/^note/,$p'
note (srtf): the policy asks for the run times of 2 jobs, and gets an answer for
  0 (learned: ga2m,history); of the others it knows nothing (--estimators)
note: 1 of 3 rows of the trace dropped: each names a virtual cluster that the
  cluster does not have
# A policy that divides by what is left says what it takes where nobody knows.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n0,10,1,b\n' > $OUT/u.csv; schedsim $OUT/u.csv --cluster 1x1 -p themis --estimators history | sed -n '/^note/,/^$/{/./p}'
note: the policy asks for the run times of 2 jobs, and gets an answer for 0
  (learned: history); of the others it knows nothing (--estimators)
note: in some rounds no estimator could tell the remaining time of a job (2
  jobs); it was assumed to be 3600 s (policy option unknown_s)
$ schedsim $OUT/u.csv --cluster 1x1 -p gavel-makespan:unknown_s=60 --estimators blend,gbdt,history | sed -n '/^note/,/^$/{/./p}'
note: the policy asks for the run times of 2 jobs, and gets an answer for 0
  (blend; learned: gbdt,history); of the others it knows nothing (--estimators)
note: in some rounds no estimator could tell the remaining time of a job (2
  jobs); it was assumed to be 60 s (policy option unknown_s)
