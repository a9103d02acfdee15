package arm64

import (
	"fmt"
	"strings"
)

// shapes has, for each type of instructions, what adds a form of an instruction.
var shapes = map[string]func(f *former, name string, op uint64){
	"RRR": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		n, ns := f.r(e)
		m, ms := f.r(e)
		f.add(func(a *Assembler) { RRR(op).Put(a, d, n, m) }, "%s %s, %s, %s", s, ds, ns, ms)
	},
	"RRRS": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		n, ns := f.r(e)
		m, ms := f.r(e)
		by, i := Shift(f.rand.IntN(3)), f.rand.IntN(32)
		f.add(func(a *Assembler) { RRRS(op).Put(a, d, n, m, by, uint8(i)) },
			"%s %s, %s, %s, %s #%d", s, ds, ns, ms, shiftNames[by], i)
	},
	"RRRX": func(f *former, name string, op uint64) {
		s, _ := mnemonic(name)
		d, ds := f.sp("X")
		if s == "subs" {
			d, ds = f.r("X")
		}
		n, ns := f.sp("X")
		by, i := Extend(f.rand.IntN(8)), f.rand.IntN(5)
		e := "W"
		if by&3 == 3 {
			e = "X"
		}
		m, ms := f.r(e)
		f.add(func(a *Assembler) { RRRX(op).Put(a, d, n, m, by, uint8(i)) },
			"%s %s, %s, %s, %s #%d", s, ds, ns, ms, extendNames[by], i)
	},
	"RRI": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.sp(e)
		n, ns := f.sp(e)
		i := uint64(f.rand.IntN(1<<12)) << (f.rand.IntN(2) * 12)
		if strings.HasSuffix(s, "s") {
			d, ds = f.r(e)
		}
		if RRI(op).logicByNumber() {
			n, ns = f.r(e)
			i = f.pattern(e[0] == 'X')
		}
		f.add(func(a *Assembler) { RRI(op).Put(a, d, n, i) }, "%s %s, %s, #%d", s, ds, ns, i)
	},
	"RI": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		i, quarter := f.rand.IntN(1<<16), f.rand.IntN(4)
		if e == "W" {
			quarter &= 1
		}
		f.add(func(a *Assembler) { RI(op).Put(a, d, uint16(i), uint8(quarter)) },
			"%s %s, #%d, lsl #%d", s, ds, i, 16*quarter)
	},
	"RRII": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		n, ns := f.r(e)
		i, j := f.rand.IntN(32), f.rand.IntN(32)
		if e == "X" {
			i, j = 2*i+1, 2*j
		}
		f.add(func(a *Assembler) { RRII(op).Put(a, d, n, uint8(i), uint8(j)) },
			"%s %s, %s, #%d, #%d", s, ds, ns, i, j)
	},
	"RRRI": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		n, ns := f.r(e)
		m, ms := f.r(e)
		i := f.rand.IntN(32)
		f.add(func(a *Assembler) { RRRI(op).Put(a, d, n, m, uint8(i)) }, "%s %s, %s, %s, #%d", s, ds, ns, ms, i)
	},
	"RR": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		n, ns := f.r(e)
		f.add(func(a *Assembler) { RR(op).Put(a, d, n) }, "%s %s, %s", s, ds, ns)
	},
	"RRRR": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		p, ps := f.r(e)
		if strings.HasSuffix(s, "l") {
			e = "W"
		}
		n, ns := f.r(e)
		m, ms := f.r(e)
		f.add(func(a *Assembler) { RRRR(op).Put(a, d, n, m, p) }, "%s %s, %s, %s, %s", s, ds, ns, ms, ps)
	},
	"RRRC": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		n, ns := f.r(e)
		m, ms := f.r(e)
		c := Condition(f.rand.IntN(15))
		f.add(func(a *Assembler) { RRRC(op).Put(a, d, n, m, c) },
			"%s %s, %s, %s, %s", s, ds, ns, ms, conditionNames[c])
	},
	"RRIC": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		n, ns := f.r(e)
		m, ms := f.r(e)
		c, i := Condition(f.rand.IntN(15)), f.rand.IntN(16)
		f.add(func(a *Assembler) { RRIC(op).Put(a, n, m, uint8(i), c) },
			"%s %s, %s, #%d, %s", s, ns, ms, i, conditionNames[c])
	},
	"O": func(f *former, name string, op uint64) {
		s, _ := mnemonic(name)
		if s == "dmb" {
			s = "dmb ish"
		}
		f.add(func(a *Assembler) { O(op).Put(a) }, "%s", s)
	},
	"ROp": func(f *former, name string, op uint64) {
		s, _ := mnemonic(name)
		n, ns := f.r("X")
		f.add(func(a *Assembler) { ROp(op).Put(a, n) }, "%s %s", s, ns)
	},

	"RM": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		width := e
		switch e {
		case "B", "H":
			s, width = s+strings.ToLower(e), "W"
		}
		r, rs := f.r(width)
		m, ms := f.memory(powerOf(uint32(op)))
		f.add(func(a *Assembler) { RM(op).Put(a, r, m) }, "%s %s, %s", s, rs, ms)
	},
	"VM": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		v := f.v()
		m, ms := f.memory(powerOf(uint32(op)))
		f.add(func(a *Assembler) { VM(op).Put(a, v, m) },
			"%s %s%d, %s", strings.TrimSuffix(s, "v"), strings.ToLower(e), v, ms)
	},
	"VVM": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		v := f.v()
		w := (v + 3) & 31
		base, name := f.sp("X")
		size := int32(8)
		if e == "Q" {
			size = 16
		}
		m := Mem{Base: base, Disp: int32(f.rand.IntN(128)-64) * size}
		e = strings.ToLower(e)
		f.add(func(a *Assembler) { VVM(op).Put(a, v, w, m) }, "%s %s%d, %s%d, [%s, #%d]", s, e, v, e, w, name, m.Disp)
	},
	"EM": func(f *former, name string, op uint64) {
		s, _ := mnemonic(name)
		for _, t := range []Arrangement{B16, H8, S4, D2} {
			i := f.rand.IntN(16 >> t.size())
			v := f.v()
			n, ns := f.sp("X")
			element := fmt.Sprintf("{v%d.%s}[%d]", v, arrangements[t][len(arrangements[t])-1:], i)
			f.add(func(a *Assembler) { EM(op).Put(a, t, v, uint8(i), n) }, "%s %s, [%s]", s, element, ns)
		}
	},
	"VN": func(f *former, name string, op uint64) {
		t := f.arrangement
		s, _ := mnemonic(name)
		count := int(s[2] - '0')
		if t == D1 && count > 1 {
			return
		}
		v := f.v()
		var list []string
		for i := range count {
			list = append(list, ((v + V(i)) & 31).of(t))
		}
		n, ns := f.sp("X")
		f.add(func(a *Assembler) { VN(op).Put(a, t, v, n) }, "%s {%s}, [%s]", s, strings.Join(list, ", "), ns)
	},
	"RRN": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		n := R(f.rand.IntN(10))
		d, q := n+1+R(f.rand.IntN(10)), n+12+R(f.rand.IntN(8)) // STLXR wants others
		width := strings.ToLower(e)
		first := width
		if s == "stlxr" {
			first = "w"
		}
		f.add(func(a *Assembler) { RRN(op).Put(a, d, q, n) }, "%s %s%d, %s%d, [x%d]", s, first, d, width, q, n)
	},
	"RN": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		n, ns := f.sp("X")
		f.add(func(a *Assembler) { RN(op).Put(a, d, n) }, "%s %s, [%s]", s, ds, ns)
	},

	"VVV": func(f *former, name string, op uint64) {
		t, s := f.arrangement, strings.ToLower(name)
		d, n, m := f.v(), f.v(), f.v()
		f.add(func(a *Assembler) { VVV(op).Put(a, t, d, n, m) }, "%s %s, %s, %s", s, d.of(t), n.of(t), m.of(t))
	},
	"VVVL": func(f *former, name string, op uint64) {
		t, s := f.arrangement, strings.ToLower(name)
		d, n, m := f.v(), f.v(), f.v()
		first := n.of(t)
		if strings.HasSuffix(s, "w") {
			first = n.of(doubled(t))
		}
		f.add(func(a *Assembler) { VVVL(op).Put(a, t, d, n, m) },
			"%s%s %s, %s, %s", s, upper(t), d.of(doubled(t)), first, m.of(t))
	},
	"VVVD": func(f *former, name string, op uint64) {
		t, s := f.arrangement, strings.ToLower(name)
		d, n, m := f.v(), f.v(), f.v()
		f.add(func(a *Assembler) { VVVD(op).Put(a, t, d, n, m) },
			"%s %s, %s, %s", s, d.of(t), n.of(t-S2), m.of(t-S2))
	},
	"VV": func(f *former, name string, op uint64) {
		t := f.arrangement
		s, _ := mnemonic(name)
		d, n := f.v(), f.v()
		f.add(func(a *Assembler) { VV(op).Put(a, t, d, n) }, "%s %s, %s%s", s, d.of(t), n.of(t), zero(name))
	},
	"VVN": func(f *former, name string, op uint64) {
		t, s := f.arrangement, strings.ToLower(name)
		d, n := f.v(), f.v()
		ds, ns := d.of(t), n.of(doubled(t)) // that narrows
		switch {
		case strings.HasSuffix(s, "lp"): // sums of neighbours are of all elements
			ds, ns = d.of(t+2), n.of(t)
		case s == "fcvtl":
			ds, ns = d.of(doubled(t)), n.of(t)
			s += upper(t)
		default:
			s += upper(t)
		}
		f.add(func(a *Assembler) { VVN(op).Put(a, t, d, n) }, "%s %s, %s", s, ds, ns)
	},
	"VA": func(f *former, name string, op uint64) {
		t, s := f.arrangement, strings.ToLower(name)
		d, n := f.v(), f.v()
		size := t.size()
		if strings.HasSuffix(s, "addlv") {
			size++
		}
		f.add(func(a *Assembler) { VA(op).Put(a, t, d, n) }, "%s %s%d, %s", s, "bhsd"[size:size+1], d, n.of(t))
	},
	"VVI": func(f *former, name string, op uint64) {
		t, s := f.arrangement, strings.ToLower(name)
		d, n, i := f.v(), f.v(), f.rand.IntN(8<<t.size())
		ds := d.of(t)
		if strings.HasSuffix(s, "ll") {
			ds = d.of(doubled(t))
			s += upper(t)
		}
		f.add(func(a *Assembler) { VVI(op).Put(a, t, d, n, uint8(i)) }, "%s %s, %s, #%d", s, ds, n.of(t), i)
	},
	"VVIR": func(f *former, name string, op uint64) {
		t, s := f.arrangement, strings.ToLower(name)
		d, n, i := f.v(), f.v(), 1+f.rand.IntN(8<<t.size())
		ns := n.of(t)
		if strings.HasSuffix(s, "shrn") {
			ns = n.of(doubled(t))
			s += upper(t)
		}
		f.add(func(a *Assembler) { VVIR(op).Put(a, t, d, n, uint8(i)) }, "%s %s, %s, #%d", s, d.of(t), ns, i)
	},
	"RV": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, ds := f.r(e)
		n := f.v()
		f.add(func(a *Assembler) { RV(op).Put(a, d, n) }, "%s %s, %s%d", s, ds, strings.ToLower(e[1:]), n)
	},
	"VR": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		n, ns := f.r(e)
		d := f.v()
		f.add(func(a *Assembler) { VR(op).Put(a, d, n) }, "%s %s%d, %s", s, strings.ToLower(e[:1]), d, ns)
	},
	"VTV": func(f *former, name string, op uint64) {
		t, s := f.arrangement, strings.ToLower(name)
		d, n, m, count := f.v(), f.v(), f.v(), 1+f.rand.IntN(4)
		var list []string
		for i := range count {
			list = append(list, ((n + V(i)) & 31).of(B16))
		}
		f.add(func(a *Assembler) { VTV(op).Put(a, t, d, n, uint8(count), m) },
			"%s %s, {%s}, %s", s, d.of(t), strings.Join(list, ", "), m.of(t))
	},
	"VI": func(f *former, name string, op uint64) {
		s, e := mnemonic(name)
		d, i, shift := f.v(), f.rand.IntN(256), 0
		how := ""
		switch most := int(op & bytesBy >> 32); {
		case op&ones != 0:
			shift = 1 + f.rand.IntN(2)
			how = fmt.Sprintf(", msl #%d", 8*shift)
		case most > 0:
			shift = f.rand.IntN(most + 1)
			how = fmt.Sprintf(", lsl #%d", 8*shift)
		}
		t := map[byte]Arrangement{'B': B16, 'H': H8, 'S': S4, 'D': D2}[e[0]]
		number := fmt.Sprint(i)
		switch {
		case s == "fmov":
			number = fmt.Sprint(float(uint8(i)))
		case e == "D":
			number = fmt.Sprintf("%#x", spread(uint8(i)))
		}
		f.add(func(a *Assembler) { VI(op).Put(a, d, uint8(i), uint8(shift)) }, "%s %s, #%s%s", s, d.of(t), number, how)
	},

	// In assembler_test.go.
	"RL": func(*former, string, uint64) {}, "RIL": func(*former, string, uint64) {},
	"RP": func(*former, string, uint64) {}, "VP": func(*former, string, uint64) {},
}

