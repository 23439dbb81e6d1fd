# Escape sequences of ids, users and commands do not reach a terminal: of each
# command, no control character but the line feed comes out, nor one that turns text.
$ printf 'submitted_unix_s,duration_s,gpus,job_id,user,vc\n0,10,1,"j\033]0;x\007\342\200\256",u\033[2J,v\302\233\n0,10,99,k\033[1m,u\177,v\302\233\n' >"$OUT/esc.csv"
$ control() { LC_ALL=C grep -c "$(printf '[\001-\011\013-\037\177\233]\\|\342\200\256')"; }; declare -f control >"$OUT/control"
$ . "$OUT/control"; schedsim "$OUT/esc.csv" --cluster 1x8 --out "$OUT/esc" 2>&1 | control
0
[exit 1]
$ . "$OUT/control"; schedsim explain "$OUT/esc" --job "$(printf 'j\033]0;x\007\342\200\256')" 2>&1 | tee "$OUT/words" | control; head -1 "$OUT/words" | cut -c1-10
0
job j?]0;x
$ . "$OUT/control"; sed -i 's/,COMPLETED_SUCCESSFULLY,/,COMPLETED_FAILED,/; s/,10,0,0,10,/,11,0,0,10,/' "$OUT/esc/jobs.csv"; schedsim verify "$OUT/esc" >"$OUT/words" 2>&1; grep -c '?' "$OUT/words"; control <"$OUT/words"
4
0
[exit 1]
$ . "$OUT/control"; schedsim mate history import --history "$OUT/esc.db" "$OUT/esc.csv"; schedsim mate history add --history "$OUT/esc.db" --set duration=5 --command "$(printf 'python \033[31m')"; schedsim mate history list --history "$OUT/esc.db" 2>&1 | tee "$OUT/words" | control; grep -c 'python ?' "$OUT/words"
2 jobs added, 0 known already, 0 left out (no GPU or no run time)
0
1
$ . "$OUT/control"; for c in "trace info" "trace validate" "estimate --split 0 --estimators oracle"; do schedsim $c "$OUT/esc.csv" 2>&1 | control; done
0
0
0
[exit 1]
$ . "$OUT/control"; schedsim compare "$OUT/esc.csv" --cluster 1x8 -p fifo 2>&1 | control
0
[exit 1]
