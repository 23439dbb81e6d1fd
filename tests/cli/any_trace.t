# Any trace: column maps and `trace guess`.
# A stranger's log: the map is proposed, with the command that runs it.
$ cd $OUT; printf 'JobID,User,Partition,GPUs,Submitted,Started,Ended,Status\n1,ann,dev,4,2024-05-01 10:00:00,2024-05-01 10:00:10,2024-05-01 11:00:10,Completed\n2,bob,prod,8,2024-05-01 10:05:00,2024-05-01 11:00:10,2024-05-01 12:00:10,Odd\n' > log.csv; schedsim trace guess log.csv --map map.json
no known format fits; 8 columns between ',', judged by their names and the first 2 rows:
submit  Submitted  its name; the values are dates
gpus    GPUs       its name
start   Started    its name; the values are dates
end     Ended      its name; the values are dates
id      JobID      its name
user    User       its name
vc      Partition  its name
state   Status     its name; Completed = completed

could not be told:
- what 'Odd' of Status means: an unknown end; lists of words after the column say it (:ok=...:failed=...:cancelled=...)
- the zone of the dates: taken as UTC; zone=+08:00 or zone=Asia/Shanghai says another

2 rows, 2 jobs with GPUs and a run time
note: csv: dates without a zone are taken as UTC; 1 ends of unknown words, such as 'Odd'
cluster: the file does not tell it: nodes of 8 GPUs (assumed), as many as hold the most GPUs that were in use at once (8 GPUs)

schedsim log.csv --format csv:submit=Submitted,gpus=GPUs,start=Started,end=Ended,id=JobID,user=User,vc=Partition,state=Status --cluster 1x8
$ cd $OUT; cat map.json; schedsim log.csv --format csv:map=map.json,zone=+08:00,state=Status:ok=Completed+Odd --cluster 1x8 --json --quiet | grep -A2 outcomes
{
  "submit": "Submitted",
  "gpus": "GPUs",
  "start": "Started",
  "end": "Ended",
  "id": "JobID",
  "user": "User",
  "vc": "Partition",
  "state": "Status"
}
  "outcomes": {
    "completed": 2
  },
$ cd $OUT; schedsim trace convert log.csv - --format csv:map=map.json | cut -d, -f1-6,18
submitted_unix_s,duration_s,gpus,job_id,user,vc,end
1714557600,3600,4,1,ann,dev,completed
1714557900,3600,8,2,bob,prod,
note: log.csv: csv: dates without a zone are taken as UTC; 1 ends of unknown words, such as 'Odd'
# A result keeps the digest of its map.
$ cd $OUT; schedsim log.csv --format csv:map=map.json --cluster 1x8 --quiet --out mapped && schedsim verify --again mapped --quiet
$ cd $OUT; sed -i 's/Partition/User/' map.json; schedsim verify --again mapped --quiet 2>&1 | sed 's/: SHA-256.*//; s|: /.*/|: |'; exit ${PIPESTATUS[0]}
schedsim: mapped/manifest.json: cannot be run again, format of the trace: map.json has changed
[exit 3]
# Products of columns, units, and what the names do not tell.
$ cd $OUT; printf 'job uuid;Submit (UTC);Run Hours;nodes;gpus_per_node;mem_gb;Price, EUR\na;03/14/2024 10:00:00;1.5;2;8;64;5\n' > units.csv; schedsim trace guess units.csv
no known format fits; 7 columns between ';', judged by their names and the first 1 rows:
submit    Submit (UTC)         its name; the values are dates, written %m/%d/%Y %H:%M:%S
gpus      nodes*gpus_per_node  nodes times GPUs of a node, by their names
duration  Run Hours:h          its name; the unit is h: the name ends with it
id        job uuid             its name
nodes     nodes                its name
mem       mem_gb:gib           its name; the unit is gib
date      %m/%d/%Y %H:%M:%S    all dates can be read so
not read: #7

1 rows, 1 jobs with GPUs and a run time
note: csv: dates without a zone are taken as UTC
cluster: the file does not tell it: nodes of 8 GPUs, as many as hold the largest job, which exceeds the mean demand at 80 % (16 GPUs)

schedsim units.csv --format 'csv:submit=Submit (UTC),gpus=nodes*gpus_per_node,duration=Run Hours:h,id=job uuid,nodes=nodes,mem=mem_gb:gib,date=%m/%d/%Y %H:%M:%S' --cluster 2x8
$ cd $OUT; printf 'when,how many\n1714557600000,4\n' > few.csv; schedsim trace guess few.csv
no known format fits; 2 columns between ',', judged by their names and the first 1 rows:
submit  when:ms  the only column of times; the values are numbers: ms since 1970
not read: how many

