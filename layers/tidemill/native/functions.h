// Functions of sixteen floats.
#pragma once

#include <math.h>

#include "simd.h"

static const float LOG2_E = 1.44269504088896341f;

enum activation { NONE, GELU, GELU_TANH, RELU, SILU, TANH };

// 2^x for x up to 127, within two units in the last place: 2^n times a polynomial on an octave, the
// one through the Chebyshev nodes.
static inline floats two_to_the(floats x) {
    x = larger(x, all(-126.0f));
    const ints n = rounded(x);
    const floats r = x - to_floats(n);
    floats p = r * 1.3400432e-3f + 9.6760370e-3f;
    p = p * r + 5.5503272e-2f;
    p = p * r + 2.4022107e-1f;
    p = p * r + 6.9314721e-1f;
    p = p * r + 1.0000001f;
    return (floats)((ints)p + (n << 23));
}

// The share of a normal distribution below x, within 5e-5: a half and an odd polynomial on [-4.4, 4.4],
// the one of whose x-fold, which is GELU, the largest error is least. That is 4e-5, a six-hundredth of a
// level where values reach 3. To be more exact takes a division.
static inline floats normal_below(floats x) {
    x = smaller(larger(x, all(-4.4f)), all(4.4f));
    const floats s = x * x;
    floats p = s * 3.57254924e-11f + -3.75655834e-09f;
    p = p * s + 1.74168140e-07f;
    p = p * s + -4.72634823e-06f;
    p = p * s + 8.43081262e-05f;
    p = p * s + -1.05508161e-03f;
    p = p * s + 9.64331662e-03f;
    p = p * s + -6.60768833e-02f;
    p = p * s + 3.98761866e-01f;
    return x * p + 0.5f;
}

// x / (1 + e^-u)
static inline floats logistic(floats x, floats u) {
    return x / (1.0f + two_to_the(smaller(-u * LOG2_E, all(126.0f))));
}

static inline floats activated(floats x, enum activation activation) {
    switch (activation) {
        case GELU: return x * normal_below(x);
        case GELU_TANH: // x (1 + tanh u) / 2, where u is root 2/pi times the cubic: x / (1 + e^-2u)
            return logistic(x, x * (1.0f + 0.044715f * x * x) * 1.5957691216057308f);
        case RELU: return chosen(x < 0.0f, all(0.0f), x); // which keeps NaN
        case SILU: return logistic(x, x);
        case TANH:
            for (int lane = 0; lane < LANES; lane++) x[lane] = tanhf(x[lane]);
            return x;
        case NONE: break;
    }
    return x;
}
