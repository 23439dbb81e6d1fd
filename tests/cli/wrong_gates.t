# What is said of each mistake in a gate file.
$ mkdir $OUT/wrong; cd $OUT/wrong; echo '{"schedsim_gate":1,"metrics":[{"metric":"jct_s","tolerance":"1%"}],"settings":{"cluster":"8x8"},"policies":["fifo",{"policy":"srtf"}],"traces":[{"trace":"t.csv","name":"t"}],"inputs":[{"trace":"t","sha256":"0"}],"expected":[{"trace":"t","policy":"fifo","jct_s":1}],"updates":[{"update":1,"reason":"r"}]}' >gate.json; python3 -B "$OLDPWD/tests/cli/wrong.py" gate.json 'schedsim gate wrong.json' '=[]' '={}' schedsim_gate=2 settings=3 settings.cluster=null settings.cluster='["8x8"]' settings.trace='"t.csv"' settings.policy='"sjf"' settings.clutser='"x"' settings.seed=1.5 settings.seed=-1 policies={} policies=[] policies=@1001 policies.0=7 policies.0='""' policies.0='"fif"' policies.1='{"police":"fifo"}' policies.1='{"policy":7}' policies.1='{"policy":"fif"}' policies.1='{"policy":"fifo"}' policies.1.settings=1 policies.1.name='""' metrics=1 metrics=[] metrics=@99 metrics.0=1 metrics.0.metric metrics.0.metric='"jct"' metrics.0.tolerance metrics.0.tolerance='"1"' metrics.0.tolerance=-1 metrics.0.tolerance='"-1%"' metrics.0.tolerance='null' metrics.0.tolerance='"interval"' metrics.0='{"metric":"utilisation","tolerance":-1}' metrics.0='{"metric":"allocation"}' metrics.0.better=1 metrics.0.better='"more"' metrics.1='{"metric":"jct_s","tolerance":1}' replications=-1 replications=1.5 replications=100000
=[]
  wrong.json:1:1: is not a gate file: expected an object with "schedsim_gate": 1
={}
  wrong.json:1:1: is not a gate file: expected an object with "schedsim_gate": 1
schedsim_gate=2
  wrong.json:1:19: schedsim_gate: expected 1
settings=3
  wrong.json:1:87: settings: expected an object {...}
settings.cluster=null
  wrong.json:1:99: settings.cluster: expected a text or a number, as it would be typed after --cluster
settings.cluster=["8x8"]
  wrong.json:1:99: settings.cluster: expected a text or a number, as it would be typed after --cluster
settings.trace="t.csv"
  wrong.json:1:115: settings.trace: stands in "traces", not in the settings
settings.policy="sjf"
  wrong.json:1:116: settings.policy: stands in "policies", not in the settings
settings.clutser="x"
  wrong.json:1:117: settings.clutser: no option 'clutser'; did you mean 'cluster'?
settings.seed=1.5
  wrong.json:1:114: settings.seed: --seed: '1.5' is not a whole number
settings.seed=-1
  wrong.json:1:114: settings.seed: --seed: '-1' is not a whole number
policies={}
  wrong.json:1:119: policies: expected an array [...]
policies=[]
  wrong.json:1:119: policies: expected 1 to 1000 policies
policies=@1001
  wrong.json:1:119: policies: expected 1 to 1000 policies
policies.0=7
  wrong.json:1:120: policies[0]: expected a policy, as it would be typed after --policy, or an object {"policy": ...}
policies.0=""
  wrong.json:1:120: policies[0]: expected a policy, as it would be typed after --policy, or an object {"policy": ...}
policies.0="fif"
  wrong.json:1:120: policies[0]: no policy 'fif'; did you mean 'fifo'?
policies.1={"police":"fifo"}
  wrong.json:1:139: policies[1]: no key 'police'; did you mean 'policy'?
policies.1={"policy":7}
  wrong.json:1:139: policies[1].policy: expected a text that is not empty
policies.1={"policy":"fif"}
  wrong.json:1:139: policies[1].policy: no policy 'fif'; did you mean 'fifo'?
