package cpu

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
)

// TestListingsNameTheMachineAndWhatItDoes with a kernel of a multiplication, for each machine, whatever the processor.
func TestListingsNameTheMachineAndWhatItDoes(t *testing.T) {
	c := &corpus{dir: "../../../shaders", failures: map[string]*failure{}}
	listed := 0
	c.eachProgram(filepath.Join(c.dir, "activation.metal"), func(p *interp.Code) {
		listed++
		for _, m := range allMachines {
			text, err := machine.Listing(p.Program, m.make)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("machine code for %s: ", m.name); !strings.HasPrefix(text, want) {
				t.Errorf("%s: it begins with %.40q, not %q", p.Name, text, want)
			}
			if !strings.Contains(text, "= vmul.f ") || !strings.Contains(text, "\treturn g") {
				t.Errorf("%s: no multiplication, or no return:\n%s", p.Name, text)
			}
		}
	})
	if listed == 0 {
		t.Error("there are no kernels")
	}
}
