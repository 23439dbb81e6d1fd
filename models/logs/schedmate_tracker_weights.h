/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by bench/track_fit.py from the step times of 87 real and 884 generated
 * logs; not for editing. */
#ifndef MODELS_SCHEDMATE_TRACKER_WEIGHTS_H
#define MODELS_SCHEDMATE_TRACKER_WEIGHTS_H

#define TRACKER_FLOOR 0.80
#define TRACKER_BIAS 2.711
#define TRACKER_WEIGHTS(X) \
    X(ADVANCES, 1.296) \
    X(AGREES, 0.000) \
    X(AVERAGE, -0.441) \
    X(BAR, -1.364) \
    X(BAR_NAMED, 0.000) \
    X(BARE, 0.067) \
    X(BARE_BAR, -0.972) \
    X(CLOCK, 0.358) \
    X(CLOCK_AGREES, 0.000) \
    X(COARSE, -0.194) \
    X(EPOCH_BAR, -0.555) \
    X(EPOCHS, 0.061) \
    X(FEW, -0.133) \
    X(LONG, 0.609) \
    X(LOSS_LINE, 0.000) \
    X(LOSS_NEAR, 0.235) \
    X(METRIC, 0.000) \
    X(NO_EPOCH, -0.484) \
    X(NO_METRIC, -0.688) \
    X(OBJECTED, -2.669) \
    X(OTHER_WORK, -0.914) \
    X(SAID, 0.817) \
    X(STANDS, -1.190) \
    X(THROUGHPUT, 0.093) \
    X(TOO_CLOSE, 0.000) \
    X(UNSAID, 0.000) \
    X(WHOLE_RUN, -0.674)

#endif
