#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reproduces published results from the experiments of experiments/*.json.

    reproduce.py --list                     what there is
    reproduce.py --table 3                  one table; also --figure 16
    reproduce.py --experiment sia           one experiment by name
    reproduce.py --all | --quick            everything; --quick within 10 minutes
    reproduce.py --data [fetch]             the recorded inputs: origin, licence,
                                            SHA-256, whether they are here; fetch
                                            downloads those that are public
    reproduce.py --check                    only whether experiments depart from
                                            their sources without a comment, or
                                            have rows without a run

For each value: what was published, what this simulator gives with an interval over
seeds or workloads, the difference, a verdict, what is missing, and what is not the
same. Results of single runs are kept in --out, so a command that was stopped goes on
where it was, and gives the same results.csv. Exit status 6 if a value that is
`required` lies outside its tolerance. Recorded inputs are looked for in ../shared;
$SCHEDSIM_SHARED names another folder."""
import argparse
import os
import sys
import time

import measure
from reproduction import data
from reproduction import experiment as experiments
from reproduction import judge, plots, report, runner

OUTSIDE = 6
POINTS = os.path.join(measure.ROOT, "docs", "reproduction", "points.csv")


def order(experiment):
    """Returns the key by which experiments are sorted: figures, then tables,
    in the order of the paper, then the rest by name."""
    kind, _, number = experiment["answers"][0].partition(" ")
    digits = "".join(c for c in number if c.isdigit())
    return ({"figure": 0, "table": 1}.get(kind, 2), int(digits or 0), number,
            experiment["id"])


def wanted(args, known):
    names = ["table %s" % n for n in args.table] + [
        "figure %s" % n for n in args.figure]
    if args.all or args.quick and not names and not args.experiment:
        return known
    chosen = []
    for name in names:
        found = [e for e in known if any(
            answer == name or answer.startswith(name + " ")
            for answer in e["answers"])]
        if not found:
            raise measure.Failed("no experiment answers %s; --list shows all" %
                                 name)
        chosen += found
    for name in args.experiment:
        found = [e for e in known if e["id"] == name]
        if not found:
            raise measure.Failed("no experiment '%s'; --list shows all" % name)
        chosen += found
    return [e for e in known if e in chosen]


def list_all(known):
    measure.table(["experiment", "answers", "runs", "quick", "title"], [
        [e["id"], ", ".join(e["answers"]), len(experiments.runs(e)),
         len(experiments.runs(experiments.at_quick(e))), e["title"]]
        for e in known])


def check(known):
    """Prints each departure from a source that has no comment, and each row
    that compares runs that the experiment never makes."""
    facts = experiments.sources()
    found = [words for e in known for words in experiments.departures(e, facts)]
    unmet = [words for e in known for words in judge.without_run(e)]
    for words in found + unmet:
        print(words)
    print("%d experiments, %d departures without a comment, %d rows without a run" %
          (len(known), len(found), len(unmet)))
    return OUTSIDE if found or unmet else 0


def carry_out(store, chosen):
    """Carries out the runs of all experiments, two at a time. Returns
    (experiment, runs, results) for each experiment."""
    plans = [(e, experiments.runs(e)) for e in chosen]
    flat = [run for _, runs in plans for run in runs]
    results = runner.run_all(store, flat, progress=runner.tell)
    done, at = [], 0
    for e, runs in plans:
        done.append((e, runs, results[at:at + len(runs)]))
        at += len(runs)
    return done


def reproduce(args, chosen):
    facts = experiments.sources()
    complaints = [w for e in chosen for w in experiments.departures(e, facts) +
                  judge.without_run(e)]
    if complaints:
        raise measure.Failed("%s (%d in all)" % (complaints[0], len(complaints)))
    if args.quick:
        chosen = [experiments.at_quick(e) for e in chosen]
    store = runner.Store(args.out)
    runner.clear_scratch(store)
    began = time.monotonic()
    done = carry_out(store, chosen)
    lines, said = [], []
    print("%s\n" % measure.machine())
    for e, runs, results in done:
        mine = judge.lines_of(e, runs, results, facts)
        lines += mine
        print(report.section(e, mine, runs, store))
        said += plots.draw(args.out, e, runs, results, mine)
    runner.write(store.path("results.csv"), report.results_csv(lines))
    runner.write(store.path("runs.csv"), report.runs_csv(done))
    if args.write:
        runner.write(POINTS, report.results_csv(lines))
    for words in dict.fromkeys(said):
        print("note: " + words)
    print("%s; %d runs, %.0f s; results.csv, runs.csv and plots in %s" % (
        report.count(lines), sum(len(runs) for _, runs, _ in done),
        time.monotonic() - began, args.out))
    return OUTSIDE if judge.outside(lines) else 0


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--data", nargs="?", const="list",
                        choices=("list", "fetch"))
    parser.add_argument("--from", dest="host", default=data.HOST, metavar="URL",
                        help="where fetch looks for URL/OWNER/NAME/raw/COMMIT/PATH; "
                        "default %(default)s")
    parser.add_argument("--table", action="append", default=[], metavar="N")
    parser.add_argument("--figure", action="append", default=[], metavar="N")
    parser.add_argument("--experiment", action="append", default=[],
                        metavar="NAME")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--quick", action="store_true",
                        help="fewer seeds, jobs and values; everything unless "
                        "some are named")
    parser.add_argument("--out", default=os.path.join(
        os.path.dirname(measure.SCHEDSIM), "reproduction"), metavar="DIR",
        help="folder of results; default reproduction beside the program")
    parser.add_argument("--write", action="store_true",
                        help="write docs/reproduction/points.csv")
    parser.add_argument("--experiments", default=experiments.FOLDER,
                        metavar="DIR", help="folder of the experiments")
    return parser, parser.parse_args()


def main():
    parser, args = parse()
    known = sorted(experiments.load_all(args.experiments), key=order)
    if args.list:
        list_all(known)
        return 0
    if args.check:
        return check(known)
    if args.data == "list":
        data.list_inputs(known)
        return 0
    if args.data == "fetch":
        return 1 if data.fetch_missing(known, args.host) else 0
    if not (args.all or args.quick or args.table or args.figure or
            args.experiment):
        parser.print_usage(sys.stderr)
        return 2
    return reproduce(args, wanted(args, known))


if __name__ == "__main__":
    try:
        measure.main(main)
    except experiments.Wrong as error:
        print("reproduce.py: %s" % error, file=sys.stderr)
        sys.exit(3)
