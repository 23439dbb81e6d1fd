/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State and functions that the panels of a figure share. */
#ifndef REPORT_PLOT_INTERNAL_H
#define REPORT_PLOT_INTERNAL_H

#include "commands/report/plot.h"

/* The things that need a wider margin. */
struct plot_wide {
    bool labels;  /* true for an axis of times on the left */
    bool colours; /* true for a scale of colours on the right */
    /* true if the names below the panels are slanted, so that they fit */
    bool below;
};

struct plot {
    struct out *out;
    const struct report_runs *runs; /* runs of the figure; NULL for bars */
    const struct plot_wishes *wishes;
    uint32_t vc;           /* symbol in each run's data.vcs, or LOAD_ALL */
    const char *time_unit; /* unit of the axis of time */
    double time_scale;     /* microseconds in time_unit */
    double end;            /* end of the axis of time, in time_unit */
    /* names in the key: those of the runs, or of the colours of bars */
    const char *const *names;
    size_t n_names;
};

/* plot_head writes the terminal and the styles. plot_layout, called after the
 * data are written, writes the layout of panels. plot->names must be set. */
void plot_head(const struct plot *plot, double height);
void plot_layout(const struct plot *plot, size_t rows, size_t columns,
                 double height, const struct plot_wide *wide);
/* Returns the height of the figure in cm. */
double plot_height(const struct plot *plot, size_t rows, size_t columns,
                   const struct plot_wide *wide);
/* Begins a data block, which is named after its panel and its number in the
 * panel. Its rows follow; plot_data_end ends it. */
void plot_data(const struct plot *plot, unsigned panel, size_t number);
void plot_data_end(const struct plot *plot);
/* Writes a number of a row, after a blank; NaN for one that is not finite. */
void plot_number(const struct plot *plot, double value);
/* Writes "plot" (for number 0) or a comma, and the name of a data block. */
void plot_of(const struct plot *plot, unsigned panel, size_t number);
/* Writes the name in the key and the line style of a run or of a colour of
 * bars. */
void plot_style(const struct plot *plot, size_t run);
/* Makes the axis 'x' or 'y' a logarithmic axis of seconds, with tics at round
 * lengths of time such as 10 min. */
void plot_log_time(const struct plot *plot, char axis);

/* Panels. For each, one function writes its data blocks; another one writes its
 * axes and its plot command, within the multiplot. `queue`: true for waiting
 * jobs, false for busy GPUs. */
void plot_cdf_data(const struct plot *plot, unsigned panel);
void plot_cdf(const struct plot *plot, unsigned panel);
void plot_load_data(const struct plot *plot, unsigned panel, bool queue);
void plot_load(const struct plot *plot, unsigned panel, bool queue);
void plot_boxes_data(const struct plot *plot, unsigned panel);
void plot_boxes(const struct plot *plot, unsigned panel);
void plot_nodes_data(const struct plot *plot, unsigned panel, size_t run);
void plot_nodes(const struct plot *plot, unsigned panel, size_t run);

#endif
