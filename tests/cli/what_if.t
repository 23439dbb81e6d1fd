# --what-if: what is refused names the column and the expected word; what is
# done stands below the table.
$ schedsim traces/samples/venus.csv --what-if "+3 nods in vcEwI"
schedsim: --what-if: '+3 nods in vcEwI': column 4: expected 'nodes' or 'GPUs', found 'nods'; did you mean 'node'?
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "3 nodes in vcEwI"
schedsim: --what-if: '3 nodes in vcEwI': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lose rack R' or xF (load), such as 'x2 load' for twice the load, found '3'
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+3 nodes at vcEwI"
schedsim: --what-if: '+3 nodes at vcEwI': column 10: expected 'of', 'in', 'from', 'until' or 'for', found 'at'
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "x0.001 load; x0.5 load from day 2"
schedsim: --what-if: 'x0.5 load from day 2': with the other clauses the load is x0.0005 at that time; expected at least x0.001
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+3 nodes in vcEwI from tuesday"
schedsim: --what-if: '+3 nodes in vcEwI from tuesday': column 24: expected now, day D, hour H, a duration such as 36h or a date, not before the first submission, found 'tuesday'
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+3 nodes in vcEwJ"
schedsim: --what-if: '+3 nodes in vcEwJ': column 13: no virtual cluster 'vcEwJ'; did you mean 'vcEwI'?; the cluster has vcEwI, vcWoR, vcHvQ, vcvGl, vc8Gr, vcKeu, vcKrE, vcYVn, vchbv, vcLTP, vchA3, vcJsw, vcefl, vcvlY, vcgkz
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+3 nodes of 4xV100"
schedsim: --what-if: '+3 nodes of 4xV100': the cluster has 15 virtual clusters: write 'in NAME', one of vcEwI, vcWoR, vcHvQ, vcvGl, vc8Gr, vcKeu, vcKrE, vcYVn, vchbv, vcLTP, vchA3, vcJsw, vcefl, vcvlY, vcgkz
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "-2 nodes in vcgkz"
schedsim: --what-if: '-2 nodes in vcgkz': 1 such node is there that no other clause takes
[exit 2]
$ schedsim traces/samples/native.csv --cluster 2x8+2x4:T4@1 --what-if "+1 node"
schedsim: --what-if: '+1 node': there are nodes of several GPU types: write 'of TYPE', one of GPU, T4
[exit 2]
$ schedsim traces/samples/native.csv --cluster 2x8+2x4 --what-if "+1 node"
schedsim: --what-if: '+1 node': nodes of type GPU have 8, 4 GPUs: name one kind, such as 'of 8xGPU'
[exit 2]
$ schedsim traces/samples/native.csv --cluster 2x8:V100 --what-if "+1 node of H100"
schedsim: --what-if: '+1 node of H100': column 12: no GPU type 'H100'; did you mean 'V100'?; the cluster has V100. For a new type write the GPUs of a node too, such as 'of 8xH100'
[exit 2]
$ schedsim traces/samples/native.csv --cluster 2x8:V100 --what-if "+1 node of V100@2"
schedsim: --what-if: '+1 node of V100@2': the cluster has GPU type V100 and states no speed for it; leave out '@2' or state it in --cluster
[exit 2]
$ schedsim traces/samples/native.csv --what-if "x1.5 load in all"
schedsim: --what-if: 'x1.5 load in all': column 11: expected 'from', 'until' or 'for', found 'in'
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+2 nodes in vcEwI from day 2" --what-if "x1.2 load" | grep "what if" | cut -c1-49
note: what if: 2 more nodes of 8 V100 in vcEwI, f
note: what if: submissions come 1.2 times as fast
$ schedsim traces/samples/venus.csv --wait-over soon
schedsim: --wait-over: 'soon' is not a length of time, such as 600, 10min or 1.5h
[exit 2]
$ schedsim traces/samples/venus.csv --by usr
schedsim: --by: 'usr' is not user or type; did you mean 'user'?
[exit 2]

