# --what-if: what is refused names the column and the expected word; what is
# done stands below the table.
$ schedsim traces/samples/venus.csv --what-if "+3 nods in vcEwI"
schedsim: --what-if: '+3 nods in vcEwI': column 4: expected 'nodes', found 'nods'; did you mean 'nodes'?
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "3 nodes in vcEwI"
schedsim: --what-if: '3 nodes in vcEwI': column 1: expected +N or -N (1 to 65535 nodes), or xF (load), found '3'
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+3 nodes at vcEwI"
schedsim: --what-if: '+3 nodes at vcEwI': column 10: expected 'of', 'in', 'from' or 'until', found 'at'
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+3 nodes in vcEwI from tuesday"
schedsim: --what-if: '+3 nodes in vcEwI from tuesday': column 24: expected day D, hour H, a duration such as 36h or a date, not before the first submission, found 'tuesday'
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+3 nodes in vcEwJ"
schedsim: --what-if: '+3 nodes in vcEwJ': no virtual cluster 'vcEwJ'; did you mean 'vcEwI'?; the cluster has vcEwI, vcWoR, vcHvQ, vcvGl, vc8Gr, vcKeu, vcKrE, vcYVn, vchbv, vcLTP, vchA3, vcJsw, vcefl, vcvlY, vcgkz
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+3 nodes of 4xV100"
schedsim: --what-if: '+3 nodes of 4xV100': the cluster has 15 virtual clusters: say 'in NAME', one of vcEwI, vcWoR, vcHvQ, vcvGl, vc8Gr, vcKeu, vcKrE, vcYVn, vchbv, vcLTP, vchA3, vcJsw, vcefl, vcvlY, vcgkz
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "-2 nodes in vcgkz"
schedsim: --what-if: '-2 nodes in vcgkz': 1 such node is there that no other clause takes
[exit 2]
$ schedsim traces/samples/native.csv --cluster 2x8+2x4:T4@1 --what-if "+1 node"
schedsim: --what-if: '+1 node': there are nodes of several GPU types: say 'of TYPE', one of GPU, T4
[exit 2]
$ schedsim traces/samples/native.csv --cluster 2x8+2x4 --what-if "+1 node"
schedsim: --what-if: '+1 node': nodes of type GPU have 8, 4 GPUs: say which, such as 'of 8xGPU'
[exit 2]
$ schedsim traces/samples/native.csv --cluster 2x8:V100 --what-if "+1 node of H100"
schedsim: --what-if: '+1 node of H100': no GPU type 'H100'; did you mean 'V100'?; the cluster has V100. Say the GPUs of a node of a new type, such as 'of 8xH100'
[exit 2]
$ schedsim traces/samples/native.csv --cluster 2x8:V100 --what-if "+1 node of V100@2"
schedsim: --what-if: '+1 node of V100@2': the cluster has GPU type V100 and states no speed for it; leave out '@2' or say it in --cluster
[exit 2]
$ schedsim traces/samples/native.csv --what-if "x1.5 load in all"
schedsim: --what-if: 'x1.5 load in all': column 11: expected 'from' or 'until', found 'in'
[exit 2]
$ schedsim traces/samples/venus.csv --what-if "+2 nodes in vcEwI from day 2" --what-if "x1.2 load" | grep "what if"
note: what if: 2 more nodes of 8 V100 in vcEwI, from day 2 (--what-if)
note: what if: submissions come 1.2 times as fast: the last one comes on day 5.132 instead of 6.159 (--what-if)
