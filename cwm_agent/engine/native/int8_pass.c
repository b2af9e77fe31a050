/* A forward pass over new tokens of many rows: products with matrices in int8, all else in fp32. What later tokens read
   is kept in 16 bits a number: keys and values as pairs (`store_pair`), inputs of convolutions as IEEE half.

   Every token is computed by itself, in the same order of operations whatever stands beside it, so its numbers do not
   depend on the batch. What depends on the processor is in `vectors_neon.h` and `vectors_avx512.h`; elsewhere the file
   is empty. It is loaded with ctypes and knows nothing of Python; `native_pass.py` describes the same structures. */

#if defined(__aarch64__) && defined(__linux__)
#include "vectors_neon.h"
#elif defined(__x86_64__) && defined(__linux__)
#include "vectors_avx512.h"
#endif

#ifdef LANES

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "products.h"

#define HEAD 64                 /* width of a head */
#define TOGETHER 8              /* tokens of a row that attend together: one bit of a byte each */
#define PARTS(count) ((count) < HEAD / LANES ? (count) : HEAD / LANES) /* vectors of a head, so many at most */
#define MARGIN (BLOCK + 1)      /* places behind the weights of a token: for whole BLOCKs, and one for their sum */
#define LINE 64                 /* bytes of a cache line */
#define EPSILON 1e-6f

int layout(void) { return 3; } /* version of the structures and functions, which `native_pass.py` describes too */
int value_bytes(void) { return BYTES; } /* of a value in a product */

struct layer {
    const float *taps, *turned_gain, *feed_gain;
    struct matrix query_key_value, attention_out, gate_up, down;
};

struct network {
    const struct layer *layers;
    const float *embedding, *angles; /* of each position: cosine and sine of each pair of a head */
    int64_t depth, width, hidden, heads, key_heads, window;
};

struct head {
    const float *gain, *matrix; /* outputs x width */
    int64_t width, outputs;
};

struct rows {
    const int64_t *ids, *counts, *lengths; /* tokens of all rows; new tokens and earlier ones of each row */
    int64_t count, tokens;
    const int64_t *parents, *depths; /* by node, where the one row is a prompt with a tree of tokens behind it; or NULL */
    int64_t first;              /* the node that the first new token is */
    half *earlier, *own;        /* inputs of convolutions: window - 1 of each row from before, then of each token; those
                                   of a tree stand by node, and none is earlier */
    half *cache;                /* rows x columns x (keys, values) x key heads x HEAD */
    int64_t input_stride, cache_stride, columns; /* from layer to layer */
    const int64_t *wanted;      /* tokens whose result is needed */
    int64_t wanted_count;
    float *found;               /* wanted tokens x width */
};

/* 1 / root mean square. */
static float inverse_root(const float *values, int64_t width)
{
    vector sums[16 / LANES];
    for (int part = 0; part < 16 / LANES; part++)
        sums[part] = all(0);
    for (int64_t at = 0; at < width; at += 16)
        for (int part = 0; part < 16 / LANES; part++) {
            vector own = load(values + at + LANES * part);
            sums[part] = plus_product(sums[part], own, own);
        }
    for (int count = 16 / LANES; count > 1; count /= 2) /* neighbours first */
        for (int part = 0; part < count / 2; part++)
            sums[part] = added(sums[2 * part], sums[2 * part + 1]);
    float sum = sum_of(sums[0]);
    return 1 / sqrtf(sum / (float)width + EPSILON);
}

/* 2 ** x for x from -126 to 126: the whole part goes to the exponent, the rest through a polynomial exact to 2e-7. */
static inline vector power_of_two(vector x)
{
    static const float factors[] = {1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f, 2.4022651e-1f, 6.9314718e-1f, 1};
    x = smallest(largest(x, all(-126)), all(126));
    vector whole = nearest(x), rest = less(x, whole), value = all(1.5403530e-4f);
    for (int at = 0; at < 6; at++)
        value = plus_product(all(factors[at]), value, rest);
    return times_power(value, whole);
}