# Nodes leave for good: the jobs that need all 64 GPUs are set aside, the others
# end.
$ schedsim traces/samples/itp.csv -c 8x8 -p fifo --what-if "-2 nodes from day 3" | sed -n '/fifo on/p;/^note/,/^$/{/./p}'
fifo on 8x8: 1595 jobs (1573 unknown, 22 rejected)
note: 22 of 1595 jobs rejected: each needs nodes that have left for good; the
  first is c693da11-39c6-a1ca-9e50-aa42ca6dfda1 (64 GPUs)
note: what if: 2 fewer nodes of 8 GPU in the cluster, from day 3 (--what-if)
# A job whose node leaves for a while goes to the back of the queue, unless it
# keeps its place.
$ for place in back keep; do schedsim traces/samples/itp.csv -c 8x8 -p fifo --what-if "-3 nodes from day 20 until day 22" --engine outage_place=$place | grep queue_delay; done
queue_delay h     37.1 [17.9, 77.0]   44.6   53.2   59.5   71.8   77.0
queue_delay h              36.9 [-]   44.7   53.3   60.2   61.6   62.5

# A rack, by number or the last ones, and a share of the nodes.
$ echo '{"nodes":[{"count":2,"gpus":8,"rack":1},{"count":6,"gpus":8,"rack":3}]}' > $OUT/racks.json; for w in "lose rack 1 on day 10" "-1 rack from day 3 until day 5" "-10 %" "-25% nodes from day 2"; do schedsim traces/samples/itp.csv -c $OUT/racks.json --what-if "$w" | grep "what if"; done
note: what if: 2 fewer nodes in the cluster, from day 10 (--what-if)
note: what if: 6 fewer nodes in the cluster, from day 3 until day 5 (--what-if)
note: what if: 1 fewer nodes of 8 GPU in the cluster (--what-if)
note: what if: 2 fewer nodes of 8 GPU in the cluster, from day 2 (--what-if)
$ schedsim traces/samples/itp.csv -c 8x8 --what-if "-1 rack"
schedsim: --what-if: '-1 rack': the cluster has no racks: a cluster file gives them ("rack" of its nodes)
[exit 2]
$ schedsim traces/samples/itp.csv -c $OUT/racks.json --what-if "lose rack 7"
schedsim: --what-if: 'lose rack 7': no node of rack 7 is there
[exit 2]