could not be told:
- how many GPUs a job has: gpus=COLUMN says it, or gpus=8 if all have eight; columns not read: how many
- how long a job ran: duration=COLUMN says it, or start=COLUMN and end=COLUMN; columns not read: how many
schedsim: few.csv: no map can be proposed, because it needs a column that could not be told (see the list above): how many GPUs a job has: gpus=COLUMN says it, or gpus=8 if all have eight; columns not read: how many
[exit 3]
# Without a header, values tell times and GPUs; nothing tells a run time.
$ cd $OUT; printf '7\t1714557600000\t1714557600500\t1714557700000\t4\tbob\n8\t1714557700000\t1714557900000\t1714558700000\t2\tann\n' > plain.tsv; schedsim trace guess plain.tsv
no known format fits; 6 columns without a header between 'tab', judged by their names and the first 2 rows:
header  no     the first line has numbers or dates; the columns are #1, #2, ...
submit  #2:ms  three columns of times, in this order in all rows; the values are numbers: ms since 1970
gpus    #5     the only column of powers of two; no name says it
start   #3:ms  three columns of times, in this order in all rows; the values are numbers: ms since 1970
end     #4:ms  three columns of times, in this order in all rows; the values are numbers: ms since 1970
not read: #1, #6

2 rows, 2 jobs with GPUs and a run time
cluster: the file does not tell it: nodes of 8 GPUs (assumed), as many as hold the most GPUs that were in use at once (4 GPUs)

schedsim plain.tsv --format 'csv:header=no,submit=#2:ms,gpus=#5,start=#3:ms,end=#4:ms' --cluster 1x8
$ cd $OUT; printf 'who,when,n\nx,2024-05-01,4\ny,2024-05-02,2\n' > short.csv; schedsim trace guess short.csv
no known format fits; 3 columns between ',', judged by their names and the first 2 rows:
submit  when  the only column of times; the values are dates
gpus    n     the only column of powers of two; no name says it
user    who   its name

could not be told:
- how long a job ran: duration=COLUMN says it, or start=COLUMN and end=COLUMN; all columns are read for something else: who, when, n
- the zone of the dates: taken as UTC; zone=+08:00 or zone=Asia/Shanghai says another
schedsim: short.csv: no map can be proposed, because it needs a column that could not be told (see the list above): how long a job ran: duration=COLUMN says it, or start=COLUMN and end=COLUMN; all columns are read for something else: who, when, n
[exit 3]
# Known formats are named; columns of one with other cells are not.
$ cd $OUT; printf 'job_id,submission_time,duration,num_gpu\na,0,600,4\nb,600,600,16\n' > itp.csv; schedsim trace guess itp.csv
format itp: Microsoft ITP 2021, as published with ElasticFlow

2 rows, 2 jobs with GPUs and a run time
cluster: the file does not tell it: nodes of 8 GPUs (assumed), as many as hold the mean demand at 80 % (25 GPUs)

schedsim itp.csv --cluster 4x8
$ cd $OUT; printf 'job_id,submission_time,duration,num_gpu\na,2021-03-04,600,4\n' > dates.csv; schedsim trace guess dates.csv | head -2
its columns are those of format itp, but: dates.csv:2:3: submission_time: '2021-03-04' is not a number of seconds
no known format fits; 4 columns between ',', judged by their names and the first 1 rows:
# Mistakes of a map name what would be right.
$ cd $OUT; schedsim log.csv --format csv:submit=Submited,gpus=GPUs,start=Started,end=Ended
schedsim: log.csv:1:1: header: no column 'Submited' for submit=; did you mean 'Submitted'?
[exit 3]
$ cd $OUT; schedsim log.csv --format csv:submt=Submitted
schedsim: trace format csv: no option 'submt'; did you mean 'submit'?
[exit 2]
$ cd $OUT; schedsim log.csv --format csv:submit=Submitted,gpus=GPUs
schedsim: trace format csv: the map lacks duration=, or start= and end=; 'schedsim trace guess FILE' proposes a map
[exit 2]
$ cd $OUT; printf '{"submit": "Submitted", "gpu": "GPUs"}' > bad.json; schedsim log.csv --format csv:map=bad.json
schedsim: bad.json:1:25: no key 'gpu'; did you mean 'gpus'?
[exit 3]
$ cd $OUT; printf 'when,gpus,took\n1714557600000,4,60\n' > ms.csv; schedsim ms.csv --format csv:submit=when,gpus=gpus,duration=took
schedsim: ms.csv:2:1: when: '1714557600000' s is more than 100 years; if the column counts in smaller units, write ':ms' after its name
[exit 3]
$ schedsim trace guess - < /dev/null
schedsim: trace guess: expected a file; it is read twice, and standard input can be read only once
[exit 2]
# A row that ends before it starts is no job; validate names it, convert drops it.
$ cd $OUT; printf 'submitted_unix_s,duration_s,gpus,job_id\n0,10,1,a\n5,-10,1,b\n7,3,2,c\n' >negative.csv; schedsim trace convert negative.csv - | cut -d, -f1-4
submitted_unix_s,duration_s,gpus,job_id
0,10,1,a
7,3,2,c
note: negative.csv: 1 row left out: ended before it started (line 3)
