# Rows that continue a failed job are one job: it fails where they ended and is
# submitted again when they were.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,user,name,end\n0,600,1,a1,u,train,failed\n900,900,1,a2,u,train,failed\n1900,1200,1,a3,u,train,completed\n2000,10,1,b,v,train,completed\n' > $OUT/c.csv; schedsim $OUT/c.csv --cluster 1x2 --chains linked --recovery retry --out $OUT/linked --quiet; cut -d, -f1,9,11,26 $OUT/linked/jobs.csv; cut -d, -f1,9-11 $OUT/linked/attempts.csv; schedsim verify $OUT/linked | sed 's/^.*: //'
job_id,starting_time,finish_time,work
a1,0,3100,2700
b,2000,2010,10
job_id,starting_time,execution_time,finish_time
a1,0,600,600
a1,900,900,1800
a1,1900,1200,3100
b,2000,10,2010
all checks passed
# Without a rule for failures the first failure is the end.
$ schedsim $OUT/c.csv --cluster 1x2 --chains linked --quiet --out $OUT/none; cut -d, -f1,11,35 $OUT/none/jobs.csv
job_id,finish_time,outcome
a1,600,given-up
b,2010,completed
$ schedsim $OUT/c.csv --cluster 1x2 --chains lnked
schedsim: --chains: 'lnked' is neither off nor linked; did you mean 'linked'?
[exit 2]
$ schedsim $OUT/c.csv --cluster 1x2 --chains linked:link=3
schedsim: chains: no option 'link'; did you mean 'link_s'?
[exit 2]
# A law of time that rounds cannot reach the points exactly.
$ schedsim $OUT/c.csv --cluster 1x2 --chains linked --time-law countdown
schedsim: --chains: job a1 fails at points of its work, but --time-law countdown rounds the times of work: --time-law exact
[exit 2]
$ schedsim $OUT/c.csv --cluster 1x2 --chains linked --time-law grid:step_s=1
schedsim: --chains: job a1 fails at points of its work, but --time-law grid rounds the times of work: --time-law exact
[exit 2]
