package bind_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
)

func TestFirstCallsOfAKernelAgreeOnItsForm(t *testing.T) {
	var k bind.Kernel
	forms := make([]any, 8)
	var group sync.WaitGroup
	for i := range forms {
		group.Go(func() {
			forms[i], _ = k.Form(func(*bind.Kernel) (any, error) { return new(int), nil })
		})
	}
	group.Wait()
	for _, f := range forms {
		if f == nil || f != forms[0] {
			t.Errorf("got %p and %p", f, forms[0])
		}
	}
}

func TestAFormThatFailsIsBuiltAgain(t *testing.T) {
	var k bind.Kernel
	no := errors.New("no")
	if f, err := k.Form(func(*bind.Kernel) (any, error) { return nil, no }); f != nil || err != no {
		t.Errorf("got %v, %v", f, err)
	}
	if f, err := k.Form(func(*bind.Kernel) (any, error) { return "form", nil }); f != "form" || err != nil {
		t.Errorf("got %v, %v", f, err)
	}
}
