# What the program says about itself; an option means one thing everywhere.
$ schedsim help >"$OUT/help"; schedsim --help | diff "$OUT/help" - && tail -1 "$OUT/help"
the version.
$ schedsim --version
schedsim 0.3.0
$ schedsim help trace info
Usage: schedsim trace info [OPTION...] TRACE
Describes a trace: its jobs, sizes, run times and load. '-' is standard input.

  -f, --format=SPEC          format of TRACE; default: recognised by content
  -j, --json                 print JSON
      --color=WHEN           colours: auto (on a terminal, unless $NO_COLOR is
                             set; default), always or never

Examples:
  schedsim trace info traces/samples/philly.json

Exit status:
  0  done
  1  run-time error, such as a full disk
  2  usage: an unknown option, policy or value
  3  bad input: the message names file, line and column
$ schedsim compare --help-all | grep -A20 '^Exit'
Exit status:
  0  done
  1  run-time error, such as a full disk
  2  usage: an unknown option, policy or value
  3  bad input: the message names file, line and column
  4  finished but incomplete: some job can never start, or the horizon came
  5  an invariant, a plan's rule or `verify` failed
  6  a comparison lies outside its tolerance
$ schedsim compare --help-all | sed -n 's/^  \([0-9]\)  \(.*\)/| \1 | \2 |/p' | while read -r row; do grep -qxF "$row" docs/recipes.md || echo "recipes.md lacks $row"; done
$ schedsim run --help-all | grep '^ [A-Z].*:$'
 Which jobs:
 Which policy schedules them, on which cluster:
 What the policy can know in advance:
 How the jobs really run:
 This command:
$ schedsim help runn
schedsim: no command 'runn'; did you mean 'run'?
[exit 2]
$ schedsim help trace inf
schedsim: trace: no command 'inf'; did you mean 'info'?
[exit 2]
$ schedsim runn traces/samples/venus.csv
schedsim: 'runn' is not a file, and there is no command 'runn'; did you mean 'run'?
[exit 2]
$ schedsim no/such.csv
schedsim: no/such.csv:1:1: file: cannot open: No such file or directory
[exit 3]
$ schedsim traces/samples/venus.csv --cluster 1x8 --cluster 2x8
schedsim: --cluster: is given twice: '1x8' and '2x8'
[exit 2]
$ schedsim traces/samples/venus.csv --placer consolidate:foo=3
schedsim: placer consolidate: no option 'foo'; it has fit, remainder, one_rack
[exit 2]
$ schedsim traces/samples/venus.csv --policy nosuch --json
{"error": {"exit_status": 2, "meaning": "usage: an unknown option, policy or value", "message": "no policy 'nosuch'; 'schedsim list' names them"}}
[exit 2]
# one meaning per name and letter
$ python3 tests/cli/one_meaning.py | sed "s/[0-9][0-9]* options/N options/"
N options
# old names
$ schedsim trace convert traces/samples/native.csv "$OUT/x.swf" --from native --to=swf --lossy
note: trace convert: --from is called --format now; the old name will be removed in the next release
note: trace convert: --to is called --as now; the old name will be removed in the next release
$ schedsim trace info "$OUT/x.swf" --from swf | head -1
format       swf
note: trace info: --from is called --format now; the old name will be removed in the next release
$ SCHEDSIM_LLM_CACHE="$OUT/none" schedsim mate track tests/logs/well.log --llm replay --llm-cache-mode strict 2>&1 | grep ^note
note: mate track: $SCHEDSIM_LLM_CACHE is called $SCHEDSIM_LLM_RECORDING now; the old name will be removed in the next release
note: mate track: --llm-cache-mode is called --llm-recording-mode now; the old name will be removed in the next release
$ schedsim traces/samples/venus.csv --policy srtf --rules lucid --quiet
note: run: --rules is called --conventions now; the old name will be removed in the next release
$ schedsim list rules | tail -1
  pollux         the simulator of Pollux (OSDI'21)
note: list: rules is called conventions now; the old name will be removed in the next release
$ schedsim traces/samples/venus.csv --policy srtf --engine end_lag_s=1 --json | grep -o '"[^"]* now;[^"]*"'
"--engine end_lag_s is --time-law NAME:lag_s now; the old name will be removed in the next release"
$ schedsim traces/samples/venus.csv --engine end_grid_s=1,countdown=true
schedsim: --engine: its settings ask for two laws of time, grid and countdown; choose one with --time-law
[exit 2]
$ schedsim rerun "$OUT/nowhere" 2>&1 | sed "s#$OUT#OUT#"
note: rerun is called 'verify --again' now; the old name will be removed in the next release
schedsim: OUT/nowhere/manifest.json: cannot be opened: No such file or directory
$ schedsim help diagnose 2>&1 | head -2
note: diagnose is called 'mate diagnose' now; the old name will be removed in the next release
Usage: schedsim mate diagnose [OPTION...] LOG...
$ schedsim check-policy --limit 1s
note: check-policy is called 'policy check' now; the old name will be removed in the next release
note: policy check: --limit is called --timeout now; the old name will be removed in the next release
schedsim: policy check: a policy is missing; see --help
[exit 2]
$ schedsim version
schedsim 0.3.0
$ schedsim diagnos traces/samples/venus.csv
schedsim: 'diagnos' is not a file, and there is no command 'diagnos'; did you mean 'mate diagnose'?
[exit 2]
# said once, where the user looks
$ schedsim traces/samples/venus.csv --engine horizon_s=1000 2>&1 | grep -c 'incomplete\|still running'
1
$ schedsim traces/samples/venus.csv --engine horizon_s=1000 --quiet 2>&1 | grep -c 'unfinished'
1