/* The input of the convolution `back` tokens before token `at` of a row, whose own one is `input`; NULL for none. */
static const half *input_before(const struct rows *rows, const half *earlier, const half *input, int64_t row,
                                int64_t at, int64_t back, int64_t width, int64_t before)
{
    if (rows->parents == NULL)
        return at >= back ? input - back * width : earlier + (row * before + before + at - back) * width;
    int64_t node = rows->first + at;
    for (int64_t step = 0; step < back && node >= 0; step++)
        node = rows->parents[node];
    return node < 0 ? NULL : input + (node - rows->first - at) * width;
}

/* The norm of each token as an input of the convolution, and the convolution with the inputs before it. */
static void mix(const struct network *net, const struct layer *layer, const struct rows *rows, int64_t depth,
                const float *stream, float *mixed)
{
    int64_t width = net->width, before = net->window - 1, token = 0;
    half *earlier = rows->earlier + depth * rows->input_stride, *own = rows->own + depth * rows->input_stride;
    for (int64_t row = 0; row < rows->count; row++)
        for (int64_t at = 0; at < rows->counts[row]; at++, token++) {
            const float *from = stream + token * width;
            half *input = own + (rows->first + token) * width;
            float *to = mixed + token * width;
            float scale = inverse_root(from, width);
            for (int64_t place = 0; place < width; place += LANES) {
                vector normed = times(load(from + place), all(scale));
                store_half(input + place, normed);
                store(to + place, times(normed, load(layer->taps + place)));
            }
            for (int64_t back = 1; back <= before; back++) {
                const half *part = input_before(rows, earlier, input, row, at, back, width, before);
                const float *taps = layer->taps + back * width;
                for (int64_t place = 0; part != NULL && place < width; place += LANES)
                    store(to + place, plus_product(load(to + place), load_half(part + place), load(taps + place)));
            }
        }
}

/* Norm, gain and rotation of one head in place; neighbours are rotated together. */
static void turn(float *head, const float *gain, const float *angles)
{
    float scale = inverse_root(head, HEAD);
    for (int at = 0; at < HEAD; at += 16)
        turn_pairs(head + at, gain + at, angles + at, scale);
}

/* Keys and values in 16 bits. */
static void keep_pairs(const float *values, int64_t count, half *kept)
{
    for (int64_t at = 0; at < count; at += 2 * LANES)
        store_pair(kept + at, load(values + at), load(values + at + LANES));
}

/* What some tokens of a row attend to together. */
struct view {
    int64_t tokens, columns;    /* columns that at least one of them sees */
    const int32_t *places;      /* of these columns in the cache; then the last one again, until BLOCKs are whole */
    float *weights;             /* tokens x heads x room */
    int64_t room, heads, shared, stride;
    int far;                    /* whether no token of this row has loaded these columns yet */
};

/* Products of the queries of a few tokens with the keys of a few columns, at most 16; both numbers are constants
   where this is called. Each product is computed in the same order whatever stands beside it. */
static inline __attribute__((always_inline)) void tile_of_products(const int tokens, const int columns,
                                                                   const float *queries, int64_t query_stride,
                                                                   const half *const *keys, int64_t begin,
                                                                   float *found, int64_t found_stride)
{
    vector sums[16];
    for (int at = 0; at < tokens * columns; at++)
        sums[at] = all(0);
    for (int at = 0; at < HEAD; at += 2 * LANES)
        for (int side = 0; side < 2; side++) {
            vector own[4];
            for (int token = 0; token < tokens; token++)
                own[token] = load(queries + token * query_stride + at + LANES * side);
            for (int column = 0; column < columns; column++) {
                const half *pair = keys[column] + begin + at;
                vector key = side == 0 ? load_first(pair) : load_second(pair);
                for (int token = 0; token < tokens; token++)
                    sums[token * columns + column] = plus_product(sums[token * columns + column], own[token], key);
            }
        }
    store_sums(found, found_stride, tokens, columns, sums);
}

