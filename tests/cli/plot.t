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
