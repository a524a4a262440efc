/* Raster canvas: see canvas.h. */
#include "model/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int c4w_canvas_init(struct c4w_canvas *c, uint32_t w, uint32_t h, struct c4w_err *err)
{
	memset(c, 0, sizeof *c);
	if (!w || !h || (uint64_t)w * h > 1u << 28)
		return c4w_fail(err, C4W_LIMIT, "a picture of %u x %u pixels is not drawn", w, h);
	c->px = calloc((size_t)w * h, sizeof *c->px);
	if (!c->px)
		return c4w_fail_memory(err, (size_t)w * h * sizeof *c->px);
	c->w = w;
	c->h = h;
	return C4W_OK;
}

void c4w_canvas_clear(struct c4w_canvas *c)
{
	free(c->px);
	memset(c, 0, sizeof *c);
}

void c4w_canvas_fill(struct c4w_canvas *c, struct c4w_rgb color)
{
	size_t i, n = (size_t)c->w * c->h;
	for (i = 0; i < n; i++)
		c->px[i] = color;
}

static uint8_t mix8(uint8_t a, uint8_t b, double t)
{
	return (uint8_t)lrint((double)a + ((double)b - (double)a) * t);
}

struct c4w_rgb c4w_rgb_mix(struct c4w_rgb a, struct c4w_rgb b, double t)
{
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	return (struct c4w_rgb){ mix8(a.r, b.r, t), mix8(a.g, b.g, t), mix8(a.b, b.b, t) };
}

void c4w_canvas_blend(struct c4w_canvas *c, int64_t x, int64_t y, struct c4w_rgb color, double alpha)
{
	struct c4w_rgb *p;
	if (x < 0 || y < 0 || x >= (int64_t)c->w || y >= (int64_t)c->h || alpha <= 0)
		return;
	p = &c->px[(size_t)y * c->w + (size_t)x];
	*p = c4w_rgb_mix(*p, color, alpha);
}

/* Pixels whose centre is within `radius` of the segment, fading over one pixel. */
static void stroke(struct c4w_canvas *c, double x0, double y0, double x1, double y1, double radius, struct c4w_rgb color, double alpha)
{
	double dx = x1 - x0, dy = y1 - y0, len = dx * dx + dy * dy;
	double left = fmax(0, floor(fmin(x0, x1) - radius - 1)), right = fmin((double)c->w - 1, ceil(fmax(x0, x1) + radius + 1));
	double top = fmax(0, floor(fmin(y0, y1) - radius - 1)), bottom = fmin((double)c->h - 1, ceil(fmax(y0, y1) + radius + 1));
	int64_t x, y;
	for (y = (int64_t)top; y <= (int64_t)bottom; y++)
		for (x = (int64_t)left; x <= (int64_t)right; x++) {
			double px = (double)x + 0.5 - x0, py = (double)y + 0.5 - y0;
			double t = len > 0 ? fmax(0, fmin(1, (px * dx + py * dy) / len)) : 0;
			double d = hypot(px - t * dx, py - t * dy), cover = radius + 0.5 - d;
			c4w_canvas_blend(c, x, y, color, alpha * fmax(0, fmin(1, cover)));
		}
}

void c4w_canvas_disc(struct c4w_canvas *c, double x, double y, double radius, struct c4w_rgb color, double alpha)
{
	stroke(c, x, y, x, y, radius, color, alpha);
}

void c4w_canvas_line(struct c4w_canvas *c, double x0, double y0, double x1, double y1, double width, struct c4w_rgb color)
{
	stroke(c, x0, y0, x1, y1, width / 2, color, 1);
}

/* The source range [*a, *b) that destination pixel i of n covers; at least one. */
static void cover(uint32_t i, uint32_t n, uint32_t source, uint32_t *a, uint32_t *b)
{
	*a = (uint32_t)((uint64_t)i * source / n);
	*b = (uint32_t)((uint64_t)(i + 1) * source / n);
	if (*b <= *a)
		*b = *a + 1;
}

