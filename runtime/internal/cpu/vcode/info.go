package vcode

// Infos are what is to be known of all Ops.
var Infos = [Ops]Info{
	GMove: g1("move"), GConst: {Name: "const", D: G}, GAdd: g2("add"), GSub: g2("sub"), GMul: g2("mul"),
	GAnd: g2("and"), GOr: g2("or"), GXor: g2("xor"), GAndNot: g2("andnot"), GShl: g2("shl"), GShr: g2("shr"),
	GSar: g2("sar"), GAddW: g2("add.w"), GSubW: g2("sub.w"), GMulW: g2("mul.w"), GShlW: g2("shl.w"),
	GShrW: g2("shr.w"), GSarW: g2("sar.w"), GRotlW: g2("rotl.w"), GExtS32: g1("ext.s32"), GExtU32: g1("ext.u32"),
	GExtS8W: g1("ext.s8"), GExtU8: g1("ext.u8"), GExtS16W: g1("ext.s16"), GExtU16: g1("ext.u16"),
	GClzW: g1("clz.w"), GCtzW: g1("ctz.w"), GPopW: g1("pop.w"),
	GDivS: g2("div.s"), GDivU: g2("div.u"), GRemS: g2("rem.s"), GRemU: g2("rem.u"),
	GDivSW: g2("div.sw"), GDivUW: g2("div.uw"), GRemSW: g2("rem.sw"), GRemUW: g2("rem.uw"),
	GSet: g2("set"), GSetW: g2("set.w"), GPick: {Name: "pick", D: G, A: G, B: G, C: G},
	GLoad8: g1("load8"), GLoad8S: g1("load8.s"), GLoad16: g1("load16"), GLoad16S: g1("load16.s"),
	GLoad32: g1("load32"), GLoad64: g1("load64"),
	GPrefetch: {Name: "prefetch", A: G},
	GStore8:   {Name: "store8", A: G, B: G}, GStore16: {Name: "store16", A: G, B: G},
	GStore32: {Name: "store32", A: G, B: G}, GStore64: {Name: "store64", A: G, B: G},
	GSwapIf32: {Name: "swapif32", D: G, A: G, B: G, C: G},

	Jump: {Name: "jump"}, Branch: {Name: "branch", A: G, B: G}, BranchW: {Name: "branch.w", A: G, B: G},
	BranchTest: {Name: "branch.test", A: G, B: G}, BranchAny: {Name: "branch.any", A: P},
	BranchUnless: {Name: "branch.unless", A: P}, MulX: g2("mul.x"), AddX: g2("add.x"), Bind: {Name: "bind"},

	VMove: v1("vmove"), VConst32: {Name: "vconst32", D: V}, VConst64: {Name: "vconst64", D: V},
	VWords: {Name: "vwords", D: V}, VSplat32: {Name: "vsplat32", D: V, A: G}, VSplat64: {Name: "vsplat64", D: V, A: G},
	VFirst32:     v1("vfirst32"),
	VLoadSplat32: vload("vloadsplat32"), VLoadSplat64: vload("vloadsplat64"), VLoad: vload("vload"),
	VLoad8: vload("vload8"), VLoad8S: vload("vload8.s"), VLoad16: vload("vload16"), VLoad16S: vload("vload16.s"),
	VLoadLow: vload("vload.low"), VLoadHigh: {Name: "vload.high", D: V, A: G, B: V},
	VLoadLow16: vload("vload16.low"), VLoadHigh16: {Name: "vload16.high", D: V, A: G, B: V},
	VLoadHalf: vload("vload.half"), VStore: vstore("vstore"), VStore8: vstore("vstore8"),
	VStore16: vstore("vstore16"), VStoreHalf: vstore("vstore.half"),
	VStoreP:    {Name: "vstore.p", A: G, B: V, C: P},
	VStore8P:   {Name: "vstore8.p", A: G, B: V, C: P},
	VStore16P:  {Name: "vstore16.p", A: G, B: V, C: P},
	VStoreBits: {Name: "vstore.bits", A: G, B: V, C: P},
	VStoreQuad: vstore("vstore.quad"), VLoadQuad: {Name: "vload.quad", D: V, A: G, B: V},
	VStoreS32: vstore("vstore.s32"), VStoreS64: vstore("vstore.s64"),
	GFromV32: {Name: "from.v32", D: G, A: V}, GFromV64: {Name: "from.v64", D: G, A: V},
	VGather32: vgather("vgather32"), VGather8: vgather("vgather8"), VGather8S: vgather("vgather8.s"),
	VGather16: vgather("vgather16"), VGather16S: vgather("vgather16.s"), VGather64: vgather("vgather64"),
	VScatter32: {Name: "vscatter32", A: G, B: V, C: P, Args: V},

	VAddF: v2("vadd.f"), VSubF: v2("vsub.f"), VMulF: v2("vmul.f"), VDivF: v2("vdiv.f"), VSqrtF: v1("vsqrt.f"),
	VFma: {Name: "vfma", D: V, A: V, B: V, C: V}, VMinNum: v2("vminnum"), VMaxNum: v2("vmaxnum"),
	VMinF: v2("vmin.f"), VMaxF: v2("vmax.f"), VScaleF: v2("vscale.f"), VRound: v1("vround"),

	VAdd: v2("vadd"), VSub: v2("vsub"), VMul: v2("vmul"), VAnd: v2("vand"), VOr: v2("vor"), VXor: v2("vxor"),
	VAndNot: v2("vandnot"), VMinS: v2("vmin.s"), VMinU: v2("vmin.u"), VMaxS: v2("vmax.s"), VMaxU: v2("vmax.u"),
	VShl: v2("vshl"), VShr: v2("vshr"), VSar: v2("vsar"), VShlI: v1("vshl.i"), VShrI: v1("vshr.i"),
	VSarI: v1("vsar.i"), VRotl: v2("vrotl"), VRotlI: v1("vrotl.i"), VMulHiU: v2("vmulhi.u"),
	VMulHiS: v2("vmulhi.s"), VPop: v1("vpop"), VClz: v1("vclz"),

	VFromS32: v1("vfrom.s32"), VFromU32: v1("vfrom.u32"), VToS32: v1("vto.s32"), VToU32: v1("vto.u32"),
	VHalfToF: v1("vhalf.f"), VFToHalf: v1("vf.half"), VFToDLo: v1("vf.dlo"), VFToDHi: v1("vf.dhi"),
	VDToF: v2("vd.f"), VExtLoS: v1("vext.los"), VExtHiS: v1("vext.his"), VExtLoU: v1("vext.lou"),
	VExtHiU: v1("vext.hiu"), VNarrow: v2("vnarrow"),

	VAddQ: v2("vadd.q"), VSubQ: v2("vsub.q"), VMulQ: v2("vmul.q"), VShlQ: v2("vshl.q"), VShrQ: v2("vshr.q"),
	VSarQ: v2("vsar.q"), VShlQI: v1("vshl.qi"), VShrQI: v1("vshr.qi"), VSarQI: v1("vsar.qi"),
	VAddD: v2("vadd.d"), VSubD: v2("vsub.d"), VMulD: v2("vmul.d"), VDivD: v2("vdiv.d"), VSqrtD: v1("vsqrt.d"),
	VMinD: v2("vmin.d"), VMaxD: v2("vmax.d"), VTruncD: v1("vtrunc.d"), VTable64: v1("vtable64"),
	VTable8: {Name: "vtable8", D: V, A: G, B: V},

	VCmp: {Name: "vcmp", D: P, A: V, B: V}, VCmpP: {Name: "vcmp.p", D: P, A: V, B: V, C: P},
	VCmpF: {Name: "vcmp.f", D: P, A: V, B: V},
	VCmpQ: {Name: "vcmp.q", D: P, A: V, B: V}, PMove: {Name: "pmove", D: P, A: P},
	PAnd: p2("pand"), POr: p2("por"), PXor: p2("pxor"), PAndNot: p2("pandnot"), PNot: {Name: "pnot", D: P, A: P},
	PFromBits: {Name: "pfrombits", D: P, A: G}, PLo: {Name: "plo", D: P, A: P}, PHi: {Name: "phi", D: P, A: P},
	PJoin: p2("pjoin"), PToBits: {Name: "ptobits", D: G, Args: P}, PFirst: {Name: "pfirst", D: G, A: P},
	VBlend: {Name: "vblend", D: V, A: V, B: V, C: P}, VBlendQ: {Name: "vblend.q", D: V, A: V, B: V, C: P},
	PLoad: {Name: "pload", D: P, A: G}, PStore: {Name: "pstore", A: G, B: P},

	VXorLanes: v1("vxorlanes"), VPermWords: v1("vpermwords"),
	VPermLanes: v2("vpermlanes"), VPermute: {Name: "vpermute", D: V, B: V, Args: V},
	VEven: v2("veven"), VOdd: v2("vodd"),

	RowAddress:   {Name: "row", D: G, A: G, B: G, C: G},
	RowStore:     {Name: "rowstore", A: G, B: G, C: G, Args: V},
	GatherRow:    {Name: "gatherrow", D: V, A: G, B: V, C: P, Args: V},
	GatherNear:   {Name: "gathernear", D: V, A: G, B: V, C: P, Args: V},
	ScatterRow:   {Name: "scatterrow", A: G, B: V, C: P, Args: V},
	Scatter:      {Name: "scatter", A: G, Args: V},
	ScatterAlong: {Name: "scatteralong", A: G, C: G, Args: V},
	Exchange:     {Name: "exchange", A: G, Args: V},
	LaneOf:       {Name: "laneof", D: G, A: G, Args: V},
	Fill:         {Name: "fill", A: G, B: V},
	LanesWhere:   {Name: "lanes.where", D: G, A: G, B: G},
	TileAddress:  {Name: "tile", D: G, A: G, C: G},
	TileLoad:     {Name: "vload.tile", D: V, A: G, B: V, C: P, Args: G},
	TileStore:    {Name: "tilestore", A: G, C: G, Args: V},
	TileHeld:     {Name: "tileheld", D: G, A: G, C: G},
	TileDrain:    {Name: "tiledrain"},
	TexelRow:     {Name: "texels", D: G, A: G, B: G, C: G},
	TexelsOut:    {Name: "texels.out", A: G, B: G, C: G, Args: G},
	TexelScatter: {Name: "texels.scatter", A: G, B: G},
	Fetch:        {Name: "fetch", A: G},
	Flush:        {Name: "flush"}, FlushAll: {Name: "flushall"},
	Forget: {Name: "forget", D: G},
	Enter:  {Name: "enter"}, Return: {Name: "return", A: G},
}

func g1(name string) Info      { return Info{Name: name, D: G, A: G} }
func g2(name string) Info      { return Info{Name: name, D: G, A: G, B: G} }
func v1(name string) Info      { return Info{Name: name, D: V, A: V} }
func v2(name string) Info      { return Info{Name: name, D: V, A: V, B: V} }
func p2(name string) Info      { return Info{Name: name, D: P, A: P, B: P} }
func vload(name string) Info   { return Info{Name: name, D: V, A: G} }
func vstore(name string) Info  { return Info{Name: name, A: G, B: V} }
func vgather(name string) Info { return Info{Name: name, D: V, A: G, B: V, C: P} }
