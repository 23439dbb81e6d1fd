/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by bench/track_fit.py from the step times of 204 real and 1768 generated
 * logs; not for editing. */
#ifndef MODELS_SCHEDMATE_TRACKER_WEIGHTS_H
#define MODELS_SCHEDMATE_TRACKER_WEIGHTS_H

#define TRACKER_FLOOR 0.55
#define TRACKER_BIAS 3.080
#define TRACKER_WEIGHTS(X) \
    X(ADVANCES, 0.894) \
    X(AGREES, 0.150) \
    X(AVERAGE, 0.000) \
    X(BAR, -0.600) \
    X(BAR_NAMED, 0.000) \
    X(BARE, -0.133) \
    X(BARE_BAR, -0.380) \
    X(CLOCK, 0.372) \
    X(CLOCK_AGREES, 0.000) \
    X(CLOCK_WINS, 0.012) \
    X(ELAPSED, 0.269) \
    X(EPOCH_BAR, -0.735) \
    X(EPOCHS, 0.036) \
    X(FEW, -0.406) \
    X(LONG, 0.786) \
    X(LOSS_LINE, 0.000) \
    X(LOSS_NEAR, 0.420) \
    X(METRIC, 0.250) \
    X(NO_EPOCH, -0.739) \
    X(NO_METRIC, -0.863) \
    X(OBJECTED, -4.409) \
    X(OTHER_WORK, -1.108) \
    X(RIVAL, -0.171) \
    X(SAID, 0.290) \
    X(STANDS, -0.797) \
    X(THROUGHPUT, 0.055) \
    X(TOO_CLOSE, 0.000) \
    X(UNSAID, -0.863)

#endif
