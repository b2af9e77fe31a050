/* Vectors of sixteen floats and products of int8 for x86 processors with AVX-512 and its products of four bytes (VNNI).

   A value is two bytes here: 256 times the first and the second. So values are rounded in 65,025 steps, and nearly
   all answers are those of fp32; where a matrix has to come from memory, the second byte costs nothing. The products multiply
   unsigned with signed bytes. Both bytes are stored 128 too large, and what that adds to every sum is taken away
   again: 128 times the sum of the weights of an output, its `excess`. */

#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")
#if (__GNUC__ >= 11 && !defined(__clang__)) || defined(__AMX_INT8__)
#pragma GCC target("amx-tile,amx-int8")
#define HAS_TILES
#endif

#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANES 16                /* floats of a vector */
#define BLOCK 16                /* columns that are attended to together: whole vectors */
#define MOST 6                  /* tokens that are multiplied with ABREAST times TILE outputs together */
#define ABREAST 2
#define BYTES 2                 /* of a rounded value */
#define TOKEN_GROUP 16          /* tokens whose rounded values lie together */
#define STEPS (127 * 256)       /* of values, from 0 to the largest */

typedef __m512 vector;
typedef uint16_t half;          /* 16 bits of a number: an IEEE half, or as `store_pair` has them */

static inline vector load(const float *from) { return _mm512_loadu_ps(from); }
static inline void store(float *to, vector values) { _mm512_storeu_ps(to, values); }
static inline vector load_half(const half *from) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from)); }
static inline void store_half(half *to, vector values)
{
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
static inline vector all(float value) { return _mm512_set1_ps(value); }
static inline vector added(vector left, vector right) { return _mm512_add_ps(left, right); }
static inline vector less(vector left, vector right) { return _mm512_sub_ps(left, right); }
static inline vector times(vector left, vector right) { return _mm512_mul_ps(left, right); }
static inline vector over(vector left, vector right) { return _mm512_div_ps(left, right); }
static inline vector largest(vector left, vector right) { return _mm512_max_ps(left, right); }
static inline vector smallest(vector left, vector right) { return _mm512_min_ps(left, right); }
static inline vector without_sign(vector values) { return _mm512_abs_ps(values); }
static inline vector plus_product(vector sum, vector left, vector right) { return _mm512_fmadd_ps(left, right, sum); }
static inline vector plus_scaled(vector sum, vector values, float by)
{
    return _mm512_fmadd_ps(values, _mm512_set1_ps(by), sum);
}
static inline vector nearest(vector values) { return _mm512_roundscale_ps(values, 0); }
static inline float sum_of(vector values) { return _mm512_reduce_add_ps(values); }
static inline float largest_of(vector values) { return _mm512_reduce_max_ps(values); }

/* Two vectors in 16 bits a number: the upper ones of fp32, so none is too large. Those of the second vector stand below
   those of the first, which are rounded so that the number with all 32 bits is nearest: it is read as it stands, since
   taking bits away, or making fp32 of an IEEE half, takes longer than to load it. */
static inline void store_pair(half *to, vector first, vector second)
{
    __m512i bits = _mm512_castps_si512(first), middle = _mm512_set1_epi32(0x8000);
    __m512i low = _mm512_srli_epi32(_mm512_add_epi32(_mm512_castps_si512(second), middle), 16);
    __m512i size = _mm512_add_epi32(_mm512_and_epi32(bits, _mm512_set1_epi32(0x7FFFFFFF)), middle);
    __m512i high = _mm512_sub_epi32(_mm512_max_epu32(size, low), low);
    high = _mm512_and_epi32(high, _mm512_set1_epi32(0x7FFF0000));
    __m512i sign = _mm512_and_epi32(bits, _mm512_set1_epi32((int)0x80000000));
    _mm512_storeu_si512(to, _mm512_or_epi32(_mm512_or_epi32(sign, high), low));
}

static inline vector load_first(const half *pair) { return _mm512_castsi512_ps(_mm512_loadu_si512(pair)); }
static inline vector load_second(const half *pair)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(pair), 16));
}

