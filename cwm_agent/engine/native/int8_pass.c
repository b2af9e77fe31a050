/* A forward pass over new tokens of many rows: products in int8, all else in fp32.

   Every token is computed by itself, in the same order of operations whatever stands beside it, so its numbers do not
   depend on the batch. For ARM processors with products of four bytes (`sdot`); elsewhere the file is empty. It is
   loaded with ctypes and knows nothing of Python; `native_pass.py` describes the same structures. */

#if defined(__aarch64__) && defined(__linux__)

#pragma GCC target("arch=armv8.2-a+dotprod")

#include <arm_neon.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define HEAD 64                 /* width of a head */
#define TILE 16                 /* outputs of a matrix that are computed together */
#define MOST 6                  /* tokens that are computed together */
#define PANEL 48                /* tokens after which the next part of a matrix is loaded again */
#define TOGETHER 8              /* tokens of a row that attend together */
#define BLOCK 8                 /* columns whose values are summed together */
#define MARGIN 8                /* places behind the weights of a token: for whole vectors, and one for their sum */
#define EPSILON 1e-6f
#define SMALLEST 1e-30f

struct matrix {
    const int8_t *packed;       /* for each TILE outputs, for each 4 inputs: TILE x 4 numbers */
    const float *scales;        /* by output */
    int64_t inputs, outputs;
};

struct layer {
    const float *taps, *turned_gain, *feed_gain;
    struct matrix query_key_value, attention_out, gate_up, down;
};

struct network {
    const struct layer *layers;
    const float *embedding, *angles; /* of each position: cosine and sine of each pair of a head */
    int64_t depth, width, hidden, heads, key_heads, window;
};

struct rows {
    const int64_t *ids, *counts, *lengths; /* tokens of all rows; new tokens and earlier ones of each row */
    int64_t count, tokens;
    float *earlier, *own;       /* inputs of convolutions: window - 1 of each row from before, then of each token */
    float *cache;               /* rows x columns x (keys, values) x key heads x HEAD */
    int64_t input_stride, cache_stride, columns; /* from layer to layer */
    const int64_t *wanted;      /* tokens whose result is needed */
    int64_t wanted_count;
    float *found;               /* wanted tokens x width */
};

int supported(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
}

/* One token's values, rounded to 255 steps between minus and plus the largest. */
static void round_token(const float *values, int64_t width, int8_t *rounded, float *scale)
{
    float32x4_t largest[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
    for (int64_t at = 0; at < width; at += 16)
        for (int part = 0; part < 4; part++)
            largest[part] = vmaxq_f32(largest[part], vabsq_f32(vld1q_f32(values + at + 4 * part)));
    float step = vmaxvq_f32(vmaxq_f32(vmaxq_f32(largest[0], largest[1]), vmaxq_f32(largest[2], largest[3]))) / 127;
    *scale = step = step < SMALLEST ? SMALLEST : step;
    float inverse = 1 / step;
    for (int64_t at = 0; at < width; at += 16) {
        int32x4_t whole[4];
        for (int part = 0; part < 4; part++)
            whole[part] = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(values + at + 4 * part), inverse));
        int16x8_t low = vcombine_s16(vqmovn_s32(whole[0]), vqmovn_s32(whole[1]));
        int16x8_t high = vcombine_s16(vqmovn_s32(whole[2]), vqmovn_s32(whole[3]));
        vst1q_s8(rounded + at, vcombine_s8(vqmovn_s16(low), vqmovn_s16(high)));
    }
}

