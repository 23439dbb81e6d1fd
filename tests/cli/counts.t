# Each submission, end and wake is an event; an instant with one is a decision.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n0,10,1,b\n5,10,1,c\n' > $OUT/t.csv; schedsim $OUT/t.csv --cluster 1x2 -q --out $OUT/r; grep -E '"(events|decisions)"' $OUT/r/manifest.json
  "events": 6,
  "decisions": 4,
# b arrives at 950 and goes first until it has had 100 s; a, which then waits, no more leaves its queue at 1000: nobody is woken. a has had its 1000 s at 1100.
$ printf 'submitted_unix_s,duration_s,gpus,job_id\n0,1200,1,a\n950,200,1,b\n' > $OUT/t.csv; schedsim $OUT/t.csv --cluster 1x1 -q --policy tiresias:queues=100/1000 --overhead none --decisions --out $OUT/two; grep -E '"(events|decisions)"' $OUT/two/manifest.json; cat $OUT/two/decisions.log
  "events": 6,
  "decisions": 6,
0 start 0 0:1
950 stop 0 0:1
950 start 1 0:1
1050 stop 1 0:1
1050 start 0 0:1
1100 stop 0 0:1
1100 start 1 0:1
1200 start 0 0:1
# times and counts, read alike everywhere
$ for from in 2020 2020-04 20200404 1586000000 1d "day 4"; do schedsim traces/samples/venus.csv -c 16x8 --from "$from" | head -1; done
fifo on 16x8: 3500 jobs (1790 completed, 732 failed, 978 cancelled)
fifo on 16x8: 3271 jobs (1689 completed, 694 failed, 888 cancelled)
fifo on 16x8: 812 jobs (376 completed, 182 failed, 254 cancelled)
fifo on 16x8: 579 jobs (263 completed, 130 failed, 186 cancelled)
fifo on 16x8: 2177 jobs (1046 completed, 482 failed, 649 cancelled)
fifo on 16x8: 380 jobs (159 completed, 77 failed, 144 cancelled)
$ schedsim traces/samples/venus.csv -c 16x8 -n 1.5k | head -1; schedsim trace resample traces/samples/venus.csv --from 4d -q | schedsim trace info - | grep rows
fifo on 16x8: 1500 jobs (824 completed, 288 failed, 388 cancelled)
rows         380: 380 GPU jobs, 0 without GPUs, 0 without a run time
$ schedsim traces/samples/venus.csv -c 16x8 --from 2020-13
schedsim: --from: '2020-13' is not a date, such as 2020, 2020-10 or "2020-10-03 12:00", or seconds since 1970, or a time after the first submission, such as 2d
[exit 2]
$ schedsim - -c 16x8 --from 1d <traces/samples/venus.csv
schedsim: -: a time after the first submission needs a file that can be read twice; give a date
[exit 2]
$ schedsim policy check srtf --timeout 1fortnight
schedsim: --timeout: '1fortnight' is not a time, such as 90, 10min, 2h or 1d
[exit 2]
