/* island - a small game beside worldfs. It shows a world from above, has its entities
 * dragged, and saves the pack as an engine's own editor does. While worldfs has the world
 * mounted it takes in what others change without a restart, shows what is wrong with the
 * world, and has conflicts decided.
 *
 *     cc -std=c99 -O2 main.c $(pkg-config --cflags --libs sdl2 SDL2_ttf) -lm -o island
 *     ./island path/to/world
 *
 * Drag an entity with the left button, which selects it for the tools beside the game, too;
 * the map with the right one; zoom by the wheel, Home shows all. 1 and 2 decide the first
 * conflict: mine, shared. F12 saves a picture (island.ppm).
 *
 * What it does is told on standard output, a line each, for the test.
 */
#define WORLDFS_IMPLEMENTATION
#include "view.h"

typedef struct game {
	world world;
	link_t link;
	view view;
	place held; /* what is dragged; of ID 0 if nothing is */
	bool pans, dirty, quits;
	char words[256];
	Uint32 changed; /* when something changed that was not taken in; 0 if nothing has */
	Uint32 asked;   /* when worldfs was asked last what is wrong */
} game;

static game g;

/* say tells on the display and on standard output. */
static void say(const char *problem, const char *words)
{
	snprintf(g.words, sizeof g.words, "%s%s%s", words, problem == NULL ? "" : ": ", problem == NULL ? "" : problem);
	printf("%s\n", g.words);
	fflush(stdout);
	g.dirty = true;
}

/* count says how much there is of everything. */
static void count(const char *problem)
{
	char words[128];
	snprintf(words, sizeof words, "%u entities, %u findings, %u conflicts%s", g.world.pack.entity_count,
		g.link.findings.count, g.link.conflicts.count, g.link.linked ? "" : ", not mounted");
	say(problem, words);
}

/* refresh takes in the world as it is now. What is wrong is asked after the world is read:
 * while both go on others change it, and what is shown of it is to be no older than it. */
static void refresh(void)
{
	const char *problem;
	link_publish(&g.link);
	problem = world_load(&g.world);
	link_ask(&g.link);
	count(problem);
}

/* drop saves where what was held is now. */
static void drop(void)
{
	char name[128], words[200];
	const char *problem = world_move(&g.world, g.held.id, g.held.x, g.held.y);
	world_name(&g.world, g.held.id, name, sizeof name);
	snprintf(words, sizeof words, "saved %s at %g %g", name, (double)g.held.x, (double)g.held.y);
	g.held.id = 0;
	say(problem, words);
}

static void take(const char *side)
{
	if (!link_take(&g.link, side)) {
		say(NULL, "there is nothing to decide");
		return;
	}
	say(NULL, side);
	refresh();
}

static void key(SDL_Keycode k)
{
	switch (k) {
	case SDLK_1: take("mine"); break;
	case SDLK_2: take("shared"); break;
	case SDLK_HOME: view_fit(&g.view, &g.world); break;
	case SDLK_ESCAPE: g.quits = true; break;
	case SDLK_F12:
		view_draw(&g.view, &g.world, &g.held, &g.link, g.words);
		printf("%s\n", view_save(&g.view, "island.ppm") ? "picture" : "no picture");
		fflush(stdout);
		break;
	default: break;
	}
}

static void press(const SDL_MouseButtonEvent *e)
{
	const place *p;
	if (e->button == SDL_BUTTON_RIGHT) g.pans = true;
	if (e->button != SDL_BUTTON_LEFT || g.held.id != 0) return;
	if ((p = view_nearest(&g.view, &g.world, e->x, e->y)) == NULL) return;
	g.held = *p;
	link_select(&g.link, p->id);
	world_name(&g.world, p->id, g.words, sizeof g.words);
}

/* follow shows what a tool has selected, and goes there where it is out of sight. */
static void follow(void)
{
	char name[128] = "nothing", more[32] = "", words[200];
	const size_t count = g.link.selected_count;
	const place *p = count == 0 ? NULL : world_place(&g.world, g.link.selected[0]);
	if (p != NULL) view_show(&g.view, p);
	if (count > 0) world_name(&g.world, g.link.selected[0], name, sizeof name);
	if (count > 1) snprintf(more, sizeof more, " and %zu more", count - 1);
	snprintf(words, sizeof words, "selected %s%s", name, more);
	say(NULL, words);
}

static void move(const SDL_MouseMotionEvent *e)
{
	if (g.held.id != 0) view_from(&g.view, e->x, e->y, &g.held.x, &g.held.y);
	if (g.pans) {
		g.view.x -= (float)e->xrel / g.view.scale;
		g.view.y += (float)e->yrel / g.view.scale;
	}
}

static void on(const SDL_Event *e)
{
	int x, y;
	g.dirty = true;
	switch (e->type) {
	case SDL_QUIT: g.quits = true; break;
	case SDL_KEYDOWN: key(e->key.keysym.sym); break;
	case SDL_MOUSEBUTTONDOWN: press(&e->button); break;
	case SDL_MOUSEMOTION: move(&e->motion); break;
	case SDL_MOUSEWHEEL:
		SDL_GetMouseState(&x, &y);
		view_zoom(&g.view, x, y, e->wheel.y > 0 ? 1.25f : 0.8f);
		break;
	case SDL_MOUSEBUTTONUP:
		if (e->button.button == SDL_BUTTON_RIGHT) g.pans = false;
		if (e->button.button == SDL_BUTTON_LEFT && g.held.id != 0) drop();
		break;
	default: break;
	}
}

/* take_in takes in what has changed, once it has been quiet for a moment and nothing is in
 * the hand. What git does beside the world's files is no event: so it asks now and then. */
static void take_in(void)
{
	const Uint32 now = SDL_GetTicks() + 1;
	if (now - g.asked >= 2000) {
		g.asked = now;
		if (!g.link.linked && link_open(&g.link)) g.changed = now;
		if (g.link.linked && link_ask(&g.link)) count(NULL);
	}
	if (link_selected(&g.link)) follow();
	if (link_changed(&g.link)) g.changed = now;
	if (g.changed != 0 && now - g.changed >= 100 && g.held.id == 0) {
		g.changed = 0;
		refresh();
	}
}

int main(int argc, char **argv)
{
	const char *problem;
	SDL_Event e;
	if (argc != 2) {
		fprintf(stderr, "usage: island WORLD\n");
		return 2;
	}
	snprintf(g.world.path, sizeof g.world.path, "%s/world.pack", argv[1]);
	snprintf(g.link.world, sizeof g.link.world, "%s", argv[1]);
	if ((problem = world_load(&g.world)) != NULL) {
		fprintf(stderr, "island: %s: %s\n", g.world.path, problem);
		return 1;
	}
	if (!view_open(&g.view)) {
		fprintf(stderr, "island: %s\n", SDL_GetError());
		return 1;
	}
	view_fit(&g.view, &g.world);
	printf("view %.9g %.9g %.9g\n", (double)g.view.x, (double)g.view.y, (double)g.view.scale);
	link_open(&g.link);
	refresh();
	while (!g.quits) {
		if (SDL_WaitEventTimeout(&e, 30)) on(&e);
		while (SDL_PollEvent(&e)) on(&e);
		take_in();
		if (g.dirty) view_draw(&g.view, &g.world, &g.held, &g.link, g.words);
		g.dirty = false;
	}
	if (g.link.linked) link__end(&g.link);
	world_close(&g.world);
	TTF_CloseFont(g.view.font);
	SDL_DestroyRenderer(g.view.renderer);
	SDL_DestroyWindow(g.view.window);
	TTF_Quit();
	SDL_Quit();
	return 0;
}