/* The products of the tokens' queries with all keys. */
static void weigh(const struct view *view, const float *queries, int64_t wide, const half *keys)
{
    int64_t apart = view->heads * view->room;
    for (int64_t column = 0; column < view->columns; column += BLOCK) {
        const half *own[BLOCK];
        for (int part = 0; part < BLOCK; part++)
            own[part] = keys + view->places[column + part] * view->stride;
        for (int64_t part = column + BLOCK; view->far && part < column + 2 * BLOCK && part < view->columns; part++)
            fetch(keys + view->places[part] * view->stride, view->stride); /* their values, too */
        for (int64_t head = 0; head < view->heads; head++) {
            int64_t token = 0;
#define TILE_AT(tokens, columns, first)                                                                                \
    tile_of_products(tokens, columns, queries + token * wide + head * HEAD, wide, own + (first),                       \
                     head / view->shared * HEAD, view->weights + token * apart + head * view->room + column + (first), \
                     apart)
            for (; token + 4 <= view->tokens; token += 4)
                for (int part = 0; part < BLOCK; part += 4)
                    TILE_AT(4, 4, part);
            for (; token + 2 <= view->tokens; token += 2)
                for (int part = 0; part < BLOCK; part += 8)
                    TILE_AT(2, 8, part);
            if (token < view->tokens)
                TILE_AT(1, BLOCK, 0);
#undef TILE_AT
        }
    }
}

/* Products as weights, all over their sum; the sum is kept behind them. Products of minus infinity have no weight. */
static void share(float *weights, int64_t columns, float *sum)
{
    vector most = all(-INFINITY), total = all(0);
    for (int64_t column = columns; column % BLOCK; column++)
        weights[column] = -INFINITY;
    columns = (columns + BLOCK - 1) / BLOCK * BLOCK;
    for (int64_t column = 0; column < columns; column += LANES)
        most = largest(most, load(weights + column));
    most = all(largest_of(most));
    for (int64_t column = 0; column < columns; column += LANES) {
        vector below = less(load(weights + column), most), own = where_above(power_of_two(below), below, -126);
        store(weights + column, own);
        total = added(total, own);
    }
    *sum = sum_of(total);
}

/* Add the values of BLOCK columns by the weights of a few tokens; `tokens` and `parts` are constants where this is
   called. */
static inline __attribute__((always_inline)) void add_values(const int tokens, const int parts,
                                                             const half *const *values, int64_t begin,
                                                             const float *weights, float *found,
                                                             const struct view *view)
{
    vector sums[4][HEAD / LANES];
    int64_t weights_apart = view->heads * view->room, found_apart = view->heads * HEAD;
    for (int token = 0; token < tokens; token++)
        for (int part = 0; part < parts; part++)
            sums[token][part] = load(found + token * found_apart + LANES * part);
    for (int column = 0; column < BLOCK; column++)
        for (int part = 0; part < parts; part++) {
            const half *pair = values[column] + begin + LANES * (part / 2 * 2);
            vector value = part % 2 == 0 ? load_first(pair) : load_second(pair);
            for (int token = 0; token < tokens; token++)
                sums[token][part] = plus_scaled(sums[token][part], value, weights[token * weights_apart + column]);
        }
    for (int token = 0; token < tokens; token++)
        for (int part = 0; part < parts; part++)
            store(found + token * found_apart + LANES * part, sums[token][part]);
}

