# What is said of each mistake in a cluster file.
$ mkdir $OUT/files; cd $OUT/files; printf 'job_id,submitted_unix_s,duration_s,gpus,vc,user\na,0,1000,1,x,u\nb,2000,500,2,y,v\n' >t.csv; echo '{"nodes":[{"count":2,"gpus":8,"type":"V100","vc":"x"},{"gpus":4,"type":"T4","vc":"y"}],"types":[{"name":"V100","speed":1},{"name":"T4","speed":0.5}],"changes":[{"at_s":10,"node":0,"up":false},{"at_s":20,"node":0,"up":true}],"accounts":[{"name":"x","parent":"r","shares":2,"users":{"u":1}},{"name":"r"},{"name":"root","users":{"v":3}}]}' >c.json; python3 -B "$OLDPWD/tests/cli/wrong.py" c.json 'schedsim t.csv -c wrong.json -q' '=[]' '={}' name=3 nodes nodes=3 nodes=[] 'nodes=[3]' nodes.0.count=0 'nodes.0.count="2"' nodes.0.count=1.5 nodes.0.gpus nodes.0.gpus=65 'nodes.0.gpus="x"' nodes.0.rack=-1 'nodes.0.rack="a"' nodes.0.cpus=-1 'nodes.0.cpus="a"' nodes.0.mem_mib=-1 'nodes.0.mem_mib="a"' nodes.0.type=3 'nodes.0.type=""' 'nodes.0.type="V10"' 'nodes.0.type="quantum"' nodes.0.vc=3 'nodes.0.vc=""' nodes.0.profiler=3 nodes.0.zzzzzz=1 nodes.0.coutn=1 types=3 'types=[3]' types.0.name types.0.name=3 'types.0.name=""' types.0.speed=0 'types.0.speed="x"' types.0.mem_mib=-1 'types.0.mem_mib="x"' 'types.1.name="V100"' types.0.sped=1 'types.2={"name":"unused","mem_mib":16000}'
=[]
  wrong.json: expected an object with an array "nodes"
={}
  wrong.json: expected an object with an array "nodes"
name=3
   [exit 0]
nodes
  wrong.json: expected an object with an array "nodes"
nodes=3
  wrong.json: expected an object with an array "nodes"
nodes=[]
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
nodes=[3]
  wrong.json: nodes[0]: expected an object
nodes.0.count=0
  1 of 2 jobs unfinished: 1 rejected, first job a (1 GPUs): its virtual cluster has no GPU of the type it asks for [exit 4]
nodes.0.count="2"
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.count=1.5
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.gpus
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.gpus=65
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.gpus="x"
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.rack=-1
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.rack="a"
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.cpus=-1
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.cpus="a"
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.mem_mib=-1
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.mem_mib="a"
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.type=3
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.type=""
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.type="V10"
  wrong.json: nodes[0]: type: 'V10' is not among the file's "types"; did you mean 'V100'?
nodes.0.type="quantum"
  wrong.json: nodes[0]: type: 'quantum' is not among the file's "types"
nodes.0.vc=3
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.vc=""
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.profiler=3
  wrong.json: nodes[0]: expected {"count": nodes, "gpus": 1 to 64, "type", "vc": text, "rack": number, "cpus": CPUs, "mem_mib": MiB, "profiler": true or false}
nodes.0.zzzzzz=1
  wrong.json:1:63: nodes[0]: no key 'zzzzzz'; there are count, gpus, type, vc, rack, cpus, mem_mib, profiler, comment
nodes.0.coutn=1
  wrong.json:1:63: nodes[0]: no key 'coutn'; did you mean 'count'?
types=3
  wrong.json: types: expected an array
types=[3]
  wrong.json: types[0]: expected an object
types.0.name
  wrong.json: types[0]: expected {"name": text, "mem_mib": MiB, "speed": factor above 0}
types.0.name=3
  wrong.json: types[0]: expected {"name": text, "mem_mib": MiB, "speed": factor above 0}
types.0.name=""
  wrong.json: types[0]: expected {"name": text, "mem_mib": MiB, "speed": factor above 0}
types.0.speed=0
  wrong.json: types[0]: expected {"name": text, "mem_mib": MiB, "speed": factor above 0}
types.0.speed="x"
  wrong.json: types[0]: expected {"name": text, "mem_mib": MiB, "speed": factor above 0}
types.0.mem_mib=-1
  wrong.json: types[0]: expected {"name": text, "mem_mib": MiB, "speed": factor above 0}
types.0.mem_mib="x"
  wrong.json: types[0]: expected {"name": text, "mem_mib": MiB, "speed": factor above 0}
types.1.name="V100"
  wrong.json: types[1]: expected a type that is not listed yet
types.0.sped=1
  wrong.json:1:142: types[0]: no key 'sped'; did you mean 'speed'?
types.2={"name":"unused","mem_mib":16000}
   [exit 0]
