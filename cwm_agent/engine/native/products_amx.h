/* Products of int8 by the matrix tiles of x86 processors (AMX): 16 tokens with 32 outputs at a time.

   Matrices and rounded values lie in memory as tiles want them: 1 KB has 16 outputs, or one byte of the values of 16
   tokens, for 64 inputs. The sums are the whole numbers that `tile` of `vectors_avx512.h` computes, so results have the
   same bits with AMX and without. The kernel gives a process these registers when it asks for them; a thread sets
   their form before it multiplies. */

#include <sys/syscall.h>
#include <unistd.h>

#define TILE_PANEL 128          /* tokens after which the next part of a matrix is loaded again */

static _Atomic int tiles_used = -1; /* whether this process uses AMX; -1 until it has asked */

/* Use AMX from now on, or not; whether it is used. The processor must have it, and the kernel let this process use it. */
int use_tiles(int wanted)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* of arch_prctl; the number of the registers' state */
    unsigned int a = 7, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    int present = (d >> 24 & 1) && (d >> 25 & 1); /* AMX-TILE, AMX-INT8 */
    return tiles_used = wanted && present && syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

int has_tiles(void) { return tiles_used < 0 ? use_tiles(1) : tiles_used; }

/* Give all eight tiles of this thread their full size, if AMX is used; whether it is, for the whole pass. The form is a constant because compilers see only a part of it
   being read, and leave out what is written to the rest before. */
static int begin_products(void)
{
    static const struct {
        uint8_t palette, start, unused[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } form = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    int tiles = has_tiles();
    if (tiles)
        _tile_loadconfig(&form);
    return tiles;
}

/* Leave no tile behind, which the kernel would have to keep whenever it changes to another thread. */
static void end_products(int tiles)
{
    if (tiles)
        _tile_release();
}

/* Products of tiles without memory: what the processor allows, for benchmarks; `dot_products` counts likewise. */
int64_t tile_products(int64_t rounds)
{
    int tiles = begin_products();
    for (int64_t round = 0; round < rounds; round++) {
        _tile_dpbusd(0, 4, 6);
        _tile_dpbusd(1, 5, 6);
        _tile_dpbusd(2, 4, 7);
        _tile_dpbusd(3, 5, 7);
    }
    end_products(tiles);
    return rounds * 4 * 16 * 16 * 64 * 2;
}

/* Sums of 16 tokens with 32 outputs: (outputs by 16, bytes of a value, tokens, outputs). With each 64 inputs, `lines`
   cache lines of what is `coming` are fetched from memory. */
static void multiply_tiles(const int8_t *values, const int8_t *packed, int64_t inputs, const int8_t *coming,
                           int64_t lines, int32_t *sums)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t at = 0; at < inputs; at += 64) {
        for (int64_t line = 0; line < lines; line++, coming += 64)
            _mm_prefetch((const char *)coming, _MM_HINT_T1);
        _tile_loadd(4, values + 32 * at, 64);
        _tile_loadd(6, packed + 16 * at, 64);
        _tile_dpbusd(0, 4, 6);
        _tile_loadd(5, values + 32 * at + 1024, 64);
        _tile_dpbusd(1, 5, 6);
        _tile_loadd(7, packed + 16 * (inputs + at), 64);
        _tile_dpbusd(2, 4, 7);
        _tile_dpbusd(3, 5, 7);
    }
    _tile_stored(0, sums, 64);
    _tile_stored(1, sums + 256, 64);
    _tile_stored(2, sums + 512, 64);
    _tile_stored(3, sums + 768, 64);
}

/* Outputs from `output` on of up to 16 tokens from `first` on. */
static void keep_outputs(const struct matrix *matrix, const int32_t *sums, const float *scales, int64_t first,
                         int64_t last, int64_t output, float *found)
{
    for (int64_t part = 0; part < 2; part++, sums += 512, output += TILE)
        for (int64_t token = first; token < last; token++) {
            const int32_t *own = sums + 16 * (token - first);
            store(found + token * matrix->outputs + output,
                  exact_outputs(_mm512_load_si512(own), _mm512_load_si512(own + 256), matrix->scales + output,
                                matrix->excess + output, scales[token]));
        }
}

/* Products with rounded values; of the last 16 tokens those that are missing are computed too, whatever they are. Sums
   are made into outputs while the next ones are computed. */
static void multiply_by_tiles(const struct matrix *matrix, int64_t tokens, const int8_t *rounded, const float *scales,
                              float *found)
{
    int64_t inputs = matrix->inputs, outputs = matrix->outputs, done[3] = {0, 0, 0};
    _Alignas(64) int32_t sums[2][4 * 256];
    int own = 0;
    __asm__ volatile("" ::: "memory"); /* compilers do not see that tiles are loaded from memory */
    for (int64_t begin = 0; begin < tokens; begin += TILE_PANEL) {
        int64_t end = tokens < begin + TILE_PANEL ? tokens : begin + TILE_PANEL;
        int64_t lines = (32 + (end - begin - 1) / 16) / ((end - begin + 15) / 16), bytes = lines * inputs;
        for (int64_t output = 0; output < outputs; output += 2 * TILE) {
            const int8_t *packed = matrix->packed + output * inputs, *coming = packed + 2 * TILE * inputs;
            for (int64_t first = begin; first < end; first += 16, coming += bytes, own = 1 - own) {
                multiply_tiles(rounded + rounded_place(first, 0, inputs), packed, inputs, coming, lines, sums[own]);
                keep_outputs(matrix, sums[1 - own], scales, done[0], done[1], done[2], found);
                done[0] = first, done[1] = end < first + 16 ? end : first + 16, done[2] = output;
            }
        }
    }
    keep_outputs(matrix, sums[1 - own], scales, done[0], done[1], done[2], found);
}
