// worldfs.hpp - world packs in C++17: worldfs.h with ranges. Like that it reads in
// place; it throws nothing, and allocates once, for the declarations of a pack.
//
//     #define WORLDFS_IMPLEMENTATION     // in one .cpp file
//     #include "worldfs.hpp"
//
//     wfs_problem problem;
//     auto pack = worldfs::Pack::map("world.pack", &problem);
//     if (!pack) die(problem.what);
//     for (worldfs::Entity door : pack->entities("Door")) {
//         worldfs::Value position = door["position"];
//         place(door.id(), position.component(0), position.component(1), position.component(2));
//         for (worldfs::Value target : door["targets"].items()) link(door.id(), target.ref());
//     }
//
// Entities, values and texts are valid as long as their pack is, moved or not.
#ifndef WORLDFS_HPP
#define WORLDFS_HPP

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "worldfs.h"

namespace worldfs {

inline std::string_view view(wfs_text text) { return {text.bytes, text.length}; }

// Range is what a function gives for 0, 1, ... up to a number.
template <class F>
class Range {
public:
	class iterator {
	public:
		using value_type = decltype(std::declval<const F &>()(0u));
		using difference_type = std::ptrdiff_t;
		using pointer = void;
		using reference = value_type;
		using iterator_category = std::input_iterator_tag; // what is made when it is asked for has no address

		iterator(const F *of, std::uint32_t i) : of_(of), i_(i) {}
		value_type operator*() const { return (*of_)(i_); }
		iterator &operator++()
		{
			++i_;
			return *this;
		}
		iterator operator++(int)
		{
			iterator was = *this;
			++i_;
			return was;
		}
		bool operator==(const iterator &o) const { return i_ == o.i_; }
		bool operator!=(const iterator &o) const { return i_ != o.i_; }

	private:
		const F *of_;
		std::uint32_t i_;
	};

	Range(F of, std::uint32_t size) : of_(std::move(of)), size_(size) {}
	iterator begin() const { return {&of_, 0}; }
	iterator end() const { return {&of_, size_}; }
	std::uint32_t size() const { return size_; }
	bool empty() const { return size_ == 0; }
	auto operator[](std::uint32_t i) const { return of_(i); }

private:
	F of_;
	std::uint32_t size_;
};

// Decl is the declaration of a field, a member or an element.
class Decl {
public:
	explicit Decl(const wfs_decl *decl) : decl_(decl) {}
	const wfs_decl *c() const { return decl_; }
	std::string_view name() const { return view(decl_->name); }
	std::string_view json() const { return view(decl_->json); }
	wfs_kind kind() const { return decl_->kind; }
	std::string_view kind_name() const { return wfs_kind_name(decl_->kind); }
	std::uint32_t since() const { return decl_->since; }
	std::uint32_t until() const { return decl_->until; }
	std::uint32_t flags() const { return decl_->flags; }
	bool is(std::uint32_t flag) const { return (decl_->flags & flag) != 0; }
	std::optional<Decl> element() const { return decl_->of == nullptr ? std::nullopt : std::optional<Decl>(Decl(decl_->of)); }
	auto fields() const
	{
		return Range([f = decl_->fields](std::uint32_t i) { return Decl(f + i); }, decl_->field_count);
	}
	auto names() const
	{
		return Range([n = decl_->names](std::uint32_t i) { return std::pair(view(n[i].name), n[i].number); }, decl_->name_count);
	}

private:
	const wfs_decl *decl_;
};

class Type {
public:
	explicit Type(const wfs_type *type) : type_(type) {}
	const wfs_type *c() const { return type_; }
	std::string_view name() const { return view(type_->name); }
	std::string_view json() const { return view(type_->json); }
	std::uint32_t revision() const { return type_->revision; }
	std::uint32_t flags() const { return type_->flags; }
	auto fields() const
	{
		return Range([f = type_->fields](std::uint32_t i) { return Decl(f + i); }, type_->field_count);
	}

private:
	const wfs_type *type_;
};

// Value is a value where it lies. A getter of another kind than the value's gives
// 0 or nothing; if the value is absent, it is false.
class Value {
public:
	explicit Value(wfs_value v) : v_(v) {}
	const wfs_value &c() const { return v_; }
	explicit operator bool() const { return v_.at != nullptr; }
	wfs_kind kind() const { return wfs_kind_of(v_); }
	Decl decl() const { return Decl(v_.slot->decl); } // of a field that there is
	std::string_view name() const { return view(v_.slot->decl->name); }

