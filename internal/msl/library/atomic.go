package library

// atomicRow is the signature of a function of atomics (section 6.15.2): V is the
// type of the value, P a pointer of the thread to one. The object comes first.
type atomicRow struct {
	Result string
	Params string
	Class  typeClass
}

// AtomicTable has the atomic functions, which work on what is in device or
// threadgroup memory.
var AtomicTable = makeAtomicTable()

func makeAtomicTable() map[string]atomicRow {
	m := map[string]atomicRow{
		"atomic_store_explicit":                 {"void", "V,memory_order", numbers | bools},
		"atomic_load_explicit":                  {"V", "memory_order", numbers | bools},
		"atomic_exchange_explicit":              {"V", "V,memory_order", numbers | bools},
		"atomic_compare_exchange_weak_explicit": {"bool", "P,V,memory_order,memory_order", numbers | bools},
		"atomic_max_explicit":                   {"void", "V,memory_order", integers},
		"atomic_min_explicit":                   {"void", "V,memory_order", integers},
		"atomic_fetch_add_explicit":             {"V", "V,memory_order", numbers},
		"atomic_fetch_sub_explicit":             {"V", "V,memory_order", numbers},
	}
	for _, op := range []string{"and", "max", "min", "or", "xor"} {
		m["atomic_fetch_"+op+"_explicit"] = atomicRow{"V", "V,memory_order", integers}
	}
	return m
}
