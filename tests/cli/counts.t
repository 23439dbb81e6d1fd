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
