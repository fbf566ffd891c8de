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

// The error function, within 4e-7: a rational function on [-4, 4], the one that Eigen has
// (generic_fast_erf_float).
static inline floats error_function(floats x) {
    x = smaller(larger(x, all(-4.0f)), all(4.0f));
    const floats s = x * x;
    floats p = s * -2.72614225801306e-10f + 2.77068142495902e-08f;
    p = p * s + -2.10102402082508e-06f;
    p = p * s + -5.69250639462346e-05f;
    p = p * s + -7.34990630326855e-04f;
    p = p * s + -2.95459980854025e-03f;
    p = p * s + -1.60960333262415e-02f;
    floats q = s * -1.45660718464996e-05f + -2.13374055278905e-04f;
    q = q * s + -1.68282697438203e-03f;
    q = q * s + -7.37332916720468e-03f;
    q = q * s + -1.42647390514189e-02f;
    return x * p / q;
}

// x / (1 + e^-u)
static inline floats logistic(floats x, floats u) {
    return x / (1.0f + two_to_the(smaller(-u * LOG2_E, all(126.0f))));
}

static inline floats activated(floats x, enum activation activation) {
    switch (activation) {
        case GELU: return x * 0.5f * (1.0f + error_function(x * 0.70710678118654752f));
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
