package preprocess

// maxReports is how many errors, and how many warnings, one unit may have
// before the rest is left out.
const maxReports = 100

// reporter collects what is wrong with a unit.
type reporter struct {
	list             ErrorList
	errors, warnings int
	stopped          bool // no use going on
}

func (r *reporter) error(pos Pos, format string, args ...any) {
	switch {
	case r.stopped:
	case r.errors == maxReports:
		r.list.Add(pos, "too many errors")
		r.stopped = true
	default:
		r.list.Add(pos, format, args...)
		r.errors++
	}
}

func (r *reporter) warn(pos Pos, format string, args ...any) {
	if r.stopped || r.warnings == maxReports {
		return
	}
	r.list.Warn(pos, format, args...)
	r.warnings++
}

// fatal reports an error after which nothing more is read: a limit that only
// a broken source meets.
func (r *reporter) fatal(pos Pos, format string, args ...any) {
	r.error(pos, format, args...)
	r.stopped = true
}
