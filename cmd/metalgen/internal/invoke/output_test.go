package invoke

import (
	"github.com/metalgen/metalgen/runtime"
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// TestSaveAllOrNothing has the directory of the second file vanish while the
// kernel runs.
func TestSaveAllOrNothing(t *testing.T) {
	stays, goes := t.TempDir(), filepath.Join(t.TempDir(), "goes")
	if err := os.Mkdir(goes, 0o777); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(stays, "decay.npy")
	if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := request(t, shaders(t), "compute_decay_beta",
		"alpha_out=zeros:float32[60] beta_out=zeros A_log=zeros dt_bias=zeros num_v_heads=60",
		"g_decay="+old+" beta_gate="+filepath.Join(goes, "beta.npy"))
	plan, errs := Prepare(r)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	dev, _ := runtimetest.New()
	defer dev.Close()
	if _, err := plan.Run(t.Context(), dev, &runtime.Profile{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(goes); err != nil {
		t.Fatal(err)
	}
	if err := plan.Save(); err == nil {
		t.Error("saved to a directory that is not there")
	}
	left, err := filepath.Glob(filepath.Join(stays, "*"))
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := filepath.Glob(filepath.Join(stays, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(old); len(left) != 1 || len(hidden) != 0 || string(data) != "old" {
		t.Errorf("left %q and %q, with %q, %v", left, hidden, data, err)
	}
}

func TestOutputThatIsNoFile(t *testing.T) {
	o, err := newOutput(os.DevNull)
	if err != nil {
		t.Skip(err) // Windows has no file of that name
	}
	if !o.direct {
		t.Errorf("%s would be replaced by a file", os.DevNull)
	}
	if _, err := newOutput(t.TempDir()); err == nil {
		t.Error("a directory is taken for a file")
	}
}