void c4w_canvas_resize(const struct c4w_canvas *from, struct c4w_canvas *to)
{
	uint32_t x, y, i, j, x0, x1, y0, y1;
	for (y = 0; y < to->h; y++) {
		cover(y, to->h, from->h, &y0, &y1);
		for (x = 0; x < to->w; x++) {
			uint64_t r = 0, g = 0, b = 0, n;
			cover(x, to->w, from->w, &x0, &x1);
			for (i = y0; i < y1; i++)
				for (j = x0; j < x1; j++) {
					struct c4w_rgb p = from->px[(size_t)i * from->w + j];
					r += p.r;
					g += p.g;
					b += p.b;
				}
			n = (uint64_t)(y1 - y0) * (x1 - x0);
			to->px[(size_t)y * to->w + x] =
				(struct c4w_rgb){ (uint8_t)((r + n / 2) / n), (uint8_t)((g + n / 2) / n), (uint8_t)((b + n / 2) / n) };
		}
	}
}

/* ---- colours ---- */

/* IEC 61966-2-1 */
static uint8_t to_srgb(double v)
{
	v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
	return (uint8_t)lrint(255 * fmax(0, fmin(1, v)));
}

struct c4w_rgb c4w_rgb_oklch(double l, double c, double h)
{
	double a = c * cos(h * 0.017453292519943295), b = c * sin(h * 0.017453292519943295);
	double p = l + 0.3963377774 * a + 0.2158037573 * b, q = l - 0.1055613458 * a - 0.0638541728 * b;
	double r = l - 0.0894841775 * a - 1.2914855480 * b;
	p = p * p * p;
	q = q * q * q;
	r = r * r * r;
	return (struct c4w_rgb){ to_srgb(4.0767416621 * p - 3.3077115913 * q + 0.2309699292 * r),
				 to_srgb(-1.2684380046 * p + 2.6097574011 * q - 0.3413193965 * r),
				 to_srgb(-0.0041960863 * p - 0.7034186147 * q + 1.7076147010 * r) };
}

struct stop {
	double t, l, c, h;
};

static struct c4w_rgb between(const struct stop *v, size_t n, double t)
{
	size_t i;
	double u;
	t = t >= 0 ? (t > 1 ? 1 : t) : 0; /* NaN becomes 0 */
	for (i = 1; i + 1 < n && t > v[i].t; i++)
		;
	u = (t - v[i - 1].t) / (v[i].t - v[i - 1].t);
	return c4w_rgb_oklch(v[i - 1].l + u * (v[i].l - v[i - 1].l), v[i - 1].c + u * (v[i].c - v[i - 1].c),
			     v[i - 1].h + u * (v[i].h - v[i - 1].h));
}

struct c4w_rgb c4w_colormap_even(double t)
{
	static const struct stop v[] = { { 0, 0.25, 0.09, 285 }, { 0.35, 0.4575, 0.10, 235 }, { 0.7, 0.665, 0.13, 165 }, { 1, 0.92, 0.17, 105 } };
	return between(v, sizeof v / sizeof *v, t);
}

struct c4w_rgb c4w_colormap_heights(double t)
{
	static const struct stop v[] = { { 0, 0.58, 0.085, 165 },
					 { 0.25, 0.668, 0.095, 135 },
					 { 0.5, 0.755, 0.090, 95 },
					 { 0.75, 0.843, 0.060, 65 },
					 { 1, 0.93, 0.015, 50 } };
	return between(v, sizeof v / sizeof *v, t);
}

/* ---- terminals ---- */

enum c4w_term c4w_term_kind(bool color, const char *term, const char *colorterm, const char *locale)
{
	bool utf8 = locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8") || strstr(locale, "UTF8") || strstr(locale, "utf-8"));
	if (!utf8)
		return C4W_TERM_PLAIN;
	if (!color)
		return C4W_TERM_UTF8;
	if (!term || !*term || strcmp(term, "dumb") == 0) /* and yet they are wanted */
		return C4W_TERM_16;
	if (colorterm && (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0))
		return C4W_TERM_TRUE;
	if (strstr(term, "direct") || strstr(term, "truecolor"))
		return C4W_TERM_TRUE;
	return strstr(term, "256") ? C4W_TERM_256 : C4W_TERM_16;
}

