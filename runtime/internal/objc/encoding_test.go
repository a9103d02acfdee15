package objc

import "testing"

func TestSameTypes(t *testing.T) {
	for _, c := range []struct {
		declared, method string
		same             bool
	}{
		{"v", "v16@0:8", true},
		{"Q", "q16@0:8", false},
		{"v", "Q16@0:8", false},
		{"v@QQ", "v40@0:8@16Q24Q32", true},
		{"v@QQ", "v32@0:8@16Q24", false},
		{"v@Q", "v40@0:8@16Q24Q32", false},
		{"v{?=QQQ}{?=QQQ}", "v64@0:8{?=QQQ}16{?=QQQ}40", true},
		{"v{?=QQQ}{?=QQQ}", "v64@0:8{_NSRange=QQ}16{?=QQQ}40", false},
		{"vr^@r^Q{_NSRange=QQ}", "v48@0:8^r@16r^Q24{_NSRange=QQ}32", true},
		{"vr^vQQ", "v40@0:8r^v16Q24Q32", true},
		{"r*", "*16@0:8", true},
		{"B:", "c24@0:8:16", true},
		{"B:", "B24@0:8:16", true},
		{"v@?", "v24@0:8@?16", true},
		{"v@", "v24@0:8@?16", false},
		{"@@@^@", "@40@0:8@16@24^@32", true},
		{"@^{dispatch_data_s=}^@", "@32@0:8^{dispatch_data_s=}16^@24", true},
		{"v", "", false},
		{"v", "v", false},
		{"v{", "v16@0:8{", true},
		{"v^", "v16@0:8^", true},
	} {
		if have := sameTypes(c.declared, c.method); have != c.same {
			t.Errorf("sameTypes(%q, %q) = %v", c.declared, c.method, have)
		}
	}
}
