# A configuration of a run: what a file may say, and what is said of mistakes.
$ mkdir $OUT/configured; cd $OUT/configured; printf 'job_id,submitted_unix_s,duration_s,gpus\na,0,1000,6\nb,10,500,8\n' >p.csv; schedsim run p.csv -c 1x8 -p fifo --seed 3 --dump-config >c.json; cat c.json; schedsim run --config c.json | head -1; python3 -B "$OLDPWD/tests/cli/wrong.py" c.json 'schedsim run --config wrong.json -q' '=[]' '={}' '=3' schedsim=3 policy=3 policy=null policy='["fifo"]' policy='["fifo","sjf"]' policy='[]' policy='[3]' policy='"fif"' seed='"x"' seed=1.5 seed=-1 seed='[1]' seed='{}' seed=true trace trace=null trace=3 cluster='{"nodes":[{"gpus":8}]}' polcy='"fifo"' zzzzzzzz=1 threads=2 jobs=null
{
  "trace": "p.csv",
  "policy": "fifo",
  "placer": "consolidate:fit=best,remainder=best,one_rack=false",
  "cluster": "1x8",
  "profilers": null,
  "what_if": null,
  "state": null,
  "format": "native",
  "estimators": null,
  "train": null,
  "evidence": null,
  "evidence_root": null,
  "overhead": "fixed:stop_1_s=7,stop_8_s=30,stop_more_s=60,start_s=0,stop_loses=false,interval=fixed,checkpoint_s=1800,write_s=0,restart_s=0,free_moves=false,profile_keeps_work=true",
  "interference": null,
  "belief": null,
  "monitor": null,
  "workloads": "trace",
  "throughput": "rigid:placement=false",
  "time_law": "exact:lag_s=0",
  "forecast": null,
  "chains": null,
  "faults": null,
  "recovery": "none",
  "conventions": "sound",
  "engine": "horizon_s=0,share_limit=1,spares=0,swap_s=300,outage_place=back,stall_changes=1000000,faults_max=5000000",
  "schedmate": null,
  "quota": null,
  "llm": null,
  "llm_recording": null,
  "llm_recording_mode": null,
  "from": null,
  "to": null,
  "vc": null,
  "jobs": null,
  "job_classes": null,
  "wait_over": null,
  "by": null,
  "warmup": null,
  "cooldown": null,
  "seed": "3",
  "series_interval_s": 600
}
fifo on 1x8: 2 jobs, all done
=[]
  wrong.json: expected an object
={}
  run: a trace is missing; see --help [exit 2]
=3
  wrong.json:1:1: '[' or '{' expected near '3'
schedsim=3
  wrong.json:1:1081: no key 'schedsim'
policy=3
  no policy '3'; 'schedsim list' names them [exit 2]
policy=null
   [exit 0]
policy=["fifo"]
  wrong.json: policy: expected text or a whole number
policy=["fifo","sjf"]
  wrong.json: policy: expected text or a whole number
policy=[]
  wrong.json: policy: expected text or a whole number
policy=[3]
  wrong.json: policy: expected text or a whole number
policy="fif"
  no policy 'fif'; did you mean 'fifo'? [exit 2]
seed="x"
  wrong.json: --seed: 'x' is not a whole number
seed=1.5
  wrong.json: seed: expected text or a whole number
seed=-1
  wrong.json: --seed: '-1' is not a whole number
seed=[1]
  wrong.json: seed: expected text or a whole number
seed={}
  wrong.json: seed: expected text or a whole number
seed=true
  wrong.json: seed: expected text or a whole number
trace
  run: a trace is missing; see --help [exit 2]
trace=null
  run: a trace is missing; see --help [exit 2]
trace=3
  3:1:1: file: cannot open: No such file or directory
cluster={"nodes":[{"gpus":8}]}
  wrong.json: cluster: expected text or a whole number
polcy="fifo"
  wrong.json:1:1081: no key 'polcy'; did you mean 'policy'?
zzzzzzzz=1
  wrong.json:1:1081: no key 'zzzzzzzz'
threads=2
  wrong.json:1:1081: no key 'threads'
jobs=null
   [exit 0]
$ cd $OUT/configured; schedsim run p.csv -c 1x8 -p fifo --series interval=60 --dump-config | grep -A4 series; schedsim run p.csv -c 1x8 -p fifo --series interval=1m --dump-config | grep -A4 series; for words in '--config none.json' '--config p.csv' '--config ./'; do schedsim run $words; done
  "series_interval_s": 60
}
schedsim: --series-interval: '1m' is not a time, such as 90, 10min, 2h or 1d above 0
schedsim: none.json: cannot be opened: No such file or directory
schedsim: p.csv:1:3: '[' or '{' expected near 'job'
schedsim: ./: cannot be opened: Is a directory
[exit 3]
$ cd $OUT/configured; schedsim run p.csv -c 1x8 -p fifo -q -o done; schedsim verify --again done; schedsim verify --again done --json | jq -c keys; schedsim verify done --json | jq -c keys; for words in '--again none' '--again p.csv' '--again done --out done' 'done --out x' 'done --trust' 'none' '--again done none'; do schedsim verify $words; done
done: run again, every file has the same bytes
["file","line","result","same"]
["told","violations"]
schedsim: none/manifest.json: cannot be opened: No such file or directory
schedsim: p.csv/manifest.json: cannot be opened: Not a directory
schedsim: --out: done would be replaced; name another directory
schedsim: verify: --out needs --again
schedsim: verify: --trust needs --again
schedsim: unable to open none/manifest.json: No such file or directory
schedsim: verify: give one result directory only: 'done' and 'none'
[exit 2]
$ cd $OUT/configured; python3 -B "$OLDPWD/tests/cli/wrong.py" done/manifest.json 'mkdir -p ../again; cp *.* ../again; cp wrong.json ../again/manifest.json; schedsim verify --again ../again' '=[]' '={}' provenance provenance=3 schema_version schema_version=99 schema_version='"1"' provenance.options=3 provenance.options provenance.directory=3
=[]
  ../again/manifest.json: does not say how its run was made: an older version wrote it, or it has been changed
={}
  ../again/manifest.json: does not say how its run was made: an older version wrote it, or it has been changed
provenance
  ../again/manifest.json: does not say how its run was made: an older version wrote it, or it has been changed
provenance=3
  ../again/manifest.json: does not say how its run was made: an older version wrote it, or it has been changed
schema_version
  ../again/manifest.json: does not say how its run was made: an older version wrote it, or it has been changed
schema_version=99
  ../again/manifest.json: has schema_version 99; this program reads 1
schema_version="1"
  ../again/manifest.json: does not say how its run was made: an older version wrote it, or it has been changed
provenance.options=3
  ../again/manifest.json: does not say which options its run had (no "provenance"): an older version wrote it, or it has been changed
provenance.options
  ../again/manifest.json: does not say which options its run had (no "provenance"): an older version wrote it, or it has been changed
provenance.directory=3
  ../again/manifest.json: cannot be run again, trace: ./p.csv: No such file or directory
