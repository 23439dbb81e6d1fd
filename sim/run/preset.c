/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The named clusters, in the shorthand of describe.h, each with its source. In
 * a preset with several GPU types, all types count as equally fast (@1) for
 * jobs that no model of throughput describes; a remark of the run says so. */
#include "sim/run/describe.h"

const struct preset presets[] = {
    {.name = "a800-64",
     .shorthand = "8x8:A800",
     .source = "SchedMate's physical cluster: 64 A800 GPUs"},
    {.name = "a800-128",
     .shorthand = "16x8:A800",
     .source = "twice the physical cluster of SchedMate: 128 A800 GPUs"},
    {.name = "philly",
     .shorthand = "6214e9=64x8:P,7f04ca=32x8:P,11cb48=16x8:P,b436b2=64x8:P,"
                  "ee9e8c=64x8:P,e13805=16x8:P,6c71a0=32x8:P,2869ce=16x8:P,"
                  "ed69ec=8x8:P,103959=8x8:P,0e4a51=32x8:P",
     .source = "nodes by virtual cluster as HeliosArtifact assumes them, 8 "
               "GPUs each"},
    {.name = "venus",
     .shorthand =
         "vcEwI=9x8:V100,vcWoR=5x8:V100,vcHvQ=8x8:V100,vcvGl=20x8:V100,"
         "vc8Gr=6x8:V100,vcKeu=12x8:V100,vcKrE=4x8:V100,vcYVn=11x8:V100,"
         "vchbv=4x8:V100,vcLTP=8x8:V100,vchA3=3x8:V100,vcJsw=32x8:V100,"
         "vcefl=10x8:V100,vcvlY=2x8:V100,vcgkz=1x8:V100",
     .source = "Lucid's Venus configuration, September 2020: 135 nodes"},
    {.name = "saturn",
     .shorthand = "260x8:V100",
     .source = "2,080 GPUs in the Helios summary; its virtual clusters are not "
               "public"},
    {.name = "seren",
     .shorthand = "286x8:A100",
     .source = "Acme (NSDI'24): 286 nodes of 8 A100"},
    {.name = "kalos",
     .shorthand = "302x8:A100",
     .source = "Acme (NSDI'24): 302 nodes of 8 A100"},
    {.name = "sia-hetero",
     .shorthand = "6x4:T4@1+2x8:A100@1+3x8:RTX2080Ti@1",
     .source = "Sia (SOSP'23), heterogeneous setting: 64 GPUs of three types"},
    {.name = "sia-hetero-2x",
     .shorthand = "12x4:T4@1+4x8:A100@1+6x8:RTX2080Ti@1",
     .source = "twice the heterogeneous setting of Sia: 128 GPUs"},
    {.name = "sia-hetero-4x",
     .shorthand = "24x4:T4@1+8x8:A100@1+12x8:RTX2080Ti@1",
     .source = "four times"},
    {.name = "sia-hetero-8x",
     .shorthand = "48x4:T4@1+16x8:A100@1+24x8:RTX2080Ti@1",
     .source = "eight times"},
    {.name = "sia-hetero-16x",
     .shorthand = "96x4:T4@1+32x8:A100@1+48x8:RTX2080Ti@1",
     .source = "16 times"},
    {.name = "sia-hetero-32x",
     .shorthand = "192x4:T4@1+64x8:A100@1+96x8:RTX2080Ti@1",
     .source = "32 times: 2,048 GPUs"},
    {.name = "sia-homo",
     .shorthand = "16x4:T4",
     .source = "Sia, homogeneous setting: 64 T4"},
    {.name = "sia-phoebe",
     .shorthand = "2x8:A100@1+1x4:RTX6000@1+3x8:RTX2080Ti@1",
     .source = "Sia's physical cluster: 44 GPUs of three types"},
    {.name = NULL},
};