/* The tokens' sums of values by their weights. */
static void gather(const struct view *view, const half *values, float *found)
{
    int64_t apart = view->heads * view->room;
    memset(found, 0, (size_t)(view->tokens * view->heads * HEAD) * sizeof(float));
    for (int64_t column = 0; column < view->columns; column += BLOCK) {
        const half *own[BLOCK];
        for (int part = 0; part < BLOCK; part++)
            own[part] = values + view->places[column + part] * view->stride;
        for (int64_t head = 0; head < view->heads; head++) {
            int64_t token = 0;
#define ADD(tokens, parts)                                                                                             \
    for (int at = 0; at < HEAD; at += LANES * (parts))                                                                 \
        add_values(tokens, parts, own, head / view->shared * HEAD + at,                                                \
                   view->weights + token * apart + head * view->room + column,                                         \
                   found + (token * view->heads + head) * HEAD + at, view);
            for (; token + 4 <= view->tokens; token += 4)
                ADD(4, 4)
            for (; token + 2 <= view->tokens; token += 2)
                ADD(2, PARTS(8))
            if (token < view->tokens)
                ADD(1, PARTS(16))
#undef ADD
        }
    }
    for (int64_t head = 0; head < view->tokens * view->heads; head++, found += HEAD) {
        float inverse = 1 / view->weights[(head + 1) * view->room - 1];
        for (int at = 0; at < HEAD; at += LANES)
            store(found + at, times(load(found + at), all(inverse)));
    }
}

/* The columns that some tokens of a row see: all before the first one and these tokens, or, of a tree, the prompt and
   the nodes from its root to these tokens. */
static int64_t seen_columns(const struct rows *rows, int64_t length, int64_t first, int64_t tokens, int32_t *places,
                            uint8_t *paths)
{
    int64_t count = rows->parents == NULL ? length + first + tokens : length;
    for (int64_t column = 0; column < count; column++)
        places[column] = (int32_t)column;
    for (int64_t token = 0; rows->parents != NULL && token < tokens; token++)
        for (int64_t node = rows->first + first + token; node >= 0; node = rows->parents[node]) {
            if (paths[node] == 0)
                places[count++] = (int32_t)(length + node);
            paths[node] |= (uint8_t)(1 << token);
        }
    for (int64_t column = count; column % BLOCK; column++)
        places[column] = places[count - 1];
    return count;
}

/* Take the products with columns that a token does not see away: those behind it, or beside its path in a tree. */
static void hide_others(const struct rows *rows, const struct view *view, int64_t length, int64_t first,
                        uint8_t *paths)
{
    for (int64_t token = 0; token < view->tokens; token++) {
        int64_t begin = rows->parents == NULL ? length + first + token + 1 : length;
        for (int64_t column = begin; column < view->columns; column++) {
            int seen = rows->parents != NULL && paths[view->places[column] - length] >> token & 1;
            for (int64_t head = 0; !seen && head < view->heads; head++)
                view->weights[(token * view->heads + head) * view->room + column] = -INFINITY;
        }
    }
    for (int64_t column = length; rows->parents != NULL && column < view->columns; column++)
        paths[view->places[column] - length] = 0;
}

/* Attention of all tokens; their keys and values are written to the cache first. Keys and values are read in the order
   in which they lie in memory, once for some tokens of a row together. */
static void attend(const struct network *net, const struct layer *layer, const struct rows *rows, int64_t depth,
                   float *projected, float *weights, int32_t *places, uint8_t *paths, float *attended)
{
    int64_t heads = net->heads, key_heads = net->key_heads, token = 0;
    int64_t wide = (heads + 2 * key_heads) * HEAD, stride = 2 * key_heads * HEAD;
    struct view view = {0, 0, places, weights, rows->columns + MARGIN, heads, heads / key_heads, stride, 1};
    for (int64_t row = 0; row < rows->count; row++) {
        half *own = rows->cache + depth * rows->cache_stride + row * rows->columns * stride;
        int64_t length = rows->lengths[row], count = rows->counts[row];
        for (int64_t at = 0; at < count; at++) {
            float *from = projected + (token + at) * wide;
            int64_t behind = rows->parents == NULL ? at : rows->depths[rows->first + at];
            for (int64_t head = 0; head < heads + key_heads; head++)
                turn(from + head * HEAD, layer->turned_gain + head * HEAD, net->angles + (length + behind) * HEAD);
            keep_pairs(from + heads * HEAD, stride, own + (length + rows->first + at) * stride);
            for (int64_t place = 0; place < heads * HEAD; place += LANES) /* 1 / sqrt(HEAD); powers of 2, not of e */
                store(from + place, times(load(from + place), all(1.44269504f / 8)));
        }
        for (int64_t first = 0; first < count; first += TOGETHER) {
            view.tokens = first + TOGETHER < count ? TOGETHER : count - first;
            view.far = first == 0;
            view.columns = seen_columns(rows, length, first, view.tokens, places, paths);
            weigh(&view, projected + (token + first) * wide, wide, own);
            hide_others(rows, &view, length, first, paths);
            for (int64_t at = 0; at < view.tokens * heads; at++)
                share(weights + at * view.room, view.columns, weights + (at + 1) * view.room - 1);
            gather(&view, own + key_heads * HEAD, attended + (token + first) * heads * HEAD);
        }
        token += count;
    }
}

