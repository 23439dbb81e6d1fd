$ schedsim hello
hello you
$ schedsim hello anna
hello anna
$ schedsim hello anna --times 0
schedsim: --times: '0' is not a whole number, 1 to 9
[exit 2]