/* Have so many numbers fetched from memory. */
static inline void fetch(const half *from, int64_t count)
{
    for (int64_t at = 0; at < count; at += 32)
        _mm_prefetch((const char *)(from + at), _MM_HINT_T1);
}

/* The values times 2 ** exponents, which are whole. */
static inline vector times_power(vector values, vector exponents) { return _mm512_scalef_ps(values, exponents); }

/* The values where `other` is above a bound; elsewhere 0. */
static inline vector where_above(vector values, vector other, float bound)
{
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(other, _mm512_set1_ps(bound), _CMP_GT_OQ), values);
}

/* The sums of sixteen vectors, side by side: halves are added, then neighbours, neighbours again, and what is left. */
static inline vector sums_of_sixteen(const vector *own)
{
    vector halves[8], pairs[4], fours[2];
    for (int at = 0; at < 8; at++) { /* of vectors 0 and 4, 1 and 5, ... */
        vector left = own[at / 4 * 8 + at % 4], right = own[at / 4 * 8 + at % 4 + 4];
        halves[at] = added(_mm512_mask_blend_ps(0xFF00, left, right), _mm512_shuffle_f32x4(left, right, 0x4E));
    }
    for (int at = 0; at < 4; at++)
        pairs[at] = added(_mm512_shuffle_ps(halves[2 * at], halves[2 * at + 1], 0x88),
                          _mm512_shuffle_ps(halves[2 * at], halves[2 * at + 1], 0xDD));
    for (int at = 0; at < 2; at++)
        fours[at] = added(_mm512_shuffle_ps(pairs[2 * at], pairs[2 * at + 1], 0x88),
                          _mm512_shuffle_ps(pairs[2 * at], pairs[2 * at + 1], 0xDD));
    return added(_mm512_shuffle_f32x4(fours[0], fours[1], 0x88), _mm512_shuffle_f32x4(fours[0], fours[1], 0xDD));
}

/* The sums of rows x columns vectors, which are sixteen; a row of sums lies `apart` floats behind the one before. */
static inline __attribute__((always_inline)) void store_sums(float *to, int64_t apart, const int rows,
                                                             const int columns, const vector *own)
{
    vector sums = sums_of_sixteen(own);
    (void)columns;
    if (rows == 1)
        store(to, sums);
    if (rows == 2) {
        _mm256_storeu_ps(to, _mm512_castps512_ps256(sums));
        _mm256_storeu_ps(to + apart, _mm512_extractf32x8_ps(sums, 1));
    }
    if (rows == 4) {
        _mm_storeu_ps(to, _mm512_castps512_ps128(sums));
        _mm_storeu_ps(to + apart, _mm512_extractf32x4_ps(sums, 1));
        _mm_storeu_ps(to + 2 * apart, _mm512_extractf32x4_ps(sums, 2));
        _mm_storeu_ps(to + 3 * apart, _mm512_extractf32x4_ps(sums, 3));
    }
}

/* Turn 16 numbers, neighbours together, by the cosines and sines of `angles`. */
static inline void turn_pairs(float *pairs, const float *gain, const float *angles, float scale)
{
    vector own = times(times(load(pairs), load(gain)), all(scale)), turns = load(angles);
    vector crossed = times(_mm512_permute_ps(own, 0xB1), _mm512_movehdup_ps(turns));
    store(pairs, _mm512_fmaddsub_ps(own, _mm512_moveldup_ps(turns), crossed));
}

/* Where the first byte of a rounded value lies: 64 inputs of TOKEN_GROUP tokens, 1 KB of first and then of second
   bytes, which is the form of a tile. */
static inline int64_t rounded_place(int64_t token, int64_t at, int64_t inputs)
{
    return (token / 16 * (inputs / 64) + at / 64) * 2048 + token % 16 * 64 + at % 64;
}

