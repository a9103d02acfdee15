package cpu

// Limits on what a dispatch and its compilation take, so that none takes the memory of the machine or goes on being
// compiled. They are checked before anything is allocated. The largest kernels in use stay below a tenth of each.
const (
	// maxFrames bounds the bytes of all frames that work on one dispatch: fewer
	// threadgroups run at once where frames are large.
	maxFrames = 1 << 29

	// patience is how often a compilation asks whether to stop, once in 256 steps, before
	// a call does not wait for it any more. The longest ones in use ask 500 times.
	patience = 1 << 10
)
