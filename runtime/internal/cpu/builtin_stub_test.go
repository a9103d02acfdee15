package cpu
func packNames() []string { return nil }
func groupNames() []string { return nil }
func atomicNames() []string { return nil }
func matrixNames() []string { return nil }
func barrierNames() []string { return nil }