// float returns the number that FMOV has for 8 bits.
func float(i uint8) float64 {
	v := (16 + float64(i&15)) / 16
	exponent := int(i>>4&7) ^ 4 // -3 to 4
	for range exponent {
		v *= 2
	}
	v /= 8
	if i>>7 != 0 {
		return -v
	}
	return v
}

// spread returns 8 bits for each one.
func spread(i uint8) (v uint64) {
	for n := range 8 {
		if i>>n&1 != 0 {
			v |= 0xff << (8 * n)
		}
	}
	return v
}

// others adds forms of instructions that have methods of their own.
func (f *former) others() {
	for _, t := range arrangementsOf(every) {
		for range 12 {
			d, n, i, j := f.v(), f.v(), f.rand.IntN(16>>t.size()), f.rand.IntN(16>>t.size())
			width := "W"
			if t >= D1 {
				width = "X"
			}
			r, rs := f.r(width)
			f.add(func(a *Assembler) { a.Dup(t, d, n, uint8(i)) }, "dup %s, %s", d.of(t), n.element(t, i))
			f.add(func(a *Assembler) { a.DupR(t, d, r) }, "dup %s, %s", d.of(t), rs)
			f.add(func(a *Assembler) { a.Insert(t, d, uint8(i), n, uint8(j)) },
				"ins %s, %s", d.element(t, i), n.element(t, j))
			f.add(func(a *Assembler) { a.InsertR(t, d, uint8(i), r) }, "ins %s, %s", d.element(t, i), rs)
			f.add(func(a *Assembler) { a.Element(t, r, n, uint8(i)) }, "umov %s, %s", rs, n.element(t, i))
			if t < D1 {
				x, xs := f.r("X")
				f.add(func(a *Assembler) { a.ElementSigned(t, x, n, uint8(i)) }, "smov %s, %s", xs, n.element(t, i))
			}
		}
	}
	for _, t := range []Arrangement{B8, B16} {
		for i := range 8 << t.whole() {
			d, n, m := f.v(), f.v(), f.v()
			f.add(func(a *Assembler) { a.Extract(t, d, n, m, uint8(i)) },
				"ext %s, %s, %s, #%d", d.of(t), n.of(t), m.of(t), i)
		}
	}
	for _, s := range []Shift{LSL, LSR, ASR} {
		for i := range 64 {
			d, ds := f.r("X")
			n, ns := f.r("X")
			f.add(func(a *Assembler) { a.ShiftX(s, d, n, uint8(i)) }, "%s %s, %s, #%d", shiftNames[s], ds, ns, i)
			if i < 32 {
				ds, ns = strings.Replace(ds, "x", "w", 1), strings.Replace(ns, "x", "w", 1)
				if d == ZR {
					ds = "wzr"
				}
				if n == ZR {
					ns = "wzr"
				}
				f.add(func(a *Assembler) { a.ShiftW(s, d, n, uint8(i)) }, "%s %s, %s, #%d", shiftNames[s], ds, ns, i)
			}
		}
	}
	f.add(func(a *Assembler) { a.Move(X3, X4) }, "mov x3, x4")
	f.add(func(a *Assembler) { a.Copy(V3, V4) }, "mov v3.16b, v4.16b")
	f.add(func(a *Assembler) { a.Stop() }, "udf #0")
}