$ cd $OUT/files; python3 -B "$OLDPWD/tests/cli/wrong.py" c.json 'schedsim t.csv -c wrong.json -q' changes=3 'changes=[3]' changes.0.at_s changes.0.at_s=-1 'changes.0.at_s="x"' changes.0.node changes.0.node=3 'changes.0.node="x"' changes.0.up changes.0.up=3 changes.0.pu=1 queues=3 cohorts=3 accounts=3 'accounts=[3]' accounts.0.name accounts.0.name=3 accounts.0.parent=3 'accounts.0.parent=""' 'accounts.0.parent="rr"' 'accounts.0.parent="elsewhere"' 'accounts.0.shares="x"' accounts.0.shares=1e12 accounts.0.users=3 'accounts.0.users={"":1}' accounts.2.parent='"r"' accounts=@5000 nodse=1
changes=3
  wrong.json: changes: expected an array
changes=[3]
  wrong.json: changes[0]: expected an object
changes.0.at_s
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
changes.0.at_s=-1
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
changes.0.at_s="x"
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
changes.0.node
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
changes.0.node=3
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
changes.0.node="x"
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
changes.0.up
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
changes.0.up=3
  wrong.json: changes[0]: expected {"at_s": seconds, "node": number of a node, "up": true or false}
changes.0.pu=1
  wrong.json:1:223: changes[0]: no key 'pu'; did you mean 'up'?
queues=3
  wrong.json: queues: expected an array
cohorts=3
  wrong.json: cohorts: expected an array
accounts=3
  wrong.json: accounts: expected an array of at most 4096 accounts
accounts=[3]
  wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
accounts.0.name
  wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
accounts.0.name=3
  wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
accounts.0.parent=3
  wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
accounts.0.parent=""
  wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
accounts.0.parent="rr"
  wrong.json: accounts[0]: parent: no account is called 'rr'; did you mean 'r'?
accounts.0.parent="elsewhere"
  wrong.json: accounts[0]: parent: no account is called 'elsewhere'
accounts.0.shares="x"
  wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
accounts.0.shares=1e12
  wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
accounts.0.users=3
  wrong.json: accounts[0]: expected {"name", "parent": text, "shares": 0 to 1e+09, "users": {user: shares}}
accounts.0.users={"":1}
  wrong.json: accounts[0]: users: '': expected shares of 0 to 1e+09
accounts.2.parent="r"
  wrong.json: accounts[2]: the root has no parent and no shares, only users
accounts=@5000
  wrong.json: accounts: expected an array of at most 4096 accounts
nodse=1
  wrong.json:1:390: no key 'nodse'; did you mean 'nodes'?
# Quotas.
$ cd $OUT/files; echo '{"nodes":[{"gpus":8,"vc":"x"},{"gpus":8,"vc":"y"}],"queues":[{"vc":"x","nominal":8,"cohort":"all","within":"lower","reclaim":"any","borrow_within":3,"weight":2},{"vc":"y","nominal":8,"cohort":"all","weight":1.5}],"cohorts":[{"name":"all","parent":"top","weight":1},{"name":"top"}]}' >q.json; python3 -B "$OLDPWD/tests/cli/wrong.py" q.json 'schedsim t.csv -c wrong.json -p fifo+quota -q' 'queues=[3]' queues.0.vc queues.0.vc=3 'queues.0.vc=""' 'queues.0.vc="z"' 'queues.0.vc="elsewhere"' 'queues.1.vc="x"' queues.0.nominal queues.0.nominal=null queues.0.nominal=-1 queues.0.nominal=3e9 'queues.0.nominal="8"' queues.0.lending_limit=9 queues.0.lending_limit=null 'queues.0.borrowing_limit="x"' queues.0.borrowing_limit=1.5 queues.0.weight=-1 'queues.0.weight="x"' queues.0.within=3 'queues.0.within="sometimes"' 'queues.0.reclaim=""' 'queues.0.borrow_within="x"' queues.0.borrow_within=99999999999 queues.0.borrow_within=null queues.0.cohort=3 queues.0.cohort=null 'queues.0.cohort="al"' 'queues.0.cohort="physics"' 'cohorts=[3]' cohorts.0.name 'cohorts.1.name="all"' 'cohorts.1.parent="all"' cohorts.0.parent=7 cohorts.0.parent=null 'cohorts.0.weight="x"' cohorts.0.nominal=-3 cohorts.0.zzzzz=1 cohorts queues
queues=[3]
  wrong.json: queues[0]: expected an object
queues.0.vc
  wrong.json: queues[0]: expected a "vc"
queues.0.vc=3
  wrong.json: queues[0]: expected a "vc"
queues.0.vc=""
  wrong.json: queues[0]: expected a "vc"
queues.0.vc="z"
  wrong.json: queues[0]: vc: no virtual cluster 'z'