	bool boolean() const { return wfs_uint(v_) != 0; }
	std::uint64_t number() const { return wfs_uint(v_); }
	std::int64_t integer() const { return wfs_int(v_); }
	std::uint32_t ref() const { return static_cast<std::uint32_t>(kind() == WFS_REF ? wfs_uint(v_) : 0); }
	std::uint32_t components() const { return wfs_components(kind()); }
	float component(std::uint32_t i = 0) const { return wfs_float(v_, i); }
	std::uint32_t bits(std::uint32_t i = 0) const { return wfs_float_bits(v_, i); }
	double real() const { return wfs_double(v_); }
	std::uint64_t real_bits() const { return wfs_double_bits(v_); }
	std::string_view text() const { return view(wfs_string(v_)); }
	const unsigned char *guid() const { return wfs_guid(v_); }
	std::string_view enum_name() const { return flag_name(wfs_int(v_)); }
	std::string_view flag_name(std::int64_t number) const { return v_.slot == nullptr ? std::string_view() : view(wfs_name_of(v_.slot->decl, number)); }

	auto items() const
	{
		wfs_list list = wfs_items(v_);
		return Range([list](std::uint32_t i) { return Value(wfs_item(&list, i)); }, list.count);
	}
	auto members() const
	{
		return Range([v = v_](std::uint32_t i) { return Value(wfs_member_at(v, i)); }, kind() == WFS_STRUCT ? v_.slot->inner->count : 0);
	}
	Value operator[](const char *member) const { return Value(wfs_member(v_, member)); }

private:
	wfs_value v_;
};

class Entity {
public:
	explicit Entity(const wfs_entity &e) : e_(e) {}
	const wfs_entity &c() const { return e_; }
	std::uint32_t id() const { return e_.id; }
	std::string_view type() const { return view(e_.table->name); }
	std::uint32_t revision() const { return e_.table->revision; }
	auto fields() const
	{
		return Range([e = e_](std::uint32_t i) { return Value(wfs_field_at(&e, i)); }, e_.table->row.count);
	}
	Value operator[](const char *field) const { return Value(wfs_field(&e_, field)); }

	// The fields that its type does not know: names and lines.
	auto raw() const
	{
		return Range(
			[e = e_](std::uint32_t i) {
				wfs_text name = {"", 0}, lines = {"", 0};
				wfs_raw(&e, i, &name, &lines);
				return std::pair(view(name), view(lines));
			},
			wfs_raw_count(&e_));
	}

private:
	wfs_entity e_;
};

// Table is the entities of one type at one revision.
class Table {
public:
	Table(const wfs_pack *pack, const wfs_table *table) : pack_(pack), table_(table) {}
	const wfs_table *c() const { return table_; }
	std::string_view name() const { return view(table_->name); }
	std::uint32_t revision() const { return table_->revision; }
	std::uint32_t size() const { return table_->count; }
	auto rows() const // where they lie, for loads at slots' offsets
	{
		return Range([t = table_](std::uint32_t i) { return wfs_row(t, i); }, table_->count);
	}
	Value value(const unsigned char *row, const wfs_slot *slot) const { return Value(wfs_value_in(pack_, &table_->row, slot, row)); }

private:
	const wfs_pack *pack_;
	const wfs_table *table_;
};

// Entities are those of some tables that stand one after the other, table by table.
class Entities {
public:
	class iterator {
	public:
		using value_type = Entity;
		using difference_type = std::ptrdiff_t;
		using pointer = void;
		using reference = Entity;
		using iterator_category = std::input_iterator_tag;