/* TILE outputs of a few tokens; `tokens` is a constant wherever this is called. */
static inline __attribute__((always_inline)) void tile(const int tokens, const int8_t *values, const float *scales,
                                                       const int8_t *packed, const float *matrix_scales,
                                                       int64_t inputs, int64_t outputs, float *found)
{
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
        int8x16_t weights[4];                                                                                          \
        for (int part = 0; part < 4; part++)                                                                           \
            weights[part] = vld1q_s8(packed + 16 * part);                                                              \
        packed += 64;                                                                                                  \
        for (int token = 0; token < tokens; token++)                                                                   \
            for (int part = 0; part < 4; part++)                                                                       \
                sums[token][part] = vdotq_laneq_s32(sums[token][part], weights[part], own[token], lane);              \
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

/* found: tokens x outputs. rounded and scales: room for the rounded values. */
static void multiply(const struct matrix *matrix, const float *values, int64_t tokens, int8_t *rounded, float *scales,
                     float *found)
{
    int64_t inputs = matrix->inputs, outputs = matrix->outputs;
    for (int64_t token = 0; token < tokens; token++)
        round_token(values + token * inputs, inputs, rounded + token * inputs, scales + token);
    for (int64_t first = 0; first < tokens; first += PANEL) {
        int64_t last = first + PANEL < tokens ? first + PANEL : tokens;
        for (int64_t output = 0; output < outputs; output += TILE) {
            const int8_t *packed = matrix->packed + output * inputs;
            int64_t token = first;
#define TOKENS(count)                                                                                                  \
    tile(count, rounded + token * inputs, scales + token, packed, matrix->scales + output, inputs, outputs,            \
         found + token * outputs + output)
            for (; token + MOST <= last; token += MOST)
                TOKENS(MOST);
            switch (last - token) {
            case 5: TOKENS(5); break;
            case 4: TOKENS(4); break;
            case 3: TOKENS(3); break;
            case 2: TOKENS(2); break;
            case 1: TOKENS(1); break;
            }
#undef TOKENS
        }
    }
}

/* 1 / root mean square. */
static float inverse_root(const float *values, int64_t width)
{
    float32x4_t sums[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
    for (int64_t at = 0; at < width; at += 16)
        for (int part = 0; part < 4; part++) {
            float32x4_t own = vld1q_f32(values + at + 4 * part);
            sums[part] = vfmaq_f32(sums[part], own, own);
        }
    float sum = vaddvq_f32(vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3])));
    return 1 / sqrtf(sum / (float)width + EPSILON);
}

/* 2 ** x for x from -126 to 126: the whole part goes to the exponent, the rest through a polynomial exact to 2e-7. */
static inline float32x4_t power_of_two(float32x4_t x)
{
    static const float factors[] = {1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f, 2.4022651e-1f, 6.9314718e-1f, 1};
    x = vminq_f32(vmaxq_f32(x, vdupq_n_f32(-126)), vdupq_n_f32(126));
    int32x4_t whole = vcvtnq_s32_f32(x);
    float32x4_t rest = vsubq_f32(x, vcvtq_f32_s32(whole)), value = vdupq_n_f32(1.5403530e-4f);
    for (int at = 0; at < 6; at++)
        value = vfmaq_f32(vdupq_n_f32(factors[at]), value, rest);
    return vmulq_f32(value, vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(whole, vdupq_n_s32(127)), 23)));
}

/* The norm of each token as an input of the convolution, and the convolution with the inputs before it in its row. */
static void mix(const struct network *net, const struct layer *layer, const struct rows *rows, int64_t depth,
                const float *stream, float *mixed)
{
    int64_t width = net->width, window = net->window, before = window - 1, token = 0;
    float *earlier = rows->earlier + depth * rows->input_stride, *own = rows->own + depth * rows->input_stride;
    for (int64_t row = 0; row < rows->count; row++)
        for (int64_t at = 0; at < rows->counts[row]; at++, token++) {
            const float *from = stream + token * width;
            float *input = own + token * width;
            float scale = inverse_root(from, width);
            for (int64_t place = 0; place < width; place += 4)
                vst1q_f32(input + place, vmulq_n_f32(vld1q_f32(from + place), scale));
            for (int64_t place = 0; place < width; place += 4) {
                float32x4_t sum = vmulq_f32(vld1q_f32(input + place), vld1q_f32(layer->taps + place));
                for (int64_t back = 1; back < window; back++) {
                    const float *part = at >= back ? input - back * width
                                                   : earlier + (row * before + before + at - back) * width;
                    sum = vfmaq_f32(sum, vld1q_f32(part + place), vld1q_f32(layer->taps + back * width + place));
                }
                vst1q_f32(mixed + token * width + place, sum);
            }
        }
}

