# Classes: b and c are spot by their priority. b is stopped after 1 s, which
# fails its window; both end in a window of their own: 1 / (1 + 2). The stop
# undoes 1 s and adds 30 s on 8 GPUs: 31 x 8 / 3600 GPU-hours.
$ printf 'job_id,submitted_unix_s,duration_s,gpus,priority\na,0,10000,8,HP\nb,1,1800,8,Spot\nc,2,100,1,low\n' >"$OUT/spot.csv"
$ cd $OUT; schedsim spot.csv -c 1x8 -p srtf --estimators oracle --overhead fixed:stop_loses=true -q -o spot_stops
$ cut -d, -f1,27-28,38- "$OUT/spot_stops/jobs.csv"
job_id,overhead,lost,deadline,priority,class
a,30,1,,HP,guaranteed
b,30,1,,Spot,spot
c,0,0,,low,spot
$ cd $OUT; python3 -c "import json; [print(k, v) for k, v in json.load(open('spot_stops/summary.json'))['classes'].items()]"
guaranteed_jobs 1
guaranteed_jct_mean_s 11962
guaranteed_queue_delay_mean_s 1931
spot_jobs 2
spot_jct_mean_s 1015.5
spot_queue_delay_mean_s 50
spot_evictions 1
spot_evictions_per_job 0.5
eviction_rate 0.333333333333333
guarantee_violations 1
lost_gpu_hours 0.0688888888888889
$ schedsim verify "$OUT/spot_stops" | sed "s|$OUT|OUT|"
OUT/spot_stops: all checks passed
# Other words, and another window.
$ cd $OUT; schedsim spot.csv -c 1x8 -p fifo -q --job-classes spot=hp,guarantee_s=1000 -o spot_words; cut -d, -f1,38- spot_words/jobs.csv; grep eviction_rate spot_words/summary.json; schedsim verify spot_words
job_id,deadline,priority,class
a,,HP,spot
b,,Spot,guaranteed
c,,low,guaranteed
    "eviction_rate": 0,
spot_words: all checks passed
# Nothing is spot: said, and the results have no classes.
$ cd $OUT; schedsim spot.csv -c 1x8 -p fifo --job-classes spot=batch -o spot_none 2>&1 | sed -n '/^note/,/^$/{/./p}'; grep -c '"classes"' spot_none/summary.json; schedsim verify spot_none
note: --job-classes: no job has a priority among batch, so all jobs are
  guaranteed
0
spot_none: all checks passed
# A changed class, or a changed number, is found.
$ cd $OUT; sed -i 's/,spot$/,guaranteed/' spot_stops/jobs.csv; schedsim verify spot_stops 2>&1 | grep -E 'class|eviction'
jobs.csv:3: class: job b: class is 'guaranteed', but its priority 'Spot' and the words for spot 'spot|best-effort|low' say otherwise
jobs.csv:4: class: job c: class is 'guaranteed', but its priority 'low' and the words for spot 'spot|best-effort|low' say otherwise
summary.classes: should not be there
