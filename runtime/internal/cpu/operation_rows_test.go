package cpu

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// operationRow is an expression of MSL that comes to one operation, or a few. $0, $1 and so on are its operands.
type operationRow struct {
	text   string
	params []*tree.Type
	result *tree.Type
	faults bool // it may divide by zero
}

// readsOthers reports whether a row reads what lanes hold that may not be active, which is undefined.
func (r operationRow) readsOthers() bool {
	return strings.Contains(r.text, "shuffle") || strings.Contains(r.text, "broadcast(") ||
		strings.Contains(r.text, "simdgroup_matrix")
}

// operationRows are an expression for all that has a table: functions of the library, operators and conversions, each
// for all scalars, and what operationExpressions have.
func operationRows() []operationRow {
	return slices.Concat(functionRows(), operatorRows(), conversionRows(), expressionRows())
}

// isPlain reports whether a value of a type is scalars alone.
func isPlain(t *tree.Type) bool { return t.Kind == tree.Scalar || t.Kind == tree.Vector }

// functionRows are the functions of the library that take scalars and vectors. What a function writes to
// a variable is the result of another row.
func functionRows() []operationRow {
	var rows []operationRow
	for _, f := range library.Overloads() {
		if strings.HasSuffix(f.Name, "24") && f.Params[0].Size > 4 {
			continue // there is none of 64 bits
		}
		var args, variables []string
		row := operationRow{result: f.Result}
		written := tree.Named("void")
		for i, p := range f.Params {
			if f.Refs[i] {
				args, variables, written = append(args, "w"), append(variables, p.String()+" w;"), p
				continue
			}
			args = append(args, fmt.Sprintf("$%d", len(row.params)))
			row.params = append(row.params, p)
		}
		call := fmt.Sprintf("%s(%s)", f.Name, strings.Join(args, ", "))
		row.text = call
		switch f.Result.String() {
		case "simd_vote":
			row.text, row.result = "ulong("+call+")", tree.Named("ulong")
		case "quad_vote":
			row.text, row.result = "ushort("+call+")", tree.Named("ushort")
		}
		if !isPlain(row.result) || !slices.ContainsFunc(row.params, isPlain) && len(row.params) > 0 {
			continue
		}
		if len(variables) == 0 {
			rows = append(rows, row)
			continue
		}
		begin := "[&] { " + variables[0] + " auto v = " + call + "; return "
		rows = append(rows, operationRow{begin + "v; }()", row.params, row.result, false},
			operationRow{begin + "w; }()", row.params, written, false})
	}
	return rows
}

// signs are the operators of the device's tables, as they are written.
var signs = map[tree.Op]string{
	tree.Neg: "-", tree.BitNot: "~", tree.LogicalNot: "!",
	tree.Add: "+", tree.Sub: "-", tree.Mul: "*", tree.Div: "/", tree.Mod: "%", tree.And: "&", tree.Or: "|", tree.Xor: "^",
	tree.Shl: "<<", tree.Shr: ">>",
	tree.Equal: "==", tree.NotEqual: "!=", tree.Less: "<", tree.LessEqual: "<=",
}

// The operators by how many operands they have, with the scalars that they are for.
var (
	isBool    = func(k tree.ScalarKind) bool { return k == tree.Bool }
	isNumber  = func(k tree.ScalarKind) bool { return k != tree.Bool }
	isInteger = func(k tree.ScalarKind) bool { return k != tree.Bool && !k.Floating() }
	isBits    = func(k tree.ScalarKind) bool { return !k.Floating() }
	isAny     = func(tree.ScalarKind) bool { return true }

	unaryOps = map[tree.Op]func(tree.ScalarKind) bool{tree.Neg: isNumber, tree.BitNot: isInteger,
		tree.LogicalNot: isBool}
	arithmeticOps = map[tree.Op]func(tree.ScalarKind) bool{
		tree.Add: isNumber, tree.Sub: isNumber, tree.Mul: isNumber, tree.Div: isNumber, tree.Mod: isInteger,
		tree.And: isBits, tree.Or: isBits, tree.Xor: isBits, tree.Shl: isInteger, tree.Shr: isInteger,
	}
	compareOps = map[tree.Op]func(tree.ScalarKind) bool{
		tree.Equal: isAny, tree.NotEqual: isAny, tree.Less: isNumber, tree.LessEqual: isNumber,
	}
)