/* Norm, gain and rotation of one head in place; neighbours are rotated together. */
static void turn(float *head, const float *gain, const float *angles)
{
    float scale = inverse_root(head, HEAD);
    for (int at = 0; at < HEAD; at += 8) {
        float32x4x2_t own = vld2q_f32(head + at), gains = vld2q_f32(gain + at), turns = vld2q_f32(angles + at);
        float32x4_t real = vmulq_n_f32(vmulq_f32(own.val[0], gains.val[0]), scale);
        float32x4_t other = vmulq_n_f32(vmulq_f32(own.val[1], gains.val[1]), scale);
        own.val[0] = vfmsq_f32(vmulq_f32(real, turns.val[0]), other, turns.val[1]);
        own.val[1] = vfmaq_f32(vmulq_f32(real, turns.val[1]), other, turns.val[0]);
        vst2q_f32(head + at, own);
    }
}

/* The query's products with four keys; with a stride of 0 four times the same. */
static inline float32x4_t four_products(const float *query, const float *keys, int64_t stride)
{
    float32x4_t sums[4][2];
    for (int column = 0; column < 4; column++)
        sums[column][0] = sums[column][1] = vdupq_n_f32(0);
    for (int at = 0; at < HEAD; at += 8)
        for (int half = 0; half < 2; half++) {
            float32x4_t own = vld1q_f32(query + at + 4 * half);
            for (int column = 0; column < 4; column++)
                sums[column][half] =
                    vfmaq_f32(sums[column][half], own, vld1q_f32(keys + column * stride + at + 4 * half));
        }
    float32x4_t each[4];
    for (int column = 0; column < 4; column++)
        each[column] = vaddq_f32(sums[column][0], sums[column][1]);
    return vpaddq_f32(vpaddq_f32(each[0], each[1]), vpaddq_f32(each[2], each[3]));
}

/* Weights of some tokens of a row by head: their queries' products with all its keys, token by token, head by head. */
static void weigh(const float *queries, int64_t wide, int64_t tokens, int64_t heads, int64_t shared, const float *keys,
                  int64_t columns, int64_t stride, float *weights, int64_t room)
{
    for (int64_t column = 0; column < columns; column += 4) {
        int64_t apart = column + 4 <= columns ? stride : 0; /* behind the last column there may be no memory */
        for (int64_t head = 0; head < heads; head++)
            for (int64_t part = 0; part < (apart ? 1 : columns - column); part++) {
                const float *own = keys + (column + part) * stride + head / shared * HEAD;
                for (int64_t token = 0; token < tokens; token++)
                    vst1q_f32(weights + (token * heads + head) * room + column + part,
                              four_products(queries + token * wide + head * HEAD, own, apart));
            }
    }
}

/* Products as shares, of the first `columns` columns; those behind them up to `all` have none. One over their sum. */
static float share(float *weights, int64_t columns, int64_t all)
{
    float32x4_t largest = vdupq_n_f32(-INFINITY), total = vdupq_n_f32(0);
    for (int64_t column = columns; column < all + 4; column++)
        weights[column] = -INFINITY;
    for (int64_t column = 0; column < columns; column += 4)
        largest = vmaxq_f32(largest, vld1q_f32(weights + column));
    float32x4_t most = vdupq_n_f32(vmaxvq_f32(largest));
    for (int64_t column = 0; column < columns; column += 4) {
        float32x4_t own = power_of_two(vsubq_f32(vld1q_f32(weights + column), most));
        vst1q_f32(weights + column, own);
        total = vaddq_f32(total, own);
    }
    for (int64_t column = columns; column < all + 4; column++)
        weights[column] = 0;
    return 1 / vaddvq_f32(total);
}