static int square(int v)
{
	return v * v;
}

/* The nearest of xterm's 6 x 6 x 6 cube and 24 greys. */
static unsigned nearest_256(struct c4w_rgb c)
{
	static const uint8_t level[6] = { 0, 95, 135, 175, 215, 255 };
	const uint8_t in[3] = { c.r, c.g, c.b };
	unsigned at[3], i, k, cube, grey;
	int cube_off = 0, grey_off, mean = (c.r + c.g + c.b) / 3, v;
	for (i = 0; i < 3; i++) {
		at[i] = 0;
		for (k = 1; k < 6; k++)
			if (abs(level[k] - in[i]) < abs(level[at[i]] - in[i]))
				at[i] = k;
		cube_off += square(level[at[i]] - in[i]);
	}
	cube = 16 + 36 * at[0] + 6 * at[1] + at[2];
	grey = mean < 8 ? 0 : mean > 238 ? 23 : (unsigned)(mean - 3) / 10;
	v = 8 + 10 * (int)grey;
	grey_off = square(v - c.r) + square(v - c.g) + square(v - c.b);
	return grey_off < cube_off ? 232 + grey : cube;
}

static void set_color(struct c4w_buf *out, enum c4w_term kind, bool back, struct c4w_rgb c)
{
	if (kind == C4W_TERM_TRUE)
		c4w_buf_printf(out, "\033[%d;2;%u;%u;%um", back ? 48 : 38, c.r, c.g, c.b);
	else
		c4w_buf_printf(out, "\033[%d;5;%um", back ? 48 : 38, nearest_256(c));
}

static bool same(struct c4w_rgb a, struct c4w_rgb b)
{
	return a.r == b.r && a.g == b.g && a.b == b.b;
}

static const struct c4w_cell_text *text_at(const struct c4w_cell_text *texts, size_t n, uint32_t x, uint32_t y)
{
	while (n-- > 0)
		if (texts[n].x == x && texts[n].y == y)
			return &texts[n];
	return NULL;
}

void c4w_canvas_term(const struct c4w_canvas *c, enum c4w_term kind, struct c4w_buf *out)
{
	c4w_canvas_cells(c, kind, NULL, 0, out);
}

void c4w_canvas_cells(const struct c4w_canvas *c, enum c4w_term kind, const struct c4w_cell_text *texts, size_t n, struct c4w_buf *out)
{
	static const char ramp[] = " .:-=+*#%@";
	uint32_t x, y;
	for (y = 0; y < c->h; y += 2) {
		struct c4w_rgb fore = { 0, 0, 0 }, back = { 0, 0, 0 };
		for (x = 0; x < c->w; x++) {
			struct c4w_rgb up = c->px[(size_t)y * c->w + x];
			struct c4w_rgb down = y + 1 < c->h ? c->px[(size_t)(y + 1) * c->w + x] : (struct c4w_rgb){ 0, 0, 0 };
			const struct c4w_cell_text *text;
			if (kind < C4W_TERM_256) {
				struct c4w_rgb m = c4w_rgb_mix(up, down, y + 1 < c->h ? 0.5 : 0);
				double light = (0.2126 * m.r + 0.7152 * m.g + 0.0722 * m.b) / 255;
				c4w_buf_putc(out, ramp[(int)(light * 9.999)]);
				continue;
			}
			text = text_at(texts, n, x, y / 2);
			if (text) { /* upon the darker of its two pixels */
				down = up.r + up.g + up.b < down.r + down.g + down.b ? up : down;
				up = text->color;
			}
			if (x == 0 || !same(up, fore))
				set_color(out, kind, false, up);
			if (x == 0 || !same(down, back))
				set_color(out, kind, true, down);
			fore = up;
			back = down;
			if (text)
				c4w_buf_put(out, text->glyph, text->bytes ? text->bytes : strlen(text->glyph));
			else
				c4w_buf_puts(out, "\xE2\x96\x80");
		}
		c4w_buf_puts(out, kind < C4W_TERM_256 ? "\n" : "\033[0m\n");
	}
}
