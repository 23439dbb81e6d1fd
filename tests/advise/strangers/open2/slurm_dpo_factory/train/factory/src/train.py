# SPDX-License-Identifier: GPL-3.0-or-later
from factory.tune import run_exp


def main():
    run_exp()


if __name__ == "__main__":
    main()