/* Sums of values by the weights of some tokens of a row. */
static void gather(const float *weights, int64_t room, int64_t tokens, int64_t heads, int64_t shared,
                   const float *values, int64_t columns, int64_t stride, float *found)
{
    memset(found, 0, (size_t)(tokens * heads * HEAD) * sizeof(float));
    for (int64_t column = 0; column < columns; column += BLOCK) {
        int64_t last = column + BLOCK < columns ? column + BLOCK : columns;
        for (int64_t head = 0; head < heads; head++)
            for (int64_t token = 0; token < tokens; token++) {
                const float *own = weights + (token * heads + head) * room;
                float *to = found + (token * heads + head) * HEAD;
                float32x4_t sums[HEAD / 4];
                for (int part = 0; part < HEAD / 4; part++)
                    sums[part] = vld1q_f32(to + 4 * part);
                for (int64_t at = column; at < last; at++)
                    for (int part = 0; part < HEAD / 4; part++)
                        sums[part] = vfmaq_n_f32(
                            sums[part], vld1q_f32(values + at * stride + head / shared * HEAD + 4 * part), own[at]);
                for (int part = 0; part < HEAD / 4; part++)
                    vst1q_f32(to + 4 * part, sums[part]);
            }
    }
}

/* Attention of all tokens; their keys and values are written to the cache first. Keys and values are read in the order
   in which they lie in memory, once for some tokens of a row together. */
static void attend(const struct network *net, const struct layer *layer, const struct rows *rows, int64_t depth,
                   float *projected, float *weights, float *attended)
{
    int64_t heads = net->heads, key_heads = net->key_heads, shared = heads / key_heads, token = 0;
    int64_t wide = (heads + 2 * key_heads) * HEAD, stride = 2 * key_heads * HEAD, room = rows->columns + MARGIN;
    for (int64_t row = 0; row < rows->count; row++) {
        float *own = rows->cache + depth * rows->cache_stride + row * rows->columns * stride;
        int64_t length = rows->lengths[row], count = rows->counts[row];
        for (int64_t at = 0; at < count; at++) {
            float *from = projected + (token + at) * wide;
            for (int64_t head = 0; head < heads + key_heads; head++)
                turn(from + head * HEAD, layer->turned_gain + head * HEAD, net->angles + (length + at) * HEAD);
            memcpy(own + (length + at) * stride, from + heads * HEAD, (size_t)stride * sizeof(float));
            for (int64_t place = 0; place < heads * HEAD; place += 4) /* 1 / sqrt(HEAD); powers of two in place of e */
                vst1q_f32(from + place, vmulq_n_f32(vld1q_f32(from + place), 1.44269504f / 8));
        }
        for (int64_t first = 0; first < count; first += TOGETHER) {
            int64_t tokens = first + TOGETHER < count ? TOGETHER : count - first, columns = length + first + tokens;
            float *found = attended + (token + first) * heads * HEAD;
            weigh(projected + (token + first) * wide, wide, tokens, heads, shared, own, columns, stride, weights, room);
            for (int64_t at = 0; at < tokens * heads; at++) {
                float *each = weights + at * room;
                each[room - 1] = share(each, length + first + at / heads + 1, columns);
            }
            gather(weights, room, tokens, heads, shared, own + key_heads * HEAD, columns, stride, found);
            for (int64_t at = 0; at < tokens * heads * HEAD; at += 4)
                vst1q_f32(found + at, vmulq_n_f32(vld1q_f32(found + at), weights[at / HEAD * room + room - 1]));
        }
        token += count;
    }
}

