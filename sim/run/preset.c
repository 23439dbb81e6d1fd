/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The named clusters, in the shorthand of describe.h, each with its source. In
 * a preset with several GPU types, all types count as equally fast (@1) for
 * jobs that no model of throughput describes; a remark of the run says so. */
#include "sim/run/describe.h"

const struct preset presets[] = {
    {"a800-64", "8x8:A800", "SchedMate's physical cluster: 64 A800 GPUs"},
    {"a800-128", "16x8:A800",
     "twice the physical cluster of SchedMate: 128 A800 GPUs"},
    {"philly",
     "6214e9=64x8:P,7f04ca=32x8:P,11cb48=16x8:P,b436b2=64x8:P,ee9e8c=64x8:P,"
     "e13805=16x8:P,6c71a0=32x8:P,2869ce=16x8:P,ed69ec=8x8:P,103959=8x8:P,"
     "0e4a51=32x8:P",
     "nodes by virtual cluster as HeliosArtifact assumes them, 8 GPUs each"},
    {"venus",
     "vcEwI=9x8:V100,vcWoR=5x8:V100,vcHvQ=8x8:V100,vcvGl=20x8:V100,"
     "vc8Gr=6x8:V100,vcKeu=12x8:V100,vcKrE=4x8:V100,vcYVn=11x8:V100,"
     "vchbv=4x8:V100,vcLTP=8x8:V100,vchA3=3x8:V100,vcJsw=32x8:V100,"
     "vcefl=10x8:V100,vcvlY=2x8:V100,vcgkz=1x8:V100",
     "Lucid's Venus configuration, September 2020: 135 nodes"},
    {"saturn", "260x8:V100",
     "2,080 GPUs in the Helios summary; its virtual clusters are not public"},
    {"seren", "286x8:A100", "Acme (NSDI'24): 286 nodes of 8 A100"},
    {"kalos", "302x8:A100", "Acme (NSDI'24): 302 nodes of 8 A100"},
    {"sia-hetero", "6x4:T4@1+2x8:A100@1+3x8:RTX2080Ti@1",
     "Sia (SOSP'23), heterogeneous setting: 64 GPUs of three types"},
    {"sia-hetero-2x", "12x4:T4@1+4x8:A100@1+6x8:RTX2080Ti@1",
     "twice the heterogeneous setting of Sia: 128 GPUs"},
    {"sia-hetero-4x", "24x4:T4@1+8x8:A100@1+12x8:RTX2080Ti@1", "four times"},
    {"sia-hetero-8x", "48x4:T4@1+16x8:A100@1+24x8:RTX2080Ti@1", "eight times"},
    {"sia-hetero-16x", "96x4:T4@1+32x8:A100@1+48x8:RTX2080Ti@1", "16 times"},
    {"sia-hetero-32x", "192x4:T4@1+64x8:A100@1+96x8:RTX2080Ti@1",
     "32 times: 2,048 GPUs"},
    {"sia-homo", "16x4:T4", "Sia, homogeneous setting: 64 T4"},
    {"sia-phoebe", "2x8:A100@1+1x4:RTX6000@1+3x8:RTX2080Ti@1",
     "Sia's physical cluster: 44 GPUs of three types"},
    {NULL, NULL, NULL},
};