# What is refused word by word.
$ for w in "-1 node from 2020-01-01 xx:yy" "-1 node from day x" "-1 node from day -1" "-1 node from hour 1e99" "-1 node from -3h" "-1 node for soon" "-1 node for 0h" "+1 node of axGPU" "+1 node of 0xGPU" "+1 node of 65xGPU" "+1 node of GPU@0" "+1 node of GPU@x" "+1 node of GPU@1e9" "+1 node of @2" "+1 node in" "+1 node in all in all" "-1 node until day 2 for 3h" "-1 node from day 3 until day 2" "+0 nodes" "+x nodes" "+70000 nodes" "" "-1 node;" "*5%" "-x%" "-0%" "-2000%" "-%" "lose" "lose node" "lose rack x" "lose rack 4294967295" "lose 0 nodes" "lose 70000 nodes" "lose x y" "x0.0001 load" "x2000 load" "xx load" "x2 lod" "-nodes 99"; do schedsim traces/samples/itp.csv -c 8x8 --what-if "$w" 2>&1 | cut -c11-120; done
--what-if: '-1 node from 2020-01-01 xx:yy': column 25: expected 'of', 'in', 'from', 'until' or 'for', found 'x
--what-if: '-1 node from day x': column 18: expected now, day D, hour H, a duration such as 36h or a date, not
--what-if: '-1 node from day -1': column 18: expected now, day D, hour H, a duration such as 36h or a date, no
--what-if: '-1 node from hour 1e99': column 19: expected now, day D, hour H, a duration such as 36h or a date,
--what-if: '-1 node from -3h': column 14: expected now, day D, hour H, a duration such as 36h or a date, not b
--what-if: '-1 node for soon': column 13: expected a length of time such as 8h, found 'soon'
--what-if: '-1 node for 0h': column 13: expected a length of time such as 8h, found '0h'
--what-if: '+1 node of axGPU': column 12: no GPU type 'axGPU'; did you mean 'GPU'?; the cluster has GPU. For a
--what-if: '+1 node of 0xGPU': column 12: expected 1 to 64 GPUs a node, found '0xGPU'
--what-if: '+1 node of 65xGPU': column 12: expected 1 to 64 GPUs a node, found '65xGPU'
--what-if: '+1 node of GPU@0': column 12: expected [GPUSx]TYPE[@SPEED], a speed above 0, found 'GPU@0'
--what-if: '+1 node of GPU@x': column 12: expected [GPUSx]TYPE[@SPEED], a speed above 0, found 'GPU@x'
--what-if: '+1 node of GPU@1e9': column 12: expected [GPUSx]TYPE[@SPEED], a speed above 0, found 'GPU@1e9'
--what-if: '+1 node of @2': column 12: expected [GPUSx]TYPE[@SPEED], found '@2'
--what-if: '+1 node in': column 11: expected the name of a virtual cluster, found the end
--what-if: '+1 node in all in all': column 16: expected each of 'of', 'in', 'from' and 'until' once, found 'in
--what-if: '-1 node until day 2 for 3h': column 21: expected 'until' or 'for', not both, found 'for'
--what-if: '-1 node from day 3 until day 2': 'until' must be after 'from'
--what-if: '+0 nodes': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lo
--what-if: '+x nodes': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lo
--what-if: '+70000 nodes': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME',
--what-if: '': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lose rack 
--what-if: '': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lose rack 
--what-if: '*5%': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lose ra
--what-if: '-x%': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lose ra
--what-if: '-0%': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lose ra
--what-if: '-2000%': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lose
--what-if: '-%': column 1: expected +N or -N (1 to 65535 nodes), -P%, 'drain N nodes', 'drain NAME', 'lose rac
--what-if: 'lose': column 5: expected 'rack R', 'node NAME', 'N nodes' or P%, found the end
--what-if: 'lose node': column 10: expected the name of a node, found the end
--what-if: 'lose rack x': column 11: expected the number of a rack, found 'x'
--what-if: 'lose rack 4294967295': column 11: expected the number of a rack, found '4294967295'
--what-if: 'lose 0 nodes': column 6: expected 'rack R', 'node NAME', 'N nodes' or P%, found '0'
--what-if: 'lose 70000 nodes': column 6: expected 'rack R', 'node NAME', 'N nodes' or P%, found '70000'
--what-if: 'lose x y': column 6: expected 'rack R', 'node NAME', 'N nodes' or P%, found 'x'
--what-if: 'x0.0001 load': column 1: expected xF with F from 0.001 to 1000, found 'x0.0001'
--what-if: 'x2000 load': column 1: expected xF with F from 0.001 to 1000, found 'x2000'
--what-if: 'xx load': column 1: expected xF with F from 0.001 to 1000, found 'xx'
--what-if: 'x2 lod': column 4: expected 'load', found 'lod'; did you mean 'load'?
--what-if: '-nodes 99': column 8: no node '99'; the nodes have the numbers 0 to 7
$ for w in "drain	1	node" "drain 10%% node" "+10%%" "+10 %% nodes" "+1 node of 8xGPU"; do schedsim traces/samples/itp.csv -c 8x8 --jobs 20 --what-if "$(printf "$w")" | grep "what if"; done
note: what if: 1 drained nodes of 8 GPU in the cluster (--what-if)
note: what if: 1 drained nodes of 8 GPU in the cluster (--what-if)
note: what if: 1 more nodes of 8 GPU in the cluster (--what-if)
note: what if: 1 more nodes of 8 GPU in the cluster (--what-if)
note: what if: 1 more nodes of 8 GPU in the cluster (--what-if)
$ for w in "+1 node of V100@2" "+1 node of V100@1"; do schedsim traces/samples/native.csv --jobs 20 --cluster 2x8:V100@1 --what-if "$w" 2>&1 | grep what.if; done
schedsim: --what-if: '+1 node of V100@2': GPU type V100 has the speed 1 already
note: what if: 1 more nodes of 8 V100 in the cluster (--what-if)

