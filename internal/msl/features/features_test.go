package features

import "testing"

// Each version has what is in the table for it, and none is left out of the ones that a flag names.
func TestFeaturesAreOfKnownVersions(t *testing.T) {
	known := map[Version]bool{}
	for _, v := range Versions[1:] {
		known[v] = true
	}
	for _, f := range features {
		if !known[f.version] {
			t.Errorf("%s: there is no version %v", f.names, f.version)
		}
	}
	for _, p := range phrases {
		if !known[p.version] {
			t.Errorf("%s: there is no version %v", p.begin, p.version)
		}
	}
}