/* 16 numbers times a factor: first bytes, and 1 KB behind them second ones, each 128 too large. */
static inline void round_to_bytes(const float *values, float factor, int8_t *rounded)
{
    __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(values), _mm512_set1_ps(factor)));
    whole = _mm512_add_epi32(whole, _mm512_set1_epi32(128 * 256 + 128));
    _mm_storeu_si128((__m128i *)rounded, _mm512_cvtepi32_epi8(_mm512_srli_epi32(whole, 8)));
    _mm_storeu_si128((__m128i *)(rounded + 1024), _mm512_cvtepi32_epi8(whole));
}

/* 16 outputs from the sums of their first and second bytes. */
static inline vector exact_outputs(__m512i first, __m512i second, const float *matrix_scales, const int32_t *excess,
                                   float scale)
{
    __m512i away = _mm512_loadu_si512(excess);
    vector low = _mm512_cvtepi32_ps(_mm512_sub_epi32(second, away));
    vector sum = plus_scaled(low, _mm512_cvtepi32_ps(_mm512_sub_epi32(first, away)), 256);
    return times(times(sum, load(matrix_scales)), all(scale));
}

/* Four bytes, sixteen times. */
static inline __m512i repeated(const int8_t *four)
{
    int32_t bytes;
    memcpy(&bytes, four, sizeof bytes);
    return _mm512_set1_epi32(bytes);
}

/* Add the products of four unsigned bytes with four signed ones, sixteen times. Given the intrinsic, GCC 12 copies sums
   from register to register, which takes longer than the products. */
static inline __m512i plus_dots(__m512i sums, __m512i values, __m512i weights)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(values), "v"(weights));
    return sums;
}

/* Twice 16 outputs of a few tokens, whose number is a constant wherever this is called. Meanwhile the weights from
   `ahead` on are fetched, `step` bytes for each four inputs: at most two cache lines. */
static inline __attribute__((always_inline)) void tile(const int tokens, const int8_t *values, const float *scales,
                                                       const int8_t *packed, const float *matrix_scales,
                                                       const int32_t *excess, int64_t inputs, int64_t outputs,
                                                       const int8_t *ahead, int64_t step, float *found)
{
    __m512i sums[MOST][ABREAST][BYTES];
    for (int token = 0; token < tokens; token++)
        for (int part = 0; part < ABREAST; part++)
            sums[token][part][0] = sums[token][part][1] = _mm512_setzero_si512();
    for (int64_t chunk = 0; chunk < inputs; chunk += 64, values += 2048)
        for (int at = 0; at < 64; at += 4, packed += 64, ahead += step) {
            __m512i weights[ABREAST];
            for (int part = 0; part < ABREAST; part++)
                weights[part] = _mm512_loadu_si512(packed + part * 16 * inputs);
            _mm_prefetch((const char *)ahead, _MM_HINT_T1);
            _mm_prefetch((const char *)(ahead + step / 2), _MM_HINT_T1);
            for (int token = 0; token < tokens; token++)
                for (int byte = 0; byte < BYTES; byte++) {
                    __m512i own = repeated(values + byte * 1024 + token * 64 + at);
                    for (int part = 0; part < ABREAST; part++)
                        sums[token][part][byte] = plus_dots(sums[token][part][byte], own, weights[part]);
                }
        }
    for (int token = 0; token < tokens; token++)
        for (int part = 0; part < ABREAST; part++)
            store(found + token * outputs + 16 * part,
                  exact_outputs(sums[token][part][0], sums[token][part][1], matrix_scales + 16 * part,
                                excess + 16 * part, scales[token]));
}

int supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("fma");
}

/* Products of four bytes without memory: what the processor allows, for benchmarks. Returns how many multiplications
   and additions these were. */
int64_t dot_products(int64_t rounds)
{
    __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a;
    __m512i own = _mm512_set1_epi8((char)rounds);
#define DOT(sum) __asm__ volatile("vpdpbusd %1, %1, %0" : "+v"(sum) : "v"(own))
    for (int64_t round = 0; round < rounds; round++) {
        DOT(a); DOT(b); DOT(c); DOT(d); DOT(e); DOT(f); DOT(g); DOT(h); DOT(i); DOT(j); DOT(k); DOT(l);
    }
#undef DOT
    return rounds * 12 * 64 * 2;
}