policies.1={"policy":"fifo"}
  wrong.json:1:128: policies: 'fifo' is there twice; give one of them a "name"
policies.1.settings=1
  wrong.json:1:159: policies[1].settings: expected an object {...}
policies.1.name=""
  wrong.json:1:155: policies[1].name: expected a text that is not empty
metrics=1
  wrong.json:1:33: metrics: expected an array [...]
metrics=[]
  wrong.json:1:33: metrics: expected 1 to 32 metrics
metrics=@99
  wrong.json:1:33: metrics: expected 1 to 32 metrics
metrics.0=1
  wrong.json:1:34: metrics[0]: expected an object {...}
metrics.0.metric
  wrong.json:1:34: metrics[0]: "metric" is missing
metrics.0.metric="jct"
  wrong.json:1:45: metrics[0].metric: no metric 'jct'; 'schedsim list columns' names them
metrics.0.tolerance
  wrong.json:1:34: metrics[0]: "tolerance" is missing: a percentage such as "2%", a number in s, or "interval"
metrics.0.tolerance="1"
  wrong.json:1:67: metrics[0].tolerance: expected a percentage such as "2%", a number in s of at least 0, or "interval"
metrics.0.tolerance=-1
  wrong.json:1:67: metrics[0].tolerance: expected a percentage such as "2%", a number in s of at least 0, or "interval"
metrics.0.tolerance="-1%"
  wrong.json:1:67: metrics[0].tolerance: expected a percentage such as "2%", a number in s of at least 0, or "interval"
metrics.0.tolerance=null
  wrong.json:1:67: metrics[0].tolerance: expected a percentage such as "2%", a number in s of at least 0, or "interval"
metrics.0.tolerance="interval"
  wrong.json:1:166: traces[0]: the tolerance "interval" of jct_s.mean needs "replications" of at least 2
metrics.0={"metric":"utilisation","tolerance":-1}
  wrong.json:1:73: metrics[0].tolerance: expected a percentage such as "2%", a number of at least 0, or "interval"
metrics.0={"metric":"allocation"}
  wrong.json:1:34: metrics[0]: "tolerance" is missing: a percentage such as "2%", a number, or "interval"
metrics.0.better=1
  wrong.json:1:83: metrics[0].better: expected "lower", "higher" or "either"
metrics.0.better="more"
  wrong.json:1:83: metrics[0].better: expected "lower", "higher" or "either"
metrics.1={"metric":"jct_s","tolerance":1}
  wrong.json:1:74: metrics[1]: jct_s.mean is there twice
replications=-1
  wrong.json:1:356: replications: expected a whole number from 0 to 1000
replications=1.5
  wrong.json:1:356: replications: expected a whole number from 0 to 1000
replications=100000
  wrong.json:1:356: replications: expected a whole number from 0 to 1000
$ cd $OUT/wrong; python3 -B "$OLDPWD/tests/cli/wrong.py" gate.json 'schedsim gate wrong.json' traces traces=[] traces=1 traces.0=7 traces.0.trace traces.0.trace='"-"' traces.0.trace=5 traces.0.name=5 traces.0.settings=5 traces.0.policies=5 traces.0.metrics=5 traces.0.replications=-5 traces.0.polices=5 traces=@2 metrics policies expected=1 expected=@10002 expected.0=1 expected.0.trace expected.0.policy expected.0.seeds=1 expected.0.seeds=[] expected.0.seeds='["a"]' expected.0.jct_s='"x"' expected.0.jct_s='[1]' expected.0.jct_s='[1,null,"x"]' expected=@2 expected.0='{"trace":"t","policy":"fifo","seeds":[1],"jct_s":[1,2]}' inputs=1 inputs=@10002 inputs.0=1 inputs.0='{}' inputs.0.trace=1 inputs.0.sha256=1 inputs.0.cluster=1 inputs.0.jobs=-2 inputs=@2 inputs.0.x=1 updates=1 updates.0=1 updates.0.update updates.0.update=0 updates.0.reason updates.0.zzzzzzz=1 unknown=3
traces
  wrong.json:1:1: "traces" is missing or empty
traces=[]
  wrong.json:1:1: "traces" is missing or empty
