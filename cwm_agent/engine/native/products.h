/* Products of a matrix in int8 with the values of tokens, which are rounded for it.

   The processor's header has the product of a few tokens with ABREAST times TILE outputs (`tile`), how a value is
   rounded (`round_to_bytes`), and where its bytes lie (`rounded_place`). */

#define TILE 16                 /* outputs of a matrix that lie together */
#define PANEL 48                /* tokens after which the next part of a matrix is loaded again */
#define SMALLEST 1e-30f

struct matrix {
    const int8_t *packed;       /* for each TILE outputs, for each 4 inputs: TILE x 4 numbers */
    const float *scales;        /* by output */
    const int32_t *excess;      /* by output: 128 times the sum of its weights */
    int64_t inputs, outputs;    /* multiples of 64 */
};

#ifdef HAS_TILES
#include "products_amx.h"
#else
int use_tiles(int wanted) { (void)wanted; return 0; }
int has_tiles(void) { return 0; }
static int begin_products(void) { return 0; }
static void end_products(int tiles) { (void)tiles; }
static void multiply_by_tiles(const struct matrix *matrix, int64_t tokens, const int8_t *rounded, const float *scales,
                              float *found)
{
    (void)matrix, (void)tokens, (void)rounded, (void)scales, (void)found;
}
#endif

/* One token's values, rounded to STEPS between 0 and the largest. */
static void round_token(const float *values, int64_t width, int8_t *rounded, int64_t token, float *scale)
{
    vector most = all(0);
    for (int64_t at = 0; at < width; at += LANES)
        most = largest(most, without_sign(load(values + at)));
    float step = largest_of(most) / STEPS;
    *scale = step = step < SMALLEST ? SMALLEST : step;
    for (int64_t at = 0; at < width; at += 16)
        round_to_bytes(values + at, 1 / step, rounded + rounded_place(token, at, width));
}

static int64_t smaller(int64_t left, int64_t right) { return left < right ? left : right; }

/* Products with rounded values by the instructions that every supported processor has. Tokens that are multiplied
   together lie in one group, if there are groups. The weights of the next outputs are fetched meanwhile, a part of them
   with each of these tokens: memory would be idle during the last tokens if the first ones fetched them all. */
static void multiply_rounded(const struct matrix *matrix, int64_t tokens, const int8_t *rounded, const float *scales,
                             float *found)
{
    int64_t inputs = matrix->inputs, outputs = matrix->outputs, group = TOKEN_GROUP == 1 ? PANEL : TOKEN_GROUP;
    for (int64_t first = 0; first < tokens; first += PANEL) {
        int64_t last = smaller(first + PANEL, tokens);
        for (int64_t output = 0; output < outputs; output += ABREAST * TILE) {
            const int8_t *packed = matrix->packed + output * inputs;
            const int8_t *ahead = packed + ABREAST * TILE * inputs;
            for (int64_t token = first, count, step; token < last; token += count) {
                count = smaller(MOST, smaller(last - token, group - token % group));
                step = ABREAST * 64 * count / (last - first);
#define TOKENS(count)                                                                                                  \
    tile(count, rounded + rounded_place(token, 0, inputs), scales + token, packed, matrix->scales + output,            \
         matrix->excess + output, inputs, outputs, ahead, step, found + token * outputs + output)
                switch (count) {
                case 6: TOKENS(6); break;
                case 5: TOKENS(5); break;
                case 4: TOKENS(4); break;
                case 3: TOKENS(3); break;
                case 2: TOKENS(2); break;
                default: TOKENS(1); break;
                }
#undef TOKENS
                ahead += inputs / 4 * step;
            }
        }
    }
}

/* found: tokens x outputs. rounded and scales: room for the rounded values. tiles: what `begin_products` returned. */
static void multiply(const struct matrix *matrix, const float *values, int64_t tokens, int8_t *rounded, float *scales,
                     float *found, int tiles)
{
    for (int64_t token = 0; token < tokens; token++)
        round_token(values + token * matrix->inputs, matrix->inputs, rounded, token, scales + token);
    if (tiles) /* the same sums, sooner */
        multiply_by_tiles(matrix, tokens, rounded, scales, found);
    else
        multiply_rounded(matrix, tokens, rounded, scales, found);
}
