/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the commands that the follower of shell scripts finds with those
 * that bash runs. Each row is a script with the arguments `a 'b c' d`. Its
 * commands `show` tell their words. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"
#include "tests/support/interpreter.h"
#include "tests/support/temp_path.h"

/* What `show` tells: what it tells in bash if `want` is NULL. */
struct row {
    const char *script, *want;
};

static const struct row rows[] = {
    {.script = "show \"$1\" $2 \"$2\" $3 \"$4\" $4 $#"},
    {.script = "show $* ; show \"$*\"; show $@; show \"$@\"; show x\"$@\"y; "
               "show \"x$*y\""},
    {.script =
         "set -- p q; show \"$@\" $#; shift; show $# $1; shift 5; show $#"},
    {.script = "set -- p q r; shift 2; show $1"},
    {.script = "set -- ; show $# \"$@\""},
    {.script = "set -e -u; show \"$1\""},
    {.script = "set -euo pipefail; show \"$1\""},
    {.script = "set -x; set +x; show x"},
    {.script = "set - p q; show $1"},
    {.script = "A=1; show $A ${A} \"$A\" '$A' \\$A \"\\$A\" '\\a' \"\\a\""},
    {.script = "A=1 B=2; show $A$B ${A}x$B"},
    {.script = "A=1; B=$A; A=2; show $A $B"},
    {.script = "A=\"x y\"; show $A \"$A\" ${A} \"${A}\"; B=$A; show \"$B\""},
    {.script = "A=; show $A \"$A\" x$A"},
    {.script = "A=x; A+=y; show $A; UNSET_B+=z; show $UNSET_B"},
    {.script = "show ${UNSET:-d} ${UNSET-e} \"${UNSET:-f g}\" ${UNSET:-h i}"},
    {.script = "A=; show ${A:-d} \"${A-e}\" ${A:+f} \"${A+g}\" ${UNSET+h} "
               "${UNSET:+i}"},
    {.script = "A=v; show ${A:-d} ${A-e} ${A:+f} ${A+g} ${A:?no} ${A?no}"},
    {.script = "show ${UNSET:=w}; show $UNSET; show ${UNSET=x}"},
    {.script = "A=v; show ${A:=w} $A"},
    {.script = "A=hello; show ${#A} ${#} ${#UNSET}"},
    {.script = "A=hello; show ${A:1} ${A:1:2}", .want = "<$A><$A>\n"},
    {.script = "A=hello; show ${A#he} ${A%lo} ${A##*l} ${A%%l*} ${A/l/L} "
               "${A//l/L} ${A^} ${A^^} ${A,,}",
     .want = "<$A><$A><$A><$A><$A><$A><$A><$A><$A>\n"},
    {.script = "A=B; B=3; show ${!A}", .want = "<${!}>\n"},
    {.script = "A=(1 2 3); show ${A[0]} ${A[2]} $A ${A[@]} \"${A[*]}\" "
               "${#A[@]} ${#A[0]} \"${A[@]}\""},
    {.script = "A=(1 2 3); show ${A[-1]} \"${A[@]:1}\" \"${A[@]:1:1}\" "
               "\"${A[@]:5}\""},
    {.script = "A=(1 2); A+=(3 \"4 5\"); show \"${A[@]}\" ${#A[@]}"},
    {.script = "A=(\"x y\" z); for i in \"${A[@]}\"; do show \"$i\"; done"},
    {.script = "A=([0]=x [1]=y); show \"${A[@]}\""},
    {.script = "A=(1 2); i=1; show ${A[i]} ${A[$i]} ${A[i-1]} ${A[$((i-1))]}"},
    {.script = "A=(); show \"${A[@]}\" x ${#A[@]}"},
    {.script = "A=(a{1,2} \"b\"); show ${A[@]}"},
    {.script = "declare -A M; M[k]=v; show x"},
    {.script = "declare A=1; typeset B=2; readonly C=3; export D=4 E; show $A "
               "$B $C $D"},
    {.script = "declare -a A=(1 2); show ${A[1]}"},
    {.script = "export A=(1 2); show ${A[1]}"},
    {.script = "export -n A=3; show $A"},
    {.script = "A=1; unset A; show \"${A:-none}\""},
    {.script =
         "f() { local x=1 y; x=2; show $x $1; }; f q; show \"${x:-none}\""},
    {.script = "f() { show \"$@\" $#; }; f; f 1 \"2 3\"; show $1"},
    {.script = "function f { show $1; }; f x"},
    {.script = "function f() { show $1; }; f x"},
    {.script = "f() { return 0; show never; }; f; show after"},
    {.script = "f() (show sub); f"},
    {.script = "f() { A=2; }; A=1; f; show $A"},
    {.script = "f() { shift; show \"$@\"; }; f 1 2 3; show \"$@\""},
    {.script =
         "f() { if [ $1 -gt 0 ]; then show $1; f $(($1 - 1)); fi; }; f 3"},
    {.script = "f() { show one; }; f() { show two; }; f"},
    {.script = "exit 0; show never"},
    {.script = "(exit 1; show never); show after"},
    {.script = "(A=2; show $A); show \"${A:-none}\""},
    {.script = "{ A=2; show $A; }; show $A"},
    {.script = "cd sub; show x; cd ..; show y; cd ./sub/../sub; show z"},
    {.script = "(cd sub && show x); show y"},
    {.script = "pushd sub; show x; popd; show y"},
    {.script = "if true; then show a; else show b; fi"},
    {.script =
         "if false; then show a; elif true; then show b; else show c; fi"},
    {.script =
         "if false; then show a; elif false; then show b; else show c; fi"},
    {.script = "if ! true; then show a; else show b; fi"},
    {.script = "if [ 1 = 1 ] && [ 2 = 2 ]; then show a; fi"},
    {.script = "true && show a; false && show b; true || show c; false || show "
               "d; show e"},
    {.script = "! false && show a; ! true || show b"},
    {.script = "if [ -z \"\" ]; then show a; fi; if [ -n \"\" ]; then show b; "
               "fi; if [ -n x ]; then show c; fi; [ -z x ] || show d"},
    {.script = "[ x ] && show a; [ \"\" ] || show b; test x && show c; test || "
               "show d; [ ] || show e"},
    {.script = "[ a = a ] && show 1; [ a == a ] && show 2; [ a != a ] || show "
               "3; [ a = b ] || show 4; [ a != b ] && show 5"},
    {.script =
         "[ 1 -eq 1 ] && show 1; [ 1 -ne 1 ] || show 2; [ 1 -lt 2 ] && show 3; "
         "[ 2 -le 2 ] && show 4; [ 3 -gt 2 ] && show 5; [ 2 -ge 3 ] || show 6"},
    {.script = "[ ! a = b ] && show 1; [ ! a = a ] || show 2"},
    {.script = "[ a = a -a b = b ] && show 1; [ a = b -a b = b ] || show 2; [ "
               "a = b -o b = b ] && show 3; [ a = b -o b = c ] || show 4"},
    {.script =
         "[[ a == a && b == b ]] && show 1; [[ a == b || b == b ]] && show 2; "
         "[[ a == b && b == b ]] || show 3; [[ a == b || b == c ]] || show 4"},
    {.script = "[[ ( a == b || b == b ) && c == c ]] && show 1; [[ ! a == b ]] "
               "&& show 2"},
    {.script = "[[ abc == a* ]] && show 1; [[ abc == \"a*\" ]] || show 2; [[ "
               "abc != b* ]] && show 3; [[ abc == ?bc ]] && show 4; [[ abc == "
               "[a-c]bc ]] && show 5"},
    {.script = "[[ 3 -gt 2 ]] && show 1; [[ -n x ]] && show 2; [[ -z \"\" ]] "
               "&& show 3; [[ x ]] && show 4; [[ \"\" ]] || show 5"},
    {.script = "A=; [ -z \"$A\" ] && show 1; [ -z \"$UNSET\" ] && show 2; [ -n "
               "\"$UNSET\" ] || show 3; [[ -z $UNSET ]] && show 4; [ "
               "\"$UNSET\" = \"\" ] && show 5"},
    {.script = "[ -v A ] || show 1; A=1; [[ -v A ]] && show 2"},
    {.script = "[ -f text ] && show 1; [ -e text ] && show 2; [ -f sub/more.sh "
               "] && show 3"},
    {.script = "((1)) && show a; ((0)) || show b; (( 2 - 2 )) || show c; (( 3 "
               "* 2 )) && show d"},
    {.script = "if (( $# )); then show some; fi"},
    {.script = "show $((1 + 2)) $((2 * 3 - 4)) $((7 / 2)) $((7 % 3)) $((-7 / "
               "2)) $(( 10 ))"},
    {.script = "A=4; show $((A * 2)) $(($A + 1)) $((A - -1))"},
    {.script = "show $((2 + 3 * 4)) $((10 / 3 * 3)) $((1 - 2 - 3))"},
    {.script = "show $[1 + 2]"},
    {.script = "show $(((1 + 2) * 3)) $((1 << 3)) $((2 ** 3))",
     .want = "<$((?))><$((?))><$((?))>\n"},
    {.script = "show $((1 / 0))", .want = "<$((?))>\n"},
    {.script = "show $((UNSET + 1))", .want = "<$((?))>\n"},
    {.script = "A=1; let A+=2; show $A", .want = "<$A>\n"},
    {.script = "A=1; ((A++)); show $A", .want = "<$A>\n"},
    {.script = "A=1; ((A += 5)); show $A", .want = "<$A>\n"},
    {.script = "A=1; show $((A++))", .want = "<$((?))>\n"},
    {.script = "i=0; while [ $i -lt 3 ]; do show $i; i=$((i + 1)); done"},
    {.script = "i=3; until [ $i -eq 0 ]; do show $i; i=$((i - 1)); done"},
    {.script = "while false; do show never; done; show after"},
    {.script = "while true; do show once; break; done"},
    {.script = "until true; do show never; done"},
    {.script = "for i in 1 2 3; do show $i; done; show $i"},
    {.script = "for i in; do show never; done; show after"},
    {.script = "for i; do show \"$i\"; done"},
    {.script = "for i in \"$@\"; do show \"$i\"; done"},
    {.script = "for i in a b; do for j in 1 2; do show $i$j; done; done"},
    {.script = "for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && "
               "break; show $i; done"},
    {.script = "for i in 1 2; do for j in 1 2 3; do [ $j = 2 ] && continue 2; "
               "show $i$j; done; done"},
    {.script = "for i in 1 2; do for j in 1 2 3; do [ $j = 2 ] && break 2; "
               "show $i$j; done; done"},
    {.script = "for i in 1 2; do break 9; done; show $i"},
    {.script = "for i in 1 2; do :; done; show $i"},
    {.script = "for i in {1..3} x{a,b}y; do show $i; done"},
    {.script = "show {1..3} {a,b}{c,d} x{1,2} {3..1} '{1,2}' \"{1,2}\" "
               "{x} a{b"},
    {.script = "show {01..03}"},
    {.script = "show ${A:-{1,2}}"},
    {.script = "case abc in a*) show 1;; *) show 2;; esac"},
    {.script = "case abc in b*|*c) show 1;; *) show 2;; esac"},
    {.script = "case \"$1\" in (a) show 1;; (*) show 2;; esac"},
    {.script = "case x in a) show 1;; b) show 2;; esac; show after"},
    {.script = "case \"\" in \"\") show 1;; esac"},
    {.script = "case a.b in a?b) show 1;; esac"},
    {.script = "case $1 in a) A=1;; *) A=2;; esac; show $A"},
    {.script = "case x in x) show 1;; x) show 2;; esac"},
    {.script = "case \"x y\" in \"x y\") show 1;; esac"},
    {.script = "case $# in 3) show 1\n;; *) show 2\n;; esac"},
    {.script = "A=$(echo hi); show $A; B=`echo yo`; show $B; show \"$(echo a "
               "b)\" $(echo a b)"},
    {.script = "show $(echo \"x  y\") \"$(echo \"x  y\")\""},
    {.script = "show $(basename /a/b.c) $(basename /a/b.c .c) $(basename b) "
               "$(dirname /a/b/c) $(dirname b)"},
    {.script = "show $(basename -- /a/b)"},
    {.script = "show \"$(basename \"/a b/c d\")\""},
    {.script = "A=$(echo $(echo deep)); show $A"},
    {.script = "f() { echo from_f; }; show $(f)"},
    {.script = "show $(false; echo x) $(:; echo y)"},
    {.script = "show $(if true; then echo a; else echo b; fi)"},
    {.script = "show $(for i in 1 2; do echo $i; done)"},
    {.script = "A=x; show $(A=y; echo $A) $A"},
    {.script = ". ./env.sh; show $A"},
    {.script = "source env.sh p q; show $A \"$@\""},
    {.script = ". sub/more.sh; show after"},
    {.script = ". ./env.sh >/dev/null; show x"},
    {.script = "eval \"show x\"; eval 'A=3'; show $A; eval show '$A'"},
    {.script = "C=\"show p q\"; $C; $C r"},
    {.script = "C=(show p \"q r\"); \"${C[@]}\""},
    {.script = "A=1 show $A; A=2; A=3 show $A; show $A",
     .want = "<$A>\n<2>\n<2>\n"},
    {.script = "f() { show \"$A\"; }; A=5 f; show \"${A:-none}\""},
    {.script = "A=1; f() { show \"$A\"; }; A=5 f; show \"$A\""},
    {.script = "show a # note"},
    {.script = "show a#b '#c' # d"},
    {.script = "show a; # note ; show b"},
    {.script = "# show never"},
    {.script = "show a \\\n  b"},
    {.script = "show \"a \\\nb\""},
    {.script = "show \"a\nb\""},
    {.script = "show 'a\nb'"},
    {.script = "show a >/dev/null b; show c 2>&1"},
    {.script = "show a > /dev/null"},
    {.script = "show >/tmp/x_mate_none_$$ a; rm /tmp/x_mate_none_$$"},
    {.script = "show a &>/dev/null"},
    {.script = "show a 2>/dev/null b"},
    {.script = "show b <text"},
    {.script = "show b < ./text"},
    {.script = "show b <<< \"in here\""},
    {.script = "show b <<EOF_\nx $1\nEOF_"},
    {.script = "show b <<'EOF_'\nx $1\nEOF_"},
    {.script = "show b <<-EOF_\n\tx\n\tEOF_"},
    {.script =
         "show b <<EOF_ && show c\nx \\$1 $(echo y) `echo z` \"q\"\nEOF_"},
    {.script = "true | show a"},
    {.script = "show a || show b | show c"},
    {.script = "show a; show b & wait"},
    {.script = "show a && show b"},
    {.script = "show a &&\nshow b"},
    {.script = "show a |\ncat"},
    {.script = "{ show a; show b; } | cat"},
    {.script = "if true\nthen\nshow a\nfi"},
    {.script = "for i in 1 2\ndo\nshow $i\ndone"},
    {.script =
         "while read line; do show \"$line\"; done </dev/null; show after",
     .want = "<$line>\n<after>\n"},
    {.script = "read A B <<< \"x y\"; show after"},
    {.script = "trap 'rm x' EXIT; trap - EXIT; ulimit -n 10; shopt -s extglob; "
               "sleep 0; wait; show x"},
    {.script = "show \"a'b\" 'a\"b' \"a\\\"b\" a\\'b a\\ b ''\"\" x''y"},
    {.script = "show $'a' $'a b'"},
    {.script = "show \\\\ \\* \"*\" '?'"},
    {.script = "show \"$(echo '\"')\" \"${A:-\"q r\"}\""},
    {.script = "show a=b c+=d --e=f -g"},
    {.script = "show $ $% \"$\" a$"},
    {.script = "show ~x \"~\""},
    {.script = "show ${1} ${2} \"${2}\" ${3:-x} ${4:-y} ${10:-z}"},
    {.script = "set -- 1 2 3 4 5 6 7 8 9 ten; show ${10} $10"},
    {.script = "show \"${@:2}\" ; show \"${@:2:1}\"; show \"${*:2}\""},
    {.script = "while getopts \"ab:\" o; do show $o \"${OPTARG:-}\"; done"},
    {.script = "set -- -a -b 3 rest; while getopts \"ab:\" o; do show $o "
               "\"${OPTARG:-}\"; done; shift $((OPTIND - 1)); show \"$@\""},
    {.script = "set -- -ab3 rest; while getopts \"ab:\" o; do show $o "
               "\"${OPTARG:-}\"; done; show $OPTIND"},
    {.script = "set -- -a -- -b 3; while getopts \"ab:\" o; do show $o; done"},
    {.script = "set -- --x 1 --y=2 z; while [ $# -gt 0 ]; do case $1 in --x) "
               "X=$2; shift 2;; --y=*) Y=${1#*=}; shift;; *) Z=$1; shift;; "
               "esac; done; show $X $Z"},
    {.script = "A=1; if [ $A = 1 ]; then B=2; fi; show $B"},
    {.script = "if [ \"$A\" ]; then show a; else show b; fi"},
    {.script = "[ $# -eq 3 ] && show three"},
    {.script = "A=3; [ $A -gt 2 -a $A -lt 4 ] && show in"},
    {.script = "show $? ; true; show $?"},
    {.script = "A=a.b.c; show ${A%.*} ${A#*.}", .want = "<$A><$A>\n"},
    {.script =
         "A=\"1 2 3\"; for x in $A; do show $x; done; set -- $A; show $#"},
    {.script = "A=x; B=\"${A}_y\"; C=\"$A_y\"; show $B \"$C\"",
     .want = "<x_y><$A_y>\n"},
    {.script = "A=/a/b; show \"${A}/c\" \"$A\"/d"},
    {.script = "IFS=,; A=1,2; show \"$A\""},
    {.script = "show <(echo x) 2>/dev/null | cat >/dev/null",
     .want = "<<(echo x)>\n"},
    {.script = "case $1 in a) ;; *) show never;; esac; show after"},
    {.script = "time show a", .want = ""},
    {.script = "exec show a"},
    {.script = "command show a"},
    {.script = "builtin show a"},
    {.script = "if [ 1 -eq 1 -a ! 2 -eq 3 ]; then show a; fi"},
    {.script = "if [ \\( 1 -eq 2 -o 1 -eq 1 \\) -a 2 -eq 2 ]; then show a; fi"},
    {.script = "[ 1 -eq x ] || show bad"},
    {.script = "[ a -eq a ]; show after"},
    {.script = "[ a = ]; show after"},
    {.script = "[[ a =~ ^a$ ]] && show match"},
    {.script = "[[ $1 == a ]] && show 1 || show 2"},
    {.script = "A=10; (( A > 5 )) && show big"},
    {.script = "(( 1 == 1 )) && show eq"},
    {.script = "for ((i = 0; i < 3; i++)); do show $i; done", .want = "<$i>\n"},
    {.script = "for ((i = 0; i < 3; i++)); do show x; done", .want = "<x>\n"},
    {.script = "echo -n x; printf '%s' y >/dev/null; show a"},
    {.script = "A=`dirname a/b`; show $A"},
    {.script = "A=${UNSET:-${1:-x}}; show $A"},
    {.script = "A=${4:-$(echo dflt)}; show $A"},
    {.script = "show a{1,2}b{3,4}"},
    {.script = "show pre{a,b}post {,x}y"},
    {.script = "show \\{1,2\\}"},
    {.script = "show \"$(printf %s x)\"", .want = "<$(printf)>\n"},
    {.script = "cat <<EOF_ >/dev/null\nshow never\nEOF_"},
    {.script = "show after"},
    {.script = "if [ $HOME = x ]; then A=1; else A=2; fi; show $A",
     .want = "<$A>\n"},
    {.script = "if [ $HOME = x ]; then A=1; else A=1; fi; show $A",
     .want = "<1>\n"},
    {.script = "if [ $HOME = x ]; then A=1; fi; show $A", .want = "<$A>\n"},
    {.script = "A=3; if [ $HOME = x ]; then A=3; fi; show $A", .want = "<3>\n"},
    {.script = "if [ $HOME = x ]; then exit; else A=2; fi; show $A",
     .want = "<2>\n"},
    {.script = "if [ $HOME = x ]; then A=1; else exit; fi; show $A",
     .want = "<1>\n"},
    {.script = "if [ $HOME = x ]; then A=1; elif [ $HOME = y ]; then A=2; else "
               "A=1; fi; show $A",
     .want = "<$A>\n"},
    {.script =
         "f() { if [ $HOME = x ]; then return; fi; show in; }; f; show out",
     .want = "<in>\n<out>\n"},
    {.script = "for i in 1 2; do [ $HOME = x ] && break; show $i; done",
     .want = "<1>\n<2>\n"},
    {.script =
         "for i in 1 2; do if [ $HOME = x ]; then continue; fi; show $i; done",
     .want = "<1>\n<2>\n"},
    {.script = "for i in 1 2; do if [ $HOME = x ]; then A=1; else break; fi; "
               "show $A; done",
     .want = "<1>\n<1>\n"},
    {.script = "A=(1 2); if [ $HOME = x ]; then A=(1); fi; show ${A[@]}",
     .want = "<$A>\n"},
    {.script = "A=(1 2); if [ $HOME = x ]; then A=(1 3); fi; show ${A[@]}",
     .want = "<$A>\n"},
    {.script = "if [ $HOME = x ]; then unset A; B=2; else A=1; fi; show $A $B",
     .want = "<$A><$B>\n"},
    {.script = "case $HOME in a) A=1;; b) A=2;; esac; show $A",
     .want = "<$A>\n"},
    {.script = "A=1; case $HOME in a) A=1;; *) A=1;; esac; show $A",
     .want = "<1>\n"},
    {.script = "case $HOME in a) show a;; *) show b;; esac",
     .want = "<a>\n<b>\n"},
    {.script = "A=0; while [ $HOME = x ]; do A=2; done; show $A",
     .want = "<$A>\n"},
    {.script = "A=0; until [ $HOME = x ]; do A=0; done; show $A",
     .want = "<0>\n"},
    {.script = "[ $HOME = x ] && A=1; show $A; [ $HOME = x ] || show b",
     .want = "<$A>\n<b>\n"},
    {.script = "! [ $HOME = x ] && show a", .want = "<a>\n"},
    {.script = "[ -d sub ] && show maybe", .want = "<maybe>\n"},
    {.script =
         "[ -n \"$SLURM_JOB_ID\" ] && show maybe; [ -z $PBS_X ] || show too",
     .want = "<maybe>\n<too>\n"},
    {.script =
         "[ $HOME = x -a a = b ] || show 1; [ $HOME = x -o a = a ] && show 2",
     .want = "<1>\n<2>\n"},
    {.script = "[ $HOME = x -a a = a ] && show 1; [ $HOME = x -o a = b ] || "
               "show 2; [ a = a -a $HOME = x ] && show 3",
     .want = "<1>\n<2>\n<3>\n"},
    {.script = "[ ! $HOME = x ] && show 1; [ $HOME -gt 3 ] && show 2; [ $HOME "
               "] && show 3; [ -v $UNSET ] || show 4",
     .want = "<1>\n<2>\n<3>\n<4>\n"},
    {.script = "[ a$UNSET = a ] && show 1; [ \"$(date)\" = x ] && show 2",
     .want = "<1>\n<2>\n"},
    {.script = "A='$x'; [ -z \"$A\" ] && show 1", .want = "<1>\n"},
    {.script = "[[ $HOME == x && a == b ]] || show 1", .want = "<1>\n"},
    {.script = ". nowhere.sh; [ -z \"$UNSET\" ] && show 1; show 2",
     .want = "<1>\n<2>\n"},
    {.script = "source; .; show 1", .want = "<1>\n"},
    {.script =
         "show $((99999999999 * 2)) $((1073741824 * 2)) $((-99999999999))",
     .want = "<$((?))><$((?))><$((?))>\n"},
    {.script = "show $((3 +)) $((3 * x)) $((x y)) $((5 % 0)) $((- 3)) $(()) "
               "$((3 3)) $((1 + x))",
     .want =
         "<$((?))><$((?))><$((?))><$((?))><$((?))><$((?))><$((?))><$((?))>\n"},
    {.script = "A=x; show $((A)) $((A + 1)) $((A == 3)) $((1 == 1))",
     .want = "<$((?))><$((?))><$((?))><$((?))>\n"},
    {.script = "A=1; ((A--)); show $A; A=1; ((--A)); show $A; A=1; ((A = 3)); "
               "show $A; A=1; ((A *= 3)); show $A",
     .want = "<$A>\n<$A>\n<$A>\n<$A>\n"},
    {.script = "A=$((B++)); show $A", .want = "<$((?))>\n"},
    {.script = "A=(1 2); A[-1]=x; A[9999]=y; A[k]=z; show ${A[@]}",
     .want = "<1><2>\n"},
    {.script = "A=(1 2); A[0]=z; A[1]+=q; show ${A[@]}", .want = "<z><2q>\n"},
    {.script = "B[0]=q; show \"${B[0]}\" ${B[1]}", .want = "<q><$B>\n"},
    {.script = "A=(1 2); show ${A[5]} ${A[x]} ${A[$UNSET]}",
     .want = "<$A><$A><$A>\n"},
    {.script = "A+=(3); show $A", .want = "<3>\n"},
    {.script =
         "set -a; A=1; show $A; set -o pipefail; set +o; set -- ; show $#",
     .want = "<1>\n<0>\n"},
    {.script = "set -z -- x; show $1", .want = "<x>\n"},
    {.script = "shift x; show $1; shift 0; show $1; shift; show \"$1\"",
     .want = "<a>\n<a>\n<b c>\n"},
    {.script = "for i in 1 2; do break x; done; show $i; for i in 1 2; do "
               "continue 0; done; show $i; break; continue 2; show z",
     .want = "<1>\n<2>\n<z>\n"},
    {.script = "cd -P sub; show 1; cd; show 2; cd --; show 3; pushd sub; "
               "pushd; show 4",
     .want = "<1> in sub\n<2> in sub\n<3> in sub\n<4> in sub/sub\n"},
    {.script = "cd nowhere; show 1; cd /; show 2; cd /abs/dir; show 3; cd "
               "$HOME; show 4",
     .want = "<1> in nowhere\n<2>\n<3> in abs/dir\n<4> in $HOME\n"},
    {.script = "let; let 1+1 2+2; let A=1; show $A", .want = "<$A>\n"},
    {.script = "getopts; getopts ab; getopts ab o; show $o", .want = "<$o>\n"},
    {.script = "set -- -b; getopts b: o; show $o \"$OPTARG\"",
     .want = "<b><>\n"},
    {.script = "set -- -: -c -; getopts ab: o; show \"$o\"", .want = "<$o>\n"},
    {.script = "set -- -ab; getopts ab o; show $o; getopts ab o; show $o; "
               "getopts ab o; show $o $OPTIND",
     .want = "<a>\n<b>\n<b><2>\n"},
    {.script = "read -r A B; read \"\" C; show $A $C", .want = "<$A><$C>\n"},
    {.script = "show $(pwd) $(realpath x) $(readlink -f ./y) $(realpath)",
     .want = "</./></./x></./y></./>\n"},
    {.script = "show $(git rev-parse --show-toplevel) $(git status)",
     .want = "</./><$(git)>\n"},
    {.script = "show $(basename) $(dirname) $(dirname --)",
     .want = "<$(basename)><$(dirname)><$(dirname)>\n"},
    {.script = "show $(basename a.b b) $(basename a.b a.b) $(basename a.b "
               "zz.b.b) $(dirname a/b c)",
     .want = "<a.><a.b><a.b><a>\n"},
    {.script = "show $(date) $(echo x | cat) $(cat text) $(true) $()",
     .want = "<$(date)><$(echo)><$(cat)><$(true)><$()>\n"},
    {.script = "show $(echo a; date)", .want = "<$(echo)>\n"},
    {.script = "show $0 $BASH_SOURCE \"${BASH_SOURCE[0]}\" $PWD",
     .want = "<$0><$BASH_SOURCE><$BASH_SOURCE></.>\n"},
    {.script = "f() { f; }; f; show after", .want = "<after>\n"},
    {.script = "A='eval \"$A\"'; eval \"$A\"; show after", .want = "<after>\n"},
    {.script = "while :; do A=1; done; show $A", .want = "<$A>\n"},
    {.script = "i=0; while true; do i=$((i + 1)); done; show $i",
     .want = "<$i>\n"},
    {.script = "for i in {1..64}; do A=$i; done; show $A", .want = "<64>\n"},
    {.script = "for i in {1..60} {1..60}; do A=$i; done; show $A",
     .want = "<$i>\n"},
    {.script = "for i in a $HOME b; do show $i; done", .want = "<a>\n<$i>\n"},
    {.script = "for i in *.py; do show $i; done", .want = "<$i>\n"},
    {.script = "for i in 1 2; do exit; show $i; done; show z", .want = ""},
    {.script = "f() { for i in 1 2; do return; done; show z; }; f; show y",
     .want = "<y>\n"},
    {.script = "for i in 1 $UNSET; do for j in 1 2; do show $i$j; done; done",
     .want = "<11>\n<12>\n<$i1>\n<$i2>\n"},
    {.script = "for; show 1", .want = "<1>\n<1>\n<1>\n"},
    {.script = "for i", .want = ""},
    {.script = "for i in a b", .want = ""},
    {.script = "for i in a b; do show $i", .want = "<a>\n<b>\n"},
    {.script = "while", .want = ""},
    {.script = "while true; do show 1",
     .want = "<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>"
             "\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>"
             "\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>"
             "\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>"
             "\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n<1>\n"},
    {.script = "case", .want = ""},
    {.script = "case x", .want = ""},
    {.script = "case x in", .want = ""},
    {.script = "case x in x) show 1", .want = "<1>\n"},
    {.script = "case x in x show 1", .want = ""},
    {.script = "if", .want = ""},
    {.script = "if true", .want = ""},
    {.script = "if true; then show 1", .want = "<1>\n"},
    {.script = "if true; then show 1; else", .want = "<1>\n"},
    {.script = "[", .want = ""},
    {.script = "[ a", .want = ""},
    {.script = "[[ a", .want = ""},
    {.script = "[[ a == a", .want = ""},
    {.script = "[[ a == a\nshow x", .want = "<x>\n"},
    {.script = "((", .want = ""},
    {.script = "(( 1", .want = ""},
    {.script = "((1", .want = ""},
    {.script = "!", .want = ""},
    {.script = "{", .want = ""},
    {.script = "{ show 1", .want = "<1>\n"},
    {.script = "(", .want = ""},
    {.script = "(show 1", .want = "<1>\n"},
    {.script = ")", .want = ""},
    {.script = "} ; show 1", .want = "<1>\n"},
    {.script = "fi; show 1", .want = "<1>\n"},
    {.script = "done; esac; then; show 1", .want = "<1>\n"},
    {.script = ";; show 1", .want = "<1>\n"},
    {.script = "function", .want = ""},
    {.script = "function f", .want = ""},
    {.script = "f(", .want = ""},
    {.script = "f()", .want = ""},
    {.script = "f() ; show 1", .want = ""},
    {.script = "show a >", .want = "<a>\n"},
    {.script = "show a > ; show b", .want = "<a>\n<b>\n"},
    {.script = "show a <", .want = "<a>\n"},
    {.script = "show a <<", .want = "<a>\n"},
    {.script = "show a <<<", .want = "<a> of \n\n"},
    {.script = "show a 2>&1 >&2 2>&- <&- 3<>text", .want = "<a>\n"},
    {.script = "show a &", .want = "<a>\n"},
    {.script = "show a & show b", .want = "<a>\n<b>\n"},
    {.script = "&& show a", .want = "<a>\n"},
    {.script = "show a | ", .want = "<a>\n"},
    {.script = "show \"a", .want = "<a>\n"},
    {.script = "show 'a", .want = "<a>\n"},
    {.script = "show ${A", .want = "<${!}>\n"},
    {.script = "show ${", .want = "<${!}>\n"},
    {.script = "show $(echo a", .want = "<$(echo)>\n"},
    {.script = "show $((1", .want = "<$(()>\n"},
    {.script = "show $(", .want = "<$()>\n"},
    {.script = "show `echo a", .want = "<a>\n"},
    {.script = "show \"`echo a`\" `echo \"b c\"`", .want = "<a><b><c>\n"},
    {.script = "show \"`echo a", .want = "<a>\n"},
    {.script = "show a\\", .want = "<a>\n"},
    {.script = "show \"a\\", .want = "<a\\>\n"},
    {.script = "show ${#} ${$} ${!} ${-} ${?} ${} ${%} ${#x[1]} ${*} ${@:1} "
               "${a b} ${1x}",
     .want =
         "<3><$$><$!><$-><0><${!}><${!}><0><a><b><c><d><a><b><c><d><$a><$1>\n"},
    {.script = "show $- $! \"$-\"", .want = "<$-><$!><$->\n"},
    {.script = "show ${9} ${99999999999} ${x[}  ${x[1]", .want = "<$x>\n"},
    {.script = "show ${A:=a b} ${A} \"${B=c d}\"",
     .want = "<a><b><a><b><c d>\n"},
    {.script = "show ${@:0} ; show ${@:x} ; show ${@:1:x}",
     .want = "<a><b><c><d>\n<a><b><c><d>\n<a><b><c><d>\n"},
    {.script = "show ${@:-1}", .want = "<a><b><c><d>\n"},
    {.script = "set -- \"\" x \"\"; show \"$@\"; show $@",
     .want = "<><x><>\n<x>\n"},
    {.script = "show {a,b show {a,b}} a{1..100}b {1..x} {x..1} {..} {,} {a} "
               "{1..3..2} {a,{b,c},d} {a,$(echo b)}",
     .want = "<{a,b><show><a}><b}><a{1..100}b><{1..x}><{x..1}><{..}><{a}><{1.."
             "3..2}><a><b><c><d><a><b>\n"},
    {.script = "show {07..09} {9..011} {1..1} {-1..1} {1..-1}",
     .want = "<07><08><09><009><010><011><1><-1><0><1><1><0><-1>\n"},
    {.script = "show x{a,\"b,c\"}y", .want = "<xay><xby><xcy>\n"},
    {.script = "show <(echo x) >(cat) a<(b)",
     .want = "<<(echo x)><>(cat)><a><<(b)>\n"},
    {.script = "A=(a", .want = ""},
    {.script = "A=(a b) B=(c) show \"${A[@]}\"", .want = "<$A>\n"},
    {.script = "A=1 B=2 C=3 D=4 E=5 F=6 G=7 H=8 I=9 J=10 K=11 L=12 M=13 N=14 "
               "O=15 P=16 Q=17 show a; show $Q",
     .want = "<a>\n<17>\n"},
    {.script = "A=1 eval show '$A'; A=2 . ./env.sh",
     .want = "<1>\n<in_env><a><b c><d>\n"},
    {.script = "A[0]=1 show a; A+=1 show b", .want = "<a>\n<b>\n"},
    {.script = "cat <<X <<Y; show 1\nx\nX\ny\nY", .want = "<1>\n"},
    {.script = "show b <<X\nx", .want = "<b> of x\n"},
    {.script = "show b <<\"X Y\"\n$A\nX Y", .want = "<b> of $A\n\n"},
    {.script = "show b <<\\X\n$A\nX", .want = "<b> of $A\n\n"},
    {.script = "show b <<-'X'\n\t$A\n\t\tX", .want = "<b> of $A\n\n"},
    {.script = "show b <<X; show c\n\\$A \\\\ \\x $UNSET ${1} $\nX",
     .want = "<b> of $A \\ \\x $UNSET a $\n\n<c>\n"},
    {.script = "show a", .want = "<a>\n"},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

/* Scripts that come to a bound: `start` and `end` are repeated `n` times around
 * `middle`. */
static const struct {
    const char *start, *middle, *end, *want;
    size_t n;
} bounds[] = {
    {.start = "if true; then ",
     .middle = "show 1; ",
     .end = "fi; ",
     .n = 70,
     .want = ""},
    {.start = "if true; then ",
     .middle = "show 1; ",
     .end = "fi; ",
     .n = 20,
     .want = "<1>\n"},
    {.start = "{ ", .middle = "show 1; ", .end = "}; ", .n = 70, .want = ""},
    {.start = "( ", .middle = "show 1 ", .end = ")", .n = 70, .want = ""},
    {.start = "for i in 1; do ",
     .middle = "show 1; ",
     .end = "done; ",
     .n = 70,
     .want = ""},
    {.start = "if false; then show 1; el",
     .middle = "if true; then show 2; fi",
     .end = "",
     .n = 70,
     .want = ""},
    {.start = "f() { ",
     .middle = "show 1; ",
     .end = "}; f; ",
     .n = 8,
     .want = "<1>\n"},
    {.start = "[[ ( a == a ) && ",
     .middle = "( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( a == a ) ) ) ) ) ) ) ) ) ) ) "
               ") ) ) ) ) )",
     .end = " ]] && show 1",
     .n = 1,
     .want = "<1>\n"},
    {.start = "A=$A${A:-x}; ",
     .middle = "show ${#A}",
     .end = "",
     .n = 13,
     .want = "<12288>\n"},
    {.start = "A+=${A:-x}; ",
     .middle = "show ${#A}",
     .end = "",
     .n = 24,
     .want = "<163840>\n"},
    {.start = "A+=(1 2 3 4); ",
     .middle = "show ${#A[@]}",
     .end = "",
     .n = 140,
     .want = "<512>\n"},
    {.start = "f() { show 1; }; ",
     .middle = "f",
     .end = "",
     .n = 70,
     .want = "<1>\n"},
    {.start = "",
     .middle = "case ab in a*) show 1;; ab",
     .end = "b",
     .n = 600,
     .want = "<1>\n"},
    {.start = "true || ", .middle = "show 1", .end = "", .n = 2100, .want = ""},
    {.start = "true;", .middle = "show 1", .end = "", .n = 2100, .want = ""},
};

enum { N_BOUNDS = sizeof bounds / sizeof *bounds };

static const struct {
    const char *name, *text;
} files[] = {
    {"env.sh", "A=from_env\nshow in_env \"$@\"\n"},
    {"sub/more.sh", "return 0\nshow never\n"},
    {"text", "one\ntwo\n"},
};

static bool read_known(void *self, const char *dir, const char *path,
                       const char **found, struct text *out)
{
    struct arena arena;
    bool known = false;
    (void)self;
    arena_init(&arena);
    const char *whole = shell_path(dir, path, &arena);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i].name, whole) == 0) {
            *found = files[i].name;
            *out = text_from(files[i].text);
            known = true;
        }
    }
    arena_fini(&arena);
    return known;
}

