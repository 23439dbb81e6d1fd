/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by bench/track_fit.py from the step times of 83 real and 884 generated
 * logs; not for editing. */
#ifndef MODELS_SCHEDMATE_TRACKER_WEIGHTS_H
#define MODELS_SCHEDMATE_TRACKER_WEIGHTS_H

#define TRACKER_FLOOR 0.75
#define TRACKER_BIAS 2.669
#define TRACKER_WEIGHTS(X) \
    X(ADVANCES, 1.287) \
    X(AGREES, 0.000) \
    X(AVERAGE, 0.000) \
    X(BAR, -1.552) \
    X(BAR_NAMED, 0.000) \
    X(BARE, 0.070) \
    X(BARE_BAR, -1.018) \
    X(CLOCK, 0.357) \
    X(CLOCK_AGREES, 0.000) \
    X(COARSE, 0.000) \
    X(EPOCH_BAR, -0.613) \
    X(EPOCHS, 0.061) \
    X(FEW, -0.024) \
    X(LONG, 0.535) \
    X(LOSS_LINE, 0.000) \
    X(LOSS_NEAR, 0.278) \
    X(METRIC, 0.000) \
    X(NO_EPOCH, -0.544) \
    X(NO_METRIC, -0.727) \
    X(OBJECTED, -2.504) \
    X(OTHER_WORK, -0.958) \
    X(SAID, 0.927) \
    X(STANDS, -1.241) \
    X(THROUGHPUT, 0.065) \
    X(TOO_CLOSE, 0.000) \
    X(UNSAID, 0.000) \
    X(WHOLE_RUN, 0.000)

#endif
