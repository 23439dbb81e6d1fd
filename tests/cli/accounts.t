# Accounts of the cluster file: of two users of account A, ub has twice the
# shares of ua, and B as many as A. A has used all at first, so B goes first, then
# ub, who has used nothing.
$ printf 'job_id,submitted_unix_s,duration_s,gpus,user,vc\na,0,1000,8,ua,A\nb,10,600,8,ua,A\nc,20,600,8,ub,A\nd,30,600,8,uc,B\n' >"$OUT/shares.csv"
$ echo '{"nodes":[{"gpus":8}],"accounts":[{"name":"A","users":{"ua":1,"ub":2}},{"name":"B"}]}' >"$OUT/shares.json"
$ schedsim "$OUT/shares.csv" -c "$OUT/shares.json" -p multifactor -q -o "$OUT/shares"
$ cut -d, -f1,9 "$OUT/shares/jobs.csv"
job_id,starting_time
a,0
b,2200
c,1600
d,1000
# An account that the file lacks, and wrong accounts.
$ echo '{"nodes":[{"gpus":8}],"accounts":[{"name":"A"}]}' >"$OUT/shares.json"
$ schedsim "$OUT/shares.csv" -c "$OUT/shares.json" -p multifactor | sed -n '/^note/,/^$/{/./p}'
note: the cluster file lacks 1 account of the trace, which gets one share each;
  the first is 'B'
$ for wrong in '[{"name":"A","parent":"B"},{"name":"B","parent":"A"}]' '[{"name":"physics"},{"name":"B","parent":"phisics"}]' '[{"name":"A","shares":-1}]' '[{"name":"A","users":{"x":"y"}}]' '[{"nam":"A"}]' '[{"name":"A"},{"name":"A"}]' '[{"name":"root","shares":2}]' '{}'; do echo "{\"nodes\":[{\"gpus\":8}],\"accounts\":$wrong}" >"$OUT/wrong.json"; schedsim "$OUT/shares.csv" -c "$OUT/wrong.json" -p multifactor; done 2>&1 | sed "s|$OUT/||"
schedsim: wrong.json: accounts[0]: 'A' is below itself: its parents form a cycle
schedsim: wrong.json: accounts[1]: parent: no account is called 'phisics'; did you mean 'physics'?
schedsim: wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
schedsim: wrong.json: accounts[0]: users: 'x': expected shares of 0 to 1e+09
schedsim: wrong.json:1:36: accounts[0]: no key 'nam'; did you mean 'name'?
schedsim: wrong.json: accounts[1]: 'A' is listed before
schedsim: wrong.json: accounts[0]: the root has no parent and no shares, only users
schedsim: wrong.json: accounts: expected an array of at most 4096 accounts
# -p drf: the CPUs of u1 are 6 of 8, so that v starts three jobs before u starts
# another one; where the cluster file does not tell CPUs, GPUs alone count.
$ printf 'job_id,submitted_unix_s,duration_s,gpus,user,cpus\nu1,0,100,1,u,6\nu2,0,100,1,u,6\nv1,0,100,1,v,1\nv2,0,100,1,v,1\nv3,0,100,1,v,1\n' >"$OUT/drf.csv"
$ echo '{"nodes":[{"gpus":4,"cpus":8}]}' >"$OUT/cpus.json"
$ schedsim "$OUT/drf.csv" -c "$OUT/cpus.json" -p drf -q -o "$OUT/drf"
$ cut -d, -f1,9 "$OUT/drf/jobs.csv"
job_id,starting_time
u1,0
u2,100
v1,0
v2,0
v3,0
$ schedsim "$OUT/drf.csv" -c 1x4 -p drf | sed -n '/^note/,/^$/{/./p}'
note: only GPUs count: trace and cluster file do not tell CPUs or main memory,
  so that dominant shares are those of GPUs