		iterator(const wfs_pack *pack, std::uint32_t table, std::uint32_t row) : pack_(pack), table_(table), row_(row) {}
		Entity operator*() const
		{
			wfs_entity e;
			const wfs_table *t = &pack_->tables[table_];
			if (wfs_find(pack_, wfs_row_id(t, wfs_row(t, row_)), &e)) return Entity(e);
			e.pack = pack_; // not in a pack that was opened
			e.table = t;
			e.row = wfs_row(t, row_);
			e.place = 0;
			e.id = wfs_row_id(t, e.row);
			return Entity(e);
		}
		iterator &operator++()
		{
			if (++row_ == pack_->tables[table_].count) {
				row_ = 0;
				++table_;
			}
			return *this;
		}
		bool operator==(const iterator &o) const { return table_ == o.table_ && row_ == o.row_; }
		bool operator!=(const iterator &o) const { return !(*this == o); }

	private:
		const wfs_pack *pack_;
		std::uint32_t table_, row_;
	};

	Entities(const wfs_pack *pack, std::uint32_t first, std::uint32_t end) : pack_(pack), first_(first), end_(end) {}
	iterator begin() const { return {pack_, first_, 0}; }
	iterator end() const { return {pack_, end_, 0}; }

private:
	const wfs_pack *pack_;
	std::uint32_t first_, end_;
};

class Pack {
public:
	// open reads a pack in the caller's memory, which must outlive it.
	static std::optional<Pack> open(const void *data, std::size_t size, wfs_problem *problem = nullptr)
	{
		Pack p;
		if (p.read(data, size, problem)) return p;
		return std::nullopt;
	}

#ifndef WFS_NO_FILES
	static std::optional<Pack> map(const std::string &path, wfs_problem *problem = nullptr)
	{
		Pack p;
		wfs_result r = wfs_map(&p.file_->file, path.c_str());
		if (r != WFS_OK && problem != nullptr) *problem = {wfs_result_text(r), 0};
		if (r == WFS_OK && p.read(p.file_->file.data, p.file_->file.size, problem)) return p;
		return std::nullopt;
	}
#endif

	const wfs_pack *c() const { return pack_.get(); }
	bool verify(wfs_problem *problem) const { return wfs_verify(pack_.get(), problem) == WFS_OK; }
	std::uint32_t size() const { return pack_->entity_count; }

	auto types() const
	{
		return Range([p = pack_.get()](std::uint32_t i) { return Type(p->types + i); }, pack_->type_count);
	}
	auto tables() const
	{
		return Range([p = pack_.get()](std::uint32_t i) { return Table(p, p->tables + i); }, pack_->table_count);
	}

	// entities are all, in the order of their IDs.
	auto entities() const
	{
		return Range(
			[p = pack_.get()](std::uint32_t i) {
				wfs_entity e = {};
				wfs_at(p, i, &e);
				return Entity(e);
			},
			pack_->entity_count);
	}

	// entities of a type, at each revision, table by table.
	Entities entities(std::string_view type) const
	{
		std::uint32_t first = 0, end;
		while (first < pack_->table_count && view(pack_->tables[first].name) != type) first++;
		for (end = first; end < pack_->table_count && view(pack_->tables[end].name) == type;) end++;
		return {pack_.get(), first, end};
	}

	std::optional<Entity> find(std::uint32_t id) const
	{
		wfs_entity e;
		return wfs_find(pack_.get(), id, &e) ? std::optional<Entity>(Entity(e)) : std::nullopt;
	}

private:
#ifndef WFS_NO_FILES
	struct File {
		wfs_file file = {nullptr, 0};
		File() = default;
		File(const File &) = delete;
		File &operator=(const File &) = delete;
		~File() { wfs_unmap(&file); }
	};
	std::unique_ptr<File> file_ = std::make_unique<File>();
#endif
	std::unique_ptr<wfs_pack> pack_ = std::make_unique<wfs_pack>(); // entities point at it
	std::unique_ptr<unsigned char[]> memory_;

	Pack() = default;

	bool read(const void *data, std::size_t size, wfs_problem *problem)
	{
		wfs_result r = wfs_check(pack_.get(), data, size);
		if (r == WFS_OK) {
			memory_ = std::make_unique<unsigned char[]>(pack_->memory);
			r = wfs_open(pack_.get(), memory_.get(), pack_->memory);
		}
		if (problem != nullptr) *problem = pack_->problem;
		return r == WFS_OK;
	}
};

} // namespace worldfs

#endif