/* stream += change; fed: its norm times the gain. */
static void add_and_norm(float *stream, const float *change, const float *gain, int64_t tokens, int64_t width,
                         float *fed)
{
    for (int64_t token = 0; token < tokens; token++, stream += width, change += width, fed += width) {
        for (int64_t at = 0; at < width; at += LANES)
            store(stream + at, added(load(stream + at), load(change + at)));
        float scale = inverse_root(stream, width);
        for (int64_t at = 0; at < width; at += LANES)
            store(fed + at, times(times(load(stream + at), load(gain + at)), all(scale)));
    }
}

/* gate * sigmoid(gate) * up; a token of `both` has the gate, then up. */
static void open_gate(const float *both, int64_t tokens, int64_t hidden, float *opened)
{
    for (int64_t token = 0; token < tokens; token++, both += 2 * hidden, opened += hidden)
        for (int64_t at = 0; at < hidden; at += LANES) {
            vector gate = load(both + at);
            vector grown = added(power_of_two(times(gate, all(-1.44269504f))), all(1));
            store(opened + at, times(over(gate, grown), load(both + hidden + at)));
        }
}

static void keep_wanted(const struct rows *rows, float *values, int64_t width, float *kept)
{
    for (int64_t at = 0; at < rows->wanted_count; at++)
        memmove(kept + at * width, values + rows->wanted[at] * width, (size_t)width * sizeof(float));
}

static int64_t larger(int64_t left, int64_t right) { return left > right ? left : right; }

/* So many floats or more, which end where a cache line ends: a vector that lies in two lines is loaded twice. */
static int64_t whole_lines(int64_t floats) { return (floats + LINE / 4 - 1) / (LINE / 4) * (LINE / 4); }

