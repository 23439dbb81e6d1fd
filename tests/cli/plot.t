# A figure is a file whose name says its format; what is missing is said in one line.
$ schedsim traces/samples/native.csv --cluster 16x8 --jobs 100 --quiet --out $OUT/drawn && cd $OUT && PATH=$OUT schedsim plot drawn --out cdf.svg; ls cdf.svg
schedsim: gnuplot is not installed (on Debian: apt-get install gnuplot-nox); --script FILE writes the figure's script and data without it
ls: cannot access 'cdf.svg': No such file or directory
[exit 2]
$ cd $OUT && PATH=$OUT schedsim plot drawn --script cdf.gp; head -3 cdf.gp
set terminal svg size 317,203 background 'white' noenhanced font 'Helvetica,10.7'
set encoding utf8
set border 3 lw 0.6
$ cd $OUT && schedsim plot drawn --out cdf.jpg
schedsim: --out: cdf.jpg: a figure is a file .pdf, .svg or .png
[exit 2]
$ cd $OUT && schedsim plot drawn
schedsim: plot: --out FIGURE or --script FILE is missing
[exit 2]
$ cd $OUT && schedsim plot drawn --kind queues --out a.svg
schedsim: --kind: no kind of figure 'queues'; did you mean 'queue'?
[exit 2]
$ cd $OUT && schedsim plot drawn --kind queue --vc nowhere --out a.svg
schedsim: --vc: drawn has no virtual cluster 'nowhere'
[exit 2]
$ cd $OUT && schedsim plot drawn --label a --label b --out a.svg
schedsim: --label: given 2 times for 1 results
[exit 2]
$ cd $OUT && schedsim plot drawn elsewhere --out a.svg
schedsim: unable to open elsewhere/manifest.json: No such file or directory
[exit 3]
