# Four jobs at once ask the language model, which one GPU of the cluster serves:
# 7.5 s each, one after the other. The job of 4 GPUs can then never start.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,user\n0,60,1,a,u\n0,60,1,b,v\n0,60,1,c,w\n0,60,4,d,x\n' > $OUT/four.csv; schedsim $OUT/four.csv --cluster 1x4 --policy fjf+advisor --schedmate fidelity=oracle,latency_s=7.5,llm_gpus=1 --out $OUT/four 2>/dev/null | sed -n '/^note/,/^$/{/./p};/^GPU time/,/^note/{/^note/!p}'; cut -d, -f1-9 $OUT/four/advice.csv; schedsim verify $OUT/four | sed 's/^.*: //'
note: 1 of 4 jobs rejected: each asks for more GPUs than its virtual cluster
  has; the first is d (4 GPUs)
GPU time: held = useful 100.0 % + lost 0.0 % + overhead 0.0 % + slowed 0.0 %;
  cluster = busy 75.0 % + idle 0.0 % + down 0.0 % + language model 25.0 %
advice: 3 questions (advisor 3, tracker 0, handler 0); jobs: nothing 100.0 %,
  answered after 15.0 s on average
language model: 1 GPU of the cluster, busy 0.0 GPU h (37.5 %), tokens: 18000
  read, 180 written
note: language model: served by 1 of 4 GPUs for jobs; 3 are left for jobs
  (--schedmate llm_gpus)
job_id,asked_s,begun_s,answered_s,server,module,basis,k,tokens_in
a,0,0,7.5,0,advisor,nothing,0,6000
b,0,7.5,15,0,advisor,nothing,0,6000
c,0,15,22.5,0,advisor,nothing,0,6000
all checks passed
# What a server counted is not nothing; what it did not is as the options say.
$ cd $OUT; cp four/advice.csv advice.csv; for tokens in 0,0,1 1,0,1 0,1,1 6000,60,0 5999,60,0 6000,61,0; do sed "s/^\(a,.*\),6000,60,0$/\1,$tokens/" advice.csv > four/advice.csv; echo "$tokens $(schedsim verify four 2>&1 | grep -c 'tokens: are')"; done; mv advice.csv four/advice.csv
0,0,1 1
1,0,1 0
0,1,1 0
6000,60,0 0
5999,60,0 1
6000,61,0 1
$ schedsim explain $OUT/four --job b | head -3
job b: 1 GPU in all (3 GPUs), runs 60.0 s, unknown
0 s (day 0.00)  submitted
0 s (day 0.00)  the advisor asks the language model: answer after 15.0 s (7.50 s in the queue), nothing was found
$ schedsim explain $OUT/four --job c --json | tr -d ' \n' | grep -o '{"event":"asks"[^}]*}'
{"event":"asks","from_s":0,"to_s":22.5,"module":"advisor","begun_s":15,"server":0,"basis":"nothing","k":0}
$ schedsim traces/samples/native.csv --cluster 1x4 --policy fifo+advisor --schedmate llm_gpus=4
schedsim: --schedmate llm_gpus: cluster 1x4 can spare 3 GPUs, not 4, because each virtual cluster keeps one of each GPU type for jobs
[exit 2]
$ cd $OUT && schedsim four.csv --cluster 1x4 --policy fjf+advisor --schedmate fidelity=oracle,latency_s=7.5,servers=2 --timeline --quiet --out timeline; python3 "$OLDPWD/tests/cli/show_timeline.py" timeline/timeline.json
0+7.5 language model, server 0: advisor: a waited=0 basis=nothing k=0 tokens_in=6000 tokens_out=60
0+7.5 language model, server 1: advisor: b waited=0 basis=nothing k=0 tokens_in=6000 tokens_out=60
7.5+7.5 language model, server 0: advisor: c waited=7.5 basis=nothing k=0 tokens_in=6000 tokens_out=60
7.5+7.5 language model, server 1: advisor: d waited=7.5 basis=nothing k=0 tokens_in=6000 tokens_out=60
$ schedsim traces/samples/native.csv --policy fifo+advisor --estimators advisor,history,advisor
schedsim: --estimators: the chain has the layer advisor twice
[exit 2]
# Error laws from a file of measured quality: a setting of the user beats it, and
# the manifest names the measurement as the source.
$ schedsim traces/samples/native.csv --policy fifo+handler --schedmate measured=bench/recordings/quality.json,recall=0.5 --quiet --out $OUT/measured; grep -o '"\(recall\|precision\|tracker_tokens\)": "[^"]*"' $OUT/measured/manifest.json; grep -c 'measured on [0-9]* cases (large-language-model)' $OUT/measured/manifest.json; sha256sum bench/recordings/quality.json | cut -c1-64 | grep -c -f - $OUT/measured/manifest.json
"tracker_tokens": "1125"
"recall": "0.5"
"precision": "1"
"recall": "0.500"
"precision": "1.000"
7
3
$ cd $OUT; for j in '"recal": {"value": 0.5, "cases": 3}' '"recall": {"value": "0.5", "cases": 3}' '"recall": {"value": 1.5, "cases": 3}' '"recall": 0.5'; do printf '{"model": "m", "settings": {%s}, "answers": {}}\n' "$j" > bad.json; schedsim four.csv --cluster 1x4 --policy fifo+handler --schedmate measured=bad.json; done
schedsim: bad.json:1:29: settings: no key 'recal'; did you mean 'recall'?
schedsim: bad.json:1:29: recall: expected {"value": NUMBER from 0, "cases": NUMBER from 1}
schedsim: bad.json: recall: '1.5' is not a number from -1 to 1
schedsim: bad.json:1:29: recall: expected {"value": NUMBER from 0, "cases": NUMBER from 1}
[exit 3]
$ cd $OUT; printf '{"model": "m", "settings": {}, "answers": {"failures": {"right": 1, "wrong": -1, "silent": 0}}}\n' > bad.json; schedsim four.csv --cluster 1x4 --policy fifo+handler --schedmate measured=bad.json
schedsim: bad.json:1:44: failures: expected {"right": N, "wrong": N, "silent": N}
[exit 3]
$ schedsim traces/samples/native.csv --policy fifo+handler --schedmate measured=bench/recordings/quality.json,fidelity=oracle
schedsim: schedmate: measured has an effect only with fidelity=calibrated, and fidelity is oracle
[exit 2]
