/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by bench/track_fit.py from the step times of 193 real and 1768 generated
 * logs; not for editing. */
#ifndef MODELS_SCHEDMATE_TRACKER_WEIGHTS_H
#define MODELS_SCHEDMATE_TRACKER_WEIGHTS_H

#define TRACKER_FLOOR 0.55
#define TRACKER_BIAS 3.156
#define TRACKER_WEIGHTS(X) \
    X(ADVANCES, 0.834) \
    X(AGREES, 0.055) \
    X(AVERAGE, 0.000) \
    X(BAR, -0.591) \
    X(BAR_NAMED, 0.028) \
    X(BARE, -0.203) \
    X(BARE_BAR, -0.530) \
    X(CLOCK, -0.191) \
    X(CLOCK_AGREES, 0.000) \
    X(CLOCK_WINS, 0.012) \
    X(CONTRADICTED, -0.747) \
    X(ELAPSED, 0.256) \
    X(EPOCH_BAR, -0.234) \
    X(EPOCHS, 0.060) \
    X(FEW, -0.380) \
    X(LONG, 0.787) \
    X(LOSS_LINE, 0.170) \
    X(LOSS_NEAR, 0.268) \
    X(METRIC, 0.325) \
    X(NO_EPOCH, -0.862) \
    X(NO_METRIC, -0.611) \
    X(OBJECTED, -4.217) \
    X(OTHER_WORK, -1.232) \
    X(RIVAL, 0.000) \
    X(SAID, 0.290) \
    X(THROUGHPUT, 0.059) \
    X(TOO_CLOSE, 0.000) \
    X(UNSAID, -1.013)

#endif
