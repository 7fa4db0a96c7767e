/* view.h - the world on the screen, from above: north is up. */
#ifndef VIEW_H
#define VIEW_H

#include <SDL.h>
#include <SDL_ttf.h>

#include "link.h"

enum { VIEW_WIDTH = 1024, VIEW_HEIGHT = 768, VIEW_LINE = 18, VIEW_NEAR = 8 /* pixels */ };

typedef struct view {
	SDL_Window *window;
	SDL_Renderer *renderer;
	TTF_Font *font;
	float x, y;  /* the world's place in the middle of the window */
	float scale; /* pixels a unit of length */
} view;

static int view__less(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

/* view__span returns what nearly all of n numbers lie between: a sun that is far off, or a
 * note at the origin, is not to make all else small. It sorts them. */
static void view__span(float *numbers, uint32_t n, float *low, float *high)
{
	*low = 0, *high = 1;
	if (n == 0) return;
	qsort(numbers, n, sizeof *numbers, view__less);
	*low = numbers[n / 200], *high = numbers[n - 1 - n / 200];
}

/* view_fit shows the world. */
static void view_fit(view *v, const world *w)
{
	float low[2], high[2], wide, tall;
	float *numbers = malloc((w->count + 1) * sizeof *numbers);
	uint32_t i;
	if (numbers == NULL) return;
	for (i = 0; i < w->count; i++) numbers[i] = w->places[i].x;
	view__span(numbers, w->count, &low[0], &high[0]);
	for (i = 0; i < w->count; i++) numbers[i] = w->places[i].y;
	view__span(numbers, w->count, &low[1], &high[1]);
	free(numbers);
	wide = VIEW_WIDTH / SDL_max(high[0] - low[0], 1), tall = VIEW_HEIGHT / SDL_max(high[1] - low[1], 1);
	v->x = (low[0] + high[0]) / 2, v->y = (low[1] + high[1]) / 2;
	v->scale = 0.9f * SDL_min(wide, tall);
}

static SDL_FPoint view_at(const view *v, float x, float y)
{
	SDL_FPoint p = {VIEW_WIDTH / 2 + (x - v->x) * v->scale, VIEW_HEIGHT / 2 - (y - v->y) * v->scale};
	return p;
}

/* view_show moves the map where a place is out of sight. */
static void view_show(view *v, const place *at)
{
	SDL_FPoint p = view_at(v, at->x, at->y);
	if (p.x < 0 || p.x >= VIEW_WIDTH || p.y < 0 || p.y >= VIEW_HEIGHT) v->x = at->x, v->y = at->y;
}

static void view_from(const view *v, int x, int y, float *east, float *north)
{
	*east = v->x + ((float)x - VIEW_WIDTH / 2) / v->scale;
	*north = v->y - ((float)y - VIEW_HEIGHT / 2) / v->scale;
}

/* view_zoom zooms so that what lies under the mouse stays there. */
static void view_zoom(view *v, int x, int y, float factor)
{
	float east, north, after[2];
	view_from(v, x, y, &east, &north);
	v->scale *= factor;
	view_from(v, x, y, &after[0], &after[1]);
	v->x += east - after[0], v->y += north - after[1];
}

/* view_nearest returns the entity that is nearest to a pixel, NULL if none is near. */
static const place *view_nearest(const view *v, const world *w, int x, int y)
{
	const place *nearest = NULL;
	float best = VIEW_NEAR * VIEW_NEAR;
	uint32_t i;
	for (i = 0; i < w->count; i++) {
		SDL_FPoint p = view_at(v, w->places[i].x, w->places[i].y);
		float dx = p.x - (float)x, dy = p.y - (float)y;
		if (dx * dx + dy * dy < best) best = dx * dx + dy * dy, nearest = &w->places[i];
	}
	return nearest;
}

static void view__color(view *v, uint32_t rgb)
{
	SDL_SetRenderDrawColor(v->renderer, (Uint8)(rgb >> 16), (Uint8)(rgb >> 8), (Uint8)rgb, 255);
}

static void view__dot(view *v, float x, float y, float size, uint32_t rgb)
{
	SDL_FPoint p = view_at(v, x, y);
	SDL_FRect r = {p.x - size / 2, p.y - size / 2, size, size};
	view__color(v, rgb);
	SDL_RenderFillRectF(v->renderer, &r);
}

/* view__type_color gives each type a colour that it has on every machine: one of its name. */
static uint32_t view__type_color(const wfs_type *type)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	size_t i;
	for (i = 0; i < type->name.length; i++) hash = (hash ^ (unsigned char)type->name.bytes[i]) * 16777619u;
	return (hash & 0x7f7f7f) + 0x606060;
}

