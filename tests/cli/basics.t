# What a user meets first.
$ schedsim --version
schedsim 0.3.0
$ schedsim
schedsim replays GPU-cluster job traces through scheduling policies.
...
[exit 2]
$ schedsim traces/samples/native.csv --cluster 8x8 --policy fif
schedsim: no policy 'fif'; did you mean 'fifo'?
[exit 2]
