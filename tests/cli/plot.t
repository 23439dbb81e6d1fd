# A figure is a file whose name says its format; what is missing is said in one line.
$ schedsim traces/samples/native.csv --cluster 16x8 --jobs 100 --quiet --out $OUT/drawn && cd $OUT && PATH=$OUT schedsim plot drawn --out cdf.svg; ls cdf.svg
schedsim: gnuplot is not installed (on Debian: apt-get install gnuplot-nox); --script FILE writes the figure's script and data without it
ls: cannot access 'cdf.svg': No such file or directory
[exit 2]
$ cd $OUT && PATH=$OUT schedsim plot drawn --script cdf.gp; sed -n 2,4p cdf.gp
set terminal svg size 317,205 background 'white' noenhanced font 'Helvetica,10.7'
set encoding utf8
set border 3 lw 0.6
$ cd $OUT && schedsim plot drawn --out cdf.jpg
schedsim: --out: cdf.jpg: a figure is a file .pdf, .svg or .png
[exit 2]
$ cd $OUT && schedsim plot drawn && ls figure.pdf
figure.pdf
schedsim: figure.pdf shows 1 result
$ cd $OUT && schedsim plot drawn --kind queues --out a.svg
schedsim: --kind: no 'queues'; did you mean 'queue'?
[exit 2]
$ cd $OUT && schedsim plot drawn --kind queue --vc nowhere --out a.svg
schedsim: --vc: drawn has no virtual cluster 'nowhere'
[exit 2]
$ cd $OUT && schedsim plot drawn --label a --label b --out a.svg
schedsim: --label: given 2 times for 1 results; expected one for each result, or none
[exit 2]
$ cd $OUT && schedsim plot drawn elsewhere --out a.svg
schedsim: unable to open elsewhere/manifest.json: No such file or directory
[exit 3]
# A sweep is drawn as bars: means over replications with intervals.
$ cd $OUT && printf '{"trace": {"generate": "venus", "jobs": 50, "seeds": 2}, "policy": ["fifo", "srtf"]}' > small.json; schedsim sweep small.json --quiet --out bars; schedsim plot bars --quantity jct --script bars.gp; sed -n '/^\$p/,/^EOD/p' bars.gp | sed 's/[0-9.]\{3,\}/N/g'; grep -e 'set xtics (' -e 'set label 2' bars.gp | tail -2
$p0_0 << EOD
0 N -N N
EOD
$p0_1 << EOD
1 N -N N
EOD
set xtics ('fifo' 0, 'srtf' 1)
set label 2 'mean JCT (h)' at screen 0.0302,0.5563 center rotate
$ cd $OUT && schedsim plot bars --kind cdf --script a.gp
schedsim: bars: is a sweep; --kind bars, relative and lines draw it
[exit 2]
$ cd $OUT && schedsim plot drawn --kind lines --script a.gp
schedsim: --kind lines: expected one sweep: its directory or its runs.csv
[exit 2]
# What papers call a kind is answered with its name here.
$ cd $OUT && schedsim plot drawn --kind heatmap --script a.gp
schedsim: --kind: no 'heatmap'; did you mean 'nodes'?
[exit 2]
$ cd $OUT && schedsim plot bars --kind relative --baseline srft --script a.gp
schedsim: --baseline: no 'srft' in bars/runs.csv; did you mean 'srtf'?
[exit 2]
$ cd $OUT && schedsim plot bars --kind lines --script a.gp
schedsim: --kind lines: bars/runs.csv: no setting that is a number, such as load, varies
[exit 2]
$ cd $OUT && schedsim plot drawn --kind cdf --log --script a.gp
schedsim: --log: has no effect on --kind cdf
[exit 2]
$ cd $OUT && schedsim plot drawn --style width=3 --columns 2 --kind cdf --kind queue --script a.gp
schedsim: --style width: 3 cm; columns of panels: 2, text: 8 pt; these need 7.5 cm
[exit 2]
$ cd $OUT && schedsim plot drawn --style height=2 --script a.gp
schedsim: --style height: 2 cm; rows of panels: 1, text: 8 pt; these need 2.4 cm
[exit 2]
$ cd $OUT && schedsim plot bars --title "The mean job completion time of two policies under a load" --script a.gp
schedsim: --title: has 57 characters; 45 fit into 8.4 cm (--style width, font-size)
[exit 2]
$ cd $OUT && schedsim plot bars --log --script a.gp
schedsim: plot: bars/runs.csv: no value of 'queue_delay_s_mean' above 0 to draw
[exit 2]
$ cd $OUT && schedsim plot bars --quantity jct_s_p9 --script a.gp
schedsim: bars/runs.csv: no column 'jct_s_p9'; did you mean 'jct_s_p90'?
[exit 3]
$ cd $OUT && schedsim plot drawn --quantity delay --script a.gp
schedsim: --quantity: no 'delay'; did you mean 'queue-delay'?
[exit 2]
# A result in which no job ran has nothing to draw.
$ cd $OUT && printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,200,a\n' > wide.csv; schedsim wide.csv --cluster 1x8 --quiet --out idle 2>/dev/null; schedsim plot idle --kind queue --script a.gp
schedsim: --kind queue: no job of idle ran, so there is nothing to draw
[exit 2]
# A sweep over a load and clusters: what can be on the axis, and the baseline.
$ mkdir $OUT/sweeps; cd $OUT/sweeps; printf 'job_id,submitted_unix_s,duration_s,gpus,user\na,0,1000,6,u\nb,10,500,8,v\nc,20,700,1,v\nd,30,400,1,u\ne,40,300,4,w\n' >p.csv; echo '{"trace":{"resample":"p.csv","seeds":2,"block-days":0.01},"policy":["fifo","sjf"],"cluster":["1x8","2x8"],"load":[1,2],"estimators":"oracle"}' >g.json; schedsim sweep g.json -o sw -q; for words in '--kind lines --over lod' '--kind lines --over policy' '--kind lines --over zzzzzzz' '--kind relative --baseline sjff' '--kind relative --baseline zzzzzz' '--kind bars --baseline fifo' '--kind bars --kind lines' '--quantity makespan' '--vc x' '--over load'; do schedsim plot sw $words --script a.gp; done
schedsim: --over: sw/runs.csv has no setting 'lod'; did you mean 'load'?
schedsim: --over: 'policy' of sw/runs.csv is not a number, or does not vary
schedsim: --over: sw/runs.csv has no setting 'zzzzzzz'
schedsim: --baseline: no 'sjff' in sw/runs.csv; did you mean 'sjf'?
schedsim: --baseline: no 'zzzzzz' in sw/runs.csv
schedsim: --baseline: has no effect on --kind bars
schedsim: --kind: bars cannot be combined with other kinds in one figure
schedsim: sw/runs.csv: no column 'makespan'; did you mean 'makespan_s'?
schedsim: --vc: has no effect on --kind bars
schedsim: --over: has no effect on --kind bars
[exit 2]
$ cd $OUT/sweeps; for words in '--kind lines --quantity jct' '--kind lines --over load' '--kind lines --over cluster --quantity allocation' '--kind relative' '--kind relative --baseline sjf --log' '--quantity jct_s_p99 --kind lines --log' '--label A --label B' '--quantity unfinished' '--quantity preemptions --log'; do schedsim plot sw $words --script a.gp && grep -m1 'screen.*center rotate' a.gp; done
set label 2 'mean JCT (min)' at screen 0.0302,0.5048 center rotate
set label 2 'mean queueing delay (min)' at screen 0.0302,0.5048 center rotate
set label 2 'allocation' at screen 0.0302,0.5048 center rotate
set label 2 'mean JCT / fifo' at screen 0.0302,0.5469 center rotate
set label 2 'mean JCT / sjf' at screen 0.0302,0.5469 center rotate
set label 2 'p99 JCT (min)' at screen 0.0302,0.5048 center rotate
set label 2 'mean queueing delay (min)' at screen 0.0302,0.5469 center rotate
set label 2 'unfinished' at screen 0.0302,0.5469 center rotate
schedsim: plot: sw/runs.csv: no value of 'preemptions' above 0 to draw
[exit 2]
$ cd $OUT/sweeps; echo '{"trace":"p.csv","policy":["fifo","sjf"],"estimators":"oracle","cluster":"1x8"}' >h.json; schedsim sweep h.json -o two -q; schedsim plot two --kind lines --script a.gp; schedsim plot two --kind relative --script a.gp; schedsim plot sw two --kind bars --script a.gp; schedsim plot sw/runs.csv --script "it's.gp"; schedsim plot sw --out "it's.svg" --script a.gp
schedsim: --kind lines: two/runs.csv: no setting that is a number, such as load, varies
schedsim: sw: is a sweep; a figure shows one, alone
schedsim: --out: it's.svg: a script cannot name a file with a '
[exit 2]