/* Writes the words of the command `show`, its folder and its input. */
static void tell(void *self, struct shell *shell,
                 const struct shell_command *command)
{
    struct out *out = self;
    if (strcmp(command->words[0], "show") != 0)
        return;
    for (size_t i = 1; i < command->n; i++)
        out_printf(out, "<%s>", command->words[i]);
    if (*shell->dir)
        out_printf(out, " in %s", shell->dir);
    if (command->document.len)
        out_printf(out, " of %.*s", (int)command->document.len,
                   command->document.at);
    out_char(out, '\n');
}

static size_t none_taken(const void *self)
{
    (void)self;
    return 0;
}

static void drop_none(void *self, size_t n_taken)
{
    (void)self;
    (void)n_taken;
}

static void follow(struct text script, struct out *out)
{
    static const char *const args[] = {"a", "b c", "d"};
    const struct shell_host host = {out, tell, read_known, none_taken,
                                    drop_none};
    struct shell_budget budget = {
        .steps = 2000, .branches = 20, .bytes = 1 << 20};
    static struct shell shell;
    struct arena arena;
    arena_init(&arena);
    shell_init(&shell, &arena, &host, &budget);
    shell.args = args;
    shell.n_args = 3;
    shell_run(&shell, script);
    arena_fini(&arena);
}