traces=1
  wrong.json:1:159: traces: expected an array [...]
traces.0=7
  wrong.json:1:160: traces[0]: expected an object {...}
traces.0.trace
  wrong.json:1:160: traces[0]: "trace" is missing
traces.0.trace="-"
  wrong.json:1:160: traces[0]: expected a file: standard input can be read only once
traces.0.trace=5
  wrong.json:1:170: traces[0].trace: expected a text that is not empty
traces.0.name=5
  wrong.json:1:187: traces[0].name: expected a text that is not empty
traces.0.settings=5
  wrong.json:1:204: traces[0].settings: expected an object {...}
traces.0.policies=5
  wrong.json:1:204: traces[0].policies: expected an array [...]
traces.0.metrics=5
  wrong.json:1:203: traces[0].metrics: expected an array [...]
traces.0.replications=-5
  wrong.json:1:208: traces[0].replications: expected a whole number from 0 to 1000
traces.0.polices=5
  wrong.json:1:203: traces[0]: no key 'polices'; did you mean 'policies'?
traces=@2
  wrong.json:1:193: traces[1]: 't' is there twice; give one of them a "name"
metrics
  wrong.json:1:107: traces[0]: has no "metrics", nor has the file
policies
  wrong.json:1:118: traces[0]: has no "policies", nor has the file
expected=1
  wrong.json:1:249: expected: expected an array [...]
expected=@10002
  wrong.json:1:1: more than 10000 expected rows
expected.0=1
  wrong.json:1:250: expected[0]: expected an object {...}
expected.0.trace
  wrong.json:1:250: expected[0]: "trace" is missing
expected.0.policy
  wrong.json:1:250: expected[0]: "policy" is missing
expected.0.seeds=1
  wrong.json:1:304: expected[0].seeds: expected an array [...]
expected.0.seeds=[]
  wrong.json:1:304: expected[0].seeds: expected a list that is not empty
expected.0.seeds=["a"]
  wrong.json:1:305: expected[0].seeds[0]: expected rising whole numbers from 1
expected.0.jct_s="x"
  wrong.json:1:292: expected[0].jct_s: expected a number, null, or [mean, low, high] of replications
expected.0.jct_s=[1]
  wrong.json:1:292: expected[0].jct_s: expected a number, null, or [mean, low, high] of replications
expected.0.jct_s=[1,null,"x"]
  wrong.json:1:292: expected[0].jct_s: expected a number, null, or [mean, low, high] of replications
expected=@2
  wrong.json:1:296: expected[1]: 'fifo' on 't' is expected twice
expected.0={"trace":"t","policy":"fifo","seeds":[1],"jct_s":[1,2]}
  wrong.json:1:306: expected[0].jct_s: expected a number, null, or a list of 1 values, one for each of "seeds"
inputs=1
  wrong.json:1:204: inputs: expected an array [...]
inputs=@10002
  wrong.json:1:1: more than 10000 inputs
inputs.0=1
  wrong.json:1:205: inputs[0]: expected an object {...}
inputs.0={}
  wrong.json:1:205: inputs[0]: "file" is missing
inputs.0.trace=1
  wrong.json:1:215: inputs[0].trace: expected a text that is not empty
inputs.0.sha256=1
  wrong.json:1:230: inputs[0].sha256: expected a text that is not empty
inputs.0.cluster=1
  wrong.json:1:246: inputs[0].cluster: expected a text that is not empty
inputs.0.jobs=-2
  wrong.json:1:243: inputs[0].jobs: expected a whole number from -1 to 9223372036854775807
inputs=@2
  wrong.json:1:236: inputs[1]: 't' is there twice
inputs.0.x=1
  wrong.json:1:240: inputs[0]: no key 'x'; there are trace, file, sha256, jobs, cluster
updates=1
  wrong.json:1:308: updates: expected an array [...]
updates.0=1
  wrong.json:1:309: updates[0]: expected an object {...}
updates.0.update
  wrong.json:1:309: updates[0]: "update" is missing
updates.0.update=0
  wrong.json:1:320: updates[0].update: expected a whole number from 1 to 2147483647
