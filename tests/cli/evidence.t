# A side-car beside a trace: found by its name, or named by --evidence.

$ cd "$OUT" && printf 'submitted_unix_s,duration_s,gpus,job_id\n0,100,2,a\n0,100,2,b\n' > two.csv; printf 'job_id,directory,command,branch,log_style,step_s,steps\na,vision,"python train.py --lr 0.1, x",main,hf-trainer,0.5,100\nb,vision,python train.py,,,,\nc,vision,python train.py,,,,\n' > two.evidence.csv; schedsim two.csv --cluster 1x2 --quiet --out r; grep -A4 '"evidence": {' r/manifest.json | grep jobs_with; grep -c "$(sha256sum < two.evidence.csv | cut -c1-64)" r/manifest.json; schedsim verify --again r | sed 's/^.*: //'
      "jobs_with_command": "2",
      "jobs_with_log": "1"
3
run again, every file has the same bytes
$ cd "$OUT" && sed 's/hf-trainer/hf-traner/' two.evidence.csv > bad.csv; schedsim two.csv --cluster 1x2 --quiet --evidence bad.csv
schedsim: bad.csv:2:45: log_style: no style of logs 'hf-traner'; did you mean 'hf-trainer'?
[exit 3]
$ cd "$OUT" && sed 's/directory/directry/' two.evidence.csv > bad.csv; schedsim two.csv --cluster 1x2 --quiet --evidence bad.csv
schedsim: bad.csv:1:8: directry: no such column; did you mean 'directory'?
[exit 3]
$ cd "$OUT" && sed 's/^c,/a,/' two.evidence.csv > bad.csv; schedsim two.csv --cluster 1x2 --quiet --evidence bad.csv
schedsim: bad.csv:4:1: job_id: job 'a' has a row already
[exit 3]
$ cd "$OUT" && sed 's/,0.5,/,-1,/' two.evidence.csv > bad.csv; schedsim two.csv --cluster 1x2 --quiet --evidence bad.csv
schedsim: bad.csv:2:56: step_s: '-1' is not in 1e-06 .. 1e9 seconds
[exit 3]
$ cd "$OUT" && sed 's/^[ab],/x&/' two.evidence.csv > bad.csv; schedsim two.csv --cluster 1x2 --evidence bad.csv | grep evidence
note: --evidence: there is none for any of the 2 jobs
