/* link.h - what the game hears from worldfs while the world is mounted: that something
 * has changed, what is wrong, which conflicts a person has to decide, and what is selected
 * in it and in the tools beside it. Without a mount the game goes on by itself. */
#ifndef LINK_H
#define LINK_H

#include "world.h"

enum { LINK_LINES = 6, LINK_LINE = 240, LINK_SELECTED = 256 };

/* notice is a line on the display about an entity. */
typedef struct notice {
	uint32_t id; /* 0: about none */
	char field[64];
	char words[LINK_LINE];
} notice;

typedef struct notices {
	notice lines[LINK_LINES];
	uint32_t count; /* of all, of which the first are in lines */
} notices;

typedef struct link {
	char world[4096];
	wfs_control control;
	wfs_watch watch, selections;
	bool linked;
	notices findings, conflicts;
	uint32_t selected[LINK_SELECTED];
	size_t selected_count; /* of all, of which the first are in selected */
	char events[1 << 20], choices[16 << 20], answer[16 << 20]; /* a selection may have 100,000 entities */
} link_t;

static void link__end(link_t *l)
{
	wfs_watch_close(&l->watch);
	wfs_watch_close(&l->selections);
	l->linked = false;
}

/* link_open finds the daemon, and watches. */
static bool link_open(link_t *l)
{
	if (l->linked) return true;
	if (wfs_control_find(&l->control, l->world) != WFS_CONTROL_OK) return false;
	l->linked = wfs_watch_open(&l->watch, &l->control, NULL, l->events, sizeof l->events) == WFS_CONTROL_OK;
	if (l->linked && wfs_selections_open(&l->selections, &l->control, l->choices, sizeof l->choices) != WFS_CONTROL_OK) link__end(l);
	return l->linked;
}

/* link_changed reports whether anything has happened since it was called last. */
static bool link_changed(link_t *l)
{
	wfs_json event;
	wfs_control_result r;
	bool changed = false;
	if (!l->linked) return false;
	while ((r = wfs_watch_next(&l->watch, &event)) == WFS_CONTROL_OK) changed = true;
	if (r != WFS_CONTROL_WAIT) { /* it was unmounted, or an event is too long: begin anew */
		link__end(l);
		changed = true;
	}
	return changed;
}

static bool link_is_selected(const link_t *l, uint32_t id)
{
	size_t i;
	for (i = 0; i < l->selected_count && i < LINK_SELECTED; i++) {
		if (l->selected[i] == id) return true;
	}
	return false;
}

/* link_selected takes in what tools have selected since it was called last, and reports
 * whether that is something else. */
static bool link_selected(link_t *l)
{
	uint32_t first = l->selected_count == 0 ? 0 : l->selected[0];
	size_t count = l->selected_count;
	wfs_json selection;
	if (!l->linked) return false;
	while (wfs_watch_next(&l->selections, &selection) == WFS_CONTROL_OK) {
		l->selected_count = wfs_selected(selection, l->selected, LINK_SELECTED);
	}
	return l->selected_count != count || (count > 0 && l->selected[0] != first);
}

static bool link__call(link_t *l, const char *name, const char *body, wfs_answer *answer)
{
	return l->linked && wfs_control_call(&l->control, name, body, l->answer, sizeof l->answer, answer) == WFS_CONTROL_OK;
}

/* link_select tells the tools beside the game what is selected in it. */
static void link_select(link_t *l, uint32_t id)
{
	wfs_answer answer;
	l->selected[0] = id;
	l->selected_count = 1;
	if (l->linked) wfs_control_select(&l->control, &id, 1, l->answer, sizeof l->answer, &answer);
}

/* link__string decodes a member of an object, "" if it has none. */
static void link__string(wfs_json object, const char *key, char *out, size_t capacity)
{
	wfs_json v;
	out[0] = 0;
	if (wfs_json_get(object, key, &v)) wfs_json_string(v, out, capacity);
	out[capacity - 1] = 0;
}

static void link__findings(link_t *l)
{
	wfs_answer answer;
	wfs_json_iter it;
	wfs_finding f;
	if (!l->linked) l->findings.count = 0;
	if (!link__call(l, "status", "{}", &answer)) return; /* no answer is not "nothing is wrong" */
	l->findings.count = 0;
	for (it = wfs_control_findings(answer.json); wfs_control_finding(&it, &f); l->findings.count++) {
		char type[64] = "", advice[LINK_LINE] = "";
		notice *n;
		if (l->findings.count >= LINK_LINES) continue;
		n = &l->findings.lines[l->findings.count];
		n->id = f.id;
		wfs_json_string(f.type, type, sizeof type - 1);
		wfs_json_string(f.advice, advice, sizeof advice - 1);
		snprintf(n->words, sizeof n->words, "%.40s %u: %.110s", type, f.id, advice);
	}
}

/* link__sides writes both sides of a conflict, as far as they are short. */
static void link__sides(wfs_json left, notice *n)
{
	char type[64], path[64], sides[2][64] = {"", ""};
	const char *keys[2] = {"mine", "shared"};
	wfs_json side;
	int i;
	link__string(left, "type", type, sizeof type);
	link__string(left, "path", path, sizeof path);
	for (i = 0; i < 2; i++) {
		if (!wfs_json_get(left, keys[i], &side)) continue;
		snprintf(sides[i], sizeof sides[i], "%.*s", side.length < 40 ? (int)side.length : 40, side.text);
	}
	snprintf(n->words, sizeof n->words, "%.30s %u %.30s: [1] mine %.40s  [2] shared %.40s", type, n->id, path, sides[0], sides[1]);
}

static void link__conflicts(link_t *l)
{
	wfs_answer answer;
	wfs_json left, one, id;
	wfs_json_iter it;
	if (!l->linked) l->conflicts.count = 0;
	if (!link__call(l, "resolve", "{}", &answer)) return;
	l->conflicts.count = 0;
	if (!wfs_json_get(answer.json, "left", &left)) return; /* no merge */
	for (it = wfs_json_each(left); wfs_json_next(&it, NULL, &one); l->conflicts.count++) {
		uint64_t number = 0;
		notice *n;
		if (l->conflicts.count >= LINK_LINES) continue;
		n = &l->conflicts.lines[l->conflicts.count];
		if (wfs_json_get(one, "id", &id)) wfs_json_u64(id, &number);
		n->id = (uint32_t)number;
		link__string(one, "field", n->field, sizeof n->field);
		link__sides(one, n);
	}
}

/* link_publish has the pack be as the world is now. */
static void link_publish(link_t *l)
{
	wfs_answer answer;
	link__call(l, "sync", "{}", &answer);
}

/* link_ask asks what is wrong, and reports whether the numbers are others than before. */
static bool link_ask(link_t *l)
{
	uint32_t findings = l->findings.count, conflicts = l->conflicts.count;
	link__findings(l);
	link__conflicts(l);
	return l->findings.count != findings || l->conflicts.count != conflicts;
}

/* link_take decides the first conflict for a side: "mine" or "shared". */
static bool link_take(link_t *l, const char *side)
{
	wfs_answer answer;
	char body[256];
	const notice *n = &l->conflicts.lines[0];
	if (l->conflicts.count == 0) return false;
	if (n->field[0] != 0) {
		snprintf(body, sizeof body, "{\"take\":\"%s\",\"names\":[\"%u\"],\"fields\":[\"%s\"]}", side, n->id, n->field);
	} else {
		snprintf(body, sizeof body, "{\"take\":\"%s\",\"names\":[\"%u\"]}", side, n->id);
	}
	return link__call(l, "resolve", body, &answer);
}

#endif