# size: what is refused.
$ schedsim size traces/samples/venus.csv
schedsim: size: --target is missing, such as --target 'queue_delay.p95 < 10min'
[exit 2]
$ schedsim size traces/samples/venus.csv --target "queue_dely.p95 < 10min"
schedsim: --target: 'queue_dely.p95 < 10min': no metric 'queue_dely'; did you mean 'queue_delay'?
[exit 2]
$ schedsim size traces/samples/venus.csv --target "queue_delay.p98 < 10min"
schedsim: --target: 'queue_delay.p98 < 10min': no column 'p98': expected mean, p50, p90, p95, p99 or max
[exit 2]
$ schedsim size traces/samples/venus.csv --target "queue_delay.p95 < 10 minz"
schedsim: --target: 'queue_delay.p95 < 10 minz': '10 minz' is not a length of time, such as 600, 10min, 2h or 1.5d
[exit 2]
$ schedsim size traces/samples/venus.csv --target "queue_delay.p95 < 10min" --vary "nodes in vcEwJ"
schedsim: --vary: 'nodes in vcEwJ': the cluster has no such nodes; did you mean 'vcEwI'?
[exit 2]
$ schedsim size traces/samples/venus.csv --target "makespan < 10d" --vary vc
schedsim: --target: 'makespan < 10d': makespan_s is not known for a virtual cluster by itself, which --vary vc needs
[exit 2]
$ schedsim size traces/samples/venus.csv --target "queue_delay.p95 < 10min" --vary gpu-type
schedsim: --vary: 'gpu-type': gpu-type needs --prices FILE, which names the types that can be bought, their prices and speeds
[exit 2]
$ schedsim size traces/samples/native.csv --cluster 4x8:V100 --target "queue_delay.p95 < 10min" --vary gpu-type --prices docs/prices.example.json
schedsim: --vary: 'gpu-type': the cluster does not state the speed of V100; state it in --cluster, such as V100@1
[exit 2]
$ printf '{"currency": "EUR", "types": [{"name": "V100", "per_gpu_hours": 1}]}' > $OUT/prices.json; schedsim size traces/samples/venus.csv --target "queue_delay.p95 < 10min" --prices $OUT/prices.json 2>&1 | sed "s:$OUT:OUT:"
schedsim: OUT/prices.json:1:48: types[0]: no key 'per_gpu_hours'; did you mean 'per_gpu_hour'?

# Nodes that drain, nodes that are named, GPUs, and how long a change lasts.
$ for w in "drain 2 nodes from day 3 for 2 days" "drain 0,3 from day 3" "lose node 7 until day 2" "drain 25% from day 2" "-16 GPUs for 36h" "+8 GPUs" "x2 load from day 1 for 12h" "drain 1 node from now"; do schedsim traces/samples/itp.csv -c 8x8 -p fifo --what-if "$w" | grep "what if"; done
note: what if: 2 drained nodes of 8 GPU in the cluster, from day 3 until day 5
note: what if: 2 drained nodes in the cluster, from day 3 (--what-if)
note: what if: 1 fewer nodes in the cluster, until day 2 (--what-if)
note: what if: 2 drained nodes of 8 GPU in the cluster, from day 2 (--what-if)
note: what if: 2 fewer nodes of 8 GPU in the cluster, until day 1.5 (--what-if)
note: what if: 1 more nodes of 8 GPU in the cluster (--what-if)
note: what if: submissions come 2 times as fast for a time: the last one comes
note: what if: 1 drained nodes of 8 GPU in the cluster (--what-if)
$ schedsim traces/samples/itp.csv -c 8x8 --what-if "drain node 8"
schedsim: --what-if: 'drain node 8': column 12: no node '8'; the nodes have the numbers 0 to 7
[exit 2]
$ schedsim traces/samples/itp.csv -c 8x8 --what-if "drain node 1; -1 node; drain 7"
schedsim: --what-if: 'drain 7': column 7: node '7' is taken already
[exit 2]
$ schedsim traces/samples/itp.csv -c 8x8 --what-if "+1 rack"
schedsim: --what-if: '+1 rack': column 4: expected 'nodes' or 'GPUs', found 'rack'
[exit 2]