/* Compute new tokens and write their keys, values and inputs; 0 if there is no memory for it. */
int forward(const struct network *net, const struct rows *rows)
{
    int64_t width = net->width, hidden = net->hidden, tokens = rows->tokens, attended = net->heads * HEAD;
    int64_t wide = attended + 2 * net->key_heads * HEAD, most = larger(wide, 2 * hidden);
    int64_t values = larger(width, attended), room = whole_lines(rows->columns + MARGIN);
    int64_t padded = (tokens + TOKEN_GROUP - 1) / TOKEN_GROUP * TOKEN_GROUP;
    size_t numbers = (size_t)(tokens * (width + values + most + larger(hidden, attended)) + whole_lines(tokens));
    numbers += (size_t)(TOGETHER * net->heads * room + room); /* weights, and places, which are as large */
    size_t bytes = numbers * sizeof(float) + (size_t)(BYTES * padded * larger(hidden, values) + room);
    float *stream = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
    if (stream == NULL)
        return 0;
    float *small = stream + tokens * width, *large = small + tokens * values, *middle = large + tokens * most;
    float *scales = middle + tokens * larger(hidden, attended), *weights = scales + whole_lines(tokens);
    int32_t *places = (int32_t *)(weights + TOGETHER * net->heads * room);
    int8_t *rounded = (int8_t *)(places + room);
    uint8_t *paths = (uint8_t *)(rounded + BYTES * padded * larger(hidden, values)); /* by node: which tokens have it
                                                                                         above */
    memset(paths, 0, (size_t)room);
    int tiles = begin_products();
    for (int64_t token = 0; token < tokens; token++)
        memcpy(stream + token * width, net->embedding + rows->ids[token] * width, (size_t)width * sizeof(float));
    for (int64_t depth = 0; depth < net->depth; depth++) {
        const struct layer *layer = net->layers + depth;
        mix(net, layer, rows, depth, stream, small);
        multiply(&layer->query_key_value, small, tokens, rounded, scales, large, tiles);
        attend(net, layer, rows, depth, large, weights, places, paths, middle);
        if (depth == net->depth - 1) { /* wanted tokens come in order, so none is overwritten before it is kept */
            keep_wanted(rows, stream, width, stream);
            keep_wanted(rows, middle, attended, middle);
            tokens = rows->wanted_count;
        }
        multiply(&layer->attention_out, middle, tokens, rounded, scales, small, tiles);
        add_and_norm(stream, small, layer->feed_gain, tokens, width, small);
        multiply(&layer->gate_up, small, tokens, rounded, scales, large, tiles);
        open_gate(large, tokens, hidden, middle);
        multiply(&layer->down, middle, tokens, rounded, scales, small, tiles);
        for (int64_t at = 0; at < tokens * width; at += LANES)
            store(stream + at, added(load(stream + at), load(small + at)));
    }
    end_products(tiles);
    memcpy(rows->found, stream, (size_t)(tokens * width) * sizeof(float));
    free(stream);
    return 1;
}

/* The products of a row of a matrix with a few tokens, whose number is a constant wherever this is called. */
static inline __attribute__((always_inline)) void few_dots(const int tokens, const float *row, const float *values,
                                                           int64_t width, int64_t outputs, float *found)
{
    vector sums[4][16 / LANES];
    for (int token = 0; token < tokens; token++)
        for (int part = 0; part < 16 / LANES; part++)
            sums[token][part] = all(0);
    for (int64_t at = 0; at < width; at += 16)
        for (int part = 0; part < 16 / LANES; part++) {
            vector weights = load(row + at + LANES * part);
            for (int token = 0; token < tokens; token++) {
                vector own = load(values + token * width + at + LANES * part);
                sums[token][part] = plus_product(sums[token][part], weights, own);
            }
        }
    for (int token = 0; token < tokens; token++) {
        for (int part = 1; part < 16 / LANES; part++)
            sums[token][0] = added(sums[token][0], sums[token][part]);
        found[token * outputs] = sum_of(sums[token][0]);
    }
}

/* Logits behind each token of the residual stream, in fp32, tokens x outputs. normed: room as large as the stream. */
void logits(const struct head *head, const float *stream, int64_t tokens, float *normed, float *found)
{
    int64_t width = head->width, outputs = head->outputs, token;
    for (token = 0; token < tokens; token++) {
        const float *own = stream + token * width;
        float scale = inverse_root(own, width);
        for (int64_t at = 0; at < width; at += LANES)
            store(normed + token * width + at, times(times(load(own + at), all(scale)), load(head->gain + at)));
    }
    for (token = 0; token < tokens; token += 4)
        for (int64_t output = 0; output < outputs; output++) {
            const float *row = head->matrix + output * width, *own = normed + token * width;
            float *to = found + token * outputs + output;
            switch (tokens - token) {
            case 1: few_dots(1, row, own, width, outputs, to); break;
            case 2: few_dots(2, row, own, width, outputs, to); break;
            case 3: few_dots(3, row, own, width, outputs, to); break;
            default: few_dots(4, row, own, width, outputs, to); break;
            }
        }
}

#endif
