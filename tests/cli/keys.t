# Options that few need are keys of one option; a comma begins the next key, or
# belongs to a value. The former spelling works for one release, with a note.
$ for how in "--set jitter=0,duration-noise=0,order=draw" "--set jitter=0 --set order=draw --set duration-noise=0" "--jitter 0 --order draw --duration-noise 0"; do schedsim trace resample traces/samples/venus.csv $how -q | md5sum; done
e375bd50026b39c5a1477624423d2eb2  -
e375bd50026b39c5a1477624423d2eb2  -
e375bd50026b39c5a1477624423d2eb2  -
note: trace resample: --jitter is called --set jitter= now; the old name will be removed in the next release
note: trace resample: --order is called --set order= now; the old name will be removed in the next release
note: trace resample: --duration-noise is called --set duration-noise= now; the old name will be removed in the next release
$ schedsim trace resample traces/samples/venus.csv --set jiter=0
schedsim: --set: no key 'jiter'; did you mean 'jitter'?
[exit 2]
$ schedsim trace resample traces/samples/venus.csv --set jitter
schedsim: --set: jitter lacks its value
[exit 2]
$ schedsim trace resample traces/samples/venus.csv --set joint=yes
schedsim: --set: joint=yes takes no value
[exit 2]
$ schedsim trace resample traces/samples/venus.csv --set colour=red
schedsim: --set: no key 'colour'; 'schedsim trace resample --help-all' has them
[exit 2]
$ schedsim run traces/samples/venus.csv --jobs 50 -q --out $OUT/cut --timeline=from=1h,vc=vcYVn,to=2d; ls $OUT/cut/timeline.json | sed "s#$OUT#OUT#"; grep -A3 '"timeline"' $OUT/cut/manifest.json
OUT/cut/timeline.json
    "timeline": {
      "from": "1h",
      "to": "2d",
      "vcs": [
$ schedsim run traces/samples/venus.csv --jobs 50 -q --out $OUT/cut --timeline-from 1h --timeline-gzip; ls $OUT/cut/timeline* | sed "s#$OUT#OUT#"
OUT/cut/timeline.json.gz
note: run: --timeline-from is called --timeline=from= now; the old name will be removed in the next release
note: run: --timeline-gzip is called --timeline=gzip now; the old name will be removed in the next release
# A key that is no row of the command is a setting of `list logs`.
$ schedsim mate track tests/logs/key_error.log --set lines=5,walk=100 --set lines=0
schedsim: --set lines: is given twice: '5' and '0'
[exit 2]
$ schedsim mate track tests/logs/key_error.log --lines 0
note: mate track: --lines is called --set lines= now; the old name will be removed in the next release
schedsim: mate track: lines: '0' is not a whole number from 1 to 200
[exit 2]
# The keys stand in --help-all and in `list commands`.
$ schedsim trace generate --help-all | grep -e '--set'
      --set=KEY=VALUE        more about the jobs, such as limits,family=sia
  --set early-exits=SHARE    with --set repositories, share of the completed
  --set family=FAMILY        family of model names: lucid (default), sia, muri
                             or tiresias; with --set repositories: schedmate or
  --set limits               jobs declare a limit of their duration (assumed:
  --set repositories=DIR     jobs run the training repositories of this folder,
$ schedsim list commands | jq -c '.commands[] | select(.name == "run").options[] | select(.name == "timeline" or .name == "series") | [.name, .value, (.keys | map(.name))]'
["timeline",null,["from","to","vc","gzip"]]
["series","KEY=VALUE",["interval","by"]]