updates.0.reason
  wrong.json:1:309: updates[0]: "reason" is missing
updates.0.zzzzzzz=1
  wrong.json:1:349: updates[0]: no key 'zzzzzzz'; there are update, reason, program, date
unknown=3
  wrong.json:1:351: no key 'unknown'; there are schedsim_gate, comment, metrics, settings, policies, replications, traces, inputs, expected, updates, $schema, $comment
# Options of the command.
$ cd $OUT/wrong; for words in 'gate.json -p fifo' 'gate.json --replications 3' 'gate.json --metric jct_s' 'gate.json -c 1x8' 'gate.json --reason x' 'gate.json --date 2026-01-01' 'gate.json --update --reason x --tolerance 1' 'gate.json --update --reason x --date tomorrow' 'gate.json --update --reason x --init t.csv' '-' 'gate.json --only none' 'gate.json --except fif' 'nowhere.json' 'nowhere/g.json --init t.csv' 'new.json --init t.csv --metric jct' 'new.json --init none.csv' 'new.json --init - ' 'gate.json --json --junit -' '/ --all'; do schedsim gate $words; done; schedsim gate gate.json --update --reason ' '
schedsim: --policy: is only for --init; without it the gate file says what is run
schedsim: --replications: is only for --init; without it the gate file says what is run
schedsim: --metric: is only for --init; without it the gate file says what is run
schedsim: --cluster: is only for --init; without it the gate file says what is run
schedsim: --reason: is only for --update
schedsim: --date: is only for --update
schedsim: --update writes every value that differs, whatever the --tolerance
schedsim: --date: 'tomorrow' is not a date such as 2026-11-22
schedsim: --init makes a new file, --update changes one
schedsim: gate: expected the name of a gate file; '-' (standard output) is only for --init
schedsim: --only: 'none' matches no trace and no policy of gate.json
schedsim: --except: 'fif' matches no trace and no policy of gate.json; did you mean 'fifo'?
schedsim: nowhere.json: cannot be opened: No such file or directory
schedsim: nowhere/g.json: its directory does not exist
schedsim: --metric: no metric 'jct'; 'schedsim list columns' names them
schedsim: the file is left as it is: new.json: 1 of 1 runs failed; none.csv, fifo: none.csv:1:1: file: cannot open: No such file or directory
schedsim: new.json:10:5: traces[0]: expected a file: standard input can be read only once
{"error": {"exit_status": 2, "meaning": "usage: an unknown option, policy or value", "message": "only one of the gate file, --markdown and --junit can go to standard output"}}
schedsim: /: Is a directory
schedsim: --update: say with --reason WORDS why the values may change; the file keeps the words
[exit 2]
$ cd $OUT/wrong; echo '{' >broken.json; schedsim gate broken.json
schedsim: broken.json:2:0: is not JSON: string or '}' expected near end of file
[exit 3]
$ cd $OUT/wrong; printf 'job_id,submitted_unix_s,duration_s,gpus\na,0,1000,1\nb,1000,500,2\n' >t.csv; mkdir below beside; cp t.csv below; echo '{"nodes":[{"gpus":8}]}' >beside/c.json; schedsim gate beside/g.json --init t.csv --init ./below/t.csv -c beside/c.json -p fifo --estimators oracle; grep -E 'trace"|settings' beside/g.json | sed -n 1,3p; schedsim gate beside/g.json --quiet; echo $?
beside/g.json: 2 runs of 3 metrics; 'schedsim gate beside/g.json' checks them
  "settings": {"cluster": "c.json", "estimators": "oracle"},
    {"trace": "../t.csv"},
    {"trace": "./../below/t.csv"}
2 runs; values: 6 equal
0
$ cd $OUT/wrong/beside; schedsim gate ../g2.json --init ../t.csv -c c.json -p fifo --metric jct_s --date 2026-01-02; grep settings ../g2.json; schedsim gate ../g2.json --json | sed -n 1,3p
../g2.json: 1 run of 1 metric; 'schedsim gate ../g2.json' checks them
  "settings": {"cluster": "beside/c.json"},
{
  "passes": true,
  "runs": 1,