static void view__text(view *v, int line, const char *words, SDL_Color color)
{
	SDL_Surface *surface = words[0] == 0 ? NULL : TTF_RenderUTF8_Blended(v->font, words, color);
	SDL_Texture *texture = surface == NULL ? NULL : SDL_CreateTextureFromSurface(v->renderer, surface);
	if (texture != NULL) {
		SDL_Rect at = {8, 6 + line * VIEW_LINE, surface->w, surface->h};
		SDL_RenderCopy(v->renderer, texture, NULL, &at);
		SDL_DestroyTexture(texture);
	}
	SDL_FreeSurface(surface);
}

/* view__notices draws lines from one on, and returns the next. */
static int view__notices(view *v, int line, const char *what, const notices *n, SDL_Color color)
{
	char words[LINK_LINE];
	uint32_t i;
	if (n->count == 0) return line;
	snprintf(words, sizeof words, "%u %s", n->count, what);
	view__text(v, line++, words, color);
	for (i = 0; i < n->count && i < LINK_LINES; i++) view__text(v, line++, n->lines[i].words, color);
	return line;
}

/* view__mark rings the entities that lines are about. */
static void view__mark(view *v, const world *w, const notices *n, uint32_t rgb)
{
	uint32_t i, j;
	for (i = 0; i < n->count && i < LINK_LINES; i++) {
		for (j = 0; j < w->count; j++) {
			if (w->places[j].id == n->lines[i].id) view__dot(v, w->places[j].x, w->places[j].y, 9, rgb);
		}
	}
}

/* view_draw draws the world, what is held at a place of its own, and the display. */
static void view_draw(view *v, const world *w, const place *held, const link_t *l, const char *words)
{
	const SDL_Color plain = {230, 230, 230, 255}, warning = {255, 200, 90, 255}, conflict = {255, 110, 110, 255};
	uint32_t i;
	int line = 0;
	view__color(v, 0x10202c);
	SDL_RenderClear(v->renderer);
	view__mark(v, w, &l->findings, 0xffc85a);
	view__mark(v, w, &l->conflicts, 0xff6e6e);
	for (i = 0; i < w->count; i++) {
		const place *p = &w->places[i];
		if (held->id == p->id) continue;
		if (link_is_selected(l, p->id)) view__dot(v, p->x, p->y, 7, 0xffffff);
		view__dot(v, p->x, p->y, 3, view__type_color(p->type));
	}
	if (held->id != 0) view__dot(v, held->x, held->y, 7, 0xffffff);
	view__text(v, line++, words, plain);
	line = view__notices(v, line, "conflicts", &l->conflicts, conflict);
	view__notices(v, line, "findings", &l->findings, warning);
	SDL_RenderPresent(v->renderer);
}

/* view_save writes what is on the screen as a portable pixmap. */
static bool view_save(view *v, const char *path)
{
	static unsigned char pixels[VIEW_WIDTH * VIEW_HEIGHT * 3];
	FILE *f;
	bool ok;
	if (SDL_RenderReadPixels(v->renderer, NULL, SDL_PIXELFORMAT_RGB24, pixels, VIEW_WIDTH * 3) != 0) return false;
	if ((f = fopen(path, "wb")) == NULL) return false;
	fprintf(f, "P6\n%d %d\n255\n", VIEW_WIDTH, VIEW_HEIGHT);
	ok = fwrite(pixels, sizeof pixels, 1, f) == 1;
	return fclose(f) == 0 && ok;
}

/* view__fonts are where Debian, Fedora and Arch have DejaVu. */
static const char *const view__fonts[] = {
	"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
	"/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
	"/usr/share/fonts/TTF/DejaVuSans.ttf",
};

static bool view_open(view *v)
{
	size_t i;
	if (SDL_Init(SDL_INIT_VIDEO) != 0 || TTF_Init() != 0) return false;
	v->window = SDL_CreateWindow("island", 0, 0, VIEW_WIDTH, VIEW_HEIGHT, 0);
	if (v->window == NULL) return false;
	v->renderer = SDL_CreateRenderer(v->window, -1, SDL_RENDERER_SOFTWARE);
	for (i = 0; v->font == NULL && i < SDL_arraysize(view__fonts); i++) v->font = TTF_OpenFont(view__fonts[i], 13);
	return v->renderer != NULL && v->font != NULL;
}

#endif
