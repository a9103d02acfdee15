//go:build unix

package metal

import (
	"errors"
	"fmt"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// systemSelectors are those that a system may be too new to have, or a GPU may have no object for, beside those that it
// may be too old for.
var systemSelectors = map[*objc.SEL]bool{
	selSetFastMath: true, selArguments: true, selIsActive: true, selAddToArchive: true, selSerialize: true,
}

// Messages of the self-test itself.
var (
	testBlit          = objc.Selector("blitCommandEncoder", "@")
	testNewError      = objc.Selector("errorWithDomain:code:userInfo:", "@@q@")
	testCommandBuffer = objc.Selector("commandBuffer", "@")
)

// To Objective-C, dispatch_data_t is an object, and to C a pointer: it depends on
// how Apple has compiled the method.
var _ = objc.Selector("newLibraryWithData:error:", "@@^@")

// checkMethods finds every selector that the driver sends among the methods of the
// objects that it talks to, with the types that it was declared with.
func checkMethods(t *testing.T, d *Device) {
	t.Helper()
	objc.WithPool(func() {
		objects := methodObjects(t, d)
		matched := map[string]bool{}
		for name, object := range objects {
			problems := map[string]error{}
			fits := map[string]bool{}
			for sel := range objc.Selectors() {
				switch err := sel.Check(object); {
				case err == nil:
					matched[sel.String()], fits[sel.String()] = true, true
				case !errors.Is(err, objc.ErrNotFound):
					problems[sel.String()] = err
				}
			}
			for sel, err := range problems {
				if !fits[sel] {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		for sel := range objc.Selectors() {
			switch {
			case matched[sel.String()]:
			case systemSelectors[sel], sel.Since() > 0:
				t.Logf("%s: this system has no such method", sel)
			default:
				t.Errorf("%s: none of the objects has such a method", sel)
			}
		}
	})
}

// methodObjects returns objects of every class that the driver talks to, by what they
// are. The pool or the test lets them go.
func methodObjects(t *testing.T, d *Device) map[string]objc.ID {
	t.Helper()
	objects := map[string]objc.ID{}
	add := func(name string, id objc.ID) objc.ID {
		if id == 0 {
			t.Errorf("no %s", name)
			return 0
		}
		objects[name] = id
		return id
	}
	owned := func(name string, id objc.ID, err error) objc.ID {
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return 0
		}
		t.Cleanup(func() { objc.WithPool(id.Release) })
		return add(name, id)
	}
	for _, class := range []string{"NSString", "NSArray", "NSDictionary", "NSURL", "NSError", "MTLCaptureManager"} {
		id, err := objc.Class(class)
		if err != nil {
			t.Errorf("%s: %v", class, err)
			continue
		}
		add("class "+class, id)
	}
	for _, class := range []string{
		"MTLCompileOptions", "MTLFunctionConstantValues", "MTLComputePipelineDescriptor", "MTLCaptureDescriptor",
		"MTLCommandBufferDescriptor", "MTLTextureDescriptor", "MTLSamplerDescriptor", "MTLBinaryArchiveDescriptor",
	} {
		id, err := objc.New(class)
		owned(class, id, err)
	}
	if d.can.archives {
		archive, err := d.openArchive("")
		owned("MTLBinaryArchive", archive, err)
	}
	if d.wired.set != 0 {
		add("MTLResidencySet", d.wired.set)
	}
	if state, err := d.logState(nil); err == nil {
		add("MTLLogState", state)
		descriptor, err := objc.New("MTLLogStateDescriptor")
		owned("MTLLogStateDescriptor", descriptor, err)
	}
	text, err := objc.NewString("a text that is too long for a tagged pointer")
	owned("NSString", text, err)
	dictionary, err := objc.NewDictionary(map[string]string{"a": "b", "c": "d"})
	owned("NSDictionary", dictionary, err)
	add("NSArray", objc.ID(dictionary.Send(selAllValues)))
	add("NSError", objc.ID(objects["class NSError"].Send(testNewError, uintptr(text), 1, 0)))
	add("MTLCaptureManager", objc.ID(objects["class MTLCaptureManager"].Send(selSharedCaptureManager)))

	add("MTLDevice", d.id)
	queue := add("MTLCommandQueue", d.queue)
	commands := add("MTLCommandBuffer", objc.ID(queue.Send(testCommandBuffer)))
	add("MTLBuffer", d.placeholders.largest.id)
	one := driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R8Unorm, Width: 1, Height: 1}
	add("MTLTexture", textureOf(t, d, one).(*texture).id)
	if sampler, err := d.samplers.of(d, samplerUse{}); err == nil {
		add("MTLSamplerState", sampler)
	}
	owned("MTLSharedEvent", objc.ID(d.id.Send(selNewSharedEvent)), nil)
	listener, err := objc.New("MTLSharedEventListener")
	owned("MTLSharedEventListener", listener, err)
	encoder := add("MTLComputeCommandEncoder", objc.ID(commands.Send(selEncoder, dispatchSerial)))
	encoder.Send(selEndEncoding)
	blit := add("MTLBlitCommandEncoder", objc.ID(commands.Send(testBlit)))
	blit.Send(selEndEncoding)

	descriptor, err := objc.New("MTLIndirectCommandBufferDescriptor")
	owned("MTLIndirectCommandBufferDescriptor", descriptor, err)
	indirect, err := d.newCommands(1, 1)
	owned("MTLIndirectCommandBuffer", indirect, err)
	add("MTLIndirectComputeCommand", objc.ID(indirect.Send(selCommandAt, 0)))

	k := fixtureKernel()
	state, reflection := fixturePipeline(t, d, k)
	owned("MTLComputePipelineState", state, nil)
	add("MTLComputePipelineReflection", reflection)
	lib, err := d.library(k.Library, nil)
	if err != nil {
		t.Fatal(err)
	}
	add("MTLLibrary", lib.id)
	name, err := objc.NewString(k.Name)
	owned("NSString of a name", name, err)
	function := owned("MTLFunction", objc.ID(lib.id.Send(selNewFunction, uintptr(name))), nil)
	constants := objc.ID(function.Send(selFunctionConstants))
	add("MTLFunctionConstant", objc.Elements(objc.ID(constants.Send(selAllValues)))[0])
	addReflection(add, reflection)
	return objects
}

func addReflection(add func(string, objc.ID) objc.ID, reflection objc.ID) {
	for _, sel := range []*objc.SEL{selBindings, selArguments} {
		if !reflection.Responds(sel) {
			continue
		}
		for i, b := range objc.Elements(objc.ID(reflection.Send(sel))) {
			add(fmt.Sprintf("%s %d", sel, i), b)
			if bindingKind(b.Send(selBindingType)) != bindingBuffer {
				continue
			}
			structure := objc.ID(b.Send(selBufferStructType))
			if structure == 0 {
				continue
			}
			add("MTLStructType", structure)
			for _, m := range objc.Elements(objc.ID(structure.Send(selMembers))) {
				add("MTLStructMember", m)
				if array := objc.ID(m.Send(selArrayType)); array != 0 {
					add("MTLArrayType", array)
				}
			}
		}
	}
}