/* stream += added; fed: its norm times the gain. */
static void add_and_norm(float *stream, const float *added, const float *gain, int64_t tokens, int64_t width,
                         float *fed)
{
    for (int64_t token = 0; token < tokens; token++, stream += width, added += width, fed += width) {
        for (int64_t at = 0; at < width; at += 4)
            vst1q_f32(stream + at, vaddq_f32(vld1q_f32(stream + at), vld1q_f32(added + at)));
        float scale = inverse_root(stream, width);
        for (int64_t at = 0; at < width; at += 4)
            vst1q_f32(fed + at, vmulq_n_f32(vmulq_f32(vld1q_f32(stream + at), vld1q_f32(gain + at)), scale));
    }
}

/* gate * sigmoid(gate) * up; a token of `both` has the gate, then up. */
static void open_gate(const float *both, int64_t tokens, int64_t hidden, float *opened)
{
    for (int64_t token = 0; token < tokens; token++, both += 2 * hidden, opened += hidden)
        for (int64_t at = 0; at < hidden; at += 4) {
            float32x4_t gate = vld1q_f32(both + at);
            float32x4_t grown = vaddq_f32(power_of_two(vmulq_n_f32(gate, -1.44269504f)), vdupq_n_f32(1));
            vst1q_f32(opened + at, vmulq_f32(vdivq_f32(gate, grown), vld1q_f32(both + hidden + at)));
        }
}

static void keep_wanted(const struct rows *rows, float *values, int64_t width, float *kept)
{
    for (int64_t at = 0; at < rows->wanted_count; at++)
        memmove(kept + at * width, values + rows->wanted[at] * width, (size_t)width * sizeof(float));
}

static int64_t larger(int64_t left, int64_t right) { return left > right ? left : right; }

/* Compute new tokens and write their keys, values and inputs; 0 if there is no memory for it. */
int forward(const struct network *net, const struct rows *rows)
{
    int64_t width = net->width, hidden = net->hidden, tokens = rows->tokens, attended = net->heads * HEAD;
    int64_t wide = attended + 2 * net->key_heads * HEAD, most = larger(wide, 2 * hidden), values = larger(width, attended);
    int64_t weighed = TOGETHER * net->heads * (rows->columns + MARGIN);
    size_t numbers = (size_t)(tokens * (width + values + most + larger(hidden, attended) + 1) + weighed);
    float *stream = malloc(numbers * sizeof(float) + (size_t)(tokens * larger(hidden, values)));
    if (stream == NULL)
        return 0;
    float *small = stream + tokens * width, *large = small + tokens * values, *middle = large + tokens * most;
    float *scales = middle + tokens * larger(hidden, attended), *weights = scales + tokens;
    int8_t *rounded = (int8_t *)(weights + weighed);
    for (int64_t token = 0; token < tokens; token++)
        memcpy(stream + token * width, net->embedding + rows->ids[token] * width, (size_t)width * sizeof(float));
    for (int64_t depth = 0; depth < net->depth; depth++) {
        const struct layer *layer = net->layers + depth;
        mix(net, layer, rows, depth, stream, small);
        multiply(&layer->query_key_value, small, tokens, rounded, scales, large);
        attend(net, layer, rows, depth, large, weights, middle);
        if (depth == net->depth - 1) { /* wanted tokens come in order, so none is overwritten before it is kept */
            keep_wanted(rows, stream, width, stream);
            keep_wanted(rows, middle, attended, middle);
            tokens = rows->wanted_count;
        }
        multiply(&layer->attention_out, middle, tokens, rounded, scales, small);
        add_and_norm(stream, small, layer->feed_gain, tokens, width, small);
        multiply(&layer->gate_up, small, tokens, rounded, scales, large);
        open_gate(large, tokens, hidden, middle);
        multiply(&layer->down, middle, tokens, rounded, scales, small);
        for (int64_t at = 0; at < tokens * width; at += 4)
            vst1q_f32(stream + at, vaddq_f32(vld1q_f32(stream + at), vld1q_f32(small + at)));
    }
    memcpy(rows->found, stream, (size_t)(tokens * width) * sizeof(float));
    free(stream);
    return 1;
}

#endif
