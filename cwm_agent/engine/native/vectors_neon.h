/* Vectors of four floats and products of int8 for ARM processors with products of four bytes (`sdot`). */

#pragma GCC target("arch=armv8.2-a+dotprod")

#include <arm_neon.h>
#include <math.h>
#include <stdint.h>
#include <sys/auxv.h>

#define LANES 4                 /* floats of a vector */
#define BLOCK 8                 /* columns that are attended to together: whole vectors */
#define MOST 6                  /* tokens that are multiplied with ABREAST times TILE outputs together */
#define ABREAST 1
#define BYTES 1                 /* of a rounded value; a second one would take as long again */
#define TOKEN_GROUP 1           /* tokens whose rounded values lie together */
#define STEPS 127               /* of values, from 0 to the largest */

typedef float32x4_t vector;
typedef uint16_t half;          /* 16 bits of a number: an IEEE half, or as `store_pair` has them */

static inline vector load(const float *from) { return vld1q_f32(from); }
static inline void store(float *to, vector values) { vst1q_f32(to, values); }
static inline vector load_half(const half *from) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))); }
static inline void store_half(half *to, vector values) { vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(values))); }
static inline vector all(float value) { return vdupq_n_f32(value); }
static inline vector added(vector left, vector right) { return vaddq_f32(left, right); }
static inline vector less(vector left, vector right) { return vsubq_f32(left, right); }
static inline vector times(vector left, vector right) { return vmulq_f32(left, right); }
static inline vector over(vector left, vector right) { return vdivq_f32(left, right); }
static inline vector largest(vector left, vector right) { return vmaxq_f32(left, right); }
static inline vector smallest(vector left, vector right) { return vminq_f32(left, right); }
static inline vector without_sign(vector values) { return vabsq_f32(values); }
static inline vector plus_product(vector sum, vector left, vector right) { return vfmaq_f32(sum, left, right); }
static inline vector plus_scaled(vector sum, vector values, float by) { return vfmaq_n_f32(sum, values, by); }
static inline vector nearest(vector values) { return vrndnq_f32(values); }
static inline float sum_of(vector values) { return vaddvq_f32(values); }
static inline float largest_of(vector values) { return vmaxvq_f32(values); }

/* Two vectors in 16 bits a number: the upper ones of fp32, so none is too large. Those of the second vector stand below
   those of the first, which are rounded so that the number with all 32 bits is nearest: it is read as it stands, since
   taking bits away, or making fp32 of an IEEE half, takes longer than to load it. */
static inline void store_pair(half *to, vector first, vector second)
{
    uint32x4_t bits = vreinterpretq_u32_f32(first), middle = vdupq_n_u32(0x8000);
    uint32x4_t low = vshrq_n_u32(vaddq_u32(vreinterpretq_u32_f32(second), middle), 16);
    uint32x4_t size = vbicq_u32(bits, vdupq_n_u32(0x80000000)), sign = vandq_u32(bits, vdupq_n_u32(0x80000000));
    uint32x4_t high = vandq_u32(vqsubq_u32(vaddq_u32(size, middle), low), vdupq_n_u32(0x7FFF0000));
    vst1q_u16(to, vreinterpretq_u16_u32(vorrq_u32(vorrq_u32(sign, high), low)));
}

static inline vector load_first(const half *pair) { return vreinterpretq_f32_u16(vld1q_u16(pair)); }
static inline vector load_second(const half *pair)
{
    return vreinterpretq_f32_u16(vtrn1q_u16(vdupq_n_u16(0), vld1q_u16(pair)));
}

/* The processor fetches what is read in order from memory by itself. */
static inline void fetch(const half *from, int64_t count) { (void)from, (void)count; }

/* The values times 2 ** exponents, which are whole. */
static inline vector times_power(vector values, vector exponents)
{
    int32x4_t whole = vcvtq_s32_f32(exponents);
    return vmulq_f32(values, vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(whole, vdupq_n_s32(127)), 23)));
}

/* The values where `other` is above a bound; elsewhere 0. */
static inline vector where_above(vector values, vector other, float bound)
{
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(values), vcgtq_f32(other, vdupq_n_f32(bound))));
}

/* The sums of rows x columns vectors; a row of sums lies `apart` floats behind the one before. */
static inline __attribute__((always_inline)) void store_sums(float *to, int64_t apart, const int rows,
                                                             const int columns, const vector *own)
{
    for (int at = 0; at < rows * columns; at += 4) {
        const vector *four = own + at;
        vector sums = vpaddq_f32(vpaddq_f32(four[0], four[1]), vpaddq_f32(four[2], four[3]));
        vst1q_f32(to + at / columns * apart + at % columns, sums);
    }
}

