// dump - prints a pack as `tool dump` does, by the C++ wrapper alone.
#define WORLDFS_IMPLEMENTATION
#include "../worldfs.hpp"

#include <cinttypes>
#include <cstdio>

namespace {

void print(std::string_view text)
{
	std::putchar('"');
	for (char signed_c : text) {
		auto c = static_cast<unsigned char>(signed_c);
		if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') std::printf("\\x%02x", c);
		else std::putchar(c);
	}
	std::putchar('"');
}

void print(const worldfs::Decl &d, int depth)
{
	std::printf("%*s", 2 * depth, "");
	print(d.name());
	std::printf(" %s %" PRIu32 " %" PRIu32 " %" PRIx32, std::string(d.kind_name()).c_str(), d.since(), d.until(), d.flags());
	for (auto [name, number] : d.names()) {
		std::putchar(' ');
		print(name);
		std::printf("=%" PRId64, number);
	}
	std::putchar('\n');
	if (auto element = d.element()) print(*element, depth + 1);
	for (worldfs::Decl member : d.fields()) print(member, depth + 1);
}

void print(const worldfs::Value &v);

void print_flags(const worldfs::Value &v)
{
	std::printf("%" PRIx64, v.number());
	for (int bit = 0; bit < 64; bit++) {
		if ((v.number() >> bit & 1) == 0) continue;
		std::putchar('|');
		print(v.flag_name(bit));
	}
}

void print_items(const worldfs::Value &v)
{
	const char *between = "";
	std::putchar('[');
	for (worldfs::Value item : v.items()) {
		std::printf("%s", between);
		between = " ";
		print(item);
	}
	std::putchar(']');
}

void print_members(const worldfs::Value &v)
{
	const char *between = "";
	std::putchar('{');
	for (worldfs::Value member : v.members()) {
		std::printf("%s", between);
		between = " ";
		print(member.name());
		std::putchar('=');
		print(member);
	}
	std::putchar('}');
}

void print(const worldfs::Value &v)
{
	switch (v.kind()) {
	case WFS_NULL: std::putchar('-'); return;
	case WFS_I8: case WFS_I16: case WFS_I32: case WFS_I64: std::printf("%" PRId64, v.integer()); return;
	case WFS_ENUM:
		std::printf("%" PRId64 "|", v.integer());
		print(v.enum_name());
		return;
	case WFS_FLAGS: print_flags(v); return;
	case WFS_F64: std::printf("%016" PRIx64, v.real_bits()); return;
	case WFS_STRING: case WFS_BLOB: case WFS_EXPR: print(v.text()); return;
	case WFS_GUID:
		for (int i = 0; i < 16; i++) std::printf("%02x", v.guid()[i]);
		return;
	case WFS_SET: case WFS_ARRAY: print_items(v); return;
	case WFS_STRUCT: print_members(v); return;
	default: break;
	}
	if (v.components() == 0) std::printf("%" PRIu64, v.number());
	for (std::uint32_t i = 0; i < v.components(); i++) std::printf("%s%08" PRIx32, i > 0 ? "," : "", v.bits(i));
}

void print(const worldfs::Entity &e)
{
	std::printf("entity %" PRIu32 " ", e.id());
	print(e.type());
	std::printf(" %" PRIu32 "\n", e.revision());
	for (worldfs::Value v : e.fields()) {
		std::printf("  ");
		print(v.name());
		std::putchar(' ');
		print(v);
		std::putchar('\n');
	}
	for (auto [name, lines] : e.raw()) {
		std::printf("  raw ");
		print(name);
		std::putchar(' ');
		print(lines);
		std::putchar('\n');
	}
}

// walked finds out that the entities of all types, type by type, are as many as there are.
bool walked(const worldfs::Pack &pack)
{
	std::uint32_t n = 0;
	std::string_view last;
	for (worldfs::Table table : pack.tables()) {
		if (table.name() == last) continue;
		last = table.name();
		for (worldfs::Entity e : pack.entities(last)) {
			if (e.type() != last || !pack.find(e.id()) || pack.find(e.id())->c().row != e.c().row) return false;
			n++;
		}
	}
	return n == pack.size();
}

} // namespace

int main(int argc, char **argv)
{
	wfs_problem problem;
	auto opened = worldfs::Pack::map(argc == 2 ? argv[1] : "", &problem);
	if (!opened || !opened->verify(&problem)) {
		std::fprintf(stderr, "dump: offset %zu: %s\n", problem.offset, problem.what);
		return 1;
	}
	worldfs::Pack pack = std::move(*opened);
	std::printf("world ");
	for (int i = 0; i < 16; i++) std::printf("%02x", pack.c()->world[i]);
	std::printf(" based on ");
	for (int i = 0; i < 32; i++) std::printf("%02x", pack.c()->based_on[i]);
	std::putchar('\n');
	for (worldfs::Type t : pack.types()) {
		std::printf("type ");
		print(t.name());
		std::printf(" %" PRIu32 " %" PRIx32 "\n", t.revision(), t.flags());
		for (worldfs::Decl field : t.fields()) print(field, 1);
	}
	for (worldfs::Entity e : pack.entities()) print(e);
	if (!walked(pack)) std::printf("the entities by type are others\n");
	return 0;
}