// operatorRows are the operators of each table, on the types that it has them for. Integers that are divided have
// a row in which nothing is divided by zero.
func operatorRows() []operationRow {
	var rows []operationRow
	add := func(on map[tree.Op]func(k tree.ScalarKind) bool, operands int,
		result func(k tree.ScalarKind) tree.ScalarKind) {
		for op := tree.Neg; op <= tree.LogicalOr; op++ {
			for k := tree.Bool; k <= tree.Float; k++ {
				if on[op] == nil || !on[op](k) {
					continue
				}
				t := tree.ScalarType(k)
				row := operationRow{
					text:   fmt.Sprintf("%s(%s$0)", t, signs[op]),
					params: []*tree.Type{t, t}[:operands], result: tree.ScalarType(result(k)),
				}
				if operands == 2 {
					row.text = fmt.Sprintf("%s($0 %s $1)", row.result, signs[op])
				}
				if row.faults = (op == tree.Div || op == tree.Mod) && !k.Floating(); row.faults {
					whole := row
					whole.text, whole.faults = "($1 != 0 ? "+row.text+" : $0)", false
					rows = append(rows, whole)
				}
				rows = append(rows, row)
			}
		}
	}
	same := func(k tree.ScalarKind) tree.ScalarKind { return k }
	add(unaryOps, 1, same)
	add(arithmeticOps, 2, same)
	add(compareOps, 2, func(tree.ScalarKind) tree.ScalarKind { return tree.Bool })
	return rows
}

// conversionRows are all conversions between scalars, of values and of bits.
func conversionRows() []operationRow {
	var rows []operationRow
	for from := tree.Bool; from <= tree.Float; from++ {
		for to := tree.Bool; to <= tree.Float; to++ {
			of, result := []*tree.Type{tree.ScalarType(from)}, tree.ScalarType(to)
			rows = append(rows, operationRow{fmt.Sprintf("%s($0)", to), of, result, false})
			if from.Bytes() == to.Bytes() && from != tree.Bool && to != tree.Bool {
				rows = append(rows, operationRow{fmt.Sprintf("as_type<%s>($0)", to), of, result, false})
			}
		}
	}
	return rows
}

