# Accounts of the cluster file: of two users of account A, ub has twice the
# shares of ua, and B as many as A. A has used all at first, so B goes first, then
# ub, who has used nothing.
$ cd "$OUT"
$ printf 'job_id,submitted_unix_s,duration_s,gpus,user,vc\na,0,1000,8,ua,A\nb,10,600,8,ua,A\nc,20,600,8,ub,A\nd,30,600,8,uc,B\n' >shares.csv
$ echo '{"nodes":[{"gpus":8}],"accounts":[{"name":"A","users":{"ua":1,"ub":2}},{"name":"B"}]}' >shares.json
$ schedsim shares.csv -c shares.json -p multifactor -q -o shares
$ cut -d, -f1,9 shares/jobs.csv
job_id,starting_time
a,0
b,2200
c,1600
d,1000
# An account that the file lacks, and wrong accounts.
$ echo '{"nodes":[{"gpus":8}],"accounts":[{"name":"A"}]}' >shares.json
$ schedsim shares.csv -c shares.json -p multifactor | sed -n '/^note/,/^$/{/./p}'
note: the cluster file lacks 1 account of the trace, which gets one share each;
  the first is 'B'
$ for wrong in '[{"name":"A","parent":"B"},{"name":"B","parent":"A"}]' '[{"name":"physics"},{"name":"B","parent":"phisics"}]' '[{"name":"A","shares":-1}]' '[{"name":"A","users":{"x":"y"}}]' '[{"nam":"A"}]' '[{"name":"A"},{"name":"A"}]' '{}'; do echo "{\"nodes\":[{\"gpus\":8}],\"accounts\":$wrong}" >wrong.json; schedsim shares.csv -c wrong.json -p multifactor; done
schedsim: wrong.json: accounts[0]: 'A' is below itself: its parents form a cycle
schedsim: wrong.json: accounts[1]: parent: no account is called 'phisics'; did you mean 'physics'?
schedsim: wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
schedsim: wrong.json: accounts[0]: users: 'x': expected shares of 0 to 1e+09
schedsim: wrong.json:1:36: accounts[0]: no key 'nam'; did you mean 'name'?
schedsim: wrong.json: accounts[1]: 'A' is listed before
schedsim: wrong.json: accounts: expected an array of at most 4096 accounts
[exit 3]