/* Turn 16 numbers, neighbours together, by the cosines and sines of `angles`. */
static inline void turn_pairs(float *pairs, const float *gain, const float *angles, float scale)
{
    for (int at = 0; at < 16; at += 8) {
        float32x4x2_t own = vld2q_f32(pairs + at), gains = vld2q_f32(gain + at), turns = vld2q_f32(angles + at);
        float32x4_t real = vmulq_n_f32(vmulq_f32(own.val[0], gains.val[0]), scale);
        float32x4_t other = vmulq_n_f32(vmulq_f32(own.val[1], gains.val[1]), scale);
        own.val[0] = vfmsq_f32(vmulq_f32(real, turns.val[0]), other, turns.val[1]);
        own.val[1] = vfmaq_f32(vmulq_f32(real, turns.val[1]), other, turns.val[0]);
        vst2q_f32(pairs + at, own);
    }
}

/* Where a rounded value lies. */
static inline int64_t rounded_place(int64_t token, int64_t at, int64_t inputs) { return token * inputs + at; }

/* 16 numbers times a factor as bytes. */
static inline void round_to_bytes(const float *values, float factor, int8_t *rounded)
{
    int32x4_t whole[4];
    for (int part = 0; part < 4; part++)
        whole[part] = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(values + 4 * part), factor));
    int16x8_t low = vcombine_s16(vqmovn_s32(whole[0]), vqmovn_s32(whole[1]));
    int16x8_t high = vcombine_s16(vqmovn_s32(whole[2]), vqmovn_s32(whole[3]));
    vst1q_s8(rounded, vcombine_s8(vqmovn_s16(low), vqmovn_s16(high)));
}

/* 16 outputs of a few tokens, whose number is a constant wherever this is called. `excess` is for other processors, and
   so are `ahead` and `step`: this one fetches weights by itself. */
static inline __attribute__((always_inline)) void tile(const int tokens, const int8_t *values, const float *scales,
                                                       const int8_t *packed, const float *matrix_scales,
                                                       const int32_t *excess, int64_t inputs, int64_t outputs,
                                                       const int8_t *ahead, int64_t step, float *found)
{
    (void)excess, (void)ahead, (void)step;
    int32x4_t sums[MOST][4];
    for (int token = 0; token < tokens; token++)
        for (int part = 0; part < 4; part++)
            sums[token][part] = vdupq_n_s32(0);
    for (int64_t at = 0; at < inputs; at += 16) {
        int8x16_t own[MOST];
        for (int token = 0; token < tokens; token++)
            own[token] = vld1q_s8(values + token * inputs + at);
#define FOUR_INPUTS(lane)                                                                                              \
    {                                                                                                                  \
        for (int part = 0; part < 4; part++) {                                                                         \
            int8x16_t weights = vld1q_s8(packed + 16 * part);                                                          \
            for (int token = 0; token < tokens; token++)                                                               \
                sums[token][part] = vdotq_laneq_s32(sums[token][part], weights, own[token], lane);                     \
        }                                                                                                              \
        packed += 64;                                                                                                  \
    }
        FOUR_INPUTS(0)
        FOUR_INPUTS(1)
        FOUR_INPUTS(2)
        FOUR_INPUTS(3)
#undef FOUR_INPUTS
    }
    for (int token = 0; token < tokens; token++)
        for (int part = 0; part < 4; part++) {
            float32x4_t exact = vmulq_f32(vcvtq_f32_s32(sums[token][part]), vld1q_f32(matrix_scales + 4 * part));
            vst1q_f32(found + token * outputs + 4 * part, vmulq_n_f32(exact, scales[token]));
        }
}

int supported(void) { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }

/* Products of four bytes without memory: what the processor allows, for benchmarks. Returns how many multiplications
   and additions these were. */
int64_t dot_products(int64_t rounds)
{
    int32x4_t a = vdupq_n_s32(0), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    int8x16_t own = vdupq_n_s8((int8_t)rounds);
#define DOT(sum) __asm__ volatile("sdot %0.4s, %1.16b, %1.16b" : "+w"(sum) : "w"(own))
    for (int64_t round = 0; round < rounds; round++) {
        DOT(a); DOT(b); DOT(c); DOT(d); DOT(e); DOT(f); DOT(g); DOT(h);
    }
#undef DOT
    return rounds * 8 * 16 * 2;
}
