/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by bench/track_fit.py from the step times of 87 real and 884 generated
 * logs; not for editing. */
#ifndef MODELS_SCHEDMATE_TRACKER_WEIGHTS_H
#define MODELS_SCHEDMATE_TRACKER_WEIGHTS_H

#define TRACKER_FLOOR 0.60
#define TRACKER_BIAS 2.861
#define TRACKER_WEIGHTS(X) \
    X(ADVANCES, 1.307) \
    X(AGREES, 0.000) \
    X(AVERAGE, 0.000) \
    X(BAR, -0.797) \
    X(BAR_NAMED, 0.000) \
    X(BARE, 0.058) \
    X(BARE_BAR, -0.737) \
    X(CLOCK, 0.368) \
    X(CLOCK_AGREES, 0.000) \
    X(EPOCH_BAR, -0.351) \
    X(EPOCHS, 0.061) \
    X(FEW, -0.474) \
    X(LONG, 0.590) \
    X(LOSS_LINE, 0.000) \
    X(LOSS_NEAR, 0.069) \
    X(METRIC, 0.000) \
    X(NO_EPOCH, -0.320) \
    X(NO_METRIC, -0.534) \
    X(OBJECTED, -3.336) \
    X(OTHER_WORK, -0.739) \
    X(SAID, 0.480) \
    X(STANDS, -0.967) \
    X(THROUGHPUT, 0.054) \
    X(TOO_CLOSE, 0.000) \
    X(WHOLE_RUN, -0.169)

#endif
