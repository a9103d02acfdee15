package wide

// Infos are all Ops.
var Infos [Ops]Info

func init() { // rules refer to the table
	Infos = [Ops]Info{
		Loop:    {Flow: true, Jumps: true, Ends: true},
		If:      {A: Mask, Flow: true, Jumps: true},
		Else:    {A: Mask, Flow: true, Jumps: true},
		End:     {Flow: true, Jumps: true},
		Enter:   {Flow: true},
		Test:    {A: Mask, Flow: true, Jumps: true},
		Next:    {Flow: true, Jumps: true},
		Case:    {A: Mask, Flow: true, Jumps: true},
		Switch:  {Flow: true},
		Leave:   {Flow: true, Jumps: true, Ends: true},
		Barrier: {Flow: true},
		Stop:    {Flow: true, Ends: true},

		Foreign: {Foreign: true},
		Call:    {Foreign: true},
		Return:  {Foreign: true, Ends: true},

		CopyWord:   {D: Word, A: Word, Rule: same},
		CopyLong:   {D: Long, A: Long, Rule: same},
		SelectWord: {D: Word, A: Word, B: Word, C: Mask, Rule: chosen},
		SelectLong: {D: Long, A: Long, B: Long, C: Mask, Rule: chosen},
		CopyMask:   {D: Mask, A: Mask, Rule: same},
		MoveMask:   {D: Mask, A: Mask, Stores: Mask},
		SelectMask: {D: Mask, A: Mask, B: Mask, C: Mask, Rule: together},
		MaskNone:   {D: Mask, Rule: everywhere},
		MaskAnd:    {D: Mask, A: Mask, B: Mask, Rule: together},
		MaskOr:     {D: Mask, A: Mask, B: Mask, Rule: together},
		MaskXor:    {D: Mask, A: Mask, B: Mask, Rule: together},
		MaskNot:    {D: Mask, A: Mask, Rule: together},
		MaskEqual:  {D: Mask, A: Mask, B: Mask, Rule: together},

		AddWord: two(Word, added),
		SubWord: two(Word, subtracted),
		MulWord: two(Word, multiplied),
		NegWord: one(Word, negated),
		NotWord: one(Word, negated),
		AndWord: two(Word, together),
		OrWord:  two(Word, together),
		XorWord: two(Word, together),
		ShlWord: two(Word, shifted),
		ShrInt:  two(Word, quotient),
		ShrUint: two(Word, quotient),
		DivInt:  two(Word, together),
		DivUint: two(Word, quotient),
		ModInt:  two(Word, together),
		ModUint: two(Word, together),
		MinInt:  two(Word, together),
		MinUint: two(Word, together),
		MaxInt:  two(Word, together),
		MaxUint: two(Word, together),

		RotateWord:   two(Word, together),
		LeadingZeros: one(Word, together),
		MulHighInt:   two(Word, together),
		MulHighUint:  two(Word, together),

		AddLong:  two(Long, added),
		SubLong:  two(Long, subtracted),
		MulLong:  two(Long, multiplied),
		NegLong:  one(Long, negated),
		NotLong:  one(Long, negated),
		AndLong:  two(Long, together),
		OrLong:   two(Long, together),
		XorLong:  two(Long, together),
		ShlLong:  {D: Long, A: Long, B: Word, Rule: shifted},
		ShrLong:  {D: Long, A: Long, B: Word, Rule: together},
		ShrUlong: {D: Long, A: Long, B: Word, Rule: together},
		DivLong:  two(Long, together),
		DivUlong: two(Long, together),
		ModLong:  two(Long, together),
		ModUlong: two(Long, together),
		MinLong:  two(Long, together),
		MinUlong: two(Long, together),
		MaxLong:  two(Long, together),
		MaxUlong: two(Long, together),

		AddFloat:   two(Word, together),
		SubFloat:   two(Word, together),
		MulFloat:   two(Word, together),
		DivFloat:   two(Word, together),
		MinFloat:   two(Word, together),
		MaxFloat:   two(Word, together),
		NegFloat:   one(Word, together),
		AbsFloat:   one(Word, together),
		Sqrt:       one(Word, together),
		Rsqrt:      one(Word, together),
		Exp:        one(Word, together),
		Exp2:       one(Word, together),
		Exp10:      one(Word, together),
		Log:        one(Word, together),
		Log2:       one(Word, together),
		Log10:      one(Word, together),
		Sin:        one(Word, together),
		Cos:        one(Word, together),
		Tan:        one(Word, together),
		Tanh:       one(Word, together),
		Pow:        two(Word, together),
		Powr:       two(Word, together),
		Floor:      one(Word, together),
		Ceil:       one(Word, together),
		Trunc:      one(Word, together),
		Rint:       one(Word, together),
		Round:      one(Word, together),
		Fract:      one(Word, together),
		Saturate:   one(Word, together),
		Sign:       one(Word, together),
		ClampFloat: three(Word, together),
		Step:       two(Word, together),
		Fdim:       two(Word, together),
		Copysign:   two(Word, together),
		MulAdd:     three(Word, together),
		MulSub:     three(Word, together),
		SubMul:     three(Word, together),
		Fma:        three(Word, together),

		EqualWord:      comparison(Word),
		NotEqualWord:   comparison(Word),
		LessInt:        comparison(Word),
		LessUint:       comparison(Word),
		LessEqualInt:   comparison(Word),
		LessEqualUint:  comparison(Word),
		EqualLong:      comparison(Long),
		NotEqualLong:   comparison(Long),
		LessLong:       comparison(Long),
		LessUlong:      comparison(Long),
		LessEqualLong:  comparison(Long),
		LessEqualUlong: comparison(Long),
		EqualFloat:     comparison(Word),
		NotEqualFloat:  comparison(Word),
		LessFloat:      comparison(Word),
		LessEqualFloat: comparison(Word),
		IsNaN:          {D: Mask, A: Word, Rule: together},
		IsInf:          {D: Mask, A: Word, Rule: together},
		IsFinite:       {D: Mask, A: Word, Rule: together},
		IsNegative:     {D: Mask, A: Word, Rule: together},

		WidenInt:       {D: Long, A: Word, Rule: converted},
		WidenUint:      {D: Long, A: Word, Rule: converted},
		Narrow:         {D: Word, A: Long, Rule: converted},
		FloatFromInt:   one(Word, together),
		FloatFromUint:  one(Word, together),
		FloatToInt:     one(Word, together),
		FloatToUint:    one(Word, together),
		WrapChar:       one(Word, together),
		WrapUchar:      one(Word, together),
		WrapShort:      one(Word, together),
		WrapUshort:     one(Word, together),
		HalfBits:       one(Word, together),
		FloatOfHalf:    one(Word, together),
		BFloatBits:     one(Word, together),
		FloatOfBFloat:  one(Word, together),
		RoundHalf:      one(Word, together),
		RoundBFloat:    one(Word, together),
		WordIsNotZero:  {D: Mask, A: Word, Rule: together},
		LongIsNotZero:  {D: Mask, A: Long, Rule: together},
		FloatIsNotZero: {D: Mask, A: Word, Rule: together},
		WordOfBool:     {D: Word, A: Mask, Rule: together},
		LongOfBool:     {D: Long, A: Mask, Rule: together},
		FloatOfBool:    {D: Word, A: Mask, Rule: together},
		PlainBits:      {D: Word, A: Word, Rule: together},
		FieldInt:       two(Word, together),
		FieldUint:      two(Word, together),

		SumFloat:    one(Word, everywhere),
		SumWord:     one(Word, everywhere),
		MaxOfFloats: one(Word, everywhere),
		MinOfFloats: one(Word, everywhere),
		MaxOfInts:   one(Word, everywhere),
		MinOfInts:   one(Word, everywhere),
		MaxOfUints:  one(Word, everywhere),
		MinOfUints:  one(Word, everywhere),
		AndOfWords:  one(Word, everywhere),
		OrOfWords:   one(Word, everywhere),
		XorOfWords:  one(Word, everywhere),
		Shuffle:     two(Word, broadcasts),
		ShuffleDown: two(Word, moves),
		ShuffleUp:   two(Word, moves),
		ShuffleXor:  two(Word, moves),
		RotateDown:  two(Word, moves),
		RotateUp:    two(Word, moves),
		FirstWord:   one(Word, everywhere),
		AnyMask:     {D: Mask, A: Mask, Rule: everywhere},
		AllMask:     {D: Mask, A: Mask, Rule: everywhere},
		ActiveLanes: {D: Long, Rule: everywhere},
		Ballot:      {D: Long, A: Mask, Rule: everywhere},

		AddPointerInt:  {D: Long, A: Long, B: Word, Rule: moved},
		AddPointerUint: {D: Long, A: Long, B: Word, Rule: moved},
		AddPointerLong: {D: Long, A: Long, B: Long, Rule: moved},

		AtomicCompare: {D: Word, A: Long, B: Word, C: Word},

		Load32:      {D: Word, A: Long, Access: true, Rule: loaded},
		LoadInt8:    {D: Word, A: Long, Access: true, Rule: loaded},
		LoadUint8:   {D: Word, A: Long, Access: true, Rule: loaded},
		LoadInt16:   {D: Word, A: Long, Access: true, Rule: loaded},
		LoadUint16:  {D: Word, A: Long, Access: true, Rule: loaded},
		LoadHalf:    {D: Word, A: Long, Access: true, Rule: loaded},
		LoadBFloat:  {D: Word, A: Long, Access: true, Rule: loaded},
		Load64:      {D: Long, A: Long, Access: true, Rule: loaded},
		LoadBool:    {D: Mask, A: Long, Access: true, Rule: loaded},
		Store32:     {Stores: Word, A: Long, Access: true},
		Store8:      {Stores: Word, A: Long, Access: true},
		Store16:     {Stores: Word, A: Long, Access: true},
		StoreHalf:   {Stores: Word, A: Long, Access: true},
		StoreBFloat: {Stores: Word, A: Long, Access: true},
		Store64:     {Stores: Long, A: Long, Access: true},
		StoreBool:   {Stores: Mask, A: Long, Access: true},
		Clear:       {A: Long},

		MultiplyMatrices:  {D: Word, reads: factors},
		LoadMatrix:        {D: Word, reads: whereMatrixIs},
		LoadHalfMatrix:    {D: Word, reads: whereMatrixIs},
		LoadBFloatMatrix:  {D: Word, reads: whereMatrixIs},
		StoreMatrix:       {reads: storedMatrix},
		StoreHalfMatrix:   {reads: storedMatrix},
		StoreBFloatMatrix: {reads: storedMatrix},

		ReadTexels:  {D: Word, Rule: together},
		WriteTexels: {},
	}
	for op := AtomicSwap; op < AtomicCompare; op++ {
		Infos[op] = Info{D: Word, A: Long, B: Word}
	}
	for op := range Infos {
		switch o := Op(op); {
		case o >= Exp && o <= Powr, o >= DivLong && o <= ModUlong, o >= AtomicSwap && o <= AtomicCompare:
			Infos[op].heavy = 32
		case o.OnMatrices(), o == Clear, o.OnTexels(), o >= DivInt && o <= ModUint, o == DivFloat:
			Infos[op].heavy = 8
		case Infos[op].Access:
			Infos[op].heavy = 4
		}
	}
}

func one(c Class, r rule) Info { return Info{D: c, A: c, Rule: r} }

func two(c Class, r rule) Info { return Info{D: c, A: c, B: c, Rule: r} }

func three(c Class, r rule) Info { return Info{D: c, A: c, B: c, C: c, Rule: r} }

func comparison(c Class) Info { return Info{D: Mask, A: c, B: c, Rule: together} }

// factors are what a product reads.
func factors(m *Matrices) []Operand {
	list := []Operand{{m.X[0], Word}, {m.X[1], Word}, {m.Y[0], Word}, {m.Y[1], Word}}
	if m.Adds {
		list = append(list, Operand{m.W[0], Word}, Operand{m.W[1], Word})
	}
	return list
}

// whereMatrixIs is what a load reads.
func whereMatrixIs(m *Matrices) []Operand {
	return []Operand{{m.Pointer, Long}, {m.Stride, Long}, {m.Column, Long}, {m.Row, Long}, {m.Transpose, Mask}}
}

// storedMatrix is what a store reads.
func storedMatrix(m *Matrices) []Operand {
	return append(whereMatrixIs(m), Operand{m.X[0], Word}, Operand{m.X[1], Word})
}