queues.0.vc="elsewhere"
  wrong.json: queues[0]: vc: no virtual cluster 'elsewhere'
queues.1.vc="x"
  wrong.json: queues[1]: vc: 'x' is listed before
queues.0.nominal
  wrong.json: queues[0]: expected "nominal", GPUs
queues.0.nominal=null
  wrong.json: queues[0]: expected "nominal", GPUs
queues.0.nominal=-1
  wrong.json: queues[0]: nominal: expected GPUs, a whole number of 0 to 2147483647
queues.0.nominal=3e9
  wrong.json: queues[0]: expected "nominal", GPUs
queues.0.nominal="8"
  wrong.json: queues[0]: expected "nominal", GPUs
queues.0.lending_limit=9
  wrong.json: queues[0]: lending_limit 9 is more than the nominal quota 8
queues.0.lending_limit=null
   [exit 0]
queues.0.borrowing_limit="x"
  wrong.json: queues[0]: borrowing_limit: expected GPUs, a whole number of 0 to 2147483647
queues.0.borrowing_limit=1.5
  wrong.json: queues[0]: borrowing_limit: expected GPUs, a whole number of 0 to 2147483647
queues.0.weight=-1
  wrong.json: queues[0]: weight: expected a number of 0 or more
queues.0.weight="x"
  wrong.json: queues[0]: weight: expected a number of 0 or more
queues.0.within=3
  wrong.json: queues[0]: expected "within" and "reclaim" as never, lower, lower-or-newer or any, and "borrow_within" as a whole number
queues.0.within="sometimes"
  wrong.json: queues[0]: expected "within" and "reclaim" as never, lower, lower-or-newer or any, and "borrow_within" as a whole number
queues.0.reclaim=""
  wrong.json: queues[0]: expected "within" and "reclaim" as never, lower, lower-or-newer or any, and "borrow_within" as a whole number
queues.0.borrow_within="x"
  wrong.json: queues[0]: expected "within" and "reclaim" as never, lower, lower-or-newer or any, and "borrow_within" as a whole number
queues.0.borrow_within=99999999999
  wrong.json: queues[0]: expected "within" and "reclaim" as never, lower, lower-or-newer or any, and "borrow_within" as a whole number
queues.0.borrow_within=null
   [exit 0]
queues.0.cohort=3
  wrong.json: queues[0]: cohort: expected the name of a cohort
queues.0.cohort=null
   [exit 0]
queues.0.cohort="al"
  wrong.json: queues[0]: cohort: no cohort 'al'; did you mean 'all'?
queues.0.cohort="physics"
  wrong.json: queues[0]: cohort: no cohort 'physics'
cohorts=[3]
  wrong.json: cohorts[0]: expected an object
cohorts.0.name
  wrong.json: cohorts[0]: expected a "name"
cohorts.1.name="all"
  wrong.json: cohorts[1]: name: 'all' is listed before
cohorts.1.parent="all"
  wrong.json: cohorts[0]: its parents form a cycle, so it has no root
cohorts.0.parent=7
  wrong.json: cohorts[0]: parent: expected the name of a cohort
cohorts.0.parent=null
   [exit 0]
cohorts.0.weight="x"
  wrong.json: cohorts[0]: weight: expected a number of 0 or more
cohorts.0.nominal=-3
  wrong.json: cohorts[0]: nominal: expected GPUs, a whole number of 0 to 2147483647
cohorts.0.zzzzz=1
  wrong.json:1:304: cohorts[0]: no key 'zzzzz'; there are name, parent, nominal, borrowing_limit, lending_limit, weight
cohorts
  wrong.json: queues[0]: cohort: no cohort 'all'
queues
  wrong.json: "cohorts" without "queues"
# Shorthands.
$ cd $OUT/files; for c in 0x8 8x0 8x65 x8 8x 99999999x8 8x8:A100@0 8x8:A100@1e9 8x8:A100@x 2x8:A@1+2x8:A@2 x=1x8 x=1x8,x=2x8 =1x8 x=1x8,y=0x8 1x8:; do schedsim t.csv -c "$c" -q; done
schedsim: --cluster: '0x8' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
schedsim: --cluster: '8x0' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
schedsim: --cluster: '8x65' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
schedsim: --cluster: 'x8' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
schedsim: --cluster: '8x' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
schedsim: --cluster: '99999999x8' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
schedsim: --cluster: 'A100@0': '0' is not a speed, which is work per time, 1e-06 to 1e+06
schedsim: --cluster: 'A100@1e9': '1e9' is not a speed, which is work per time, 1e-06 to 1e+06
schedsim: --cluster: 'A100@x': 'x' is not a speed, which is work per time, 1e-06 to 1e+06
schedsim: --cluster: type A has two speeds, 1 and 2
schedsim: --cluster: '=1x8' names no virtual cluster before the '='
schedsim: --cluster: '0x8' is not NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to 65535 nodes of 1 to 64 GPUs
