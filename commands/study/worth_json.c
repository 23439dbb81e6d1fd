/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the answer of `worth` as JSON, and as a figure. */
#include <math.h>

#include "base/json.h"
#include "commands/report/report_internal.h"
#include "commands/study/worth.h"

static void put_change(struct json_stream *js, const char *key,
                       const struct worth_change *c)
{
    json_stream_object(js, key);
    json_stream_number(js, "alone", c->alone);
    json_stream_number(js, "with", c->with);
    json_stream_number(js, "change", c->mean);
    json_stream_number(js, "lo", c->lo);
    json_stream_number(js, "hi", c->hi);
    json_stream_object_end(js);
}

static void put_row(struct json_stream *js, const struct worth *worth, size_t i)
{
    static const char *const keys[WORTH_MEASURES] = {
        [WORTH_JCT] = "jct_s",
        [WORTH_WAIT] = "wait_s",
        [WORTH_PROFILING] = "profiling_gpu_hours",
        [WORTH_IDLE_WORK] = "lost_gpu_hours",
        [WORTH_RESTARTS] = "restarts",
    };
    const struct worth_row *row = &worth->rows[i];
    struct worth_cost cost = worth_cost_of(worth, i);
    json_stream_object(js, NULL);
    json_stream_text(js, "name", row->name);
    json_stream_text(js, "policy", row->policy);
    if (row->schedmate)
        json_stream_text(js, "schedmate", row->schedmate);
    if (!isnan(row->quality))
        json_stream_number(js, "quality", row->quality);
    for (unsigned m = 0; m < WORTH_MEASURES; m++) {
        struct worth_change c =
            worth_change_of(worth, i, (enum worth_measure)m);
        put_change(js, keys[m], &c);
    }
    json_stream_object(js, "cost");
    json_stream_number(js, "advisor", cost.questions[ADVICE_ADVISOR]);
    json_stream_number(js, "tracker", cost.questions[ADVICE_TRACKER]);
    json_stream_number(js, "handler", cost.questions[ADVICE_HANDLER]);
    json_stream_number(js, "tokens_in", cost.tokens_in);
    json_stream_number(js, "tokens_out", cost.tokens_out);
    json_stream_number(js, "gpu_s", cost.gpu_s);
    json_stream_object_end(js);
    json_stream_whole(js, "unfinished", (int64_t)cost.n_unfinished);
    json_stream_array(js, "jct_by_draw_s");
    for (uint32_t d = 0; d < worth->draws; d++)
        json_stream_number(js, NULL, row->value[WORTH_JCT][d]);
    json_stream_array_end(js);
    json_stream_object_end(js);
}

void worth_json(const struct worth *worth, struct out *out)
{
    static const char *const verdicts[] = {
        [WORTH_PAYS] = "pays",
        [WORTH_UNSURE] = "unsure",
        [WORTH_PAYS_NOT] = "does not pay",
        [WORTH_HARMS] = "harms",
    };
    struct json_stream js = json_stream_to(out);
    double quality;
    json_stream_object(&js, NULL);
    json_stream_text(&js, "trace", worth->trace);
    json_stream_text(&js, "cluster", worth->cluster);
    json_stream_text(&js, "policy", worth->policy);
    json_stream_whole(&js, "jobs", worth->n_jobs);
    json_stream_whole(&js, "draws", worth->draws);
    json_stream_bool(&js, "assumes_models", worth->assumes_models);
    json_stream_text(&js, "verdict", verdicts[worth_judge(worth)]);
    json_stream_number(&js, "break_even_quality",
                       worth_break_even(worth, &quality) ? quality : NAN);
    json_stream_number(&js, "quality_of_published_errors",
                       worth_quality_of(worth, WORTH_ALL, &quality) ? quality
                                                                    : NAN);
    json_stream_number(&js, "quality_of_rules", WORTH_RULES);
    json_stream_number(&js, "change_with_rules",
                       worth_at_quality(worth, WORTH_RULES));
    const struct measured *m = &worth->measured;
    if (m->model) {
        json_stream_text(&js, "measured_model", m->model);
        json_stream_whole(&js, "measured_answers", m->n_answers);
        json_stream_bool(&js, "measured_fields", m->has_fields);
        json_stream_number(&js, "quality_measured", m->right);
        json_stream_number(&js, "change_with_measured",
                           worth_at_quality(worth, m->right));
        json_stream_number(
            &js, "quality_of_measured_errors",
            worth_quality_of(worth, worth->measured_row, &quality) ? quality
                                                                   : NAN);
    }
    json_stream_array(&js, "rows");
    for (size_t i = 0; i < worth->n_rows; i++)
        put_row(&js, worth, i);
    json_stream_array_end(&js);
    json_stream_object_end(&js);
    json_stream_end(&js);
}

/* Writes the script of the figure. */
static void worth_script(const struct worth *worth, struct out *out)
{
    double all = 100 * worth_change_of(worth, WORTH_ALL, WORTH_JCT).mean;
    out_printf(out, "set terminal svg size 640,400 background 'white' "
                    "font 'DejaVu Sans,12'\n"
                    "set xlabel 'quality of the advice (share of answers that "
                    "are right)'\nset ylabel 'change of the mean JCT, %%'\n"
                    "set xrange [-0.02:1.02]\nset key top right\n"
                    "set grid ytics lc rgb '#dddddd'\nset title ");
    gnuplot_quote(out, worth->policy);
    out_printf(out,
               "\nset arrow from %g, graph 0 to %g, graph 1 nohead dt 3\n"
               "set label 'rules' at %g, graph 0.04\n",
               WORTH_RULES, WORTH_RULES, WORTH_RULES + 0.01);
    if (worth->measured.model)
        out_printf(out,
                   "set arrow from %g, graph 0 to %g, graph 1 nohead dt 4\n"
                   "set label 'measured' at %g, graph 0.09\n",
                   worth->measured.right, worth->measured.right,
                   worth->measured.right + 0.01);
    out_printf(out, "$d << EOD\n");
    for (size_t i = worth->first_quality; i < worth->n_rows; i++) {
        struct worth_change c = worth_change_of(worth, i, WORTH_JCT);
        out_printf(out, "%g %g %g %g\n", worth->rows[i].quality, 100 * c.mean,
                   100 * c.lo, 100 * c.hi);
    }
    out_printf(out,
               "EOD\nplot 0 lc rgb 'black' lw 1 notitle, %g lc rgb '#e69f00' "
               "dt 2 title 'published errors', $d with yerrorbars lc rgb "
               "'#0072b2' pt 7 ps 0.6 title '95 %% of draws', $d with lines "
               "lc rgb '#0072b2' notitle\n",
               all);
}

enum status worth_plot(const struct worth *worth, const char *path,
                       struct error *err)
{
    struct out *script = out_to_memory(), *out;
    worth_script(worth, script);
    enum status st = out_open(path, &out, err);
    if (st == STATUS_OK) {
        st = gnuplot_run(out_memory(script), out, err);
        if (st == STATUS_OK)
            st = out_close(out, err);
        else
            out_abandon(out);
    }
    out_abandon(script);
    return st;
}