/* Runs all rows with bash and returns what `show` tells, each row ended by the
 * character 30. */
static char *bash_values(void)
{
    static const char head[] =
        "set +e\nexec 2>/dev/null 3>&1 >/dev/null\nplace=$(mktemp -d) && cd "
        "$place || exit 1\n"
        "mkdir sub\nunset UNSET A B C\n"
        "show() { for w in \"$@\"; do printf '<%s>' \"$w\"; done\n"
        "  [ \"$PWD\" = $place ] || printf ' in %s' \"${PWD#$place/}\"\n"
        "  IFS= read -r -d '' given || :\n"
        "  [ -z \"$given\" ] || printf ' of %s' \"$given\"\n"
        "  given=; echo; } >&3\n";
    struct out *out = out_to_memory();
    out_text(out, head);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        out_printf(out, "cat >%s <<'THE-END'\n%sTHE-END\n", files[i].name,
                   files[i].text);
    for (size_t i = 0; i < N_ROWS; i++) {
        if (rows[i].want)
            continue;
        out_printf(out,
                   "cat >row.sh <<'THE-END'\n%s\nTHE-END\n"
                   "(set -- a 'b c' d; . ./row.sh) </dev/null\n"
                   "printf '\\036' >&3\n",
                   rows[i].script);
    }
    out_text(out, "rm -r $place\n");
    return interpreter_run("bash", out);
}

static void commands_are_those_of_bash(void **state)
{
    char *values = bash_values();
    struct text rest = text_from(values);
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        struct out *out = out_to_memory();
        follow(text_from(rows[i].script), out);
        bad += !interpreter_agrees(rows[i].script, rows[i].want,
                                   out_memory(out), &rest);
        out_abandon(out);
    }
    free(values);
    assert_int_equal(bad, 0);
}

static void bounds_are_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_BOUNDS; i++) {
        struct out *script = out_to_memory(), *out = out_to_memory();
        for (size_t k = 0; k < bounds[i].n; k++)
            out_text(script, bounds[i].start);
        out_text(script, bounds[i].middle);
        for (size_t k = 0; k < bounds[i].n; k++)
            out_text(script, bounds[i].end);
        follow(out_memory(script), out);
        out_char(out, '\0');
        assert_string_equal(out_memory(out).at, bounds[i].want);
        out_abandon(script);
        out_abandon(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_those_of_bash),
        cmocka_unit_test(bounds_are_kept),
    };
    return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
