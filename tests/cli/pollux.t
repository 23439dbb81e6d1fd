# Policy pollux. A lone job may have twice as many GPUs at every round after it
# has worked on those it has; each time it starts up for 250 s first. The end is
# cut off: it depends on the fitted tables.
$ printf 'name,time,application,num_replicas,batch_size\nlone-0,0,imagenet,1,200\n' > $OUT/lone.csv; schedsim $OUT/lone.csv --policy pollux:population=20 --cluster 2x4:T4 --out $OUT/lone --quiet; cut -d, -f9,11,15,19 $OUT/lone/attempts.csv | tail -n +2 | sed 's/^900,[0-9.]*,/900,,/'
0,300,0,stopped
300,600,4-5,stopped
600,900,0-3,stopped
900,,0-7,finished
# The seed decides, and what was written is right.
$ printf 'name,time,application,num_replicas,batch_size\na-0,0,yolov3,1,64\nb-0,30,bert,4,96\nc-0,90,deepspeech2,2,80\n' > $OUT/three.csv; for i in 1 2; do schedsim $OUT/three.csv --policy pollux --cluster 1x4:T4+1x8:A100 --seed 3 --out $OUT/three$i --quiet; done; cmp $OUT/three1/jobs.csv $OUT/three2/jobs.csv && schedsim verify $OUT/three1 | sed 's/^.*: //'; grep -A1 '"pooled"' $OUT/three1/manifest.json | grep -c true
all checks passed
1
$ schedsim traces/samples/sia.csv --policy pollux:population=1
schedsim: policy pollux: population: '1' is not a whole number from 2 to 10000
[exit 2]
