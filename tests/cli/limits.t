# SPDX-License-Identifier: GPL-3.0-or-later
# What can get nowhere comes to an end, and the user is told why. A job of 512
# GPUs on nodes of which some are always down: no failure lets it start.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,2592000,512,a\n' > $OUT/ll.csv; schedsim $OUT/ll.csv --cluster 64x8 --quiet --faults exponential:per_1000_node_days=1000000,repair_mu=20,repair_sigma=0 --recovery retry:attempts=60000,delay_s=0 --overhead fixed:checkpoint_s=0 --engine stall_changes=1000
schedsim: 1 of 1 jobs unfinished: 1 waiting in virtual cluster all, first job a for 512 GPUs of which 0 are free; 1000 failures and returns of nodes in a row let no job start (--engine stall_changes)
[exit 4]
# A job that was started 65,535 times is given up; the run goes on and ends with
# exit status 4.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,400000,1,slow\n0,200000,1,other\n300000,10,1,late\n' > $OUT/worn.csv; schedsim $OUT/worn.csv --cluster 1x1 --policy gavel-las:round_s=1 --overhead none --quiet --out $OUT/worn; python3 -c "import csv,sys; [print(r['job_id'], r['attempts'], r['outcome']) for r in csv.DictReader(open(sys.argv[1]))]" $OUT/worn/jobs.csv; grep -o 'jobs were given up.*' $OUT/worn/summary.json; schedsim verify $OUT/worn | sed 's/^.*: //'
slow 65535 given-up
other 65535 given-up
late 1 unknown
jobs were given up, because they were started 65,535 times and got nowhere; the first is job slow"
all checks passed
schedsim: 2 of 3 jobs unfinished: 2 started 65,535 times and got nowhere, first job slow
# What an elastic policy can never start is rejected at once.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,model,batch_size,elasticity\n0,500,4,a,gpt_pmp,32,adaptive\n' > $OUT/gp.csv; schedsim $OUT/gp.csv --cluster 8x8:A100 --policy sia --throughput application:replace=true --quiet
schedsim: 1 of 1 jobs unfinished: 1 rejected, first job a (4 GPUs): its batch is too small for the fewest GPUs that its application needs, or no shape of this policy has that many
[exit 4]
$ schedsim $OUT/gp.csv --cluster 8x8:A100 --policy pollux --throughput application:replace=true --quiet
schedsim: 1 of 1 jobs unfinished: 1 rejected, first job a (4 GPUs): this policy starts jobs on one GPU, where its application cannot run
[exit 4]
# The first GPU type need not have nodes for a job that takes all types for one.
$ echo '{"types":[{"name":"V100"},{"name":"A100"}],"nodes":[{"count":1,"gpus":4,"type":"A100"}]}' > $OUT/unused.json; printf 'submitted_unix_s,duration_s,gpus,job_id,model,elasticity\n0,600,4,a,cifar10,adaptive\n' > $OUT/p.csv; schedsim $OUT/p.csv --cluster $OUT/unused.json --quiet --policy sia --throughput application:pooled=true,replace=true --out $OUT/pooled; schedsim verify $OUT/pooled | sed 's/^.*: //'
all checks passed
# A storm of faults ends at a limit; the result is whole.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,2592000,1,a\n' > $OUT/st.csv; schedsim $OUT/st.csv --cluster 64x8 --quiet --faults exponential:per_1000_node_days=1000000 --recovery retry:attempts=60000,delay_s=0 --engine faults_max=20000 --out $OUT/st; schedsim verify $OUT/st | sed 's/^.*: //'
all checks passed
schedsim: 1 of 1 jobs unfinished: 1 waiting in virtual cluster all, first job a for 1 GPUs of which 0 are free; 20000 faults and failures of jobs (--engine faults_max)
