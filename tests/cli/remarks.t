# What was dropped stands below the table, once, and names the rows it concerns.
$ printf '{"vcs":["vcA"],"nodes":[{"count":8,"gpus":8,"vc":"vcA"},{"count":1,"gpus":8,"vc":"vcB"}]}' > $OUT/two.json; printf 'submitted_unix_s,duration_s,gpus,job_id,vc\n0,10,1,a,vcA\n0,10,1,b,vcB\n0,10,1,c,vcC\n' > $OUT/t.csv; schedsim $OUT/t.csv --cluster $OUT/two.json | grep note
note: 1 of 3 rows of the trace dropped: each names a virtual cluster that the cluster does not have
$ schedsim compare $OUT/t.csv --cluster $OUT/two.json -p fifo -p srtf | grep note
note: 1 of 3 rows of the trace dropped: each names a virtual cluster that the cluster does not have
