/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by bench/track_fit.py from the step times of 159 real and 1768 generated
 * logs; not for editing. */
#ifndef MODELS_SCHEDMATE_TRACKER_WEIGHTS_H
#define MODELS_SCHEDMATE_TRACKER_WEIGHTS_H

#define TRACKER_FLOOR 0.60
#define TRACKER_BIAS 3.027
#define TRACKER_WEIGHTS(X) \
    X(ADVANCES, 1.080) \
    X(AGREES, 0.230) \
    X(AVERAGE, 0.000) \
    X(BAR, -0.880) \
    X(BAR_NAMED, 0.000) \
    X(BARE, -0.267) \
    X(BARE_BAR, -0.485) \
    X(CLOCK, 0.552) \
    X(CLOCK_AGREES, 0.000) \
    X(ELAPSED, 0.290) \
    X(EPOCH_BAR, -0.354) \
    X(EPOCHS, 0.028) \
    X(FEW, -0.420) \
    X(LONG, 1.281) \
    X(LOSS_LINE, 0.000) \
    X(LOSS_NEAR, 0.279) \
    X(METRIC, 0.233) \
    X(NO_EPOCH, -0.739) \
    X(NO_METRIC, -0.718) \
    X(OBJECTED, -3.931) \
    X(OTHER_WORK, -1.178) \
    X(RIVAL, 0.000) \
    X(SAID, 0.279) \
    X(STANDS, -0.973) \
    X(THROUGHPUT, 0.045) \
    X(TOO_CLOSE, 0.000) \
    X(UNSAID, -0.503)

#endif