// operationExpressions are those of operations that are no function, operator or conversion. T stands for each of some
// types. The memory of the kernel is in a to d, i counts its n threads, and l is a number below 8.
var operationExpressions = []struct {
	types string // of T and the operands; "" for all scalars
	text  string
}{
	{"float", "$0 * $1 + $2"}, {"float", "$0 * $1 - $2"}, {"float", "$2 - $0 * $1"}, {"float", "$2 + $0 * $1"},
	{"int uint", "T(float(($0 >> 3) & 0x7fff))"}, {"int uint", "T(float(($0 >> ($1 & 15)) & 0xff))"},
	{"", "$2 == $0 ? $0 : $1"}, {"", "($0 < $1 && $1 < $2) || $0 == $2 ? $0 : $1"}, {"", "T($0 == $1)"},
	{"", "as_type<T>(select($0, $1, $0 != $0))"},
	{"bool", "all(bool2($0, $1) == bool2($1, $2))"}, {"bool", "any(bool2($0, $1) != $2)"},
	// bits of what may be a NaN
	{"uint", "as_type<uint>(fabs(as_type<float>($0)))"}, {"uint", "as_type<uint>(-as_type<float>($0))"},
	{"uint", "as_type<uint>(fmin(as_type<float>($0), as_type<float>($1)))"},
	{"uint", "as_type<uint>(fmax(as_type<float>($0), as_type<float>($1)))"},
	{"uint", "as_type<uint>(clamp(as_type<float>($0), as_type<float>($1), as_type<float>($2)))"},
	{"uint", "as_type<uint>(copysign(as_type<float>($0), as_type<float>($1)))"},
	{"uint", "as_type<uint>(l > 3 ? as_type<float>($0) : as_type<float>($1))"},
	{"uint", "as_type<uint>(float(as_type<half>(ushort($0))))"},
	{"uint", "as_type<uint>(float(as_type<bfloat>(ushort($0))))"},
	{"ushort", "as_type<ushort>(half(as_type<float>(uint($0) << 16 | $1)))"},
	{"ushort", "as_type<ushort>(bfloat(as_type<float>(uint($0) << 16 | $1)))"},
	// variables that some lanes assign to, and loops
	{"", "[&] { T v = $0; if (($1 < $2)) v = $1; else if (i % 3) v = $2; return v; }()"},
	{"", "[&] { T v = $0; v += $1; if (l > 3) v -= $2; return v; }()"},
	{"", "[&] { T v = $0; for (uint k = 0; k < l; k++) { v = v + $1; if (v == $2) break; } return v; }()"},
	{"", "[&] { T v = $0; switch (l) { case 1: v = $1; case 2: return v; case 3: break; default: v = $2; } return v; }()"},
	// elements of vectors and arrays
	{"", "[&] { vec<T, 4> v($0, $1, $2, $0); v[l & 3] = $2; return v[(i + l) & 3]; }()"},
	{"", "[&] { vec<T, 4> v($0, $1, $2, $0); return v[n & 3]; }()"},
	{"", "[&] { T v[5] = {$0, $1}; v[l % 5] = $2; return v[(l + 1) % 5]; }()"},
	{"", `[&] { struct { T x[3]; int y; } v[2]; v[l & 1] = {{$0, $1, $2}, 1}; v[1].x[l % 3] = $1;
		return v[i & 1].x[2]; }()`},
	{"float half", `[&] { matrix<T, 2, 3> m; m[0] = $0; m[1] = $1; m[l & 1][i % 3] = $2;
		return transpose(m)[2][l & 1]; }()`},
	{"float half", "determinant(matrix<T, 2, 2>($0, $1, $2, $0))"},
	// memory, by every kind of index and address
	{"", "((device T*)a)[n - 1 - i]"}, {"", "((device T*)a)[int(l) * 2]"}, {"", "((device T*)a)[long(i) ^ 5]"},
	{"", "((device T*)a)[ulong(i * i) % n]"}, {"", "((device T*)a)[((device uint*)b)[i] % n]"},
	{"", "*((device T*)a + short(l) + (n & 7))"}, {"", "((device T*)a)[((device uint*)b)[0] % n]"},
	{"", "[&] { device T* p = (device T*)a; p += l; p -= i & l; return *p++; }()"},
	{"", `[&] { device T* p = (device T*)a + i;
		return T(p - (device T*)a) + T(p == (device T*)a) + T(p < (device T*)b + l); }()`},
	{"", "[&] { device T* p = i & 1 ? (device T*)a : (device T*)b; return p[l]; }()"},
	{"", "[&] { device T* p = n & 1 ? (device T*)a : (device T*)b; return p[i]; }()"},
	{"", "[&] { ((device T*)d)[i ^ 1] = $0; ((device T*)d)[l] = $1; return ((device T*)d)[i]; }()"},
	{"", `[&] { ((device T*)d)[n & 31] = $0; ((device T*)d)[((device uint*)b)[i] % n] = $1;
		return ((device T*)d)[i]; }()`},
	{"", "[&] { device T* p = (device T*)d; if (l > 4) p = (device T*)c; p[i] = $0; return p[i ^ l]; }()"},
	{"", "[&] { ((threadgroup T*)shared)[i] = $0; return ((threadgroup T*)shared)[i]; }()"},
	{"", "((constant T*)e)[l] + ((constant T*)e)[n & 7]"},
	{"uint ulong", "[&] { T v = ulong((device uint*)a + l) - ulong((device uint*)a); return v; }()"},
	{"uint", "uint(((device packed_ushort3*)a)[l].y)"}, {"uint", "((device packed_uint3*)a)[i % 17].z"},
	{"uint", `[&] { device uint* p = (device uint*)a + i;
		return uint(p != (device uint*)b) + uint(p <= (device uint*)a + l) + uint(bool(p)); }()`},
	{"uint", `[&] { device uint* p[2] = {(device uint*)a, (device uint*)b}; p[l & 1] = (device uint*)a + i;
		return *p[i & 1]; }()`},
	// of simd-groups
	{"ushort uint", "__metal_get_thread_index_in_simdgroup(T()) ^ $0"},
	{"uint", "simd_vote(i & 1).all() + simd_vote(0).any() + simd_ballot($0 > 1).all()"},
	{"float half bfloat", `[&] { simdgroup_matrix<T, 8, 8> x, y, z(2); simdgroup_load(x, (device T*)a, 8);
		simdgroup_load(y, (device T*)b, 16, ulong2(1, 2), true); simdgroup_multiply(z, x, y);
		simdgroup_multiply_accumulate(z, y, z, x); simdgroup_store(z, (device T*)d, 8);
		simdgroup_store(x, (device T*)d + 64, 8); return z.thread_elements()[0] + y.thread_elements().y; }()`},
	{"float half", "simdgroup_matrix<T, 8, 8>($0).thread_elements()[1]"},
	// atomics, where several threads use one
	{"int uint ulong float", "atomic_fetch_add_explicit((device atomic<T>*)d + l, $0, memory_order_relaxed)"},
	{"int uint ulong float", "atomic_fetch_sub_explicit((device atomic<T>*)d + l, $0, memory_order_relaxed)"},
	{"int uint ulong", "atomic_fetch_and_explicit((threadgroup atomic<T>*)shared + l, $0, memory_order_relaxed)"},
	{"int uint ulong", "atomic_fetch_or_explicit((device atomic<T>*)d + l, $0, memory_order_relaxed)"},
	{"int uint ulong", "atomic_fetch_xor_explicit((device atomic<T>*)d + l, $0, memory_order_relaxed)"},
	{"int uint ulong", "atomic_fetch_max_explicit((device atomic<T>*)d + l, $0, memory_order_relaxed)"},
	{"int uint ulong", "atomic_fetch_min_explicit((device atomic<T>*)d + l, $0, memory_order_relaxed)"},
	{"int uint ulong float bool", "atomic_exchange_explicit((device atomic<T>*)d + l, $0, memory_order_relaxed)"},
	{"int uint ulong float bool", `[&] { atomic_store_explicit((device atomic<T>*)d + l, $0, memory_order_relaxed);
		return atomic_load_explicit((device atomic<T>*)d + l, memory_order_relaxed); }()`},
	{"int uint ulong float bool", `[&] { T v = $0; atomic_compare_exchange_weak_explicit((device atomic<T>*)d + l, &v, $1,
		memory_order_relaxed, memory_order_relaxed); return v; }()`},
}

// typeName finds T.
var typeName = regexp.MustCompile(`\bT\b`)

// expressionRows are operationExpressions, for all types.
func expressionRows() []operationRow {
	var rows []operationRow
	for _, e := range operationExpressions {
		for k := tree.Bool; k <= tree.Float; k++ {
			if e.types != "" && !slices.Contains(strings.Fields(e.types), k.String()) {
				continue
			}
			t := tree.ScalarType(k)
			text := typeName.ReplaceAllString(e.text, k.String())
			rows = append(rows, operationRow{text, []*tree.Type{t, t, t}, t, false})
		}
	}
	return rows
}
